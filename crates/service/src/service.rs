//! The shared state of a service.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use tlslab_forge::{App, Authorities, Client, Forge, Kind, NoticeHook, Transport, Web};
use tlslab_queue::{NewRunner, Origin, Queue, QueueError, hash_key};
use tokio::sync::Notify;

use crate::beats::Beats;
use crate::config::{Config, ForgeConfig, ProjectConfig};
use crate::fetch_token::FetchToken;
use crate::pool::Pool;
use crate::secret::Secret;

/// A service: its configuration, its database, and its clients.
pub(crate) struct Service {
    /// The configuration.
    pub config: Config,
    /// The database.
    pub pool: Pool,
    /// Code hosts by name.
    pub forges: BTreeMap<String, ForgeAccess>,
    /// The tokens that git uses for private repositories, by project.
    pub fetch_tokens: BTreeMap<String, FetchToken>,
    /// The runners of its configuration.
    pub runners: Vec<NewRunner>,
    /// Set when the service is to stop.
    pub stop: AtomicBool,
    /// Something has changed that a waiting runner, page or loop wants to know.
    pub changed: Notify,
    /// A runner reports progress, for waiting pages.
    pub progressed: Notify,
    /// Whether the database tells when there is work.
    pub is_told: AtomicBool,
    /// What `/metrics` counts.
    pub counters: Counters,
    /// When each loop was last alive.
    pub beats: Beats,
    /// The site of its database.
    pub site: crate::site_cache::Cache,
    /// Samples that were read last.
    pub samples: crate::sample_cache::Samples,
    /// Addresses that take notices, by name.
    pub hooks: BTreeMap<String, NoticeHook>,
    /// Ended jobs from this number on have their verdicts; -1 for none yet, 0 when all have.
    pub concluded_to: AtomicI64,
    /// The next check for old data, milliseconds since 1970.
    pub kept_until: AtomicU64,
    /// No event is looked for before, milliseconds since 1970.
    pub noticed_until: AtomicU64,
    /// One after the other copies the runs that it has received.
    pub copying: Mutex<()>,
    clients: Mutex<BTreeMap<String, Arc<Mutex<Client>>>>,
    /// Code hosts that did not answer, and until when they are left alone.
    silent: Mutex<BTreeMap<String, u64>>,
    /// When the open pull requests of each project are read again.
    reconciled: Mutex<BTreeMap<String, u64>>,
    /// A time that a test moves, milliseconds since 1970; 0 for the machine's own.
    clock: Arc<AtomicU64>,
    /// Transports of requests to code hosts, if not the network.
    transports: Option<Transports>,
}

/// Makes the transport of requests to a code host.
pub(crate) type Transports = Box<dyn Fn(&str) -> Box<dyn Transport + Send> + Send + Sync>;

/// How long a code host is left alone that did not answer: others are not kept waiting for it meanwhile.
const SILENCE: Duration = Duration::from_secs(60);

/// Counters since the service has started.
#[derive(Default)]
pub(crate) struct Counters {
    /// Deliveries that were kept.
    pub deliveries: AtomicU64,
    /// Repeated deliveries.
    pub repeated: AtomicU64,
    /// Requests that were refused because they are not signed by a forge.
    pub refused: AtomicU64,
    /// Messages that were sent.
    pub sent: AtomicU64,
    /// Messages that could not be sent and wait.
    pub delayed: AtomicU64,
    /// Messages that a code host acknowledged but did not show.
    pub unconfirmed: AtomicU64,
    /// Notices that arrived.
    pub notices: AtomicU64,
    /// Notices that did not arrive and wait.
    pub notices_delayed: AtomicU64,
    /// Errors of the database.
    pub database_errors: AtomicU64,
}

impl Counters {
    /// Counts one.
    pub(crate) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// How a code host is spoken to.
pub(crate) struct ForgeAccess {
    /// Which one.
    pub kind: Kind,
    /// The secret of its webhooks.
    pub webhook_secret: Secret,
    /// The one before, while it is good, too.
    pub former_webhook_secret: Option<Secret>,
    config: ForgeConfig,
    authorities: Option<Authorities>,
    credentials: Credentials,
}

enum Credentials {
    Token(Secret),
    App(App),
}

impl Service {
    /// With all secrets read.
    ///
    /// # Errors
    /// Fails if a secret cannot be read.
    pub(crate) fn new(config: Config, beside: &Path, lease: Option<Duration>) -> anyhow::Result<Self> {
        let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
        let credentials = credentials.as_deref();
        let mut forges = BTreeMap::new();
        for forge in &config.forges {
            let name = forge.name.get_ref();
            let access =
                ForgeAccess::new(forge, beside, credentials).with_context(|| format!("forge \"{name}\""))?;
            forges.insert(name.clone(), access);
        }
        let mut runners = Vec::new();
        for runner in &config.runners {
            let name = runner.name.get_ref();
            let key = runner.key.read(beside, credentials).with_context(|| format!("runner \"{name}\""))?;
            // It was checked with the configuration.
            let quiet =
                runner.quiet.as_ref().and_then(|quiet| quiet.get_ref().parse().ok()).unwrap_or_default();
            runners.push(NewRunner {
                name: name.clone(),
                key_hash: hash_key(key.reveal()),
                labels: runner.labels.clone(),
                quiet,
                origin: Origin::Configuration,
            });
        }
        let hooks = crate::config::hooks(&config.notifies, beside, credentials)?;
        let is_own = |forge: &str, secret: &Secret| {
            forges.get(forge).is_some_and(|access: &ForgeAccess| access.is_own_token(secret))
        };
        let fetch_tokens = crate::fetch_token::read_tokens(&config, is_own, beside, credentials)?;
        let pool = Pool::new(config.address(), lease);
        Ok(Self {
            config,
            pool,
            forges,
            fetch_tokens,
            runners,
            stop: AtomicBool::new(false),
            changed: Notify::new(),
            progressed: Notify::new(),
            is_told: AtomicBool::new(false),
            counters: Counters::default(),
            beats: Beats::default(),
            site: Default::default(),
            samples: Default::default(),
            hooks,
            concluded_to: AtomicI64::new(-1),
            kept_until: AtomicU64::default(),
            noticed_until: AtomicU64::default(),
            copying: Mutex::default(),
            clients: Mutex::default(),
            silent: Mutex::default(),
            reconciled: Mutex::default(),
            clock: Arc::default(),
            transports: None,
        })
    }

    /// A service with another clock, which is the queue's, too, and with other transports to code hosts: for
    /// tests.
    #[cfg(test)]
    pub(crate) fn played(self, clock: &Arc<AtomicU64>, transports: Transports) -> Self {
        Self { clock: clock.clone(), transports: Some(transports), pool: self.pool.with_clock(clock), ..self }
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_unix_ms(&self) -> u64 {
        match self.clock.load(Ordering::SeqCst) {
            0 => SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .map_or(0, |since| since.as_millis() as u64),
            time => time,
        }
    }

    /// Does something with the queue.
    pub(crate) fn queue<T>(
        &self,
        work: impl FnOnce(&dyn Queue) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let done = self.pool.with(work);
        if matches!(done, Err(QueueError::Store(_))) {
            Counters::add(&self.counters.database_errors);
        }
        done
    }

    /// The same outside the threads that answer requests.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&dyn Queue) -> Result<T, QueueError> + Send + 'static,
    ) -> Result<T, QueueError> {
        let service = self.clone();
        let done = tokio::task::spawn_blocking(move || service.queue(work)).await;
        done.unwrap_or_else(|cause| {
            Err(QueueError::Damaged { place: "this service".to_owned(), cause: cause.to_string() })
        })
    }

    /// After which time a waiter looks for work again: another service may have enqueued some, or a job's
    /// time may have come.
    pub(crate) fn looks_again_after(&self) -> Duration {
        Duration::from_secs(if self.is_told.load(Ordering::Relaxed) { 5 } else { 1 })
    }

    /// Whether it is to stop.
    pub(crate) fn stops(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Waits for a time, or until the service is to stop.
    pub(crate) fn pause(&self, time: Duration) {
        if self.clock.load(Ordering::SeqCst) > 0 {
            return;
        }
        let end = std::time::Instant::now() + time;
        while !self.stops() && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20).min(time));
        }
    }

    /// The client of a project's repository.
    ///
    /// # Errors
    /// Fails if the repository or the address is invalid.
    pub(crate) fn client(&self, project: &ProjectConfig) -> anyhow::Result<Arc<Mutex<Client>>> {
        let name = project.name.get_ref().clone();
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&name) {
            return Ok(client.clone());
        }
        let forge = project.forge.get_ref();
        let access = self.forges.get(forge).with_context(|| format!("there is no forge \"{forge}\""))?;
        let transport = self.transports.as_ref().map(|make| make(forge));
        let client = Arc::new(Mutex::new(access.client(project.repository.get_ref(), transport)?));
        clients.insert(name, client.clone());
        Ok(client)
    }

    /// A code host did not answer.
    pub(crate) fn leave_alone(&self, forge: &str) {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        silent.insert(forge.to_owned(), self.now_unix_ms() + SILENCE.as_millis() as u64);
    }

    /// For how long a code host is still left alone, if it is.
    pub(crate) fn left_alone(&self, forge: &str) -> Option<Duration> {
        let silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        let left_ms = silent.get(forge)?.checked_sub(self.now_unix_ms())?;
        // After a clock was set back it is meaningless.
        let left = Duration::from_millis(left_ms);
        (left_ms > 0 && left <= SILENCE).then_some(left)
    }

    /// A project whose open pull requests are to be read now.
    pub(crate) fn due_for_reconciling(&self) -> Option<&ProjectConfig> {
        let reconciled = self.reconciled.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.now_unix_ms();
        let is_due = |project: &&ProjectConfig| {
            reconciled.get(project.name.get_ref()).is_none_or(|at| *at <= now)
                && self.left_alone(project.forge.get_ref()).is_none()
        };
        self.config.projects.iter().find(is_due)
    }

    /// They are read again after a while.
    pub(crate) fn reconcile_after(&self, project: &str, time: Duration) {
        let mut reconciled = self.reconciled.lock().unwrap_or_else(PoisonError::into_inner);
        reconciled.insert(project.to_owned(), self.now_unix_ms() + time.as_millis() as u64);
    }

    /// The projects of a repository on a code host.
    pub(crate) fn projects_of(&self, forge: &str, repository: &str) -> Vec<&ProjectConfig> {
        let is_of = |project: &&ProjectConfig| {
            project.forge.get_ref() == forge && project.repository.get_ref().eq_ignore_ascii_case(repository)
        };
        self.config.projects.iter().filter(is_of).collect()
    }
}

impl ForgeAccess {
    fn new(config: &ForgeConfig, beside: &Path, credentials: Option<&Path>) -> anyhow::Result<Self> {
        let webhook_secret = config.webhook_secret.read(beside, credentials)?;
        let former = config.former_webhook_secret.as_ref();
        let former_webhook_secret = former.map(|place| place.read(beside, credentials)).transpose()?;
        let authorities =
            config.ca.as_ref().map(|ca| crate::authorities::read(&beside.join(ca))).transpose()?;
        let read = |place: &crate::secret::SecretPlace| place.read(beside, credentials);
        let credentials = match (&config.token, config.app, &config.app_key) {
            (_, Some(app), Some(key)) => Credentials::App(App::new(app, read(key)?.reveal())?),
            (Some(token), _, _) => Credentials::Token(read(token)?),
            _ => anyhow::bail!("there is neither a token nor a GitHub App"),
        };
        let access = Self {
            kind: config.kind,
            webhook_secret,
            former_webhook_secret,
            config: config.clone(),
            authorities,
            credentials,
        };
        // A wrong address is found before anything starts.
        access.forge("owner/name")?;
        Ok(access)
    }

    /// Whether the operator permits unencrypted connections.
    pub(crate) fn allows_plain_http(&self) -> bool {
        self.config.allow_plain_http
    }

    /// Whether a secret is the service's own, with which it can do more than read.
    pub(crate) fn is_own_token(&self, secret: &Secret) -> bool {
        matches!(&self.credentials, Credentials::Token(own) if own == secret)
    }

    fn forge(&self, repository: &str) -> anyhow::Result<Forge> {
        let make = if self.config.allow_plain_http { Forge::new_plain } else { Forge::new };
        Ok(make(self.kind, &self.config.api, repository)?)
    }

    fn client(
        &self,
        repository: &str,
        transport: Option<Box<dyn Transport + Send>>,
    ) -> anyhow::Result<Client> {
        let forge = self.forge(repository)?;
        let trusting = |web: Web| match &self.authorities {
            Some(authorities) => web.trusting(authorities),
            None => web,
        };
        Ok(match &self.credentials {
            Credentials::Token(token) => {
                let web =
                    || Box::new(trusting(Web::new(self.kind, token.reveal()))) as Box<dyn Transport + Send>;
                Client::new(forge, transport.unwrap_or_else(web))
            }
            Credentials::App(app) => {
                let web = || Box::new(trusting(Web::without_token(self.kind))) as Box<dyn Transport + Send>;
                Client::with_app(forge, transport.unwrap_or_else(web), app.clone())
            }
        })
    }
}
