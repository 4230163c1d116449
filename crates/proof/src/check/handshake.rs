//! The handshake: what was offered, what was chosen, and that nothing else happened.

use tlslab_protocol::{CipherSuite, Facts, Group, ProtocolVersion, Scenario, Side, SignatureScheme};

use crate::check::checker::{Checker, list};
use crate::signature::only_choice;
use crate::transcript::{Part, Transcript};
use crate::wire::{ClientHello, ContentType, is_grease};
use crate::{BySide, CertificateKey, Fact, FlightSizes, Offer, RecordCounts, Source};

/// The facts of a handshake.
pub struct HandshakeFacts {
    pub version: Fact<ProtocolVersion>,
    pub suite: Fact<CipherSuite>,
    pub group: Fact<Group>,
    pub signature_scheme: Fact<SignatureScheme>,
    pub certificate_key: Fact<CertificateKey>,
    pub resumed: Fact<bool>,
    pub hello_retry_request: Fact<bool>,
    pub tickets: Fact<u32>,
    pub offer: Offer,
}

/// Checks everything but the application data.
pub fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
    offers_more: &[String],
) -> HandshakeFacts {
    let (client, server, chosen) = (&facts.client, &facts.server, &transcript.server_hello);

    let offer = offer(&transcript.client_hello);
    check_offer(checker, scenario, &offer, offers_more);
    check_one_exchange(checker, transcript);
    let version = checker.fact(
        "version",
        scenario.version,
        three(Some(chosen.version), client.version, server.version),
        NEVER_HIDDEN,
    );
    let suite = checker.fact(
        "suite",
        scenario.suite,
        three(Some(chosen.suite), client.suite, server.suite),
        NEVER_HIDDEN,
    );
    let group = checker.fact(
        "group",
        scenario.group,
        three(chosen.group, client.group, server.group),
        "the ServerHello has no key share, and neither library reports the group",
    );
    let certificate_key = certificate_key(checker, scenario, facts);
    HandshakeFacts {
        version,
        suite,
        group,
        signature_scheme: signature_scheme(checker, scenario, facts, &offer, certificate_key.value()),
        certificate_key,
        resumed: yes_no(
            checker,
            "resumed",
            three(Some(chosen.pre_shared_key), client.resumed, server.resumed),
        ),
        hello_retry_request: yes_no(
            checker,
            "HelloRetryRequest",
            [(Source::Wire, Some(transcript.hello_retry_request))],
        ),
        tickets: tickets(checker, scenario, facts, transcript),
        offer,
    }
}

fn offer(hello: &ClientHello) -> Offer {
    // Without the extension a client offers the versions up to its version field.
    let versions = hello.versions.clone().unwrap_or_else(|| hello.legacy_version.into_iter().collect());
    let mut grease = false;
    let mut known = |code_point: u16| {
        grease |= is_grease(code_point);
        !is_grease(code_point)
    };
    Offer {
        versions: versions.into_iter().filter(|version| known(version.0)).collect(),
        suites: hello
            .suites
            .iter()
            .copied()
            .filter(|suite| known(suite.0) && !SIGNALLING_SUITES.contains(&suite.0))
            .collect(),
        groups: hello.groups.iter().copied().filter(|group| known(group.0)).collect(),
        key_shares: hello.key_shares.iter().copied().filter(|group| known(group.0)).collect(),
        signature_schemes: hello.signature_schemes.iter().copied().filter(|scheme| known(scheme.0)).collect(),
        extensions: hello.extension_types.iter().copied().filter(|extension| known(*extension)).collect(),
        server_name: hello.server_name.clone(),
        alpn: hello.alpn.clone(),
        pre_shared_key: hello.pre_shared_key,
        early_data: hello.early_data,
        grease,
    }
}

/// One of each is on offer, unless the library is known to offer more. A key share for another group than the
/// scenario's is work that others do not do, so it is never fine.
fn check_offer(checker: &mut Checker, scenario: &Scenario, offer: &Offer, offers_more: &[String]) {
    let is_alone = |axis: &str| !offers_more.iter().any(|known| known == axis);
    checker.only("versions offered", &scenario.version, &offer.versions);
    if is_alone("suite") {
        checker.only("suites offered", &scenario.suite, &offer.suites);
    }
    if is_alone("group") {
        checker.only("groups offered", &scenario.group, &offer.groups);
    }
    checker.only("key shares offered", &scenario.group, &offer.key_shares);
    if offer.pre_shared_key {
        checker.wrong("session offered", "none", "a pre_shared_key in the ClientHello", Source::Wire);
    }
    if offer.early_data {
        checker.wrong("early data", "none", "early_data in the ClientHello", Source::Wire);
    }
}

/// One ClientHello, and no alert anywhere.
fn check_one_exchange(checker: &mut Checker, transcript: &Transcript<'_>) {
    if transcript.client_hellos != 1 {
        checker.wrong("ClientHellos", 1, transcript.client_hellos, Source::Wire);
    }
    for side in Side::BOTH {
        let flights = transcript.flights.iter().filter(|flight| flight.from == side);
        let records = flights.flat_map(|flight| &flight.records);
        let alerts = records.filter(|record| record.content_type == ContentType::Alert).count();
        if alerts > 0 {
            checker.wrong("alerts", "none", format!("{alerts} from the {side}"), Source::Wire);
        }
    }
    let by_client = transcript.wire_bytes(Side::Client, Part::PostHandshake);
    if by_client > 0 {
        let seen = format!("{by_client} bytes");
        checker.wrong("client's bytes after the handshake", "none", seen, Source::Wire);
    }
}

fn certificate_key(checker: &mut Checker, scenario: &Scenario, facts: &Facts) -> Fact<CertificateKey> {
    let expected = CertificateKey::of_type(scenario.signature);
    let seen = match facts.client.peer_certificate.as_deref().map(CertificateKey::of_certificate) {
        Some(Ok(key)) => Some(key),
        Some(Err(cause)) => {
            checker.wrong("certificate key", &expected, &cause, Source::Client);
            None
        }
        None => None,
    };
    checker.fact(
        "certificate key",
        expected,
        [(Source::Client, seen)],
        "the certificate is encrypted, and the client's library does not hand it out",
    )
}

fn signature_scheme(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    offer: &Offer,
    key: Option<&CertificateKey>,
) -> Fact<SignatureScheme> {
    let expected = scenario.signature.signature_scheme();
    let reports =
        [(Source::Client, facts.client.signature_scheme), (Source::Server, facts.server.signature_scheme)];
    let forced = only_choice(&offer.signature_schemes, key);
    if forced.is_none() && reports.iter().all(|(_, report)| report.is_none()) {
        checker.wrong(
            "signature scheme",
            format!("{expected} alone on offer, or a library that reports which was used"),
            list(&offer.signature_schemes),
            Source::Wire,
        );
    }
    let by_offer = forced.into_iter().flat_map(|(scheme, sources)| {
        sources.into_iter().map(move |source| (source, Some(scheme))).collect::<Vec<_>>()
    });
    let mut fact = checker.fact(
        "signature scheme",
        expected,
        by_offer.chain(reports),
        "the offer leaves a choice, and neither library reports the scheme",
    );
    if let Fact::Shown { sources, .. } = &mut fact {
        sources.dedup();
    }
    fact
}

fn tickets(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
) -> Fact<u32> {
    let bytes = transcript.wire_bytes(Side::Server, Part::PostHandshake);
    // Bytes after the handshake do not tell how many tickets are in them, and a server may send tickets right behind its
    // Finished, where they cannot be told from the rest of its flight. A client that counted them knows better then.
    let counted_some = facts.client.tickets_received.is_some_and(|count| count > 0);
    let on_the_wire = (bytes == 0 && !(scenario.tickets > 0 && counted_some)).then_some(0);
    if scenario.tickets == 0 && bytes > 0 {
        let seen = format!("{bytes} bytes after the handshake");
        checker.wrong("tickets", 0, seen, Source::Wire);
    }
    checker.fact(
        "tickets",
        scenario.tickets,
        [(Source::Wire, on_the_wire), (Source::Client, facts.client.tickets_received)],
        "tickets are encrypted, and the client's library does not count them",
    )
}

fn yes_no(
    checker: &mut Checker,
    name: &str,
    sightings: impl IntoIterator<Item = (Source, Option<bool>)>,
) -> Fact<bool> {
    let words = sightings
        .into_iter()
        .map(|(source, seen)| (source, seen.map(|seen| if seen { "yes" } else { "no" })));
    match checker.fact(name, "no", words, NEVER_HIDDEN) {
        Fact::Shown { value, sources } => Fact::Shown { value: value == "yes", sources },
        Fact::NotShown { not_shown } => Fact::NotShown { not_shown },
    }
}

fn three<T>(wire: Option<T>, client: Option<T>, server: Option<T>) -> [(Source, Option<T>); 3] {
    [(Source::Wire, wire), (Source::Client, client), (Source::Server, server)]
}

/// The lengths of messages and flights.
pub fn sizes(transcript: &Transcript<'_>) -> FlightSizes {
    FlightSizes {
        client_hello_bytes: transcript.client_hello.message_bytes as u64,
        server_hello_bytes: transcript.server_hello.message_bytes as u64,
        client_first_flight_bytes: transcript.wire_bytes(Side::Client, Part::ClientFirst),
        server_flight_bytes: transcript.wire_bytes(Side::Server, Part::Server),
        client_second_flight_bytes: transcript.wire_bytes(Side::Client, Part::ClientSecond),
        post_handshake_bytes: transcript.wire_bytes(Side::Server, Part::PostHandshake),
    }
}

/// The numbers of records.
pub fn record_counts(transcript: &Transcript<'_>) -> RecordCounts {
    let count = |from, parts: &[Part]| parts.iter().map(|part| transcript.record_count(from, *part)).sum();
    let by_side =
        |parts: &[Part]| BySide { client: count(Side::Client, parts), server: count(Side::Server, parts) };
    RecordCounts {
        handshake: by_side(&[Part::ClientFirst, Part::Server, Part::ClientSecond]),
        post_handshake: by_side(&[Part::PostHandshake]),
        data: by_side(&[Part::Data]),
    }
}

/// Suites that select nothing: TLS_EMPTY_RENEGOTIATION_INFO_SCSV and TLS_FALLBACK_SCSV.
const SIGNALLING_SUITES: [u16; 2] = [0x00ff, 0x5600];

/// For facts that every ServerHello shows.
const NEVER_HIDDEN: &str = "the hello messages do not show it";
