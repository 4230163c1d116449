//! What a cell asks of the kernel, in a process of its own whose system calls are trapped.

use tlslab_protocol::{Measure, Reply, Request, Scenario, Work};
use tlslab_record::{KernelFigures, StackRecord, StackState, Weighed};

use crate::DriverFailure;
use crate::requests::{credentials, prepare, started, wrong_reply};
use crate::runner::Runner;

/// Connections of each process: enough to see what happens in one of tens, such as a heap that grows.
const CONNECTIONS: u32 = 64;
/// Writes of each process: one may be large.
const WRITES: u32 = 16;
/// System calls take longer where they are trapped.
const PATIENCE: u32 = 10;

impl Runner<'_> {
    /// A process that does the work of one cell, and its end.
    pub(crate) fn ask_kernel(
        &self,
        stack: &StackRecord,
        scenario: &Scenario,
    ) -> Result<Weighed, DriverFailure> {
        if let Some(reason) = unable(stack) {
            return Ok(Weighed::Unsupported(reason));
        }
        let iterations = match &scenario.work {
            Work::Transfer { .. } | Work::Exchange { .. } => WRITES,
            _ => CONNECTIONS,
        };
        let mut talk = started(self.launch, stack.into(), self.timeout)?;
        if let Some(reason) = prepare(talk.as_mut(), scenario, credentials(self.pki, scenario), self.timeout)?
        {
            return Ok(Weighed::Unsupported(reason));
        }
        let found = match talk.ask(&Request::Kernel { iterations }, self.timeout * PATIENCE)? {
            Reply::Kernel(work) => match tlslab_proof::untrue_of_kernel(&work, iterations) {
                None => Weighed::Kernel(Box::new(KernelFigures::of(&work))),
                Some(what) => return Err(DriverFailure::Nonsense { request: "kernel", what }),
            },
            Reply::Unsupported { reason } => Weighed::Unsupported(reason),
            other => return Err(wrong_reply("kernel", &other)),
        };
        talk.end()?;
        Ok(found)
    }
}

/// Why a stack's system calls cannot be counted, in its own words if it has any.
fn unable(stack: &StackRecord) -> Option<String> {
    let StackState::Ready(description) = &stack.state else { return None };
    if description.metrics.iter().any(|metric| metric == Measure::Kernel.name()) {
        return None;
    }
    let reason = description.capabilities.reason("metric", Measure::Kernel.name());
    Some(reason.unwrap_or("the stack's driver does not count its system calls").to_owned())
}
