//! The scenario's work once, attributed by any meter.

use tlslab_protocol::{ConnectionAge, Side, Work};

use super::{Place, Worker, free};
use crate::Endpoint;
use crate::memory::meter::Fingerprint;
use crate::timing::meter::{Meter, Silent};

impl<E: Endpoint> Worker<E> {
    /// Does the work once. `wire` hashes the bytes that cross the wire on the meter.
    pub(crate) fn once<M: Meter>(
        &mut self,
        at: Place<'_, E>,
        work: Work,
        meter: &mut M,
        wire: &mut Fingerprint,
    ) -> Result<(), String> {
        let connection = match work {
            Work::Handshake | Work::Idle { .. } => {
                let (ends, _) = self.connect(at, meter, wire)?;
                meter.done();
                free(ends, meter);
                return Ok(());
            }
            Work::Request { .. } => {
                self.request(at, meter, wire)?;
                return Ok(());
            }
            Work::Transfer { connection, .. } => connection,
            Work::Exchange { .. } => ConnectionAge::Warm,
            Work::Primitive(_) => return Err("a primitive has no connection".to_owned()),
        };
        let mut ends = match self.warm.take() {
            Some(ends) if connection == ConnectionAge::Warm => ends,
            _ => self.connect(at, &mut Silent, wire)?.0,
        };
        match work {
            Work::Transfer { sender, .. } => {
                self.transfer(at.endpoint, &mut ends, sender, 1, meter)?;
            }
            _ => {
                self.exchange(at.endpoint, &mut ends, 1, meter)?;
            }
        }
        meter.done();
        for sender in work.senders() {
            wire.see(match sender {
                Side::Client => self.pipes.to_server.filled(),
                Side::Server => self.pipes.to_client.filled(),
            });
        }
        if connection == ConnectionAge::Warm {
            self.warm = Some(ends);
        }
        Ok(())
    }
}
