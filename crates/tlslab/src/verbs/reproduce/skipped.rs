//! Documents that are skipped.

use tlslab_documents::BrokenDocument;

/// Prints why documents are skipped.
pub(super) fn report_skipped<'b>(broken: impl IntoIterator<Item = &'b BrokenDocument>) {
    for document in broken {
        errln!("skipped: {}", document.cause);
    }
}
