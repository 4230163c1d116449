//! The scenario's work, a number of times, in one thread.

use tlslab_protocol::{ConnectionAge, Measurement, Scenario, Side, SideMeasurement, Work};

use super::contexts::Place;
use super::free;
use super::lane::Lane;
use crate::Endpoint;
use crate::clock::now_ns;
use crate::meter::{Laps, Silent};

/// Bytes that one side has moved.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    pub wire: u64,
    pub sent: u64,
    pub received: u64,
}

/// What was booked, as it is told.
pub fn measurement(iterations: u64, elapsed_ns: u64, laps: &Laps, moved: [Moved; 2]) -> Measurement {
    let side = |side: Side| {
        let Moved { wire, sent, received } = moved[side as usize];
        SideMeasurement {
            phases: laps.phases(side),
            clock_reads: laps.reads(side),
            wire_bytes: wire,
            plaintext_sent: sent,
            plaintext_received: received,
            handshake_calls_ns: laps.handshake_calls_ns(side),
            latencies: laps.latencies(side),
        }
    };
    let (client, server) = (side(Side::Client), side(Side::Server));
    Measurement { iterations, client, server, elapsed_ns, threads: Vec::new() }
}

impl<E: Endpoint> Lane<E> {
    /// Does the work `iterations` times.
    pub fn measure(
        &mut self,
        at: Place<'_, E>,
        scenario: &Scenario,
        iterations: u64,
    ) -> Result<Measurement, String> {
        self.sessions.forget_old();
        match scenario.work {
            // What is held open has to be made first, and that is a handshake.
            Work::Handshake | Work::Idle { .. } => self.handshakes(at, iterations),
            Work::Transfer { sender, connection: ConnectionAge::Fresh, .. } => {
                self.fresh_transfers(at, iterations, sender)
            }
            Work::Transfer { sender, connection: ConnectionAge::Warm, burst, .. } => {
                self.warm_transfers(at, iterations, sender, burst)
            }
            Work::Exchange { burst, .. } => self.exchanges(at, iterations, burst),
            Work::Primitive(_) => Err("a primitive has no connection".to_owned()),
        }
    }

    fn handshakes(&mut self, at: Place<'_, E>, iterations: u64) -> Result<Measurement, String> {
        let mut moved = [Moved::default(); 2];
        let start_ns = now_ns();
        let mut laps = Laps::start();
        for _ in 0..iterations {
            let (ends, sent) = self.connect(at, &mut laps, &mut ())?;
            moved[0].wire += sent[0];
            moved[1].wire += sent[1];
            free(ends, &mut laps);
            laps.end_iteration();
        }
        // A connection whose early data did not all arrive has stopped.
        let early_bytes = iterations * self.pipes.early_data.len() as u64;
        (moved[0].sent, moved[1].received) = (early_bytes, early_bytes);
        Ok(measurement(iterations, now_ns() - start_ns, &laps, moved))
    }

    fn fresh_transfers(
        &mut self,
        at: Place<'_, E>,
        iterations: u64,
        sender: Side,
    ) -> Result<Measurement, String> {
        let mut wire_bytes = 0;
        let start_ns = now_ns();
        let mut laps = Laps::start();
        for _ in 0..iterations {
            let (mut ends, _) = self.connect(at, &mut Silent, &mut ())?;
            wire_bytes += self.transfer(at.endpoint, &mut ends, sender, 1, &mut laps)?;
            laps.end_iteration();
        }
        let moved = self.moved(iterations, sender, wire_bytes);
        Ok(measurement(iterations, now_ns() - start_ns, &laps, moved))
    }

    fn warm_transfers(
        &mut self,
        at: Place<'_, E>,
        iterations: u64,
        sender: Side,
        burst: u32,
    ) -> Result<Measurement, String> {
        let mut ends = match self.warm.take() {
            Some(ends) => ends,
            None => self.connect(at, &mut Silent, &mut ())?.0,
        };
        let mut wire_bytes = 0;
        let mut left = iterations;
        let start_ns = now_ns();
        let mut laps = Laps::start();
        while left > 0 {
            let writes = left.min(u64::from(burst));
            wire_bytes += self.transfer(at.endpoint, &mut ends, sender, writes as usize, &mut laps)?;
            left -= writes;
            if burst == 1 {
                laps.end_iteration();
            }
        }
        let elapsed_ns = now_ns() - start_ns;
        self.warm = Some(ends);
        Ok(measurement(iterations, elapsed_ns, &laps, self.moved(iterations, sender, wire_bytes)))
    }

    fn exchanges(&mut self, at: Place<'_, E>, iterations: u64, burst: u32) -> Result<Measurement, String> {
        let mut ends = match self.warm.take() {
            Some(ends) => ends,
            None => self.connect(at, &mut Silent, &mut ())?.0,
        };
        let bytes = iterations * self.pipes.plaintext.len() as u64;
        let mut moved = [Moved { wire: 0, sent: bytes, received: bytes }; 2];
        let mut left = iterations;
        let start_ns = now_ns();
        let mut laps = Laps::start();
        while left > 0 {
            let writes = left.min(u64::from(burst));
            let wire = self.exchange(at.endpoint, &mut ends, writes as usize, &mut laps)?;
            moved[0].wire += wire[0];
            moved[1].wire += wire[1];
            left -= writes;
            if burst == 1 {
                laps.end_iteration();
            }
        }
        let elapsed_ns = now_ns() - start_ns;
        self.warm = Some(ends);
        Ok(measurement(iterations, elapsed_ns, &laps, moved))
    }

    fn moved(&self, iterations: u64, sender: Side, wire: u64) -> [Moved; 2] {
        let bytes = iterations * self.pipes.plaintext.len() as u64;
        let mut moved = [Moved::default(); 2];
        moved[sender as usize] = Moved { wire, sent: bytes, received: 0 };
        moved[sender.peer() as usize].received = bytes;
        moved
    }
}
