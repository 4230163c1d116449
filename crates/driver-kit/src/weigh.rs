//! The scenario's work, weighed.

use tlslab_protocol::{ConnectionAge, Side, Sides, Weighing, Work};

use crate::Endpoint;
use crate::heap::Heap;
use crate::meter::{Meter, Phase, Silent};
use crate::pair::{Ends, Pair};
use crate::scales::{Fingerprint, Scales};
use crate::stack::Stack;

/// Iterations before the first that is weighed: what a library sets up once lies in them.
const WARM_UP: u64 = 4;

impl<E: Endpoint> Pair<'_, E> {
    /// Does the work `iterations` times after a few that do not count; or holds its connections open.
    pub fn weigh(&mut self, heap: Heap, iterations: u32) -> Result<Weighing, String> {
        let mut wire = Fingerprint::new();
        let mut weighing = Weighing::default();
        self.forget_old_session();
        match self.work {
            Work::Idle { connections } => {
                let mut scales = Scales::start(heap, self.endpoint.inline_bytes(), None);
                self.measure(WARM_UP)?;
                let mut held: Vec<Ends<E>> = Vec::with_capacity(connections as usize);
                for count in counts(connections) {
                    while held.len() < count as usize {
                        held.push(self.connect(&mut scales, &mut wire)?.0);
                    }
                    weighing.held.push(scales.held(count));
                }
            }
            Work::Handshake | Work::Transfer { .. } => {
                let mut scales = Scales::start(heap, self.endpoint.inline_bytes(), Some(Stack::find()?));
                self.measure(WARM_UP)?;
                // Allocated before anything is booked.
                weighing.iterations.reserve_exact(iterations as usize);
                for _ in 0..iterations {
                    let weighed = self.weigh_once(&mut scales, &mut wire)?;
                    weighing.iterations.push(weighed);
                }
            }
        }
        weighing.wire = wire.text();
        Ok(weighing)
    }

    fn weigh_once(
        &mut self,
        scales: &mut Scales,
        wire: &mut Fingerprint,
    ) -> Result<Sides<tlslab_protocol::SideWeight>, String> {
        match self.work {
            Work::Handshake | Work::Idle { .. } => {
                let (ends, _) = self.connect(scales, wire)?;
                scales.done();
                scales.enter(Side::Client, Phase::Free);
                drop(ends.client);
                scales.enter(Side::Server, Phase::Free);
                drop(ends.server);
                scales.leave();
            }
            Work::Transfer { sender, connection, .. } => {
                let mut ends = match self.warm.take() {
                    Some(ends) if connection == ConnectionAge::Warm => ends,
                    _ => self.connect(&mut Silent, wire)?.0,
                };
                self.transfer(&mut ends, sender, 1, scales)?;
                scales.done();
                wire.see(match sender {
                    Side::Client => self.pipes.to_server.filled(),
                    Side::Server => self.pipes.to_client.filled(),
                });
                if connection == ConnectionAge::Warm {
                    self.warm = Some(ends);
                }
            }
        }
        Ok(scales.take())
    }
}

/// A hundredth, a tenth and all; none of them twice, and none of them 0.
pub fn counts(connections: u32) -> Vec<u32> {
    let mut counts = vec![connections / 100, connections / 10, connections];
    counts.dedup();
    counts.retain(|count| *count > 0);
    counts
}
