//! The order of the labels of a stack in its history: the one order that lists, pages and commands use.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use tlslab_recipe::{is_commit, is_number, prefix};
use tlslab_store::{Appearance, Store};

/// The order of the labels of every stack.
///
/// Labels that are versions have the order of versions, each kind its own. Others have the order of pushes if
/// that is known; else the order of their first appearance, and a baseline comes before its candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelOrder {
    /// The place of each label, by stack.
    places: BTreeMap<String, BTreeMap<String, usize>>,
}

impl LabelOrder {
    /// The order of all labels in a database. `pushes` are commits in the order in which they were pushed,
    /// oldest first; empty if that is unknown.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn read(store: &dyn Store, pushes: &[String]) -> anyhow::Result<Self> {
        Ok(Self::of(&store.appearances()?, pushes))
    }

    /// The order of these labels; they come with the oldest run first.
    pub fn of(appearances: &[Appearance], pushes: &[String]) -> Self {
        let pushes = Pushes::of(pushes);
        let mut by_stack: BTreeMap<&str, Vec<&Appearance>> = BTreeMap::new();
        for appearance in appearances {
            by_stack.entry(&appearance.stack).or_default().push(appearance);
        }
        let places = |(stack, of_stack): (&str, Vec<&Appearance>)| {
            let places = ordered(&of_stack, &pushes).into_iter().enumerate();
            (stack.to_owned(), places.map(|(place, label)| (label.to_owned(), place)).collect())
        };
        Self { places: by_stack.into_iter().map(places).collect() }
    }

    /// The order of two labels of a stack. An unknown label, of a run that was recorded later, comes last.
    pub fn compare(&self, stack: &str, one: &str, other: &str) -> Ordering {
        let place = |label: &str| self.places.get(stack)?.get(label);
        match (place(one), place(other)) {
            (Some(one), Some(other)) => one.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => tlslab_recipe::compare(one, other),
        }
    }
}

/// The labels of one stack in order.
fn ordered<'a>(appearances: &[&'a Appearance], pushes: &Pushes) -> Vec<&'a str> {
    if are_versions(appearances) {
        let labels: BTreeSet<&str> = appearances.iter().map(|one| &*one.label).collect();
        let mut labels: Vec<&str> = labels.into_iter().collect();
        labels.sort_by(|one, other| tlslab_recipe::compare(one, other));
        return labels;
    }
    order_kinds(by_appearance(appearances, pushes))
}

/// If all labels are versions of several kinds, such as the library's and a package's, each kind keeps its
/// places, in its own order.
fn order_kinds(mut order: Vec<&str>) -> Vec<&str> {
    let Some(kinds) = order.iter().map(|label| kind(label)).collect::<Option<Vec<String>>>() else {
        return order;
    };
    for wanted in kinds.iter().collect::<BTreeSet<_>>() {
        let places: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at] == *wanted).collect();
        let mut labels: Vec<&str> = places.iter().map(|&at| order[at]).collect();
        labels.sort_by(|one, other| tlslab_recipe::compare(one, other));
        places.into_iter().zip(labels).for_each(|(at, label)| order[at] = label);
    }
    order
}

/// The prefix of a version; `None` for another label. Seven digits or more may be a commit as well.
fn kind(label: &str) -> Option<String> {
    prefix(label).filter(|_| !is_number(label) || label.len() < 7)
}

/// Whether all labels are versions with one numbering. A label without a value, such as that of a failed
/// build, is ignored.
fn are_versions(appearances: &[&Appearance]) -> bool {
    let all = || appearances.iter().map(|one| (&*one.label, one.has_value));
    let has_value = all().any(|(_, has_value)| has_value);
    let labels: BTreeSet<&str> =
        all().filter(|(_, own)| *own || !has_value).map(|(label, _)| label).collect();
    if labels.iter().all(|label| is_number(label)) {
        return true;
    }
    let prefixes: BTreeSet<Option<String>> = labels.iter().map(|label| kind(label)).collect();
    prefixes.len() == 1 && !prefixes.contains(&None)
}

/// Pushed labels in the order of pushes, and each other one at its first appearance: after all that appeared
/// before it, but before a candidate of which it is the baseline.
fn by_appearance<'a>(appearances: &[&'a Appearance], pushes: &Pushes) -> Vec<&'a str> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, appearance) in appearances.iter().enumerate() {
        first.entry(&appearance.label).or_insert(at);
    }
    let (mut pushed, mut others): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    for (label, at) in first {
        match pushes.place(label) {
            Some(place) => pushed.push((place, at, label)),
            None => others.push((at, label)),
        }
    }
    pushed.sort_unstable();
    others.sort_unstable();
    let mut order: Vec<(usize, &str)> = pushed.into_iter().map(|(_, at, label)| (at, label)).collect();
    for (at, label) in others {
        let by_time = order.iter().rposition(|(first, _)| *first < at).map_or(0, |before| before + 1);
        let later_in_run = appearances[at + 1..].iter().take_while(|one| one.run == appearances[at].run);
        let candidates =
            later_in_run.filter_map(|one| order.iter().position(|(_, known)| *known == one.label));
        let place = candidates.min().map_or(by_time, |candidate| candidate.min(by_time));
        order.insert(place, (at, label));
    }
    order.into_iter().map(|(_, label)| label).collect()
}

/// Commits with their places in the order of pushes; a commit that was pushed again keeps its first place.
struct Pushes(BTreeMap<String, usize>);

impl Pushes {
    fn of(commits: &[String]) -> Self {
        let mut places = BTreeMap::new();
        for (place, commit) in commits.iter().enumerate() {
            places.entry(commit.to_ascii_lowercase()).or_insert(place);
        }
        Self(places)
    }

    /// The place of the commit that a label names, if it was pushed.
    fn place(&self, label: &str) -> Option<usize> {
        let commit = commit_of(label)?.to_ascii_lowercase();
        let begins_so = self.0.range(commit.clone()..).take_while(|(known, _)| known.starts_with(&commit));
        begins_so.map(|(_, place)| *place).min()
    }
}

/// The commit in a label: `fbd8a0e5ff78`, `main (fbd8a0e5ff78)`, either with dependencies after it.
fn commit_of(label: &str) -> Option<&str> {
    let source = label.split(", ").next().unwrap_or(label);
    let named = source.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).map(|(_, commit)| commit);
    // All digits of a commit may be decimal.
    let commit = named.unwrap_or(source);
    (is_commit(commit) || (is_number(commit) && commit.len() >= 7)).then_some(commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs, oldest first, each with the labels of its stacks; a label that ends with `!` has no value.
    fn order(runs: &[&[&str]], pushes: &[&str]) -> Vec<String> {
        let mut appearances = Vec::new();
        for (run, labels) in runs.iter().enumerate() {
            appearances.extend(labels.iter().map(|label| Appearance {
                stack: "library".to_owned(),
                label: label.trim_end_matches('!').to_owned(),
                run: format!("run-{run}"),
                has_value: !label.ends_with('!'),
            }));
        }
        let pushes: Vec<String> = pushes.iter().map(|commit| (*commit).to_owned()).collect();
        let order = LabelOrder::of(&appearances, &pushes);
        let mut labels: Vec<String> = appearances.into_iter().map(|one| one.label).collect();
        labels.sort_by(|one, other| order.compare("library", one, other));
        labels.dedup();
        labels
    }

    #[test]
    fn versions_keep_their_own_order() {
        assert_eq!(order(&[&["0.23.46", "0.23.9"], &["0.20.4"]], &[]), ["0.20.4", "0.23.9", "0.23.46"]);
        assert_eq!(order(&[&["r9"], &["r10"], &["r1"]], &[]), ["r1", "r9", "r10"]);
        assert_eq!(order(&[&["20240116"], &["20240115"]], &[]), ["20240115", "20240116"]);
        // A build that failed has no version; the others keep theirs.
        assert_eq!(order(&[&["unknown!", "1.10.0"], &["1.9.0"]], &[]), ["1.9.0", "1.10.0", "unknown"]);
    }

    #[test]
    fn each_kind_of_version_keeps_its_own_order() {
        let runs: [&[&str]; 4] = [&["5.9.4"], &["sys-5.3.0"], &["sys-5.10.0", "sys-5.9.0"], &["5.9.3"]];
        assert_eq!(order(&runs, &[]), ["5.9.3", "sys-5.3.0", "sys-5.9.0", "sys-5.10.0", "5.9.4"]);
    }

    #[test]
    fn commits_have_the_order_of_runs_and_a_baseline_comes_before_its_candidate() {
        assert_eq!(order(&[&["fbd8a0e5ff78", "d41e3e8aaaaa"]], &[]), ["fbd8a0e5ff78", "d41e3e8aaaaa"]);
        let history = ["f8b7c00ddf72", "7c1157d00000", "6f04465aaaaa", "acfddb900000"];
        let runs: Vec<&[&str]> = history.iter().map(std::slice::from_ref).collect();
        assert_eq!(order(&runs, &[]), history);
        // A baseline that is measured again does not become the newest.
        let again: [&[&str]; 2] = [&["fbd8a0e5ff78", "d41e3e8aaaaa"], &["fbd8a0e5ff78", "0123456789ab"]];
        assert_eq!(order(&again, &[]), ["fbd8a0e5ff78", "d41e3e8aaaaa", "0123456789ab"]);
        // A baseline that is measured only after its candidate.
        let late: [&[&str]; 3] = [&["ccccccccccc1"], &["ccccccccccc2"], &["aaaaaaaaaaaa", "ccccccccccc2"]];
        assert_eq!(order(&late, &[]), ["ccccccccccc1", "aaaaaaaaaaaa", "ccccccccccc2"]);
        // Digits that happen to be decimal.
        assert_eq!(order(&[&["fbd8a0e5ff78"], &["123456789012"]], &[]), ["fbd8a0e5ff78", "123456789012"]);
    }

    #[test]
    fn pushes_come_before_the_order_of_runs() {
        let pushes = ["f8b7c00ddf72aa", "7c1157d00000bb", "6f04465aaaaacc", "f8b7c00ddf72aa"];
        let runs: [&[&str]; 4] = [&["6f04465aaaaa"], &["f8b7c00ddf72"], &["7c1157d00000"], &["acfddb900000"]];
        assert_eq!(order(&runs, &pushes), ["f8b7c00ddf72", "7c1157d00000", "6f04465aaaaa", "acfddb900000"]);
        let named: [&[&str]; 2] = [&["main (7c1157d00000)"], &["main (f8b7c00ddf72), ring 0.17.8"]];
        assert_eq!(order(&named, &pushes), ["main (f8b7c00ddf72), ring 0.17.8", "main (7c1157d00000)"]);
        // A commit that was not pushed stands where it was measured.
        let local: [&[&str]; 3] = [&["f8b7c00ddf72"], &["f8b7c00ddf72", "eeeeeeeeeeee"], &["7c1157d00000"]];
        assert_eq!(order(&local, &pushes), ["f8b7c00ddf72", "eeeeeeeeeeee", "7c1157d00000"]);
    }

    #[test]
    fn mixtures_have_the_order_of_runs() {
        for labels in [
            ["3.5.5", "fbd8a0e5ff78", "0123456789ab"],
            ["3.6.0", "main (0123456789ab)", "3.5.5"],
            ["3.5.5 (fbd8a0e5ff78)", "3.5.5", "3.5.5 (0123456789ab)"],
            ["main", "after", "before"],
            ["r9", "build-1", "1.2"],
            ["1234567", "3.5.5", "0.1"],
        ] {
            let runs: Vec<&[&str]> = labels.iter().map(std::slice::from_ref).collect();
            assert_eq!(order(&runs, &[]), labels);
        }
    }
}
