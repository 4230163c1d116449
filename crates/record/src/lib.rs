//! The record of a run: its plan, its stacks, the proof of each cell and every sample.
//!
//! `measure` produces these values, `store` stores them, `estimate` computes from them. They are plain data:
//! nothing here measures, decides or writes. A recorded value is never changed.

mod better;
mod between_runs;
mod build_notes;
mod cell;
mod check;
mod comparison;
mod count;
mod defaults;
mod epoch;
mod facts;
mod fidelity;
mod figure;
mod identity;
mod kernel;
mod layout_floor;
mod neighbour;
mod pair;
mod per_connection;
mod placement;
mod plan;
mod policy;
mod rows;
mod sample;
pub mod seconds;
mod size;
mod slicing;
mod stack;
mod tolerant;
mod unverified;
mod values;
mod weight;

pub use better::{Better, BetterOf};
pub use between_runs::{BetweenRuns, Deviation};
pub use cell::{CellState, Proof, ProvenFault};
pub use check::{is_file_name, is_run_id};
pub use comparison::{Arrangement, Canaries, ComparisonPlan, StackPair};
pub use count::{CellCount, CountPlan, Counted, CounterKind, CounterRecord};
pub use defaults::{Defaults, Offered, Taken};
pub use epoch::{Epoch, HARNESS, WORK, definition};
pub use facts::ProvenFacts;
pub use fidelity::{Dominating, Fidelity};
pub use figure::{Annotation, Figure, FigureOutcome, FigureValue, ImportedRun, Point, RawValues, Series};
pub use identity::{Dependencies, RunAs, StackIdentity};
pub use kernel::KernelFigures;
pub use layout_floor::LayoutEffect;
pub use neighbour::{Neighbour, NeighbourEffect};
pub use pair::{PairProof, PairRefusal, PairSample, PairSide, PairState};
pub use per_connection::{Lengths, PerConnection};
pub use placement::Placement;
pub use plan::{Evictor, Plan, Preload, RunRecord};
pub use policy::{
    BetweenRunsPolicy, ComparisonPolicy, DependenceRule, ExaminationPolicy, HistoryPolicy, Policy,
    RULE_VERSION, RatioPolicy, RecordedRunsPolicy, Rounds,
};
pub use rows::{RowColumnRecord, RowFileRecord, RowPlan, RowRecord};
pub use sample::{Sample, Visit};
pub use seconds::Seconds;
pub use size::{SIZE_METRICS, SIZE_SCENARIO, SizeOutcome, StackSize};
pub use slicing::{FEWEST_BLOCKS, Slicing, VisitEstimator};
pub use stack::{Overhead, StackRecord, StackState, is_one_library, library};
pub use tlslab_host::Fingerprint;
pub use tolerant::tolerant;
pub use unverified::unverified_time;
pub use values::{Count, Share};
pub use weight::{CONFIRMING_PROCESSES, FIRST_PROCESSES, Resident, Weighed, Weight, WeightKind};
