//! Places of a few stacks in a project's own choice of results: the comparison that projects publish each
//! quarter.
//!
//! A [`Definition`] lists stacks and results; [`Standings::of`] ranks them by the report of one run that
//! timed all of them in turns. [`Standings::since`] adds what changed since an earlier report. Everything
//! here is pure.

mod chart;
mod compute;
mod definition;
mod model;
mod render;
mod since;

pub use chart::chart;
pub use definition::{Definition, Group, LONGEST, Listed, Mistake, Published, ResultOf};
pub use model::{Contender, Entry, GroupOf, Ranked, Since, Standings, Unreadable};
pub use render::{csv, markdown, terminal};
