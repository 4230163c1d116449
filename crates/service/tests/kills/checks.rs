//! What must be so at the end, whatever was killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tlslab_queue::{Fault, Filter, JobRow, Phase, State, Transition};

use crate::author::Author;
use crate::forge::Forge;
use crate::world::World;

const CONTEXT: &str = "tlslab/p";

/// How often the end is looked for.
const LOOKS_EVERY: Duration = Duration::from_millis(200);

/// A job at its end.
struct Ended {
    row: JobRow,
    transitions: Vec<Transition>,
}

/// Waits until no work is left.
pub(crate) fn wait_for_quiet(world: &World, within: Duration) {
    let deadline = Instant::now() + within;
    loop {
        let waiting = World::with_queue(&world.address, |queue| {
            let open = Filter { phase: Phase::Open, most: 500, ..Filter::default() };
            Ok((queue.list(&open)?.len(), queue.unannounced(500)?.len(), queue.messages_waiting()?.0))
        });
        let unhandled = world.rows("SELECT id FROM delivery WHERE handled IS NULL").len();
        if (waiting, unhandled) == ((0, 0, 0), 0) {
            return;
        }
        let (jobs, transitions, messages) = waiting;
        assert!(
            Instant::now() < deadline,
            "still open: {jobs} jobs, {transitions} jobs not announced, {messages} messages, {unhandled} deliveries"
        );
        std::thread::sleep(LOOKS_EVERY);
    }
}

/// Checks everything; returns figures in a line, and the errors.
pub(crate) fn check(world: &World, forge: &Forge, author: &Author) -> (String, Vec<String>) {
    let jobs = read_jobs(world);
    let mut wrong = Vec::new();
    check_jobs(world, &jobs, author, &mut wrong);
    check_deliveries(world, author, &mut wrong);
    check_messages(&jobs, forge, &mut wrong);
    (figures(world, &jobs, forge, author), wrong)
}

fn read_jobs(world: &World) -> Vec<Ended> {
    let mut before = None;
    let mut jobs = Vec::new();
    loop {
        let filter = Filter { before, ..Filter::default() };
        let page = World::with_queue(&world.address, |queue| {
            let rows = queue.list(&filter)?;
            rows.into_iter().map(|row| Ok(Ended { transitions: queue.transitions(&row.id)?, row })).collect()
        });
        let page: Vec<Ended> = page;
        let Some(last) = page.last() else { return jobs };
        before = Some(last.row.key);
        jobs.extend(page);
    }
}

fn check_jobs(world: &World, jobs: &[Ended], author: &Author, wrong: &mut Vec<String>) {
    let known: BTreeSet<&String> = jobs.iter().map(|job| &job.row.id).collect();
    wrong
        .extend(author.submitted().iter().filter(|id| !known.contains(id)).map(|id| format!("{id} is lost")));
    let sql = "SELECT job.id, result.token FROM job JOIN result ON result.job = job.key";
    let results: Vec<(String, u64)> =
        world.rows(sql).iter().map(|row| (row.get(0).unwrap(), row.get(1).unwrap())).collect();
    for Ended { row, transitions } in jobs {
        let ends = transitions.iter().filter(|transition| transition.to.is_ended()).count();
        let last = transitions.last().map(|transition| transition.to);
        if ends != 1 || last != Some(row.state) || !row.state.is_ended() {
            wrong.push(format!("{}: {ends} ends, {} and last {last:?}", row.id, row.state));
        }
        let tokens: Vec<u64> =
            results.iter().filter(|(id, _)| *id == row.id).map(|(_, token)| *token).collect();
        let is_right = match row.state {
            State::Reported => tokens == [row.token],
            _ => tokens.len() <= 1,
        };
        if !is_right {
            wrong.push(format!("{} ({}, lease {}): results of {tokens:?}", row.id, row.state, row.token));
        }
        if row.state == State::Failed && !World::excuses(row) {
            wrong.push(format!("{} failed: {:?}: {}", row.id, row.fault, row.reason));
        }
        // A runner has one job at a time, so that leases of one job follow each other.
        let mut token = 0;
        for transition in transitions {
            if transition.token < token {
                wrong.push(format!("{}: lease {} after {token}", row.id, transition.token));
            }
            token = transition.token;
        }
    }
}

fn check_deliveries(world: &World, author: &Author, wrong: &mut Vec<String>) {
    let rows = world.rows("SELECT id, handled FROM delivery");
    let handled: BTreeMap<String, String> =
        rows.iter().map(|row| (row.get(0).unwrap(), row.get(1).unwrap())).collect();
    let lost = author.deliveries.iter().filter(|id| !handled.contains_key(*id));
    wrong.extend(lost.map(|id| format!("{id} is lost")));
    let given_up = handled.iter().filter(|(_, note)| note.starts_with("given up"));
    wrong.extend(given_up.map(|(id, note)| format!("{id}: {note}")));
}

fn check_messages(jobs: &[Ended], forge: &Forge, wrong: &mut Vec<String>) {
    let kept = forge.kept();
    for (number, (head, is_open)) in &kept.pulls {
        let of_pull = |job: &&Ended| job.row.subject["number"].as_u64() == Some(*number);
        let mut pulled: Vec<&JobRow> = jobs.iter().filter(of_pull).map(|job| &job.row).collect();
        pulled.sort_by_key(|row| row.key);
        let of_head = |commit: &str| speaker(&pulled, commit);
        let newest = of_head(head);
        if *is_open && newest.is_none_or(|row| row.subject["commit"].as_str() != Some(head)) {
            wrong.push(format!("pull request {number} was not measured at its head {head}"));
        }
        let texts: Vec<&String> =
            kept.comments.values().filter(|(of, _)| of == number).map(|(_, text)| text).collect();
        let is_right = match (newest, texts.as_slice()) {
            (None, []) => true,
            // It was closed before its last head was seen.
            (None, [_]) => !is_open,
            (Some(row), [text]) => {
                text.contains(&format!("/jobs/{}", row.id)) && text.contains(sentence(row))
            }
            _ => false,
        };
        if !is_right {
            let newest = newest.map(|row| (&row.id, row.state));
            wrong.push(format!("pull request {number}: {newest:?} has {} comments: {texts:?}", texts.len()));
        }
        let commits: BTreeSet<&str> =
            pulled.iter().filter_map(|row| row.subject["commit"].as_str()).collect();
        for (commit, row) in commits.into_iter().filter_map(|commit| Some((commit, of_head(commit)?))) {
            let sent = kept.statuses.get(commit).map(Vec::as_slice).unwrap_or_default();
            let last =
                sent.iter().rfind(|(context, ..)| context == CONTEXT).map(|(_, state, _)| state.as_str());
            if last != Some(status(row)) {
                wrong.push(format!("{}: {} is shown as {last:?}", row.id, row.state));
            }
        }
    }
}

/// The job that speaks for a commit, of jobs that are the oldest first.
fn speaker<'r>(jobs: &[&'r JobRow], commit: &str) -> Option<&'r JobRow> {
    let of_commit = || jobs.iter().rev().filter(|row| row.subject["commit"].as_str() == Some(commit));
    of_commit().find(|row| !row.is_without_result()).or_else(|| of_commit().next()).copied()
}

/// The beginning of the comment.
fn sentence(row: &JobRow) -> &'static str {
    match (row.state, row.fault) {
        (State::Reported, _) => "**Measured, but the result cannot be read.**",
        (State::Cancelled, _) => "**Cancelled.**",
        (State::Superseded, _) => "**Superseded**",
        (_, Some(Fault::Runner)) => "**Not measured: the runner failed,**",
        _ => "**Not measured: the lab failed,**",
    }
}

/// What Gitea shows.
fn status(row: &JobRow) -> &'static str {
    match row.state {
        // The lab of this test gives no comparison.
        State::Reported => "error",
        _ => "error",
    }
}

fn figures(world: &World, jobs: &[Ended], forge: &Forge, author: &Author) -> String {
    let count = |state: State| jobs.iter().filter(|job| job.row.state == state).count();
    let taken = |transition: &&Transition| transition.cause.starts_with("taken by runner");
    let leases = jobs.iter().flat_map(|job| &job.transitions).filter(taken).count();
    let starts = std::fs::read_to_string(world.folder.join("starts")).unwrap_or_default();
    let stale = world.rows("SELECT job FROM rejected").len();
    let kept = forge.kept();
    format!(
        "{} jobs: {} reported, {} cancelled, {} superseded, {} failed by runners; {leases} leases, {} starts of the lab, {stale} stale \
         results; {} deliveries and {} repeated; {} cancellations; {} comments, {} answers 502 after the work, {} answers 429",
        jobs.len(),
        count(State::Reported),
        count(State::Cancelled),
        count(State::Superseded),
        count(State::Failed),
        starts.lines().count(),
        author.deliveries.len(),
        author.repeated,
        author.cancelled,
        kept.comments.len(),
        kept.failures,
        kept.limits,
    )
}
