//! Checks of pre-shared keys: their mode, and that an external PSK leaves no room for a certificate.

use tlslab_protocol::{Facts, ProtocolVersion, PskCredentials, Resumption, Scenario, Side};

use crate::check::checker::Checker;
use crate::transcript::{Part, Transcript};
use crate::wire::{ClearHandshake, ContentType};
use crate::{BySide, Source};

/// `psk_ke` and `psk_dhe_ke` (RFC 8446, section 4.2.9).
const PSK_KE: u8 = 0;
const PSK_DHE_KE: u8 = 1;

/// A limit for a ticket that is only a name, bytes. A sealed session has at least a secret of 32 bytes and a
/// tag of 16, with the names of its key and its nonce.
const LONGEST_NAME: usize = 48;

/// More than the server's extensions and Finished need, less than any certificate, bytes.
const LESS_THAN_A_CERTIFICATE: u64 = 256;

/// Checks the properties of pre-shared keys: of any kind in TLS 1.3, and of external PSKs in TLS 1.2.
pub(super) fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
    offers_more: &[String],
) {
    if let (true, Some(clear)) = (scenario.resumption.is_external_psk(), &transcript.clear) {
        check_external_tls12(checker, scenario, clear);
        check_nobody_shows_certificates(checker, facts);
    }
    if scenario.version != ProtocolVersion::TLS13 || scenario.resumption == Resumption::None {
        return;
    }
    let mode = if scenario.resumption == Resumption::ExternalPskOnly { PSK_KE } else { PSK_DHE_KE };
    let offered = &transcript.client_hello.psk_modes;
    // With a session a client makes its key share in any case; the ServerHello shows the accepted mode.
    let may_offer_more =
        scenario.resumption.takes_up_session() || offers_more.iter().any(|axis| axis == "psk_mode");
    if *offered != [mode] && !(may_offer_more && offered.contains(&mode)) {
        checker.wrong(
            "psk_key_exchange_modes",
            format!("{} alone", name(mode)),
            names(offered),
            Source::Wire,
        );
    }
    if scenario.resumption.is_external_psk() {
        check_external(checker, transcript);
        check_nobody_shows_certificates(checker, facts);
    }
    if scenario.resumption == Resumption::SessionId {
        check_names(checker, transcript);
    }
}

/// A ticket that is only a name is shorter than one that contains a sealed session.
fn check_names(checker: &mut Checker, transcript: &Transcript<'_>) {
    let bytes = transcript.client_hello.psk_identities.iter().map(Vec::len).max().unwrap_or(0);
    if bytes > LONGEST_NAME {
        let expected = format!("a name of at most {LONGEST_NAME} bytes");
        checker.wrong("ticket", expected, format!("one of {bytes} bytes"), Source::Wire);
    }
}

/// TLS 1.2 shows everything: the identity that the client sends, that no certificate is presented or
/// requested, and whether the server sends a share.
fn check_external_tls12(checker: &mut Checker, scenario: &Scenario, clear: &BySide<ClearHandshake>) {
    let identity = clear.client.answer.as_ref().and_then(|answer| answer.psk_identity.as_deref());
    if identity != Some(PskCredentials::IDENTITY.as_bytes()) {
        let seen = identity.map_or("none".to_owned(), describe);
        checker.wrong("identity", PskCredentials::IDENTITY, seen, Source::Wire);
    }
    for (side, name) in [(&clear.server, "certificate"), (&clear.client, "client's certificate")] {
        if side.certificate.is_some() {
            checker.wrong(name, "none", "one", Source::Wire);
        }
    }
    if clear.server.asks_for_certificate {
        checker.wrong("client's certificate", "not asked for", "asked for", Source::Wire);
    }
    let share = clear.server.key_exchange.as_ref().and_then(|exchange| exchange.group.as_ref());
    if scenario.resumption == Resumption::ExternalPsk && share.is_none() {
        checker.wrong("key exchange", "a fresh one", "no share of the server's", Source::Wire);
    }
}

fn check_nobody_shows_certificates(checker: &mut Checker, facts: &Facts) {
    for (source, side) in [(Source::Client, &facts.client), (Source::Server, &facts.server)] {
        if side.peer_certificate.is_some() {
            checker.wrong("certificate", "none", "one", source);
        }
    }
}

fn check_external(checker: &mut Checker, transcript: &Transcript<'_>) {
    if !transcript.server_hello.pre_shared_key {
        checker.wrong("pre-shared key", "taken", "none in the ServerHello", Source::Wire);
    }
    let identities = &transcript.client_hello.psk_identities;
    if identities.is_empty() || !identities.iter().all(|identity| is_expected(identity)) {
        let seen: Vec<String> = identities.iter().map(|identity| describe(identity)).collect();
        let seen = if seen.is_empty() { "none".to_owned() } else { seen.join(", ") };
        let expected = format!("{} alone", PskCredentials::IDENTITY);
        checker.wrong("identities offered", expected, seen, Source::Wire);
    }
    let flights = transcript.part(Part::Server).filter(|flight| flight.from == Side::Server);
    let records = flights.flat_map(|flight| &flight.records);
    let encrypted = records.filter(|record| record.content_type == ContentType::ApplicationData);
    let bytes: u64 = encrypted.map(|record| record.wire_bytes() as u64).sum();
    if bytes >= LESS_THAN_A_CERTIFICATE {
        let expected = format!("less than {LESS_THAN_A_CERTIFICATE} bytes, too few for a certificate");
        checker.wrong("what the server encrypts", expected, format!("{bytes} bytes"), Source::Wire);
    }
}

/// An identity as text, or a ticket's length.
fn describe(identity: &[u8]) -> String {
    match std::str::from_utf8(identity) {
        Ok(text) if text.chars().all(|letter| letter.is_ascii_graphic()) => text.to_owned(),
        _ => format!("one of {} bytes", identity.len()),
    }
}

/// Whether this is the identity, or an import of it. A library that imports keys derives one for each hash
/// (RFC 9258, section 4.1).
fn is_expected(identity: &[u8]) -> bool {
    let external = PskCredentials::IDENTITY.as_bytes();
    let imported = identity.strip_prefix(&(external.len() as u16).to_be_bytes());
    identity == external || imported.is_some_and(|rest| rest.starts_with(external))
}

fn names(modes: &[u8]) -> String {
    match modes {
        [] => "none".to_owned(),
        modes => modes.iter().map(|mode| name(*mode)).collect::<Vec<_>>().join(", "),
    }
}

fn name(mode: u8) -> String {
    match mode {
        PSK_KE => "psk_ke".to_owned(),
        PSK_DHE_KE => "psk_dhe_ke".to_owned(),
        other => format!("mode {other}"),
    }
}
