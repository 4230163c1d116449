//! The functions and releases behind the changes of a history.

use std::collections::{HashMap, HashSet};

use tlslab_profile::Parts;
use tlslab_recipe::{RecipeIndex, compare};
use tlslab_report::timeline::{Explanation, Timeline};
use tlslab_store::Store;

use crate::functions::changed::{by_function, changed_on, stack};
use crate::functions::counted::CountedFunctions;
use crate::progress::event::Stage;
use crate::session::Session;

/// Explains the largest changes of instruction counts: counts both versions by function, and names unmeasured
/// releases between them. A change without an explanation stays unchanged, and a warning gives the reason.
///
/// # Errors
/// Fails if recipes or parts cannot be read, or if it was cancelled.
pub fn explain(
    session: &Session<'_>,
    store: &dyn Store,
    timelines: &mut [Timeline],
    most: usize,
) -> anyhow::Result<()> {
    let index = session.environment().recipe_index()?;
    let mut known = Known { session, parts: session.environment().parts()?, counted: HashMap::new() };
    let mut releases: HashMap<String, Vec<String>> = HashMap::new();
    let wanted = wanted(timelines, most);
    for (done, &(timeline, at)) in wanted.iter().enumerate() {
        let timeline = &mut timelines[timeline];
        let (before, after) = (&timeline.points[at - 1], &timeline.points[at]);
        session.reporter().step(
            Stage::Functions,
            (done, wanted.len()),
            format!("{} → {}", before.label, after.label),
        );
        let named = |run: &str, name: &str| stack(store.plan(run).ok().as_ref(), name);
        let pair = (named(&before.run, &before.stack), named(&after.run, &after.stack));
        let name = timeline.series.stack.split('+').next().unwrap_or_default();
        let releases = releases.entry(name.to_owned()).or_insert_with(|| all_versions(&index, name));
        let between = list_between(releases, (&before.label, &after.label));
        let (scenario, side) = (timeline.series.scenario.clone(), timeline.series.side.clone());
        let functions = known.functions(&pair, &scenario, &side);
        session.reporter().check()?;
        match functions {
            Ok(functions) => _ = timeline.reasons.insert(at, Explanation { functions, between }),
            Err(why) => session.reporter().warn(format!(
                "the functions that changed {scenario} at {} are unknown: {why:#}",
                timeline.points[at].label
            )),
        }
    }
    Ok(())
}

/// The places of the largest changes of whole iterations, as series and point: first the largest one of each
/// version, then the others.
fn wanted(timelines: &[Timeline], most: usize) -> Vec<(usize, usize)> {
    let mut all: Vec<(f64, usize, usize)> = Vec::new();
    for (series, timeline) in timelines.iter().enumerate() {
        if timeline.series.metric != "count.instructions" {
            continue;
        }
        for change in timeline.steps() {
            all.push((change.ratio.map_or(f64::MAX, |ratio| ratio.ln().abs()), series, change.at));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen = HashSet::new();
    let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, series, at)| {
        let timeline = &timelines[*series];
        seen.insert((&timeline.series.stack, &timeline.points[*at].label))
    });
    first.into_iter().chain(others).take(most).map(|(_, series, at)| (series, at)).collect()
}

/// The versions of a stack in its recipe or a registry, without pre-releases; none if the registry does not
/// answer.
fn all_versions(index: &RecipeIndex, name: &str) -> Vec<String> {
    let listed = index.releases(name).ok().flatten().unwrap_or_default();
    let is_usual =
        |release: &tlslab_recipe::Release| !release.listed.is_prerelease() && !release.listed.is_withdrawn;
    let listed = listed.into_iter().filter(is_usual);
    let of_recipe = index.file(name).map(|file| file.versions().map(str::to_owned).collect::<Vec<_>>());
    let mut all: Vec<String> =
        listed.map(|release| release.name).chain(of_recipe.unwrap_or_default()).collect();
    all.sort_by(|a, b| compare(a, b));
    all.dedup();
    all
}

/// The releases between two labels; none if one of them is a commit.
fn list_between(releases: &[String], (before, after): (&str, &str)) -> Vec<String> {
    if [before, after].iter().any(|label| !releases.iter().any(|name| name == label)) {
        return Vec::new();
    }
    let (low, high) = if compare(before, after).is_lt() { (before, after) } else { (after, before) };
    let is_between = |name: &&String| compare(name, low).is_gt() && compare(name, high).is_lt();
    releases.iter().filter(is_between).cloned().collect()
}

/// Counts by function so far; both sides of a scenario are counted at once.
struct Known<'s> {
    session: &'s Session<'s>,
    parts: Parts,
    counted: HashMap<(String, String), CountedFunctions>,
}

impl Known<'_> {
    fn functions(
        &mut self,
        (before, after): &(String, String),
        scenario: &str,
        side: &str,
    ) -> anyhow::Result<Vec<tlslab_comparison::Reason>> {
        for stack in [before, after] {
            let key = (stack.clone(), scenario.to_owned());
            if !self.counted.contains_key(&key) {
                let counted = by_function(&self.session.workshop, (stack, None), scenario)?;
                self.counted.insert(key, counted);
            }
        }
        let of = |stack: &String| &self.counted[&(stack.clone(), scenario.to_owned())];
        Ok(changed_on(side, of(before), of(after), &self.parts))
    }
}

#[cfg(test)]
mod tests {
    use super::list_between;

    #[test]
    fn releases_between_are_named_for_releases_alone() {
        let releases = ["1.0.0", "1.0.9", "1.0.10", "1.1.0"].map(str::to_owned);
        assert_eq!(list_between(&releases, ("1.0.0", "1.1.0")), ["1.0.9", "1.0.10"]);
        assert_eq!(list_between(&releases, ("1.1.0", "1.0.9")), ["1.0.10"]);
        assert_eq!(list_between(&releases, ("1.0.0", "8f1c2d")), [] as [&str; 0]);
    }
}
