//! The files of a site that programs read: tables as JSON, runs as JSON and CSV, badges, the feed.

use std::collections::BTreeMap;

use serde::Serialize;
use tlslab_pages::site as pages;
use tlslab_pages::site::RunLine;
use tlslab_pages::slug;

use crate::feed;
use crate::make::{Made, Site};

impl Site {
    /// The paths of all files that programs read.
    pub(crate) fn files(&self) -> Vec<String> {
        let lists = ["overview", "runs", "stacks", "scenarios", "comparisons", "choose", "imported"];
        let known = (!self.capabilities.is_empty()).then_some("capabilities");
        let seen = (!self.defaults.lines.is_empty()).then_some("defaults");
        let mut files: Vec<String> =
            lists.into_iter().chain(known).chain(seen).map(|name| format!("data/{name}.json")).collect();
        files.push("feed.atom".to_owned());
        let run = |run: &RunLine| ["json", "csv"].map(|ending| format!("runs/{}.{ending}", slug(&run.id)));
        files.extend(self.runs.iter().flat_map(run));
        files.extend(self.comparisons.iter().map(|entry| format!("{}.json", entry.target.path())));
        files.extend(self.timelines.keys().map(|stack| format!("data/history/{}.json", slug(stack))));
        files.extend(self.scenarios.keys().map(|name| format!("data/scenarios/{}.json", slug(name))));
        for stack in self.stacks.keys().map(|stack| slug(stack)) {
            files.extend([format!("data/stacks/{stack}.json"), format!("badges/{stack}.svg")]);
        }
        files.extend(self.imported.keys().map(|name| format!("badges/{}.svg", slug(name))));
        files
    }

    /// A data file; none if there is no file of this name.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub(crate) fn file(&self, path: &str) -> anyhow::Result<Option<Made>> {
        if path == "feed.atom" {
            let text = pages::feed(&feed::feed(&self.stacks, &self.imported, &self.base));
            return Ok(Some(Made::File { kind: "application/atom+xml", text }));
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        Ok(match (folder, stem, ending) {
            ("data", "overview", "json") => json(&self.overview),
            ("data", "runs", "json") => json(&self.runs),
            ("data", "stacks", "json") => json(&self.overview.stacks),
            ("data", "scenarios", "json") => json(&self.scenario_lines),
            ("data", "imported", "json") => json(&self.overview.imported),
            ("data", "choose", "json") => json(&self.choice),
            ("data", "capabilities", "json") if !self.capabilities.is_empty() => json(&self.capabilities),
            ("data", "defaults", "json") if !self.defaults.lines.is_empty() => json(&self.defaults),
            ("data", "comparisons", "json") => {
                json(&self.comparisons.iter().map(|entry| &entry.line).collect::<Vec<_>>())
            }
            ("data/stacks", stem, "json") => find_named(&self.stacks, stem).and_then(json),
            ("data/scenarios", stem, "json") => find_named(&self.scenarios, stem).and_then(json),
            ("data/history", stem, "json") => find_named(&self.timelines, stem).and_then(json),
            ("badges", stem, "svg") => {
                let of_stack = find_named(&self.stacks, stem).map(feed::badge);
                let badge =
                    of_stack.or_else(|| find_named(&self.imported, stem).map(feed::badge_of_imported));
                badge.map(|badge| Made::File { kind: "image/svg+xml", text: pages::badge(&badge) })
            }
            ("runs", stem, "json" | "csv") => match self.runs.iter().find(|run| slug(&run.id) == stem) {
                Some(run) => Some(self.run_file(&run.id, ending)?),
                None => None,
            },
            ("comparisons", _, "json") => {
                let target =
                    self.comparisons.iter().find(|entry| format!("{}.json", entry.target.path()) == path);
                match target {
                    Some(entry) => self.comparison(&entry.target)?.map(|found| Made::File {
                        kind: "application/json",
                        text: tlslab_comparison::json(&found),
                    }),
                    None => None,
                }
            }
            _ => None,
        })
    }

    fn run_file(&self, run: &str, ending: &str) -> anyhow::Result<Made> {
        let report = self.report(run)?;
        Ok(match ending {
            "json" => Made::File { kind: "application/json", text: tlslab_report::json(&report) },
            _ => Made::File { kind: "text/csv", text: tlslab_report::csv(&report) },
        })
    }
}

/// A table as JSON.
fn json(value: &impl Serialize) -> Option<Made> {
    // Models are plain data with text keys.
    let text = serde_json::to_string_pretty(value).expect("a model serialises") + "\n";
    Some(Made::File { kind: "application/json", text })
}

/// The entry that a slug names.
fn find_named<'m, T>(all: &'m BTreeMap<String, T>, wanted: &str) -> Option<&'m T> {
    all.iter().find(|(name, _)| slug(name) == wanted).map(|(_, found)| found)
}
