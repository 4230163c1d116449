//! Pages of results as files of their own.

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;
use tlslab_lab::Pages;
use tlslab_pages::Alone;
use tlslab_profile::{Flame, Sheet};

/// Self-contained pages without links to other pages.
pub(crate) struct PageFiles;

impl Pages for PageFiles {
    fn run(&self, report: &Report) -> String {
        tlslab_pages::run(report, &Alone).html(&Alone)
    }

    fn comparison(&self, comparison: &Comparison, flames: &[Flame]) -> String {
        tlslab_pages::comparison_with_functions(comparison, flames, &Alone).html(&Alone)
    }

    fn functions(&self, sheet: &Sheet) -> String {
        tlslab_pages::functions(sheet, &Alone).html(&Alone)
    }
}
