//! Gitea with a required status merges only a head whose newest finished measurement passes, or whose
//! regression a maintainer accepted.

use tlslab_queue::{Approval, State};

use crate::world::{Pulled, World};

const CONTEXT: &str = "tlslab/tiny";

#[test]
#[ignore = "make test-forge: takes minutes"]
fn only_what_was_measured_and_passes_is_merged() {
    let world = World::start();
    world.gitea.require_status(&world.repository, CONTEXT).unwrap();
    a_push_by_an_account_that_may_only_read(&world);
    a_fork_that_waits(&world);
    a_broken_candidate(&world);
    a_head_that_comes_back(&world);
    closed_and_opened_again(&world);
    a_command_that_is_cancelled(&world);
    a_command_within_code(&world);
    passes(&world);
    accepted(&world);
    world.check_comments_at_least(9);
    world.check_log();
}

/// `refs/for/main` takes the push of an account that may only read: Gitea shows its head as one of the repository itself.
fn a_push_by_an_account_that_may_only_read(world: &World) {
    let pull = world.for_review("stranger", "friendly", "hostile");
    world.state_is(&pull, State::WaitingForApproval);
    world.status_is(&pull, "pending", "approval");
    world.not_merged(&pull);
    assert_eq!(world.ended_or_not(&pull).approval, Approval::Awaited);
    world.gitea.approve("maintainer", &world.repository, pull.number, &pull.commit).unwrap();
    let job = world.ended(&pull);
    assert_eq!((job.state, job.approval), (State::Reported, Approval::Given), "{}", job.reason);
}

fn a_fork_that_waits(world: &World) {
    let pull = world.fork_pull("fork-required", "no-op");
    world.state_is(&pull, State::WaitingForApproval);
    world.status_is(&pull, "pending", "approval");
    world.not_merged(&pull);
}

fn a_broken_candidate(world: &World) {
    let pull = world.own_pull("broken-required", "does-not-compile");
    world.ended(&pull);
    world.status_is(&pull, "failure", "not measured");
    world.not_merged(&pull);
}

/// A → B → A while A is measured.
fn a_head_that_comes_back(world: &World) {
    let first = world.own_pull("flips", "regression");
    world.has_job(&first);
    let second = world.push_again(&first, "owner", "no-op");
    world.has_job(&second);
    world.gitea.move_branch("owner", &world.repository, "flips", &first.commit).unwrap();
    world.comment_has(&first, "Look at the regressions");
    world.status_is(&first, "failure", "3 regressions");
    assert!(world.comment(&first).contains(&format!("head `flips` at {} ·", &first.commit[..8])));
    world.not_merged(&first);
}

fn closed_and_opened_again(world: &World) {
    let pull = world.own_pull("reopened", "regression");
    world.has_job(&pull);
    world.gitea.close_pull("owner", &world.repository, pull.number).unwrap();
    assert_eq!(world.ended(&pull).state, State::Cancelled);
    world.gitea.reopen_pull("owner", &world.repository, pull.number).unwrap();
    world.status_is(&pull, "failure", "3 regressions");
    world.not_merged(&pull);
}

/// Cancelling another measurement leaves the result of the first; cancelling the only one leaves none.
fn a_command_that_is_cancelled(world: &World) {
    let pull = world.own_pull("cancelled-required", "regression");
    world.has_job(&pull);
    world.command(&pull, "/tlslab cancel");
    world.status_is(&pull, "error", "cancelled");
    world.not_merged(&pull);
    world.command(&pull, "/tlslab compare");
    world.status_is(&pull, "failure", "3 regressions");
    world.command(&pull, "/tlslab compare");
    world.status_is(&pull, "pending", "");
    world.command(&pull, "/tlslab cancel");
    world.status_is(&pull, "failure", "3 regressions");
    world.not_merged(&pull);
}

/// A maintainer's explanation is no command, and neither is invisible text.
fn a_command_within_code(world: &World) {
    let pull = world.fork_pull("explained", "no-op");
    world.state_is(&pull, State::WaitingForApproval);
    for text in ["you can write\n```\n/tlslab compare\n```", "<!--\n/tlslab compare\n-->"] {
        world.command(&pull, text);
    }
    world.settle();
    assert_eq!(world.jobs_of(&pull).len(), 1);
    world.state_is(&pull, State::WaitingForApproval);
    world.not_merged(&pull);
}

fn passes(world: &World) {
    let pull = world.notes_pull("notes");
    world.status_is(&pull, "success", "3 unchanged");
    world.merged(&pull);
}

/// A maintainer accepts as much as there is, and no less.
fn accepted(world: &World) {
    let pull = world.own_pull("accepted", "regression");
    world.status_is(&pull, "failure", "3 regressions");
    world.command(&pull, "/tlslab accept 2 % too little");
    world.comment_has(&pull, "Accepted up to +2 %");
    world.not_merged(&pull);
    let stranger = "/tlslab accept 50 % I say so";
    world.gitea.comment("stranger", &world.repository, pull.number, stranger).unwrap();
    world.settle();
    world.not_merged(&pull);
    world.command(&pull, "/tlslab accept 20 % the sum is needed");
    world.status_is(&pull, "success", "3 acknowledged regressions");
    assert!(world.comment(&pull).contains("the sum is needed (accepted by maintainer)"));
    world.merged(&pull);
}

impl World {
    fn for_review(&self, user: &str, topic: &str, variant: &str) -> Pulled {
        let files = self.variant(variant);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let commit = self.gitea.push_for_review(user, &self.repository, topic, &files).unwrap();
        let numbers = self.gitea.open_pulls(&self.repository).unwrap();
        let is_it = |number: &u64| self.gitea.pull_head(&self.repository, *number).unwrap() == commit;
        let number = numbers.into_iter().find(is_it).expect("a pull request of the pushed commit");
        Pulled { number, commit, branch: topic.to_owned() }
    }

    fn notes_pull(&self, branch: &str) -> Pulled {
        let files = [("NOTES".to_owned(), branch.to_owned())];
        let commit = self.push_files("owner", &self.repository, branch, &files, branch);
        let number = self.gitea.open_pull("owner", &self.repository, branch, "main", branch).unwrap();
        Pulled { number, commit, branch: branch.to_owned() }
    }

    fn not_merged(&self, pull: &Pulled) {
        let answer = self.gitea.merge_pull("maintainer", &self.repository, pull.number);
        let refusal = answer.expect_err(&pull.branch).to_string();
        assert!(refusal.contains("405"), "{}: {refusal}", pull.branch);
    }

    fn merged(&self, pull: &Pulled) {
        let merged =
            self.within_a_minute(|| self.gitea.merge_pull("maintainer", &self.repository, pull.number).ok());
        assert!(merged.is_some(), "{} is not merged", pull.branch);
    }
}
