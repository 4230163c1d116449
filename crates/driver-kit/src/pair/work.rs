//! The scenario's work, repeated in one thread.

use tlslab_protocol::{ConnectionAge, Measurement, Scenario, Side, Work};

use super::contexts::Place;
use super::ends::Ends;
use super::free;
use super::stopped::Stopped;
use super::worker::Worker;
use crate::Endpoint;
use crate::memory::placement;
use crate::timing::meter::{Laps, Silent};
use crate::timing::turn::Turn;

impl<E: Endpoint> Worker<E> {
    /// Does the work as a turn requests.
    pub(crate) fn measure(
        &mut self,
        at: Place<'_, E>,
        scenario: &Scenario,
        turn: Turn,
    ) -> Result<Vec<Measurement>, String> {
        self.sessions.forget_old();
        match scenario.work {
            // Connections that are held open have to be made first, and that is a handshake.
            Work::Handshake | Work::Idle { .. } => self.handshakes(at, turn),
            Work::Transfer { sender, connection: ConnectionAge::Fresh, .. } => {
                self.fresh_transfers(at, turn, sender)
            }
            Work::Transfer { sender, connection: ConnectionAge::Warm, burst, .. } => {
                self.warm_transfers(at, turn, sender, burst)
            }
            Work::Exchange { burst, .. } => self.exchanges(at, turn, burst),
            Work::Request { .. } => self.requests(at, turn),
            Work::Primitive(_) => Err("a primitive has no connection".to_owned()),
        }
    }

    fn handshakes(&mut self, at: Place<'_, E>, turn: Turn) -> Result<Vec<Measurement>, String> {
        let mut laps = Laps::start();
        let done = turn.run(1, &mut laps, |_, laps| {
            let (ends, sent) = self.connect(at, laps, &mut ())?;
            free(ends, laps);
            Ok::<_, Stopped>(sent)
        })?;
        // A connection whose early data did not all arrive has stopped.
        let early_bytes = turn.iterations * self.pipes.early_data.len() as u64;
        Ok(turn.measurements(done, &laps, [[early_bytes, 0], [0, early_bytes]]))
    }

    fn fresh_transfers(
        &mut self,
        at: Place<'_, E>,
        turn: Turn,
        sender: Side,
    ) -> Result<Vec<Measurement>, String> {
        let mut laps = Laps::start();
        let done = turn.run(1, &mut laps, |_, laps| {
            let (mut ends, _) = self.connect(at, &mut Silent, &mut ())?;
            let sent = self.transfer(at.endpoint, &mut ends, sender, 1, laps)?;
            Ok::<_, Stopped>(of_sender(sender, sent))
        })?;
        Ok(turn.measurements(done, &laps, self.one_way(turn, sender)))
    }

    fn warm_transfers(
        &mut self,
        at: Place<'_, E>,
        turn: Turn,
        sender: Side,
        burst: u32,
    ) -> Result<Vec<Measurement>, String> {
        let mut ends = self.kept(at)?;
        let mut laps = Laps::start();
        let done = turn.run(u64::from(burst), &mut laps, |writes, laps| {
            let sent = self.transfer(at.endpoint, &mut ends, sender, writes as usize, laps)?;
            Ok::<_, Stopped>(of_sender(sender, sent))
        })?;
        self.warm = Some(ends);
        Ok(turn.measurements(done, &laps, self.one_way(turn, sender)))
    }

    fn exchanges(&mut self, at: Place<'_, E>, turn: Turn, burst: u32) -> Result<Vec<Measurement>, String> {
        let mut ends = self.kept(at)?;
        let bytes = turn.iterations * self.pipes.plaintext.len() as u64;
        let mut laps = Laps::start();
        let done = turn.run(u64::from(burst), &mut laps, |writes, laps| {
            self.exchange(at.endpoint, &mut ends, writes as usize, laps)
        })?;
        self.warm = Some(ends);
        Ok(turn.measurements(done, &laps, [[bytes; 2]; 2]))
    }

    /// The warm connection, made on first use. Its memory from the first write on has another distance from
    /// its earlier memory.
    fn kept(&mut self, at: Place<'_, E>) -> Result<Ends<E>, Stopped> {
        if let Some(ends) = self.warm.take() {
            return Ok(ends);
        }
        placement::move_heap();
        let (ends, _) = self.connect(at, &mut Silent, &mut ())?;
        placement::move_heap();
        Ok(ends)
    }

    /// The plaintext of a turn that one side sends.
    fn one_way(&self, turn: Turn, sender: Side) -> [[u64; 2]; 2] {
        let bytes = turn.iterations * self.pipes.plaintext.len() as u64;
        match sender {
            Side::Client => [[bytes, 0], [0, bytes]],
            Side::Server => [[0, bytes], [bytes, 0]],
        }
    }
}

/// Bytes on the wire by side, if only one side sends.
fn of_sender(sender: Side, bytes: u64) -> [u64; 2] {
    let mut sent = [0; 2];
    sent[sender as usize] = bytes;
    sent
}
