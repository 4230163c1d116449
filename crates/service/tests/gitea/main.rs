//! The service on a real forge: pull requests of a small library, from the branch of the repository and from forks, with what happens
//! to each on the forge, in the queue and on its pages.
//!
//! `make test-forge` runs it; it takes minutes, and Go to build the forge.

mod private;
mod required;
mod scope;
#[path = "../support/mod.rs"]
mod support;
mod world;

use tlslab_queue::{Fault, State};
use world::World;

const REGRESSION: &str = "regression";

#[test]
#[ignore = "make test-forge: takes minutes"]
fn pull_requests_are_measured_and_nothing_else() {
    let world = World::start();
    own_branches(&world);
    forks(&world);
    moving_heads(&world);
    commands(&world);
    drafts_and_deleted_forks(&world);
    world.check_comments();
    world.check_log();
}

/// Branches of the repository are measured at once.
fn own_branches(world: &World) {
    let regression = world.own_pull("slower", REGRESSION);
    let improvement = world.own_pull("faster", "improvement");
    let no_op = world.own_pull("same", "no-op");
    let broken = world.own_pull("broken", "does-not-compile");
    let wrong = world.own_pull("wrong", "wrong-result");

    let job = world.ended(&regression);
    assert_eq!(job.state, State::Reported, "{}", job.reason);
    world.status_is(&regression, "failure", "3 regressions (up to +1");
    let comment = world.comment(&regression);
    assert!(comment.contains("Look at the regressions"), "{comment}");
    assert!(comment.contains("regression") && comment.contains("tlslab compare"), "{comment}");
    assert!(comment.contains(&format!("/jobs/{}", job.id)), "{comment}");

    world.ended(&improvement);
    world.status_is(&improvement, "success", "3 improvements");
    assert!(world.comment(&improvement).contains("Nothing to do"));

    world.ended(&no_op);
    world.status_is(&no_op, "success", "identical binary");

    let job = world.ended(&broken);
    assert_eq!((job.state, job.fault), (State::Failed, Some(Fault::Candidate)), "{}", job.reason);
    world.status_is(&broken, "failure", "not measured");
    assert!(world.comment(&broken).contains("the candidate failed"));

    let job = world.ended(&wrong);
    assert_eq!(job.state, State::Reported, "{}", job.reason);
    world.status_is(&wrong, "failure", "3 cells without a result");
    assert!(world.comment(&wrong).contains("Look at the cells that failed"));
}

/// Forks wait until a maintainer approves a commit.
fn forks(world: &World) {
    let waiting = world.fork_pull("fork-slower", REGRESSION);
    world.state_is(&waiting, State::WaitingForApproval);
    world.status_is(&waiting, "pending", "approval");
    // Without write access, approvals and commands have no effect.
    world.gitea.approve("stranger", &world.repository, waiting.number, &waiting.commit).unwrap();
    world.gitea.comment("stranger", &world.repository, waiting.number, "/tlslab compare").unwrap();
    world.gitea.comment("contributor", &world.repository, waiting.number, "/tlslab compare").unwrap();
    world.settle();
    world.state_is(&waiting, State::WaitingForApproval);
    world.gitea.approve("maintainer", &world.repository, waiting.number, &waiting.commit).unwrap();
    let job = world.ended(&waiting);
    assert_eq!(job.state, State::Reported, "{}", job.reason);
    world.status_is(&waiting, "failure", "3 regressions");

    // A push after the approval is not approved.
    let first = world.fork_pull("fork-then-push", "no-op");
    world.state_is(&first, State::WaitingForApproval);
    world.gitea.approve("maintainer", &world.repository, first.number, &first.commit).unwrap();
    let second = world.push_again(&first, "contributor", "hostile");
    world.state_is(&second, State::WaitingForApproval);
    world.status_is(&second, "pending", "approval");
    let job = world.ended(&first);
    assert!(matches!(job.state, State::Superseded | State::Reported), "{}", job.state);

    // A stranger's attack, measured by a maintainer's command, has no effect.
    world.command(&second, "@lab-bot compare");
    let job = world.ended(&second);
    assert_eq!(job.state, State::Reported, "{}", job.reason);
    world.status_is(&second, "success", "3 unchanged");

    let closed = world.fork_pull("fork-closed", "no-op");
    world.state_is(&closed, State::WaitingForApproval);
    world.gitea.close_pull("contributor", &world.repository, closed.number).unwrap();
    assert_eq!(world.ended(&closed).state, State::Cancelled);
    world.command(&closed, "/tlslab compare");
    world.settle();
    assert_eq!(world.jobs_of(&closed).len(), 1, "a closed pull request is not measured");
}

/// A head that moves supersedes its measurements.
fn moving_heads(world: &World) {
    let first = world.own_pull("moving", REGRESSION);
    let second = world.push_again(&first, "owner", "no-op");
    let job = world.ended(&first);
    assert_eq!(job.state, State::Superseded, "{}", job.reason);
    assert_eq!(world.ended(&second).state, State::Reported);
    world.status_is(&second, "success", "3 unchanged");
    world.status_is(&first, "", "superseded");
    assert!(!world.comment(&second).contains("Look at the regressions"));

    let closed = world.own_pull("closed-at-once", REGRESSION);
    world.has_job(&closed);
    world.gitea.close_pull("owner", &world.repository, closed.number).unwrap();
    assert_eq!(world.ended(&closed).state, State::Cancelled);
}

/// Commands of maintainers.
fn commands(world: &World) {
    let pull = world.own_pull("commanded", "improvement");
    world.command(&pull, "/tlslab cancel\nfor now");
    assert_eq!(world.ended(&pull).state, State::Cancelled);
    world.command(&pull, "/tlslab destroy everything");
    world.comment_has(&pull, "is not a command");
    world.command(&pull, "/tlslab compare tiny 10s");
    world.comment_has(&pull, "3 improvements");
    assert_eq!(world.jobs_of(&pull).len(), 2);
    world.command(&pull, "/tlslab status");
    world.comment_has(&pull, "status as asked");
}

/// A draft is measured when somebody asks for it. Where the repository of a pull request is deleted, Gitea closes it.
fn drafts_and_deleted_forks(world: &World) {
    let draft = world.draft("draft", "no-op");
    let orphan = world.pull_of("guest", "orphan", REGRESSION);
    world.state_is(&orphan, State::WaitingForApproval);
    world.gitea.delete_repository("guest/tiny").unwrap();
    assert_eq!(world.ended(&orphan).state, State::Cancelled);
    world.settle();
    assert_eq!(world.jobs_of(&draft).len(), 0);
    world.command(&draft, "/tlslab compare");
    assert_eq!(world.newest_ended(&draft).state, State::Reported);
    world.status_is(&draft, "success", "3 unchanged");
}

#[test]
#[ignore = "make test-forge: takes minutes"]
fn a_slower_commit_of_the_branch_is_found_and_reported_once() {
    let world = World::start();
    let base = world.push_main("no-op");
    assert_eq!(world.ended_commit(&base).state, State::Reported);
    // Three commits in one push; the second one is slower.
    let commits = world.push_three();
    let issue = world.issue();
    assert!(issue.title.contains(&commits[1][..8]), "{}: {commits:?}", issue.title);
    assert!(issue.body.contains(&commits[1]) && issue.body.contains("sha-256"), "{}", issue.body);
    // Nothing follows, and no message is sent twice.
    world.settle();
    assert_eq!(world.gitea.issues(&world.repository).unwrap().len(), 1);
    assert!(world.has_run_in_history(&base));
}
