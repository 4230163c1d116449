//! Compares a document with its runs.

use std::collections::BTreeMap;

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;

use crate::compared::ComparisonOf;
use crate::document::Document;
use crate::figure::Wanted;
use crate::model::{
    Claim, Column, Entry, Figure, Here, Reproduction, Row, RunNote, Table, Took, Trial, TrialOfStack, Verdict,
};
use crate::parts::{Basis, Bounds, ClaimOf, ColumnOf, Published, TableOf, each_once, number, text};
use crate::profiled::Functions;
use crate::provenance::Provenance;
use crate::versions::versions;

impl Basis {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Basis::AsPublished => "as published",
            Basis::Fair => "fair",
        }
    }
}

/// What was measured for a document.
#[derive(Default)]
pub struct Measured {
    /// The reports of each measurement, by its name: as many as there were runs.
    pub reports: BTreeMap<String, Vec<Report>>,
    /// The comparisons, by name.
    pub comparisons: BTreeMap<String, Comparison>,
    /// What functions take, by cell; or why that is not known, after `unsupported: ` or `failed: `.
    pub profiles: BTreeMap<String, Result<Functions, String>>,
    /// What the document's programs said, by title.
    pub trials: BTreeMap<String, Vec<TrialOfStack>>,
    /// How long all of it took, where that is known.
    pub took: Option<Took>,
    /// How it was measured, if that is known.
    pub provenance: Option<Provenance>,
}

impl Measured {
    /// The last report of each measurement.
    pub fn last(&self) -> BTreeMap<String, &Report> {
        self.reports.iter().filter_map(|(name, runs)| Some((name.clone(), runs.last()?))).collect()
    }
}

/// Everything of a document that there are figures for. Tables and claims of what was not measured are left out.
pub fn reproduce(document: &Document, measured: &Measured) -> Reproduction {
    let reports = measured.last();
    let trials = &measured.trials;
    let basis = |run: &str| document.measurement(run).map_or("", |run| run.basis.words()).to_owned();
    let tables = document.tables.iter().filter_map(|table| {
        Some(self::table(document, table, reports.get(&table.measurement)?, basis(&table.measurement)))
    });
    let claims = document.claims.iter().filter_map(|claim| {
        Some(self::claim(claim, reports.get(&claim.measurement)?, basis(&claim.measurement)))
    });
    let compared: Vec<(&ComparisonOf, &Comparison)> = document
        .comparisons
        .iter()
        .filter_map(|of| Some((of, measured.comparisons.get(&of.name)?)))
        .collect();
    let thresholds = document
        .thresholds
        .iter()
        .filter_map(|of| Some(of.table(measured.reports.get(&of.measurement)?, basis(&of.measurement))));
    let profiles = document
        .profiles
        .iter()
        .filter_map(|of| Some(of.table(&document.published, measured.profiles.get(&of.cell())?)));
    let described = document.measurements.iter().filter_map(|run| {
        let reports = measured.reports.get(&run.name)?;
        let runs: Vec<&str> = reports.iter().map(|report| report.run.id.as_str()).collect();
        Some(RunNote {
            measurement: run.name.clone(),
            title: run.title.clone(),
            basis: run.basis.words().to_owned(),
            run: runs.join(", "),
            measuring_s: reports.iter().map(|report| report.run.measuring_s).sum(),
            warnings: each_once(reports.iter().flat_map(|report| &report.warnings)),
        })
    });
    let tables = tables
        .chain(compared.iter().map(|(of, comparison)| of.table(comparison)))
        .chain(thresholds)
        .chain(profiles);
    let claims = claims.chain(compared.iter().flat_map(|(of, comparison)| of.claims(comparison)));
    let host = reports.values().next().map(|report| &report.host);
    let host = host.or_else(|| Some(&measured.comparisons.values().next()?.host));
    Reproduction {
        document: document.name.clone(),
        title: document.title.clone(),
        by: document.by.clone(),
        on: document.on.clone(),
        flaws: document.flaws.clone(),
        runs: described.chain(compared.iter().map(|(of, comparison)| of.describe(comparison))).collect(),
        took: measured.took,
        provenance: measured.provenance.clone(),
        versions: versions(document, measured),
        host: host.cloned().unwrap_or_default(),
        tables: tables.collect(),
        claims: claims.collect(),
        trials: document
            .trials
            .iter()
            .filter_map(|of| Some(Trial { title: of.title.clone(), stacks: trials.get(&of.title)?.clone() }))
            .collect(),
    }
}

/// The texts of a document whose runs were made, by their files' names.
pub fn texts(document: &Document, reports: &BTreeMap<String, &Report>) -> Vec<(String, String)> {
    let made = document.texts.iter().filter_map(|of| Some((of, reports.get(&of.measurement)?)));
    made.map(|(of, report)| {
        (of.name.clone(), of.describe(&document.words, &document.published[&of.published], report))
    })
    .collect()
}

fn table(document: &Document, of: &TableOf, report: &Report, basis: String) -> Table {
    let of = &of.of_stacks(&names(report));
    let set = &document.published[&of.published];
    let rows = set.rows.iter().map(|row| {
        let wanted = of.wanted(document, set, row);
        let figures = of.columns.iter().zip(&wanted);
        let mut entries: Vec<Entry> = figures
            .map(|(column, wanted)| Entry {
                published: column.published.as_ref().and_then(|name| number(&row[set.column(name)?])),
                here: wanted.here(report, Some(&column.unit)),
            })
            .collect();
        for ratio in &of.ratios {
            let published = entries[ratio.of].published.zip(entries[ratio.over].published);
            entries.push(Entry {
                published: published.map(|(of, over)| of / over),
                here: wanted[ratio.of].over(&wanted[ratio.over], report),
            });
        }
        Row { labels: of.labels_of(set, row), entries, words: vec![] }
    });
    let columns = of.columns.iter().map(|column| (column.title.clone(), column.unit.clone()));
    let ratios = of.ratios.iter().map(|ratio| (ratio.title.clone(), "ratio".to_owned()));
    Table {
        title: of.title.clone(),
        basis,
        labels: of.labels.clone(),
        columns: columns.chain(ratios).map(|(title, unit)| Column { title, unit }).collect(),
        words: vec![],
        rows: rows.collect(),
        note: of.note.clone(),
    }
}

impl TableOf {
    /// A row's labels.
    fn labels_of(&self, set: &Published, row: &[toml::Value]) -> Vec<String> {
        self.labels.iter().filter_map(|label| Some(text(&row[set.column(label)?]))).collect()
    }

    /// What each column asks for in a row. Words in braces are the row's entries, as the document's or the column's words
    /// have them.
    fn wanted(&self, document: &Document, set: &Published, row: &[toml::Value]) -> Vec<Wanted> {
        let of = |column: &ColumnOf| {
            let called = |(name, entry): (&String, &toml::Value)| {
                let word = text(entry);
                let other = column.words.get(&word).or_else(|| document.words.get(&word)).cloned();
                (name.clone(), other.unwrap_or(word))
            };
            let words = set.columns.iter().zip(row).map(called).collect();
            let times = column.quantity.times.as_ref().and_then(|name| number(&row[set.column(name)?]));
            Wanted::of(&column.quantity, &words, "").times(times.unwrap_or(1.0))
        };
        self.columns.iter().map(of).collect()
    }
}

impl Document {
    /// Every stack and scenario that tables and claims ask a measurement for. The stack is empty where it is each of the
    /// measurement's.
    pub fn asked(&self) -> Vec<Asked> {
        let mut asked = Vec::new();
        let mut ask = |measurement: &str, wanted: &Wanted| {
            asked.push(Asked {
                measurement: measurement.to_owned(),
                stack: wanted.stack.clone(),
                scenario: wanted.scenario.clone(),
            });
        };
        for table in &self.tables {
            let set = &self.published[&table.published];
            let table = table.of_stacks(&[""]);
            for row in &set.rows {
                for wanted in table.wanted(self, set, row) {
                    ask(&table.measurement, &wanted);
                }
            }
        }
        for claim in &self.claims {
            for quantity in [&claim.of, &claim.over] {
                ask(&claim.measurement, &Wanted::of(quantity, &BTreeMap::new(), ""));
            }
        }
        asked
    }
}

/// Something that a measurement has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The measurement.
    pub measurement: String,
    /// The stack.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
}

/// The stacks of a run.
fn names(report: &Report) -> Vec<&str> {
    report.stacks.iter().map(|stack| stack.name.as_str()).collect()
}

fn claim(of: &ClaimOf, report: &Report, basis: String) -> Claim {
    let words = BTreeMap::new();
    let stacks: Vec<String> = match (&of.of.stack, &of.over.stack) {
        (Some(one), Some(other)) => vec![format!("{one} against {other}")],
        _ => names(report).into_iter().map(str::to_owned).collect(),
    };
    let here = stacks.into_iter().map(|stack| {
        let [one, other] = [&of.of, &of.over].map(|quantity| Wanted::of(quantity, &words, &stack));
        let ratio = one.over(&other, report);
        let verdict = of.holds.verdict_on(&ratio);
        (stack, ratio, verdict)
    });
    Claim {
        says: of.says.clone(),
        published: of.published.clone(),
        range: of.range,
        ratio: of.ratio.clone(),
        basis,
        because: of.because.clone(),
        here: here.collect(),
    }
}

impl Bounds {
    /// What is said where there may be no figure.
    pub fn verdict_on(self, here: &Here) -> Verdict {
        match here {
            Here::Figure(figure) => self.verdict(*figure),
            Here::Hole { .. } => Verdict::Inconclusive,
        }
    }

    /// Whether a figure's interval lies within, outside, or both.
    fn verdict(self, figure: Figure) -> Verdict {
        let Some([lower, upper]) = figure.bounds else { return Verdict::Inconclusive };
        let (above, below) = (self.above.unwrap_or(f64::NEG_INFINITY), self.below.unwrap_or(f64::INFINITY));
        if lower > above && upper < below {
            Verdict::Holds
        } else if upper <= above || lower >= below {
            Verdict::DoesNotHold
        } else {
            Verdict::Inconclusive
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_within_or_outside_or_both() {
        let slower = Bounds { above: Some(1.0), below: None };
        let described = |lower, upper| slower.verdict(Figure { value: 1.0, bounds: Some([lower, upper]) });
        assert_eq!(described(1.01, 1.05), Verdict::Holds);
        assert_eq!(described(0.9, 0.99), Verdict::DoesNotHold);
        assert_eq!(described(0.99, 1.01), Verdict::Inconclusive);
        assert_eq!(slower.verdict(Figure { value: 2.0, bounds: None }), Verdict::Inconclusive);
        let between = Bounds { above: Some(1.0), below: Some(1.1) };
        assert_eq!(between.verdict(Figure { value: 1.2, bounds: Some([1.15, 1.3]) }), Verdict::DoesNotHold);
        assert_eq!(between.verdict(Figure { value: 1.05, bounds: Some([1.02, 1.08]) }), Verdict::Holds);
    }
}
