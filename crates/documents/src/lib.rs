//! Reproduction of published documents: their measurements, the runs made for them, reports of their
//! programs, and the written files.

mod check;
mod durations;
mod execute;
mod files;
mod from_record;
mod host_name;
mod hosts;
mod profiles;
mod provenance;
mod quiet;
mod record;
mod repeat;
mod request;
mod rerender;
mod run_index;
mod sources;
mod task;
mod tools;
mod trials;
mod work;

pub use execute::{Documents, Reproduced, documents, reproduce, timing_s};
pub use from_record::{FromRecord, from_record};
pub use host_name::HostName;
pub use hosts::{place_of_record, records};
pub use record::record_name;
pub use request::ReproduceRequest;
pub use rerender::{Rendered, rerendered};
pub use sources::{BrokenDocument, FoundDocuments, find_documents, folder_of};
