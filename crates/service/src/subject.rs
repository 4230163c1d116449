//! The subject of a job: stored with it, for pages and messages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The subject of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Subject {
    /// A pull request at one commit.
    Pull(PullSubject),
    /// A commit that a merge queue is about to merge.
    Merging(MergingSubject),
    /// A commit of the branch that is measured into the history.
    Push(PushSubject),
    /// Two commits of that branch, compared because the second may be slower.
    Range(RangeSubject),
    /// A schedule.
    Schedule {
        /// The schedule.
        name: String,
    },
    /// A submitted job.
    Submitted {
        /// The owner of the token.
        by: String,
        /// A title in a few words.
        title: String,
    },
    /// A check whether a runner has changed.
    Check {
        /// The runner.
        runner: String,
    },
}

/// A pull request at one commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PullSubject {
    /// Its number.
    pub number: u64,
    /// The commit that is measured, and no other one.
    pub commit: String,
    /// The merge base, with which it is compared.
    pub baseline: String,
    /// Its branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The branch that it is merged into, or the reference that a command named instead.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base_branch: String,
    /// Who opened it.
    pub author: String,
    /// Whether it comes from another repository.
    pub is_fork: bool,
    /// Who requested it, if not the pull request itself.
    #[serde(default)]
    pub asked_by: Option<String>,
    /// Whether the two do not differ in anything that is measured, so that no job ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unchanged: bool,
    /// How it differs from the measurement that decides the commit's status, such as `against v1.0`; none if
    /// it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
}

/// A commit that a merge queue is about to merge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MergingSubject {
    /// The reference of the merge queue.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// The commit that it is made from, with which it is compared.
    pub baseline: String,
}

/// A commit of a branch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PushSubject {
    /// The branch.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// The commit that was measured before, with which it is compared.
    #[serde(default)]
    pub before: Option<String>,
}

/// Two commits of a branch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RangeSubject {
    /// The branch.
    pub branch: String,
    /// A commit that is not slower.
    pub good: String,
    /// One that is.
    pub bad: String,
    /// The commits after `good` up to `bad`, the oldest first.
    pub commits: Vec<String>,
    /// The commit that this job measures against `good`.
    pub commit: String,
    /// The regression, as the first comparison found it.
    #[serde(default)]
    pub found: String,
    /// The scenario, side and metric that decide.
    #[serde(default)]
    pub cell: Option<CellName>,
}

/// A cell of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CellName {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: String,
    /// The metric.
    pub metric: String,
}

impl Subject {
    /// The subject of a job, if it is one.
    pub(crate) fn of(job: &tlslab_queue::JobRow) -> Option<Self> {
        serde_json::from_value(job.subject.clone()).ok()
    }

    /// A title of a few words.
    pub(crate) fn title(&self) -> String {
        let short = |commit: &str| commit.chars().take(10).collect::<String>();
        match self {
            Self::Pull(pull) => {
                let aside = pull.aside.as_ref().map(|aside| format!(" {aside}")).unwrap_or_default();
                format!("pull request {} at {}{aside}", pull.number, short(&pull.commit))
            }
            Self::Merging(merging) => format!("{} at {}", merging.branch, short(&merging.commit)),
            Self::Push(push) => format!("{} at {}", push.branch, short(&push.commit)),
            Self::Range(range) => {
                format!("{}: {} against {}", range.branch, short(&range.commit), short(&range.good))
            }
            Self::Schedule { name } => format!("schedule {name}"),
            Self::Submitted { by, title } => format!("{title} (by {by})"),
            Self::Check { runner } => format!("check of runner {runner}"),
        }
    }

    /// The commit that is measured.
    #[cfg(test)]
    pub(crate) fn commit(&self) -> Option<&str> {
        match self {
            Self::Pull(pull) => Some(&pull.commit),
            Self::Merging(merging) => Some(&merging.commit),
            Self::Push(push) => Some(&push.commit),
            Self::Range(range) => Some(&range.commit),
            Self::Schedule { .. } | Self::Submitted { .. } | Self::Check { .. } => None,
        }
    }
}
