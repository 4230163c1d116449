//! Connections between two processes, one per side; the lab relays the bytes.

use std::time::Duration;

use tlslab_protocol::{RelayCall, RelayResult, RelayStep, Reply, Request, Side};
use tlslab_record::Resident;

use crate::requests::wrong_reply;
use crate::{DriverFailure, Talk};

/// Connections that are made at a time: few enough for short lines.
const AT_ONCE: u32 = 20;
/// A full handshake takes two calls per side; a number near this means an endless loop.
const MOST_CALLS: usize = 16;

/// Opens connections one after the other and reads the memory at a hundredth of them, at a tenth and at all.
pub(crate) fn residents(
    client: &mut dyn Talk,
    server: &mut dyn Talk,
    connections: u32,
    timeout: Duration,
) -> Result<Vec<Resident>, DriverFailure> {
    let mut residents = Vec::new();
    let mut open = 0;
    for count in [connections / 100, connections / 10, connections] {
        while open < count {
            let end = count.min(open + AT_ONCE);
            connect(client, server, open..end, timeout)?;
            open = end;
        }
        residents.push(Resident {
            connections: count,
            client_bytes: client.resident_bytes()?,
            server_bytes: server.resident_bytes()?,
        });
    }
    Ok(residents)
}

/// Connections on their way, by the flights that are to be delivered next.
struct Flights {
    first: u32,
    to_client: Vec<Vec<u8>>,
    to_server: Vec<Vec<u8>>,
    client_done: Vec<bool>,
    server_done: Vec<bool>,
}

/// Makes the connections of these numbers.
fn connect(
    client: &mut dyn Talk,
    server: &mut dyn Talk,
    numbers: std::ops::Range<u32>,
    timeout: Duration,
) -> Result<(), DriverFailure> {
    let count = numbers.len();
    let create = |side: Side| -> Vec<RelayStep> {
        let mut steps: Vec<_> =
            numbers.clone().map(|number| RelayStep::new(number, RelayCall::Create)).collect();
        if side == Side::Client {
            steps.extend(numbers.clone().map(|number| RelayStep::new(number, RelayCall::Handshake)));
        }
        steps
    };
    let mut hellos = relay(client, Side::Client, create(Side::Client), timeout)?;
    relay(server, Side::Server, create(Side::Server), timeout)?;
    let mut flights = Flights {
        first: numbers.start,
        to_client: vec![Vec::new(); count],
        to_server: hellos.drain(count..).map(|result| result.output).collect(),
        client_done: vec![false; count],
        server_done: vec![false; count],
    };
    for _ in 0..MOST_CALLS {
        if flights.deliver(Side::Server, server, timeout)? + flights.deliver(Side::Client, client, timeout)?
            == 0
        {
            break;
        }
    }
    match flights.client_done.iter().chain(&flights.server_done).all(|done| *done) {
        true => Ok(()),
        false => {
            let reason = "a side waits for bytes that never come".to_owned();
            Err(DriverFailure::Refused { reason })
        }
    }
}

impl Flights {
    /// Gives one side its incoming bytes. Returns for how many connections there were any.
    fn deliver(
        &mut self,
        side: Side,
        talk: &mut dyn Talk,
        timeout: Duration,
    ) -> Result<usize, DriverFailure> {
        let Self { first, to_client, to_server, client_done, server_done } = self;
        let (inbox, outbox, done) = match side {
            Side::Client => (to_client, to_server, client_done),
            Side::Server => (to_server, to_client, server_done),
        };
        let mut steps = Vec::new();
        for (at, input) in inbox.iter_mut().enumerate().filter(|(_, input)| !input.is_empty()) {
            let call = if done[at] { RelayCall::PostHandshake } else { RelayCall::Handshake };
            steps
                .push((at, RelayStep { connection: *first + at as u32, call, input: std::mem::take(input) }));
        }
        let places: Vec<usize> = steps.iter().map(|(at, _)| *at).collect();
        let steps: Vec<RelayStep> = steps.into_iter().map(|(_, step)| step).collect();
        if steps.is_empty() {
            return Ok(0);
        }
        for (at, result) in places.iter().zip(relay(talk, side, steps, timeout)?) {
            outbox[*at] = result.output;
            done[*at] |= result.done;
        }
        Ok(places.len())
    }
}

/// Steps of one side; all of them must succeed.
fn relay(
    talk: &mut dyn Talk,
    side: Side,
    steps: Vec<RelayStep>,
    timeout: Duration,
) -> Result<Vec<RelayResult>, DriverFailure> {
    let count = steps.len();
    let results = match talk.ask(&Request::Relay { side, steps, warm_up: None }, timeout)? {
        Reply::Relayed(relayed) if relayed.results.len() == count => relayed.results,
        other => return Err(wrong_reply("relay", &other)),
    };
    match results.iter().find_map(|result| result.refused.clone()) {
        Some(error) => Err(DriverFailure::Refused { reason: format!("the {side} refused: {error}") }),
        None => Ok(results),
    }
}
