//! A scenario in which each library keeps its own defaults: what the sides agreed on takes the place of what
//! a scenario pins.

use tlslab_protocol::{Facts, ProtocolVersion, Scenario, Side, SignatureScheme};

use crate::transcript::{Part, Transcript};
use crate::wire::ExchangeGroup;

/// The scenario with the values that the wire shows: the checks then require that everything else agrees with
/// them.
pub(super) fn agreed(scenario: &Scenario, facts: &Facts, transcript: &Transcript<'_>) -> Scenario {
    let hello = &transcript.server_hello;
    let group = match &transcript.clear {
        None => hello.group,
        Some(clear) => clear
            .server
            .key_exchange
            .as_ref()
            .and_then(|share| share.group.as_ref())
            .and_then(ExchangeGroup::named),
    };
    Scenario {
        work: scenario.proven_work(),
        version: hello.version,
        suite: hello.suite,
        group: group.unwrap_or(scenario.group),
        hello_retry: transcript.hello_retry_request,
        tickets: tickets(facts, transcript),
        ..scenario.clone()
    }
}

/// The signature scheme of the server: TLS 1.2 shows it; in TLS 1.3 the key on a curve has only one.
pub(super) fn scheme(scenario: &Scenario, transcript: &Transcript<'_>) -> SignatureScheme {
    let clear = transcript.clear.as_ref().filter(|_| scenario.defaults);
    let shown = clear.and_then(|clear| clear.server.key_exchange.as_ref()?.scheme);
    shown.unwrap_or_else(|| scenario.signature_scheme())
}

/// The number of tickets. If the server sends something after its handshake and the client's library does not
/// count it, the number is unknown, and at least one.
fn tickets(facts: &Facts, transcript: &Transcript<'_>) -> u32 {
    if let Some(clear) = &transcript.clear {
        return clear.server.tickets;
    }
    let sends_more = transcript.wire_bytes(Side::Server, Part::PostHandshake) > 0;
    facts.client.tickets_received.unwrap_or(u32::from(sends_more))
}

/// Bytes of session tickets: of TLS 1.2 the messages; TLS 1.3 encrypts them, and sends nothing else between
/// the handshake and data.
pub(super) fn ticket_bytes(transcript: &Transcript<'_>) -> u64 {
    match &transcript.clear {
        Some(clear) => clear.server.ticket_bytes,
        None => transcript.wire_bytes(Side::Server, Part::PostHandshake),
    }
}

/// Whether the version is one whose wire can be read here.
pub(super) fn is_readable(version: ProtocolVersion) -> bool {
    [ProtocolVersion::TLS12, ProtocolVersion::TLS13].contains(&version)
}
