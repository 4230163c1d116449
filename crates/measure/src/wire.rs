//! What both sides of a cell's connections send, read as the proof reads them.

use tlslab_protocol::{Outcome, Scenario, Start, Work};
use tlslab_record::{PerConnection, StackRecord, Weighed};

use crate::DriverFailure;
use crate::requests::{chains, credentials, prepare, started, verify};
use crate::runner::Runner;

/// Handshakes that one process makes: with those of a second process enough to see a shift by one byte of an
/// ECDSA signature, whose length varies.
const HANDSHAKES: u32 = 64;
/// Connections with data that one process makes. Sizes of data hardly ever vary, and a write may be large.
const TRANSFERS: u32 = 8;

impl Runner<'_> {
    /// A process that makes connections, each with new randomness, and its end.
    pub(crate) fn read_wire(
        &self,
        stack: &StackRecord,
        scenario: &Scenario,
    ) -> Result<Weighed, DriverFailure> {
        let connections = match &scenario.work {
            Work::Handshake | Work::Request { .. } => HANDSHAKES,
            Work::Transfer { .. } | Work::Exchange { .. } => TRANSFERS,
            Work::Primitive(_) => return Ok(unsupported("a primitive sends nothing")),
            Work::Idle { .. } => return Ok(unsupported("connections that are idle send nothing")),
        };
        let scenario = &Scenario { start: Start::Warm, ..scenario.clone() };
        let mut talk = started(self.launch, stack.into(), self.timeout)?;
        let given = credentials(self.pki, scenario);
        let chains = chains(&given);
        if let Some(reason) = prepare(talk.as_mut(), scenario, given, self.timeout)? {
            return Ok(Weighed::Unsupported(reason));
        }
        let able = stack.able();
        let mut sizes = PerConnection::default();
        for _ in 0..connections {
            let facts = match verify(talk.as_mut(), None, self.timeout)? {
                Outcome::Completed(facts) => facts,
                Outcome::Refused(refusal) => {
                    let (side, error) = (refusal.side, refusal.error);
                    return Ok(Weighed::Failed(format!("the {side} refused a connection: {error}")));
                }
            };
            let sent = match tlslab_proof::check_declared(scenario, &facts, &able, &chains) {
                Ok(proven) => tlslab_proof::sent(scenario, &facts, &proven),
                Err(wrong) => {
                    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
                    Err(format!("the work is not what was asked for: {}", wrong.join("; ")))
                }
            };
            match sent {
                Ok(sent) => sizes.add(&sent.client, &sent.server),
                Err(reason) => return Ok(Weighed::Failed(reason)),
            }
        }
        talk.end()?;
        Ok(Weighed::Wire(Box::new(sizes)))
    }
}

fn unsupported(reason: &str) -> Weighed {
    Weighed::Unsupported(reason.to_owned())
}
