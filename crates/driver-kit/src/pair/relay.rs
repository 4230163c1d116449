//! One side of connections whose other side is in another process: held by number, advanced in steps.

use tlslab_protocol::{
    MOST_RELAYED, RelayCall, RelayResult, RelayStep, Relayed, Resumption, Scenario, ServerKeyShare, Side,
    WarmUpRule,
};

use super::held::{Held, One};
use super::{Pair, Pipes, Place, placed_buffer};
use crate::timing::clock::now_ns;
use crate::timing::meter::{Laps, Meter};
use crate::timing::phase::Phase;
use crate::timing::turn::Turn;
use crate::{Buffer, Endpoint, EndpointError, Progress};

/// The most bytes that all steps of a request may output together; in hex they fit a line.
const MOST_OUTPUT_BYTES: usize = 3 * 1024 * 1024;
/// A flight of a handshake is shorter than this, whatever the certificates.
const FLIGHT_BYTES: usize = 128 * 1024;

/// The output of a step, to be examined after the clock has stopped.
struct Left {
    /// Where its output ends in the buffer.
    output_end: usize,
    result: RelayResult,
}

impl<E: Endpoint> Pair<'_, E> {
    /// Does the steps of one side in order, after a warm-up with connections of its own. All input is read
    /// and memory allocated before the first step, and all output written after the last.
    pub(crate) fn relay(
        &mut self,
        side: Side,
        steps: &[RelayStep],
        warm_up: Option<WarmUpRule>,
    ) -> Result<Relayed, String> {
        if let Some(what) = not_relayed(&self.scenario) {
            return Err(format!(
                "{what}: only the kit's own connections have that, and no side over the lab"
            ));
        }
        let highest = steps.iter().map(|step| step.connection).max().unwrap_or_default();
        if highest >= MOST_RELAYED {
            return Err(format!(
                "a connection has the number {highest}; the highest is {}",
                MOST_RELAYED - 1
            ));
        }
        if warm_up.is_some() {
            self.measure(Turn { slices: 0, iterations: 0, warm_up })?;
        }
        let mut held = std::mem::take(&mut self.held);
        let (place, worker) = self.first().map_err(String::from)?;
        let slots = &mut held.connections[side as usize];
        if slots.len() <= highest as usize {
            slots.resize_with(highest as usize + 1, || None);
        }
        let write_bytes = worker.pipes.plaintext.len();
        let room_for_one = FLIGHT_BYTES + write_bytes + write_bytes / 2;
        let mut output = match held.output.take() {
            Some(output) => output,
            None => placed_buffer(MOST_OUTPUT_BYTES + room_for_one),
        };
        output.clear();
        let mut left: Vec<Left> = Vec::with_capacity(steps.len());
        let start_ns = now_ns();
        let mut laps = Laps::start();
        for step in steps {
            let result = if output.len() > MOST_OUTPUT_BYTES {
                refused(format!("more than {MOST_OUTPUT_BYTES} bytes to send in one request"))
            } else {
                let done = held.step(side, step, place, &mut worker.pipes, &mut output, &mut laps);
                done.unwrap_or_else(|error| refused(error.0))
            };
            left.push(Left { output_end: output.len(), result });
        }
        let elapsed_ns = now_ns() - start_ns;
        let relayed = Relayed {
            results: results(left, &output),
            phases: laps.booked().phases(side),
            clock_reads: laps.booked().reads(side),
            elapsed_ns,
        };
        held.output = Some(output);
        self.held = held;
        Ok(relayed)
    }
}

/// The reason why a scenario cannot be relayed: it needs calls between the steps.
fn not_relayed(scenario: &Scenario) -> Option<&'static str> {
    if scenario.early_data > 0 {
        return Some("early_data");
    }
    if scenario.server_key_share == ServerKeyShare::Pregenerated {
        return Some("server_key_share pregenerated");
    }
    (scenario.resumption == Resumption::TicketReused).then_some("resumption ticket-reused")
}

impl<E: Endpoint> Held<E> {
    /// One step, with the clock running during the library's own calls.
    fn step(
        &mut self,
        side: Side,
        step: &RelayStep,
        at: Place<'_, E>,
        pipes: &mut Pipes,
        output: &mut Buffer,
        laps: &mut Laps,
    ) -> Result<RelayResult, EndpointError> {
        let endpoint = at.endpoint;
        let number = step.connection as usize;
        match step.call {
            RelayCall::Create | RelayCall::Resume => return self.create(side, step, at, laps),
            RelayCall::Free => return self.free(side, number, laps),
            RelayCall::Session => return self.keep_session(side, number, endpoint),
            _ => {}
        }
        let slot = &mut self.connections[side as usize][number];
        let One { connection, calls } = slot.as_mut().ok_or_else(|| missing(side, number))?;
        let mut result = RelayResult::default();
        match step.call {
            RelayCall::Handshake => {
                laps.enter(side, Phase::Handshake(*calls));
                let progress = endpoint.handshake(connection, &step.input, output);
                laps.leave();
                *calls += 1;
                // Bytes appended before an error, such as an alert, are sent all the same.
                match progress {
                    Ok(progress) => result.done = progress == Progress::Done,
                    Err(error) => result.refused = Some(error.0),
                }
            }
            RelayCall::Send => {
                laps.enter(side, Phase::Send);
                let sent = endpoint.send(connection, &pipes.plaintext, output);
                laps.leave();
                sent?;
            }
            RelayCall::Close => {
                laps.enter(side, Phase::Close);
                let progress = endpoint.close(connection, &step.input, output);
                laps.leave();
                result.done = progress? == Progress::Done;
            }
            RelayCall::Facts => result.facts = Some(Box::new(endpoint.facts(connection))),
            // `PostHandshake` or `Receive`; the others are handled above.
            call => {
                let phase = if call == RelayCall::Receive { Phase::Receive } else { Phase::PostHandshake };
                pipes.received.clear();
                laps.enter(side, phase);
                let received = endpoint.receive(connection, &step.input, &mut pipes.received);
                laps.leave();
                received?;
                let equal = pipes.received.filled().iter().zip(&pipes.plaintext);
                result.plaintext_received = equal.take_while(|(got, sent)| got == sent).count() as u64;
            }
        }
        Ok(result)
    }

    /// Makes a connection, with the session stored under its number if it is to be resumed.
    #[inline(always)]
    fn create(
        &mut self,
        side: Side,
        step: &RelayStep,
        at: Place<'_, E>,
        laps: &mut Laps,
    ) -> Result<RelayResult, EndpointError> {
        let Place { endpoint, client, server } = at;
        let number = step.connection as usize;
        let slot = &mut self.connections[side as usize][number];
        if slot.is_some() {
            return Err(EndpointError(format!("the {side}'s connection {number} exists already")));
        }
        let context = if side == Side::Client { client } else { server };
        let session = self.sessions.get_mut(number).and_then(Option::take);
        let made = match (step.call, session) {
            (RelayCall::Resume, None) => {
                return Err(EndpointError(format!("no session is kept under the number {number}")));
            }
            (RelayCall::Resume, Some(session)) => {
                laps.enter(side, Phase::Create);
                endpoint.resume(context, session)
            }
            _ => {
                laps.enter(side, Phase::Create);
                endpoint.create(context)
            }
        };
        laps.leave();
        *slot = Some(One { connection: Box::new(made?), calls: 0 });
        Ok(RelayResult::default())
    }

    /// Dropping the connection is on the clock; freeing the kit's memory for it is not.
    #[inline(always)]
    fn free(&mut self, side: Side, number: usize, laps: &mut Laps) -> Result<RelayResult, EndpointError> {
        let slot = &mut self.connections[side as usize][number];
        let connection = *slot.take().ok_or_else(|| missing(side, number))?.connection;
        laps.enter(side, Phase::Free);
        drop(connection);
        laps.leave();
        Ok(RelayResult::default())
    }

    /// Stores a client's session under the connection's number. Off every clock.
    fn keep_session(
        &mut self,
        side: Side,
        number: usize,
        endpoint: &E,
    ) -> Result<RelayResult, EndpointError> {
        let slot = &mut self.connections[side as usize][number];
        let One { connection, .. } = slot.as_mut().ok_or_else(|| missing(side, number))?;
        if side == Side::Server {
            return Err(EndpointError("a server keeps no session to take up".to_owned()));
        }
        let session = endpoint.session(connection)?;
        let done = session.is_some();
        if self.sessions.len() <= number {
            self.sessions.resize_with(number + 1, || None);
        }
        self.sessions[number] = session;
        Ok(RelayResult { done, ..RelayResult::default() })
    }
}

/// The results, each with its step's part of the output.
fn results(left: Vec<Left>, output: &Buffer) -> Vec<RelayResult> {
    let mut start = 0;
    let with_output = |Left { output_end, result }| {
        let own = &output.filled()[start..output_end];
        start = output_end;
        RelayResult { output: own.to_vec(), ..result }
    };
    left.into_iter().map(with_output).collect()
}

fn refused(reason: String) -> RelayResult {
    RelayResult { refused: Some(reason), ..RelayResult::default() }
}

fn missing(side: Side, number: usize) -> EndpointError {
    EndpointError(format!("the {side} has no connection {number}"))
}
