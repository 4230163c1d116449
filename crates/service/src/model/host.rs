//! A code host with one repository.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tlslab_forge::Kind;

/// A code host as the service sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    Gitea,
    /// With a token: statuses.
    Github,
    /// As an App: check runs.
    App,
    Gitlab,
}

pub(super) const FLAVOURS: [Flavour; 4] = [Flavour::Gitea, Flavour::Github, Flavour::App, Flavour::Gitlab];

impl Flavour {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Gitea => Kind::Gitea,
            Self::Github | Self::App => Kind::Github,
            Self::Gitlab => Kind::Gitlab,
        }
    }
}

/// People by their ids: the service's account, two writers, two readers.
pub(super) const PEOPLE: [&str; 6] = ["", "lab-bot", "owner", "maintainer", "contributor", "stranger"];
pub(super) const BOT: u64 = 1;

/// Where the head of a pull request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A branch of the repository.
    Own,
    /// A reference of the repository that any reader may push to.
    Agit,
    /// Another repository.
    Fork,
}

pub(super) struct Pull {
    pub author: u64,
    pub source: Source,
    /// When each head was pushed.
    pub pushes: Vec<(u64, String)>,
    pub is_open: bool,
    pub is_draft: bool,
    pub base: u8,
    pub updated_ms: u64,
    pub reviews: Vec<Review>,
}

impl Pull {
    pub(super) fn head(&self) -> &str {
        &self.pushes[self.pushes.len() - 1].1
    }
}

#[derive(Clone)]
pub(super) struct Review {
    pub id: u64,
    pub by: u64,
    pub commit: String,
    pub is_approval: bool,
    /// Whether the person could write then, or was allowed to later.
    pub of_writer: bool,
}

#[derive(Clone)]
pub(super) struct Comment {
    pub id: u64,
    pub pull: u64,
    pub by: u64,
    pub created_ms: u64,
    pub body: String,
    /// Whether a writer could have meant it at any time since.
    pub of_writer: bool,
    /// Whether its text became a command later.
    pub was_edited: bool,
}

/// A status or a check run.
#[derive(Clone, Debug)]
pub(super) struct Status {
    pub id: u64,
    pub commit: String,
    pub context: String,
    /// The state, or the conclusion of a check run that has ended.
    pub state: String,
}

/// A fault of the code host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outage {
    Forbidden,
    Unauthorised,
    Broken,
    Unreachable,
    /// Writes are acknowledged and forgotten.
    Forgetful,
    /// Its answers are those of no code host, as from a proxy in its place.
    Nonsense,
}

pub(super) struct Host {
    pub flavour: Flavour,
    pub clock: Arc<AtomicU64>,
    pub writers: BTreeSet<u64>,
    /// People who lacked rights at any time.
    pub lacked: BTreeSet<u64>,
    pub pulls: BTreeMap<u64, Pull>,
    pub comments: Vec<Comment>,
    pub statuses: Vec<Status>,
    pub main: Vec<String>,
    pub queue: BTreeMap<String, String>,
    pub outage: Option<(Outage, u64)>,
    pub next_id: u64,
    /// Messages that the service must not have written.
    pub faults: Vec<String>,
}

/// The context of the required check.
pub(super) const CONTEXT: &str = "tlslab/p";

impl Host {
    pub(super) fn new(flavour: Flavour, clock: Arc<AtomicU64>) -> Self {
        Self {
            flavour,
            clock,
            writers: BTreeSet::from([BOT, 2, 3]),
            lacked: BTreeSet::from([4, 5]),
            pulls: BTreeMap::new(),
            comments: Vec::new(),
            statuses: Vec::new(),
            main: vec![commit(0, 0)],
            queue: BTreeMap::new(),
            outage: None,
            next_id: 100,
            faults: Vec::new(),
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }

    pub(super) fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// The present fault.
    pub(super) fn trouble(&self) -> Option<Outage> {
        self.outage.filter(|(_, until)| self.now() < *until).map(|(outage, _)| outage)
    }

    /// The name of the service's account.
    pub(super) fn own_name(&self) -> &'static str {
        if self.flavour == Flavour::App { "lab[bot]" } else { PEOPLE[BOT as usize] }
    }

    pub(super) fn name(&self, person: u64) -> &'static str {
        if person == BOT { self.own_name() } else { PEOPLE[person as usize] }
    }

    /// The newest status of the required check.
    pub(super) fn check(&self, commit: &str) -> Option<&Status> {
        self.statuses
            .iter()
            .filter(|status| status.commit == commit && status.context == CONTEXT)
            .max_by_key(|status| status.id)
    }

    /// Whether this code host would merge the commit: GitHub's documentation of protected branches
    /// ("successful, skipped, or neutral"), Gitea's `modules/commitstatus` (`Combine`), GitLab's
    /// `CheckCiStatusService`.
    pub(super) fn is_satisfied(&self, commit: &str) -> bool {
        let passing: &[&str] = match self.flavour {
            Flavour::Gitea => &["success", "warning", "skipped"],
            Flavour::Github => &["success"],
            Flavour::App => &["success", "neutral", "skipped"],
            Flavour::Gitlab => &["success", "skipped"],
        };
        self.check(commit).is_some_and(|status| passing.contains(&&*status.state))
    }

    /// A comment of the service must be of the present head.
    pub(super) fn hear(&mut self, pull: u64, body: &str) {
        let Some((before, _)) = body.split_once(" · [job]") else { return };
        let said = before.rsplit(' ').next().unwrap_or_default();
        let head = self.pulls[&pull].head().to_owned();
        if !head.starts_with(said) {
            self.faults.push(format!("the comment of pull request {pull} is of {said}, its head is {head}"));
        }
    }
}

/// A commit; its last digit selects its result.
pub(super) fn commit(pull: u64, variant: u8) -> String {
    format!("{:08x}{:031x}{}", pull * 4096 + u64::from(variant) + 0x10_0000, variant, variant % 3)
}

/// The result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quality {
    Passes,
    Regresses,
    DoesNotBuild,
}

pub(super) fn quality(commit: &str) -> Quality {
    match commit.chars().last() {
        Some('0') => Quality::Passes,
        Some('1') => Quality::Regresses,
        _ => Quality::DoesNotBuild,
    }
}

/// The merge base with each base branch.
pub(super) fn merge_base(base: u8) -> String {
    format!("{:040x}", 0xba5e_0000_u64 + u64::from(base))
}

/// A time as code hosts write it, to the second.
pub(super) fn time(ms: u64) -> String {
    jiff::Timestamp::from_second((ms / 1_000) as i64).unwrap().to_string()
}
