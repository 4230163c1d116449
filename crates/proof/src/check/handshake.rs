//! Checks of the handshake: what was offered, what was negotiated, and that nothing else happened.

use tlslab_protocol::{
    Authentication, Capabilities, CipherSuite, Facts, Group, ProtocolVersion, Resumption, Scenario, Side,
    SignatureScheme,
};

use crate::check::checker::{Checker, list};
use crate::check::{defaults, early_data, psk};
use crate::signature::only_choice;
use crate::transcript::{Part, ReadFlight, Transcript};
use crate::wire::{ClientHello, ContentType, ExchangeGroup, is_grease};
use crate::{BySide, CertificateKey, Fact, FlightSizes, Offer, RecordCounts, Source};

/// The facts of a handshake.
pub(super) struct HandshakeFacts {
    pub version: Fact<ProtocolVersion>,
    pub suite: Fact<CipherSuite>,
    pub group: Fact<Group>,
    pub signature_scheme: Fact<SignatureScheme>,
    pub certificate_key: Fact<CertificateKey>,
    pub client_certificate_key: Option<Fact<CertificateKey>>,
    pub resumed: Fact<bool>,
    pub hello_retry_request: Fact<bool>,
    pub tickets: Fact<u32>,
    pub early_data: Option<Fact<u64>>,
    pub offer: Offer,
}

/// Checks everything but the application data.
pub(super) fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
    able: &Capabilities,
) -> HandshakeFacts {
    let (client, server, chosen) = (&facts.client, &facts.server, &transcript.server_hello);

    let offer = offer(&transcript.client_hello);
    check_offer(checker, scenario, &offer, &able.offers_more);
    check_one_exchange(checker, scenario, transcript);
    psk::check(checker, scenario, facts, transcript, &able.offers_more);
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
    let group = group(checker, scenario, facts, transcript);
    let certificate_key = certificate_key(checker, scenario, facts, transcript);
    let signature_scheme =
        signature_scheme(checker, scenario, facts, transcript, &offer, certificate_key.value());
    HandshakeFacts {
        version,
        suite,
        group,
        signature_scheme,
        certificate_key,
        client_certificate_key: client_certificate_key(checker, scenario, facts, transcript),
        resumed: resumed(checker, scenario, facts, transcript),
        hello_retry_request: yes_no(
            checker,
            "HelloRetryRequest",
            scenario.hello_retry,
            [(Source::Wire, Some(transcript.hello_retry_request))],
        ),
        tickets: tickets(checker, scenario, facts, transcript, able.renews_no_tickets),
        early_data: early_data::check(checker, scenario, facts, transcript, able.records),
        offer,
    }
}

/// Whether a session was resumed. An external PSK belongs to no session, and libraries report it differently.
fn resumed(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
) -> Fact<bool> {
    if scenario.resumption.is_external_psk() {
        return Fact::NotShown { not_shown: "the pre-shared key is of no session".to_owned() };
    }
    yes_no(
        checker,
        "resumed",
        scenario.resumption.takes_up_session(),
        three(Some(transcript.resumed()), facts.client.resumed, facts.server.resumed),
    )
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
        psk_modes: hello.psk_modes.clone(),
        session_ticket: hello.session_ticket_bytes.is_some_and(|bytes| bytes > 0),
        session_id: !hello.session_id.is_empty(),
        early_data: hello.early_data,
        grease,
    }
}

/// Checks that one of each is on offer, unless the library is known to offer more, or keeps its defaults.
/// Except with defaults, a key share for another group than the scenario's is always wrong, since it is work
/// that other libraries do not do.
fn check_offer(checker: &mut Checker, scenario: &Scenario, offer: &Offer, offers_more: &[String]) {
    if scenario.defaults {
        return check_session(checker, scenario, offer);
    }
    let is_alone = |axis: &str| !offers_more.iter().any(|known| known == axis);
    checker.only("versions offered", &scenario.version, &offer.versions);
    if is_alone("suite") {
        checker.only("suites offered", &scenario.suite, &choosable_suites(scenario, offer));
    }
    let first_group = scenario.retry_group().unwrap_or(scenario.group);
    if is_alone("group") {
        let groups = key_exchange_groups(scenario, offer);
        if scenario.hello_retry {
            let both = [first_group, scenario.group];
            if groups != both {
                checker.wrong("groups offered", list(&both), list(&groups), Source::Wire);
            }
        } else if !(groups.is_empty() && may_name_no_group(scenario)) {
            checker.only("groups offered", &scenario.group, &groups);
        }
    }
    if scenario.resumption == Resumption::ExternalPskOnly {
        // A client that cannot be configured to offer only this mode makes a share for the other one.
        let is_alone = is_alone("psk_mode");
        if !offer.key_shares.is_empty() && (is_alone || offer.key_shares != [scenario.group]) {
            checker.wrong("key shares offered", "none", list(&offer.key_shares), Source::Wire);
        }
    } else if scenario.version == ProtocolVersion::TLS13 {
        checker.only("key shares offered", &first_group, &offer.key_shares);
    } else if !offer.key_shares.is_empty() {
        checker.wrong("key shares offered", "none", list(&offer.key_shares), Source::Wire);
    }
    check_session(checker, scenario, offer);
}

/// The cipher suites on offer that a server could choose. A client with an external PSK may list TLS 1.2
/// suites for it even if it offers only TLS 1.3, in which they have no effect.
fn choosable_suites(scenario: &Scenario, offer: &Offer) -> Vec<CipherSuite> {
    let only_13 = scenario.resumption.is_external_psk() && offer.versions == [ProtocolVersion::TLS13];
    offer.suites.iter().copied().filter(|suite| !only_13 || suite.0 >> 8 == 0x13).collect()
}

/// Without a key exchange a client needs no group. In TLS 1.2 the server alone chooses a finite field; RFC
/// 7919 lets a client state which ones it supports.
fn may_name_no_group(scenario: &Scenario) -> bool {
    scenario.resumption == Resumption::ExternalPskOnly
        || scenario.version == ProtocolVersion::TLS12 && scenario.group.is_finite_field()
}

/// The groups on offer for the key exchange. In TLS 1.2 the same list contains the curves of certificates, so
/// it may also contain an ECDSA certificate's curve.
fn key_exchange_groups(scenario: &Scenario, offer: &Offer) -> Vec<Group> {
    let names_curves = scenario.version == ProtocolVersion::TLS12 && !scenario.resumption.is_external_psk();
    let curve = scenario.signature.curve().filter(|_| names_curves);
    let for_certificate = |group: Group| curve == Some(group) && group != scenario.group;
    offer.groups.iter().copied().filter(|group| !for_certificate(*group)).collect()
}

/// Checks that a session is offered in the scenario's way, and in no other.
fn check_session(checker: &mut Checker, scenario: &Scenario, offer: &Offer) {
    // With a ticket, a TLS 1.2 client may also send a session id, to see in the answer whether it was
    // resumed.
    let seen = match (offer.pre_shared_key, offer.session_ticket, offer.session_id) {
        (true, true, _) => "a pre_shared_key and a session ticket",
        (true, false, _) => "a pre_shared_key",
        (false, true, _) => "a session ticket",
        // Some clients send an id without a meaning, as all do in TLS 1.3.
        (false, false, true) if scenario.resumption == Resumption::SessionId => "a session id",
        _ => "none",
    };
    let expected = match (scenario.resumption, scenario.version) {
        (Resumption::None, _) => "none",
        // The identity is sent only after the server has chosen its suite.
        (Resumption::ExternalPsk | Resumption::ExternalPskOnly, ProtocolVersion::TLS12) => "none",
        (Resumption::Ticket, ProtocolVersion::TLS12) => "a session ticket",
        (Resumption::SessionId, ProtocolVersion::TLS12) => "a session id",
        (
            Resumption::SessionId
            | Resumption::Ticket
            | Resumption::TicketReused
            | Resumption::ExternalPsk
            | Resumption::ExternalPskOnly,
            _,
        ) => "a pre_shared_key",
    };
    if seen != expected {
        checker.wrong("session offered", expected, seen, Source::Wire);
    }
}

/// TLS 1.3 negotiates a group in every handshake, TLS 1.2 only in a full one.
fn group(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
) -> Fact<Group> {
    let wire = match &transcript.clear {
        Some(_) if transcript.resumed() => {
            return Fact::NotShown {
                not_shown: "TLS 1.2 takes up a session without a key exchange".to_owned(),
            };
        }
        Some(clear) => {
            let share = clear.server.key_exchange.as_ref().and_then(|share| share.group.as_ref());
            if let Some(unnamed @ ExchangeGroup::OtherField { .. }) = share {
                checker.wrong("group", scenario.group, unnamed, Source::Wire);
            }
            share.and_then(ExchangeGroup::named)
        }
        None => transcript.server_hello.group,
    };
    if scenario.resumption == Resumption::ExternalPskOnly {
        if let Some(group) = wire {
            let none = if transcript.clear.is_some() { "none" } else { "none (psk_ke)" };
            checker.wrong("key exchange", none, group, Source::Wire);
        }
        return Fact::NotShown { not_shown: "the key is used without a key exchange".to_owned() };
    }
    if transcript.clear.is_none() && transcript.resumed() && wire.is_none() {
        checker.wrong("key exchange", "a fresh one (psk_dhe_ke)", "none in the ServerHello", Source::Wire);
    }
    checker.fact(
        "group",
        scenario.group,
        three(wire, facts.client.group, facts.server.group),
        "the server sends no share, and neither library reports the group",
    )
}

/// Checks for one ClientHello, or a second one if the scenario requires it; and no alert before
/// the end.
fn check_one_exchange(checker: &mut Checker, scenario: &Scenario, transcript: &Transcript<'_>) {
    let expected = if scenario.hello_retry { 2 } else { 1 };
    if transcript.client_hellos != expected {
        checker.wrong("ClientHellos", expected, transcript.client_hellos, Source::Wire);
    }
    if let (true, Some(second)) = (scenario.hello_retry, &transcript.second_client_hello) {
        checker.only("key shares in the second ClientHello", &scenario.group, &second.key_shares);
    }
    for side in Side::BOTH {
        // Those that close the connection are checked on their own.
        let is_own = |flight: &&ReadFlight<'_>| flight.from == side && flight.part != Part::Close;
        let records = transcript.flights.iter().filter(is_own).flat_map(|flight| &flight.records);
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

fn certificate_key(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
) -> Fact<CertificateKey> {
    if scenario.resumption.is_external_psk() {
        return Fact::NotShown { not_shown: "a pre-shared key stands for certificates".to_owned() };
    }
    let on_wire = transcript.clear.as_ref().and_then(|clear| clear.server.certificate.as_deref());
    let reported = facts.client.peer_certificate.as_deref();
    key_of(checker, "certificate key", scenario, [(Source::Wire, on_wire), (Source::Client, reported)])
}

/// The client's key; `None` if only the server presents a certificate in this scenario.
fn client_certificate_key(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
) -> Option<Fact<CertificateKey>> {
    const NAME: &str = "client's certificate key";
    let clear = transcript.clear.as_ref();
    let on_wire = clear.and_then(|clear| clear.client.certificate.as_deref());
    let sightings = [(Source::Wire, on_wire), (Source::Server, facts.server.peer_certificate.as_deref())];
    if scenario.authentication == Authentication::Mutual {
        if let Some(clear) = clear {
            let expected = scenario.signature_scheme();
            match clear.client.certificate_verify {
                Some(scheme) if scheme == expected => {}
                Some(other) => checker.wrong("client's CertificateVerify", expected, other, Source::Wire),
                None if clear.server.asks_for_certificate => {
                    checker.wrong("client's CertificateVerify", expected, "nothing", Source::Wire);
                }
                None => {
                    checker.wrong("client's CertificateVerify", expected, "nobody asks for one", Source::Wire)
                }
            }
        }
        return Some(key_of(checker, NAME, scenario, sightings));
    }
    for (source, certificate) in sightings {
        if certificate.is_some() {
            checker.wrong(NAME, "none", "a certificate", source);
        }
    }
    None
}

/// The key in a certificate, from all sources.
fn key_of<const N: usize>(
    checker: &mut Checker,
    name: &str,
    scenario: &Scenario,
    certificates: [(Source, Option<&[u8]>); N],
) -> Fact<CertificateKey> {
    let expected = CertificateKey::of_type(scenario.signature);
    let mut seen = Vec::new();
    for (source, certificate) in certificates {
        match certificate.map(CertificateKey::of_certificate) {
            Some(Ok(key)) => seen.push((source, Some(key))),
            Some(Err(cause)) => checker.wrong(name, &expected, &cause, source),
            None => {}
        }
    }
    checker.fact(name, expected, seen, "the certificate is encrypted, and the library does not hand it out")
}

fn signature_scheme(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
    offer: &Offer,
    key: Option<&CertificateKey>,
) -> Fact<SignatureScheme> {
    let by_psk = scenario.resumption.is_external_psk();
    if transcript.resumed() || by_psk && transcript.server_hello.suite.is_by_psk() {
        let without = if by_psk {
            "a handshake by a pre-shared key has no signature"
        } else {
            "a resumed handshake has no signature"
        };
        return Fact::NotShown { not_shown: without.to_owned() };
    }
    let expected = defaults::scheme(scenario, transcript);
    let reports =
        [(Source::Client, facts.client.signature_scheme), (Source::Server, facts.server.signature_scheme)];
    if let Some(clear) = &transcript.clear {
        let on_wire = clear.server.key_exchange.as_ref().and_then(|share| share.scheme);
        let sightings = [(Source::Wire, on_wire)].into_iter().chain(reports);
        return checker.fact(
            "signature scheme",
            expected,
            sightings,
            "the server signs nothing in the clear",
        );
    }
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
    renews_none: bool,
) -> Fact<u32> {
    if let Some(clear) = &transcript.clear {
        let seen = clear.server.tickets;
        let expected = if transcript.resumed() { seen } else { scenario.tickets };
        return checker.fact("tickets", expected, [(Source::Wire, Some(seen))], NEVER_HIDDEN);
    }
    let expected = if transcript.resumed() && renews_none { 0 } else { scenario.tickets };
    let bytes = transcript.wire_bytes(Side::Server, Part::PostHandshake);
    // The length of the bytes after the handshake does not show the number of tickets in them. A server may
    // also send tickets directly after its Finished, where they cannot be distinguished from the rest of its
    // flight. A client that counted them has the better information then.
    let counted_some = facts.client.tickets_received.is_some_and(|count| count > 0);
    let on_the_wire = (bytes == 0 && !(expected > 0 && counted_some)).then_some(0);
    if expected == 0 && bytes > 0 {
        let seen = format!("{bytes} bytes after the handshake");
        checker.wrong("tickets", 0, seen, Source::Wire);
    }
    checker.fact(
        "tickets",
        expected,
        [(Source::Wire, on_the_wire), (Source::Client, facts.client.tickets_received)],
        "tickets are encrypted, and the client's library does not count them",
    )
}

fn yes_no(
    checker: &mut Checker,
    name: &str,
    expected: bool,
    sightings: impl IntoIterator<Item = (Source, Option<bool>)>,
) -> Fact<bool> {
    let word = |seen| if seen { "yes" } else { "no" };
    let words = sightings.into_iter().map(|(source, seen)| (source, seen.map(word)));
    match checker.fact(name, word(expected), words, NEVER_HIDDEN) {
        Fact::Shown { value, sources } => Fact::Shown { value: value == "yes", sources },
        Fact::NotShown { not_shown } => Fact::NotShown { not_shown },
    }
}

fn three<T>(wire: Option<T>, client: Option<T>, server: Option<T>) -> [(Source, Option<T>); 3] {
    [(Source::Wire, wire), (Source::Client, client), (Source::Server, server)]
}

/// The lengths of messages and flights.
pub(super) fn sizes(transcript: &Transcript<'_>) -> FlightSizes {
    FlightSizes {
        client_hello_bytes: transcript.client_hello.message_bytes as u64,
        server_hello_bytes: transcript.server_hello.message_bytes as u64,
        client_first_flight_bytes: transcript.wire_bytes(Side::Client, Part::ClientFirst),
        server_flight_bytes: transcript.wire_bytes(Side::Server, Part::Server),
        client_second_flight_bytes: transcript.wire_bytes(Side::Client, Part::ClientSecond),
        post_handshake_bytes: transcript.wire_bytes(Side::Server, Part::PostHandshake),
        round_trips: transcript.part(Part::Server).count() as u64,
        ticket_bytes: defaults::ticket_bytes(transcript),
    }
}

/// The numbers of records.
pub(super) fn record_counts(transcript: &Transcript<'_>) -> RecordCounts {
    let count = |from, parts: &[Part]| parts.iter().map(|part| transcript.record_count(from, *part)).sum();
    let by_side =
        |parts: &[Part]| BySide { client: count(Side::Client, parts), server: count(Side::Server, parts) };
    RecordCounts {
        handshake: by_side(&[Part::ClientFirst, Part::Server, Part::ClientSecond]),
        post_handshake: by_side(&[Part::PostHandshake]),
        data: by_side(&[Part::Data]),
    }
}

/// Suites without an effect on the choice: TLS_EMPTY_RENEGOTIATION_INFO_SCSV and TLS_FALLBACK_SCSV.
const SIGNALLING_SUITES: [u16; 2] = [0x00ff, 0x5600];

/// For facts that every ServerHello shows.
const NEVER_HIDDEN: &str = "the hello messages do not show it";
