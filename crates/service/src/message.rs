//! Messages to code hosts, as the outbox keeps them.

use serde::{Deserialize, Serialize};
use tlslab_forge::CommitStatus;
use tlslab_queue::Change;

use crate::config::Notice;

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Letter {
    /// The status of a commit.
    Status {
        /// The project.
        project: String,
        /// The commit.
        commit: String,
        /// Its status.
        status: CommitStatus,
    },
    /// The one comment on a pull request.
    Comment {
        /// The project.
        project: String,
        /// The pull request.
        number: u64,
        /// The commit that it speaks of: at another head it is not sent.
        #[serde(default)]
        commit: Option<String>,
        /// Its text.
        text: String,
    },
    /// A thumb up on a comment with a command.
    Read {
        /// The project.
        project: String,
        /// The pull request.
        number: u64,
        /// The comment's identifier.
        comment: u64,
    },
    /// A notice to an operator's address.
    Notice(Notice),
    /// An issue, which is opened once.
    Issue {
        /// The project.
        project: String,
        /// The mark by which it is found again.
        mark: String,
        /// Its title.
        title: String,
        /// Its text.
        text: String,
    },
}

impl Letter {
    /// Its project.
    pub(crate) fn project(&self) -> &str {
        match self {
            Self::Status { project, .. }
            | Self::Comment { project, .. }
            | Self::Read { project, .. }
            | Self::Issue { project, .. } => project,
            Self::Notice(_) => "",
        }
    }

    /// It is sent, as a message about a job or about none.
    pub(crate) fn sent(self, job: String) -> Change {
        Change::Send { key: self.key(), job, body: serde_json::to_value(self).unwrap_or_default() }
    }

    /// Its key in the outbox: a newer message of the same key replaces it.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Status { project, commit, status } => {
                format!("status:{project}:{commit}:{}", status.context)
            }
            Self::Comment { project, number, .. } => format!("comment:{project}:{number}"),
            Self::Read { project, comment, .. } => format!("read:{project}:{comment}"),
            Self::Issue { project, mark, .. } => format!("issue:{project}:{mark}"),
            Self::Notice(notice) => format!("notify:{}:{}", notice.target, notice.id),
        }
    }
}
