//! One untimed connection, with all observations.

use tlslab_protocol::{Facts, Flight, Outcome, Side, Step, Tamper, Work};

use super::{Connected, Pair, Stopped, Wiretap};
use crate::timing::meter::Silent;
use crate::{Buffer, Endpoint};

/// Makes one connection, transfers the scenario's data once, closes it if the scenario does, and reports the
/// facts or the refusal.
pub(crate) fn verify<E: Endpoint>(pair: &mut Pair<'_, E>, tamper: Option<Tamper>) -> Outcome {
    let carries_data = !matches!(pair.scenario.proven_work(), Work::Handshake | Work::Idle { .. });
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
    let work = pair.scenario.proven_work();
    let (senders, closes) = (work.senders(), work.closes());
    let (place, worker) = pair.first()?;
    let endpoint = place.endpoint;
    let Connected { mut ends, early_data, .. } = worker.connected(place, &mut Silent, tap)?;
    let early_data_sent = worker.pipes.early_data.len() as u64;
    let (mut plaintext_sent, mut plaintext_received) = (0, 0);
    for sender in senders {
        let (sent, arrived) = worker.transfer_once(endpoint, &mut ends, *sender, tap)?;
        plaintext_sent += sent;
        plaintext_received += arrived;
    }
    let (client, server) = (endpoint.facts(&ends.client), endpoint.facts(&ends.server));
    if closes {
        worker.close(endpoint, &mut ends, &mut Silent, tap)?;
    }
    Ok(Facts {
        client,
        server,
        flights: Vec::new(),
        plaintext_sent,
        plaintext_received,
        early_data_sent,
        early_data_received: early_data,
    })
}

/// Copies every flight, and injects the fault on the wire.
struct Tap {
    flights: Vec<Flight>,
    tamper: Option<Tamper>,
    carries_data: bool,
}

impl Wiretap for Tap {
    fn flight(&mut self, from: Side, step: Step, wire: &mut Buffer) {
        match self.tamper {
            Some(Tamper::CorruptedRecord) if self.corrupts(from, step, wire.filled()) => {
                // The last byte belongs to the last record's authentication tag.
                if let Some(last) = wire.filled_mut().last_mut() {
                    *last ^= 1;
                    self.tamper = None;
                }
            }
            Some(Tamper::TruncatedFlight) if from == Side::Server && step == Step::Handshake => {
                wire.truncate(wire.len() / 4);
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
    fn corrupts(&self, from: Side, step: Step, wire: &[u8]) -> bool {
        if self.carries_data {
            return step == Step::Data;
        }
        from == Side::Server && step == Step::Handshake && goes_beyond_the_clear(wire)
    }
}

/// Whether a part of a flight is encrypted: in TLS 1.2 it follows a ChangeCipherSpec, in TLS 1.3 its content
/// type is application data.
fn goes_beyond_the_clear(wire: &[u8]) -> bool {
    const HEADER_BYTES: usize = 5;
    let mut rest = wire;
    while let Some((header, body)) = rest.split_at_checked(HEADER_BYTES) {
        if header[0] == 23 || (header[0] == 20 && body.len() > 1) {
            return true;
        }
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        rest = body.get(length..).unwrap_or_default();
    }
    false
}
