//! The hosts from which sources of untrusted code may be fetched. Programs that fetch are not in the sandbox,
//! so untrusted code must not choose their hosts: one could be an internal service of the lab's network.

use std::collections::BTreeSet;

use http::Uri;

use crate::halt::Halt;

/// Hosts from which sources may be fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Hosts that a user has allowed by name.
    named: BTreeSet<String>,
    /// Those in addresses of trusted recipes.
    known: BTreeSet<String>,
    /// Origins that a user has allowed, for git only.
    origins: BTreeSet<String>,
}

impl Hosts {
    /// These: each a host as in an address, or an origin (`http://HOST:PORT` or `https://HOST:PORT`) from
    /// which git may fetch. Other texts allow nothing.
    pub fn new(allowed: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let allowed = allowed.into_iter().filter_map(|text| parse_allowed(text.as_ref()).ok());
        let (origins, named) = allowed.partition(|text: &String| text.contains("://"));
        Self { named, known: BTreeSet::new(), origins }
    }

    /// With the hosts of all `https://` addresses in a text.
    #[must_use]
    pub fn with_those_in(mut self, text: &str) -> Self {
        self.known.extend(addresses(text).filter_map(|address| host(address).ok()));
        self
    }

    /// Rejects an address on another host, and one that is not a plain `https://` address. `asker` is the
    /// file or object that contains the address.
    ///
    /// # Errors
    /// Returns [`Halt::Wrong`] with the address and how its host can be allowed.
    pub fn check(&self, asker: &str, address: &str) -> Result<(), Halt> {
        self.check_host(asker, address, |host| self.named.contains(host) || self.known.contains(host))
    }

    /// The same for a repository that git fetches: an allowed origin passes, too.
    ///
    /// # Errors
    /// As [`Hosts::check`].
    pub fn check_git(&self, asker: &str, address: &str) -> Result<(), Halt> {
        match origin(address) {
            Ok(origin) if self.origins.contains(&origin) => Ok(()),
            // A host is the shorter name of an origin with the default port of https.
            Ok(origin) if host(address).is_err() => Err(Halt::wrong(
                format!("{asker} fetches from {address:?}"),
                format!("{origin} is not an allowed origin"),
                format!(
                    "use a plain https:// address, or allow it with --allow-host {origin} if you trust it"
                ),
            )),
            _ => self.check(asker, address),
        }
    }

    /// The same for an address from which cargo fetches: only hosts that were allowed by name. On the others,
    /// anyone can publish a repository whose submodules are elsewhere.
    ///
    /// # Errors
    /// As [`Hosts::check`].
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

/// Reads a host or an origin, and returns its canonical form.
///
/// # Errors
/// The error of a text that has a scheme and is not an origin.
pub fn parse_allowed(text: &str) -> Result<String, String> {
    if !text.contains("://") {
        return Ok(text.to_ascii_lowercase());
    }
    let wrong = |cause: &str| format!("{cause}; write HOST, http://HOST:PORT or https://HOST:PORT");
    let found = origin(text).map_err(wrong)?;
    let after = text.split_once("://").map_or("", |(_, after)| after);
    let is_alone = !after.trim_end_matches('/').contains(['/', '?', '#']);
    if is_alone { Ok(found) } else { Err(wrong("an origin has no path")) }
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

/// The host of a plain address, or the error of another one.
fn host(address: &str) -> Result<String, &'static str> {
    let uri: Uri = address.parse().map_err(|_| "it is not an address")?;
    if uri.scheme_str() != Some("https") {
        return Err("it is not an https:// address");
    }
    let (host, port) = host_and_port(&uri)?;
    if port.is_some_and(|port| port != 443) {
        return Err("it has another port than 443");
    }
    Ok(host)
}

/// The origin of an address (RFC 6454): its scheme, host and port.
pub(crate) fn origin(address: &str) -> Result<String, &'static str> {
    let uri: Uri = address.parse().map_err(|_| "it is not an address")?;
    let (scheme, default) = match uri.scheme_str() {
        Some("https") => ("https", 443),
        Some("http") => ("http", 80),
        _ => return Err("it is neither an https:// nor an http:// address"),
    };
    let (host, port) = host_and_port(&uri)?;
    Ok(format!("{scheme}://{host}:{}", port.unwrap_or(default)))
}

fn host_and_port(uri: &Uri) -> Result<(String, Option<u16>), &'static str> {
    let authority = uri.authority().ok_or("it names no host")?;
    if authority.as_str().contains('@') {
        return Err("it contains a user name or a password");
    }
    let host = authority.host().to_ascii_lowercase();
    if host.is_empty() {
        return Err("it names no host");
    }
    // Programs may read a port that is not a number differently.
    match authority.as_str()[authority.host().len()..].strip_prefix(':') {
        Some(_) if authority.port().is_none() => Err("its port is not a number"),
        _ => Ok((host, authority.port_u16())),
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

    #[test]
    fn an_origin_is_for_git_and_for_its_scheme_host_and_port_alone() {
        let hosts = Hosts::new(["http://Forge.example:3000", "https://git.example:8443/", "code.example"]);
        for address in [
            "http://forge.example:3000/a/b.git",
            "http://FORGE.example:3000",
            "https://git.example:8443/x?y#z",
            "https://code.example/x",
        ] {
            hosts.check_git("it", address).unwrap_or_else(|halt| panic!("{address}: {halt}"));
        }
        for address in [
            "https://forge.example:3000/a",
            "http://forge.example:3001/a",
            "http://forge.example/a",
            "https://forge.example/a",
            "http://forge.example:3000@evil.example/a",
            "http://user:word@forge.example:3000/a",
            "http://forge.example:3000\\@evil.example/",
            "http://forge.example:3000.evil.example/",
            "http://evil.example:3000/a",
            "http://forge.example:/a",
            "http://git.example:8443/x",
            "https://git.example/x",
            "http://code.example/x",
            "git://forge.example:3000/a",
            "ext::http://forge.example:3000/a",
            "forge.example:3000/a",
        ] {
            assert!(hosts.check_git("it", address).is_err(), "{address:?}");
        }
        // Only git may use it.
        for address in ["http://forge.example:3000/a", "https://git.example:8443/x"] {
            assert!(hosts.check("it", address).is_err() && hosts.check_named("it", address).is_err());
        }
        let said = hosts.check_git("a recipe", "http://evil.example/a").unwrap_err().to_string();
        let expected = "a recipe fetches from \"http://evil.example/a\": http://evil.example:80 is not an allowed origin; use a \
                        plain https:// address, or allow it with --allow-host http://evil.example:80 if you trust it";
        assert_eq!(said, expected);
    }

    #[test]
    fn an_origin_has_one_form() {
        for (text, expected) in [
            ("Code.example", "code.example"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("http://[::1]/", "http://[::1]:80"),
            ("https://Code.example", "https://code.example:443"),
        ] {
            assert_eq!(parse_allowed(text).as_deref(), Ok(expected));
        }
        for text in [
            "http://",
            "http://code.example/x",
            "http://code.example?x",
            "http://code.example#x",
            "http://user@code.example",
            "http://code.example:x",
            "ssh://code.example",
        ] {
            assert!(parse_allowed(text).is_err(), "{text:?}");
        }
        let said = parse_allowed("http://code.example/x").unwrap_err();
        assert_eq!(said, "an origin has no path; write HOST, http://HOST:PORT or https://HOST:PORT");
    }

    proptest! {
        #[test]
        fn no_text_passes_an_empty_list_for_git(address: String) {
            prop_assert!(Hosts::default().check_git("it", &address).is_err());
        }

        #[test]
        fn no_text_but_an_address_of_the_origin_passes_for_git(rest: String) {
            let hosts = Hosts::new(["http://a.example:3000"]);
            let address = format!("http://a.example:3000{rest}");
            let is_path = rest.is_empty() || rest.starts_with(['/', '?', '#']);
            prop_assert!(is_path || hosts.check_git("it", &address).is_err());
        }

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
