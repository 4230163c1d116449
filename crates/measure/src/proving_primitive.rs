//! Proves a primitive before it is measured: the lab must compute the same result.

use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{Primitive, Reply, Request, Scenario};
use tlslab_record::{Proof, ProvenFault};

use crate::requests::{credentials, trial, wrong_reply};
use crate::{DriverFailure, Talk};

/// Recomputes the result. A refused wrong input is reported as a fault.
pub(crate) fn prove_primitive(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    primitive: &Primitive,
    pki: &Pki,
    timeout: Duration,
) -> Result<Proof, DriverFailure> {
    let computed = match talk.ask(&Request::Verify { tamper: None }, timeout)? {
        Reply::Computed(computed) => computed,
        other => return Err(wrong_reply("verify", &other)),
    };
    let leaf = match credentials(pki, scenario).chain.first().map(std::fs::read) {
        Some(Ok(leaf)) => leaf,
        Some(Err(cause)) => return Ok(Proof::Failed(format!("the certificate cannot be read: {cause}"))),
        None => Vec::new(),
    };
    let facts = match tlslab_proof::check_primitive(primitive, &computed, &leaf) {
        Ok(facts) => facts,
        Err(wrong) => return Ok(Proof::Failed(format!("{} is wrong: {wrong}", primitive.pair()))),
    };
    let refused = computed.refused.iter();
    let faults = refused
        .map(|said| ProvenFault { name: "flipped bit".to_owned(), outcome: format!("refused: {said}") })
        .collect();
    let iteration_ns = trial(talk, scenario, timeout)?;
    Ok(Proof::Proven { facts: facts.into(), faults, iteration_ns })
}
