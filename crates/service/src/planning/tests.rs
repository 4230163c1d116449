//! Events against a played code host.

use serde_json::json;
use tlslab_forge::webhook::PullFacts;
use tlslab_queue::NewJob;

use super::*;
use crate::jobs::tests::project;

const HEAD: &str = "1111111111111111111111111111111111111111";
const BASE: &str = "2222222222222222222222222222222222222222";
const OTHER: &str = "3333333333333333333333333333333333333333";

/// A code host with one pull request.
struct Played {
    pull: Pull,
    writers: Vec<&'static str>,
    approved: Option<String>,
    merge_base: String,
}

impl Asked for Played {
    fn pull(&mut self, _: u64) -> Result<Pull, ForgeError> {
        Ok(self.pull.clone())
    }
    fn merge_base(&mut self, _: u64, _: &str, _: &str) -> Result<String, ForgeError> {
        Ok(self.merge_base.clone())
    }
    fn may_write(&mut self, person: &Person) -> Result<bool, ForgeError> {
        Ok(self.writers.contains(&&*person.login))
    }
    fn approval_commit(&mut self, _: u64, _: &Person) -> Result<Option<String>, ForgeError> {
        Ok(self.approved.clone())
    }
    fn own_name(&mut self) -> Result<String, ForgeError> {
        Ok("lab-bot".to_owned())
    }
}

fn person(login: &str) -> Person {
    Person { login: login.to_owned(), id: 1, is_bot: false }
}

fn repository() -> Repository {
    Repository {
        id: 1,
        path: "o/n".to_owned(),
        default_branch: Some("main".to_owned()),
        clone_url: "https://git.example/o/n.git".to_owned(),
    }
}

fn own() -> Played {
    let pull = Pull {
        head: HEAD.to_owned(),
        head_repository: Some(1),
        repository: 1,
        base_branch: "main".to_owned(),
        author: person("author"),
        is_open: true,
        is_draft: false,
        merge_base: None,
    };
    Played { pull, writers: vec!["maintainer"], approved: None, merge_base: BASE.to_owned() }
}

fn fork() -> Played {
    let mut played = own();
    played.pull.head_repository = Some(2);
    played
}

fn pull_event(action: PullAction) -> Incoming {
    let pull = PullFacts {
        // What the event says of the head may be old.
        head: Some(OTHER.to_owned()),
        head_repository: Some(1),
        base_branch: "main".to_owned(),
        author: person("author"),
        is_draft: false,
        is_open: true,
    };
    Incoming::Pull { repository: repository(), number: 7, action, pull }
}

fn command(login: &str, text: &str) -> Incoming {
    let (by, text) = (person(login), text.to_owned());
    Incoming::Command { repository: repository(), number: 7, comment: 99, by, text }
}

fn approved(commit: Option<&str>, login: &str) -> Incoming {
    let commit = commit.map(str::to_owned);
    Incoming::Approved { repository: repository(), number: 7, commit, by: person(login) }
}

/// The plan, where these jobs of the pull request are open.
fn plan_with(played: &mut Played, jobs: &[JobRow], incoming: Incoming) -> Plan {
    let project = project();
    let open_jobs = |_: &str| jobs.to_vec();
    Planner { project: &project, asked: played, open_jobs: &open_jobs }.plan(incoming).unwrap()
}

fn plan(played: &mut Played, incoming: Incoming) -> Plan {
    plan_with(played, &[], incoming)
}

fn job(plan: &Plan) -> &NewJob {
    match plan.changes.as_slice() {
        [Change::Enqueue(job)] => job,
        other => panic!("{other:?}, {}", plan.note),
    }
}

/// A job that waits for the approval of a commit.
fn waiting(commit: &str) -> JobRow {
    JobRow {
        is_timed: true,
        only_runner: None,
        slot: 0,
        key: 1,
        id: format!("waiting-{}", &commit[..4]),
        project: "p".to_owned(),
        subject: json!({"kind": "pull", "number": 7, "commit": commit, "baseline": BASE, "author": "a", "is_fork": true}),
        body: json!({}),
        labels: Vec::new(),
        needs_sandbox: true,
        priority: 0,
        supersedes: None,
        state: State::WaitingForApproval,
        reason: String::new(),
        fault: None,
        created_unix_ms: 0,
        not_before_unix_ms: 0,
        leased_unix_ms: 0,
        ended_unix_ms: 0,
        lease_until_unix_ms: 0,
        token: 0,
        attempts: 0,
        most_attempts: 3,
        runner: None,
        boot: None,
        cancel: None,
        superseded_by: None,
        position: None,
    }
}

#[test]
fn a_branch_of_the_repository_is_measured_at_its_present_head() {
    for action in [PullAction::Opened, PullAction::Synchronised, PullAction::Reopened, PullAction::Edited] {
        let plan = plan(&mut own(), pull_event(action));
        let job = job(&plan);
        assert!(!job.needs_approval && job.needs_sandbox);
        assert_eq!((&job.subject["commit"], &job.subject["baseline"]), (&json!(HEAD), &json!(BASE)));
        assert_eq!(job.supersedes.as_deref(), Some("pull:p:7"));
    }
}

#[test]
fn a_fork_waits_also_when_it_was_deleted() {
    for head_repository in [Some(2), None] {
        let mut played = fork();
        played.pull.head_repository = head_repository;
        let plan = plan(&mut played, pull_event(PullAction::Opened));
        assert!(job(&plan).needs_approval);
        assert!(job(&plan).cause.contains("approve"));
    }
}

#[test]
fn events_that_come_late_change_nothing() {
    let mut closed = own();
    closed.pull.is_open = false;
    assert!(plan(&mut closed, pull_event(PullAction::Synchronised)).changes.is_empty());
    let mut draft = own();
    draft.pull.is_draft = true;
    assert!(plan(&mut draft, pull_event(PullAction::Opened)).changes.is_empty());
    assert!(plan(&mut own(), pull_event(PullAction::Other)).changes.is_empty());
}

#[test]
fn the_same_commits_are_the_same_job_and_another_base_is_another() {
    let first = plan(&mut own(), pull_event(PullAction::Opened));
    let again = plan(&mut own(), pull_event(PullAction::Synchronised));
    assert_eq!((&job(&first).id, &job(&first).dedup), (&job(&again).id, &job(&again).dedup));
    let mut retargeted = own();
    retargeted.merge_base = OTHER.to_owned();
    let other = plan(&mut retargeted, pull_event(PullAction::Edited));
    assert_ne!(job(&other).dedup, job(&first).dedup);
}

#[test]
fn a_closed_pull_request_is_cancelled() {
    let plan = plan(&mut own(), pull_event(PullAction::Closed));
    let group = Which::Group("pull:p:7".to_owned());
    assert!(matches!(&plan.changes[..], [Change::Cancel { which, .. }] if *which == group));
}

#[test]
fn an_approval_is_of_one_commit_and_of_somebody_who_may_write() {
    let jobs = [waiting(HEAD)];
    let approves = |plan: &Plan| matches!(&plan.changes[..], [Change::Approve { which: Which::Job(id), .. }] if *id == jobs[0].id);
    assert!(approves(&plan_with(&mut fork(), &jobs, approved(Some(HEAD), "maintainer"))));
    assert!(plan_with(&mut fork(), &jobs, approved(Some(HEAD), "stranger")).changes.is_empty());
    assert!(plan_with(&mut fork(), &jobs, approved(Some(OTHER), "maintainer")).changes.is_empty());
    // Where the event names no commit, the code host is asked which one the review is of.
    let mut asked = fork();
    assert!(plan_with(&mut asked, &jobs, approved(None, "maintainer")).changes.is_empty());
    asked.approved = Some(OTHER.to_owned());
    assert!(plan_with(&mut asked, &jobs, approved(None, "maintainer")).changes.is_empty());
    asked.approved = Some(HEAD.to_owned());
    assert!(approves(&plan_with(&mut asked, &jobs, approved(None, "maintainer"))));
    // The event that would have made the job was lost.
    let plan = plan_with(&mut fork(), &[], approved(Some(HEAD), "maintainer"));
    assert!(!job(&plan).needs_approval);
}

#[test]
fn commands_are_those_of_people_who_may_write() {
    for (login, is_bot) in [("stranger", false), ("author", false), ("lab-bot", false), ("maintainer", true)]
    {
        let mut incoming = command(login, "/tlslab compare");
        if let Incoming::Command { by, .. } = &mut incoming {
            by.is_bot = is_bot;
        }
        let plan = plan(&mut fork(), incoming);
        assert!(plan.changes.is_empty() && plan.reply.is_none(), "{login}");
    }
    let plan = plan(&mut fork(), command("maintainer", "/tlslab compare other 30s tiny"));
    let job = job(&plan);
    assert!(!job.needs_approval && job.body.to_string().contains("\"suite\":\"other\""));
    assert_eq!(job.subject["asked_by"], "maintainer");
}

#[test]
fn a_command_measures_again_what_was_measured() {
    let first = plan(&mut own(), pull_event(PullAction::Opened));
    let again = plan(&mut own(), command("maintainer", "/tlslab compare"));
    assert_ne!(job(&first).id, job(&again).id);
    // The same comment, delivered twice, is the same job.
    let repeated = plan(&mut own(), command("maintainer", "/tlslab compare"));
    assert_eq!(job(&repeated).id, job(&again).id);
}

#[test]
fn a_wrong_command_is_answered_and_does_nothing() {
    let plan = plan(&mut own(), command("maintainer", "/tlslab destroy"));
    assert!(plan.changes.is_empty() && plan.reply.unwrap().1.contains("not a command"));
}

#[test]
fn a_push_is_measured_if_it_is_to_the_branch() {
    let push = |branch: &str, commit: Option<&str>| Incoming::Push {
        repository: repository(),
        branch: branch.to_owned(),
        before: Some(BASE.to_owned()),
        commit: commit.map(str::to_owned),
    };
    let main = plan(&mut own(), push("main", Some(HEAD)));
    assert_eq!(job(&main).subject["before"], BASE);
    assert!(plan(&mut own(), push("other", Some(HEAD))).changes.is_empty());
    assert!(plan(&mut own(), push("main", None)).changes.is_empty());
}

#[test]
fn an_address_that_leads_elsewhere_is_not_measured() {
    for url in ["file:///etc", "https://a:b@git.example/o/n.git", "ext::sh -c id"] {
        let mut incoming = pull_event(PullAction::Opened);
        if let Incoming::Pull { repository, .. } = &mut incoming {
            repository.clone_url = url.to_owned();
        }
        let plan = plan(&mut own(), incoming);
        assert!(plan.changes.is_empty() && plan.note.contains("cannot be measured"), "{url}");
    }
}
