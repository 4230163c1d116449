//! Before anything is measured: is the work what the scenario asks for, and are faults noticed?

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tlslab_pki::{Pki, WRONG_NAME};
use tlslab_proof::{Chains, ConnectionFacts, Fault, FaultKind, WrongFact};
use tlslab_protocol::{
    Algorithm, Authentication, Capabilities, ClientCredentials, Credentials, Description, Facts, Measurement,
    Outcome, PROTOCOL_VERSION, Primitive, Reply, Request, Scenario, Start, Tamper, WarmUpRule, Work,
};
use tlslab_record::{Proof, ProvenFault};

use crate::proving_primitive::prove_primitive;
use crate::{DriverFailure, DriverProgram, Launch, Talk};

/// A trial is long enough to size slices by when it took this long, ns.
const TRIAL_NS: u64 = 2_000_000;

/// Starts a driver, asks who it is, and ends it.
pub fn describe(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    timeout: Duration,
) -> Result<Description, DriverFailure> {
    let mut talk = launch.launch(driver)?;
    let description = hello(talk.as_mut(), timeout)?;
    talk.end()?;
    Ok(description)
}

/// Asks who a driver is.
pub(crate) fn hello(talk: &mut dyn Talk, timeout: Duration) -> Result<Description, DriverFailure> {
    match talk.ask(&Request::Hello { protocol: vec![PROTOCOL_VERSION] }, timeout)? {
        Reply::Hello(description) if description.protocol == PROTOCOL_VERSION => Ok(*description),
        Reply::Hello(description) => {
            let what = format!("version {} of the protocol, which was not offered", description.protocol);
            Err(DriverFailure::Nonsense { request: "hello", what })
        }
        other => Err(wrong_reply("hello", &other)),
    }
}

/// Makes a driver ready. `Some` reason when the stack cannot do the scenario.
pub(crate) fn prepare(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    credentials: Credentials,
    timeout: Duration,
) -> Result<Option<String>, DriverFailure> {
    talk.spread(scenario.processors())?;
    let request =
        Request::Prepare { scenario: Box::new(scenario.clone()), credentials: Box::new(credentials) };
    match talk.ask(&request, timeout)? {
        Reply::Prepared {} => Ok(None),
        Reply::Unsupported { reason } => Ok(Some(reason)),
        other => Err(wrong_reply("prepare", &other)),
    }
}

/// Tries one cell: its facts, its faults, and how long an iteration takes. Of a cold start it is the same work in a
/// process that is warm: only there can it be tried more than once.
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
    // Without cryptography nothing is new in a second connection.
    if scenario.work == Work::Handshake && !able.protects_nothing {
        let again = match connection(talk, scenario, able, &given, timeout)? {
            Ok((again, _)) => again,
            Err(reason) => return Ok(Proof::Failed(format!("in the second connection {reason}"))),
        };
        if let Err(wrong) = tlslab_proof::check_two(scenario, &seen, &again) {
            return Ok(Proof::Failed(not_as_asked(&wrong)));
        }
    }
    let mut faults = Vec::new();
    for fault in tlslab_proof::faults(scenario) {
        let outcome = try_fault(talk, scenario, pki, &fault, timeout)?;
        if let Err(reason) = tlslab_proof::judge(&fault, &outcome) {
            return Ok(Proof::Failed(format!("negative test {}: {reason}", fault.name)));
        }
        faults.push(ProvenFault { name: fault.name.to_string(), outcome: outcome_text(&outcome) });
    }
    prepare(talk, scenario, credentials, timeout)?;
    let iteration_ns = trial(talk, scenario, timeout)?;
    Ok(Proof::Proven { facts: facts.into(), faults, iteration_ns })
}

/// One connection, checked: what was seen and the facts, or why it is not what the scenario asks for.
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
    format!("the work is not what was asked for: {}", wrong.join("; "))
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
    let wrong = match fault.kind {
        FaultKind::WrongRoot => Credentials { root: other_root(), ..right },
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
        FaultKind::CorruptedRecord | FaultKind::TruncatedFlight => right,
    };
    prepare(talk, scenario, wrong, timeout)?;
    verify(talk, fault.kind.tamper(), timeout)
}

/// The keys and certificates that a scenario needs.
pub fn credentials(pki: &Pki, scenario: &Scenario) -> Credentials {
    let client = match scenario.authentication {
        Authentication::Server => None,
        Authentication::Mutual => Some(pki.client_credentials(scenario.signature, scenario.chain)),
    };
    let psk = scenario.resumption.is_external_psk().then(|| Box::new(tlslab_pki::psk(scenario.suite)));
    let peer_share = match scenario.work {
        Work::Primitive(Primitive { algorithm: Algorithm::Group(group), .. }) => {
            tlslab_proof::peer_share(group)
        }
        _ => vec![],
    };
    Credentials { client, psk, peer_share, ..pki.credentials(scenario.signature, scenario.chain) }
}

/// How long the certificates are that each side is given. A file that cannot be read says nothing here; the driver says
/// that it cannot read it.
pub(crate) fn chains(credentials: &Credentials) -> Chains {
    let bytes = |paths: &[PathBuf]| {
        paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).collect()
    };
    let client = credentials.client.as_ref().map_or(vec![], |client| bytes(&client.chain));
    Chains { client, server: bytes(&credentials.chain) }
}

fn verify(talk: &mut dyn Talk, tamper: Option<Tamper>, timeout: Duration) -> Result<Outcome, DriverFailure> {
    match talk.ask(&Request::Verify { tamper }, timeout)? {
        Reply::Verified(outcome) => Ok(outcome),
        other => Err(wrong_reply("verify", &other)),
    }
}

/// How long one iteration takes, ns, after a few have been done.
pub(crate) fn trial(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    timeout: Duration,
) -> Result<f64, DriverFailure> {
    let threads = u64::from(scenario.threads);
    let mut iterations = threads;
    loop {
        let start = Instant::now();
        let slices = measure(talk, Asked { iterations, slices: 1, warm_up: None }, timeout)?;
        if let Some(what) = tlslab_proof::untrue(&slices, scenario, start.elapsed()) {
            return Err(DriverFailure::Nonsense { request: "measure", what });
        }
        let measurement = &slices[0];
        // The first call pays one-off costs, so one more is made even when it was long enough.
        if iterations > threads && measurement.elapsed_ns >= TRIAL_NS || iterations >= 1 << 24 {
            return Ok((measurement.elapsed_ns as f64 / iterations as f64).max(1.0));
        }
        iterations *= 2;
    }
}

/// What a driver is asked to measure.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// Iterations of each slice.
    pub iterations: u64,
    /// Slices in a row.
    pub slices: u32,
    /// What is done before them.
    pub warm_up: Option<WarmUpRule>,
}

/// The slices of one turn.
pub(crate) fn measure(
    talk: &mut dyn Talk,
    asked: Asked,
    within: Duration,
) -> Result<Vec<Measurement>, DriverFailure> {
    let Asked { iterations, slices, warm_up } = asked;
    let nonsense = |what| Err(DriverFailure::Nonsense { request: "measure", what });
    match talk.ask(&Request::Measure { iterations, slices, warm_up }, within)? {
        Reply::Measured(measured) if measured.len() != slices as usize => {
            nonsense(format!("{} slices where {slices} were asked for", measured.len()))
        }
        Reply::Measured(measured) => match measured.iter().find(|slice| slice.iterations != iterations) {
            None => Ok(measured),
            Some(slice) => {
                nonsense(format!("{} iterations where {iterations} were asked for", slice.iterations))
            }
        },
        other => Err(wrong_reply("measure", &other)),
    }
}

pub(crate) fn wrong_reply(request: &'static str, reply: &Reply) -> DriverFailure {
    let text: String = format!("{reply:?}").chars().take(120).collect();
    DriverFailure::Nonsense { request, what: format!("a reply that does not belong to it: {text}") }
}

fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed(_) => "completed, as it must at this level of verification".to_owned(),
        Outcome::Refused(refusal) => format!("refused by the {}: {}", refusal.side, refusal.error),
    }
}
