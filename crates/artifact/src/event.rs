//! What the caller learns while stacks are built; drawing it is the caller's.

use std::path::PathBuf;
use std::time::Duration;

use crate::failure::BuildFailure;
use crate::stage::Stage;

/// One product in the making.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// What is made.
    pub stage: Stage,
    /// The stacks that wait for it, in the order in which they were asked for.
    pub stacks: Vec<String>,
}

/// A task whose product is not there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToMake {
    /// The task.
    pub task: Task,
    /// About how long it takes: as long as the stack's last product of the stage, else what is recorded.
    pub about: Duration,
}

/// Something happened to a task.
#[derive(Clone, Debug)]
pub struct Event {
    /// The task.
    pub task: Task,
    /// What happened.
    pub what: Happening,
}

/// What can happen to a task. Each task ends with `Cached`, `Finished` or `Failed`.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The product is there already.
    Cached,
    /// Another build uses the same folder; this one waits for it.
    Waiting,
    /// The making began.
    Started {
        /// Where the output goes.
        log: PathBuf,
    },
    /// It was made before; what has changed since.
    Again(String),
    /// The last line of output so far; several times a second at most.
    Line(String),
    /// The product was made.
    Finished {
        /// How long it took.
        took: Duration,
    },
    /// It was not made.
    Failed(BuildFailure),
}

/// Receives every event, from several threads.
pub trait Observer: Sync {
    /// Is called first, with every task whose product is not there yet, and about how long all of them take.
    fn begins(&self, _to_make: &[ToMake], _about: Duration) {}

    /// Takes note of it. The build waits for this to return.
    fn on(&self, event: &Event);
}

impl<F: Fn(&Event) + Sync> Observer for F {
    fn on(&self, event: &Event) {
        self(event);
    }
}
