//! Finds the commit that made the branch slower, from comparison to comparison. Nothing here asks a database
//! or a code host.

use tlslab_comparison::{Change as Cell, Comparison, Summary, Verdict, described};
use tlslab_queue::{Change, Fault, JobRow, State};
use tlslab_text::number::counted;
use tlslab_text::{capitalised, markdown};

use crate::letters::Writer;
use crate::message::Letter;
use crate::new_jobs::short;
use crate::subject::{CellName, PushSubject, RangeSubject};

/// Cells that an issue lists.
const MOST_CELLS: usize = 5;

/// The range of commits up to a pushed one, after the one that was measured before it.
pub(crate) fn first_range(push: &PushSubject, good: String, commits: Vec<String>) -> RangeSubject {
    RangeSubject {
        branch: push.branch.clone(),
        good,
        bad: push.commit.clone(),
        commits,
        commit: push.commit.clone(),
        found: String::new(),
        cell: None,
    }
}

/// The next step after an ended comparison of a range.
pub(crate) fn next(job: &JobRow, range: &RangeSubject, comparison: Option<&Comparison>) -> Next {
    let step = match (job.state, comparison) {
        (State::Reported, Some(comparison)) => Step::of(worst(comparison, range.cell.as_ref())),
        // A commit that does not build is neither good nor bad.
        (State::Failed, _) if job.fault == Some(Fault::Candidate) && range.cell.is_some() => Step::Skip,
        _ => return Next::Nothing,
    };
    step.next(range, comparison.map_or_else(|| range.found.clone(), describe_found))
}

/// The conclusion from a measured commit for those around it.
enum Step {
    /// It is slower: it or one before it is.
    Slower(CellName),
    /// It is not: one after it is.
    NotSlower,
    /// It cannot be measured.
    Skip,
}

/// The next step.
pub(crate) enum Next {
    /// Nothing.
    Nothing,
    /// Another commit is measured.
    Measure(RangeSubject),
    /// The commit is named in an issue.
    Report(RangeSubject),
}

impl Step {
    fn of(worst: Option<&Cell>) -> Self {
        worst.map_or(Self::NotSlower, |cell| {
            Self::Slower(CellName {
                scenario: cell.scenario.clone(),
                side: cell.side_name().to_owned(),
                metric: cell.metric.name().to_owned(),
            })
        })
    }

    fn next(self, range: &RangeSubject, found: String) -> Next {
        let is_first = range.cell.is_none();
        let at = range.commits.iter().position(|commit| *commit == range.commit);
        let mut next = range.clone();
        match self {
            Self::Slower(cell) => {
                next.bad.clone_from(&range.commit);
                next.commits.truncate(at.map_or(0, |at| at + 1));
                next.found = found;
                next.cell.get_or_insert(cell);
            }
            Self::NotSlower if is_first => return Next::Nothing,
            Self::NotSlower => {
                drop(next.commits.drain(..=at.unwrap_or(0).min(range.commits.len().saturating_sub(1))))
            }
            Self::Skip => drop(at.map(|at| next.commits.remove(at))),
        }
        match next.commits.len() {
            0 => Next::Report(RangeSubject { commits: vec![next.bad.clone()], ..next }),
            1 => Next::Report(next),
            many => {
                next.commit.clone_from(&next.commits[many / 2 - 1]);
                Next::Measure(next)
            }
        }
    }
}

/// The regression that decides: of the named cell, or the largest.
fn worst<'c>(comparison: &'c Comparison, cell: Option<&CellName>) -> Option<&'c Cell> {
    let is_it = |change: &&Cell| {
        change.verdict() == Some(Verdict::Regression)
            && cell.is_none_or(|cell| {
                change.scenario == cell.scenario
                    && change.side_name() == cell.side
                    && change.metric.name() == cell.metric
            })
    };
    match cell {
        // Within a bisection the regression of one commit alone may be small.
        Some(_) => comparison.flagged().into_iter().find(is_it),
        None => comparison.highlighted().into_iter().find(is_it),
    }
}

/// The comparison that shows the regression, as text of an issue.
fn describe_found(comparison: &Comparison) -> String {
    let regressions =
        comparison.flagged().into_iter().filter(|cell| cell.verdict() == Some(Verdict::Regression));
    let lines =
        regressions.take(MOST_CELLS).map(|cell| format!("- {}\n", markdown(&described(comparison, cell))));
    format!("{}.\n\n{}", capitalised(&Summary::of(comparison).title), lines.collect::<String>())
}

impl Writer<'_> {
    /// The issue that names the commit, opened once.
    pub(crate) fn issue(&self, job: &JobRow, range: &RangeSubject) -> Change {
        let name = self.project.name.get_ref();
        let culprit = match range.commits.as_slice() {
            [one] => format!("Commit {one} is slower than {}.", range.good),
            several => {
                format!("One of {} after {} is slower.", counted(several.len(), "commit"), range.good)
            }
        };
        let text = format!(
            "{culprit}\n\n{}\nEach was measured together with {} and confirmed with new processes. [The last comparison]({}) has every cell.\n",
            range.found,
            short(&range.good),
            self.link(job)
        );
        let issue = Letter::Issue {
            project: name.clone(),
            mark: format!("regression.{name}.{}", short(&range.bad)),
            title: format!("Performance regression in {}", short(&range.bad)),
            text,
        };
        issue.sent(job.id.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> CellName {
        CellName { scenario: "s".to_owned(), side: "client".to_owned(), metric: "time".to_owned() }
    }

    /// How many comparisons it takes to find the culprit among so many commits, and which it names.
    fn search(commits: usize, culprit: usize, unbuildable: &[usize]) -> (usize, Vec<String>) {
        let names: Vec<String> = (0..commits).map(|number| format!("c{number:04}")).collect();
        let mut range = RangeSubject {
            branch: "main".to_owned(),
            good: "good".to_owned(),
            bad: names[commits - 1].clone(),
            commits: names.clone(),
            commit: names[commits - 1].clone(),
            found: String::new(),
            cell: None,
        };
        for measured in 1.. {
            assert!(measured < 40);
            let at = names.iter().position(|name| *name == range.commit).unwrap();
            let step = match at {
                at if unbuildable.contains(&at) => Step::Skip,
                at if at >= culprit => Step::Slower(cell()),
                _ => Step::NotSlower,
            };
            match step.next(&range, "f".to_owned()) {
                Next::Nothing => return (measured, Vec::new()),
                Next::Measure(next) => range = next,
                Next::Report(range) => return (measured, range.commits),
            }
        }
        unreachable!()
    }

    #[test]
    fn every_culprit_is_found_in_few_steps() {
        for commits in 1..40 {
            for culprit in 0..commits {
                let (measured, found) = search(commits, culprit, &[]);
                assert_eq!(found, [format!("c{culprit:04}")], "{commits}");
                assert!(measured <= 7, "{measured} for {commits}");
            }
            assert_eq!(search(commits, commits + 1, &[]), (1, Vec::new()), "none is slower");
        }
    }

    #[test]
    fn a_commit_that_does_not_build_is_not_blamed() {
        for skipped in 0..9 {
            for culprit in 0..10 {
                let (_, found) = search(10, culprit, &[skipped]);
                assert!(
                    culprit == skipped || found == [format!("c{culprit:04}")],
                    "{culprit} {skipped} {found:?}"
                );
            }
        }
    }
}
