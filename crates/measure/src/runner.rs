//! The inputs of a run, its state when it is resumed, and the reasons why it stops early.

use std::collections::HashMap;
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_record::{CellCount, CellState, PairState, Plan, Proof, Visit, Weight};

use crate::stage::Stage;
use crate::{DriverFailure, Journal, JournalError, Launch, Observer};

/// What was decided of each cell: (scenario, stack).
pub(crate) type Cells = HashMap<(usize, usize), Proof>;

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was asked to stop; it can go on later.
    #[error("interrupted")]
    Interrupted,
    /// The program that uses the processor between turns failed.
    #[error("the evictor: {0}")]
    Evictor(DriverFailure),
    /// Its records could not be written.
    #[error("cannot record: {0}")]
    Journal(JournalError),
}

/// What a run that goes on has already.
#[derive(Default)]
pub struct Sofar {
    /// The cells that were decided.
    pub cells: Vec<CellState>,
    /// The pairs that were decided.
    pub pairs: Vec<PairState>,
    /// The visits that were made or cut short.
    pub visits: Vec<Visit>,
    /// What was counted.
    pub counts: Vec<CellCount>,
    /// What was weighed.
    pub weights: Vec<Weight>,
    /// The time spent measuring, s.
    pub measuring_s: f64,
}

/// Everything that a run needs.
pub struct Runner<'a> {
    /// What is to be done.
    pub plan: &'a Plan,
    /// Which part of it.
    pub stage: &'a Stage,
    /// The keys and certificates.
    pub pki: &'a Pki,
    /// How drivers are started.
    pub launch: &'a dyn Launch,
    /// How long a driver may take over an answer.
    pub timeout: Duration,
    /// Where records go.
    pub journal: &'a mut dyn Journal,
    /// Who looks on.
    pub observer: &'a mut dyn Observer,
}
