//! One connection off the clock, with everything that was seen of it.

use tlslab_protocol::{Facts, Flight, Outcome, Side, Step, Tamper, Work};

use crate::meter::Silent;
use crate::pair::{Pair, Stopped, Wiretap};
use crate::{Buffer, Endpoint};

/// Makes one connection, carries the scenario's data once, and tells what was seen or who refused.
pub fn verify<E: Endpoint>(pair: &mut Pair<'_, E>, tamper: Option<Tamper>) -> Outcome {
    let carries_data = matches!(pair.work, Work::Transfer { .. });
    let mut tap = Tap { flights: Vec::new(), tamper, carries_data };
    match connection(pair, &mut tap) {
        Ok(mut facts) => {
            facts.flights = tap.flights;
            Outcome::Completed(Box::new(facts))
        }
        Err(stopped) => Outcome::Refused(stopped.into()),
    }
}

fn connection<E: Endpoint>(pair: &mut Pair<'_, E>, tap: &mut Tap) -> Result<Facts, Stopped> {
    let (mut ends, _) = pair.connect(&mut Silent, tap)?;
    let (plaintext_sent, plaintext_received) = match pair.work {
        Work::Handshake => (0, 0),
        Work::Transfer { sender, .. } => {
            let received = pair.transfer_once(&mut ends, sender, tap)?;
            (pair.pipes.plaintext.len() as u64, received)
        }
    };
    Ok(Facts {
        client: pair.endpoint.facts(&ends.client),
        server: pair.endpoint.facts(&ends.server),
        flights: Vec::new(),
        plaintext_sent,
        plaintext_received,
    })
}

/// Copies every flight, and puts the fault on the wire.
struct Tap {
    flights: Vec<Flight>,
    tamper: Option<Tamper>,
    carries_data: bool,
}

impl Wiretap for Tap {
    fn flight(&mut self, from: Side, step: Step, wire: &mut Buffer) {
        match self.tamper {
            Some(Tamper::CorruptedRecord) if self.corrupts(from, step) => {
                // The last byte belongs to the last record's authentication tag.
                if let Some(last) = wire.filled_mut().last_mut() {
                    *last ^= 1;
                    self.tamper = None;
                }
            }
            Some(Tamper::TruncatedFlight) if from == Side::Server && step == Step::Handshake => {
                wire.truncate(wire.len() / 2);
                self.tamper = None;
            }
            _ => {}
        }
        if !wire.is_empty() {
            self.flights.push(Flight { from, step, wire: wire.filled().to_vec() });
        }
    }
}

impl Tap {
    fn corrupts(&self, from: Side, step: Step) -> bool {
        if self.carries_data { step == Step::Data } else { from == Side::Server && step == Step::Handshake }
    }
}
