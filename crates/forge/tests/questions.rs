//! A client's queries of pull requests and people.

mod played;

use played::{BASE, HEAD, client, get, person, repository, who};
use serde_json::{Value, json};
use tlslab_forge::{ForgeError, Kind, Pull};

fn pull_of(kind: Kind) -> Value {
    match kind {
        Kind::Gitlab => json!({
            "iid": 5, "sha": HEAD, "source_project_id": 9, "target_project_id": 7, "target_branch": "main",
            "source_branch": "faster", "title": "Faster", "updated_at": "2026-01-05T10:00:00.123Z",
            "author": { "id": 4, "username": "contributor" }, "state": "opened", "draft": true, "labels": ["perf"],
        }),
        Kind::Github | Kind::Gitea => json!({
            "number": 5, "state": "open", "draft": true, "title": "Faster", "updated_at": "2026-01-05T10:00:00Z",
            "user": { "id": 4, "login": "contributor" },
            "head": { "sha": HEAD, "ref": "faster", "repo": { "id": 9 } },
            "base": { "sha": BASE, "ref": "main", "repo": { "id": 7 } }, "labels": [{ "id": 1, "name": "perf" }],
        }),
    }
}

fn place_of_pull(kind: Kind) -> String {
    let name = if kind == Kind::Gitlab { "merge_requests" } else { "pulls" };
    format!("{}/{name}/5", repository(kind))
}

#[test]
fn a_pull_request_is_the_same_on_each_forge() {
    for kind in played::KINDS {
        let mut body = pull_of(kind);
        if kind == Kind::Gitea {
            body["merge_base"] = json!(BASE);
        }
        let (mut client, stage) = client(kind, [get(&place_of_pull(kind), 200, body)]);
        let expected = Pull {
            head: HEAD.to_owned(),
            head_repository: Some(9),
            repository: 7,
            base_branch: "main".to_owned(),
            title: "Faster".to_owned(),
            branch: "faster".to_owned(),
            updated_unix_s: Some(1_767_607_200),
            author: person("contributor", 4),
            is_open: true,
            is_draft: true,
            merge_base: (kind == Kind::Gitea).then(|| BASE.to_owned()),
            labels: vec!["perf".to_owned()],
        };
        assert_eq!(client.pull(5).unwrap(), expected, "{kind}");
        stage.is_over();
    }
}

#[test]
fn open_pull_requests_are_listed_page_by_page() {
    for kind in played::KINDS {
        let place = |page| match kind {
            Kind::Gitlab => {
                format!("{}/merge_requests?state=opened&per_page=50&page={page}", repository(kind))
            }
            Kind::Github => format!("{}/pulls?state=open&per_page=50&page={page}", repository(kind)),
            Kind::Gitea => format!("{}/pulls?state=open&limit=50&page={page}", repository(kind)),
        };
        let mut other = pull_of(kind);
        other[if kind == Kind::Gitlab { "iid" } else { "number" }] = json!(6);
        let mut headless = other.clone();
        headless[if kind == Kind::Gitlab { "iid" } else { "number" }] = json!(7);
        if kind == Kind::Gitlab {
            headless["sha"] = Value::Null
        } else {
            headless["head"]["sha"] = Value::Null
        }
        let turns = [
            get(&place(1), 200, json!([pull_of(kind)])),
            get(&place(2), 200, json!([other, headless])),
            get(&place(3), 200, json!([])),
        ];
        let (mut client, stage) = client(kind, turns);
        let numbers: Vec<u64> = client.open_pulls().unwrap().into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [5, 6], "{kind}");
        stage.is_over();
    }
}

#[test]
fn a_pull_request_of_a_deleted_fork_is_closed_and_from_nowhere() {
    for kind in played::KINDS {
        let mut body = pull_of(kind);
        if kind == Kind::Gitlab {
            body["source_project_id"] = Value::Null;
        } else {
            body["head"]["repo"] = Value::Null;
        }
        body["state"] = json!("closed");
        let (mut client, _) = client(kind, [get(&place_of_pull(kind), 200, body)]);
        let pull = client.pull(5).unwrap();
        assert_eq!((pull.head_repository, pull.is_open), (None, false), "{kind}");
    }
}

#[test]
fn a_pull_request_without_a_commit_is_an_error() {
    for kind in played::KINDS {
        for commit in [Value::Null, json!(""), json!("main"), json!("--upload-pack=x")] {
            let mut body = pull_of(kind);
            let place = if kind == Kind::Gitlab { &mut body } else { &mut body["head"] };
            place["sha"] = commit;
            let (mut client, _) = client(kind, [get(&place_of_pull(kind), 200, body)]);
            assert!(matches!(client.pull(5), Err(ForgeError::Incomplete { .. })), "{kind}");
        }
    }
}

#[test]
fn a_renamed_repository_is_named_as_such() {
    let (mut client, _) = client(Kind::Github, [get("repos/lab/tls/pulls/5", 301, json!({}))]);
    let error = client.pull(5).unwrap_err();
    assert!(matches!(error, ForgeError::Renamed { status: 301, .. }), "{error}");
    assert!(error.to_string().contains("register its new name"));
}

#[test]
fn the_merge_base_is_asked_for() {
    let place = format!("repos/lab/tls/compare/release%2F1...{HEAD}?per_page=1");
    let answer = json!({ "merge_base_commit": { "sha": BASE } });
    let (mut github, stage) = client(Kind::Github, [get(&place, 200, answer)]);
    assert_eq!(github.merge_base(5, "release/1", HEAD).unwrap(), BASE);
    stage.is_over();

    let place =
        format!("{}/repository/merge_base?refs%5B%5D=main&refs%5B%5D={HEAD}", repository(Kind::Gitlab));
    let (mut gitlab, stage) = client(Kind::Gitlab, [get(&place, 200, json!({ "id": BASE }))]);
    assert_eq!(gitlab.merge_base(5, "main", HEAD).unwrap(), BASE);
    stage.is_over();

    let mut pull = pull_of(Kind::Gitea);
    pull["merge_base"] = json!(BASE);
    let again = || get("repos/lab/tls/pulls/5", 200, pull.clone());
    let (mut gitea, stage) = client(Kind::Gitea, [again(), again()]);
    assert_eq!(gitea.merge_base(5, "main", HEAD).unwrap(), BASE);
    let moved = gitea.merge_base(5, "main", BASE).unwrap_err();
    assert!(matches!(moved, ForgeError::OtherHead { number: 5, .. }), "{moved}");
    stage.is_over();
}

#[test]
fn commits_without_a_common_ancestor_are_an_error() {
    let place = format!("repos/lab/tls/compare/main...{HEAD}?per_page=1");
    let (mut client, _) =
        client(Kind::Github, [get(&place, 404, json!({ "message": "No common ancestor" }))]);
    let error = client.merge_base(5, "main", HEAD).unwrap_err();
    assert!(error.to_string().contains("No common ancestor"), "{error}");
}

#[test]
fn who_may_write_is_asked_at_that_moment() {
    for kind in [Kind::Github, Kind::Gitea] {
        for (permission, id, expected) in [
            ("admin", 4, true),
            ("write", 4, true),
            ("maintain", 4, true),
            ("owner", 4, true),
            ("read", 4, false),
            ("none", 4, false),
            // Another account has the name by now.
            ("admin", 5, false),
        ] {
            let answer = json!({ "permission": permission, "user": { "id": id, "login": "contributor" } });
            let place = "repos/lab/tls/collaborators/contributor/permission";
            let (mut client, stage) = client(kind, [get(place, 200, answer)]);
            assert_eq!(client.may_write(&person("contributor", 4)).unwrap(), expected, "{kind} {permission}");
            stage.is_over();
        }
    }
    for (level, state, expected) in
        [(30, "active", true), (40, "active", true), (20, "active", false), (50, "blocked", false)]
    {
        let answer = json!({ "id": 4, "access_level": level, "state": state });
        let place = format!("{}/members/all/4", repository(Kind::Gitlab));
        let (mut client, stage) = client(Kind::Gitlab, [get(&place, 200, answer)]);
        assert_eq!(client.may_write(&person("", 4)).unwrap(), expected, "{level} {state}");
        stage.is_over();
    }
}

#[test]
fn strangers_may_not_write() {
    for kind in played::KINDS {
        let place = match kind {
            Kind::Gitlab => format!("{}/members/all/4", repository(kind)),
            _ => "repos/lab/tls/collaborators/lab%5Bbot%5D/permission".to_owned(),
        };
        let (mut client, stage) = client(kind, [get(&place, 404, json!({ "message": "Not Found" }))]);
        assert!(!client.may_write(&person("lab[bot]", 4)).unwrap(), "{kind}");
        // Deleted accounts are not even asked for.
        assert!(!client.may_write(&person("ghost", 0)).unwrap(), "{kind}");
        stage.is_over();
    }
    // Who may not ask gets no answer instead of a no.
    let place = "repos/lab/tls/collaborators/contributor/permission";
    let (mut client, _) = client(Kind::Gitea, [get(place, 403, json!({ "message": "Only admins" }))]);
    let error = client.may_write(&person("contributor", 4)).unwrap_err();
    assert!(error.to_string().contains("administers the repository"), "{error}");
}

#[test]
fn an_approval_is_the_last_word_of_the_person() {
    let review = |id: u64, by: u64, state: &str, commit: &str| json!({ "id": id, "user": { "id": by, "login": "x" }, "state": state, "commit_id": commit });
    let ask = |kind, first: Vec<Value>| {
        let size = if kind == Kind::Github { "per_page" } else { "limit" };
        let place = |page| format!("repos/lab/tls/pulls/5/reviews?{size}=50&page={page}");
        let turns = [get(&place(1), 200, json!(first)), get(&place(2), 200, json!([]))];
        let (mut client, stage) = client(kind, turns);
        let commit = client.approval_commit(5, &person("lab", 1)).unwrap();
        stage.is_over();
        commit
    };
    for kind in [Kind::Github, Kind::Gitea] {
        let approved = [review(1, 1, "APPROVED", BASE), review(3, 1, "APPROVED", HEAD)];
        let with = |more: &[Value]| ask(kind, [&approved[..], more].concat());
        assert_eq!(with(&[]).as_deref(), Some(HEAD));
        assert_eq!(with(&[review(2, 1, "APPROVED", BASE)]).as_deref(), Some(HEAD), "by id, not by place");
        assert_eq!(with(&[review(4, 1, "COMMENTED", BASE)]).as_deref(), Some(HEAD));
        assert_eq!(with(&[review(4, 2, "APPROVED", BASE)]).as_deref(), Some(HEAD), "another person's");
        assert_eq!(with(&[review(4, 1, "CHANGES_REQUESTED", BASE)]), None);
        assert_eq!(with(&[review(4, 1, "REQUEST_CHANGES", BASE)]), None);
        assert_eq!(with(&[review(4, 1, "DISMISSED", HEAD)]), None);
        let mut dismissed = review(4, 1, "APPROVED", HEAD);
        dismissed["dismissed"] = json!(true);
        assert_eq!(with(&[dismissed]), None);
        assert_eq!(ask(kind, vec![review(1, 2, "APPROVED", HEAD)]), None);
    }
    let (mut gitlab, stage) = client(Kind::Gitlab, []);
    assert_eq!(gitlab.approval_commit(5, &person("lab", 1)).unwrap(), None);
    stage.is_over();
}

#[test]
fn who_it_is_is_asked_once() {
    for kind in played::KINDS {
        let (mut client, stage) = client(kind, [who(kind)]);
        assert_eq!(client.who().unwrap(), "bot");
        assert!(client.is_own(&person("bot", 3)).unwrap());
        assert!(!client.is_own(&person("lab", 1)).unwrap());
        stage.is_over();
    }
    let refused = get("user", 403, json!({ "message": "Resource not accessible by integration" }));
    // A refusal is temporary, and does not change the account.
    let (mut client, stage) = client(Kind::Github, [refused, who(Kind::Github)]);
    assert!(client.who().is_err());
    assert_eq!(client.who().unwrap(), "bot");
    stage.is_over();
}

#[test]
fn a_limit_is_named_and_not_waited_for() {
    for kind in played::KINDS {
        let place = place_of_pull(kind);
        for (status, after, expected) in
            [(429, Some(17), 17), (429, None, 60), (503, None, 10), (502, Some(3), 3)]
        {
            let turn = get(&place, status, json!({ "message": "slow down" }));
            let turn = match after {
                Some(seconds) => turn.retry_after(seconds),
                None => turn,
            };
            let (mut client, stage) = client(kind, [turn, get(&place, 200, pull_of(kind))]);
            let error = client.pull(5).unwrap_err();
            assert_eq!(error.retry_after_s(), Some(expected));
            assert!(matches!(error, ForgeError::Busy { status: found, .. } if found == status), "{error}");
            assert!(client.pull(5).is_ok(), "it can be asked again");
            stage.is_over();
        }
        let secondary = json!({ "message": "You have exceeded a secondary rate limit. Please wait" });
        let (mut client, _) = client(kind, [get(&place, 403, secondary)]);
        assert!(matches!(client.pull(5), Err(ForgeError::Busy { retry_after_s: 60, .. })), "{kind}");
    }
}

#[test]
fn a_token_that_is_not_accepted_is_an_error_at_once() {
    for kind in played::KINDS {
        let (mut client, stage) =
            client(kind, [get(&place_of_pull(kind), 401, json!({ "message": "Bad credentials" }))]);
        let error = client.pull(5).unwrap_err();
        assert!(matches!(error, ForgeError::Unauthorised { .. }), "{error}");
        assert_eq!(error.retry_after_s(), None);
        stage.is_over();
    }
}

#[test]
fn a_client_moves_between_threads() {
    let (mut client, stage) = client(Kind::Gitea, [who(Kind::Gitea)]);
    assert!(client.installation().is_err(), "it is no app");
    let name = std::thread::spawn(move || client.who()).join().unwrap();
    assert_eq!(name.unwrap(), "bot");
    stage.is_over();
}
