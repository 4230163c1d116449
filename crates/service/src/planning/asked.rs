//! Queries of a code host.

use tlslab_forge::webhook::Person;
use tlslab_forge::{Client, ForgeError, Pull};
use tlslab_queue::Approval;

/// Queries of a code host.
pub(crate) trait Asked {
    /// A pull request in its current state.
    fn pull(&mut self, number: u64) -> Result<Pull, ForgeError>;
    /// The newest commit that base and head have in common.
    fn merge_base(&mut self, number: u64, base: &str, head: &str) -> Result<String, ForgeError>;
    /// Whether somebody may write to the repository now.
    fn may_write(&mut self, person: &Person) -> Result<bool, ForgeError>;
    /// The commit that somebody approves, by that person's newest review; none if reviews name no commit.
    fn approval_commit(&mut self, number: u64, person: &Person) -> Result<Option<String>, ForgeError>;
    /// The commit that a branch is at.
    fn branch_commit(&mut self, branch: &str) -> Result<Option<String>, ForgeError>;
    /// The files that a pull request changes; none if the code host does not list all of them.
    fn changed_files(
        &mut self,
        number: u64,
        base: &str,
        head: &str,
    ) -> Result<Option<Vec<String>>, ForgeError>;
    /// The commit of a branch, a tag or a commit's first digits.
    fn commit_of(&mut self, reference: &str) -> Result<Option<String>, ForgeError>;
    /// The name of the service's own account.
    fn own_name(&mut self) -> Result<String, ForgeError>;
}

impl Asked for Client {
    fn pull(&mut self, number: u64) -> Result<Pull, ForgeError> {
        Self::pull(self, number)
    }
    fn merge_base(&mut self, number: u64, base: &str, head: &str) -> Result<String, ForgeError> {
        Self::merge_base(self, number, base, head)
    }
    fn may_write(&mut self, person: &Person) -> Result<bool, ForgeError> {
        Self::may_write(self, person)
    }
    fn approval_commit(&mut self, number: u64, person: &Person) -> Result<Option<String>, ForgeError> {
        Self::approval_commit(self, number, person)
    }
    fn branch_commit(&mut self, branch: &str) -> Result<Option<String>, ForgeError> {
        Self::branch_commit(self, branch)
    }
    fn changed_files(
        &mut self,
        number: u64,
        base: &str,
        head: &str,
    ) -> Result<Option<Vec<String>>, ForgeError> {
        Self::changed_files(self, number, base, head)
    }
    fn commit_of(&mut self, reference: &str) -> Result<Option<String>, ForgeError> {
        Self::commit_of(self, reference)
    }
    fn own_name(&mut self) -> Result<String, ForgeError> {
        self.who()
    }
}

/// Who must approve the head of a pull request, on every code host: its author if the head is in the
/// repository itself and the author may write there now; a maintainer otherwise. Strangers can push to a
/// fork, no matter who opened the pull request. A code host may also show a stranger's head as one of the
/// repository itself, as Gitea does for `refs/for/BRANCH`.
///
/// # Errors
/// Fails if the code host does not answer.
pub(crate) fn approval_of(asked: &mut dyn Asked, pull: &Pull) -> Result<Approval, ForgeError> {
    let is_fork = pull.head_repository != Some(pull.repository);
    Ok(match is_fork || !asked.may_write(&pull.author)? {
        true => Approval::Awaited,
        false => Approval::Author,
    })
}
