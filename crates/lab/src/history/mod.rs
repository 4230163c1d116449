//! Long-term content of databases: series with their changes, copies of runs, deleted samples.

pub(crate) mod acknowledgement;
pub(crate) mod anomalies;
pub(crate) mod better;

mod copy;
mod costs;
mod defaults;
mod explain;
mod filter;
mod label_order;
mod pages;
mod prune;
mod publishable;
mod ratios;
mod recompute;
mod timelines;

pub use copy::{Copied, copy, put as put_run};
pub use costs::{Asked, Costs, Wanted, costs};
pub use explain::explain;
pub use filter::{Filter, no_series};
pub use label_order::LabelOrder;
pub use pages::write_pages;
pub use prune::{Keep, Pruned, prune, prune_rows};
pub use publishable::Extent;
pub use ratios::{AskedRatio, pairs, ratios};
pub use recompute::{Recomputed, recompute};
pub use timelines::{Order, annotate, is_whole, timelines};
