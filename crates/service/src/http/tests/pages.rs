use std::collections::BTreeSet;

use serde_json::{Value, json};
use tlslab_queue::{NewJob, State};

use super::{Answer, Lab, event, new_job, new_runner};

/// Text that must never be in a page unescaped.
const HOSTILE: &str = "<script>alert('x')</script>\"onload=\"'&\u{1b}[2J\u{202e}\n<b>";

/// Requirements of every page.
pub(super) fn check(answer: &Answer) {
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("referrer-policy"), "same-origin");
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
    let page = &answer.text;
    for wrong in
        ["<script>", "alert('x')</", "<b>\"", " style=", "javascript:", "\u{1b}", "\u{202e}", "onload=\"'"]
    {
        assert!(!page.contains(wrong), "{wrong}: {page}");
    }
    assert!(page.starts_with("<!doctype html>") && page.matches("<h1").count() == 1, "{page}");
    check_nesting(page);
    let mut ids = BTreeSet::new();
    for id in page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.insert(id), "{id} is there twice");
    }
}

/// Every element ends where it must.
fn check_nesting(page: &str) {
    const VOID: [&str; 4] = ["meta", "link", "br", "input"];
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1).filter(|tag| !tag.starts_with('!')) {
        let (inside, _) = tag.split_once('>').unwrap_or_else(|| panic!("{tag} does not end"));
        let name = inside.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
            None if VOID.contains(&name) => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

pub(super) fn hostile_comparison() -> Value {
    let effect = |verdict: &str, ratio: f64| {
        json!({"pair": 0, "scenario": HOSTILE, "side": "client", "metric": "time", "verdict": verdict, "note": null,
            "base": 1000.0, "new": 1000.0 * ratio, "ratio": ratio, "interval": {"lower": ratio - 0.001, "upper": ratio + 0.001, "confidence": 0.99},
            "n": 8, "p_value": 0.001, "q_value": 0.002, "threshold": 0.001, "detectable": 0.004, "ratios": [ratio],
            "confirmation": {"ratio": ratio, "interval": null, "n": 8, "agrees": true},
            "reasons": [{"function": HOSTILE, "change": 12.0}]})
    };
    json!({"format": 1, "runs": [HOSTILE], "lab_version": HOSTILE, "started_unix_ms": 1, "complete": true, "measuring_s": 61.0,
        "host": {"cpu": {"name": HOSTILE}},
        "design": {"arrangement": HOSTILE, "counter": HOSTILE, "looks": [8], "confirmation": 8, "false_discovery_rate": 0.01,
            "time_floor_percent": 0.1, "exact_floor_percent": 0.0, "negligible_percent": 0.5},
        "pairs": [{"base": HOSTILE, "base_version": HOSTILE, "new": HOSTILE, "new_version": HOSTILE, "identical": true, "fixed_layout": [HOSTILE]}],
        "changes": [effect("regression", 1.012), effect("improvement", 0.98), effect("changed", 1.001), effect("not_significant", 1.0),
            effect("inconclusive", 1.001), effect("identical", 1.0),
            {"pair": 0, "scenario": HOSTILE, "side": "server", "metric": "time", "base_missing": format!("failed: {HOSTILE}")}],
        "warnings": [HOSTILE]})
}

/// A job of which everything that is shown comes from a stranger.
fn hostile(id: &str) -> NewJob {
    NewJob {
        subject: json!({"kind": "pull", "number": 7, "commit": HOSTILE, "baseline": "0".repeat(40), "author": HOSTILE, "is_fork": true, "asked_by": HOSTILE}),
        body: json!({"steps": [{"job": {"id": "x", "trust": HOSTILE, "request": {"kind": "compare", "pairs": [[HOSTILE, HOSTILE]], "scenarios": [HOSTILE]}},
            "cache": "shared", "state": "building-candidate", "fault": "lab"}]}),
        cause: HOSTILE.to_owned(),
        ..new_job(id)
    }
}

#[tokio::test]
async fn nothing_from_outside_becomes_markup() {
    let lab = Lab::new();
    lab.enqueue(hostile("j"));
    lab.queue(|queue| {
        queue.register_runner(&new_runner(HOSTILE, &["x86"])).unwrap();
        queue.runner_seen(HOSTILE, "1", Some(&json!({HOSTILE: HOSTILE, "list": [HOSTILE]}))).unwrap();
    });
    let leased = lab.take(HOSTILE);
    let failed =
        json!({"failed": {"stage": "driver", "reason": HOSTILE, "log": HOSTILE, "last_lines": [HOSTILE]}});
    lab.events(
        &leased,
        HOSTILE,
        &[
            event(1, json!({"event": "note", "text": HOSTILE})),
            event(2, json!({"event": "build", "product": {"stage": "driver", "stacks": [HOSTILE]}, "what": failed})),
            event(3, json!({"event": "step", "stage": "measure", "done": 1, "total": 2, "left_s": 3.0, "what": HOSTILE})),
            event(4, json!({"event": HOSTILE})),
            event(5, json!({"event": "note", "text": "x".repeat(1 << 20)})),
        ],
    );
    for path in ["/", "/jobs", "/jobs/j", "/runners"] {
        check(&lab.get(path).await);
    }
    let page = lab.get("/jobs/j").await;
    assert!(page.text.contains("&#60;script&#62;alert") && page.text.len() < 60_000, "{}", page.text.len());
    assert!(page.text.contains("href=\"https://git.example/o/n/pulls/7\""), "{}", page.text);
    assert!(page.text.contains(&format!("href=\"https://git.example/o/n/commit/{}\"", "0".repeat(40))));
    let ending = json!({"status": "done", "outcome": {"kind": "comparison", "value": hostile_comparison()}});
    lab.finish(&leased, HOSTILE, State::Reported, HOSTILE, Some(&ending));
    let page = lab.get("/jobs/j").await;
    check(&page);
    for expected in [
        "Look at the regressions before this is merged.",
        "+1.20 %",
        "−2.00 %",
        "confirmed",
        "1 cell inconclusive",
        "1 cell without a value",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    let order = [
        "Look at the regressions",
        "<h3>Regressions",
        "<h3>Improvements",
        "<details",
        "<h3>Method",
        "Repeat it",
    ];
    let places: Vec<_> = order.iter().map(|text| page.text.find(text).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(!page.text.contains("/assets/job."), "an ended job has no stream");
    check(&lab.get("/jobs?project=%3Cscript%3E%22").await);
    let hostile_path = lab.get("/jobs/%3Cscript%3Ealert('x')%3C%2Fscript%3E").await;
    assert_eq!(hostile_path.status.as_u16(), 404);
    assert!(!hostile_path.text.contains("<script>"), "{}", hostile_path.text);
}

#[tokio::test]
async fn there_is_a_page_for_every_state() {
    let lab = Lab::new();
    let empty = lab.get("/jobs").await;
    check(&empty);
    assert!(empty.text.contains("No job is waiting or running"));
    for (state, ending, shown) in [
        (
            State::Reported,
            json!({"status": "done", "outcome": {"kind": "run", "value": {"report": {"scenarios": [1, 2], "stacks": [1], "warnings": ["load"]}}}}),
            "A run of 2 scenarios",
        ),
        (
            State::Reported,
            json!({"status": "done", "outcome": {"kind": "builds", "value": {"stacks": [{"name": "s", "outcome": {"failed": {"stage": "driver", "reason": "no"}}}]}}}),
            "s: failed in driver: no",
        ),
        (
            State::Reported,
            json!({"status": "done", "outcome": {"kind": "comparison", "value": {}}}),
            "The comparison cannot be shown",
        ),
        (
            State::Reported,
            json!({"status": "done", "outcome": {"kind": "fidelity", "value": {}}}),
            "of the kind fidelity",
        ),
        (State::Cancelled, json!({"status": "interrupted"}), "cancelled"),
        (
            State::Failed,
            json!({"status": "failed", "error": {"kind": "failed", "thing": "a", "cause": "no room", "next_step": "make some"}}),
            "Next step: make some",
        ),
    ] {
        let id = format!("j{}", lab.queue(|queue| queue.list(&Default::default()).unwrap().len()));
        lab.enqueue(new_job(&id));
        let queued = lab.get(&format!("/jobs/{id}")).await;
        check(&queued);
        assert!(queued.text.contains("queued") && queued.text.contains("/assets/job."));
        let leased = lab.take("r");
        for state in [
            State::BuildingBaseline,
            State::BuildingCandidate,
            State::Proving,
            State::Measuring,
            State::Confirming,
            State::Explaining,
        ] {
            lab.queue(|queue| queue.renew(&super::hold(&leased, "r"), Some(state)).unwrap());
            let page = lab.get(&format!("/jobs/{id}")).await;
            check(&page);
            assert!(page.text.contains(&state.to_string()));
        }
        check(&lab.get("/jobs").await);
        lab.finish(&leased, "r", state, "why\nerror[E0433]", Some(&ending));
        let page = lab.get(&format!("/jobs/{id}")).await;
        check(&page);
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
        assert!(
            state != State::Failed
                || page.text.contains("Whose fault: the candidate") && page.text.contains("error[E0433]")
        );
    }
}

#[tokio::test]
async fn jobs_that_wait_or_are_superseded_have_pages() {
    let lab = Lab::new();
    lab.enqueue(NewJob { approval: tlslab_queue::Approval::Awaited, ..new_job("waiting") });
    lab.enqueue(NewJob { supersedes: Some("g".to_owned()), ..new_job("old") });
    lab.enqueue(NewJob { supersedes: Some("g".to_owned()), ..new_job("new") });
    let page = lab.get("/jobs/old").await;
    check(&page);
    assert!(page.text.contains("superseded") && page.text.contains("href=\"/jobs/new\""));
    let list = lab.get("/jobs").await;
    check(&list);
    for expected in ["waiting for approval", "no runner is connected", "when a runner comes"] {
        assert!(list.text.contains(expected), "{expected}");
    }
    let file = lab.get("/jobs/new/job.json").await;
    assert_eq!(file.json()["request"]["kind"], "compare");
}

#[tokio::test]
async fn the_list_says_why_a_job_waits_and_when_it_starts() {
    let lab = Lab::new();
    lab.queue(|queue| {
        queue.register_runner(&new_runner("r", &["x86"])).unwrap();
        queue.runner_seen("r", "1", None).unwrap();
    });
    lab.enqueue(new_job("done"));
    let leased = lab.take("r");
    lab.finish(&leased, "r", State::Reported, "done", None);
    for id in ["a", "b", "c"] {
        lab.enqueue(new_job(id));
    }
    lab.enqueue(NewJob { labels: vec!["arm".to_owned()], ..new_job("d") });
    let list = lab.get("/jobs").await;
    check(&list);
    for expected in [
        "waits for a runner that is free",
        "1 job before it",
        "2 jobs before it",
        "no connected runner has all of: arm",
        "in less than a minute",
    ] {
        assert!(list.text.contains(expected), "{expected}: {}", list.text);
    }
    assert!(
        list.text.find("/jobs/a\"").unwrap() < list.text.find("/jobs/b\"").unwrap(),
        "in the queue's order"
    );
}

#[tokio::test]
async fn many_jobs_have_pages() {
    let lab = Lab::new();
    for number in 0..53 {
        lab.enqueue(new_job(&format!("j{number}")));
        let leased = lab.take("r");
        lab.finish(&leased, "r", State::Reported, "done", None);
    }
    let first = lab.get("/jobs?project=p").await;
    check(&first);
    let next = first.text.split("href=\"/jobs?before=").nth(1).unwrap().split('"').next().unwrap();
    let second = lab.get(&format!("/jobs?before={}", next.replace("&amp;", "&"))).await;
    check(&second);
    assert!(
        second.text.contains("/jobs/j2\"")
            && !second.text.contains("/jobs/j3\"")
            && !second.text.contains("Earlier")
    );
}

#[tokio::test]
async fn styles_and_script_come_from_the_service_alone() {
    let lab = Lab::new();
    let page = lab.get("/jobs").await.text;
    let page = page.as_str();
    fn named<'p>(page: &'p str, start: &'p str) -> impl Iterator<Item = String> + 'p {
        page.split(start).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned)
    }
    let styles = named(page, "<link rel=\"stylesheet\" href=\"").map(|path| (path, "text/css"));
    let scripts = named(page, "<script src=\"").map(|path| (path, "text/javascript"));
    let all: Vec<_> = styles.chain(scripts).collect();
    assert_eq!(all.len(), 3, "{all:?}");
    for (path, kind) in all {
        let answer = lab.get(&path).await;
        assert!(answer.status.is_success() && answer.header("content-type").starts_with(kind), "{path}");
        assert!(!answer.text.contains("://") && !answer.header("etag").is_empty(), "{path}");
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
    }
    assert_eq!(lab.get("/assets/base.0000000000000000.css").await.status.as_u16(), 404);
}

#[tokio::test]
async fn jobs_are_chosen_by_their_state_in_the_address() {
    let lab = Lab::new();
    for number in 0..3 {
        let id = format!("lost{number}");
        lab.enqueue(new_job(&id));
        let leased = lab.take("r");
        lab.finish(&leased, "r", State::Failed, "no", None);
    }
    lab.enqueue(NewJob { priority: 7, ..new_job("waits") });
    let (all, failed) = (lab.get("/jobs").await, lab.get("/jobs?state=failed").await);
    check(&all);
    check(&failed);
    assert!(all.text.contains("/jobs/waits\"") && all.text.contains("/jobs/lost2\""));
    assert!(all.text.contains("The last 3 jobs of p failed") && all.text.contains("Jobs: 1 queued"));
    assert!(all.text.contains("data-label=\"Priority\" class=\"n\">7<") && all.text.contains(">user<"));
    assert!(failed.text.contains("/jobs/lost2\"") && !failed.text.contains("/jobs/waits\""));
    let queued = lab.get("/jobs?project=p&state=queued").await;
    check(&queued);
    assert!(!queued.text.contains("/jobs/lost2\"") && queued.text.contains("/jobs/waits\""));
    let wrong = lab.get("/jobs?state=odd").await;
    assert!(wrong.status.as_u16() == 400 && wrong.text.contains("there is no state"), "{}", wrong.text);
    assert!(!wrong.header("content-security-policy").contains("unsafe"));
}
