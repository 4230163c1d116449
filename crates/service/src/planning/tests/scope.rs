//! Which pull requests are measured.

use tlslab_forge::{CommitStatus, StatusState};

use super::*;
use crate::config::PullScope;
use crate::message::Letter;

fn with(pulls: PullScope) -> ProjectConfig {
    ProjectConfig { pulls, ..project() }
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|text| (*text).to_owned()).collect()
}

/// The status that a plan sends of the head without a job.
fn status(plan: &Plan) -> Option<CommitStatus> {
    plan.changes.iter().find_map(|change| match change {
        Change::Send { body, .. } => match serde_json::from_value(body.clone()) {
            Ok(Letter::Status { commit, status, .. }) if commit == HEAD => Some(status),
            _ => None,
        },
        _ => None,
    })
}

fn opened(project: &ProjectConfig, played: &mut Played) -> Plan {
    plan_of(project, played, &Remembered::default(), pull_event(PullAction::Opened))
}

#[test]
fn a_change_of_documents_alone_is_answered_at_once() {
    let project = with(PullScope { ignore: texts(&["docs/**", "*.md"]), ..PullScope::default() });
    let of = |files| {
        let mut played = fork();
        played.files = files;
        opened(&project, &mut played)
    };
    let documents = of(Some(vec!["docs/a.md", "README.md"]));
    let answered = job(&documents);
    assert!(answered.is_answered && answered.cause == UNCHANGED, "{answered:?}");
    assert_eq!((answered.head.as_deref(), answered.approval), (Some(HEAD), Approval::NotNeeded));
    assert_eq!(answered.supersedes.as_deref(), Some("pull:p:7"), "what an earlier head has ends");
    // A file of another kind, and a code host that does not list all of them.
    for files in [Some(vec!["README.md", "src/lib.rs"]), None] {
        let measured = of(files);
        assert!(!job(&measured).is_answered && job(&measured).approval == Approval::Awaited);
    }
}

#[test]
fn labels_start_and_forbid_a_run() {
    let project =
        with(PullScope { labels: texts(&["perf"]), no_labels: texts(&["no-perf"]), ..PullScope::default() });
    let of = |labels: &[&str], jobs: Vec<JobRow>| {
        let mut played = own();
        played.pull.labels = texts(labels);
        let known = Remembered { jobs, ..Remembered::default() };
        plan_of(&project, &mut played, &known, pull_event(PullAction::Labelled))
    };
    let waits = status(&of(&[], Vec::new())).unwrap();
    assert_eq!((waits.state, &*waits.title), (StatusState::Queued, "waits for the label \"perf\""));
    assert!(!job(&of(&["perf"], Vec::new())).is_answered);
    // It ends running jobs, and no required check is satisfied.
    let running = JobRow { state: State::Measuring, approval: Approval::Author, ..waiting(HEAD) };
    let forbidden = of(&["perf", "no-perf"], vec![running.clone()]);
    assert_eq!(status(&forbidden).unwrap().state, StatusState::Cancelled);
    assert!(forbidden.changes.iter().any(|change| matches!(change, Change::Cancel { .. })));
    // A result stays, and so does a requested measurement.
    let reported = ended(1, HEAD, State::Reported);
    assert!(acts(&of(&["no-perf"], vec![reported])).is_empty());
    assert!(matches!(acts(&of(&[], vec![running]))[..], [Change::Prefer { .. }, ..]));
}

#[test]
fn drafts_bots_and_other_base_branches_are_a_projects_choice() {
    let mut draft = own();
    draft.pull.is_draft = true;
    let drafts = with(PullScope { drafts: true, ..PullScope::default() });
    assert!(!job(&opened(&drafts, &mut draft)).is_answered);
    let mut bot = own();
    bot.pull.author.is_bot = true;
    let people = with(PullScope { bots: false, ..PullScope::default() });
    assert_eq!(status(&opened(&people, &mut bot)).unwrap().state, StatusState::Queued);
    assert!(!job(&opened(&project(), &mut bot)).is_answered);
    let releases = with(PullScope { bases: texts(&["main", "release/*"]), ..PullScope::default() });
    for (base, is_measured) in [("main", true), ("release/1", true), ("release/1/x", false), ("topic", false)]
    {
        let mut played = own();
        played.pull.base_branch = base.to_owned();
        let plan = opened(&releases, &mut played);
        let enqueued = plan.changes.iter().any(|change| matches!(change, Change::Enqueue(_)));
        assert_eq!((enqueued, status(&plan)), (is_measured, None), "{base}");
    }
}

#[test]
fn a_merge_queue_is_answered() {
    let merging = |is_wanted| Incoming::Merging {
        repository: repository(),
        branch: "gh-readonly-queue/main/pr-7".to_owned(),
        commit: HEAD.to_owned(),
        base: BASE.to_owned(),
        is_wanted,
    };
    let mut queue = own();
    queue.branch = Some(HEAD.to_owned());
    let plan = plan(&mut queue, merging(true));
    assert_eq!((job(&plan).approval, job(&plan).head.as_deref()), (Approval::NotNeeded, Some(HEAD)));
    let mut answered = project();
    answered.merge_queue = MergeQueue::PullRequest;
    let known = Remembered::default();
    let plan = plan_of(&answered, &mut queue, &known, merging(true));
    assert!(matches!(&plan.changes[..], [Change::Send { key, body, .. }]
        if key.contains(HEAD) && body.to_string().contains("measured in the pull request")));
    let plan = self::plan(&mut queue, merging(false));
    assert!(matches!(acts(&plan)[..], [Change::Cancel { .. }]));
    queue.branch = Some(OTHER.to_owned());
    assert!(acts(&self::plan(&mut queue, merging(true))).is_empty(), "the event is an old one");
}

#[test]
fn a_bots_branch_is_a_merge_queue() {
    let push = |branch: &str, commit: Option<&str>| Incoming::Push {
        repository: repository(),
        branch: branch.to_owned(),
        before: None,
        commit: commit.map(str::to_owned),
    };
    let project = ProjectConfig { merge_branches: texts(&["staging", "bors/*"]), ..project() };
    let mut played = own();
    played.branch = Some(HEAD.to_owned());
    played.target = Some(BASE.to_owned());
    let known = Remembered::default();
    let staged = plan_of(&project, &mut played, &known, push("staging", Some(HEAD)));
    assert_eq!(job(&staged).subject["baseline"], BASE);
    assert_eq!((job(&staged).approval, job(&staged).head.as_deref()), (Approval::NotNeeded, Some(HEAD)));
    // The head of a pull request keeps that one's status, however a queue came to it.
    let answers = ProjectConfig { merge_queue: MergeQueue::PullRequest, ..project.clone() };
    let alone = plan_of(&answers, &mut played, &known, push("staging", Some(HEAD)));
    assert_eq!(status(&alone).unwrap().state, StatusState::Success);
    let row = PullRow { number: 7, head: HEAD.to_owned(), is_open: true, ..PullRow::default() };
    let of_pull = Remembered { pull: Some(row), ..Remembered::default() };
    assert_eq!(status(&plan_of(&answers, &mut played, &of_pull, push("staging", Some(HEAD)))), None);
    played.target = Some(HEAD.to_owned());
    let same = plan_of(&project, &mut played, &known, push("bors/try", Some(HEAD)));
    assert!(acts(&same).is_empty(), "it is merged already");
    let ended = plan_of(&project, &mut played, &known, push("staging", None));
    assert!(matches!(acts(&ended)[..], [Change::Cancel { .. }]));
    let other = plan_of(&project, &mut played, &known, push("topic", Some(HEAD)));
    assert!(other.note.contains("another branch"), "{}", other.note);
    // The measured branch is no merge queue, even if a pattern matches it.
    let all = ProjectConfig { merge_branches: texts(&["**"]), ..project };
    let pushed = plan_of(&all, &mut played, &known, push("main", Some(OTHER)));
    assert_eq!(job(&pushed).subject["kind"], "push");
}

#[test]
fn wrong_patterns_are_refused_by_their_text() {
    let wrong = with(PullScope { paths: texts(&["src/{a"]), ..PullScope::default() });
    let check = |project: &ProjectConfig| crate::config::patterns::check([&project.pulls.paths]);
    assert!(check(&wrong).unwrap_err().contains("src/{a"));
    assert!(check(&project()).is_ok());
}
