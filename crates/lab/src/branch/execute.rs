//! Builds revisions of a branch until it is known whether the newest one builds, and if not, which one broke
//! it.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tlslab_build::{BuildFailure, Revision};
use tlslab_recipe::{Place, Recipe, Spec, is_commit};

use super::failure::{is_passing, reason};
use super::search::next;
use super::state::State;
use crate::backfill::newest_releases;
use crate::bisect::search::{Known, Next, steps_left};
use crate::error::Error;
use crate::problem::{ErrorKind, Problem};
use crate::progress::event::Stage;
use crate::request::BranchRequest;
use crate::session::Session;

/// The result of watching a branch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Watched {
    /// The stack.
    pub stack: String,
    /// The branch.
    pub branch: String,
    /// Its repository.
    pub repository: String,
    /// Its newest revision.
    pub tip: BranchRevision,
    /// The number of revisions that were built for this.
    pub built: usize,
    /// Whether the newest revision builds.
    pub outcome: BranchOutcome,
    /// How long it took, s.
    pub took_s: f64,
}

/// A revision of a branch, as upstream describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BranchRevision {
    /// The commit.
    pub commit: String,
    /// The date of the commit.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// Whether the newest revision of a branch builds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BranchOutcome {
    /// It does.
    Builds,
    /// It does not.
    Broken(Broken),
}

/// Since when and why the newest revision does not build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Broken {
    /// The revision that broke it, or several candidates if those between could not be tried; empty if no
    /// revision was found that builds.
    pub suspects: Vec<BranchRevision>,
    /// The first error on one line: that of the revision that broke it, or of the newest one.
    pub reason: String,
    /// The full log, on the machine that built it.
    pub log: Option<PathBuf>,
    /// The newest release that builds.
    pub last_release: Option<String>,
}

impl From<&Revision> for BranchRevision {
    fn from(revision: &Revision) -> Self {
        let Revision { commit, date, subject } = revision.clone();
        Self { commit, date, subject }
    }
}

/// Builds the newest revision of a branch and finds the one that broke it, or resumes that.
///
/// # Errors
/// Fails if the stack, repository or branch does not exist, or if the newest revision cannot be tried now.
pub fn watch_branch(session: &Session<'_>, request: &BranchRequest) -> Result<Watched, Error> {
    let start = Instant::now();
    let mut watched = session.reporter().finished(None, watched(session, request))?;
    watched.took_s = start.elapsed().as_secs_f64();
    Ok(watched)
}

fn watched(session: &Session<'_>, request: &BranchRequest) -> anyhow::Result<Watched> {
    let mut watch = Watch::prepare(session, request)?;
    let last = watch.revisions.len() - 1;
    let mut known = watch.recalled();
    if known[last].is_none() {
        known[last] = Some(watch.tried(last, (0, 1))?);
    }
    let outcome = match &known[last] {
        Some(Known::Good) => BranchOutcome::Builds,
        Some(Known::Skipped(why)) => return Err(watch.not_now(why)),
        _ => BranchOutcome::Broken(watch.broken(known)?),
    };
    Ok(Watched {
        stack: request.stack.clone(),
        branch: request.branch.clone(),
        repository: watch.repository.clone(),
        tip: (&watch.revisions[last]).into(),
        built: watch.built,
        outcome,
        took_s: 0.0,
    })
}

struct Watch<'w, 's> {
    session: &'w Session<'s>,
    spec: Spec,
    repository: String,
    branch: String,
    /// The oldest first.
    revisions: Vec<Revision>,
    good: Option<usize>,
    state: State,
    failures: Vec<(usize, BuildFailure)>,
    built: usize,
}

impl<'w, 's> Watch<'w, 's> {
    fn prepare(session: &'w Session<'s>, request: &BranchRequest) -> anyhow::Result<Self> {
        let BranchRequest { stack, branch, good, .. } = request;
        let workshop = &session.workshop;
        let index = workshop.environment.recipe_index()?;
        let spec = Spec::parse(stack)?;
        ensure!(
            spec.source.is_none(),
            Problem::invalid(
                "stack",
                stack,
                "it names a source",
                "name the stack alone, and its repository separately"
            )
        );
        let upstream = index.file(&spec.name)?.repository();
        let repository = match request.repository.as_deref().or(upstream) {
            Some(repository) => repository.to_owned(),
            None => {
                let cause = format!("the repository of {} is unknown", spec.name);
                return Err(Problem::invalid("repository", stack, cause, "name a repository").into());
            }
        };
        let at_branch = spec.from_source(&source(&repository, branch));
        let recipe = index.named(&at_branch)?;
        let place = Place::Git { repository: Some(repository.clone()), revision: branch.clone() };
        ensure!(
            Spec::parse(&at_branch)?.source == Some(place),
            Problem::invalid(
                "repository",
                &repository,
                "it is not a repository",
                "name an address or a folder"
            )
        );
        workshop.decide_place(&[&recipe])?;
        let cancel = session.reporter().cancel().flag();
        let builder = workshop.builder();
        session.reporter().note(format!("reading the revisions of {branch}"));
        let mut revisions = builder.branch(&repository, branch, cancel)?;
        revisions.reverse();
        ensure!(
            !revisions.is_empty(),
            Problem::new(ErrorKind::NotFound, branch, "the branch has no revision", "name another one")
        );
        let place = |good: &String| {
            let found = revisions.iter().position(|revision| revision.commit.starts_with(good.as_str()));
            found.filter(|_| is_commit(good)).with_context(|| {
                format!("{good} is not one of the revisions of {branch}; name one of its commits")
            })
        };
        let good = good.as_ref().map(place).transpose()?;
        let driver = driver_digest(&recipe, &builder.harness(&recipe)?);
        let state = State::open(session.results, (stack, &repository, branch), driver)?;
        let (branch, failures) = (branch.clone(), Vec::new());
        Ok(Self { session, spec, repository, branch, revisions, good, state, failures, built: 0 })
    }

    /// The recorded outcomes of the revisions.
    fn recalled(&self) -> Vec<Option<Known>> {
        let known = |revision: &Revision| {
            let tried = self.state.tried(&revision.commit)?;
            Some(if tried.failure.is_none() { Known::Good } else { Known::Bad })
        };
        self.revisions.iter().map(known).collect()
    }

    /// The revision since which the last one does not build.
    fn broken(&mut self, mut known: Vec<Option<Known>>) -> anyhow::Result<Broken> {
        let last = known.len() - 1;
        // With another driver, the last revision that built is tried again, and the search begins there.
        let has_built = |at: &usize| self.state.has_built(&self.revisions[*at].commit);
        let begin = self.good.or_else(|| (0..last).rev().find(has_built));
        if let Some(at) = begin.filter(|at| known[*at].is_none()) {
            known[at] = Some(self.tried(at, (0, 1 + steps_left(&known[at..]) as usize))?);
        }
        let suspects = loop {
            match next(&known) {
                Some(Next::Try(at)) => {
                    let left = 1 + steps_left(&known[at.min(begin.unwrap_or(at))..]) as usize;
                    known[at] = Some(self.tried(at, (self.built, self.built + left))?);
                }
                Some(Next::Found(at)) => break at..=at,
                Some(Next::OneOf(range)) => break range,
                None => break last + 1..=last,
            }
        };
        let culprit = if suspects.is_empty() { last } else { *suspects.end() };
        let noted = self.state.tried(&self.revisions[culprit].commit).and_then(|tried| tried.failure.clone());
        let failure = self.failures.iter().find(|(at, _)| *at == culprit).map(|(_, failure)| failure);
        let reason = noted.or_else(|| failure.map(reason)).unwrap_or_default();
        Ok(Broken {
            suspects: suspects.map(|at| (&self.revisions[at]).into()).collect(),
            reason,
            log: failure.and_then(|failure| failure.log.clone()),
            last_release: self.last_release()?,
        })
    }

    /// Builds a revision, and records the outcome.
    fn tried(&mut self, at: usize, steps: (usize, usize)) -> anyhow::Result<Known> {
        let Revision { commit, date, subject } = &self.revisions[at];
        let title = tlslab_text::clean(&format!("{commit:.12} {date} {subject}"));
        self.session.reporter().step(Stage::Revisions, steps, title);
        let stack = self.spec.from_source(&source(&self.repository, commit));
        let failure = self.build(&stack)?;
        self.built += 1;
        let known = match &failure {
            None => Known::Good,
            Some(failure) if is_passing(failure) => return Ok(Known::Skipped(reason(failure))),
            Some(_) => Known::Bad,
        };
        self.state.add(&commit.clone(), failure.as_ref().map(reason))?;
        self.failures.extend(failure.map(|failure| (at, failure)));
        Ok(known)
    }

    /// Why a stack is not built, if so.
    fn build(&self, stack: &str) -> anyhow::Result<Option<BuildFailure>> {
        let workshop = &self.session.workshop;
        let recipe = workshop.environment.recipe_index()?.named(stack)?;
        let mut built = workshop.build(&[&recipe])?;
        self.session.reporter().check()?;
        let built = built.remove(&recipe.name).context("a stack that was asked for has an outcome")?;
        Ok(built.err())
    }

    /// The newest release that builds.
    fn last_release(&self) -> anyhow::Result<Option<String>> {
        let index = self.session.environment().recipe_index()?;
        let (releases, problem) = newest_releases(&index, &self.spec.name)?;
        if let Some(problem) = problem {
            self.session.reporter().note(problem);
        }
        for version in releases.into_iter().take(MOST_RELEASES) {
            let stack = self.spec.at(&version);
            self.session.reporter().note(format!("is {stack} the last release that builds?"));
            if self.build(&stack)?.is_none() {
                return Ok(Some(version));
            }
        }
        Ok(None)
    }

    fn not_now(&self, why: &str) -> anyhow::Error {
        let thing = format!("the newest revision of {}", self.branch);
        Problem::new(ErrorKind::Unavailable, thing, why, "try again later").into()
    }
}

/// The inputs of a build other than upstream's source.
fn driver_digest(recipe: &Recipe, harness: &str) -> String {
    hex::encode(Sha256::digest(format!("{}\n{harness}", recipe.digest)))
}

fn source(repository: &str, revision: &str) -> String {
    format!("git:{repository}#{revision}")
}

/// Releases that are tried.
const MOST_RELEASES: usize = 5;
