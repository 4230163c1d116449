//! What happens while a request is carried out.

use std::path::PathBuf;

use serde::Serialize;

/// What happens while a request is carried out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// These products are about to be built; the others are in the cache.
    BuildPlanned(Vec<tlslab_build::Task>),
    /// A product is being built.
    Build(tlslab_build::Event),
    /// A run begins.
    RunStarted(RunStarted),
    /// A comparison begins.
    ComparisonStarted(ComparisonStarted),
    /// A step of a stage begins.
    Step(Step),
    /// A slice of a long visit begins.
    Slice {
        /// The block's number, from 0.
        block: u32,
        /// The slice's number within the block, from 0.
        place: usize,
        /// Slices in the block.
        total: usize,
    },
    /// Files were written.
    Written {
        /// What they are: `report`, `comparison`.
        what: &'static str,
        /// The page.
        page: PathBuf,
        /// Names of the files beside it.
        beside: Vec<String>,
    },
    /// Something that a reader must know; the outcome has it, too, if it concerns the figures.
    Warning(String),
    /// Something that explains what is happening.
    Note(String),
}

/// A run begins.
#[derive(Clone, Debug, Serialize)]
pub struct RunStarted {
    /// Its name.
    pub run: String,
    /// How many scenarios.
    pub scenarios: usize,
    /// The stacks by the names that they have in the run.
    pub stacks: Vec<String>,
    /// Rounds and seconds of timing; nothing if nothing is timed.
    pub timing: Option<(u32, f64)>,
    /// The seed of every random order.
    pub seed: u64,
    /// The folder of the results.
    pub out: PathBuf,
}

/// A comparison begins.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonStarted {
    /// Its name.
    pub run: String,
    /// Baselines and candidates, with what is to be known of each pair.
    pub pairs: Vec<PairStarted>,
    /// How many scenarios.
    pub scenarios: usize,
    /// At most so many rounds and seconds of timing; nothing if nothing is timed.
    pub timing: Option<(u32, f64)>,
    /// The seed of every random order.
    pub seed: u64,
    /// The folder of the results.
    pub out: PathBuf,
}

/// Two stacks that are compared.
#[derive(Clone, Debug, Serialize)]
pub struct PairStarted {
    /// The baseline's name.
    pub baseline: String,
    /// The candidate's name.
    pub candidate: String,
    /// Why the code layout is not randomised, if it is not.
    pub fixed_layout: Vec<String>,
    /// Whether both run the same code.
    pub identical: bool,
}

/// A part of the work that has steps of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Each cell is tried once, and its result verified.
    Prove,
    /// Time.
    Measure,
    /// Instructions.
    Count,
    /// Memory.
    Weigh,
    /// Instructions by function.
    Functions,
    /// Each stack beside others.
    Neighbours,
    /// Comparisons that validate the lab.
    Jobs,
    /// Revisions of a bisection.
    Revisions,
    /// Programs of a published document.
    Trials,
    /// Releases of a stack.
    Releases,
}

impl Stage {
    /// Its name in progress lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prove => "prove",
            Self::Measure => "measure",
            Self::Count => "count",
            Self::Weigh => "weigh",
            Self::Functions => "functions",
            Self::Neighbours => "neighbours",
            Self::Jobs => "job",
            Self::Revisions => "bisect",
            Self::Trials => "trial",
            Self::Releases => "release",
        }
    }
}

/// A step of a stage begins.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The stage.
    pub stage: Stage,
    /// Steps that are done.
    pub done: usize,
    /// Steps in all, as far as is known.
    pub total: usize,
    /// About how long the stage still takes, s.
    pub left_s: Option<f64>,
    /// What the step is about.
    pub what: String,
}

/// Receives events in their order, possibly from several threads one after the other.
pub trait Observer: Send {
    /// Takes an event. The work waits for this to return.
    fn on(&mut self, event: &Event);
}

impl<F: FnMut(&Event) + Send> Observer for F {
    fn on(&mut self, event: &Event) {
        self(event);
    }
}

/// Ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on(&mut self, _: &Event) {}
}
