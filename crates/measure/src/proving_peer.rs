//! Faults that only the lab's own peer can make: one invalid message in an otherwise valid handshake.

use std::time::Duration;

use tlslab_peer::{Flaw, Peer, Unable};
use tlslab_pki::{Defect, Pki};
use tlslab_proof::{Fault, FaultKind};
use tlslab_protocol::{
    Capabilities, Credentials, Facts, Outcome, ProtocolVersion, Refusal, RelayCall, RelayResult, RelayStep,
    Reply, Request, Scenario, Side, SideFacts, Step, Work,
};
use tlslab_record::ProvenFault;

use crate::requests::{credentials, outcome_text, prepare, wrong_reply};
use crate::{DriverFailure, Talk};

/// A full handshake takes two or three calls per side; a number near this means an endless loop.
const MOST_CALLS: u32 = 16;

/// How often a connection that must complete is tried: some libraries reject about one valid signature in
/// 256.
const TRIES: u32 = 4;

/// Tries these faults. First, each side of the stack completes a handshake with a valid peer: otherwise a
/// refusal would prove nothing. `Err` has the undetected fault, in a sentence without its full stop.
pub(crate) fn prove(
    talk: &mut dyn Talk,
    scenario: &Scenario,
    pki: &Pki,
    able: &Capabilities,
    faults: &[Fault],
    timeout: Duration,
) -> Result<Result<Vec<ProvenFault>, String>, DriverFailure> {
    let untried = |reason: &str| {
        let untried = |fault: &Fault| ProvenFault {
            name: fault.name.to_owned(),
            outcome: format!("not tried: {reason}"),
        };
        Ok(Ok(faults.iter().map(untried).collect()))
    };
    if scenario.resumption.is_external_psk() {
        return untried("the lab's own peer has no external pre-shared keys");
    }
    if able.protects_nothing {
        return untried("it has no cryptography and interoperates only with itself");
    }
    if scenario.defaults {
        return untried(
            "the lab's own peer takes one version, group and suite, which a library's defaults may lack",
        );
    }
    let closes = scenario.work.closes();
    let scenario = &full_handshake(scenario);
    if let Some(reason) = tlslab_scenario::hole(scenario, able) {
        return untried(&reason);
    }
    let credentials = credentials(pki, scenario);
    if let Some(reason) = prepare(talk, scenario, credentials.clone(), timeout)? {
        return Ok(Err(format!("it refuses a full handshake that its capabilities include: {reason}")));
    }
    let mut meeting = Meeting { talk, scenario, credentials: &credentials, closes, timeout };
    match meeting.try_all(pki, faults) {
        Ok(proven) => Ok(Ok(proven)),
        Err(Stop::Untried(reason)) => untried(&reason),
        Err(Stop::Failed(reason)) => Ok(Err(reason)),
        Err(Stop::Driver(failure)) => Err(failure),
    }
}

/// The full handshake from which the scenario's own is derived.
pub(crate) fn full_handshake(scenario: &Scenario) -> Scenario {
    let Scenario { version, signature, group, suite, verification, authentication, chain, defaults, .. } =
        *scenario;
    let name = scenario.name.clone();
    let plain = Scenario::plain(Work::Handshake);
    Scenario {
        name,
        version,
        signature,
        group,
        suite,
        verification,
        authentication,
        chain,
        defaults,
        ..plain
    }
}

/// The side of the stack that meets the fault.
fn side_of(kind: FaultKind) -> Side {
    match kind {
        FaultKind::BadClientFinished | FaultKind::BadClientSignature => Side::Server,
        _ => Side::Client,
    }
}

/// A driver and the peers that it meets.
struct Meeting<'a> {
    talk: &'a mut dyn Talk,
    scenario: &'a Scenario,
    credentials: &'a Credentials,
    /// Whether a connection without a fault is closed.
    closes: bool,
    timeout: Duration,
}

/// Why a meeting did not take place.
enum Stop {
    /// A feature that the peer lacks.
    Untried(String),
    /// A failure of the cell.
    Failed(String),
    /// The driver failed.
    Driver(DriverFailure),
}

impl From<DriverFailure> for Stop {
    fn from(failure: DriverFailure) -> Self {
        Self::Driver(failure)
    }
}

impl From<Unable> for Stop {
    fn from(unable: Unable) -> Self {
        match unable {
            Unable::Lacks(_) => Self::Untried(unable.to_string()),
            Unable::File { .. } | Unable::Rustls(_) | Unable::Root(_) => Self::Failed(unable.to_string()),
        }
    }
}

/// A connection that has ended.
struct Met {
    end: End,
    /// The first bytes that the peer sent.
    first_flight: Vec<u8>,
}

/// The end of a connection for the driver's side.
enum End {
    /// Its handshake is done.
    Completed,
    /// Its handshake is done before the peer's Finished has come.
    TooEarly,
    /// It ended the connection.
    Refused(String),
    /// One of the two ended the connection before the fault.
    TooSoon(String),
    /// It neither ended the connection nor continued.
    Waits,
    /// The peer ended the connection.
    PeerRefused(String),
}

impl End {
    fn text(&self) -> String {
        match self {
            End::Completed => "it completed".to_owned(),
            End::TooEarly => "it reports a complete handshake before the peer's Finished has come".to_owned(),
            End::Refused(error) => error.clone(),
            End::TooSoon(how) => how.clone(),
            End::Waits => WAITS.to_owned(),
            End::PeerRefused(error) => format!("the peer refused: {error}"),
        }
    }

    /// As the outcome of a connection. If the peer gave up, the stack's side had continued.
    fn outcome(&self, side: Side) -> Outcome {
        let refused =
            |error: &str| Outcome::Refused(Refusal { side, step: Step::Handshake, error: error.to_owned() });
        match self {
            End::Completed | End::TooEarly | End::PeerRefused(_) => Outcome::Completed(Box::new(no_facts())),
            End::Refused(error) | End::TooSoon(error) => refused(error),
            End::Waits => refused(WAITS),
        }
    }
}

/// Only the completion of the connection is judged.
fn no_facts() -> Facts {
    Facts {
        client: SideFacts::default(),
        server: SideFacts::default(),
        flights: vec![],
        plaintext_sent: 0,
        plaintext_received: 0,
        early_data_sent: 0,
        early_data_received: 0,
    }
}

const WAITS: &str = "waits for bytes that never come";

impl Meeting<'_> {
    /// First each side meets a peer without a fault, then the faults.
    fn try_all(&mut self, pki: &Pki, faults: &[Fault]) -> Result<Vec<ProvenFault>, Stop> {
        let mut first_flight = Vec::new();
        for side in Side::BOTH {
            let met = self.complete(side)?;
            if side == Side::Client {
                first_flight = met.first_flight;
            }
        }
        faults.iter().map(|fault| self.prove(fault, pki, &first_flight)).collect()
    }

    /// A connection without a fault.
    fn complete(&mut self, side: Side) -> Result<Met, Stop> {
        let mut tries = 1;
        loop {
            let met = self.meet(side, None, self.credentials)?;
            if matches!(met.end, End::Completed) {
                return Ok(met);
            }
            if tries == TRIES {
                let how = met.end.text();
                return Err(Stop::Failed(format!(
                    "its {side} does not complete a handshake with the lab's own peer, so that faults cannot be tried: {how}"
                )));
            }
            tries += 1;
        }
    }

    fn prove(&mut self, fault: &Fault, pki: &Pki, first_flight: &[u8]) -> Result<ProvenFault, Stop> {
        let side = side_of(fault.kind);
        let mut tries = 1;
        loop {
            let end = self.try_fault(fault.kind, pki, first_flight)?;
            let outcome = end.outcome(side);
            let judged = match end {
                End::TooSoon(_) => Err(end.text()),
                _ => tlslab_proof::judge(fault, &outcome),
            };
            let Err(reason) = judged else {
                return Ok(ProvenFault { name: fault.name.to_owned(), outcome: outcome_text(&outcome) });
            };
            // It must not accept a fault by accident.
            if matches!(outcome, Outcome::Completed(_)) || tries == TRIES {
                return Err(Stop::Failed(format!("negative test {}: {reason}", fault.name)));
            }
            tries += 1;
        }
    }

    fn try_fault(&mut self, kind: FaultKind, pki: &Pki, first_flight: &[u8]) -> Result<End, Stop> {
        let flaw = match kind {
            FaultKind::BadServerSignature | FaultKind::BadClientSignature => Flaw::Signature,
            FaultKind::ReplayedFlight => return self.replay(first_flight),
            FaultKind::WrongUsage => {
                let Scenario { signature, chain, .. } = *self.scenario;
                let chain = pki.defective_chain(signature, chain, Defect::WrongUsage);
                let shown = Credentials { chain, ..self.credentials.clone() };
                return Ok(self.meet(Side::Client, None, &shown)?.end);
            }
            _ => Flaw::Finished,
        };
        Ok(self.meet(side_of(kind), Some(flaw), self.credentials)?.end)
    }

    /// The driver's side meets a peer that has these credentials.
    fn meet(&mut self, side: Side, flaw: Option<Flaw>, credentials: &Credentials) -> Result<Met, Stop> {
        let mut peer = Peer::new(side.peer(), self.scenario, credentials, flaw)?;
        let mut input = match side {
            Side::Client => vec![],
            Side::Server => peer.step(&[]).output,
        };
        let mut first_flight = input.clone();
        let mut end = End::Waits;
        let wrong_from = self.wrong_from(side, flaw);
        for call in 1..=MOST_CALLS {
            let result = self.call(side, input, call == 1)?;
            if let Some(error) = result.refused {
                let too_soon = |error| End::TooSoon(format!("it refuses a valid handshake: {error}"));
                end = if call < wrong_from { too_soon(error) } else { End::Refused(error) };
                break;
            }
            let answer = peer.step(&result.output);
            if first_flight.is_empty() {
                first_flight.clone_from(&answer.output);
            }
            // For a flaw it is enough that the stack's side continues.
            let goes_on = flaw.is_some() && call >= wrong_from && !result.output.is_empty();
            if result.done || goes_on {
                let closes = self.closes && result.done && answer.is_done && flaw.is_none();
                end = match answer.refused {
                    _ if result.done && call < self.finished_at(side) => End::TooEarly,
                    Some(error) => End::PeerRefused(error),
                    None if flaw.is_none() && !answer.is_done => End::TooEarly,
                    None if closes => self.close(side, &mut peer)?,
                    None => End::Completed,
                };
                break;
            }
            if let Some(error) = answer.refused {
                let too_soon = |error| End::TooSoon(format!("the peer refuses it: {error}"));
                end = if call < wrong_from { too_soon(error) } else { End::PeerRefused(error) };
                break;
            }
            if answer.output.is_empty() {
                break;
            }
            input = answer.output;
        }
        self.free(side)?;
        Ok(Met { end, first_flight })
    }

    /// The driver's side closes first: the peer must read its alert, and the side the peer's.
    fn close(&mut self, side: Side, peer: &mut Peer) -> Result<End, Stop> {
        let fault =
            |what: &str| Err(Stop::Failed(format!("its {side}, closing with the lab's own peer, {what}")));
        let first = self.close_call(side, vec![])?;
        if let Some(error) = first.refused {
            return fault(&format!("refused: {error}"));
        }
        if first.done {
            return fault("reports the peer's closing alert before it was sent");
        }
        let answer = peer.step(&first.output);
        if let Some(error) = answer.refused {
            return fault(&format!("sent what the peer refuses: {error}"));
        }
        if !answer.is_closed {
            return fault("sent no close_notify");
        }
        let second = self.close_call(side, peer.close())?;
        match second.refused {
            Some(error) => fault(&format!("refused the peer's alert: {error}")),
            None if !second.done => fault("has not seen the peer's alert"),
            None => Ok(End::Completed),
        }
    }

    fn close_call(&mut self, side: Side, input: Vec<u8>) -> Result<RelayResult, Stop> {
        let step = RelayStep { connection: 0, call: RelayCall::Close, input };
        Ok(self.relay(side, vec![step])?.pop().unwrap_or_default())
    }

    /// The call in which a side gets the peer's Finished.
    fn finished_at(&self, side: Side) -> u32 {
        if side == Side::Client && self.scenario.version == ProtocolVersion::TLS12 { 3 } else { 2 }
    }

    /// The call of a side before which nothing wrong has arrived. Without a flaw a certificate may still be
    /// wrong.
    fn wrong_from(&self, side: Side, flaw: Option<Flaw>) -> u32 {
        if flaw == Some(Flaw::Finished) { self.finished_at(side) } else { 2 }
    }

    /// The client gets the bytes of a server from another connection of the same client.
    fn replay(&mut self, first_flight: &[u8]) -> Result<End, Stop> {
        if let Some(error) = self.call(Side::Client, vec![], true)?.refused {
            return Err(Stop::Failed(format!("its client refuses to begin: {error}")));
        }
        let result = self.call(Side::Client, first_flight.to_vec(), false)?;
        let end = match result.refused {
            Some(error) => End::Refused(error),
            // It answers a flight of another connection.
            None if result.done || !result.output.is_empty() => End::Completed,
            None => End::Waits,
        };
        self.free(Side::Client)?;
        Ok(end)
    }

    /// One call of the handshake; the first makes the connection.
    fn call(&mut self, side: Side, input: Vec<u8>, first: bool) -> Result<RelayResult, Stop> {
        let mut steps = Vec::with_capacity(2);
        if first {
            steps.push(RelayStep::new(0, RelayCall::Create));
        }
        steps.push(RelayStep { connection: 0, call: RelayCall::Handshake, input });
        let results = self.relay(side, steps)?;
        let refused = results.iter().find(|result| result.refused.is_some()).cloned();
        Ok(refused.or_else(|| results.last().cloned()).unwrap_or_default())
    }

    fn free(&mut self, side: Side) -> Result<(), Stop> {
        let freed = self.relay(side, vec![RelayStep::new(0, RelayCall::Free)])?;
        match freed.into_iter().find_map(|result| result.refused) {
            Some(error) => Err(Stop::Failed(format!("its {side} frees no connection: {error}"))),
            None => Ok(()),
        }
    }

    fn relay(&mut self, side: Side, steps: Vec<RelayStep>) -> Result<Vec<RelayResult>, Stop> {
        let due = steps.len();
        match self.talk.ask(&Request::Relay { side, steps, warm_up: None }, self.timeout)? {
            Reply::Relayed(relayed) if relayed.results.len() == due => Ok(relayed.results),
            Reply::Relayed(relayed) => {
                let what = format!("{} results of {due} steps", relayed.results.len());
                Err(DriverFailure::Nonsense { request: "relay", what }.into())
            }
            other => Err(wrong_reply("relay", &other).into()),
        }
    }
}

#[cfg(test)]
mod tests;
