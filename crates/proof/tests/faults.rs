//! The plan of faults, and how their ends are judged.

mod capture;

use capture::capture;
use tlslab_proof::{Expected, FaultKind, ending, faults, judge};
use tlslab_protocol::{Outcome, Refusal, Scenario, Side, Step, Tamper, Verification};

fn scenario(capture_name: &str, verification: Verification) -> Scenario {
    Scenario { verification, ..capture(capture_name).scenario }
}

fn refused(side: Side, step: Step) -> Outcome {
    Outcome::Refused(Refusal { side, step, error: "bad certificate".to_owned() })
}

fn completed() -> Outcome {
    Outcome::Completed(Box::new(capture("rustls-handshake").facts))
}

/// One line for each fault and end.
fn judgements(scenario: &Scenario) -> String {
    let ends = [
        completed(),
        refused(Side::Client, Step::Handshake),
        refused(Side::Server, Step::Handshake),
        refused(Side::Server, Step::Data),
    ];
    let mut lines = Vec::new();
    for fault in faults(scenario) {
        for end in &ends {
            let judgement = judge(&fault, end).err().unwrap_or("right".to_owned());
            lines.push(format!("{}; {} => {judgement}", fault.name, ending(end)));
        }
    }
    lines.join("\n")
}

#[test]
fn each_level_lets_through_what_it_does_not_check() {
    let expected = |level| -> Vec<Expected> {
        faults(&scenario("rustls-handshake", level)).iter().map(|fault| fault.expected).collect()
    };
    let refuse = Expected::MustRefuse(Side::Client);
    let always = [refuse, Expected::MustNotComplete];
    let let_through = Expected::MustComplete;
    assert_eq!(expected(Verification::None), [[let_through, let_through], always].concat());
    assert_eq!(expected(Verification::Chain), [[refuse, let_through], always].concat());
    assert_eq!(expected(Verification::ChainAndName), [[refuse, refuse], always].concat());
}

#[test]
fn ends_of_a_handshake_without_verification() {
    insta::assert_snapshot!(judgements(&scenario("rustls-handshake", Verification::None)), @r"
    wrong root; completed => right
    wrong root; the client refused in the handshake: bad certificate => the client refused, although this level of verification lets a wrong root pass: bad certificate
    wrong root; the server refused in the handshake: bad certificate => the server refused, although this level of verification lets a wrong root pass: bad certificate
    wrong root; the server refused with application data: bad certificate => the server refused, although this level of verification lets a wrong root pass: bad certificate
    wrong name; completed => right
    wrong name; the client refused in the handshake: bad certificate => the client refused, although this level of verification lets a wrong name pass: bad certificate
    wrong name; the server refused in the handshake: bad certificate => the server refused, although this level of verification lets a wrong name pass: bad certificate
    wrong name; the server refused with application data: bad certificate => the server refused, although this level of verification lets a wrong name pass: bad certificate
    corrupted record; completed => the client accepted a record with a flipped bit
    corrupted record; the client refused in the handshake: bad certificate => right
    corrupted record; the server refused in the handshake: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a record with a flipped bit
    corrupted record; the server refused with application data: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a record with a flipped bit
    truncated flight; completed => the connection completed with a quarter of the server's first flight
    truncated flight; the client refused in the handshake: bad certificate => right
    truncated flight; the server refused in the handshake: bad certificate => right
    truncated flight; the server refused with application data: bad certificate => right
    ");
}

#[test]
fn ends_of_a_transfer_with_verification() {
    insta::assert_snapshot!(judgements(&scenario("openssl-transfer", Verification::ChainAndName)), @r"
    wrong root; completed => the client accepted a certificate from the wrong root
    wrong root; the client refused in the handshake: bad certificate => right
    wrong root; the server refused in the handshake: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a certificate from the wrong root
    wrong root; the server refused with application data: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a certificate from the wrong root
    wrong name; completed => the client accepted a certificate for another name
    wrong name; the client refused in the handshake: bad certificate => right
    wrong name; the server refused in the handshake: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a certificate for another name
    wrong name; the server refused with application data: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a certificate for another name
    corrupted record; completed => the server accepted a record with a flipped bit
    corrupted record; the client refused in the handshake: bad certificate => right
    corrupted record; the server refused in the handshake: bad certificate => the server refused first (bad certificate), so it is open whether the client would have refused a record with a flipped bit
    corrupted record; the server refused with application data: bad certificate => right
    truncated flight; completed => the connection completed with a quarter of the server's first flight
    truncated flight; the client refused in the handshake: bad certificate => right
    truncated flight; the server refused in the handshake: bad certificate => right
    truncated flight; the server refused with application data: bad certificate => right
    ");
}

#[test]
fn tampering_is_the_drivers_and_credentials_are_the_labs() {
    let tampers = [
        (FaultKind::WrongRoot, None),
        (FaultKind::WrongName, None),
        (FaultKind::CorruptedRecord, Some(Tamper::CorruptedRecord)),
        (FaultKind::TruncatedFlight, Some(Tamper::TruncatedFlight)),
    ];
    for (kind, tamper) in tampers {
        assert_eq!(kind.tamper(), tamper);
    }
}
