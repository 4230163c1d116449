//! What recorded events of each forge mean.

use std::path::Path;

use serde_json::{Value, json};
use tlslab_forge::Kind;
use tlslab_forge::webhook::{Incoming, Person, PullAction, PullFacts, Unreadable, read};

const HEAD: &str = "1f0c2e7d9b3a4568c1d2e3f405162738495a6b7c";
const BASE: &str = "9e8d7c6b5a49382716050f4e3d2c1b0a98877665";
const OCTOCAT_HEAD: &str = "ec26c3e57ca3a959ca5aad62de7213c562f8c821";
const ZEROS: &str = "0000000000000000000000000000000000000000";

fn recorded(kind: Kind, name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/events/{kind}/{name}.json"));
    serde_json::from_slice(&std::fs::read(&file).expect("a recorded event")).expect("JSON")
}

fn try_meaning(kind: Kind, event: &str, body: &Value) -> Result<Incoming, Unreadable> {
    read(kind, event, body.to_string().as_bytes())
}

fn meaning(kind: Kind, event: &str, body: &Value) -> Incoming {
    let incoming = try_meaning(kind, event, body).expect("it can be read");
    let stored = serde_json::to_string(&incoming).unwrap();
    assert_eq!(serde_json::from_str::<Incoming>(&stored).unwrap(), incoming, "it is stored as JSON");
    incoming
}

fn github(event: &str, name: &str) -> Incoming {
    meaning(Kind::Github, event, &recorded(Kind::Github, name))
}

fn gitea(event: &str, name: &str) -> Incoming {
    meaning(Kind::Gitea, event, &recorded(Kind::Gitea, name))
}

fn gitlab(event: &str, name: &str) -> Incoming {
    meaning(Kind::Gitlab, event, &recorded(Kind::Gitlab, name))
}

#[track_caller]
fn why(incoming: Incoming) -> String {
    match incoming {
        Incoming::Ignored { why } => why,
        other => panic!("it is not ignored: {other:?}"),
    }
}

#[track_caller]
fn pull(incoming: Incoming) -> (u64, PullAction, PullFacts) {
    match incoming {
        Incoming::Pull { number, action, pull, .. } => (number, action, pull),
        other => panic!("no pull request: {other:?}"),
    }
}

fn person(login: &str, id: u64) -> Person {
    Person { login: login.to_owned(), id, is_bot: false }
}

#[test]
fn a_push_moves_creates_or_deletes_a_branch() {
    let Incoming::Push { repository, branch, before, commit } = github("push", "push") else { panic!() };
    assert_eq!((repository.id, repository.path.as_str()), (186853002, "Codertocat/Hello-World"));
    assert_eq!(repository.default_branch.as_deref(), Some("master"));
    assert_eq!(repository.clone_url, "https://github.com/Codertocat/Hello-World.git");
    assert_eq!((branch.as_str(), before), ("master", None), "the example creates the branch");
    assert_eq!(commit.as_deref(), Some("6113728f27ae82c7b1a177c8d03f9e96e0adf246"));

    for moved in [gitea("push", "push"), gitlab("Push Hook", "push")] {
        let Incoming::Push { repository, branch, before, commit } = moved else { panic!() };
        assert_eq!((repository.id, branch.as_str()), (7, "main"));
        assert_eq!((before.as_deref(), commit.as_deref()), (Some(BASE), Some(HEAD)));
    }

    let mut deleted = recorded(Kind::Github, "push");
    deleted["before"] = deleted["after"].clone();
    deleted["after"] = json!(ZEROS);
    let deleted = meaning(Kind::Github, "push", &deleted);
    for deleted in [deleted, gitea("delete", "delete"), gitlab("Push Hook", "push_deleted")] {
        assert!(matches!(deleted, Incoming::Push { commit: None, .. }), "{deleted:?}");
    }
}

#[test]
fn tags_are_ignored() {
    assert!(why(github("push", "push_tag")).contains("tag"));
    assert!(why(github("push", "push_tag_deleted")).contains("tag"));
    let mut deleted = recorded(Kind::Gitea, "delete");
    deleted["ref_type"] = json!("tag");
    assert!(why(meaning(Kind::Gitea, "delete", &deleted)).contains("tag"));
    why(meaning(Kind::Gitlab, "Tag Push Hook", &recorded(Kind::Gitlab, "push")));
}

#[test]
fn a_pull_request_has_its_facts_on_each_forge() {
    let (number, action, facts) = pull(github("pull_request", "pull_request_opened"));
    assert_eq!((number, action), (2, PullAction::Opened));
    let expected = PullFacts {
        head: Some(OCTOCAT_HEAD.to_owned()),
        head_repository: Some(186853002),
        base_branch: "master".to_owned(),
        title: "Update the README with new information.".to_owned(),
        branch: "changes".to_owned(),
        updated_unix_s: Some(1_557_933_633),
        author: person("Codertocat", 21031067),
        is_draft: false,
        is_open: true,
    };
    assert_eq!(facts, expected);

    let expected = |id| PullFacts {
        head: Some(HEAD.to_owned()),
        head_repository: Some(9),
        base_branch: "main".to_owned(),
        title: "Faster handshakes".to_owned(),
        branch: "faster".to_owned(),
        updated_unix_s: Some(1_767_607_200),
        author: person("contributor", id),
        is_draft: false,
        is_open: true,
    };
    let opened = pull(gitea("pull_request", "pull_request_opened"));
    assert_eq!(opened, (5, PullAction::Opened, expected(4)));
    let opened = pull(gitlab("Merge Request Hook", "merge_request_open"));
    assert_eq!(opened, (5, PullAction::Opened, expected(8)));
}

#[test]
fn each_action_of_a_pull_request_is_known() {
    use PullAction::{Closed, Edited, Labelled, Other, ReadyForReview, Reopened, Synchronised};
    for (name, expected) in [
        ("pull_request_synchronize", Synchronised),
        ("pull_request_closed", Closed),
        ("pull_request_reopened", Reopened),
        ("pull_request_ready_for_review", ReadyForReview),
        ("pull_request_converted_to_draft", Other),
    ] {
        let (_, action, facts) = pull(github("pull_request", name));
        assert_eq!(action, expected, "{name}");
        assert_eq!(facts.is_open, expected != Closed, "{name}");
        assert_eq!(facts.is_draft, expected == Other, "{name}");
    }
    for (name, expected) in [
        ("pull_request_synchronized", Synchronised),
        ("pull_request_retargeted", Edited),
        ("pull_request_title", ReadyForReview),
        ("pull_request_closed_without_fork", Closed),
    ] {
        assert_eq!(pull(gitea("pull_request", name)).1, expected, "{name}");
    }
    for (name, expected) in [
        ("merge_request_pushed", Synchronised),
        ("merge_request_retargeted", Edited),
        ("merge_request_ready", ReadyForReview),
        ("merge_request_merged_without_fork", Closed),
    ] {
        assert_eq!(pull(gitlab("Merge Request Hook", name)).1, expected, "{name}");
    }
    assert_eq!(pull(github("pull_request", "pull_request_labeled")).1, Labelled);
    assert_eq!(pull(gitlab("Merge Request Hook", "merge_request_labelled")).1, Labelled);
    let mut unknown = recorded(Kind::Github, "pull_request_opened");
    unknown["action"] = json!("enqueued in the year 2040");
    assert!(why(meaning(Kind::Github, "pull_request", &unknown)).contains("2040"));
}

#[test]
fn a_retargeted_pull_request_has_the_new_base() {
    let mut event = recorded(Kind::Github, "pull_request_opened");
    event["action"] = json!("edited");
    event["changes"] = json!({ "title": { "from": "x" } });
    assert_eq!(pull(meaning(Kind::Github, "pull_request", &event)).1, PullAction::Other);
    event["changes"] = json!({ "base": { "ref": { "from": "main" }, "sha": { "from": BASE } } });
    event["pull_request"]["base"]["ref"] = json!("release/2");
    let (_, action, facts) = pull(meaning(Kind::Github, "pull_request", &event));
    assert_eq!((action, facts.base_branch.as_str()), (PullAction::Edited, "release/2"));
}

#[test]
fn a_fork_that_was_deleted_has_no_repository() {
    let mut event = recorded(Kind::Github, "pull_request_closed");
    event["pull_request"]["head"]["repo"] = Value::Null;
    event["pull_request"]["user"] = Value::Null;
    let (_, _, facts) = pull(meaning(Kind::Github, "pull_request", &event));
    assert_eq!((facts.head_repository, facts.head.as_deref()), (None, Some(OCTOCAT_HEAD)));
    assert_eq!(facts.author, person("", 0), "a deleted account");
    let (_, _, facts) = pull(gitea("pull_request", "pull_request_closed_without_fork"));
    assert_eq!((facts.head_repository, facts.head, facts.is_open), (None, None, false));
    let (_, _, facts) = pull(gitlab("Merge Request Hook", "merge_request_merged_without_fork"));
    assert_eq!((facts.head_repository, facts.is_open), (None, false));
}

#[test]
fn who_acts_on_a_merge_request_is_not_its_author() {
    let (_, _, facts) = pull(gitlab("Merge Request Hook", "merge_request_retargeted"));
    assert_eq!(facts.author, person("", 8), "the event names the author by id alone");
}

#[test]
fn an_approval_is_of_one_commit() {
    let mut event = recorded(Kind::Github, "pull_request_review_submitted");
    assert!(why(meaning(Kind::Github, "pull_request_review", &event)).contains("not an approval"));
    event["review"]["state"] = json!("approved");
    // The head has moved on since.
    event["pull_request"]["head"]["sha"] = json!(BASE);
    let Incoming::Approved { number, commit, by, .. } = meaning(Kind::Github, "pull_request_review", &event)
    else {
        panic!()
    };
    assert_eq!((number, commit.as_deref()), (2, Some(OCTOCAT_HEAD)));
    assert_eq!(by, person("Codertocat", 21031067));
    event["action"] = json!("edited");
    why(meaning(Kind::Github, "pull_request_review", &event));
    assert!(why(github("pull_request_review", "pull_request_review_dismissed")).contains("dismissed"));

    for (approved, id) in [
        (gitea("pull_request_approved", "pull_request_approved"), 1),
        (gitlab("Merge Request Hook", "merge_request_approved"), 4),
    ] {
        let Incoming::Approved { number, commit, by, .. } = approved else { panic!() };
        assert_eq!((number, commit, by), (5, None, person("lab", id)));
    }
    why(gitea("pull_request_rejected", "pull_request_approved"));
    let mut event = recorded(Kind::Gitlab, "merge_request_approved");
    event["object_attributes"]["action"] = json!("unapproved");
    why(meaning(Kind::Gitlab, "Merge Request Hook", &event));
}

#[test]
fn new_comments_on_pull_requests_are_commands() {
    assert!(why(github("issue_comment", "issue_comment_created")).contains("not a pull request"));
    assert!(why(github("issue_comment", "issue_comment_edited")).contains("not a pull request"));
    assert!(why(github("issue_comment", "issue_comment_deleted")).contains("deleted"));
    let mut event = recorded(Kind::Github, "issue_comment_created");
    event["issue"]["pull_request"] = json!({ "url": "https://forge.example/1" });
    event["comment"]["body"] = json!("ä".repeat(70_000));
    let Incoming::Command { number, comment, by, text, .. } = meaning(Kind::Github, "issue_comment", &event)
    else {
        panic!()
    };
    assert_eq!((number, comment, by), (1, 492700400, person("Codertocat", 21031067)));
    assert_eq!(text.chars().count(), Incoming::LONGEST_TEXT);

    assert!(why(gitea("issue_comment", "issue_comment_on_issue")).contains("not a pull request"));
    why(gitlab("Note Hook", "note_on_issue"));
    for (command, id) in
        [(gitea("issue_comment", "issue_comment_created"), 21), (gitlab("Note Hook", "note"), 1244)]
    {
        let Incoming::Command { repository, number, comment, by, created_unix_s, is_edited, text } = command
        else {
            panic!()
        };
        assert_eq!((repository.id, number, comment), (7, 5, id));
        assert_eq!((created_unix_s, is_edited), (Some(1_767_610_800), false));
        assert_eq!((by.login.as_str(), text.as_str()), ("lab", "@tlslab compare"));
    }
}

#[test]
fn comments_that_were_edited_are_known_and_notes_of_gitlab_itself_are_ignored() {
    let is_edited = |incoming| match incoming {
        Incoming::Command { is_edited, .. } => is_edited,
        other => panic!("no comment: {other:?}"),
    };
    let mut event = recorded(Kind::Gitlab, "note");
    event["object_attributes"]["action"] = json!("update");
    assert!(is_edited(meaning(Kind::Gitlab, "Note Hook", &event)));
    for (kind, name) in [(Kind::Github, "issue_comment_edited"), (Kind::Gitea, "issue_comment_created")] {
        let mut event = recorded(kind, name);
        event["action"] = json!("edited");
        event["issue"]["pull_request"] = json!({});
        assert!(is_edited(meaning(kind, "issue_comment", &event)));
    }
    let mut event = recorded(Kind::Gitlab, "note");
    event["object_attributes"]["system"] = json!(true);
    why(meaning(Kind::Gitlab, "Note Hook", &event));
    // GitLab before 16.11 sends no action.
    let mut event = recorded(Kind::Gitlab, "note");
    event["object_attributes"].as_object_mut().unwrap().remove("action");
    assert!(!is_edited(meaning(Kind::Gitlab, "Note Hook", &event)));
    event["object_attributes"]["updated_at"] = json!("2026-01-05 12:00:00 UTC");
    assert!(is_edited(meaning(Kind::Gitlab, "Note Hook", &event)));
}

#[test]
fn a_merge_queue_asks_for_checks_of_a_commit() {
    let mut event = json!({
        "action": "checks_requested",
        "merge_group": {"head_sha": HEAD, "head_ref": "refs/heads/gh-readonly-queue/main/pr-5-aaa", "base_sha": BASE,
            "base_ref": "refs/heads/main"},
        "repository": recorded(Kind::Github, "push")["repository"],
    });
    let Incoming::Merging { branch, commit, base, is_wanted, .. } =
        meaning(Kind::Github, "merge_group", &event)
    else {
        panic!()
    };
    assert_eq!(
        (branch.as_str(), commit.as_str(), base.as_str()),
        ("gh-readonly-queue/main/pr-5-aaa", HEAD, BASE)
    );
    assert!(is_wanted);
    event["action"] = json!("destroyed");
    let destroyed = meaning(Kind::Github, "merge_group", &event);
    assert!(matches!(destroyed, Incoming::Merging { is_wanted: false, .. }));
    event["merge_group"]["head_sha"] = json!("--upload-pack=x");
    let body = serde_json::to_vec(&event).unwrap();
    assert!(read(Kind::Github, "merge_group", &body).is_err());
}

#[test]
fn programs_are_known_where_the_forge_shows_it() {
    let mut event = recorded(Kind::Github, "issue_comment_created");
    event["issue"]["pull_request"] = json!({});
    event["comment"]["user"] = json!({ "login": "lab[bot]", "id": 3, "type": "Bot" });
    let is_bot = |incoming| match incoming {
        Incoming::Command { by, .. } => by.is_bot,
        other => panic!("no comment: {other:?}"),
    };
    assert!(is_bot(meaning(Kind::Github, "issue_comment", &event)));
    let mut event = recorded(Kind::Gitea, "issue_comment_created");
    event["comment"]["user"] = json!({ "login": "gitea-actions", "id": -2 });
    assert!(is_bot(meaning(Kind::Gitea, "issue_comment", &event)));
    let mut event = recorded(Kind::Gitlab, "note");
    for (name, expected) in [("project_7_bot_3f", true), ("group_7_bot", true), ("project_manager", false)] {
        event["user"]["username"] = json!(name);
        assert_eq!(is_bot(meaning(Kind::Gitlab, "Note Hook", &event)), expected, "{name}");
    }
}

#[test]
fn an_installation_is_active_or_not() {
    for (name, id, is_active) in [
        ("installation_created", 957387, true),
        ("installation_suspend", 16598467, false),
        ("installation_unsuspend", 16598467, true),
        ("installation_deleted", 2, false),
    ] {
        let expected = Incoming::Installation { id, is_active };
        assert_eq!(github("installation", name), expected, "{name}");
    }
}

#[test]
fn events_that_are_not_used_are_not_even_parsed() {
    for event in ["ping", "check", "star", "", "\u{7f}pull request"] {
        for kind in [Kind::Github, Kind::Gitlab, Kind::Gitea] {
            assert!(matches!(read(kind, event, b"\xff"), Ok(Incoming::Ignored { .. })), "{event}");
        }
    }
}

#[test]
fn what_an_event_must_have_is_checked() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut event = recorded(Kind::Github, "pull_request_opened");
        change(&mut event);
        try_meaning(Kind::Github, "pull_request", &event).expect_err("it is refused").to_string()
    };
    assert!(refused(&|event| event["pull_request"]["head"]["sha"] = json!("main")).contains("head commit"));
    assert!(refused(&|event| event["pull_request"]["base"]["ref"] = json!("--x")).contains("base branch"));
    assert!(refused(&|event| event["repository"]["full_name"] = json!("../..")).contains("path"));
    assert!(refused(&|event| event["repository"]["clone_url"] = json!("ext::sh -c x")).contains("clone"));
    assert!(refused(&|event| event["pull_request"]["number"] = json!(-1)).contains("number"));
    assert!(refused(&|event| event["pull_request"]["number"] = json!("7")).contains("JSON"));
    assert!(refused(&|event| event["repository"] = Value::Null).contains("repository"));
    let form = read(Kind::Github, "push", b"payload=%7B%7D").unwrap_err().to_string();
    assert!(form.contains("application/json"), "{form}");
}
