//! The faults that a connection must detect, and those that it must not. A level of verification is proven by
//! what it accepts as much as by what it rejects.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{
    Authentication, Outcome, ProtocolVersion, Refusal, Scenario, Side, Step, Tamper, Verification, Work,
};

/// A fault that is injected into a connection, and the required ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// Its name, such as `wrong root`.
    pub name: &'static str,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The required ending.
    pub expected: Expected,
}

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The client trusts a root that did not sign the chain.
    WrongRoot,
    /// The client requests a name that is not in the certificate.
    WrongName,
    /// The server trusts a root that did not sign the client's chain.
    WrongClientRoot,
    /// The client has no certificate.
    NoClientCertificate,
    /// The client's pre-shared key differs from the server's.
    WrongPsk,
    /// One bit of a record is flipped in transit: of the data if there is some, else of what the server
    /// encrypts in the handshake.
    CorruptedRecord,
    /// All but the first quarter of the server's first flight is missing.
    TruncatedFlight,
    /// The server's certificate is no longer valid.
    ExpiredCertificate,
    /// The server's certificate is not valid yet.
    NotYetValidCertificate,
    /// The server's certificate is for clients only.
    WrongUsage,
    /// The signature of the server's certificate is wrong.
    BadCertificateSignature,
    /// The server signs other data than this handshake.
    BadServerSignature,
    /// The server's Finished is wrong.
    BadServerFinished,
    /// The server's first flight is that of another connection.
    ReplayedFlight,
    /// The client's Finished is wrong.
    BadClientFinished,
    /// The client signs other data than this handshake.
    BadClientSignature,
}

/// The required ending of a connection with a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// This side must refuse.
    MustRefuse(Side),
    /// It must not complete, whichever side refuses or waits in vain.
    MustNotComplete,
    /// It must complete: this level does not check the fault.
    MustComplete,
}

impl FaultKind {
    /// The tampering that the driver is asked for; `None` for a fault in the credentials.
    pub fn tamper(self) -> Option<Tamper> {
        match self {
            FaultKind::WrongRoot
            | FaultKind::WrongName
            | FaultKind::WrongClientRoot
            | FaultKind::NoClientCertificate
            | FaultKind::WrongPsk
            | FaultKind::ExpiredCertificate
            | FaultKind::NotYetValidCertificate
            | FaultKind::WrongUsage
            | FaultKind::BadCertificateSignature
            | FaultKind::BadServerSignature
            | FaultKind::BadServerFinished
            | FaultKind::ReplayedFlight
            | FaultKind::BadClientFinished
            | FaultKind::BadClientSignature => None,
            FaultKind::CorruptedRecord => Some(Tamper::CorruptedRecord),
            FaultKind::TruncatedFlight => Some(Tamper::TruncatedFlight),
        }
    }

    /// Whether the lab's own peer injects the fault. A driver with both sides cannot: the altered message is
    /// encrypted or signed, and some servers do not send a certificate that is for clients only.
    pub fn takes_a_peer(self) -> bool {
        matches!(
            self,
            FaultKind::WrongUsage
                | FaultKind::BadServerSignature
                | FaultKind::BadServerFinished
                | FaultKind::ReplayedFlight
                | FaultKind::BadClientFinished
                | FaultKind::BadClientSignature
        )
    }
}

/// Every fault that a scenario is tested with.
pub fn faults(scenario: &Scenario) -> Vec<Fault> {
    let refused_from = |level| {
        if scenario.verification >= level {
            Expected::MustRefuse(Side::Client)
        } else {
            Expected::MustComplete
        }
    };
    let receiver = match scenario.proven_work() {
        Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => Side::Client,
        Work::Transfer { sender, .. } => sender.peer(),
        // The client writes first.
        Work::Exchange { .. } | Work::Request { .. } => Side::Server,
    };
    let by_chain = |name, kind| Fault { name, kind, expected: refused_from(Verification::Chain) };
    let mut faults = if scenario.resumption.is_external_psk() {
        let expected = Expected::MustRefuse(Side::Server);
        vec![Fault { name: "wrong pre-shared key", kind: FaultKind::WrongPsk, expected }]
    } else {
        vec![
            by_chain("wrong root", FaultKind::WrongRoot),
            Fault {
                name: "wrong name",
                kind: FaultKind::WrongName,
                expected: refused_from(Verification::ChainAndName),
            },
            by_chain("expired certificate", FaultKind::ExpiredCertificate),
            by_chain("certificate that is not valid yet", FaultKind::NotYetValidCertificate),
            by_chain("certificate for clients only", FaultKind::WrongUsage),
            by_chain("bad signature of the certificate", FaultKind::BadCertificateSignature),
        ]
    };
    faults.extend([
        Fault {
            name: "corrupted record",
            kind: FaultKind::CorruptedRecord,
            expected: Expected::MustRefuse(receiver),
        },
        Fault {
            name: "truncated flight",
            kind: FaultKind::TruncatedFlight,
            expected: Expected::MustNotComplete,
        },
    ]);
    if scenario.authentication == Authentication::Mutual {
        let expected = Expected::MustRefuse(Side::Server);
        faults.extend([
            Fault { name: "wrong client root", kind: FaultKind::WrongClientRoot, expected },
            Fault { name: "no client certificate", kind: FaultKind::NoClientCertificate, expected },
        ]);
    }
    faults.extend(faults_of_a_peer(scenario));
    faults
}

/// The faults that the lab's own peer injects.
fn faults_of_a_peer(scenario: &Scenario) -> Vec<Fault> {
    let of_server = |name, kind| Fault { name, kind, expected: Expected::MustRefuse(Side::Client) };
    let of_client = |name, kind| Fault { name, kind, expected: Expected::MustRefuse(Side::Server) };
    let mut faults = vec![
        of_server("bad Finished of the server", FaultKind::BadServerFinished),
        of_server("replayed flight", FaultKind::ReplayedFlight),
        of_client("bad Finished of the client", FaultKind::BadClientFinished),
    ];
    if !scenario.resumption.is_external_psk() {
        let name = match scenario.version {
            ProtocolVersion::TLS12 => "bad signature of the ServerKeyExchange",
            _ => "bad CertificateVerify",
        };
        faults.push(of_server(name, FaultKind::BadServerSignature));
    }
    if scenario.authentication == Authentication::Mutual {
        faults.push(of_client("bad CertificateVerify of the client", FaultKind::BadClientSignature));
    }
    faults
}

/// Checks that a connection with a fault ended as required.
///
/// # Errors
/// Fails with the consequence, as a sentence without its full stop.
pub fn judge(fault: &Fault, outcome: &Outcome) -> Result<(), String> {
    match (fault.expected, outcome) {
        (Expected::MustComplete, Outcome::Completed(_)) => Ok(()),
        (Expected::MustNotComplete, Outcome::Refused(_)) => Ok(()),
        (Expected::MustRefuse(side), Outcome::Refused(refusal)) => refused_by(side, fault, refusal),
        (Expected::MustComplete, Outcome::Refused(refusal)) => Err(format!(
            "the {} refused, although this level of verification lets {} {} pass: {}",
            refusal.side,
            if fault.name.starts_with('e') { "an" } else { "a" },
            fault.name,
            refusal.error
        )),
        (Expected::MustRefuse(side), Outcome::Completed(_)) => {
            Err(format!("the {side} accepted {}", seen_as(fault.kind)))
        }
        (Expected::MustNotComplete, Outcome::Completed(_)) => {
            Err(format!("the connection completed with {}", seen_as(fault.kind)))
        }
    }
}

/// The ending of a connection, in words.
pub fn ending(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed(_) => "completed".to_owned(),
        Outcome::Refused(Refusal { side, step, error }) => {
            let step = match step {
                Step::Handshake => "in the handshake",
                Step::PostHandshake => "after the handshake",
                Step::Data => "with application data",
                Step::Close => "while it closed",
            };
            format!("the {side} refused {step}: {error}")
        }
    }
}

/// If the wrong side refuses, it remains open whether the right one would have detected the fault.
fn refused_by(side: Side, fault: &Fault, refusal: &Refusal) -> Result<(), String> {
    // A driver may flip the bit in the server's flight even if there is data: then the client is the
    // receiver.
    let in_server_flight = fault.kind == FaultKind::CorruptedRecord && refusal.step == Step::Handshake;
    let expected = if in_server_flight { Side::Client } else { side };
    if refusal.side == expected {
        return Ok(());
    }
    Err(format!(
        "the {} refused first ({}), so it is open whether the {expected} would have refused {}",
        refusal.side,
        refusal.error,
        seen_as(fault.kind)
    ))
}

/// The fault as seen by the side that meets it.
fn seen_as(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::WrongRoot => "a certificate from the wrong root",
        FaultKind::WrongName => "a certificate for another name",
        FaultKind::WrongClientRoot => "a client's certificate from the wrong root",
        FaultKind::NoClientCertificate => "a client without a certificate",
        FaultKind::WrongPsk => "a client with another pre-shared key",
        FaultKind::CorruptedRecord => "a record with a flipped bit",
        FaultKind::TruncatedFlight => "a quarter of the server's first flight",
        FaultKind::ExpiredCertificate => "an expired certificate",
        FaultKind::NotYetValidCertificate => "a certificate that is not valid yet",
        FaultKind::WrongUsage => "a server's certificate for clients only",
        FaultKind::BadCertificateSignature => "a certificate with a bad signature",
        FaultKind::BadServerSignature => "a server's signature of other data",
        FaultKind::BadServerFinished => "a wrong Finished of the server",
        FaultKind::ReplayedFlight => "the server's flight of another connection",
        FaultKind::BadClientFinished => "a wrong Finished of the client",
        FaultKind::BadClientSignature => "a client's signature of other data",
    }
}
