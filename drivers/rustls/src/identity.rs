//! Who this stack is, and what it can do.

use tlslab_driver_kit::Identity;
use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, Limit, ProtocolVersion, Records, Resumption,
    ResumptionKind, Verification,
};

use crate::locked::version;
use crate::primitive;
use crate::provider::{BUILT_IN, NO_PREPARED_GROUPS, PREPARES_GROUPS};

const ANTI_REPLAY: &str = "rustls accepts early data only where its server keeps the sessions of its tickets: each \
                           ticket names one, and is forgotten when it is taken up, which guards against replays.";

/// Early data that the driver lets through: as much as the kit carries.
const MOST_EARLY_DATA: u32 = 64 * 1024;

const SUMS_BY_MESSAGE: &str = "without cryptography the transcript is summed up message by message, which a \
                               HelloRetryRequest makes different for the two sides";

const ONE_TICKET_EACH: &str = "rustls lets nobody copy a session of TLS 1.3, so that no ticket is used twice";

/// Why no scenario with an external PSK can be done.
pub const NO_EXTERNAL_PSK: &str = "rustls has no external pre-shared keys";

const NO_CRYPTOGRAPHY: &str = "its cryptography does nothing";

const NO_TLS12: &str = "suite of TLS 1.2";

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    let mut components: Vec<_> =
        BUILT_IN.packages.iter().map(|name| ((*name).to_owned(), version(name))).collect();
    components.extend((BUILT_IN.linked)());
    Identity {
        driver: "rustls",
        library: Library { name: "rustls".to_owned(), version: version("rustls"), components },
        capabilities: capabilities(),
    }
}

/// Why no scenario with tickets can be done without a ticketer.
pub fn no_tickets() -> String {
    format!("{} has no ticketer; rustls alone would cache sessions", BUILT_IN.name)
}

fn capabilities() -> Capabilities {
    let mut limits = vec![];
    let has = BUILT_IN.suites();
    let no_tls12 = !has.contains(&CipherSuite::ECDHE_ECDSA_AES_128_GCM);
    let mut versions = vec![ProtocolVersion::TLS13];
    if no_tls12 {
        limits.push(limit("version", "1.2", BUILT_IN.lacks(NO_TLS12)));
    } else {
        versions.insert(0, ProtocolVersion::TLS12);
    }
    // One reason rules out the suites of pre-shared keys.
    let suites = CipherSuite::KNOWN.iter().copied().filter(|suite| !suite.is_by_psk());
    let (suites, no_suites): (Vec<_>, Vec<_>) = suites.partition(|suite| has.contains(suite));
    let (groups, no_groups): (Vec<_>, Vec<_>) =
        Group::KNOWN.iter().copied().partition(|group| BUILT_IN.has_group(*group));
    let (signatures, no_signatures): (Vec<_>, Vec<_>) = KeyType::ALL
        .into_iter()
        .partition(|key| BUILT_IN.has_scheme(key.signature_scheme(ProtocolVersion::TLS13)));
    limits.extend(no_signatures.iter().map(|key| limit("signature", key.name(), BUILT_IN.lacks(key))));
    limits.extend(no_suites.iter().map(|suite| limit("suite", &suite.short_name(), BUILT_IN.lacks(suite))));
    limits.extend(no_groups.iter().map(|group| limit("group", &group.short_name(), BUILT_IN.lacks(group))));
    if BUILT_IN.ticketer.is_none() {
        limits.extend(["1", "2", "4", "16"].map(|count| limit("tickets", count, no_tickets())));
    }
    let resumption = resumption(no_tls12, &mut limits);
    limits.extend(limits_of_build());
    let verification = verification(&mut limits);
    Capabilities {
        versions,
        primitives: primitive::claimed(&suites, &signatures, &groups),
        signatures,
        groups,
        suites,
        verification,
        resumption,
        renews_no_tickets: false,
        mutual_authentication: BUILT_IN.no_chains.is_none(),
        max_tickets: if BUILT_IN.ticketer.is_some() { 16 } else { 0 },
        works: vec![],
        limits,
        offers_more: vec![],
        threads: true,
        flushes: false,
        protects_nothing: cfg!(feature = "free"),
        records: Records::default(),
        notes: BUILT_IN.notes.iter().map(ToString::to_string).collect(),
        details: BUILT_IN.details.iter().copied().chain([ANTI_REPLAY]).map(str::to_owned).collect(),
        hello_retry: !cfg!(feature = "free"),
        max_early_data: if BUILT_IN.ticketer.is_some() { MOST_EARLY_DATA } else { 0 },
        pregenerated_key_shares: PREPARES_GROUPS,
        ..Capabilities::default()
    }
}

/// The kinds of resumption that it can do. Why it cannot do others becomes a limit.
fn resumption(no_tls12: bool, limits: &mut Vec<Limit>) -> Vec<ResumptionKind> {
    let mut resumption = vec![];
    for kind in ResumptionKind::ALL {
        match kind.parts() {
            (ProtocolVersion::TLS12, _) if no_tls12 => {
                limits.push(limit("resumption", &kind.to_string(), BUILT_IN.lacks(NO_TLS12)));
            }
            (_, Resumption::ExternalPsk | Resumption::ExternalPskOnly) => {
                limits.push(limit("resumption", &kind.to_string(), NO_EXTERNAL_PSK.to_owned()));
            }
            (_, Resumption::TicketReused) => {
                limits.push(limit("resumption", &kind.to_string(), ONE_TICKET_EACH.to_owned()));
            }
            // In TLS 1.3 a session's name is a ticket, too, of which none can be sent.
            (ProtocolVersion::TLS13, Resumption::SessionId) | (_, Resumption::Ticket)
                if BUILT_IN.ticketer.is_none() =>
            {
                limits.push(limit("resumption", &kind.to_string(), no_tickets()));
            }
            _ => resumption.push(kind),
        }
    }
    resumption
}

/// What this build cannot do whatever the versions, suites and keys.
fn limits_of_build() -> Vec<Limit> {
    let mut limits = vec![];
    if BUILT_IN.ticketer.is_none() {
        limits.push(limit("early_data", "any", no_tickets()));
    }
    if let Some(reason) = primitive::NONE {
        limits.push(limit("work", "primitive", reason.to_owned()));
    }
    if !PREPARES_GROUPS {
        limits.push(limit("server_key_share", "pregenerated", NO_PREPARED_GROUPS.to_owned()));
    }
    if cfg!(feature = "free") {
        limits.push(limit("hello_retry", "any", SUMS_BY_MESSAGE.to_owned()));
        limits.push(limit("work", "primitive", NO_CRYPTOGRAPHY.to_owned()));
    }
    if let Some(reason) = BUILT_IN.no_chains {
        limits.push(limit("authentication", "mutual", reason.to_owned()));
    }
    limits
}

/// The levels of verification that it can do. Why it cannot do others becomes a limit.
fn verification(limits: &mut Vec<Limit>) -> Vec<Verification> {
    let mut verification = vec![Verification::None];
    let chains = [Verification::Chain, Verification::ChainAndName];
    match BUILT_IN.no_chains {
        None => verification.extend(chains),
        Some(reason) => {
            limits.extend(chains.map(|level| limit("verification", level.name(), reason.to_owned())));
        }
    }
    verification
}

fn limit(axis: &str, value: &str, reason: String) -> Limit {
    Limit { axis: axis.to_owned(), value: value.to_owned(), reason }
}
