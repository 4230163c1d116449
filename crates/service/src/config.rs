//! The configuration of a service: one TOML file, checked as a whole before anything starts.

mod keep;
mod limits;
mod notify;
pub(crate) mod patterns;
mod private;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;
use tlslab_forge::Kind;
use tlslab_lab::{request::CompareRequest, request::RunRequest};
use tlslab_queue::QuietHours;
use tlslab_record::Seconds;
use tlslab_store::Address;
use toml::Spanned;

use crate::secret::SecretPlace;
pub(crate) use keep::KeepConfig;
pub(crate) use limits::LimitsConfig;
pub(crate) use notify::{EventKind, Notice, NotifyConfig, hooks};
pub(crate) use private::forge_of;

/// The configuration of a service.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// The address that it listens at.
    pub listen: SocketAddr,
    /// The address that users open; links in messages begin with it.
    pub url: Option<String>,
    /// The database of queue and runs; `tlslab.sqlite` in `folder` if none is named.
    pub database: Option<Address>,
    /// Where the service keeps files.
    pub folder: PathBuf,
    /// Reverse proxies: of requests that come from these addresses, the last one in `X-Forwarded-For` is the
    /// client.
    pub proxies: Vec<IpAddr>,
    /// Whether anybody may read jobs and results; otherwise reading needs a token, too.
    pub public_reading: bool,
    /// Whether a runner is started on this machine.
    pub local_runner: bool,
    /// The labels of the local runner.
    pub local_labels: Vec<String>,
    /// Code hosts.
    #[serde(rename = "forge")]
    pub forges: Vec<ForgeConfig>,
    /// Repositories whose changes are measured.
    #[serde(rename = "project")]
    pub projects: Vec<ProjectConfig>,
    /// Runners on other machines.
    #[serde(rename = "runner")]
    pub runners: Vec<RunnerConfig>,
    /// The canary that shows changes of a runner.
    pub canary: CanaryConfig,
    /// Scheduled measurements.
    #[serde(rename = "schedule")]
    pub schedules: Vec<ScheduleConfig>,
    /// How long things are kept.
    pub keep: KeepConfig,
    /// Limits of jobs per project and per person.
    pub limits: LimitsConfig,
    /// Receivers of notices.
    #[serde(rename = "notify")]
    pub notifies: Vec<NotifyConfig>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7474)),
            url: None,
            database: None,
            folder: PathBuf::from("tlslab-service"),
            proxies: Vec::new(),
            public_reading: true,
            local_runner: true,
            local_labels: Vec::new(),
            forges: Vec::new(),
            projects: Vec::new(),
            runners: Vec::new(),
            canary: CanaryConfig::default(),
            schedules: Vec::new(),
            keep: KeepConfig::default(),
            limits: LimitsConfig::default(),
            notifies: Vec::new(),
        }
    }
}

/// A code host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgeConfig {
    /// Its name, also in the address of its webhooks: `/hooks/NAME`.
    pub name: Spanned<String>,
    /// Which one: `github`, `gitlab` or `gitea` (also Forgejo).
    pub kind: Kind,
    /// The address of its API.
    pub api: String,
    /// A file with certificates of authorities in PEM that sign the API's certificate, besides those that
    /// this machine trusts.
    pub ca: Option<PathBuf>,
    /// Whether the API may be asked without TLS on another machine: the token can be read on the way then.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// The token that messages are written with; not for a GitHub App.
    pub token: Option<SecretPlace>,
    /// The number of a GitHub App.
    pub app: Option<u64>,
    /// The key of the GitHub App.
    pub app_key: Option<SecretPlace>,
    /// The token that git uses for private repositories, for projects that name none.
    pub fetch_token: Option<SecretPlace>,
    /// The user of the token.
    pub fetch_user: Option<String>,
    /// The secret of its webhooks.
    pub webhook_secret: SecretPlace,
    /// The secret before that one, which is good, too, while the code host still signs with it.
    pub former_webhook_secret: Option<SecretPlace>,
}

/// A repository whose changes are measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectConfig {
    /// Its name.
    pub name: Spanned<String>,
    /// The code host that it is on.
    pub forge: Spanned<String>,
    /// Its path there: `OWNER/NAME`.
    pub repository: Spanned<String>,
    /// The branch whose commits are measured; the default branch if none is named.
    pub branch: Option<String>,
    /// Whether git needs a credential to read it.
    #[serde(default)]
    pub private: bool,
    /// The token that git uses; an App needs none.
    pub fetch_token: Option<SecretPlace>,
    /// The user of the token; by default the code host's usual one.
    pub fetch_user: Option<String>,
    /// Further private repositories on the code host that its submodules name, as `OWNER/NAME`.
    #[serde(default)]
    pub submodules: Vec<String>,
    /// The stacks that are built from it, such as `rustls-dev/ring` or `tiny+O3`; a command in a comment may
    /// choose among them.
    pub stacks: Vec<String>,
    /// How pull requests are compared, as in the request `compare` but without `pairs`.
    #[serde(default)]
    pub compare: CompareRequest,
    /// How commits of the branch are measured, as in the request `run` but without `stacks`; none if they are
    /// not.
    pub run: Option<RunRequest>,
    /// The labels that a runner must have.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The results that make the status of a pull request a failure: `regression`, `change`,
    /// `any-regression`, or `never`.
    #[serde(default)]
    pub fail_on: FailPolicy,
    /// The treatment of a commit of a merge queue: `measure`, or `pull-request` for a success without a
    /// measurement.
    #[serde(default)]
    pub merge_queue: MergeQueue,
    /// Branches of a bot's merge queue by pattern, such as `staging`: treated as commits of a merge queue.
    #[serde(default)]
    pub merge_branches: Vec<String>,
    /// Which pull requests are measured.
    #[serde(default)]
    pub pulls: PullScope,
    /// Whether regressions on the branch are looked for, confirmed, and reported as an issue.
    #[serde(default = "yes")]
    pub watch_regressions: bool,
}

/// Which pull requests of a project are measured without being asked. Patterns are globs: `*` is within a
/// folder, `**` over folders.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PullScope {
    /// Branches that they ask to merge into, by pattern; all if none is named.
    pub bases: Vec<String>,
    /// Files whose changes are measured, by pattern; all if none is named.
    pub paths: Vec<String>,
    /// Files whose changes are not, by pattern, even if `paths` has them.
    pub ignore: Vec<String>,
    /// A pull request must have one of these labels.
    pub labels: Vec<String>,
    /// A pull request must have none of these labels.
    pub no_labels: Vec<String>,
    /// Whether drafts are measured.
    pub drafts: bool,
    /// Whether those of bots are.
    pub bots: bool,
}

impl Default for PullScope {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            bases: none(),
            paths: none(),
            ignore: none(),
            labels: none(),
            no_labels: none(),
            drafts: false,
            bots: true,
        }
    }
}

/// The results that make the status of a pull request a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailPolicy {
    /// A significant regression.
    #[default]
    Regression,
    /// Any significant change.
    Change,
    /// Every confirmed regression.
    AnyRegression,
    /// None.
    Never,
}

/// The treatment of a commit of a merge queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MergeQueue {
    /// A separate measurement.
    #[default]
    Measure,
    /// A success at once: the pull request was measured before.
    PullRequest,
}

/// A runner on another machine.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunnerConfig {
    /// Its name.
    pub name: Spanned<String>,
    /// Its key, which the runner has in a file, too.
    pub key: SecretPlace,
    /// Its labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Hours in which it takes no job: `08:00-18:00` or `mon-fri 08:00-18:00`, several after commas, in UTC.
    pub quiet: Option<Spanned<String>>,
}

/// The canary that a runner times with each job that measures time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CanaryConfig {
    /// Whether that is done.
    pub enabled: bool,
    /// The stack, in a version; `canary` is the one in `[run]` of the runner's `tlslab.toml`.
    pub stack: String,
    /// The suite.
    pub suite: String,
    /// How long it is timed, as `10s`.
    pub budget_s: Seconds,
}

impl Default for CanaryConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            stack: "canary".to_owned(),
            suite: "canary".to_owned(),
            budget_s: Seconds::nearest(10.0),
        }
    }
}

/// Something that is measured again and again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleConfig {
    /// Its name.
    pub name: Spanned<String>,
    /// When, as cron writes it (`0 3 * * *`), in UTC.
    pub cron: Spanned<String>,
    /// The measurement.
    pub run: RunRequest,
    /// The labels that a runner must have.
    #[serde(default)]
    pub labels: Vec<String>,
}

fn yes() -> bool {
    true
}

impl Config {
    /// Reads a file. Errors name the file, the line, the key and the allowed values.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the configuration {}", path.display()))?;
        Self::parse(&text).map_err(|cause| anyhow::anyhow!("{}: {cause}", path.display()))
    }

    /// Reads a text.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|cause| cause.to_string().trim_end().to_owned())?;
        config.check().map_err(|(at, cause)| match at {
            Some(at) => format!("line {}: {cause}", text[..at.min(text.len())].matches('\n').count() + 1),
            None => cause,
        })?;
        Ok(config)
    }

    fn check(&self) -> Result<(), (Option<usize>, String)> {
        unique("forge", self.forges.iter().map(|forge| &forge.name))?;
        unique("project", self.projects.iter().map(|project| &project.name))?;
        unique("runner", self.runners.iter().map(|runner| &runner.name))?;
        unique("schedule", self.schedules.iter().map(|schedule| &schedule.name))?;
        self.keep.check().map_err(|cause| (None, cause))?;
        self.limits.check().map_err(|cause| (None, cause))?;
        unique("notify", self.notifies.iter().map(|notify| &notify.name))?;
        for notify in &self.notifies {
            let wrong = |cause| {
                (Some(notify.name.span().start), format!("notify \"{}\": {cause}", notify.name.get_ref()))
            };
            notify.check(|project| self.project(project).is_some()).map_err(wrong)?;
        }
        private::check(self)?;
        for forge in &self.forges {
            let at = Some(forge.name.span().start);
            let is_app = forge.app.is_some() || forge.app_key.is_some();
            let wrong = |cause: &str| Err((at, format!("forge \"{}\": {cause}", forge.name.get_ref())));
            match (&forge.token, forge.app, &forge.app_key) {
                (Some(_), None, None) | (None, Some(_), Some(_)) => {}
                _ => return wrong("write either `token`, or `app` and `app_key` for a GitHub App"),
            }
            if is_app && forge.kind != Kind::Github {
                return wrong("`app` is for kind = \"github\"");
            }
        }
        for project in &self.projects {
            self.check_project(project)?;
        }
        for runner in &self.runners {
            let at = Some(runner.name.span().start);
            let wrong = |cause: String| Err((at, format!("runner \"{}\": {cause}", runner.name.get_ref())));
            if let Some(label) = runner.labels.iter().find(|label| !is_label(label)) {
                return wrong(format!("label \"{label}\": {LABEL_HELP}"));
            }
            if let Some(label) = runner.labels.iter().find(|label| is_measured_label(label)) {
                return wrong(format!("label \"{label}\": runners report these themselves; remove it"));
            }
            if let Some(quiet) = &runner.quiet
                && let Err(cause) = quiet.get_ref().parse::<QuietHours>()
            {
                return Err((Some(quiet.span().start), cause));
            }
        }
        for schedule in &self.schedules {
            if let Err(cause) = crate::schedule::parse(schedule.cron.get_ref()) {
                return Err((Some(schedule.cron.span().start), cause));
            }
        }
        Ok(())
    }

    fn check_project(&self, project: &ProjectConfig) -> Result<(), (Option<usize>, String)> {
        let forge = project.forge.get_ref();
        if !self.forges.iter().any(|known| known.name.get_ref() == forge) {
            let known: Vec<_> = self.forges.iter().map(|forge| forge.name.get_ref().as_str()).collect();
            let cause = format!("there is no forge \"{forge}\"; the configuration has: {}", or_none(&known));
            return Err((Some(project.forge.span().start), cause));
        }
        let at = Some(project.name.span().start);
        let wrong = |cause: &str| Err((at, format!("project \"{}\": {cause}", project.name.get_ref())));
        if project.stacks.is_empty() {
            return wrong("`stacks` is empty; name at least one stack that is built from the repository");
        }
        if let Some(stack) = project.stacks.iter().find(|stack| stack.contains('@')) {
            return wrong(&format!("stack \"{stack}\" has a version; the commit takes its place"));
        }
        if !project.compare.pairs.is_empty() {
            return wrong("`compare.pairs` is made from `stacks`; remove it");
        }
        let pulls = &project.pulls;
        if let Err(cause) =
            patterns::check([&pulls.bases, &pulls.paths, &pulls.ignore, &project.merge_branches])
        {
            return wrong(&cause);
        }
        if project.run.as_ref().is_some_and(|run| !run.stacks.is_empty()) {
            return wrong("`run.stacks` is made from `stacks`; remove it");
        }
        Ok(())
    }

    /// The address that links begin with.
    pub(crate) fn base(&self) -> String {
        let own = || format!("http://{}", self.listen);
        self.url.clone().unwrap_or_else(own).trim_end_matches('/').to_owned()
    }

    /// The database.
    pub(crate) fn address(&self) -> Address {
        self.database.clone().unwrap_or_else(|| Address::Sqlite(self.folder.join("tlslab.sqlite")))
    }

    /// The address of the database as a script needs it: with any password, and whatever the working folder
    /// is.
    pub(crate) fn address_for_programs(&self) -> anyhow::Result<String> {
        Ok(match self.address() {
            Address::Sqlite(path) => format!("sqlite:{}", std::path::absolute(path)?.display()),
            Address::Postgres(url) => url,
        })
    }

    /// A project by its name.
    pub(crate) fn project(&self, name: &str) -> Option<&ProjectConfig> {
        self.projects.iter().find(|project| project.name.get_ref() == name)
    }
}

/// The form of labels, for messages.
pub(crate) const LABEL_HELP: &str = "write 1 to 100 letters, digits and -_.=:";

/// A label is part of a list in a column.
pub(crate) fn is_label(label: &str) -> bool {
    (1..=100).contains(&label.len())
        && label.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_.=:".contains(&letter))
}

/// Whether a label is of those that runners report of their machines.
pub(crate) fn is_measured_label(label: &str) -> bool {
    label.starts_with(ARCHITECTURE) || label.starts_with(CLASS)
}

/// Before the architecture of a runner's processor, as a label.
pub(crate) const ARCHITECTURE: &str = "arch:";
/// Before the class of a runner's machine, as a label.
pub(crate) const CLASS: &str = "class:";

/// Whether this may be the name of something: a part of addresses and of identifiers.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Names are parts of addresses and of identifiers.
fn unique<'n>(
    what: &str,
    names: impl Iterator<Item = &'n Spanned<String>>,
) -> Result<(), (Option<usize>, String)> {
    let mut seen = BTreeMap::new();
    for name in names {
        let (at, text) = (name.span().start, name.get_ref());
        if !is_name(text) {
            let cause = format!("{what} \"{text}\": write 1 to 32 lowercase letters, digits and hyphens");
            return Err((Some(at), cause));
        }
        if seen.insert(text, at).is_some() {
            return Err((Some(at), format!("{what} \"{text}\" is used twice; give each its own name")));
        }
    }
    Ok(())
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The folder that relative paths of a configuration are below.
pub(crate) fn folder_of(path: &Path) -> anyhow::Result<PathBuf> {
    let Some(folder) = path.parent() else { bail!("{} is not a file", path.display()) };
    Ok(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
}

#[cfg(test)]
mod tests;
