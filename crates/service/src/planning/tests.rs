//! Events against a played code host.

use serde_json::json;
use tlslab_forge::webhook::{Person, PullAction, PullFacts};
use tlslab_forge::{ForgeError, Pull};
use tlslab_queue::{Approval, JobRow, NewJob, PullRow, QueueError, State};

use super::asked::Asked;
use super::known::Known;
use super::*;
use crate::config::ProjectConfig;
use crate::new_jobs::tests::project;

mod commands;
mod scope;

const HEAD: &str = "1111111111111111111111111111111111111111";
const BASE: &str = "2222222222222222222222222222222222222222";
/// When the head was pushed, by the clock of the code host.
const PUSHED_S: u64 = 1_795_575_600;
const OTHER: &str = "3333333333333333333333333333333333333333";

/// A code host with one pull request.
struct Played {
    pull: Pull,
    writers: Vec<&'static str>,
    approved: Option<String>,
    merge_base: String,
    branch: Option<String>,
    /// The commit of main, if it is another one than that of all other branches.
    target: Option<String>,
    /// The files that the pull request changes, if the code host lists them.
    files: Option<Vec<&'static str>>,
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
    fn branch_commit(&mut self, branch: &str) -> Result<Option<String>, ForgeError> {
        let target = self.target.clone().filter(|_| branch == "main");
        Ok(target.or_else(|| self.branch.clone()))
    }
    fn changed_files(&mut self, _: u64, base: &str, _: &str) -> Result<Option<Vec<String>>, ForgeError> {
        assert_eq!(base, self.merge_base);
        Ok(self.files.as_ref().map(|files| files.iter().map(|file| (*file).to_owned()).collect()))
    }
    fn commit_of(&mut self, reference: &str) -> Result<Option<String>, ForgeError> {
        Ok((reference == "v1.0").then(|| OTHER.to_owned()))
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
        title: "t".to_owned(),
        branch: "b".to_owned(),
        updated_unix_s: Some(PUSHED_S),
        author: person("author"),
        is_open: true,
        is_draft: false,
        merge_base: None,
        labels: Vec::new(),
    };
    let writers = vec!["maintainer", "author"];
    Played {
        pull,
        writers,
        approved: None,
        merge_base: BASE.to_owned(),
        branch: None,
        files: None,
        target: None,
    }
}

fn fork() -> Played {
    let mut played = own();
    played.pull.head_repository = Some(2);
    played
}

fn pull_event(action: PullAction) -> Incoming {
    let pull = PullFacts {
        // The event's head may be outdated.
        head: Some(OTHER.to_owned()),
        head_repository: Some(1),
        base_branch: "main".to_owned(),
        title: "t".to_owned(),
        branch: "b".to_owned(),
        updated_unix_s: Some(PUSHED_S),
        author: person("author"),
        is_draft: false,
        is_open: true,
    };
    Incoming::Pull { repository: repository(), number: 7, action, pull }
}

fn command(login: &str, text: &str) -> Incoming {
    let (by, text) = (person(login), text.to_owned());
    let created_unix_s = Some(PUSHED_S + 60);
    Incoming::Command {
        repository: repository(),
        number: 7,
        comment: 99,
        by,
        created_unix_s,
        is_edited: false,
        text,
    }
}

/// The same, written at another time.
fn set_time(created_unix_s: u64, incoming: Incoming) -> Incoming {
    match incoming {
        Incoming::Command { repository, number, comment, by, is_edited, text, .. } => Incoming::Command {
            repository,
            number,
            comment,
            by,
            created_unix_s: Some(created_unix_s),
            is_edited,
            text,
        },
        other => other,
    }
}

fn approved(commit: Option<&str>, login: &str) -> Incoming {
    let commit = commit.map(str::to_owned);
    Incoming::Approved { repository: repository(), number: 7, commit, by: person(login) }
}

/// The queue's data.
#[derive(Default)]
struct Remembered {
    /// Jobs, the newest first.
    jobs: Vec<JobRow>,
    pull: Option<PullRow>,
    carried_out: Vec<u64>,
}

impl Known for Remembered {
    fn newest(&self, _: &str) -> Result<Option<JobRow>, QueueError> {
        Ok(self.jobs.first().cloned())
    }
    fn of_head(&self, commit: &str) -> Result<Vec<JobRow>, QueueError> {
        Ok(self.jobs.iter().filter(|job| job.head.as_deref() == Some(commit)).cloned().collect())
    }
    fn pull(&self, _: u64) -> Result<Option<PullRow>, QueueError> {
        Ok(self.pull.clone())
    }
    fn pulls_of_head(&self, commit: &str) -> Result<Vec<PullRow>, QueueError> {
        Ok(self.pull.iter().filter(|pull| pull.head == commit).cloned().collect())
    }
    fn is_carried_out(&self, comment: u64) -> Result<bool, QueueError> {
        Ok(self.carried_out.contains(&comment))
    }
}

fn plan_with(played: &mut Played, known: &Remembered, incoming: Incoming) -> Plan {
    plan_of(&project(), played, known, incoming)
}

fn plan(played: &mut Played, incoming: Incoming) -> Plan {
    plan_with(played, &Remembered::default(), incoming)
}

fn plan_of(project: &ProjectConfig, played: &mut Played, known: &Remembered, incoming: Incoming) -> Plan {
    Planner { project, all: &[project], asked: played, known }.plan(incoming).unwrap()
}

/// The changes of a plan to jobs.
fn acts(plan: &Plan) -> Vec<&Change> {
    let is_note = |change: &&Change| {
        matches!(
            change,
            Change::SeePull(_) | Change::ForgetSince { .. } | Change::Expect { .. } | Change::CarryOut { .. }
        ) || is_courtesy(change)
    };
    plan.changes.iter().filter(|change| !is_note(change)).collect()
}

/// The thumb up, and the cancellation of additional measurements.
fn is_courtesy(change: &Change) -> bool {
    match change {
        Change::Send { key, .. } => key.starts_with("read:"),
        Change::Cancel { which: Which::Group(group), .. } => group.ends_with(":aside"),
        _ => false,
    }
}

fn job(plan: &Plan) -> &NewJob {
    match acts(plan)[..] {
        [Change::Enqueue(job)] => job,
        ref other => panic!("{other:?}, {}", plan.note),
    }
}

/// A job that waits for the approval of a commit.
pub(crate) fn waiting(commit: &str) -> JobRow {
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
        supersedes: Some("pull:p:7".to_owned()),
        approval: Approval::Awaited,
        head: Some(commit.to_owned()),
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
        verdict: None,
    }
}

#[test]
fn a_branch_of_the_repository_is_measured_at_its_present_head() {
    for action in [PullAction::Opened, PullAction::Synchronised, PullAction::Reopened, PullAction::Edited] {
        let plan = plan(&mut own(), pull_event(action));
        let job = job(&plan);
        assert!(job.approval == Approval::Author && job.needs_sandbox);
        assert_eq!((&job.subject["commit"], &job.subject["baseline"]), (&json!(HEAD), &json!(BASE)));
        assert_eq!((job.supersedes.as_deref(), job.head.as_deref()), (Some("pull:p:7"), Some(HEAD)));
    }
}

#[test]
fn who_has_to_approve_follows_from_the_person_and_from_where_the_head_is() {
    // The head is in the repository itself: of a branch, or of a reference that any reader may push to.
    let mut stranger = own();
    stranger.writers.retain(|writer| *writer != "author");
    let mut deleted = fork();
    deleted.pull.head_repository = None;
    for (mut played, expected) in [
        (own(), Approval::Author),
        (stranger, Approval::Awaited),
        (fork(), Approval::Awaited),
        (deleted, Approval::Awaited),
    ] {
        let plan = plan(&mut played, pull_event(PullAction::Opened));
        assert_eq!(job(&plan).approval, expected);
        assert_eq!(job(&plan).cause.contains("approve"), expected == Approval::Awaited);
    }
}

#[test]
fn events_that_come_late_change_nothing() {
    let mut draft = own();
    draft.pull.is_draft = true;
    assert!(acts(&plan(&mut draft, pull_event(PullAction::Opened))).is_empty());
    assert!(acts(&plan(&mut own(), pull_event(PullAction::Other))).is_empty());
    // It is closed by now, whatever the event contains.
    let mut closed = own();
    closed.pull.is_open = false;
    let plan = plan(&mut closed, pull_event(PullAction::Synchronised));
    let group = Which::Group("pull:p:7".to_owned());
    assert!(matches!(acts(&plan)[..], [Change::Cancel { which, .. }] if *which == group));
}

#[test]
fn a_pull_request_that_is_open_is_not_cancelled_by_a_late_event() {
    let late = plan(&mut own(), pull_event(PullAction::Closed));
    assert_eq!(job(&late).head.as_deref(), Some(HEAD));
    let mut closed = own();
    closed.pull.is_open = false;
    let closed = plan(&mut closed, pull_event(PullAction::Closed));
    assert!(matches!(acts(&closed)[..], [Change::Cancel { .. }]));
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

/// A job of the head in a state.
fn ended(key: i64, commit: &str, state: State) -> JobRow {
    JobRow {
        key,
        id: format!("job-{key}"),
        state,
        ended_unix_ms: 1,
        approval: Approval::Author,
        ..waiting(commit)
    }
}

#[test]
fn a_head_that_comes_back_is_measured_again_or_its_result_is_announced_again() {
    let planned = |jobs| {
        let known = Remembered { jobs, ..Remembered::default() };
        plan_with(&mut own(), &known, pull_event(PullAction::Reopened))
    };
    let first = plan(&mut own(), pull_event(PullAction::Opened));
    for lost in [State::Cancelled, State::Superseded] {
        let again = planned(vec![ended(1, HEAD, lost)]);
        assert_eq!(job(&again).dedup, job(&first).dedup);
        assert_ne!(job(&again).id, job(&first).id);
    }
    let back = planned(vec![ended(2, OTHER, State::Cancelled), ended(1, HEAD, State::Reported)]);
    assert!(back.note.contains("measured before: job job-1"), "{}", back.note);
    let expected = |changes: &[&Change]| matches!(changes, [Change::Prefer { job, .. }, Change::AnnounceAgain { job: again }] if job == again && job == "job-1");
    assert!(expected(&acts(&back)), "{:?}", back.changes);
}

#[test]
fn an_approval_is_of_one_commit_and_of_somebody_who_may_write() {
    let known = Remembered { jobs: vec![waiting(HEAD)], ..Remembered::default() };
    let approves = |plan: &Plan| matches!(acts(plan)[..], [Change::Approve { which: Which::Job(id), .. }] if *id == known.jobs[0].id);
    let mut reviewed = fork();
    reviewed.approved = Some(HEAD.to_owned());
    assert!(approves(&plan_with(&mut reviewed, &known, approved(Some(HEAD), "maintainer"))));
    assert!(approves(&plan_with(&mut reviewed, &known, approved(None, "maintainer"))));
    assert!(acts(&plan_with(&mut reviewed, &known, approved(Some(HEAD), "stranger"))).is_empty());
    // An approval that is delivered again after it was dismissed, and one of another commit.
    assert!(acts(&plan_with(&mut fork(), &known, approved(Some(HEAD), "maintainer"))).is_empty());
    assert!(acts(&plan_with(&mut reviewed, &known, approved(Some(OTHER), "maintainer"))).is_empty());
    reviewed.approved = Some(OTHER.to_owned());
    assert!(acts(&plan_with(&mut reviewed, &known, approved(None, "maintainer"))).is_empty());
    // The event that would have made the job was lost.
    reviewed.approved = Some(HEAD.to_owned());
    let plan = plan_with(&mut reviewed, &Remembered::default(), approved(Some(HEAD), "maintainer"));
    assert_eq!(job(&plan).approval, Approval::Given);
}

#[test]
fn commands_are_those_of_people_who_may_write() {
    for (login, is_bot) in [("stranger", false), ("guest", false), ("lab-bot", false), ("maintainer", true)] {
        let mut incoming = command(login, "/tlslab compare");
        if let Incoming::Command { by, .. } = &mut incoming {
            by.is_bot = is_bot;
        }
        let plan = plan(&mut fork(), incoming);
        assert!(plan.changes.is_empty() && plan.reply.is_none(), "{login}");
    }
    let plan = plan(&mut fork(), command("maintainer", "/tlslab compare other 30s tiny"));
    let job = job(&plan);
    assert!(job.approval == Approval::Given && job.body.to_string().contains("\"suite\":\"other\""));
    assert_eq!(job.subject["asked_by"], "maintainer");
}

#[test]
fn a_command_measures_again_what_was_measured_once_for_each_comment() {
    let first = plan(&mut own(), pull_event(PullAction::Opened));
    let again = plan(&mut own(), command("maintainer", "/tlslab compare"));
    assert_ne!(job(&first).id, job(&again).id);
    assert!(again.changes.contains(&Change::CarryOut {
        forge: "f".to_owned(),
        comment: 99,
        person: "maintainer".to_owned()
    }));
    // The same comment, delivered again under another identifier.
    let known = Remembered { carried_out: vec![99], ..Remembered::default() };
    let repeated = plan_with(&mut own(), &known, command("maintainer", "/tlslab compare"));
    assert!(repeated.changes.is_empty() && repeated.note.contains("before"));
}

#[test]
fn a_command_is_not_of_a_head_that_is_newer() {
    let row = |since_s: u64| PullRow {
        project: "p".to_owned(),
        number: 7,
        head: HEAD.to_owned(),
        since_unix_ms: since_s * 1_000,
        is_open: true,
        ..PullRow::default()
    };
    let said = |played: fn() -> Played, pull: Option<PullRow>, text: &str| {
        let known = Remembered { pull, ..Remembered::default() };
        let mut played = played();
        played.pull.updated_unix_s = Some(PUSHED_S + 10);
        plan_with(&mut played, &known, set_time(PUSHED_S, command("maintainer", text)))
    };
    for text in ["/tlslab compare", "/tlslab cancel", "/tlslab accept 5% because"] {
        let newer = said(fork, Some(row(PUSHED_S + 5)), text);
        assert!(acts(&newer).is_empty() && newer.accepted.is_none(), "{text}");
        assert!(newer.reply.unwrap().1.contains("pushed after"), "{text}");
    }
    // It was first seen when the comment was read: a stranger's waits, a writer's needs no approval.
    assert!(acts(&said(fork, None, "/tlslab compare")).is_empty());
    assert_eq!(job(&said(own, None, "/tlslab compare")).approval, Approval::Author);
    assert_eq!(job(&said(fork, Some(row(PUSHED_S - 5)), "/tlslab compare")).approval, Approval::Given);
}

#[test]
fn an_edited_comment_is_answered_and_does_nothing() {
    let mut edited = command("maintainer", "/tlslab compare");
    if let Incoming::Command { is_edited, .. } = &mut edited {
        *is_edited = true;
    }
    let plan = plan(&mut fork(), edited);
    assert!(plan.changes.is_empty() && plan.reply.unwrap().1.contains("Write a new one"));
}

#[test]
fn a_regression_is_accepted_for_the_head_that_has_it() {
    let accept = |jobs| {
        let known = Remembered { jobs, ..Remembered::default() };
        plan_with(&mut own(), &known, command("maintainer", "/tlslab accept 2.5 % safer"))
    };
    let plan = accept(vec![ended(1, HEAD, State::Reported)]);
    let accepted = plan.accepted.clone().unwrap();
    assert_eq!((accepted.commit.as_str(), accepted.percent), (HEAD, 2.5));
    assert!(accepted.text.contains("safer") && accepted.text.contains("maintainer"));
    assert!(matches!(acts(&plan)[..], [Change::AnnounceAgain { job }] if job == "job-1"));
    let none = accept(vec![ended(1, OTHER, State::Reported)]);
    assert!(none.accepted.is_none() && none.reply.unwrap().1.contains("no result"));
}

#[test]
fn a_wrong_command_is_answered_and_does_nothing() {
    let plan = plan(&mut own(), command("maintainer", "/tlslab destroy"));
    assert!(acts(&plan).is_empty() && plan.reply.unwrap().1.contains("not a command"));
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
        assert!(acts(&plan).is_empty() && plan.note.contains("cannot be measured"), "{url}");
    }
}
