//! The inputs of a run, its state after resuming, and the reasons why it stops early.

use std::collections::HashMap;
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_record::{CellCount, CellState, PairState, Plan, Proof, Visit, Weight};

use crate::stage::Stage;
use crate::{DriverFailure, Journal, JournalError, Launch, Observer};

/// The decision for each cell: (scenario, stack).
pub(crate) type Cells = HashMap<(usize, usize), Proof>;

/// Why a run stopped early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was cancelled; it can be resumed later.
    #[error("interrupted")]
    Interrupted,
    /// The program that uses the processor between turns failed.
    #[error("the evictor: {0}")]
    Evictor(DriverFailure),
    /// Its records could not be written.
    #[error("cannot record: {0}")]
    Journal(JournalError),
}

/// The earlier results of a resumed run.
#[derive(Default)]
pub struct Sofar {
    /// The cells that were decided.
    pub cells: Vec<CellState>,
    /// The pairs that were decided.
    pub pairs: Vec<PairState>,
    /// The visits that were made or cut short.
    pub visits: Vec<Visit>,
    /// The counts.
    pub counts: Vec<CellCount>,
    /// The memory measurements.
    pub weights: Vec<Weight>,
    /// The time spent measuring, s.
    pub measuring_s: f64,
}

/// The inputs of a run.
pub struct Runner<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The part of it to carry out.
    pub stage: &'a Stage,
    /// The keys and certificates.
    pub pki: &'a Pki,
    /// How drivers are started.
    pub launch: &'a dyn Launch,
    /// The time limit of a driver's answer.
    pub timeout: Duration,
    /// Where records go.
    pub journal: &'a mut dyn Journal,
    /// The observer.
    pub observer: &'a mut dyn Observer,
}
