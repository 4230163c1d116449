//! Histories of releases as pages for a repository: one for each stack, and an index.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tlslab_history::advice::Advice;
use tlslab_text::markdown as safe;
use tlslab_text::number::counted;

use super::panels::{Line, Panel, panels};
use super::release_texts::step_sections;
use super::sentence::sentence;
use super::step_table::StepTable;
use super::words::{epoch, metric_words, when, write_change};
use crate::timeline::advice::{advise_on, versions};
use crate::timeline::model::{Timeline, Timelines};
use crate::timeline::release_steps::{ReleaseHistory, ReleaseStep, is_large, release_steps};
use crate::timeline::releases::Release;

/// A page for each stack with its drawings, and `README.md`, which leads to them, as names of files with
/// their texts. Series have to be in the order of versions.
pub fn pages(timelines: &Timelines) -> BTreeMap<String, String> {
    let mut by_stack: BTreeMap<&str, Vec<&Timeline>> = BTreeMap::new();
    for timeline in &timelines.timelines {
        by_stack.entry(&timeline.series.stack).or_default().push(timeline);
    }
    let stacks: Vec<Releases<'_>> =
        by_stack.into_iter().map(|(name, timelines)| Releases::of(name, timelines)).collect();
    let mut files = BTreeMap::from([("README.md".to_owned(), first(timelines, &stacks))]);
    for stack in &stacks {
        files.insert(format!("{}.md", stack.file()), stack.page());
        files.extend(stack.drawings().into_iter().map(|drawing| (drawing.file, drawing.text)));
    }
    files
}

/// A stack with all its series.
struct Releases<'t> {
    name: &'t str,
    timelines: Vec<&'t Timeline>,
    /// Every version, oldest first.
    versions: Vec<&'t str>,
    /// Those without any value, and why.
    failed: BTreeMap<&'t str, &'t str>,
    /// Which to skip, and which to move to.
    advice: Advice,
}

struct Drawing {
    file: String,
    metric: String,
    text: String,
}

impl<'t> Releases<'t> {
    fn of(name: &'t str, timelines: Vec<&'t Timeline>) -> Self {
        let versions = versions(&timelines);
        let holes = timelines.iter().flat_map(|timeline| &timeline.holes);
        let failed = holes.filter(|hole| !versions.contains(&hole.label.as_str()));
        let failed = failed.map(|hole| (hole.label.as_str(), hole.why.as_str())).collect();
        let advice = advise_on(name, &timelines);
        Self { name, timelines, versions, failed, advice }
    }

    fn file(&self) -> String {
        plain(self.name)
    }

    /// How many releases have values of a metric, such as `count`.
    fn with_values(&self, metric: &str) -> usize {
        let is_it = |timeline: &&&Timeline| timeline.series.metric.split('.').next() == Some(metric);
        let points = self.timelines.iter().filter(is_it).flat_map(|timeline| &timeline.points);
        points.map(|point| &point.label).collect::<BTreeSet<_>>().len()
    }

    /// One for each metric.
    fn drawings(&self) -> Vec<Drawing> {
        let mut by_metric: BTreeMap<&str, BTreeMap<&str, Vec<&Timeline>>> = BTreeMap::new();
        for timeline in self.timelines.iter().filter(|timeline| !timeline.points.is_empty()) {
            let series = &timeline.series;
            by_metric.entry(&series.metric).or_default().entry(&series.scenario).or_default().push(timeline);
        }
        let drawing = |(metric, scenarios): (&str, BTreeMap<&str, Vec<&Timeline>>)| {
            let panel = |(scenario, sides): (&&str, &Vec<&Timeline>)| Panel {
                title: (*scenario).to_owned(),
                lines: sides.iter().map(|timeline| self.line(timeline)).collect(),
            };
            let unit = scenarios.values().flatten().map(|timeline| unit(timeline)).next().unwrap_or_default();
            let title = format!("{}: {}{unit}, against the first release", self.name, metric_words(metric));
            let drawn: Vec<Panel> = scenarios.iter().map(panel).collect();
            Drawing {
                file: format!("{}-{}.svg", self.file(), plain(metric)),
                metric: metric.to_owned(),
                text: panels(&title, &self.versions, &drawn),
            }
        };
        by_metric.into_iter().map(drawing).collect()
    }

    fn line(&self, timeline: &Timeline) -> Line {
        let place = |label: &str| self.versions.iter().position(|version| *version == label);
        // The last measurement of a version represents it.
        let of_release =
            |release: &Release<'_>| Some((place(release.label)?, (release.value, release.chained)));
        let values: BTreeMap<usize, (f64, f64)> = timeline.releases().iter().filter_map(of_release).collect();
        let points = values.iter().map(|(place, (value, _))| (*place, *value)).collect();
        let chained = values.values().map(|(_, chained)| *chained).collect();
        let changes = timeline.steps().filter(|change| is_large(timeline, change));
        let changes = changes.filter_map(|change| place(&change.label)).collect();
        Line { name: timeline.series.side.clone(), points, chained, changes }
    }

    fn page(&self) -> String {
        let answer = safe(&sentence(&self.advice));
        let mut text = format!("# Releases of {}\n\n{answer}.\n\n{}\n", safe(self.name), self.lead());
        for drawing in self.drawings() {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "![{}]({})\n", metric_words(&drawing.metric), drawing.file);
        }
        if !self.advice.skip.is_empty() {
            let table = StepTable::skipped(&self.advice).markdown();
            let _ = writeln!(text, "## Releases to skip\n\nThe worst series of each metric.\n\n{table}");
        }
        let (regressions, improvements) = release_steps(&self.timelines);
        section(&mut text, "Regressions", &regressions);
        section(&mut text, "Improvements", &improvements);
        text.truncate(text.trim_end().len());
        text.push('\n');
        self.environments(&mut text);
        self.list(&mut text);
        text
    }

    /// Effects of environments: how far releases that were measured again in another one are from themselves.
    fn environments(&self, text: &mut String) {
        let mut again: BTreeMap<(&str, String, &str), Vec<f64>> = BTreeMap::new();
        for timeline in &self.timelines {
            let changes = timeline.epochs().filter_map(|at| Some((at, timeline.environment_change(at)?)));
            for (at, change) in changes {
                let metric = metric_words(&timeline.series.metric);
                let key = (timeline.points[at].label.as_str(), epoch(timeline, at), metric);
                again.entry(key).or_default().extend(change.ratio);
            }
        }
        if again.is_empty() {
            return;
        }
        text.push_str(
            "\n## Other environments\n\nReleases measured again after the environment had changed. The differences come from \
             the environment, not from the library; drawings exclude them.\n\n\
             | release | new in the environment | metric | cells | change |\n|---|---|---|--:|---|\n",
        );
        for ((version, environment, metric), ratios) in again {
            let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let range = match ratios.is_empty() {
                true => write_change(None),
                false if lowest == highest => write_change(Some(lowest)),
                false => format!("{} to {}", write_change(Some(lowest)), write_change(Some(highest))),
            };
            let (version, environment) = (safe(version), safe(&environment));
            let _ = writeln!(text, "| {version} | {environment} | {metric} | {} | {range} |", ratios.len());
        }
    }

    /// Metrics, dates and hosts.
    fn lead(&self) -> String {
        let (first, last) =
            (self.versions.first().unwrap_or(&"none"), self.versions.last().unwrap_or(&"none"));
        let classes: BTreeSet<&str> =
            self.timelines.iter().map(|timeline| timeline.series.class.as_str()).collect();
        let newest =
            self.timelines.iter().flat_map(|timeline| &timeline.points).map(|point| &point.started).max();
        format!(
            "{}, {first} to {last}, measured on {}, the last one on {}. Each line shows \
             the change of a release from the first one; a larger dot is a step of 1 % or more; tables have the largest \
             step of each release and metric. Some releases need another driver; such steps are marked, as the driver may \
             be the cause. Dependencies without a fixed version are those of the day of the build, unless the stack's \
             name has another day.\n",
            counted(self.versions.len(), "release"),
            safe(&classes.into_iter().collect::<Vec<_>>().join("; ")),
            newest.map_or("no day".to_owned(), |started| when(started)[..10].to_owned())
        )
    }

    /// Every release with its outcome.
    fn list(&self, text: &mut String) {
        let _ = writeln!(text, "\n## Releases\n\nMeasured: {}.", safe(&self.versions.join(", ")));
        if !self.failed.is_empty() {
            text.push_str("\n| release | why it has no value |\n|---|---|\n");
        }
        for (version, why) in &self.failed {
            let _ = writeln!(text, "| {} | {} |", safe(version), safe(why));
        }
        let holes = self.timelines.iter().flat_map(|timeline| &timeline.holes);
        let mut unsupported: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for hole in holes.filter(|hole| self.versions.contains(&hole.label.as_str())) {
            // Equal reasons of several versions are merged.
            let why = hole.why.replace(&format!(" {}", hole.label), "");
            let versions = unsupported.entry(why).or_default();
            if !versions.contains(&hole.label.as_str()) {
                versions.push(&hole.label);
            }
        }
        if !unsupported.is_empty() {
            text.push_str("\nCells without a value:\n\n");
        }
        for (why, versions) in unsupported {
            let range = match &versions[..] {
                [one] => (*one).to_owned(),
                several => format!("{} to {} ({})", several[0], several[several.len() - 1], several.len()),
            };
            let _ = writeln!(text, "- {}: {}", safe(&range), safe(&why));
        }
    }
}

/// The steps of one stack in one direction.
fn section(text: &mut String, title: &str, steps: &[ReleaseStep]) {
    let table = match steps {
        [] => "None.\n".to_owned(),
        steps => StepTable::of(steps, true).markdown(),
    };
    let _ = writeln!(text, "## {title}\n\n{table}");
}

/// The first page: the answer for each stack, every stack in a row, and the largest steps of all.
fn first(timelines: &Timelines, stacks: &[Releases<'_>]) -> String {
    let total: usize = stacks.iter().map(|stack| stack.versions.len()).sum();
    let failed: usize = stacks.iter().map(|stack| stack.failed.len()).sum();
    let mut text = "# Releases\n\n".to_owned();
    for stack in stacks {
        let _ = writeln!(text, "{}.\n", safe(&sentence(&stack.advice)));
    }
    let _ = write!(
        text,
        "{} of {} were measured; {failed} could not be.\n\n\
         | stack | releases | counts | heap | contention | times | oldest | newest | failed | regressions | improvements |\n\
         |---|--:|--:|--:|--:|--:|---|---|--:|--:|--:|\n",
        counted(total, "release"),
        counted(stacks.len(), "stack")
    );
    for stack in stacks {
        let (regressions, improvements) = release_steps(&stack.timelines);
        let numbers =
            ["count", "heap", "contention", "time"].map(|metric| stack.with_values(metric).to_string());
        let _ = writeln!(
            text,
            "| [{}]({}.md) | {} | {} | {} | {} | {} | {} | {} |",
            safe(stack.name),
            stack.file(),
            stack.versions.len(),
            numbers.join(" | "),
            safe(stack.versions.first().unwrap_or(&"")),
            safe(stack.versions.last().unwrap_or(&"")),
            stack.failed.len(),
            regressions.len(),
            improvements.len()
        );
    }
    let _ = write!(text, "\n{}", step_sections(&ReleaseHistory::of(timelines)));
    text
}

/// The unit of drawn values other than the figures: times are drawn as ratios to the reference.
fn unit(timeline: &Timeline) -> String {
    match timeline.points.iter().any(|point| point.reference.is_some()) {
        true => " over the reference's".to_owned(),
        false => String::new(),
    }
}

/// A text as a part of a file's name: a database may have any.
fn plain(text: &str) -> String {
    let keep =
        |letter: char| if letter.is_alphanumeric() || "-_.+@,=#".contains(letter) { letter } else { '-' };
    text.chars().map(keep).collect()
}
