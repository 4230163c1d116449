//! Conclusions of comparisons, for lists.

use super::*;
use crate::{Filter, PullRow, Verdict};

on_every_database! {
    a_verdict_is_read_with_its_job_and_replaced,
    pull_requests_are_found_by_their_numbers,
}

fn concluded(job: &str, title: &str) -> Change {
    let verdict = Verdict {
        mark: "regression".to_owned(),
        title: title.to_owned(),
        sentence: "a against b".to_owned(),
    };
    Change::Conclude { job: job.to_owned(), verdict }
}

fn a_verdict_is_read_with_its_job_and_replaced(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, new_job("a"));
    enqueue(&*queue, new_job("b"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.finish(&hold(&leased, "r"), &reported("1 regression")).unwrap();
    let verdicts = || -> Vec<Option<String>> {
        let jobs = queue.list(&Filter::default()).unwrap();
        jobs.into_iter().map(|job| job.verdict.map(|verdict| verdict.title)).collect()
    };
    assert_eq!(verdicts(), [None, None]);
    queue.apply(&[concluded("a", "1 regression"), concluded("none", "x")]).unwrap();
    assert_eq!(verdicts(), [None, Some("1 regression".to_owned())]);
    queue.apply(&[concluded("a", "1 acknowledged regression")]).unwrap();
    assert_eq!(verdicts(), [None, Some("1 acknowledged regression".to_owned())]);
    let compared = queue.list(&Filter { is_compared: true, ..Filter::default() }).unwrap();
    assert_eq!(compared.into_iter().map(|job| job.id).collect::<Vec<_>>(), ["a"]);
}

fn pull_requests_are_found_by_their_numbers(place: &Place) {
    let queue = place.open(LONG);
    let pull = |project: &str, number| {
        let title = format!("{project} {number}");
        Change::SeePull(PullRow { project: project.to_owned(), number, title, ..PullRow::default() })
    };
    queue.apply(&[pull("p", 1), pull("p", 2), pull("p", 3), pull("q", 2)]).unwrap();
    let titles = |numbers: &[u64]| -> Vec<String> {
        queue.pulls_numbered("p", numbers).unwrap().into_iter().map(|pull| pull.title).collect()
    };
    assert_eq!(titles(&[2, 3, 9]), ["p 2", "p 3"]);
    assert_eq!(titles(&[]), Vec::<String>::new());
}
