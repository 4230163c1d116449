//! Pages of results as files of their own.

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;
use tlslab_lab::{Entry, Pages, validation_page};
use tlslab_pages::Alone;
use tlslab_profile::Sheet;
use tlslab_reproduction::Reproduction;

/// Pages that lead nowhere and hold everything that they need.
pub struct PageFiles;

impl Pages for PageFiles {
    fn run(&self, report: &Report) -> String {
        tlslab_report::html(report)
    }

    fn comparison(&self, comparison: &Comparison) -> String {
        tlslab_pages::comparison(comparison, &Alone).html(&Alone)
    }

    fn document(&self, reproduction: &Reproduction) -> String {
        tlslab_reproduction::html(reproduction)
    }

    fn claims(&self, reproductions: &[Reproduction]) -> String {
        tlslab_reproduction::claims_html(reproductions)
    }

    fn validation(&self, trials: &[Entry], confidence: f64) -> String {
        validation_page(trials, confidence)
    }

    fn functions(&self, sheet: &Sheet) -> String {
        tlslab_profile::page(sheet)
    }
}
