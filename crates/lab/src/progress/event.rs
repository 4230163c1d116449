//! Events while a request is carried out, as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_build::{BuildFailure, Happening, Stage as BuildStage, Task, ToMake};

use crate::progress::phase::Phase;
use crate::results::exports::Export;

/// An event while a request is carried out. Readers ignore unknown events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// How long the job takes, before any of it begins.
    Planned {
        /// Its phases, in order.
        phases: Vec<Phase>,
    },
    /// These products are about to be built; others are in the cache.
    BuildPlanned {
        /// The products.
        products: Vec<PlannedProduct>,
        /// The expected time for all of them, s.
        #[serde(default)]
        about_s: f64,
    },
    /// A product is being built.
    Build {
        /// The product.
        product: Product,
        /// The state of its build.
        what: BuildStep,
    },
    /// A run begins.
    RunStarted(RunStarted),
    /// A comparison begins.
    ComparisonStarted(ComparisonStarted),
    /// A step of a stage begins.
    Step(Step),
    /// A slice of a long visit begins; reported for each.
    Slice {
        /// The block's index, from 0.
        block: u32,
        /// The slice's index within the block, from 0.
        place: usize,
        /// The number of slices in the block.
        total: usize,
    },
    /// Files were written.
    Written(Export),
    /// Another process holds a resource; the work waits.
    Waiting {
        /// The resource.
        resource: Resource,
        /// The holder.
        holder: String,
    },
    /// A warning that a reader must see; if it concerns the figures, the outcome contains it, too.
    Warning {
        /// The sentence.
        text: String,
    },
    /// An explanation of what is happening.
    Note {
        /// The sentence.
        text: String,
    },
    /// An event that this version does not know.
    #[serde(other)]
    Unknown,
}

/// A resource that one lab at a time can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// The right to measure on this host.
    Host,
}

/// A product that is being built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Product {
    /// The kind of product.
    pub stage: BuildStage,
    /// The stacks that need it, in the order of the request.
    pub stacks: Vec<String>,
}

/// A product that is about to be built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedProduct {
    /// The product.
    #[serde(flatten)]
    pub product: Product,
    /// The expected time, s.
    #[serde(default)]
    pub about_s: f64,
}

impl From<&ToMake> for PlannedProduct {
    fn from(to_make: &ToMake) -> Self {
        Self { product: (&to_make.task).into(), about_s: to_make.about.as_secs_f64() }
    }
}

impl From<&Task> for Product {
    fn from(task: &Task) -> Self {
        Self { stage: task.stage, stacks: task.stacks.clone() }
    }
}

/// A step of a product's build. Each build ends with `cached`, `finished` or `failed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BuildStep {
    /// It is in the cache.
    Cached,
    /// Another build uses the same folder; this one waits.
    Waiting,
    /// The build has started.
    Started,
    /// It was built before; the inputs that have changed since.
    Again(String),
    /// The last line of output so far; at most several per second.
    Line(String),
    /// It was built.
    Finished {
        /// The time that it took, s.
        took_s: f64,
    },
    /// It was not built: why, with the end of the log.
    Failed(BuildFailure),
}

impl From<&tlslab_build::Event> for Event {
    fn from(event: &tlslab_build::Event) -> Self {
        let what = match &event.what {
            Happening::Cached => BuildStep::Cached,
            Happening::Waiting => BuildStep::Waiting,
            Happening::Started { .. } => BuildStep::Started,
            Happening::Again(why) => BuildStep::Again(why.clone()),
            Happening::Line(line) => BuildStep::Line(line.clone()),
            Happening::Finished { took } => BuildStep::Finished { took_s: took.as_secs_f64() },
            Happening::Failed(failure) => BuildStep::Failed(failure.clone()),
        };
        Self::Build { product: (&event.task).into(), what }
    }
}

/// A run begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// Its identifier.
    pub run: String,
    /// The number of scenarios.
    pub scenarios: usize,
    /// The names of the stacks in the run.
    pub stacks: Vec<String>,
    /// Rounds and seconds of timing; `None` if nothing is timed.
    pub timing: Option<(u32, f64)>,
    /// The seed of every random order.
    pub seed: u64,
}

/// A comparison begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonStarted {
    /// Its identifier.
    pub run: String,
    /// Baselines and candidates, with notes on each pair.
    pub pairs: Vec<PairStarted>,
    /// The number of scenarios.
    pub scenarios: usize,
    /// At most so many rounds and seconds of timing; `None` if nothing is timed.
    pub timing: Option<(u32, f64)>,
    /// The seed of every random order.
    pub seed: u64,
}

/// Two stacks that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairStarted {
    /// The baseline's name.
    pub baseline: String,
    /// The candidate's name.
    pub candidate: String,
    /// The reasons why code layout is not randomised; empty if it is.
    pub fixed_layout: Vec<String>,
    /// Whether both have the same code.
    pub identical: bool,
}

/// A part of the work with steps of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Proof: each cell is tried once, and its result verified.
    Prove,
    /// Measuring time.
    Measure,
    /// Counting instructions.
    Count,
    /// Weighing memory.
    Weigh,
    /// Counting instructions by function.
    Functions,
    /// Each stack together with others.
    Neighbours,
    /// Running comparisons that validate the lab.
    Trials,
    /// Testing revisions of a bisection.
    Revisions,
    /// Running programs of a published document.
    Programs,
    /// Measuring releases of a stack.
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
            Self::Trials => "trial",
            Self::Revisions => "bisect",
            Self::Programs => "program",
            Self::Releases => "release",
        }
    }
}

/// A step of a stage begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The stage.
    pub stage: Stage,
    /// The number of steps that are done.
    pub done: usize,
    /// Steps in total, as far as is known.
    pub total: usize,
    /// The expected time until the stage ends, s.
    pub left_s: Option<f64>,
    /// The step's subject.
    pub what: String,
}

/// Receives events in order, possibly from several threads, one at a time.
pub trait Observer: Send {
    /// Handles an event. The work waits until this returns.
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
