//! Lists by use: pull requests by their titles, outcomes by their colour, projects with their pages.

use serde_json::{Value, json};
use tlslab_queue::{Change, NewJob, PullRow, State, Verdict};

use super::pages::check;
use super::{Lab, event, new_job};

fn of_pull(id: &str, number: u64, commit: &str) -> NewJob {
    let subject = json!({"kind": "pull", "number": number, "commit": commit.repeat(40), "baseline": "0".repeat(40),
        "author": "ann <b>", "is_fork": false});
    let group = Some(format!("pull:p:{number}"));
    NewJob { subject, supersedes: group, head: Some(commit.repeat(40)), ..new_job(id) }
}

fn see(lab: &Lab, number: u64, title: &str, branch: &str) {
    let (project, title, branch) = ("p".to_owned(), title.to_owned(), branch.to_owned());
    let pull = PullRow { project, number, title, branch, is_open: true, ..PullRow::default() };
    lab.queue(|queue| queue.apply(&[Change::SeePull(pull)]).unwrap());
}

/// A lab with a pull request that has regressions, and one that waits.
fn measured() -> Lab {
    let lab = Lab::new();
    see(&lab, 7, "Faster <script>", "fast&loose");
    see(&lab, 8, "Another", "other");
    lab.enqueue(of_pull("compared", 7, "a"));
    let leased = lab.take("r");
    lab.finish(&leased, "r", State::Reported, "3 regressions (up to +10.66 %), 3 unchanged", None);
    let verdict = Verdict {
        mark: "regression".to_owned(),
        title: "3 regressions (up to +10.66 %), 3 unchanged".to_owned(),
        sentence: "s at aaaaaaaaaa against s at 0000000000: 3 regressions.".to_owned(),
    };
    let conclude = Change::Conclude { job: "compared".to_owned(), verdict };
    lab.queue(|queue| queue.apply(&[conclude]).unwrap());
    lab.enqueue(of_pull("waits", 8, "b"));
    lab
}

#[tokio::test]
async fn lists_have_the_title_the_branch_the_author_and_the_outcome_in_its_colour() {
    let lab = measured();
    for path in ["/", "/pulls", "/pulls?project=p", "/jobs", "/projects/p", "/pulls/p/7"] {
        let page = lab.get(path).await;
        check(&page);
        for expected in ["Faster &#60;script&#62;", "fast&#38;loose", "3 regressions", "ann &#60;b&#62;"] {
            assert!(page.text.contains(expected), "{path}: {expected}: {}", page.text);
        }
    }
    for path in ["/", "/pulls", "/jobs", "/projects/p"] {
        let page = lab.get(path).await.text;
        assert!(page.contains("<span class=\"v regression\">3 regressions</span>"), "{path}: {page}");
        assert!(!page.contains("\"v good\">done<"), "{path}");
    }
    let other = lab.get("/pulls?project=other").await;
    assert!(!other.text.contains("Faster"), "{}", other.text);
}

#[tokio::test]
async fn comparisons_of_pull_requests_are_in_the_list_of_comparisons() {
    let lab = measured();
    for path in ["/comparisons", "/comparisons?project=p", "/projects/p"] {
        let page = lab.get(path).await;
        check(&page);
        assert!(page.text.contains("<a href=\"/comparisons/compared\">p #7 Faster"), "{}", page.text);
        assert!(page.text.contains("aaaaaaaaaa against 0000000000"), "{}", page.text);
    }
    assert!(lab.get("/comparisons?project=q").await.text.contains("0 comparisons"));
}

#[tokio::test]
async fn a_project_leads_to_all_of_its_own_and_its_name_leads_to_it() {
    let lab = measured();
    let page = lab.get("/projects/p").await;
    check(&page);
    for expected in [
        "1 pull request has regressions",
        "href=\"/pulls?project=p\"",
        "href=\"/jobs?project=p\"",
        "href=\"/comparisons?project=p\"",
        "href=\"/history\"",
        "href=\"https://git.example/o/n\"",
        "href=\"/jobs/waits\"",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    for path in ["/jobs", "/pulls", "/jobs/compared", "/pulls/p/7"] {
        assert!(lab.get(path).await.text.contains("<a href=\"/projects/p\">p</a>"), "{path}");
    }
    assert_eq!(lab.get("/projects/none").await.status.as_u16(), 404);
}

#[tokio::test]
async fn superseded_jobs_are_a_line_that_leads_to_them() {
    let lab = Lab::new();
    for number in 0..4 {
        lab.enqueue(of_pull(&format!("j{number}"), 7, &number.to_string()));
    }
    let page = lab.get("/jobs").await;
    check(&page);
    assert!(page.text.contains("<a href=\"/jobs?state=superseded\">3 superseded</a>"), "{}", page.text);
    assert!(!page.text.contains("/jobs/j0\"") && page.text.contains("/jobs/j3\""));
    let all = lab.get("/jobs?state=superseded").await;
    check(&all);
    assert!(all.text.contains("/jobs/j0\"") && !all.text.contains("/jobs/j3\""));
    let page = lab.get("/jobs?project=p").await.text;
    assert!(page.contains("<a href=\"/jobs?project=p&#38;state=superseded\">3 superseded"), "{page}");
}

#[tokio::test]
async fn a_failure_is_shown_once_with_its_lines_and_without_folders() {
    let lab = Lab::new();
    lab.enqueue(of_pull("j", 7, "a"));
    let leased = lab.take("r");
    let reason =
        "driver: cargo ended with 101\nerror[E0433]: no crate\n  --> /var/lib/runner/jobs/j/src/lib.rs";
    let failed: Value = json!({"failed": {"stage": "driver", "reason": "cargo ended with 101", "log": "/var/lib/runner/l",
        "last_lines": ["error[E0433]: no crate", "  --> /var/lib/runner/jobs/j/src/lib.rs"]}});
    let build = json!({"event": "build", "product": {"stage": "driver", "stacks": ["s"]}, "what": failed});
    lab.events(&leased, "r", &[event(1, build)]);
    let ending = json!({"status": "failed", "error": {"kind": "failed", "thing": "s", "cause": reason, "next_step": ""}});
    lab.finish(&leased, "r", State::Failed, reason, Some(&ending));
    let page = lab.get("/jobs/j").await;
    check(&page);
    let (above, log) = page.text.split_once("id=\"log-title\"").unwrap();
    assert_eq!((above.matches("E0433").count(), log.matches("E0433").count()), (1, 1), "{}", page.text);
    assert!(above.contains("no crate\n  --&#62; …/j/src/lib.rs"), "{above}");
    assert!(!page.text.contains("/var/lib") && !page.text.contains("id=\"problems\""), "{}", page.text);
}

#[tokio::test]
async fn the_overview_says_how_long_the_oldest_job_has_waited() {
    let lab = Lab::new();
    assert!(!lab.get("/").await.text.contains("The oldest job"));
    lab.enqueue(NewJob { labels: vec!["arm".to_owned()], ..of_pull("j", 7, "a") });
    let page = lab.get("/").await;
    check(&page);
    assert!(
        page.text.contains("The oldest job has waited 0 s for a runner with label arm."),
        "{}",
        page.text
    );
    let menu = page.text.split("id=\"site\"").nth(1).unwrap().split("</nav>").next().unwrap();
    assert!(menu.contains("/pulls") && !menu.contains("/choose") && !menu.contains("/claims"), "{menu}");
}
