//! The environment of build programs: the variables that ordinary clients need, and no others of the caller.

use std::ffi::OsString;

/// The variables of every build program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// Selects from the caller's variables and adds those that make builds reproducible.
    pub fn choose(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut chosen: Vec<_> =
            all.into_iter().filter(|(name, _)| name.to_str().is_some_and(is_kept)).collect();
        chosen.extend(FIXED.map(|(name, value)| (name.into(), value.into())));
        chosen.sort();
        Self(chosen)
    }

    /// All of them.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.0
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Credentials are excluded, and everything that could change a compiler's output.
fn is_kept(name: &str) -> bool {
    let is_secret = ["TOKEN", "PASSWORD", "SECRET", "CREDENTIAL"].iter().any(|word| name.contains(word));
    let is_named = KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(name));
    (is_named || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))) && !is_secret
}

const KEPT: [&str; 25] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_AUTO_INSTALL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PKG_CONFIG_PATH",
    "LD_LIBRARY_PATH",
    "JAVA_HOME",
    "GOPROXY",
    "GOSUMDB",
    "GOPRIVATE",
    "GONOSUMDB",
    "NPM_CONFIG_REGISTRY",
    MIRROR,
    PYTHON_INDEX,
];

/// Whether a kept variable is only for network clients.
pub(crate) fn is_for_networks(name: &str) -> bool {
    let is_of_clients =
        ["_PROXY", "_CA_BUNDLE", "_CAINFO"].iter().any(|end| name.to_ascii_uppercase().ends_with(end));
    let starts = [
        "PIP_",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
        "RUSTUP_DIST_",
        "SSL_CERT_",
        "GO",
        "NPM_",
    ];
    let is_offline = name == "CARGO_NET_OFFLINE";
    !is_offline
        && (is_of_clients
            || [MIRROR, PYTHON_INDEX].contains(&name)
            || starts.iter().any(|start| name.starts_with(start)))
}

/// The variable that names a mirror of Debian.
pub const MIRROR: &str = "TLSLAB_DEBIAN_MIRROR";

/// The variable that names an index of Python packages.
pub const PYTHON_INDEX: &str = "TLSLAB_PYTHON_INDEX";

const KEPT_PREFIXES: [&str; 6] =
    ["CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTR", "CARGO_SOURCE_", "RUSTUP_DIST_", "PIP_"];

/// One moment for every build, and texts that do not depend on the builder. An empty list of flags differs
/// from a missing one: it overrides the flags in a user's configuration.
const FIXED: [(&str, &str); 5] = [
    ("LANG", "C"),
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SOURCE_DATE_EPOCH", "1767225600"),
    ("CARGO_ENCODED_RUSTFLAGS", ""),
];

/// The moment that `SOURCE_DATE_EPOCH` names, in seconds: the start of 2026.
pub const SOURCE_DATE_EPOCH: u64 = 1_767_225_600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_clients_need_and_drops_the_rest() {
        let given = ["PATH", "RUSTFLAGS", "CFLAGS", "https_proxy", "CARGO_HTTP_TIMEOUT", "CARGO_TARGET_DIR"];
        let secret = ["CARGO_REGISTRY_TOKEN", "CARGO_REGISTRIES_OURS_CREDENTIAL_PROVIDER"];
        let all = given.iter().chain(&secret).map(|name| (OsString::from(name), OsString::from("x")));
        let environment = Environment::choose(all);
        let names: Vec<_> = environment.variables().iter().map(|(name, _)| name.to_str().unwrap()).collect();
        let chosen =
            ["CARGO_ENCODED_RUSTFLAGS", "CARGO_HTTP_TIMEOUT", "GIT_TERMINAL_PROMPT", "LANG", "LC_ALL"];
        assert_eq!(names, [&chosen[..], &["PATH", "SOURCE_DATE_EPOCH", "https_proxy"]].concat());
    }

    #[test]
    fn addresses_and_proxies_are_for_networks() {
        for name in
            ["https_proxy", "PIP_INDEX_URL", "CARGO_REGISTRIES_OURS_INDEX", "GOPROXY", "NPM_CONFIG_REGISTRY"]
        {
            assert!(is_for_networks(name), "{name}");
        }
        for name in
            ["PATH", "CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_ENCODED_RUSTFLAGS", "SOURCE_DATE_EPOCH"]
        {
            assert!(!is_for_networks(name), "{name}");
        }
    }

    #[test]
    fn the_moment_is_one() {
        let text = SOURCE_DATE_EPOCH.to_string();
        assert!(FIXED.contains(&("SOURCE_DATE_EPOCH", &text)));
    }
}
