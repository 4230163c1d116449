//! A document that is being measured.

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
    /// The requested share of the time.
    pub share: f64,
    /// The place of the document's files, below the results folder.
    pub folder: &'t str,
    /// Whether the programs that its builds need were found.
    pub has_tools: bool,
}
