//! The number of certificates that a side presents. In TLS 1.2 they can be counted. TLS 1.3 encrypts them,
//! but the length of their flight fits those that the side was given, and no further one.

use tlslab_protocol::{Authentication, Capabilities, Records, Scenario, Side, SignatureAlgorithm};

use crate::check::checker::Checker;
use crate::transcript::{Part, Transcript};
use crate::{Chains, Fact, Source};

/// The number of certificates that a side presents; `None` if it presents none, because the session is
/// resumed, an external PSK replaces them, or only the server presents one in this scenario.
pub(super) fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    transcript: &Transcript<'_>,
    side: Side,
    given: &Chains,
    able: &Capabilities,
) -> Option<Fact<u32>> {
    let nobody = transcript.resumed() || scenario.resumption.is_external_psk();
    if nobody || side == Side::Client && scenario.authentication == Authentication::Server {
        return None;
    }
    let name = match side {
        Side::Client => "client's certificates",
        Side::Server => "certificates",
    };
    let expected = if able.sends_leaf_alone { 1 } else { scenario.chain };
    let seen = match &transcript.clear {
        Some(clear) => Some(clear.side(side).certificates),
        None => {
            // It cannot be determined if the lengths are unknown.
            let given = given.side(side).get(..expected as usize).unwrap_or_default();
            fits(checker, name, scenario, transcript, side, given, able.records).then_some(expected)
        }
    };
    let why = "the certificates are encrypted, and the flight's length does not show them";
    Some(checker.fact(name, expected, [(Source::Wire, seen)], why))
}

/// The most bytes in a flight besides certificates, signature and Finished: extensions and the certificate
/// request. Every certificate is longer.
const MOST_BESIDES_BYTES: u64 = 250;

/// Whether the length of a TLS 1.3 flight fits these certificates.
fn fits(
    checker: &mut Checker,
    name: &str,
    scenario: &Scenario,
    transcript: &Transcript<'_>,
    side: Side,
    given: &[u64],
    habit: Records,
) -> bool {
    if given.is_empty() {
        return false;
    }
    let part = match side {
        Side::Client => Part::ClientSecond,
        Side::Server => Part::Server,
    };
    let seen = transcript.encrypted_bytes(side, part);
    // Each certificate is preceded by its length and followed by the length of its extensions, which are
    // absent.
    let certificates: u64 = 8 + given.iter().map(|bytes| bytes + 5).sum::<u64>();
    let finished = 4 + transcript.server_hello.suite.hash_bytes() as u64;
    let needed = certificates + 8 + u64::from(scenario.signature.signature_bytes()) + finished;
    // A signature of ECDSA has no leading zeros.
    let shorter = if scenario.signature.algorithm() == SignatureAlgorithm::Ecdsa { 16 } else { 0 };
    if seen + shorter < needed {
        let text = format!("{seen} bytes in the {side}'s flight");
        checker.wrong(
            name,
            format!("at least {needed} bytes for {} of them", given.len()),
            text,
            Source::Wire,
        );
        return false;
    }
    // The rest: extensions and a certificate request from the server, padding, and tickets, which some
    // servers send with their Finished and which may be as long as a certificate.
    let tickets = side == Side::Server && scenario.tickets > 0;
    let records = transcript.record_count(side, part);
    let padding = records * u64::from(habit.padding_bytes + habit.filled_to_bytes.max(1) - 1);
    let most = needed + MOST_BESIDES_BYTES + padding;
    if !tickets && seen > most {
        let text = format!("{seen} bytes in the {side}'s flight");
        checker.wrong(name, format!("at most {most} bytes with {} of them", given.len()), text, Source::Wire);
        return false;
    }
    true
}
