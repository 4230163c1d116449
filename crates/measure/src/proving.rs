//! Proving, before anything is measured: the work must be what the scenario specifies, and faults must be
//! detected.

use std::time::Duration;

use tlslab_pki::{Defect, Pki, WRONG_NAME};
use tlslab_proof::{Chains, ConnectionFacts, Fault, FaultKind, WrongFact};
use tlslab_protocol::{Capabilities, ClientCredentials, Credentials, Facts, Outcome, Scenario, Start, Work};
use tlslab_record::{Proof, ProvenFault};

use crate::proving_primitive::prove_primitive;
use crate::requests::{chains, credentials, outcome_text, prepare, trial, verify};
use crate::{DriverFailure, Talk, proving_peer};

/// Tries one cell: its facts, its faults, and the time of an iteration. For a cold start it is the same work
/// in a warm process: only there can it be tried more than once.
pub(crate) fn prove(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    pki: &Pki,
    able: &Capabilities,
    timeout: Duration,
) -> Result<Proof, DriverFailure> {
    let scenario = &Scenario { start: Start::Warm, ..scenario.clone() };
    let credentials = credentials(pki, scenario);
    let given = chains(&credentials);
    if let Some(reason) = prepare(talk, scenario, credentials.clone(), timeout)? {
        return Ok(Proof::Unsupported(reason));
    }
    if let Work::Primitive(primitive) = &scenario.work {
        return prove_primitive(talk, scenario, primitive, pki, timeout);
    }
    let (seen, facts) = match connection(talk, scenario, able, &given, timeout)? {
        Ok(connection) => connection,
        Err(reason) => return Ok(Proof::Failed(reason)),
    };
    // Without cryptography, a second connection has nothing new.
    if scenario.work.is_connection() && !able.protects_nothing {
        let again = match connection(talk, scenario, able, &given, timeout)? {
            Ok((again, _)) => again,
            Err(reason) => return Ok(Proof::Failed(format!("in the second connection {reason}"))),
        };
        if let Err(wrong) = tlslab_proof::check_two(scenario, &seen, &again) {
            return Ok(Proof::Failed(not_as_asked(&wrong)));
        }
    }
    let mut faults = Vec::new();
    let (of_a_peer, own): (Vec<_>, Vec<_>) =
        tlslab_proof::faults(scenario).into_iter().partition(|fault| fault.kind.takes_a_peer());
    for fault in own {
        let outcome = try_fault(talk, scenario, pki, &fault, timeout)?;
        if let Err(reason) = tlslab_proof::judge(&fault, &outcome) {
            return Ok(Proof::Failed(format!("negative test {}: {reason}", fault.name)));
        }
        faults.push(ProvenFault { name: fault.name.to_string(), outcome: outcome_text(&outcome) });
    }
    match proving_peer::prove(talk, scenario, pki, able, &of_a_peer, timeout)? {
        Ok(proven) => faults.extend(proven),
        Err(reason) => return Ok(Proof::Failed(reason)),
    }
    prepare(talk, scenario, credentials, timeout)?;
    let iteration_ns = trial(talk, scenario, timeout)?;
    Ok(Proof::Proven { facts: facts.into(), faults, iteration_ns })
}

/// One connection, checked: its observations and the facts, or why it is not what the scenario specifies.
fn connection(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    able: &Capabilities,
    given: &Chains,
    timeout: Duration,
) -> Result<Result<(Box<Facts>, ConnectionFacts), String>, DriverFailure> {
    Ok(match verify(talk, None, timeout)? {
        Outcome::Completed(seen) => match tlslab_proof::check_declared(scenario, &seen, able, given) {
            Ok(facts) => Ok((seen, facts)),
            Err(wrong) => Err(not_as_asked(&wrong)),
        },
        Outcome::Refused(refusal) => {
            Err(format!("the {} refused the connection: {}", refusal.side, refusal.error))
        }
    })
}

fn not_as_asked(wrong: &[WrongFact]) -> String {
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    format!("the work differs from the request: {}", wrong.join("; "))
}

fn try_fault(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    pki: &Pki,
    fault: &Fault,
    timeout: Duration,
) -> Result<Outcome, DriverFailure> {
    let right = credentials(pki, scenario);
    let other_root = || pki.other_root(scenario.signature);
    let defective = |defect| pki.defective_chain(scenario.signature, scenario.chain, defect);
    let wrong = match fault.kind {
        FaultKind::WrongRoot => {
            let roots = right.roots.is_some().then(|| pki.other_roots(scenario.signature, scenario.roots));
            Credentials { root: other_root(), roots, ..right }
        }
        FaultKind::WrongName => Credentials { server_name: WRONG_NAME.to_owned(), ..right },
        FaultKind::WrongClientRoot => Credentials {
            client: right.client.map(|client| ClientCredentials { root: other_root(), ..client }),
            ..right
        },
        FaultKind::NoClientCertificate => Credentials {
            client: right.client.map(|client| ClientCredentials { chain: vec![], ..client }),
            ..right
        },
        FaultKind::WrongPsk => {
            Credentials { psk: Some(Box::new(tlslab_pki::psk_with_other_key(scenario.suite))), ..right }
        }
        FaultKind::ExpiredCertificate => Credentials { chain: defective(Defect::Expired), ..right },
        FaultKind::NotYetValidCertificate => Credentials { chain: defective(Defect::NotYetValid), ..right },
        FaultKind::BadCertificateSignature => Credentials { chain: defective(Defect::BadSignature), ..right },
        FaultKind::CorruptedRecord
        | FaultKind::TruncatedFlight
        | FaultKind::WrongUsage
        | FaultKind::BadServerSignature
        | FaultKind::BadServerFinished
        | FaultKind::ReplayedFlight
        | FaultKind::BadClientFinished
        | FaultKind::BadClientSignature => right,
    };
    // A resumed session has no certificate to check, and some clients do not resume with a server whose
    // certificate has expired.
    let scenario = match fault.kind {
        FaultKind::ExpiredCertificate
        | FaultKind::NotYetValidCertificate
        | FaultKind::BadCertificateSignature => &proving_peer::full_handshake(scenario),
        _ => scenario,
    };
    prepare(talk, scenario, wrong, timeout)?;
    verify(talk, fault.kind.tamper(), timeout)
}
