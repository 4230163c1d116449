//! Who this stack is. rustls cannot report its version at run time, so it is read from the lock file of this build.

use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, Limit, ProtocolVersion, Records, ResumptionKind,
    Verification,
};
use tlslab_driver_kit::{Identity, locked_version};

use crate::{primitive, provider};

/// Early data that the driver lets through: as much as the kit carries.
const MOST_EARLY_DATA: u32 = 64 * 1024;
const ONE_TICKET_EACH: &str = "rustls lets nobody copy a session of TLS 1.3, so that no ticket is used twice";
/// Why no scenario with an external PSK can be done.
pub const NO_EXTERNAL_PSK: &str = "rustls has no external pre-shared keys";

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    Identity {
        driver: "rustls-dev",
        library: Library {
            name: "rustls".to_owned(),
            version: version("rustls"),
            components: provider::PACKAGES.iter().map(|name| ((*name).to_owned(), version(name))).collect(),
        },
        capabilities: capabilities(),
    }
}

/// Without those of pre-shared keys, which one reason rules out.
fn certificate_suites() -> impl Iterator<Item = CipherSuite> {
    CipherSuite::KNOWN.iter().copied().filter(|suite| !suite.is_by_psk())
}

fn capabilities() -> Capabilities {
    let (suites, no_suites): (Vec<_>, Vec<_>) =
        certificate_suites().partition(|suite| provider::has_suite(*suite));
    let (groups, no_groups): (Vec<_>, Vec<_>) =
        Group::KNOWN.iter().copied().partition(|group| provider::has_group(*group));
    let cannot = [
        (ResumptionKind::TicketReused13, ONE_TICKET_EACH),
        (ResumptionKind::ExternalPsk12, NO_EXTERNAL_PSK),
        (ResumptionKind::ExternalPskOnly12, NO_EXTERNAL_PSK),
        (ResumptionKind::ExternalPsk13, NO_EXTERNAL_PSK),
        (ResumptionKind::ExternalPskOnly13, NO_EXTERNAL_PSK),
    ];
    let can = |kind: &ResumptionKind| cannot.iter().all(|(other, _)| other != kind);
    let mut limits =
        cannot.map(|(kind, why)| limit("resumption", &kind.to_string(), why.to_owned())).to_vec();
    let (signatures, no_signatures): (Vec<_>, Vec<_>) = KeyType::ALL
        .into_iter()
        .partition(|key| provider::has_scheme(key.signature_scheme(ProtocolVersion::TLS13)));
    limits.extend(no_signatures.iter().map(|key| limit("signature", key.name(), provider::lacks(key))));
    limits.extend(no_suites.iter().map(|suite| limit("suite", &suite.short_name(), provider::lacks(suite))));
    limits.extend(no_groups.iter().map(|group| limit("group", &group.short_name(), provider::lacks(group))));
    Capabilities {
        versions: vec![ProtocolVersion::TLS12, ProtocolVersion::TLS13],
        primitives: primitive::claimed(&suites, &signatures, &groups),
        signatures,
        groups,
        suites,
        verification: vec![Verification::None, Verification::Chain, Verification::ChainAndName],
        resumption: ResumptionKind::ALL.into_iter().filter(can).collect(),
        renews_no_tickets: false,
        mutual_authentication: true,
        max_tickets: 16,
        works: vec![],
        limits,
        offers_more: vec![],
        threads: true,
        flushes: false,
        protects_nothing: false,
        records: Records { counts_overhead: true, ..Records::default() },
        notes: vec![
            "It is a pre-release of rustls. It counts tag, type and nonce into the 16,384 bytes that plaintext alone may \
             have and takes no greater limit, so a write of 16,384 bytes makes two records."
                .to_owned(),
        ],
        details: vec![
            "Wire bytes are copied into a buffer that the library decrypts in place, and copied from the one that it \
             encrypts to: one copy each way, as many as the released library makes by itself."
                .to_owned(),
            "rustls accepts early data only where its server keeps the sessions of its tickets: each ticket names one, and \
             is forgotten when it is taken up, which guards against replays."
                .to_owned(),
        ],
        hello_retry: true,
        max_early_data: MOST_EARLY_DATA,
        pregenerated_key_shares: true,
        ..Capabilities::default()
    }
}

fn limit(axis: &str, value: &str, reason: String) -> Limit {
    Limit { axis: axis.to_owned(), value: value.to_owned(), reason }
}

fn version(package: &str) -> String {
    locked_version(include_str!("../Cargo.lock"), package).unwrap_or("not in the lock file").to_owned()
}
