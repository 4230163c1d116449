//! Every HTML page of the lab, as a single file, as part of a static site, or served.
//!
//! A page is `fn page(model, &dyn Links) -> Page`. [`Page::html`] puts it into the frame that all pages
//! share; [`Links`] provides the addresses that it refers to. Everything here is pure.

mod asset;
mod change_text;
mod comparison;
mod document;
mod embed;
mod every_asset;
mod frame;
mod functions;
mod history;
mod links;
mod page;
mod run;
pub mod service;
pub mod site;
mod standings;
mod target;
mod validation;

pub use asset::{Asset, COMMON};
pub use comparison::{comparison, comparison_target, comparison_with_functions};
pub use document::{claims, document};
pub use embed::Html;
pub use every_asset::assets;
pub use frame::with_account;
pub use functions::functions;
pub use history::{HistoryOptions, history};
pub use links::{Alone, Files, Link, Links, Served};
pub use page::{Data, Page, Part};
pub use run::{has_proof_pages, proof, run};
pub use standings::standings;
pub use target::{Section, Target, slug, without_version};
pub use validation::{Alarms, Curve, Validation, validation};
