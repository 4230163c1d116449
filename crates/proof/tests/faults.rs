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

/// One line for each of four faults and each end; the others are judged as these.
fn judgements(scenario: &Scenario) -> String {
    let ends = [
        completed(),
        refused(Side::Client, Step::Handshake),
        refused(Side::Server, Step::Handshake),
        refused(Side::Server, Step::Data),
    ];
    let mut lines = Vec::new();
    let shown =
        [FaultKind::WrongRoot, FaultKind::WrongName, FaultKind::CorruptedRecord, FaultKind::TruncatedFlight];
    for fault in faults(scenario).into_iter().filter(|fault| shown.contains(&fault.kind)) {
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
    let by_server = Expected::MustRefuse(Side::Server);
    // A record, a flight; both Finished, a flight of another connection, a signature.
    let always = [refuse, Expected::MustNotComplete, refuse, refuse, by_server, refuse];
    let let_through = Expected::MustComplete;
    let with = |root, name, certificate| [&[root, name][..], &[certificate; 4], &always].concat();
    assert_eq!(expected(Verification::None), with(let_through, let_through, let_through));
    assert_eq!(expected(Verification::Chain), with(refuse, let_through, refuse));
    assert_eq!(expected(Verification::ChainAndName), with(refuse, refuse, refuse));
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
fn what_is_not_noticed_is_named() {
    let mutual = Scenario {
        authentication: tlslab_protocol::Authentication::Mutual,
        ..scenario("rustls-handshake", Verification::ChainAndName)
    };
    let said: Vec<String> =
        faults(&mutual).iter().map(|fault| judge(fault, &completed()).unwrap_err()).collect();
    assert_eq!(
        said,
        [
            "the client accepted a certificate from the wrong root",
            "the client accepted a certificate for another name",
            "the client accepted an expired certificate",
            "the client accepted a certificate that is not valid yet",
            "the client accepted a server's certificate for clients only",
            "the client accepted a certificate with a bad signature",
            "the client accepted a record with a flipped bit",
            "the connection completed with a quarter of the server's first flight",
            "the server accepted a client's certificate from the wrong root",
            "the server accepted a client without a certificate",
            "the client accepted a wrong Finished of the server",
            "the client accepted the server's flight of another connection",
            "the server accepted a wrong Finished of the client",
            "the client accepted a server's signature of other data",
            "the server accepted a client's signature of other data",
        ]
    );
}

#[test]
fn signatures_are_tried_where_there_are_some() {
    let names = |scenario: &Scenario| -> Vec<&str> {
        faults(scenario).iter().filter(|fault| fault.kind.takes_a_peer()).map(|fault| fault.name).collect()
    };
    let common = ["bad Finished of the server", "replayed flight", "bad Finished of the client"];
    let usage = ["certificate for clients only"];
    let plain = Scenario::plain(tlslab_protocol::Work::Handshake);
    assert_eq!(names(&plain), [&usage[..], &common, &["bad CertificateVerify"]].concat());
    let older = Scenario { version: tlslab_protocol::ProtocolVersion::TLS12, ..plain.clone() };
    assert_eq!(names(&older), [&usage[..], &common, &["bad signature of the ServerKeyExchange"]].concat());
    let mutual = Scenario { authentication: tlslab_protocol::Authentication::Mutual, ..plain.clone() };
    let both = ["bad CertificateVerify", "bad CertificateVerify of the client"];
    assert_eq!(names(&mutual), [&usage[..], &common, &both].concat());
    let psk = Scenario { resumption: tlslab_protocol::Resumption::ExternalPsk, ..plain };
    assert_eq!(names(&psk), common);
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
