//! Compares a document with its runs.

use std::collections::BTreeMap;

use tlslab_comparison::Comparison;
use tlslab_estimate::Report;
use tlslab_record::Fingerprint;

use crate::compared::ComparisonOf;
use crate::document::Document;
use crate::figure::Wanted;
use crate::filled::RowOfClaim;
use crate::judged::Judged;
use crate::measured::Measured;
use crate::model::{Case, Claim, Column, Entry, Far, LeftOut, Reproduction, Row, RunNote, Table, Trial};
use crate::parts::{Architecture, Basis, ClaimOf, TableOf, each_once, number};
use crate::standing::Standing;
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

impl Measured {
    /// The last report of each measurement.
    pub fn last(&self) -> BTreeMap<String, &Report> {
        self.reports.iter().filter_map(|(name, runs)| Some((name.clone(), runs.last()?))).collect()
    }

    /// How long times were measured, s.
    fn seconds(&self) -> f64 {
        let runs = self.reports.values().flatten().map(|report| report.run.measuring_s);
        runs.chain(self.comparisons.values().map(|comparison| comparison.measuring_s)).sum()
    }
}

/// Reproduces all of a document that has figures. Tables and claims without a measurement are omitted.
pub fn reproduce(document: &Document, measured: &Measured) -> Reproduction {
    let host = host(measured);
    let (left_out, tables) = tables(document, measured, &host);
    let claims = claims(document, measured);
    let trials: Vec<Trial> = document
        .trials
        .iter()
        .filter_map(|of| {
            Some(Trial { title: of.title.clone(), stacks: measured.trials.get(&of.title)?.clone() })
        })
        .collect();
    Reproduction {
        document: document.name.clone(),
        title: document.title.clone(),
        by: document.by.clone(),
        on: document.on.clone(),
        flaws: document.flaws.clone(),
        left_out,
        hosts: vec![],
        runs: runs(document, measured),
        took: measured.took,
        provenance: measured.provenance.clone(),
        versions: versions(document, measured),
        host,
        standing: Standing::of(measured, &tables, &claims, &trials),
        tables,
        claims,
        trials,
    }
}

/// Where it was measured.
fn host(measured: &Measured) -> Fingerprint {
    let host = measured.last().values().next().map(|report| &report.host);
    let host = host.or_else(|| Some(&measured.comparisons.values().next()?.host));
    host.cloned().unwrap_or_default()
}

/// The comparisons that were made.
fn compared<'m>(
    document: &'m Document,
    measured: &'m Measured,
) -> impl Iterator<Item = (&'m ComparisonOf, &'m Comparison)> {
    document.comparisons.iter().filter_map(|of| Some((of, measured.comparisons.get(&of.name)?)))
}

/// Under which conditions a measurement was made.
fn basis(document: &Document, run: &str) -> String {
    document.measurement(run).map_or("", |run| run.basis.words()).to_owned()
}

/// Every measured table. Those of another kind of processor than this host's come first.
fn tables(document: &Document, measured: &Measured, host: &Fingerprint) -> (Option<LeftOut>, Vec<Table>) {
    let reports = measured.last();
    let architecture = host.cpu.architecture();
    let is_of_another = |table: &&TableOf| {
        let wanted = table.only_on.map(Architecture::name);
        wanted.is_some_and(|wanted| architecture.is_some_and(|architecture| architecture != wanted))
    };
    let (others, here): (Vec<&TableOf>, Vec<&TableOf>) = document.tables.iter().partition(is_of_another);
    let left_out = architecture.filter(|_| !others.is_empty()).map(|architecture| LeftOut {
        host: architecture.to_owned(),
        tables: each_once(others.iter().map(|table| &table.title)),
        file: format!("{}.toml", document.name),
    });
    let of_reports = here.into_iter().filter_map(|table| {
        let report = reports.get(&table.measurement)?;
        Some(self::table(document, table, report, basis(document, &table.measurement)))
    });
    let of_comparisons = compared(document, measured).map(|(of, comparison)| of.table(comparison));
    let rows = document
        .row_tables
        .iter()
        .filter_map(|of| of.table(reports.get(&of.measurement)?, &basis(document, &of.measurement)));
    let thresholds = document.thresholds.iter().filter_map(|of| {
        Some(of.table(measured.reports.get(&of.measurement)?, basis(document, &of.measurement)))
    });
    let profiles = document
        .profiles
        .iter()
        .filter_map(|of| Some(of.table(&document.published, of.counted(&measured.profiles)?)));
    (left_out, of_reports.chain(rows).chain(of_comparisons).chain(thresholds).chain(profiles).collect())
}

/// Every measured claim.
fn claims(document: &Document, measured: &Measured) -> Vec<Claim> {
    let (reports, measured_s) = (measured.last(), measured.seconds());
    let of_reports = document.claims.iter().filter_map(|claim| {
        let report = reports.get(&claim.measurement)?;
        Some(self::claim(document, claim, report, basis(document, &claim.measurement), measured_s))
    });
    let of_comparisons =
        compared(document, measured).flat_map(|(of, comparison)| of.claims(comparison, measured_s));
    let shares =
        document.profiles.iter().filter_map(|of| Some(of.claims(of.counted(&measured.profiles)?))).flatten();
    let all = of_reports.chain(of_comparisons).chain(shares);
    all.map(|claim| Claim { causes: document.causes_of_claim(&claim), ..claim }).collect()
}

/// The runs that figures are from.
fn runs(document: &Document, measured: &Measured) -> Vec<RunNote> {
    let of_reports = document.measurements.iter().filter_map(|run| {
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
    of_reports.chain(compared(document, measured).map(|(of, comparison)| of.describe(comparison))).collect()
}

/// The texts of a document with measured runs, by their files' names.
pub fn texts(document: &Document, reports: &BTreeMap<String, &Report>) -> Vec<(String, String)> {
    let made = document.texts.iter().filter_map(|of| Some((of, reports.get(&of.measurement)?)));
    made.map(|(of, report)| (of.name.clone(), of.describe(&document.words, &document.published, report)))
        .collect()
}

fn table(document: &Document, of: &TableOf, report: &Report, basis: String) -> Table {
    let of = &of.of_stacks(&names(report));
    let set = &document.published[&of.published];
    let rows = set.rows.iter().map(|row| {
        let wanted = of.wanted(document, set, row);
        let figures = of.columns.iter().zip(&wanted);
        let mut entries: Vec<Entry> = figures
            .map(|(column, wanted)| {
                let published = column.published.as_ref().and_then(|name| number(&row[set.column(name)?]));
                Entry::new(published, wanted.here(report, Some(column.unit.symbol())))
            })
            .collect();
        for ratio in &of.ratios {
            let published = entries[ratio.of].published.zip(entries[ratio.over].published);
            let here = wanted[ratio.of].over(&wanted[ratio.over], report);
            entries.push(Entry::new(published.map(|(of, over)| of / over), here));
        }
        Row { labels: of.labels_of(set, row), entries, words: vec![] }
    });
    let columns = of.columns.iter().map(|column| (column.title.clone(), column.unit.symbol().to_owned()));
    let ratios = of.ratios.iter().map(|ratio| (ratio.title.clone(), "ratio".to_owned()));
    let mut table = Table {
        title: of.title.clone(),
        basis,
        labels: of.labels.clone(),
        columns: columns.chain(ratios).map(|(title, unit)| Column { title, unit }).collect(),
        rows: rows.collect(),
        note: of.note.clone(),
        causes: document.shown_causes(of),
        ..Table::default()
    };
    table.far = Far::of(&table, set, &document.causes_of(of));
    table
}

impl Document {
    /// Every stack and scenario that tables and claims ask a measurement for. The stack is empty where it is
    /// each of the measurement's.
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
            for (_, _, words) in claim.rows(self) {
                for quantity in [&claim.of, &claim.over] {
                    ask(&claim.measurement, &Wanted::of(quantity, &words, ""));
                }
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

fn claim(document: &Document, of: &ClaimOf, report: &Report, basis: String, measured_s: f64) -> Claim {
    let terms = of.said.terms();
    let stacks: Vec<(&str, String)> = match (&of.of.stack, &of.over.stack) {
        (Some(one), Some(other)) if one == other => vec![("", one.clone())],
        (Some(one), Some(other)) => vec![("", format!("{one} against {other}"))],
        _ => names(report).into_iter().map(|stack| (stack, stack.to_owned())).collect(),
    };
    let rows = of.rows(document);
    let case = |stack: &str, name: &str, (row, figure, words): &RowOfClaim| {
        let [one, other] = [&of.of, &of.over].map(|quantity| Wanted::of(quantity, words, stack));
        let found = one.over(&other, report);
        let judged = Judged::of(&terms, &found, measured_s);
        let name = if row.is_empty() { name.to_owned() } else { format!("{name}: {row}") };
        Case { figure: *figure, ..Case::new(name, of.group_of(stack), found, judged) }
    };
    let Some(quantifier) = of.quantifier else {
        let cases = rows.iter().flat_map(|row| stacks.iter().map(move |(stack, name)| (row, stack, name)));
        let cases = cases.map(|(row, stack, name)| case(stack, name, row)).collect();
        return of.said.claim(of.ratio.clone(), &basis, cases);
    };
    let (mut whole, mut of_rows) = (Vec::new(), Vec::new());
    for (stack, name) in &stacks {
        let cases: Vec<Case> = rows.iter().map(|row| case(stack, name, row)).collect();
        whole.push(quantifier.over(name.clone(), &cases));
        of_rows.extend(cases);
    }
    let claim = of.said.claim(of.ratio.clone(), &basis, whole);
    Claim { terms: quantifier.terms(), rows: of_rows, ..claim }
}
