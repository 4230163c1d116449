//! The contents of a site, and each page and file of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use tlslab_estimate::Report;
use tlslab_job::Outcome;
use tlslab_pages::site::{
    self as pages, Choice, ComparisonLine, DefaultsPage, Entry, ImportedRunLine, Overview, RunLine,
    ScenarioLine, ScenarioPage, StackPage,
};
use tlslab_pages::{HistoryOptions, Links, Page, Target};
use tlslab_report::timeline::{Timeline, Timelines};
use tlslab_reproduction::Reproduction;
use tlslab_scenario::capabilities::StackCapabilities;
use tlslab_store::RunKind;

use crate::catalogue::{Catalogue, RunEntry};
use crate::imported::Imported;
use crate::known::Known;
use crate::questions::questions;
use crate::source::Source;
use crate::{choice, comparisons, defaults, imported, overview, scenarios, stacks, trends};

/// All data of a site, read once.
pub struct Site {
    pub(crate) source: Source,
    pub(crate) base: String,
    pub(crate) capabilities: BTreeMap<String, StackCapabilities>,
    pub(crate) runs: Vec<RunLine>,
    /// The proofs with separate pages: runs and scenarios.
    proofs: BTreeSet<(String, String)>,
    /// The state of complete runs on which their pages depend, apart from samples.
    run_states: BTreeMap<String, String>,
    /// The report of the complete run that a page was last made of: a run has a page for each proof.
    last_report: Mutex<Option<(String, Arc<Report>)>>,
    pub(crate) stacks: BTreeMap<String, StackPage>,
    pub(crate) scenarios: BTreeMap<String, ScenarioPage>,
    pub(crate) scenario_lines: Vec<ScenarioLine>,
    pub(crate) timelines: BTreeMap<String, Timelines>,
    /// The names that have imported series alone.
    pub(crate) imported: BTreeMap<String, Imported>,
    imported_runs: Vec<ImportedRunLine>,
    pub(crate) comparisons: Vec<comparisons::Entry>,
    documents: Vec<Reproduction>,
    pub(crate) overview: Overview,
    pub(crate) choice: Choice,
    pub(crate) defaults: DefaultsPage,
}

/// The inputs of a site, apart from its database.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The address at which the site will be, with a slash at its end; empty if it is not known.
    pub base: String,
    /// The commits of branches that are measured, in the order in which they were pushed, oldest first;
    /// labels that are commits are in this order. Empty if it is not known.
    pub pushes: Vec<String>,
    /// Capabilities of each stack, as `tlslab stacks --capabilities --format json` prints them; empty for a
    /// site without that page.
    pub capabilities: BTreeMap<String, StackCapabilities>,
}

/// A page or a file of a site.
pub enum Made {
    /// A page, without its frame.
    Page(Box<Page>),
    /// A file that programs read.
    File {
        /// Its media type.
        kind: &'static str,
        /// Its text.
        text: String,
    },
}

/// The note on the series of the page of all histories.
const MAIN: &str = "This page shows times and instructions of full handshakes in TLS 1.3";
const ALL_SERIES: &str = "The page of a stack has all its series.";

impl Site {
    /// Reads a database.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn read(source: Source, options: &Options) -> anyhow::Result<Self> {
        let labels = source.labels(&options.pushes)?;
        let catalogue = Catalogue::read(&source, &labels)?;
        let all = source.timelines(&labels)?;
        let mut by_stack: BTreeMap<String, Vec<&Timeline>> = BTreeMap::new();
        for timeline in &all {
            by_stack.entry(timeline.series.stack.clone()).or_default().push(timeline);
        }
        let stacks = stacks::stacks(&catalogue, &by_stack, &labels);
        let imported_runs = source.runs(RunKind::Imported)?;
        let is_measured = |name: &str| catalogue.stacks.contains_key(name);
        let imported = imported::imported(&by_stack, &is_measured, &imported_runs, &labels);
        let imported_runs = imported::runs(&imported_runs, &all);
        let scenarios = scenarios::scenarios(&catalogue, &source)?;
        let mut timelines: BTreeMap<String, Timelines> = BTreeMap::new();
        for timeline in all {
            let empty = || Timelines { format: Timelines::FORMAT, reference: None, timelines: Vec::new() };
            timelines.entry(timeline.series.stack.clone()).or_insert_with(empty).timelines.push(timeline);
        }
        Ok(Self {
            base: options.base.clone(),
            capabilities: options.capabilities.clone(),
            overview: overview::overview(&catalogue, &stacks, &imported),
            choice: choice::choice(&catalogue, &source)?,
            defaults: defaults::defaults(&catalogue, &source, &labels)?,
            comparisons: comparisons::comparisons(&source)?,
            documents: documents(&source)?,
            scenario_lines: scenarios::lines(&scenarios),
            proofs: proofs(&catalogue),
            runs: catalogue.runs.into_iter().map(|run| run.line).collect(),
            run_states: run_states(&source)?,
            last_report: Mutex::default(),
            source,
            stacks,
            scenarios,
            timelines,
            imported,
            imported_runs,
        })
    }

    /// The model of the overview; a service adds its own data.
    #[must_use]
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// The comparisons of its database, newest first.
    #[must_use]
    pub fn comparisons(&self) -> Vec<ComparisonLine> {
        self.comparisons.iter().map(|entry| entry.line.clone()).collect()
    }

    /// Whether the page of a list has anything in it: the chooser ranks a stack, a document was measured.
    #[must_use]
    pub fn is_filled(&self, target: &Target) -> bool {
        match target {
            Target::Choose => !self.choice.candidates.is_empty() && !self.choice.run.is_empty(),
            Target::Claims => !self.documents.is_empty(),
            Target::Defaults => self.has(target),
            _ => true,
        }
    }

    /// The runs, newest first.
    #[must_use]
    pub fn runs(&self) -> &[RunLine] {
        &self.runs
    }

    /// Every page and file.
    #[must_use]
    pub fn targets(&self) -> BTreeSet<Target> {
        let mut targets = BTreeSet::from([
            Target::Overview,
            Target::Questions,
            Target::Runs,
            Target::Stacks,
            Target::Scenarios,
            Target::Search,
            Target::History,
        ]);
        let optional = [
            (!self.runs.is_empty(), Target::Choose),
            (!self.comparisons.is_empty(), Target::Comparisons),
            (!self.documents.is_empty(), Target::Claims),
            (!self.capabilities.is_empty(), Target::Capabilities),
            (self.has(&Target::Defaults), Target::Defaults),
        ];
        targets.extend(optional.into_iter().filter(|(is_there, _)| *is_there).map(|(_, target)| target));
        targets.extend(self.runs.iter().map(|run| Target::Run(run.id.clone())));
        targets
            .extend(self.proofs.iter().map(|(run, scenario)| Target::Proof(run.clone(), scenario.clone())));
        targets.extend(self.stacks.keys().cloned().map(Target::Stack));
        targets.extend(self.timelines.keys().cloned().map(Target::HistoryOf));
        targets.extend(self.scenarios.keys().cloned().map(Target::Scenario));
        targets.extend(self.comparisons.iter().map(|entry| entry.target.clone()));
        targets.extend(self.documents.iter().map(|document| Target::Document(document.document.clone())));
        targets.extend(self.files().into_iter().map(Target::File));
        targets
    }

    /// A page or a file; none if there is nothing at this path.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn make(&self, target: &Target, links: &dyn Links) -> anyhow::Result<Option<Made>> {
        let links: &dyn Links = &Known { has: &|target| self.has(target), links };
        let page = match target {
            Target::Overview => Some(pages::overview(&self.overview, links)),
            Target::Questions => Some(pages::questions(&questions(), links)),
            Target::Runs => Some(pages::runs(&self.runs, &self.imported_runs, links)),
            Target::Stacks => {
                let lines: Vec<_> = self.overview.stacks.clone();
                Some(pages::stacks(&lines, links))
            }
            Target::Stack(name) => self.stacks.get(name).map(|model| pages::stack(model, links)),
            Target::Capabilities if self.has(target) => Some(pages::capabilities(&self.capabilities, links)),
            Target::Defaults if self.has(target) => Some(pages::defaults(&self.defaults, links)),
            Target::Scenarios => Some(pages::scenarios(&self.scenario_lines, links)),
            Target::Scenario(name) => self.scenarios.get(name).map(|model| pages::scenario(model, links)),
            Target::Choose => Some(pages::choose(&self.choice, links)),
            Target::Search => Some(pages::search(&self.entries(), links)),
            Target::Comparisons => Some(pages::comparisons(&self.comparisons(), &[], links)),
            Target::Comparison(_) => {
                self.comparison(target)?.map(|found| tlslab_pages::comparison(&found, links))
            }
            Target::History => Some(self.history(links)),
            Target::HistoryOf(stack) => self.timelines.get(stack).map(|timelines| {
                let options = HistoryOptions { of: Some(stack.clone()), ..options() };
                tlslab_pages::history(timelines, &options, links)
            }),
            Target::Run(id) if self.has_run(id) => Some(tlslab_pages::run(&*self.report(id)?, links)),
            Target::Proof(run, scenario) if self.proofs.contains(&(run.clone(), scenario.clone())) => {
                tlslab_pages::proof(&*self.report(run)?, scenario, links)
            }
            Target::Claims => Some(tlslab_pages::claims(&self.documents, links)),
            Target::Document(name) => {
                let document = self.documents.iter().find(|document| document.document == *name);
                document.map(|document| tlslab_pages::document(document, links))
            }
            Target::File(path) => return self.file(path),
            _ => None,
        };
        Ok(page.map(|page| Made::Page(Box::new(page))))
    }

    /// The inputs of a page or file, if they are known without making it: pages of complete runs change only
    /// with the program.
    pub(crate) fn made_of(&self, target: &Target) -> Option<String> {
        let id = match target {
            Target::Run(id) | Target::Proof(id, _) => id.clone(),
            Target::File(path) => {
                let run = path.strip_prefix("runs/")?.rsplit_once('.')?.0;
                self.runs.iter().find(|line| tlslab_pages::slug(&line.id) == run)?.id.clone()
            }
            _ => return None,
        };
        let state = self.run_states.get(&id)?;
        Some(format!("{id} {state}"))
    }

    /// A run with everything that its page shows.
    pub(crate) fn report(&self, run: &str) -> anyhow::Result<Arc<Report>> {
        let last = || self.last_report.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = last().clone().filter(|(id, _)| id == run);
        if let Some((_, report)) = kept {
            return Ok(report);
        }
        let report = Arc::new(self.source.report(run)?);
        if self.run_states.contains_key(run) {
            *last() = Some((run.to_owned(), Arc::clone(&report)));
        }
        Ok(report)
    }

    /// Whether this run, stack, scenario or history exists, or the page of capabilities; any other target may
    /// exist.
    pub(crate) fn has(&self, target: &Target) -> bool {
        match target {
            Target::Run(id) | Target::Proof(id, _) => self.has_run(id),
            Target::Stack(name) => self.stacks.contains_key(name),
            Target::Scenario(name) => self.scenarios.contains_key(name),
            Target::HistoryOf(name) => self.timelines.contains_key(name),
            Target::Capabilities => !self.capabilities.is_empty(),
            Target::Defaults => !self.defaults.lines.is_empty(),
            _ => true,
        }
    }

    fn has_run(&self, id: &str) -> bool {
        self.runs.iter().any(|run| run.id == id)
    }

    pub(crate) fn comparison(
        &self,
        target: &Target,
    ) -> anyhow::Result<Option<tlslab_comparison::Comparison>> {
        match self.comparisons.iter().find(|entry| entry.target == *target) {
            Some(entry) => comparisons::comparison(&self.source, &entry.job),
            None => Ok(None),
        }
    }

    /// Full handshakes of all stacks, and all series of a stack without any; each stack has a page with all
    /// its series.
    fn history(&self, links: &dyn Links) -> Page {
        let is_main = |timeline: &&Timeline| {
            let series = &timeline.series;
            ["time", "count.instructions"].contains(&series.metric.as_str())
                && trends::is_full_handshake(series)
        };
        let (mut timelines, mut whole) = (Vec::new(), Vec::new());
        for (stack, all) in &self.timelines {
            let main: Vec<Timeline> = all.timelines.iter().filter(is_main).cloned().collect();
            if main.is_empty() {
                whole.push(stack.as_str());
                timelines.extend(all.timelines.iter().cloned());
            }
            timelines.extend(main);
        }
        let shown = match whole.len() {
            0 if self.timelines.is_empty() => String::new(),
            all if all == self.timelines.len() => "This page shows all series.".to_owned(),
            0 => format!("{MAIN}. {ALL_SERIES}"),
            1..=6 => {
                format!("{MAIN}; all series of {}, without full handshakes. {ALL_SERIES}", whole.join(", "))
            }
            more => format!("{MAIN}; all series of {more} stacks without full handshakes. {ALL_SERIES}"),
        };
        let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines };
        tlslab_pages::history(&timelines, &HistoryOptions { shown, ..options() }, links)
    }

    /// The entries of the search.
    fn entries(&self) -> Vec<Entry> {
        let entry = |kind: &str, name: &str, words: String, target: Target| Entry {
            kind: kind.to_owned(),
            name: name.to_owned(),
            words,
            target: Some(target),
        };
        let stacks = self.stacks.iter().map(|(name, page)| {
            let words = format!("{} {}", page.line.title, page.line.label);
            entry("stack", name, words, Target::Stack(name.clone()))
        });
        let scenarios = self
            .scenarios
            .iter()
            .map(|(name, page)| entry("scenario", name, page.family.clone(), Target::Scenario(name.clone())));
        let runs = self.runs.iter().map(|run| {
            let words = format!("{} {} {}", run.suite, run.started, run.stacks.join(" "));
            entry("run", &run.id, words, Target::Run(run.id.clone()))
        });
        let comparisons = self.comparisons.iter().map(|found| {
            entry("comparison", &found.line.title, found.line.verdict.clone(), found.target.clone())
        });
        let imported = self.imported.iter().map(|(name, imported)| {
            let words = format!("{} {}", imported.line.formats.join(" "), imported.line.label);
            entry("imported", name, words, Target::HistoryOf(name.clone()))
        });
        stacks.chain(scenarios).chain(runs).chain(comparisons).chain(imported).collect()
    }
}

fn proofs(catalogue: &Catalogue) -> BTreeSet<(String, String)> {
    let runs = catalogue.runs.iter().filter(|run| tlslab_pages::has_proof_pages(run.line.stacks.len()));
    let of_run = |run: &RunEntry| {
        let id = run.line.id.clone();
        run.scenarios.clone().into_iter().map(move |scenario| (id.clone(), scenario))
    };
    runs.flat_map(of_run).collect()
}

/// The documents that were measured again, the last outcome of each.
fn documents(source: &Source) -> anyhow::Result<Vec<Reproduction>> {
    let mut all: BTreeMap<String, Reproduction> = BTreeMap::new();
    for summary in source.outcomes("reproduce")? {
        if let Outcome::Document(document) = source.outcome(&summary.id)? {
            all.entry(document.reproduction.document.clone()).or_insert(document.reproduction);
        }
    }
    Ok(all.into_values().collect())
}

/// Complete runs keep their samples until these are deleted; their figures are computed from them.
fn run_states(source: &Source) -> anyhow::Result<BTreeMap<String, String>> {
    let state = |run: &tlslab_store::RunSummary| {
        format!("{} samples, deleted {:?}", run.samples, run.samples_deleted_unix_ms)
    };
    let complete = source.runs(RunKind::Measured)?.into_iter().filter(|run| run.complete);
    Ok(complete.map(|run| (run.id.clone(), state(&run))).collect())
}

/// Histories use the overview's limit of negligible changes.
fn options() -> HistoryOptions {
    HistoryOptions { negligible: crate::trends::NEGLIGIBLE, ..HistoryOptions::default() }
}
