//! A code host, its events on their way, a service and its runners.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tlslab_queue::{
    Fault, Finish, Hold, JobRow, Leased, NewRunner, Origin, QuietHours, State, Taken, Taker, hash_key,
};

use super::api::Wire;
use super::events::{Happened, Sent, of_approval, of_comment, of_pull, of_push, of_queue};
use super::host::{Comment, Flavour, Host, Pull, Quality, Review, Source, commit, quality};
use super::steps::{End, Step, Words};
use crate::config::Config;
use crate::service::Service;
use crate::stored_result::pack;
use crate::subject::Subject;
use crate::{announce, inbox, outbox, reconcile, starting};

pub(super) type Done = Result<(), String>;

/// Turns of the loops after which they count as endless.
const TURNS: usize = 3_000;
const LEASE: Duration = Duration::from_secs(60);

/// A comparison with two regressions; the candidate's commit is put into it.
const COMPARISON: &str = include_str!("../../../tlslab/tests/action/comparison.json");

/// A delivery.
#[derive(Clone)]
pub(super) struct Delivery {
    pub id: String,
    pub sent: Sent,
}

/// A finished measurement of a head.
pub(super) struct Measured {
    pub key: i64,
    pub head: String,
    pub quality: Quality,
}

pub(super) struct World {
    pub host: Arc<Mutex<Host>>,
    pub service: Service,
    pub clock: Arc<AtomicU64>,
    pub on_the_way: Vec<Delivery>,
    pub delivered: Vec<Delivery>,
    pub measured: Vec<Measured>,
    pub held: BTreeMap<usize, Leased>,
    boots: [u32; 2],
    folder: tempfile::TempDir,
    deliveries: u64,
}

impl World {
    pub(super) fn new(flavour: Flavour) -> Self {
        let clock = Arc::new(AtomicU64::new(1_795_575_600_000));
        let host = Arc::new(Mutex::new(Host::new(flavour, clock.clone())));
        let shared = Path::new("/dev/shm");
        let folder =
            if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap();
        std::fs::copy(template(), folder.path().join("tlslab.sqlite")).unwrap();
        let service = service(folder.path(), flavour, &host, &clock);
        for name in ["r0", "r1"] {
            let runner = NewRunner {
                name: name.to_owned(),
                key_hash: hash_key(name),
                labels: Vec::new(),
                quiet: QuietHours::default(),
                origin: Origin::Configuration,
            };
            service.queue(|queue| queue.register_runner(&runner)).unwrap();
        }
        Self {
            host,
            service,
            clock,
            on_the_way: Vec::new(),
            delivered: Vec::new(),
            measured: Vec::new(),
            held: BTreeMap::new(),
            boots: [0; 2],
            folder,
            deliveries: 0,
        }
    }

    /// Carries out a step, and checks the invariants.
    pub(super) fn step(&mut self, step: &Step) -> Done {
        match *step {
            Step::Deliver { all, which } => self.deliver(all, which),
            Step::Again { which, is_new } => self.again(which, is_new)?,
            Step::Lose { which } if which < self.on_the_way.len() => drop(self.on_the_way.remove(which)),
            Step::Loops => self.loops(),
            Step::Reconcile => drop(reconcile::reconcile_due(&self.service).unwrap()),
            Step::Take { runner } => self.take(runner)?,
            Step::Renew { runner } => self.renew(runner),
            Step::Finish { runner, how } => self.finish(runner, how),
            Step::RestartRunner { runner } => self.boots[runner] += 1,
            Step::Restart => {
                let flavour = self.host.lock().unwrap().flavour;
                self.service = service(self.folder.path(), flavour, &self.host, &self.clock);
            }
            Step::Wait { seconds } => self.wait(seconds * 1_000),
            Step::Out { what, minutes } => {
                let mut host = self.host.lock().unwrap();
                host.outage = Some((what, host.now() + minutes * 60_000));
            }
            _ => self.happens(step),
        }
        self.check()
    }

    fn wait(&mut self, ms: u64) {
        self.clock.fetch_add(ms.max(10), Ordering::SeqCst);
    }

    /// Actions of people on the code host.
    fn happens(&mut self, step: &Step) {
        // Two things that people do are at different times.
        self.wait(1_500);
        let host = self.host.clone();
        let mut host = host.lock().unwrap();
        let now = host.now();
        let Some(sent) = to_pull(&mut host, step, now).or_else(|| apply_said(&mut host, step, now)) else {
            return;
        };
        drop(host);
        self.deliveries += 1;
        self.on_the_way.push(Delivery { id: format!("d{}", self.deliveries), sent });
    }

    fn receive(&self, delivery: &Delivery) {
        let Delivery { id, sent } = delivery;
        self.service.queue(|queue| queue.receive("f", id, sent.event, sent.body.as_bytes())).unwrap();
    }

    fn deliver(&mut self, all: bool, which: usize) {
        let chosen = match all {
            true => std::mem::take(&mut self.on_the_way),
            false if which < self.on_the_way.len() => vec![self.on_the_way.remove(which)],
            false => Vec::new(),
        };
        for delivery in chosen {
            self.receive(&delivery);
            self.delivered.push(delivery);
        }
    }

    /// The same again. A command that was carried out is not carried out again.
    fn again(&mut self, which: usize, is_new: bool) -> Done {
        let Some(delivery) = self.delivered.iter().rev().nth(which).cloned() else { return Ok(()) };
        self.loops();
        let is_done = |id| self.service.queue(|queue| queue.is_carried_out("f", id)).unwrap();
        let was_done = delivery.sent.comment.is_some_and(is_done) && self.is_idle();
        let before = self.jobs();
        self.deliveries += u64::from(is_new);
        let id = if is_new { format!("d{}", self.deliveries) } else { delivery.id.clone() };
        self.receive(&Delivery { id, ..delivery.clone() });
        if was_done {
            inbox::handle_waiting(&self.service).unwrap();
            let seen = |jobs: &[JobRow]| -> Vec<_> {
                jobs.iter().map(|job| (job.id.clone(), job.state, job.cancel.clone())).collect()
            };
            if seen(&before) != seen(&self.jobs()) {
                return Err(format!(
                    "the command of comment {:?} was carried out again",
                    delivery.sent.comment
                ));
            }
        }
        Ok(())
    }

    pub(super) fn jobs(&self) -> Vec<JobRow> {
        self.service.queue(|queue| queue.list(&tlslab_queue::Filter::default())).unwrap()
    }

    /// The loops turn until none has anything to do.
    pub(super) fn loops(&mut self) {
        for _ in 0..TURNS {
            let handled = inbox::handle_waiting(&self.service).unwrap();
            let announced = announce::announce_waiting(&self.service).unwrap();
            let was_sent = outbox::send_next(&self.service).unwrap();
            if handled == 0 && announced == 0 && !was_sent {
                return;
            }
        }
        panic!("the loops never rest");
    }

    /// Whether the service has no work left.
    pub(super) fn is_idle(&self) -> bool {
        self.service
            .queue(|queue| {
                Ok(queue.unannounced(1)?.is_empty()
                    && queue.messages_waiting()?.0 == 0
                    && queue.undelivered()? == 0)
            })
            .unwrap()
    }

    fn taker(&self, runner: usize) -> Taker {
        Taker {
            name: format!("r{runner}"),
            boot: self.boots[runner].to_string(),
            labels: Vec::new(),
            has_sandbox: true,
            slot: 0,
            facts: None,
        }
    }

    fn take(&mut self, runner: usize) -> Done {
        let taken = starting::take(&self.service, &self.taker(runner)).unwrap();
        let (Taken::Job(leased), Some(job)) = taken else { return Ok(()) };
        self.held.insert(runner, *leased);
        self.may_be_built(&job)
    }

    fn hold(&self, runner: usize) -> Option<Hold> {
        let leased = self.held.get(&runner)?;
        Some(Hold { job: leased.job.clone(), token: leased.token, runner: format!("r{runner}") })
    }

    fn renew(&mut self, runner: usize) {
        if let Some(hold) = self.hold(runner) {
            self.service.queue(|queue| queue.renew(&hold, Some(State::Measuring))).unwrap();
        }
    }

    fn finish(&mut self, runner: usize, how: End) {
        let Some(hold) = self.hold(runner) else { return };
        let job = self.service.queue(|queue| queue.job(&hold.job)).unwrap().unwrap();
        let head =
            Subject::of(&job).and_then(|subject| subject.commit().map(str::to_owned)).unwrap_or_default();
        let of = |state, fault, body: Option<String>| Finish {
            state,
            fault,
            reason: "a reason".to_owned(),
            body: body.map(|body| pack(&serde_json::from_str(&body).unwrap()).unwrap()).unwrap_or_default(),
            canary: None,
            duty: None,
        };
        let quality = quality(&head);
        let finish = match (how, quality) {
            (End::Honest, Quality::DoesNotBuild) => of(State::Failed, Some(Fault::Candidate), None),
            (End::Honest, _) => of(State::Reported, None, Some(ending(&head, quality))),
            (End::LabFails, _) => of(State::Failed, Some(Fault::Lab), None),
            (End::RunnerFails, _) => of(State::Failed, Some(Fault::Runner), None),
            (End::GivesBack, _) => of(State::Queued, None, None),
            (End::Cancelled, _) => of(State::Cancelled, None, None),
        };
        self.service.queue(|queue| queue.finish(&hold, &finish)).unwrap();
        self.held.remove(&runner);
        let after = self.service.queue(|queue| queue.job(&hold.job)).unwrap().unwrap();
        let is_measured = after.state == State::Reported || after.fault == Some(Fault::Candidate);
        // A measurement that decides nothing is not one of the head.
        let is_aside = job.supersedes.as_ref().is_some_and(|group| group.ends_with(":aside"));
        if is_measured && !is_aside && after.state.is_ended() && !job.state.is_ended() {
            self.measured.push(Measured { key: job.key, head, quality });
        }
    }

    /// Faults pass, time passes, and runners work.
    pub(super) fn settled(&mut self) -> Done {
        self.host.lock().unwrap().outage = None;
        self.deliver(true, 0);
        for turn in 0..60 {
            self.loops();
            reconcile::reconcile_due(&self.service).unwrap();
            self.loops();
            for runner in [0, 1] {
                self.take(runner)?;
                self.finish(runner, End::Honest);
            }
            self.loops();
            self.check()?;
            self.wait(if turn < 40 { 1_200_000 } else { 3_700_000 });
        }
        self.final_check()
    }
}

/// Steps of pull requests.
fn to_pull(host: &mut Host, step: &Step, now: u64) -> Option<Sent> {
    let sent = match *step {
        Step::Open { who, source, is_draft, variant } => {
            let number = host.pulls.len() as u64 + 1;
            if source == Source::Own && !host.writers.contains(&who) {
                return None;
            }
            let pushes = vec![(now, commit(number, variant))];
            let (is_open, base, reviews) = (true, 0, Vec::new());
            let pull =
                Pull { author: who, source, pushes, is_open, is_draft, base, updated_ms: now, reviews };
            host.pulls.insert(number, pull);
            of_pull(host, number, Happened::Opened)
        }
        Step::Push { pull, variant } => {
            let found = host.pulls.get_mut(&pull)?;
            let head = commit(pull, variant);
            if found.head() == head {
                return None;
            }
            (found.updated_ms, found.reviews) = (now, found.reviews.clone());
            found.pushes.push((now, head));
            if !found.is_open {
                return None;
            }
            of_pull(host, pull, Happened::Pushed)
        }
        Step::Close { pull } => match change(host, pull, |pull| std::mem::take(&mut pull.is_open)) {
            true => of_pull(host, pull, Happened::Closed),
            false => return None,
        },
        Step::Reopen { pull } => {
            match change(host, pull, |pull| !std::mem::replace(&mut pull.is_open, true)) {
                true => of_pull(host, pull, Happened::Reopened),
                false => return None,
            }
        }
        Step::Retarget { pull } => {
            let other = |pull: &mut Pull| {
                pull.base = 1 - pull.base;
                pull.is_open
            };
            match change(host, pull, other) {
                true => of_pull(host, pull, Happened::Retargeted),
                false => return None,
            }
        }
        Step::Ready { pull } => match change(host, pull, |pull| std::mem::take(&mut pull.is_draft)) {
            true => of_pull(host, pull, Happened::Ready),
            false => return None,
        },
        _ => return None,
    };
    Some(sent)
}

/// Commands, and other steps.
fn apply_said(host: &mut Host, step: &Step, now: u64) -> Option<Sent> {
    let sent = match *step {
        Step::Review { pull, who, approves } => {
            let (id, of_writer) = (host.id(), host.writers.contains(&who));
            let found = host.pulls.get_mut(&pull)?;
            let head = found.head().to_owned();
            let commit = head.clone();
            found.reviews.push(Review { id, by: who, commit, is_approval: approves, of_writer });
            found.updated_ms = now;
            if !approves {
                return None;
            }
            of_approval(host, pull, who, &head)
        }
        Step::Say { pull, who, what } => {
            let (id, of_writer) = (host.id(), host.writers.contains(&who));
            let found = host.pulls.get_mut(&pull)?;
            found.updated_ms = now;
            let body = what.text().to_owned();
            let comment = Comment { id, pull, by: who, created_ms: now, body, of_writer, was_edited: false };
            host.comments.push(comment.clone());
            of_comment(host, &comment, false)
        }
        Step::Edit { comment } => {
            let own = host.comments.iter_mut().filter(|known| known.by != super::host::BOT);
            let found = own.skip(comment).find(|known| known.body == Words::Nothing.text())?;
            (found.body, found.was_edited) = (Words::Compare.text().to_owned(), true);
            let found = found.clone();
            of_comment(host, &found, true)
        }
        Step::Rights { who, may } => {
            if may {
                host.writers.insert(who);
                let reviews = host.pulls.values_mut().flat_map(|pull| &mut pull.reviews);
                reviews.filter(|known| known.by == who).for_each(|known| known.of_writer = true);
                host.comments
                    .iter_mut()
                    .filter(|known| known.by == who)
                    .for_each(|known| known.of_writer = true);
            } else {
                host.writers.remove(&who);
                host.lacked.insert(who);
            }
            return None;
        }
        Step::PushMain => {
            let before = host.main[host.main.len() - 1].clone();
            let after = commit(0, host.main.len() as u8);
            host.main.push(after.clone());
            of_push(host, &before, &after)
        }
        Step::QueueMerge { is_wanted } => {
            if !matches!(host.flavour, Flavour::Github | Flavour::App) {
                return None;
            }
            let branch = "gh-readonly-queue/main/pr-1".to_owned();
            let head = commit(900, 3 + 3 * (now % 7) as u8);
            let base = host.main[host.main.len() - 1].clone();
            if is_wanted {
                host.queue.insert(branch.clone(), head.clone());
            }
            of_queue(&branch, &head, &base, is_wanted)
        }
        _ => return None,
    };
    Some(sent)
}

fn change(host: &mut Host, number: u64, how: impl Fn(&mut Pull) -> bool) -> bool {
    let now = host.now();
    let Some(pull) = host.pulls.get_mut(&number) else { return false };
    pull.updated_ms = now;
    how(pull)
}

/// The last line of a job's process.
fn ending(head: &str, quality: Quality) -> String {
    let text = match quality {
        Quality::Passes => COMPARISON.replace("\"regression\"", "\"no_change\""),
        _ => COMPARISON.to_owned(),
    };
    let label = format!("\"version\": {{\"stack\": \"s\", \"label\": \"{}\"}}, \"identical\"", &head[..12]);
    let comparison = text.replace("\"identical\"", &label);
    format!("{{\"outcome\": {{\"kind\": \"comparison\", \"value\": {comparison}}}}}")
}

/// An empty database, which is made once.
fn template() -> PathBuf {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse(&format!("folder = \"{}\"", folder.path().display())).unwrap();
        let service = Service::new(config, folder.path(), None).unwrap();
        service.queue(|queue| queue.count_states()).unwrap();
        drop(service);
        folder
    });
    folder.path().join("tlslab.sqlite")
}

fn service(folder: &Path, flavour: Flavour, host: &Arc<Mutex<Host>>, clock: &Arc<AtomicU64>) -> Service {
    let secret = folder.join("secret");
    let text = if flavour == Flavour::App { app_key() } else { "hush" };
    if !secret.is_file() {
        std::fs::write(&secret, text).unwrap();
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let credentials = match flavour {
        Flavour::App => "app = 7\napp_key = { file = \"secret\" }",
        _ => "token = { file = \"secret\" }",
    };
    let config = format!(
        "folder = \"{}\"\nlocal_runner = false\n[[forge]]\nname = \"f\"\nkind = \"{}\"\napi = \"https://git.example/api/v1\"\n\
         {credentials}\nwebhook_secret = {{ file = \"secret\" }}\n[[project]]\nname = \"p\"\nforge = \"f\"\nrepository = \"o/n\"\n\
         stacks = [\"s\"]\ncompare = {{ metrics = [\"count\"] }}\nrun = {{ metrics = [\"count\"] }}\nwatch_regressions = false\n",
        folder.display(),
        flavour.kind()
    );
    let host = host.clone();
    let service = Service::new(Config::parse(&config).unwrap(), folder, Some(LEASE)).unwrap();
    service.played(clock, Box::new(move |_| Box::new(Wire(host.clone()))))
}

/// A key of an App, made once.
fn app_key() -> &'static str {
    static MADE: OnceLock<String> = OnceLock::new();
    MADE.get_or_init(|| rcgen::KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).unwrap().serialize_pem())
}

#[test]
fn a_measurement_is_what_the_model_says_of_its_commit() {
    for (variant, fails) in [(0, false), (1, true)] {
        let head = commit(1, variant);
        let ending = serde_json::from_str(&ending(&head, quality(&head))).unwrap();
        let comparison = crate::stored_result::comparison(&ending).unwrap();
        assert_eq!(comparison.fails_on(tlslab_comparison::FailOn::Regression), fails);
        assert_eq!(comparison.pairs[0].version.as_ref().unwrap().label, head[..12]);
    }
}
