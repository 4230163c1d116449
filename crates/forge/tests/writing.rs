//! A client's writes: statuses, comments and issues, each once, even if an answer is lost.

mod played;

use played::{HEAD, KINDS, Turn, client, forge, get, repository, send, transport, who};
use serde_json::{Value, json};
use tlslab_forge::{CommitStatus, ForgeError, Kind, Left, Mark, Measured, StatusState, leave};

fn status(state: StatusState) -> CommitStatus {
    CommitStatus {
        context: "tlslab/compare".to_owned(),
        state,
        title: "2 regressions".to_owned(),
        link: "https://lab.example/jobs/7".to_owned(),
    }
}

fn set(kind: Kind, state: &str, status: u16, answer: Value) -> Turn {
    let name = if kind == Kind::Gitlab { "name" } else { "context" };
    let body = json!({
        "state": state, name: "tlslab/compare", "description": "2 regressions",
        "target_url": "https://lab.example/jobs/7",
    });
    send("POST", &format!("{}/statuses/{HEAD}", repository(kind)), body, status, answer)
}

#[test]
fn a_status_has_each_forges_names() {
    use StatusState::{Cancelled, Error, Failure, Queued, Running, Success};
    for (kind, names) in [
        (Kind::Github, ["pending", "pending", "success", "failure", "error", "error"]),
        (Kind::Gitlab, ["pending", "running", "success", "failed", "canceled", "canceled"]),
        (Kind::Gitea, ["pending", "pending", "success", "failure", "error", "error"]),
    ] {
        for (state, name) in [Queued, Running, Success, Failure, Error, Cancelled].into_iter().zip(names) {
            let (mut client, stage) = client(kind, [set(kind, name, 201, json!({}))]);
            client.set_status(HEAD, &status(state)).unwrap();
            stage.is_over();
        }
    }
}

/// What each forge takes for a success of a required check, by its own documentation or source: docs/guides/service.md has the table.
#[test]
fn only_a_success_satisfies_a_required_check() {
    use StatusState::{Cancelled, Error, Failure, Queued, Running, Success};
    for (kind, passing) in [
        (Kind::Github, &["success"][..]),
        (Kind::Gitlab, &["success", "skipped"]),
        (Kind::Gitea, &["success", "warning", "skipped"]),
    ] {
        for state in [Queued, Running, Success, Failure, Error, Cancelled] {
            let satisfies = passing.iter().any(|name| {
                let (mut client, stage) = client(kind, [set(kind, name, 201, json!({}))]);
                let is_it = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    client.set_status(HEAD, &status(state))
                }));
                drop(stage);
                is_it.is_ok()
            });
            assert_eq!(satisfies, state == Success, "{kind} {state:?}");
        }
    }
}

#[test]
fn what_was_written_is_read_back() {
    for kind in played::KINDS {
        let place = match kind {
            Kind::Github => format!("{}/commits/{HEAD}/statuses?per_page=50", repository(kind)),
            Kind::Gitlab => {
                format!(
                    "{}/repository/commits/{HEAD}/statuses?name=tlslab%2Fcompare&per_page=50",
                    repository(kind)
                )
            }
            Kind::Gitea => format!("{}/statuses/{HEAD}?sort=recentupdate&limit=50", repository(kind)),
        };
        let (context, state) = match kind {
            Kind::Github => ("context", "state"),
            Kind::Gitlab => ("name", "status"),
            Kind::Gitea => ("context", "status"),
        };
        let one = |id: u64, is: &str| json!({"id": id, context: "tlslab/compare", state: is});
        for (listed, expected) in [
            (json!([one(1, "pending"), one(2, "success")]), true),
            (json!([one(3, "pending"), one(2, "success")]), false),
            (json!([]), false),
        ] {
            let (mut client, stage) = client(kind, [get(&place, 200, listed)]);
            assert_eq!(client.has_status(HEAD, &status(StatusState::Success)).unwrap(), expected, "{kind}");
            stage.is_over();
        }
    }
}

#[test]
fn the_texts_of_a_status_are_cut() {
    for (kind, most) in [(Kind::Github, 140), (Kind::Gitlab, 255), (Kind::Gitea, 255)] {
        let name = if kind == Kind::Gitlab { "name" } else { "context" };
        let cut = |text: &str, most: usize| format!("{}…", text.repeat(most - 1));
        let body = json!({ "state": "success", name: cut("c", 255), "description": cut("ß", most) });
        let place = format!("{}/statuses/{HEAD}", repository(kind));
        let (mut client, stage) = client(kind, [send("POST", &place, body, 201, json!({}))]);
        let long = CommitStatus {
            context: "c".repeat(300),
            state: StatusState::Success,
            title: "ß".repeat(300),
            link: String::new(),
        };
        client.set_status(HEAD, &long).unwrap();
        stage.is_over();
    }
}

#[test]
fn only_a_commit_has_a_status() {
    for kind in KINDS {
        let (mut client, _) = client(kind, []);
        for wrong in ["main", "", "../../x", "1F0C2E7D9B3A4568C1D2E3F405162738495A6B7C"] {
            let error = client.set_status(wrong, &status(StatusState::Queued)).unwrap_err();
            assert!(matches!(error, ForgeError::Name { .. }), "{error}");
        }
    }
}

#[test]
fn gitlab_may_be_told_twice_that_a_job_runs() {
    let message =
        "Cannot transition status via :run from :running (Reason(s): Status cannot transition via \"run\")";
    let answer = json!({ "message": message });
    let (mut client, stage) = client(Kind::Gitlab, [set(Kind::Gitlab, "running", 400, answer.clone())]);
    client.set_status(HEAD, &status(StatusState::Running)).unwrap();
    stage.then([set(Kind::Gitlab, "success", 400, answer)]);
    let error = client.set_status(HEAD, &status(StatusState::Success)).unwrap_err();
    assert!(matches!(error, ForgeError::Unexpected { status: 400, .. }), "the end must be shown: {error}");
    let locked = json!({ "message": "Another update to this commit status is in progress" });
    stage.then([set(Kind::Gitlab, "success", 409, locked)]);
    let error = client.set_status(HEAD, &status(StatusState::Success)).unwrap_err();
    assert!(matches!(error, ForgeError::Busy { retry_after_s: 5, .. }), "{error}");
    stage.is_over();
}

#[test]
fn gitlab_needs_a_reference_for_a_commit_of_a_fork() {
    let missing = json!({ "message": "404 References for commit Not Found" });
    let place = repository(Kind::Gitlab);
    let body = json!({
        "state": "pending", "name": "tlslab/compare", "description": "2 regressions",
        "target_url": "https://lab.example/jobs/7", "ref": "refs/merge-requests/5/head",
    });
    let (mut client, stage) = client(
        Kind::Gitlab,
        [
            set(Kind::Gitlab, "pending", 404, missing.clone()),
            get(&format!("{place}/repository/commits/{HEAD}/merge_requests"), 200, json!([{ "iid": 5 }])),
            send("POST", &format!("{place}/statuses/{HEAD}"), body, 201, json!({})),
        ],
    );
    client.set_status(HEAD, &status(StatusState::Queued)).unwrap();
    stage.then([
        set(Kind::Gitlab, "pending", 404, missing),
        get(&format!("{place}/repository/commits/{HEAD}/merge_requests"), 200, json!([])),
    ]);
    assert!(matches!(
        client.set_status(HEAD, &status(StatusState::Queued)),
        Err(ForgeError::NotFound { .. })
    ));
    stage.is_over();
}

const TEXT: &str = "<!-- tlslab:compare -->\n2 regressions";

fn mark() -> Mark {
    Mark::of("compare").unwrap()
}

fn comment(kind: Kind, id: u64, by: &str, text: &str) -> Value {
    match kind {
        Kind::Gitlab => json!({ "id": id, "noteable_iid": 5, "author": { "username": by }, "body": text }),
        Kind::Github => json!({
            "id": id, "user": { "login": by }, "body": text, "issue_url": "https://api.forge.example/repos/lab/tls/issues/5",
        }),
        Kind::Gitea => json!({
            "id": id, "user": { "login": by }, "body": text, "issue_url": "",
            "pull_request_url": "https://forge.example/lab/tls/pulls/5",
        }),
    }
}

fn place_of_list(kind: Kind) -> String {
    let list = if kind == Kind::Gitlab { "merge_requests/5/notes" } else { "issues/5/comments" };
    format!("{}/{list}", repository(kind))
}

fn place_of_one(kind: Kind, id: u64) -> String {
    match kind {
        Kind::Gitlab => format!("{}/{id}", place_of_list(kind)),
        Kind::Github | Kind::Gitea => format!("{}/issues/comments/{id}", repository(kind)),
    }
}

fn page(kind: Kind, page: usize, comments: Vec<Value>) -> Turn {
    let query = match kind {
        Kind::Github => format!("per_page=100&page={page}"),
        Kind::Gitlab => format!("per_page=100&page={page}&sort=asc&order_by=created_at"),
        Kind::Gitea => format!("limit=100&page={page}"),
    };
    get(&format!("{}?{query}", place_of_list(kind)), 200, json!(comments))
}

fn make(kind: Kind, status: u16, answer: Value) -> Turn {
    send("POST", &place_of_list(kind), json!({ "body": TEXT }), status, answer)
}

fn edit(kind: Kind, id: u64, status: u16) -> Turn {
    let method = if kind == Kind::Gitlab { "PUT" } else { "PATCH" };
    send(method, &place_of_one(kind, id), json!({ "body": TEXT }), status, json!({ "id": id }))
}

#[test]
fn a_comment_is_made_and_then_edited_in_place() {
    for kind in KINDS {
        let (mut client, stage) =
            client(kind, [who(kind), page(kind, 1, vec![]), make(kind, 201, json!({ "id": 21 }))]);
        assert_eq!(client.leave_comment(5, &mark(), "2 regressions", None).unwrap(), Left::Made(21));

        let old = comment(kind, 21, "bot", "<!-- tlslab:compare -->\nqueued");
        stage.then([get(&place_of_one(kind, 21), 200, old), edit(kind, 21, 200)]);
        assert_eq!(client.leave_comment(5, &mark(), "2 regressions", Some(21)).unwrap(), Left::Edited(21));

        stage.then([get(&place_of_one(kind, 21), 200, comment(kind, 21, "bot", TEXT))]);
        assert_eq!(client.leave_comment(5, &mark(), "2 regressions", Some(21)).unwrap(), Left::Same(21));
        stage.is_over();
    }
}

#[test]
fn a_known_comment_that_is_gone_or_not_its_own_is_not_touched() {
    for kind in KINDS {
        let mut elsewhere = comment(kind, 21, "bot", TEXT);
        for name in ["issue_url", "pull_request_url"] {
            if elsewhere.get(name).is_some_and(|address| address != "") {
                elsewhere[name] = json!("https://forge.example/lab/tls/pulls/15");
            }
        }
        if kind == Kind::Gitlab {
            elsewhere["noteable_iid"] = json!(15);
        }
        for (status, answer) in [
            (404, json!({ "message": "Not Found" })),
            (204, Value::Null),
            (200, comment(kind, 21, "someone", TEXT)),
            (200, comment(kind, 21, "bot", "Another text")),
            (200, elsewhere),
        ] {
            let turns = [
                who(kind),
                get(&place_of_one(kind, 21), status, answer),
                page(kind, 1, vec![comment(kind, 3, "someone", TEXT)]),
                page(kind, 2, vec![]),
                make(kind, 201, json!({ "id": 22 })),
            ];
            let (mut client, stage) = client(kind, turns);
            let left = client.leave_comment(5, &mark(), "2 regressions", Some(21)).unwrap();
            assert_eq!(left, Left::Made(22), "{kind}");
            stage.is_over();
        }
    }
}

#[test]
fn a_comment_whose_answer_was_lost_is_found_again() {
    for kind in KINDS {
        let lost = [make(kind, 502, Value::Null), make(kind, 201, Value::Null).breaks()];
        for lost in lost {
            let (mut client, stage) = client(kind, [who(kind), page(kind, 1, vec![]), lost]);
            let error = client.leave_comment(5, &mark(), "2 regressions", None).unwrap_err();
            assert!(matches!(error, ForgeError::Busy { .. } | ForgeError::Unreachable { .. }), "{error}");
            stage.then([page(kind, 1, vec![comment(kind, 21, "bot", TEXT)])]);
            let left = client.leave_comment(5, &mark(), "2 regressions", None).unwrap();
            assert_eq!(left, Left::Same(21), "{kind}");
            stage.is_over();
        }
    }
}

#[test]
fn a_comment_is_looked_for_on_every_page() {
    for kind in [Kind::Github, Kind::Gitlab] {
        let full = |start: u64| (start..start + 100).map(|id| comment(kind, id, "someone", "x")).collect();
        let turns = [
            who(kind),
            page(kind, 1, full(1000)),
            page(kind, 2, full(2000)),
            page(kind, 3, vec![comment(kind, 21, "bot", "<!-- tlslab:compare -->\nqueued")]),
            edit(kind, 21, 200),
        ];
        let (mut client, stage) = client(kind, turns);
        assert_eq!(client.leave_comment(5, &mark(), "2 regressions", None).unwrap(), Left::Edited(21));
        stage.is_over();
    }
}

#[test]
fn gitea_gives_the_same_comments_for_every_page() {
    let all: Vec<Value> = (1..300).map(|id| comment(Kind::Gitea, id, "someone", TEXT)).collect();
    let turns = [
        who(Kind::Gitea),
        page(Kind::Gitea, 1, all.clone()),
        page(Kind::Gitea, 2, all),
        make(Kind::Gitea, 201, json!({ "id": 400 })),
    ];
    let (mut client, stage) = client(Kind::Gitea, turns);
    assert_eq!(client.leave_comment(5, &mark(), "2 regressions", None).unwrap(), Left::Made(400));
    stage.is_over();
}

#[test]
fn a_long_comment_is_cut() {
    for (kind, most) in [(Kind::Github, 65_535), (Kind::Gitea, 65_535), (Kind::Gitlab, 1_000_000)] {
        let start = "<!-- tlslab:compare -->\n";
        let cut = format!("{start}{}…", "ß".repeat(most - start.len() - 1));
        let made = send("POST", &place_of_list(kind), json!({ "body": cut }), 201, json!({ "id": 21 }));
        let (mut client, stage) = client(kind, [who(kind), page(kind, 1, vec![]), made]);
        client.leave_comment(5, &mark(), &"ß".repeat(most), None).unwrap();
        stage.is_over();
    }
}

#[test]
fn a_limit_on_comments_is_named() {
    for kind in KINDS {
        let limited = make(kind, 403, json!({ "message": "You have exceeded a secondary rate limit" }));
        let (mut client, stage) = client(kind, [who(kind), page(kind, 1, vec![]), limited.retry_after(90)]);
        let error = client.leave_comment(5, &mark(), "2 regressions", None).unwrap_err();
        assert!(matches!(error, ForgeError::Busy { retry_after_s: 90, .. }), "{error}");
        stage.is_over();
    }
}

fn issues(kind: Kind, page: usize, issues: Vec<Value>) -> Turn {
    let query = match kind {
        Kind::Github => format!("creator=bot&state=all&sort=created&direction=desc&per_page=50&page={page}"),
        Kind::Gitlab => {
            format!("author_username=bot&scope=all&order_by=created_at&sort=desc&per_page=50&page={page}")
        }
        Kind::Gitea => format!("created_by=bot&type=issues&state=all&limit=50&page={page}"),
    };
    get(&format!("{}/issues?{query}", repository(kind)), 200, json!(issues))
}

fn issue(kind: Kind, number: u64, by: &str, text: &str) -> Value {
    match kind {
        Kind::Gitlab => json!({ "iid": number, "author": { "username": by }, "description": text }),
        _ => json!({ "number": number, "user": { "login": by }, "body": text, "pull_request": null }),
    }
}

#[test]
fn an_issue_is_opened_once() {
    for kind in KINDS {
        let (body, name) = if kind == Kind::Gitlab { ("description", "iid") } else { ("body", "number") };
        let content = json!({ "title": "Regression on main", body: TEXT });
        let open = |status, answer| {
            send("POST", &format!("{}/issues", repository(kind)), content.clone(), status, answer)
        };
        let turns = [
            who(kind),
            issues(kind, 1, vec![issue(kind, 8, "someone", TEXT), issue(kind, 7, "bot", "Another text")]),
            issues(kind, 2, vec![]),
            open(201, json!({ name: 9, "id": 9000 })),
        ];
        let (mut client, stage) = client(kind, turns);
        let mut again = || client.open_issue_once(&mark(), "Regression on main", "2 regressions");
        assert_eq!(again().unwrap(), 9);

        // The answer is lost, and the issue is there.
        stage.then([issues(kind, 1, vec![]), open(502, Value::Null)]);
        assert!(matches!(again(), Err(ForgeError::Busy { .. })));
        stage.then([issues(kind, 1, vec![issue(kind, 10, "bot", TEXT)])]);
        assert_eq!(again().unwrap(), 10);

        // Only the newest 200 are looked through.
        let full = |from: u64| (from..from + 50).map(|number| issue(kind, number, "bot", "x")).collect();
        stage.then((1..=4).map(|page| issues(kind, page, full(1000 * page as u64))));
        stage.then([open(201, json!({ name: 11 }))]);
        assert_eq!(again().unwrap(), 11);
        stage.is_over();
    }
}

#[test]
fn a_command_leaves_its_comment_on_each_forge() {
    for kind in KINDS {
        let (place, pull) = match kind {
            Kind::Gitlab => ("merge_requests/5", json!({ "sha": HEAD, "source_project_id": 9 })),
            _ => ("pulls/5", json!({ "head": { "sha": HEAD, "repo": { "id": 9 } } })),
        };
        let (mut transport, stage) = transport(
            kind,
            [
                get(&format!("{}/{place}", repository(kind)), 200, pull),
                who(kind),
                page(kind, 1, vec![comment(kind, 3, "someone", TEXT)]),
                page(kind, 2, vec![]),
                make(kind, 201, json!({ "id": 21 })),
            ],
        );
        let measured = Measured { number: 5, commit: HEAD, repository: Some(9) };
        let left = leave(&mut *transport, &forge(kind), measured, &mark(), "2 regressions", None);
        assert_eq!(left.unwrap(), Left::Made(21));
        stage.is_over();
    }
}
