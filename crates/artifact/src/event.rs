//! Events of a build; the caller displays them.

use std::path::PathBuf;
use std::time::Duration;

use crate::failure::BuildFailure;
use crate::stage::Stage;

/// A product that is being built.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// The kind of product.
    pub stage: Stage,
    /// The stacks that need it, in the order of the request.
    pub stacks: Vec<String>,
}

/// A task whose product does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToMake {
    /// The task.
    pub task: Task,
    /// The expected duration: that of the stack's last product of the stage, else a recorded one.
    pub about: Duration,
}

/// An event of a task.
#[derive(Clone, Debug)]
pub struct Event {
    /// The task.
    pub task: Task,
    /// The event.
    pub what: Happening,
}

/// An event of a task. Each task ends with `Cached`, `Finished` or `Failed`.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The product exists.
    Cached,
    /// Another build uses the same folder; this one waits for it.
    Waiting,
    /// The build has started.
    Started {
        /// The log of its output.
        log: PathBuf,
    },
    /// It was built before; the inputs that have changed since.
    Again(String),
    /// The last line of output so far; several times a second at most.
    Line(String),
    /// The product was built.
    Finished {
        /// The duration.
        took: Duration,
    },
    /// It was not built.
    Failed(BuildFailure),
}

/// Receives every event, from several threads.
pub trait Observer: Sync {
    /// Is called first, with every task whose product does not exist yet, and the expected duration of all of
    /// them.
    fn begins(&self, _to_make: &[ToMake], _about: Duration) {}

    /// Receives an event. The build waits for this to return.
    fn on(&self, event: &Event);
}

impl<F: Fn(&Event) + Sync> Observer for F {
    fn on(&self, event: &Event) {
        self(event);
    }
}
