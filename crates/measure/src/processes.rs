//! A round's processes: a new one of every stack that has work, and the evictor's.

use std::path::Path;

use tlslab_record::{Overhead, Proof};

use crate::overhead::calibrated;
use crate::requests::started;
use crate::runner::Cells;
use crate::schedule::Schedule;
use crate::{DriverFailure, DriverProgram, RunError, Runner, Talk};

/// A round's processes.
pub(crate) struct Processes {
    /// One per stack.
    pub stacks: Vec<Option<Box<dyn Talk>>>,
    /// The one that uses the processor between turns, if the plan has one.
    pub evictor: Option<Box<dyn Talk>>,
}

impl<'r> Runner<'r> {
    /// How a round's timed process of a stack is started.
    pub(crate) fn timed(&self, stack: usize, round: u32) -> DriverProgram<'r> {
        let (plan, stage) = (self.plan, self.stage);
        let placement = Schedule::new(plan.seed).placement(plan.placement, round, stack);
        DriverProgram { placement, ..stage.program(stack, &plan.stacks[stack], stage.turn(round)) }
    }

    /// The program that uses the processor between turns, if the plan has one.
    pub(crate) fn start_evictor(&self) -> Result<Option<Box<dyn Talk>>, RunError> {
        let Some(evictor) = &self.plan.evictor else { return Ok(None) };
        let program = DriverProgram {
            path: Path::new(&evictor.program),
            environment: &evictor.environment,
            preload: None,
            counter: None,
            moves: false,
            placement: None,
            described: None,
        };
        self.launch.launch(program).map(Some).map_err(RunError::Evictor)
    }

    /// Fresh processes for every stack with work, each calibrated if the stage requires it.
    pub(crate) fn start_round(
        &mut self,
        cells: &mut Cells,
        round: u32,
        schedule: Schedule,
        processes: &mut [Option<Box<dyn Talk>>],
    ) -> Result<(), RunError> {
        let plan = self.plan;
        for stack in schedule.starts(round, plan.stacks.len()) {
            let works = |scenario| {
                self.stage.visits(round, scenario, stack)
                    && matches!(cells.get(&(scenario, stack)), Some(Proof::Proven { .. }))
            };
            if !(0..plan.scenarios.len()).any(works) {
                continue;
            }
            processes[stack] = self.start_with_retries(cells, stack, round)?;
        }
        Ok(())
    }

    /// A fresh process of a stack, calibrated. `None` if it could not be started; its visits or cells then
    /// have the reason.
    fn start_with_retries(
        &mut self,
        cells: &mut Cells,
        stack: usize,
        round: u32,
    ) -> Result<Option<Box<dyn Talk>>, RunError> {
        let record = &self.plan.stacks[stack];
        let name = &record.name;
        let program = self.timed(stack, round);
        for _ in 0..self.plan.policy.tries {
            match self.greeted(program, stack, round) {
                Ok((started, overhead)) => {
                    if let Some(overhead) = overhead {
                        self.journal.overhead(&overhead).map_err(RunError::Journal)?;
                    }
                    return Ok(Some(started));
                }
                Err(failure) => {
                    self.interrupted(&failure)?;
                    if !failure.may_be_chance() {
                        self.fail_stack(cells, stack, &failure)?;
                        return Ok(None);
                    }
                    self.warn(&format!(
                        "{name}: {failure}, at the start of round {}; it was started again",
                        round + 1
                    ))?;
                }
            }
        }
        Ok(None)
    }

    /// A fresh process that has said hello, and the harness's costs in it if the stage requires them.
    fn greeted(
        &self,
        program: DriverProgram<'_>,
        stack: usize,
        round: u32,
    ) -> Result<(Box<dyn Talk>, Option<Overhead>), DriverFailure> {
        let mut started = started(self.launch, program, self.timeout)?;
        let overhead = match self.stage.calibrates(round) {
            true => Some(calibrated(started.as_mut(), stack, round, self.timeout)?),
            false => None,
        };
        Ok((started, overhead))
    }

    /// Ends a round's processes. If one ends badly or leaves descendants, all its cells fail.
    pub(crate) fn end_round(
        &mut self,
        cells: &mut Cells,
        processes: Vec<Option<Box<dyn Talk>>>,
    ) -> Result<(), RunError> {
        for (stack, process) in processes.into_iter().enumerate() {
            if let Some(process) = process
                && let Err(failure) = process.end()
            {
                self.interrupted(&failure)?;
                if failure.may_be_chance() {
                    self.warn(&format!(
                        "{}: {failure}, after its work was done",
                        self.plan.stacks[stack].name
                    ))?;
                } else {
                    self.fail_stack(cells, stack, &failure)?;
                }
            }
        }
        Ok(())
    }
}
