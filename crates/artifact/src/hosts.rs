//! The hosts from which sources of untrusted code may be fetched. The programs that fetch are not in the sandbox, so untrusted code must
//! not choose whom they contact: it could be an internal service of the lab's network.

use std::collections::BTreeSet;

use http::Uri;

use crate::halt::Halt;

/// Hosts from which sources may be fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Those that somebody has allowed by name.
    named: BTreeSet<String>,
    /// Those in addresses of trusted recipes.
    known: BTreeSet<String>,
}

impl Hosts {
    /// These, each as it stands in an address.
    pub fn new(hosts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let named = hosts.into_iter().map(|host| host.as_ref().to_ascii_lowercase()).collect();
        Self { named, known: BTreeSet::new() }
    }

    /// With the hosts of all `https://` addresses in a text.
    #[must_use]
    pub fn with_those_in(mut self, text: &str) -> Self {
        self.known.extend(addresses(text).filter_map(|address| host(address).ok()));
        self
    }

    /// Refuses an address on another host, and whatever is no plain `https://` address. `asker` is what the address stands in.
    ///
    /// # Errors
    /// [`Halt::Wrong`] with the address and how its host can be allowed.
    pub fn check(&self, asker: &str, address: &str) -> Result<(), Halt> {
        self.check_host(asker, address, |host| self.named.contains(host) || self.known.contains(host))
    }

    /// The same for an address that cargo fetches from: only hosts that were allowed by name, as anyone can publish on the others a repository
    /// whose submodules lead elsewhere.
    ///
    /// # Errors
    /// As for [`Hosts::check`].
    pub fn check_named(&self, asker: &str, address: &str) -> Result<(), Halt> {
        self.check_host(asker, address, |host| self.named.contains(host))
    }

    fn check_host(&self, asker: &str, address: &str, is_allowed: impl Fn(&str) -> bool) -> Result<(), Halt> {
        let refused = |cause: String, next_step: String| {
            Err(Halt::wrong(format!("{asker} fetches from {address:?}"), cause, next_step))
        };
        match host(address) {
            Ok(host) if is_allowed(&host) => Ok(()),
            Ok(host) => refused(
                format!("{host} is not an allowed host"),
                format!("allow it with --allow-host {host} if you trust it"),
            ),
            Err(cause) => refused(cause.to_owned(), "use a plain https:// address".to_owned()),
        }
    }
}

/// All words of a text that begin like an address, up to a quotation mark or a space.
pub fn addresses(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("://").map(|(middle, _)| {
        let is_end = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>()[]{},".contains(c);
        let begin = text[..middle]
            .rfind(is_end)
            .map_or(0, |place| place + text[place..].chars().next().map_or(1, char::len_utf8));
        let end = text[middle..].find(is_end).map_or(text.len(), |length| middle + length);
        &text[begin..end]
    })
}

/// The host of a plain address; what is wrong with another one.
fn host(address: &str) -> Result<String, &'static str> {
    let uri: Uri = address.parse().map_err(|_| "it is not an address")?;
    if uri.scheme_str() != Some("https") {
        return Err("it is not an https:// address");
    }
    let authority = uri.authority().ok_or("it names no host")?;
    if authority.as_str().contains('@') {
        return Err("it contains a user name or a password");
    }
    if authority.port().is_some_and(|port| port != 443) {
        return Err("it has another port than 443");
    }
    match authority.host() {
        "" => Err("it names no host"),
        host => Ok(host.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_plain_addresses_of_listed_hosts_pass() {
        let hosts = Hosts::new(["Code.example"])
            .with_those_in("git = \"https://git.example/a\" # https://x.example, y");
        for address in [
            "https://code.example/a/b.git",
            "https://CODE.example",
            "https://code.example:443/x?y#z",
            "https://git.example/b",
            "https://x.example/",
        ] {
            hosts.check("it", address).unwrap_or_else(|halt| panic!("{address}: {halt}"));
        }
        for address in [
            "https://evil.example/",
            "https://code.example.evil.example/",
            "https://code.example@evil.example/",
            "https://user:word@code.example/",
            "https://code.example\\@evil.example/",
            "https://code.example:8443/",
            "https://code.example:443@evil.example/",
            "https:///code.example",
            "http://code.example/",
            "git://code.example/",
            "ssh://code.example/x",
            "git@code.example:x",
            "file:///etc/passwd",
            "/etc/passwd",
            "ext::sh -c true",
            "code.example",
            "",
            "https://code.example\n.evil.example/",
            " https://code.example/",
            "https://169.254.169.254/latest",
            "https://[::1]/",
        ] {
            assert!(hosts.check("it", address).is_err(), "{address:?}");
        }
        assert!(hosts.check_named("it", "https://code.example/").is_ok());
        assert!(hosts.check_named("it", "https://git.example/b").is_err());
        let said = hosts.check("the manifest of x", "https://evil.example/a").unwrap_err().to_string();
        let expected = "the manifest of x fetches from \"https://evil.example/a\": evil.example is not an allowed host; \
                        allow it with --allow-host evil.example if you trust it";
        assert_eq!(said, expected);
    }

    proptest! {
        #[test]
        fn no_text_passes_an_empty_list(address: String) {
            prop_assert!(Hosts::default().check("it", &address).is_err());
        }

        #[test]
        fn every_address_in_a_text_is_found(before in "[^:/]*", host in "[a-z]{1,9}", after in "[\"' \n][^:/]*") {
            let address = format!("https://{host}.example/x");
            let text = format!("{before} {address}{after}");
            prop_assert_eq!(addresses(&text).collect::<Vec<_>>(), vec![address.as_str()]);
        }
    }
}
