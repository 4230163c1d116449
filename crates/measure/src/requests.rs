//! Requests that several modules send to a driver, with their answers.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tlslab_pki::Pki;
use tlslab_proof::Chains;
use tlslab_protocol::{
    Algorithm, Authentication, Credentials, Description, Library, Measurement, Outcome, PROTOCOL_VERSION,
    Primitive, Reply, Request, Scenario, Tamper, WarmUpRule, Work,
};

use crate::{DriverFailure, DriverProgram, Launch, Talk};

/// A trial of this duration is long enough to choose the size of slices, ns.
const TRIAL_NS: u64 = 2_000_000;

/// Starts a driver, reads its description, and ends it.
pub fn describe(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    timeout: Duration,
) -> Result<Description, DriverFailure> {
    let mut talk = launch.launch(driver)?;
    let description = hello(talk.as_mut(), false, timeout)?;
    talk.end()?;
    Ok(description)
}

/// Starts a driver and checks that its description is the planned one.
pub(crate) fn started(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    timeout: Duration,
) -> Result<Box<dyn Talk>, DriverFailure> {
    let mut talk = launch.launch(driver)?;
    let found = hello(talk.as_mut(), true, timeout)?;
    let is_counted = driver.counter.is_some();
    let what = driver
        .described
        .and_then(|planned| difference(planned, &found).or_else(|| unhidden(planned, &found, is_counted)));
    match what {
        None => Ok(talk),
        Some(what) => Err(DriverFailure::Nonsense { request: "hello", what }),
    }
}

/// The difference between a driver and its description in the plan. The visible processor, and capabilities
/// that depend on it, may differ while it is counted.
fn difference(planned: &Description, found: &Description) -> Option<String> {
    let whole = |description: &Description| {
        let Library { name, version, components } = &description.library;
        let components: Vec<String> =
            components.iter().map(|(name, version)| format!("{name} {version}")).collect();
        format!("{}: {name} {version} {}", description.driver, components.join(", ")).trim_end().to_owned()
    };
    let (planned, found) = (whole(planned), whole(found));
    (planned != found)
        .then(|| format!("another library than when the run was planned: {found}, not {planned}"))
}

/// In what a process sees more of the processor than it was to, where features of it are hidden. A counter
/// may show fewer.
fn unhidden(planned: &Description, found: &Description, is_counted: bool) -> Option<String> {
    let expected = planned.hidden.as_ref()?;
    if is_counted {
        let hidden = found.features.iter().find(|feature| !planned.features.contains(feature))?;
        return Some(format!("the counter shows it {hidden}, which is hidden from this stack"));
    }
    let words = found.hidden.as_ref().map(|hidden| (&hidden.way, &hidden.words));
    (words != Some((&expected.way, &expected.words)))
        .then(|| "it sees other features of the processor than when the run was planned".to_owned())
}

/// Asks who a driver is, and unless that is to be `brief`, what it can do.
pub(crate) fn hello(
    talk: &mut dyn Talk,
    brief: bool,
    timeout: Duration,
) -> Result<Description, DriverFailure> {
    match talk.ask(&Request::Hello { protocol: vec![PROTOCOL_VERSION], brief }, timeout)? {
        Reply::Hello(description) if description.protocol == PROTOCOL_VERSION => Ok(*description),
        Reply::Hello(description) => {
            let what = format!("version {} of the protocol, which was not offered", description.protocol);
            Err(DriverFailure::Nonsense { request: "hello", what })
        }
        other => Err(wrong_reply("hello", &other)),
    }
}

/// Prepares a driver. `Some` reason if the stack does not support the scenario.
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
    let roots = (scenario.roots > 0).then(|| pki.roots(scenario.signature, scenario.roots));
    Credentials { roots, client, psk, peer_share, ..pki.credentials(scenario.signature, scenario.chain) }
}

/// The sizes of the certificates that each side gets. An unreadable file is ignored here; the driver reports
/// it.
pub(crate) fn chains(credentials: &Credentials) -> Chains {
    let bytes = |paths: &[PathBuf]| {
        paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).collect()
    };
    let client = credentials.client.as_ref().map_or(vec![], |client| bytes(&client.chain));
    Chains { client, server: bytes(&credentials.chain) }
}

pub(crate) fn verify(
    talk: &mut dyn Talk,
    tamper: Option<Tamper>,
    timeout: Duration,
) -> Result<Outcome, DriverFailure> {
    match talk.ask(&Request::Verify { tamper }, timeout)? {
        Reply::Verified(outcome) => Ok(outcome),
        other => Err(wrong_reply("verify", &other)),
    }
}

/// The time of one iteration, ns, after a few iterations.
pub(crate) fn trial(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    timeout: Duration,
) -> Result<f64, DriverFailure> {
    let threads = u64::from(scenario.threads);
    let mut iterations = threads;
    loop {
        let start = Instant::now();
        let slices = measure(talk, Asked { iterations, slices: 1, warm_up: None, seed: None }, timeout)?;
        if let Some(what) = tlslab_proof::untrue(&slices, scenario, start.elapsed()) {
            return Err(DriverFailure::Nonsense { request: "measure", what });
        }
        let measurement = &slices[0];
        // The first call pays one-off costs, so one more is made even if it was long enough.
        if iterations > threads && measurement.elapsed_ns >= TRIAL_NS || iterations >= 1 << 24 {
            return Ok((measurement.elapsed_ns as f64 / iterations as f64).max(1.0));
        }
        iterations *= 2;
    }
}

/// A `measure` request's parameters.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// Iterations of each slice.
    pub iterations: u64,
    /// Slices in a row.
    pub slices: u32,
    /// The warm-up before them.
    pub warm_up: Option<WarmUpRule>,
    /// The seed of gaps between arrivals, if the scenario has a rate.
    pub seed: Option<u64>,
}

/// The slices of one turn.
pub(crate) fn measure(
    talk: &mut dyn Talk,
    asked: Asked,
    within: Duration,
) -> Result<Vec<Measurement>, DriverFailure> {
    let Asked { iterations, slices, warm_up, seed } = asked;
    let nonsense = |what| Err(DriverFailure::Nonsense { request: "measure", what });
    match talk.ask(&Request::Measure { iterations, slices, warm_up, seed }, within)? {
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

pub(crate) fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed(_) => "completed, as it must at this level of verification".to_owned(),
        Outcome::Refused(refusal) => format!("refused by the {}: {}", refusal.side, refusal.error),
    }
}

/// A stack that supports this scenario.
#[cfg(test)]
pub(crate) fn able_to(scenario: &Scenario) -> tlslab_protocol::Capabilities {
    tlslab_protocol::Capabilities {
        versions: vec![scenario.version],
        signatures: vec![scenario.signature],
        groups: vec![scenario.group],
        suites: vec![scenario.suite],
        verification: vec![scenario.verification],
        works: vec!["handshake".to_owned()],
        ..tlslab_protocol::Capabilities::default()
    }
}
