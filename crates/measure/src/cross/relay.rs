//! Connections between two driver processes: the lab carries the bytes, one side works at a time.
//!
//! Several connections go through their steps together, so that a request's way through the pipe is shared by
//! all of them. The calls and their order within a connection are those of the kit's own loop.

use std::time::{Duration, Instant};

use tlslab_protocol::{
    Facts, Flight, RelayCall, RelayResult, RelayStep, Relayed, Reply, Request, Side, SideFacts, Step,
    WarmUpRule,
};
use tlslab_record::{PairRefusal, PairSide};

use super::ending::refusal;
use crate::requests::wrong_reply;
use crate::{DriverFailure, JournalError, Talk};

/// A full handshake takes two or three calls a side; anything near this is a loop without end.
const MOST_CALLS: usize = 16;

/// The processes of two stacks: the client's and the server's, which are one if a stack meets itself.
pub(crate) struct Line<'a> {
    /// All stacks' processes.
    pub processes: &'a mut [Option<Box<dyn Talk>>],
    /// The client's stack and the server's.
    pub ends: [usize; 2],
    /// How long each driver works alone at the beginning of each request as a warm-up.
    pub warm_ups: [Option<WarmUpRule>; 2],
    /// The time limit of a driver's answer.
    pub timeout: Duration,
}

/// Why connections between two stacks failed.
pub(crate) enum Stop {
    /// A stack's driver failed.
    Driver { stack: usize, failure: DriverFailure },
    /// One side ended a connection.
    Refused(PairRefusal),
    /// A connection was completed with the wrong properties.
    Wrong(String),
    /// The journal failed.
    Journal(JournalError),
}

/// Completed connections.
pub(crate) struct Made {
    /// The work of each side, client first.
    pub sides: [PairSide; 2],
    /// The server's bytes in each connection before the client was done.
    pub server_flights: Vec<u64>,
    /// The first connection with all its observations, if requested.
    pub facts: Option<Facts>,
}

/// The state of a connection.
#[derive(Default)]
struct Link {
    to: [Vec<u8>; 2],
    done: [bool; 2],
    server_flight: u64,
    flights: Vec<Flight>,
}

impl Line<'_> {
    /// Makes `count` connections and frees them. `watched` keeps all observations of the first.
    pub(super) fn connections(&mut self, count: u32, watched: bool) -> Result<Made, Stop> {
        let made = self.try_connections(count, watched);
        if made.is_err() {
            self.clear(count);
        }
        made
    }

    fn try_connections(&mut self, count: u32, watched: bool) -> Result<Made, Stop> {
        let mut sides = [PairSide::default(); 2];
        let mut links: Vec<Link> = (0..count).map(|_| Link::default()).collect();
        let all: Vec<u32> = (0..count).collect();
        self.turn(Side::Client, &all, true, &mut links, &mut sides)?;
        self.turn(Side::Server, &all, true, &mut links, &mut sides)?;
        for _ in 0..MOST_CALLS {
            let waiting = |side: Side, links: &[Link]| -> Vec<u32> {
                let has_input = |number: &u32| !links[*number as usize].to[side as usize].is_empty();
                all.iter().copied().filter(has_input).collect()
            };
            let clients = waiting(Side::Client, &links);
            let clients: Vec<u32> =
                clients.into_iter().filter(|number| !links[*number as usize].done[0]).collect();
            if clients.is_empty() {
                break;
            }
            self.turn(Side::Client, &clients, false, &mut links, &mut sides)?;
            let servers = waiting(Side::Server, &links);
            self.turn(Side::Server, &servers, false, &mut links, &mut sides)?;
        }
        for side in Side::BOTH {
            if links.iter().any(|link| !link.done[side as usize]) {
                let error = "waits for bytes that never come".to_owned();
                return Err(Stop::Refused(PairRefusal {
                    side,
                    step: Step::Handshake,
                    error,
                    alert: None,
                    peer: None,
                }));
            }
        }
        let late: Vec<u32> =
            all.iter().copied().filter(|number| !links[*number as usize].to[0].is_empty()).collect();
        self.after_the_handshake(&late, &mut links, &mut sides)?;
        let facts = match watched {
            true => Some(self.facts(std::mem::take(&mut links[0].flights))?),
            false => None,
        };
        for side in Side::BOTH {
            let steps = all.iter().map(|number| RelayStep::new(*number, RelayCall::Free)).collect();
            self.ask(side, steps, &mut sides)?;
        }
        let server_flights = links.iter().map(|link| link.server_flight).collect();
        Ok(Made { sides, server_flights, facts })
    }

    /// One side's next call in these connections; `first` creates its ends before.
    fn turn(
        &mut self,
        side: Side,
        numbers: &[u32],
        first: bool,
        links: &mut [Link],
        sides: &mut [PairSide; 2],
    ) -> Result<(), Stop> {
        let mut steps = Vec::with_capacity(2 * numbers.len());
        for number in numbers {
            if first {
                steps.push(RelayStep::new(*number, RelayCall::Create));
            }
            let input = std::mem::take(&mut links[*number as usize].to[side as usize]);
            steps.push(RelayStep { connection: *number, call: RelayCall::Handshake, input });
        }
        let called: Vec<(u32, RelayCall)> = steps.iter().map(|step| (step.connection, step.call)).collect();
        for ((number, call), result) in called.into_iter().zip(self.ask(side, steps, sides)?) {
            if let Some(error) = result.refused {
                let peer = match links[number as usize].done[side.peer() as usize] {
                    // Its peer does not exist yet.
                    _ if first && side == Side::Client => None,
                    true => Some(RelayCall::PostHandshake),
                    false => Some(RelayCall::Handshake),
                };
                return Err(self.refused((side, Step::Handshake), number, error, result.output, peer));
            }
            if call == RelayCall::Handshake {
                links[number as usize].sends(side, result);
            }
        }
        Ok(())
    }

    /// Gives clients the bytes that arrived after their handshake.
    fn after_the_handshake(
        &mut self,
        numbers: &[u32],
        links: &mut [Link],
        sides: &mut [PairSide; 2],
    ) -> Result<(), Stop> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut step = |number: &u32| {
            let input = std::mem::take(&mut links[*number as usize].to[0]);
            RelayStep { connection: *number, call: RelayCall::PostHandshake, input }
        };
        let steps = numbers.iter().map(&mut step).collect();
        for (number, result) in numbers.iter().zip(self.ask(Side::Client, steps, sides)?) {
            if let Some(error) = result.refused {
                let at = (Side::Client, Step::PostHandshake);
                let peer = Some(RelayCall::PostHandshake);
                return Err(self.refused(at, *number, error, result.output, peer));
            }
        }
        Ok(())
    }

    fn facts(&mut self, flights: Vec<Flight>) -> Result<Facts, Stop> {
        let mut said = Vec::new();
        for side in Side::BOTH {
            let steps = vec![RelayStep::new(0, RelayCall::Facts)];
            let result = self.ask(side, steps, &mut [PairSide::default(); 2])?.remove(0);
            said.push(result.facts.map_or_else(SideFacts::default, |facts| *facts));
        }
        let (server, client) = (said.remove(1), said.remove(0));
        let (plaintext_sent, plaintext_received) = (0, 0);
        let (early_data_sent, early_data_received) = (0, 0);
        Ok(Facts {
            client,
            server,
            flights,
            plaintext_sent,
            plaintext_received,
            early_data_sent,
            early_data_received,
        })
    }

    /// A side has ended a connection. Its last bytes go to its peer, which may be able to read them.
    fn refused(
        &mut self,
        (side, step): (Side, Step),
        number: u32,
        error: String,
        sent: Vec<u8>,
        peer: Option<RelayCall>,
    ) -> Stop {
        let heard = peer.filter(|_| !sent.is_empty()).and_then(|call| {
            let delivered = RelayStep { connection: number, call, input: sent.clone() };
            // Later failures do not matter: the connection had ended before.
            self.ask(side.peer(), vec![delivered], &mut [PairSide::default(); 2]).ok()
        });
        let peer = heard.and_then(|mut results| results.pop()).and_then(|result| result.refused);
        Stop::Refused(refusal(side, step, error, &sent, peer))
    }

    /// Frees the rest of a stopped connection. A process that cannot even do that is given up.
    fn clear(&mut self, count: u32) {
        for side in Side::BOTH {
            let steps = (0..count).map(|number| RelayStep::new(number, RelayCall::Free)).collect();
            if let Err(Stop::Driver { stack, .. }) = self.ask(side, steps, &mut [PairSide::default(); 2]) {
                self.processes[stack] = None;
            }
        }
    }

    /// One request to a side's driver. Its measurements are added to the side's share.
    fn ask(
        &mut self,
        side: Side,
        steps: Vec<RelayStep>,
        sides: &mut [PairSide; 2],
    ) -> Result<Vec<RelayResult>, Stop> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let stack = self.ends[side as usize];
        let driver = |failure| Stop::Driver { stack, failure };
        let Some(talk) = self.processes[stack].as_mut() else {
            return Err(driver(DriverFailure::NotStarted("it was given up before".to_owned())));
        };
        let due = steps.len();
        let start = Instant::now();
        let relayed = match talk
            .ask(&Request::Relay { side, steps, warm_up: self.warm_ups[side as usize] }, self.timeout)
            .map_err(driver)?
        {
            Reply::Relayed(relayed) => relayed,
            other => return Err(driver(wrong_reply("relay", &other))),
        };
        if let Some(what) = untrue(&relayed, due, start.elapsed()) {
            return Err(driver(DriverFailure::Nonsense { request: "relay", what }));
        }
        let wire_bytes = relayed.results.iter().map(|result| result.output.len() as u64).sum();
        let Relayed { phases, clock_reads, results, .. } = relayed;
        sides[side as usize].add(&PairSide { phases, clock_reads, wire_bytes });
        Ok(results)
    }
}

impl Link {
    /// Takes a side's bytes.
    fn sends(&mut self, from: Side, result: RelayResult) {
        let step = if from == Side::Server && self.done[0] { Step::PostHandshake } else { Step::Handshake };
        self.done[from as usize] |= result.done;
        if result.output.is_empty() {
            return;
        }
        if from == Side::Server && step == Step::Handshake {
            self.server_flight += result.output.len() as u64;
        }
        self.flights.push(Flight { from, step, wire: result.output.clone() });
        self.to[from.peer() as usize] = result.output;
    }
}

/// Implausible parts of an answer: missing results, times that exceed the elapsed time.
fn untrue(relayed: &Relayed, due: usize, waited: Duration) -> Option<String> {
    let on_clock = relayed.phases.total_ns();
    if relayed.results.len() != due {
        return Some(format!("{} results of {due} steps", relayed.results.len()));
    }
    if on_clock > relayed.elapsed_ns {
        return Some(format!("{on_clock} ns on its clock within {} ns", relayed.elapsed_ns));
    }
    if u128::from(relayed.elapsed_ns) > waited.as_nanos() {
        return Some(format!("{} ns of work within {} ns", relayed.elapsed_ns, waited.as_nanos()));
    }
    None
}
