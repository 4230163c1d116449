//! One file per verb.

pub mod backfill;
pub mod bisect;
pub mod build;
pub mod cache;
pub mod comment;
pub mod compare;
pub mod copy;
pub mod diff;
pub mod doctor;
pub mod export;
pub mod fidelity;
pub mod history;
pub mod import;
pub mod profile;
pub mod prune;
pub mod recompute;
pub mod report;
pub mod reproduce;
pub mod requests;
pub mod run;
pub mod runs;
pub mod scenarios;
pub mod schema;
pub mod stacks;
pub mod validate;
pub mod versions;
