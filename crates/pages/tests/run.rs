//! The page as text: that it loads nothing, and that nothing from outside becomes markup.

#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use tlslab_estimate::Report;
use tlslab_pages::{Alone, Served, Target, proof, run};
use tlslab_record::{Proof, ProvenFacts, RunRecord, StackIdentity, StackState};

fn html(report: &Report) -> String {
    run(report, &Alone).html(&Alone)
}

fn page(record: &RunRecord) -> String {
    html(&Report::of(record))
}

#[test]
fn the_page_loads_nothing() {
    // The script names the download's object, which is in memory.
    let page = page(&synthetic::run(7, 9, 3)).to_lowercase().replace("objecturl(", "");
    for loading in [
        "src=",
        "srcset=",
        "@import",
        "url(",
        "<iframe",
        "<object",
        "<embed",
        "<base",
        "http-equiv=\"refresh",
        "fetch(",
        "xmlhttprequest",
        "import(",
        "importscripts",
        "sendbeacon",
        "websocket",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
    let targets = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
    for target in targets {
        assert!(target.starts_with('#') || target == "data:,", "{target}");
    }
    assert!(page.contains("default-src &#39;none&#39;"), "the browser holds it to that");
}

#[test]
fn markup_from_outside_stays_text() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    let mut record = synthetic::run(7, 2, 2);
    record.warnings.push(evil.to_owned());
    record.plan.id = evil.to_owned();
    record.plan.suite = evil.to_owned();
    record.plan.host.cpu.name = Some(evil.to_owned());
    record.plan.host.system.os = Some(evil.to_owned());
    record.plan.command.push(evil.to_owned());
    record.plan.scenarios[0].name = evil.to_owned();
    record.plan.baseline = evil.to_owned();
    for stack in &mut record.plan.stacks {
        stack.title = evil.to_owned();
        stack.licence = evil.to_owned();
        stack.driver = evil.to_owned();
        let flags = vec![evil.to_owned()];
        stack.identity = Some(StackIdentity { source: evil.to_owned(), flags, ..Default::default() });
    }
    record.plan.stacks[0].name = evil.to_owned();
    record.plan.stacks[3].state = StackState::Failed(evil.to_owned());
    if let StackState::Ready(description) = &mut record.plan.stacks[0].state {
        description.library.name = evil.to_owned();
        description.capabilities.notes.push(evil.to_owned());
    }
    record.cells[0].proof = Proof::Failed(evil.to_owned());
    if let Proof::Proven { facts, faults, .. } = &mut record.cells[1].proof {
        *facts = ProvenFacts::Other(
            serde_json::json!({ evil: { "value": evil, "sources": [evil] }, "sizes": { evil: evil } }),
        );
        faults[0].name = evil.to_owned();
        faults[0].outcome = evil.to_owned();
    }
    let clean = page(&synthetic::run(7, 2, 2));
    let page = page(&record);
    assert_eq!(page.matches("<script").count(), clean.matches("<script").count());
    assert_eq!(page.matches("</script").count(), clean.matches("</script").count());
    assert!(!page.contains("<img"));
    assert!(page.contains("&#60;img src=x"), "it is shown as it is written");
}

#[test]
fn every_cell_stands_on_the_page_without_a_script() {
    let report = Report::of(&synthetic::run(7, 9, 3));
    let page = html(&report);
    assert_eq!(page.matches("<tr data-family=").count(), report.cells.len());
    assert!(page.contains("tlslab run --stack rustls-0.23.35-aws-lc --scenario"));
    assert!(page.contains("--seed 7 --rounds 9"));
    assert!(page.contains("| /home/user/.cache/tlslab/rustls-0.23.35-aws-lc/driver"));
}

#[test]
fn the_embedded_results_are_the_results() {
    let mut report = Report::of(&synthetic::run(7, 9, 3));
    let page = html(&report);
    let start = page.find("id=\"results-data\">").expect("is there") + "id=\"results-data\">".len();
    let text = page[start..].split("</script>").next().expect("ends");
    report.distributions.clear();
    assert_eq!(serde_json::from_str::<Report>(text).unwrap(), report);
}

#[test]
fn a_run_in_which_nothing_worked_has_a_page_too() {
    let mut record = synthetic::run(7, 1, 1);
    for stack in &mut record.plan.stacks {
        stack.state = StackState::Failed("no compiler".to_owned());
    }
    record.cells.clear();
    record.samples.clear();
    record.visits.clear();
    record.overheads.clear();
    assert!(page(&record).contains("no compiler"));
    record.plan.stacks.clear();
    record.plan.scenarios.clear();
    assert!(page(&record).contains("0 stacks on 0 scenarios"));
}

#[test]
fn proofs_of_many_stacks_have_pages_of_their_own_where_there_is_a_site() {
    let served = Served { has: |_| true };
    let mut record = synthetic::run(7, 2, 2);
    let few = Report::of(&record);
    assert!(run(&few, &served).html(&served).contains("faults tried, and how each ended"));
    let stack = record.plan.stacks[0].clone();
    for number in 0..7 {
        record.plan.stacks.push(tlslab_record::StackRecord { name: format!("s{number}"), ..stack.clone() });
    }
    let report = Report::of(&record);
    let scenario = report.scenarios[0].name();
    let whole = run(&report, &served).html(&served);
    let address = Served::address(&Target::Proof(record.plan.id.clone(), scenario.to_owned()));
    assert!(whole.contains(&format!("href=\"{address}\"")), "{address}");
    assert!(!whole.contains("faults tried, and how each ended"));
    // As a single file the page has everything.
    assert!(html(&report).contains("faults tried, and how each ended"));
    let apart = proof(&report, scenario, &served).unwrap();
    let text = apart.html(&served);
    for expected in ["faults tried, and how each ended", "tlslab run --stack openssl-3.5.4", "wrong root"] {
        assert!(text.contains(expected), "{expected}");
    }
    assert!(apart.body.as_str().contains(" did the work that was asked for</h1>"), "it says what was proven");
    assert!(proof(&report, "nothing", &served).is_none());
}
