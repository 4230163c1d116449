//! Pages of results as files of their own.

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;
use tlslab_lab::{Entry, Pages, validation_tables};
use tlslab_pages::{Alarms, Alone, Curve, Validation};
use tlslab_profile::{Flame, Sheet};
use tlslab_reproduction::Reproduction;

/// Pages that lead nowhere and hold everything that they need.
pub(crate) struct PageFiles;

impl Pages for PageFiles {
    fn run(&self, report: &Report) -> String {
        tlslab_pages::run(report, &Alone).html(&Alone)
    }

    fn comparison(&self, comparison: &Comparison, flames: &[Flame]) -> String {
        tlslab_pages::comparison_with_functions(comparison, flames, &Alone).html(&Alone)
    }

    fn document(&self, reproduction: &Reproduction) -> String {
        tlslab_pages::document(reproduction, &Alone).html(&Alone)
    }

    fn claims(&self, reproductions: &[Reproduction]) -> String {
        tlslab_pages::claims(reproductions, &Alone).html(&Alone)
    }

    fn validation(&self, trials: &[Entry], confidence: f64) -> String {
        let tables = validation_tables(trials, confidence);
        let alarms = tables.alarms.into_iter().map(|of| Alarms {
            metric: of.metric,
            jobs: of.jobs,
            flagged: of.flagged,
            upper: of.upper,
        });
        let curves =
            tables.curves.into_iter().map(|of| Curve { metric: of.metric, name: of.name, points: of.points });
        let validation = Validation {
            confidence,
            alarms: alarms.collect(),
            alarm_table: tables.alarm_table,
            power_table: tables.power_table,
            curves: curves.collect(),
        };
        tlslab_pages::validation(&validation, &Alone).html(&Alone)
    }

    fn functions(&self, sheet: &Sheet) -> String {
        tlslab_pages::functions(sheet, &Alone).html(&Alone)
    }
}
