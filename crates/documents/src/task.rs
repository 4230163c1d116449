//! A document under way.

use tlslab_lab::Session;
use tlslab_reproduction::Document;
use tlslab_store::Store;

use crate::durations::Durations;
use crate::provenance::Parts;
use crate::request::ReproduceRequest;
use crate::run_index::RunIndex;

/// A document's measurements under way.
pub(crate) struct Task<'t> {
    pub session: &'t Session<'t>,
    pub document: &'t Document,
    pub request: &'t ReproduceRequest,
    pub store: &'t mut dyn Store,
    pub made: RunIndex,
    pub times: Durations,
    pub parts: Parts,
    /// The share of the time that is to be taken.
    pub share: f64,
    /// Where the document's files go, below the folder of results.
    pub folder: &'t str,
}
