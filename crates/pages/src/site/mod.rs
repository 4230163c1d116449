//! Pages over many results: overview, lists, stacks, scenarios, the chooser, search; the feed of changes and
//! badges.
//!
//! Their models are plain data, which a site also offers as JSON.

mod badge;
mod capabilities;
mod change_line;
mod choose;
mod defaults;
mod feed;
mod figure;
mod imported;
mod lists;
mod marks;
mod overview;
mod questions;
mod scenario;
mod search;
mod stack;

pub use badge::{Badge, badge};
pub use capabilities::capabilities;
pub use change_line::ChangeLine;
pub use choose::{Choice, choose};
pub use defaults::{DefaultsChange, DefaultsLine, DefaultsPage, defaults};
pub use feed::{Feed, FeedEntry, feed};
pub use figure::{Figure, metric_words};
pub use imported::{ImportedLine, ImportedRunLine};
pub use lists::{
    ComparisonLine, RunLine, ScenarioLine, StackLine, Standing, TREND, comparisons, runs, scenarios, stacks,
};
pub use overview::{Alert, Gap, Level, Overview, Work, overview};
pub use questions::{Question, questions};
pub use scenario::{ScenarioPage, ScenarioRow, ScenarioTable, scenario};
pub use search::{Entry, search};
pub use stack::{StackCell, StackPage, VersionLine, stack};

/// Scripts of these pages.
pub(crate) const ASSETS: [crate::Asset; 2] = [choose::SCRIPT, search::SCRIPT];

pub(crate) use figure::day;
pub(crate) use lists::comparison_rows;
