use serde_json::{Value, json};
use tlslab_comparison::{Acknowledgement, Effect, Outcome, Verdict, read, terminal};
use tlslab_pages::Alone;
use tlslab_text::{capitalised, html, markdown};

use super::*;
use crate::bisection::{Next, next};
use crate::new_jobs::tests::project;
use crate::planning::tests::waiting;
use crate::subject::RangeSubject;

const COMPARISON: &str = include_str!("../../../tlslab/tests/action/comparison.json");
const HEAD: &str = "1111111111111111111111111111111111111111";

/// The comparison, which has two regressions, with each outcome changed.
fn changed(change: fn(&mut Outcome)) -> Comparison {
    let mut comparison = read(COMPARISON).unwrap();
    comparison.changes.iter_mut().for_each(|cell| change(&mut cell.outcome));
    comparison
}

fn with_effects(change: fn(&mut Effect)) -> Comparison {
    let mut comparison = read(COMPARISON).unwrap();
    for cell in &mut comparison.changes {
        if let Outcome::Compared(effect) = &mut cell.outcome {
            change(effect);
        }
    }
    comparison
}

fn tiny(effect: &mut Effect) {
    effect.tiny = effect.verdict.is_flagged();
}

fn acknowledged(effect: &mut Effect) {
    effect.acknowledged = Some(Acknowledgement { text: "a fix".to_owned(), up_to: 1.01 });
}

fn improved(effect: &mut Effect) {
    if effect.verdict == Verdict::Regression {
        (effect.verdict, effect.ratio) = (Verdict::Improvement, 0.96);
    }
}

fn failed(outcome: &mut Outcome) {
    *outcome = Outcome::Missing {
        baseline_missing: None,
        candidate_missing: Some("failed: it ended with 1".to_owned()),
    };
}

/// Every outcome that a comparison can have.
fn comparisons() -> Vec<Comparison> {
    vec![
        with_effects(|_| ()),
        with_effects(tiny),
        with_effects(acknowledged),
        with_effects(improved),
        with_effects(|effect| effect.verdict = Verdict::Inconclusive),
        with_effects(|effect| effect.verdict = Verdict::Suspect),
        with_effects(|effect| effect.verdict = Verdict::NotSignificant),
        with_effects(|effect| effect.verdict = Verdict::Identical),
        changed(failed),
        Comparison { complete: false, ..with_effects(|_| ()) },
    ]
}

fn reported(comparison: &Comparison) -> Measured {
    let job = JobRow { state: State::Reported, ..waiting(HEAD) };
    Measured { job, comparison: Some(comparison.clone()) }
}

/// The body of a message.
fn body(change: Change) -> Value {
    match change {
        Change::Send { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

fn pull() -> PullSubject {
    let pull: PullSubject = serde_json::from_value(waiting(HEAD).subject).unwrap();
    PullSubject { branch: "topic".to_owned(), base_branch: "main".to_owned(), ..pull }
}

fn range() -> RangeSubject {
    serde_json::from_value(json!({
        "branch": "main", "good": "0".repeat(40), "bad": HEAD, "commits": [HEAD], "commit": HEAD, "found": "", "cell": null,
    }))
    .unwrap()
}

#[test]
fn terminal_comment_page_status_and_issue_say_the_same() {
    let project = project();
    let writer =
        Writer { base: "https://lab.example".to_owned(), project: &project, is_one_of_several: false };
    for comparison in comparisons() {
        let title = Summary::of(&comparison).title;
        let measured = reported(&comparison);
        let status = body(writer.status(HEAD, std::slice::from_ref(&measured), "").unwrap());
        assert_eq!(status["status"]["title"], title);
        let comment = body(writer.comment(&measured, &pull(), "", &[]));
        let page = tlslab_pages::comparison(&comparison, &Alone).html(&Alone);
        for (place, text, expected) in [
            ("terminal", terminal(&comparison, false), title.clone()),
            ("comment", comment["text"].as_str().unwrap().to_owned(), markdown(&title)),
            ("page", page, format!("<h1>{}", html(&capitalised(&title)))),
        ] {
            assert!(text.contains(&expected), "{place} without {expected}: {text}");
        }
        // An issue is opened for a regression alone.
        if let Next::Report(range) = next(&measured.job, &range(), Some(&comparison)) {
            let issue = body(writer.issue(&measured.job, &range));
            assert!(issue["text"].as_str().unwrap().contains(&capitalised(&title)), "{issue}");
        }
    }
}

#[test]
fn an_issue_is_opened_for_a_regression() {
    let reports = |comparison: Comparison| {
        matches!(next(&reported(&comparison).job, &range(), Some(&comparison)), Next::Report(_))
    };
    assert_eq!(comparisons().into_iter().map(reports).filter(|reports| *reports).count(), 2);
}

#[test]
fn a_status_follows_what_the_comment_marks() {
    use StatusState::{Error, Failure, Success};
    let states = |comparison: &Comparison| {
        [FailPolicy::Regression, FailPolicy::AnyRegression].map(|policy| verdict_state(policy, comparison))
    };
    assert_eq!(states(&with_effects(|_| ())), [Failure, Failure]);
    assert_eq!(states(&with_effects(tiny)), [Success, Failure]);
    assert_eq!(states(&with_effects(acknowledged)), [Success, Success]);
    assert_eq!(states(&changed(failed)), [Failure, Failure]);
    let unsupported = |outcome: &mut Outcome| {
        let why = || Some("unsupported: no such suite".to_owned());
        *outcome = Outcome::Missing { baseline_missing: why(), candidate_missing: why() };
    };
    assert_eq!(states(&changed(unsupported)), [Error, Error]);
}

#[test]
fn a_job_that_failed_says_whose_fault_it_is() {
    let project = project();
    let writer =
        Writer { base: "https://lab.example".to_owned(), project: &project, is_one_of_several: false };
    for (fault, state, expected) in [
        (Some(Fault::Candidate), "failure", "the candidate failed"),
        (Some(Fault::Baseline), "error", "the baseline or its driver could not be built"),
        (Some(Fault::Runner), "error", "the runner failed"),
        (None, "error", "the lab failed"),
    ] {
        let job = JobRow { state: State::Failed, fault, reason: "```\nno".to_owned(), ..waiting(HEAD) };
        let measured = Measured { job, comparison: None };
        let status = body(writer.status(HEAD, std::slice::from_ref(&measured), "").unwrap());
        assert_eq!(status["status"]["state"], state);
        let comment = body(writer.comment(&measured, &pull(), "", &["_a note_".to_owned()]));
        let text = comment["text"].as_str().unwrap();
        assert!(
            text.contains(expected) && text.contains("\n_a note_\n") && text.contains("'''\nno"),
            "{text}"
        );
    }
}

/// The comment of a job that compares two commits.
fn comment(job: JobRow, comparison: Option<Comparison>) -> String {
    let project = project();
    let writer =
        Writer { base: "https://lab.example".to_owned(), project: &project, is_one_of_several: false };
    let stack = |commit: &str| format!("tiny@git:https://git.example/o/n.git#{commit}");
    let pairs = json!([[stack(&"2".repeat(40)), stack(HEAD)]]);
    let request = json!({"kind": "compare", "pairs": pairs, "suite": "tiny", "metrics": ["count"]});
    let job = JobRow {
        body: json!({"steps": [{"job": {"request": request}}]}),
        runner: Some("bench-1".to_owned()),
        ..job
    };
    let comment = body(writer.comment(&Measured { job, comparison }, &pull(), "", &[]));
    let text = comment["text"].as_str().unwrap().to_owned();
    let (first, folded) = text.split_once("<details>").unwrap();
    assert!(first.lines().count() < 25, "{first}");
    // No sentence stands in two places.
    let sentences = |text: &str| -> Vec<String> {
        text.split(['.', '\n']).map(|part| part.trim().to_owned()).filter(|part| part.len() > 40).collect()
    };
    let folded = sentences(folded);
    assert!(sentences(first).iter().all(|sentence| !folded.contains(sentence)), "{text}");
    text
}

fn comment_of(comparison: Comparison) -> String {
    comment(JobRow { state: State::Reported, ..waiting(HEAD) }, Some(comparison))
}

#[test]
fn the_comment_of_a_regression() {
    insta::assert_snapshot!(comment_of(with_effects(|_| ())));
}

#[test]
fn the_comment_of_an_improvement() {
    insta::assert_snapshot!(comment_of(with_effects(improved)));
}

#[test]
fn the_comment_without_a_change() {
    insta::assert_snapshot!(comment_of(with_effects(|effect| effect.verdict = Verdict::NotSignificant)));
}

#[test]
fn the_comment_of_a_failure() {
    let reason = "driver: cargo ended with 101\nerror: no such crate".to_owned();
    let fault = Some(Fault::Candidate);
    insta::assert_snapshot!(comment(JobRow { state: State::Failed, fault, reason, ..waiting(HEAD) }, None));
}
