//! This stack's identity and capabilities.

use tlslab_driver_kit::protocol::{
    Algorithm, Capabilities, CipherSuite, Library, ProtocolVersion, Records, Resumption,
};
use tlslab_driver_kit::{Ability, Identity, Unready, capabilities};

use crate::locked::version;
use crate::provider::{BUILT_IN, NO_PREPARED_GROUPS};
use crate::transport::NO_CLOSE;
use crate::{api, primitive};

const ANTI_REPLAY: &str = "rustls accepts early data only where its server keeps the sessions of its tickets: each \
                           ticket names one, and is forgotten when it is taken up, which guards against replays.";

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    let packages = BUILT_IN.packages.iter();
    let versions = packages.filter_map(|name| Some(((*name).to_owned(), version(name)?)));
    Identity {
        driver: api::DRIVER,
        library: Library {
            name: "rustls".to_owned(),
            version: version("rustls").unwrap_or_default(),
            components: versions.chain((BUILT_IN.linked)()).collect(),
        },
        capabilities: Capabilities {
            threads: true,
            defaults: true,
            reads_roots: cfg!(all(has_pem_files, not(api = "0.20"))),
            protects_nothing: cfg!(feature = "free"),
            records: Records { counts_overhead: cfg!(has_message_handler), ..Records::default() },
            notes: BUILT_IN.notes.iter().map(ToString::to_string).collect(),
            details: BUILT_IN.details.iter().copied().chain([ANTI_REPLAY]).map(str::to_owned).collect(),
            ..capabilities(lack)
        },
    }
}

/// Refuses a scenario that wants what cannot be done.
pub fn check(wanted: Ability) -> Result<(), Unready> {
    lack(wanted).map_or(Ok(()), |reason| Err(Unready::Unsupported(reason)))
}

/// Why it cannot do something, if that is so.
fn lack(asked: Ability) -> Option<String> {
    if let Some(reason) = (BUILT_IN.cannot)(asked) {
        return Some(reason.to_owned());
    }
    let has_tls12 = BUILT_IN.has_suite(CipherSuite::ECDHE_ECDSA_AES_128_GCM);
    let no_tls12 = || (!has_tls12).then(|| BUILT_IN.lacks("suite of TLS 1.2"));
    let no_tickets = || {
        let reason = || format!("{} has no ticketer; rustls alone would cache sessions", BUILT_IN.name);
        BUILT_IN.ticketer.is_none().then(reason)
    };
    match asked {
        Ability::Version(ProtocolVersion::TLS12) => no_tls12(),
        Ability::Version(version) => unless(version == ProtocolVersion::TLS13, version),
        Ability::Suite(suite) => unless(BUILT_IN.has_suite(suite), suite),
        Ability::Group(group) => unless(BUILT_IN.group(group).is_ok(), group),
        Ability::Signature(key) => {
            unless(BUILT_IN.has_scheme(key.signature_scheme(ProtocolVersion::TLS13)), key)
        }
        Ability::Resumption(kind) => match kind.parts() {
            (ProtocolVersion::TLS12, _) if !has_tls12 => no_tls12(),
            (_, Resumption::ExternalPsk | Resumption::ExternalPskOnly) => {
                Some("rustls has no external pre-shared keys".to_owned())
            }
            (_, Resumption::TicketReused) => Some(
                "rustls gives a session of TLS 1.3 to one connection alone: no ticket can be used twice"
                    .to_owned(),
            ),
            // In TLS 1.3 a session's name is a ticket, too, of which none can be sent.
            (ProtocolVersion::TLS13, _) | (_, Resumption::Ticket) => no_tickets(),
            _ => None,
        },
        Ability::Tickets(_) | Ability::EarlyData => no_tickets(),
        Ability::Close => NO_CLOSE.map(str::to_owned),
        Ability::PregeneratedKeyShares => NO_PREPARED_GROUPS.map(str::to_owned),
        Ability::Primitives => (BUILT_IN.refusal)().or(primitive::NONE.map(str::to_owned)),
        Ability::Primitive(_, Algorithm::Hash(hash)) => {
            unless(primitive::has_hash(hash), format!("suite with {}", hash.name()))
        }
        Ability::Primitive(_, Algorithm::Aead(_)) => primitive::NO_RECORDS.map(str::to_owned),
        _ => None,
    }
}

/// Why there is no `what`, unless there is one.
fn unless(is_there: bool, what: impl ToString) -> Option<String> {
    (!is_there).then(|| BUILT_IN.lacks(what))
}
