//! Who this stack is, and what it can do.

use rustls::{ALL_CIPHER_SUITES, ALL_KX_GROUPS};
use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, Limit, ProtocolVersion, Records, Resumption,
    ResumptionKind, Verification,
};
use tlslab_driver_kit::{Identity, Unready};

use crate::locked::version;
use crate::point::Point as _;
use crate::verifier::NO_CHAIN_ALONE;

/// Why no scenario with an external PSK can be done.
pub const NO_EXTERNAL_PSK: &str = "rustls has no external pre-shared keys";
/// Why no client shows a certificate.
pub const NO_CLIENT_CERTIFICATES: &str = "the driver for rustls before 0.22 has no client certificates";
/// Why no operation is measured by itself.
pub const NO_PRIMITIVES: &str =
    "rustls before 0.22 has no traits by which a driver could call single operations";
/// Why no key share is made beforehand.
pub const NO_PREPARED_GROUPS: &str = "rustls before 0.22 makes its key shares itself";
/// Why there are not several tickets.
#[cfg_attr(has_ticket_setting, expect(dead_code, reason = "of releases without the setting"))]
pub const ONE_TICKET: &str = "before rustls 0.21 a server sends one ticket after a handshake";

const ONE_TICKET_EACH: &str = "rustls lets nobody copy a session of TLS 1.3, so that no ticket is used twice";
const ANTI_REPLAY: &str = "rustls accepts early data only where its server keeps the sessions of its tickets: each \
                           ticket names one, and is forgotten when it is taken up, which guards against replays.";

/// Early data that the driver lets through: as much as the kit carries.
const MOST_EARLY_DATA: u32 = 64 * 1024;

/// The keys for which rustls has signature schemes with ring.
const KEYS: [&str; 6] = ["ecdsa-p256", "ecdsa-p384", "rsa-2048", "rsa-3072", "rsa-4096", "ed25519"];

/// A refusal.
pub fn refused(reason: &str) -> Unready {
    Unready::Unsupported(reason.to_owned())
}

/// Why there is no `what`.
pub fn lacks(what: impl ToString) -> String {
    format!("rustls {} with ring has no {}", version("rustls"), what.to_string())
}

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    let packages = ["ring", "rustls-webpki", "webpki"].map(|name| (name.to_owned(), version(name)));
    let components =
        packages.into_iter().filter(|(_, version)| version.starts_with(|first: char| first.is_ascii_digit()));
    Identity {
        driver: "rustls-0.21",
        library: Library {
            name: "rustls".to_owned(),
            version: version("rustls"),
            components: components.collect(),
        },
        capabilities: capabilities(),
    }
}

fn capabilities() -> Capabilities {
    let mut limits = vec![];
    let has_suite =
        |wanted: &CipherSuite| ALL_CIPHER_SUITES.iter().any(|suite| suite.suite().point() == wanted.0);
    let has_group = |wanted: &Group| ALL_KX_GROUPS.iter().any(|group| group.name.point() == wanted.0);
    // One reason rules out the suites of pre-shared keys.
    let suites = CipherSuite::KNOWN.iter().copied().filter(|suite| !suite.is_by_psk());
    let (suites, no_suites): (Vec<_>, Vec<_>) = suites.partition(has_suite);
    let (groups, no_groups): (Vec<_>, Vec<_>) = Group::KNOWN.iter().copied().partition(has_group);
    let (signatures, no_signatures): (Vec<_>, Vec<_>) =
        KeyType::ALL.into_iter().partition(|key| KEYS.contains(&key.name()));
    limits.extend(no_signatures.iter().map(|key| limit("signature", key.name(), &lacks(key))));
    limits.extend(no_suites.iter().map(|suite| limit("suite", &suite.short_name(), &lacks(suite))));
    limits.extend(no_groups.iter().map(|group| limit("group", &group.short_name(), &lacks(group))));
    let mut resumption = vec![];
    for kind in ResumptionKind::ALL {
        match kind.parts().1 {
            Resumption::ExternalPsk | Resumption::ExternalPskOnly => {
                limits.push(limit("resumption", &kind.to_string(), NO_EXTERNAL_PSK));
            }
            Resumption::TicketReused => limits.push(limit("resumption", &kind.to_string(), ONE_TICKET_EACH)),
            _ => resumption.push(kind),
        }
    }
    let mut verification = vec![Verification::None];
    match NO_CHAIN_ALONE {
        None => verification.push(Verification::Chain),
        Some(reason) => limits.push(limit("verification", Verification::Chain.name(), reason)),
    }
    verification.push(Verification::ChainAndName);
    #[cfg(not(has_ticket_setting))]
    limits.extend(["2", "4", "16"].map(|count| limit("tickets", count, ONE_TICKET)));
    limits.push(limit("authentication", "mutual", NO_CLIENT_CERTIFICATES));
    limits.push(limit("work", "primitive", NO_PRIMITIVES));
    limits.push(limit("server_key_share", "pregenerated", NO_PREPARED_GROUPS));
    Capabilities {
        versions: vec![ProtocolVersion::TLS12, ProtocolVersion::TLS13],
        signatures,
        groups,
        suites,
        verification,
        resumption,
        max_tickets: if cfg!(has_ticket_setting) { 16 } else { 1 },
        limits,
        threads: true,
        records: Records::default(),
        details: vec![ANTI_REPLAY.to_owned()],
        hello_retry: true,
        max_early_data: MOST_EARLY_DATA,
        ..Capabilities::default()
    }
}

fn limit(axis: &str, value: &str, reason: &str) -> Limit {
    Limit { axis: axis.to_owned(), value: value.to_owned(), reason: reason.to_owned() }
}
