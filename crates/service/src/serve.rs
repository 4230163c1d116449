//! The service from its start to its end.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use listenfd::ListenFd;
use tlslab_queue::{Access, NewRunner, Origin, QueueError, QuietHours, Schedule, Scope, hash_key};
use tlslab_store::StoreError;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::Config;
use crate::http::{connections, router};
use crate::log::log;
use crate::schedule::next_after;
use crate::service::Service;
use crate::{local, loops, received};

/// A shorter lease, for tests: milliseconds.
const LEASE_VARIABLE: &str = "TLSLAB_SERVICE_LEASE_MS";

/// Serves until SIGTERM or Ctrl-C.
pub(crate) fn serve(config: Config, beside: &Path, lab: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(&config.folder)
        .with_context(|| format!("cannot make the folder {}", config.folder.display()))?;
    let lease =
        std::env::var(LEASE_VARIABLE).ok().and_then(|text| text.parse().ok()).map(Duration::from_millis);
    let service = Arc::new(Service::new(config, beside, lease)?);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(until_stopped(service, lab))
}

async fn until_stopped(service: Arc<Service>, lab: &Path) -> anyhow::Result<()> {
    let stopping = service.clone();
    let mut ends = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    tokio::spawn(async move {
        tokio::select! {
            _ = ends.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        log("stops");
        stopping.stop.store(true, Ordering::SeqCst);
        stopping.changed.notify_waiters();
    });
    let preparing = service.clone();
    let prepared = tokio::task::spawn_blocking(move || prepare(&preparing)).await;
    if !prepared.context("the preparation ended early")?? {
        return Ok(());
    }
    let listener = listener(&service.config).await?;
    // Only now is no other service at work in this folder.
    received::clear(&service.config.folder)?;
    let address = listener.local_addr().context("cannot listen")?;
    let mut threads = loops::start(&service);
    if service.config.local_runner {
        let own = format!("http://127.0.0.1:{}", address.port());
        let key_file = service.config.folder.join("runner.key");
        threads.push(local::start(&service, lab.to_owned(), key_file, own));
    }
    log(&format!("listens at http://{address}"));
    let stopped = service.clone();
    let until = async move {
        while !stopped.stops() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // Requests in progress get a moment to finish.
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    // The local runner gives its job back while requests are still answered.
    let joined =
        tokio::task::spawn_blocking(move || threads.into_iter().for_each(|thread| drop(thread.join())));
    let until = async move {
        until.await;
        let _ = joined.await;
    };
    connections::serve(listener, router(service.clone()), until).await;
    Ok(())
}

/// The socket of a supervisor, which keeps accepting connections while the service restarts; without one, a
/// new socket.
async fn listener(config: &Config) -> anyhow::Result<TcpListener> {
    let mut handed_over = ListenFd::from_env();
    let first =
        handed_over.take_tcp_listener(0).context("the supervisor's socket is not a listening TCP socket")?;
    if let Some(first) = first {
        first.set_nonblocking(true).context("cannot use the socket of the supervisor")?;
        return TcpListener::from_std(first).context("cannot use the socket of the supervisor");
    }
    let listen = config.listen;
    let listener = TcpListener::bind(listen).await;
    listener.with_context(|| format!("cannot listen at {listen}; is another service running?"))
}

/// Waits for the database, and registers the configured runners and schedules; false if the service is to
/// stop.
fn prepare(service: &Service) -> anyhow::Result<bool> {
    let mut has_said = false;
    loop {
        match register(service) {
            Ok(()) => return Ok(true),
            Err(QueueError::Store(cause)) if is_away(&cause) => {
                if !std::mem::replace(&mut has_said, true) {
                    log(&format!("waits for the database: {cause}"));
                }
                service.pause(Duration::from_secs(1));
            }
            Err(cause) => return Err(cause.into()),
        }
        if service.stops() {
            return Ok(false);
        }
    }
}

fn is_away(cause: &StoreError) -> bool {
    matches!(cause, StoreError::Unreachable { .. } | StoreError::Database { .. })
}

/// Owner of the token in a service's folder. Services that share a database have a token each.
fn owner_of(folder: &Path) -> String {
    // A relative path would depend on the folder in which the service was started.
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let place = hash_key(&folder.to_string_lossy());
    format!("owner-{}-{}", local::host(), &place[..8])
}

fn register(service: &Service) -> Result<(), QueueError> {
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let schedules: Vec<Schedule> = service
        .config
        .schedules
        .iter()
        .filter_map(|schedule| {
            let cron = schedule.cron.get_ref().clone();
            let next_at_unix_ms = next_after(&cron, now).ok()?;
            Some(Schedule { name: schedule.name.get_ref().clone(), cron, next_at_unix_ms })
        })
        .collect();
    service.queue(|queue| {
        for known in queue.runners()? {
            let is_configured = service.runners.iter().any(|runner| runner.name == known.name);
            // Local ones are their own service's; databases of before have them without their origin.
            let is_local = known.origin == Origin::Local || known.name.starts_with("local-");
            if !is_configured && !is_local && known.origin == Origin::Configuration {
                queue.remove_runner(&known.name)?;
            }
        }
        for runner in &service.runners {
            queue.register_runner(runner)?;
        }
        queue.set_schedules(&schedules)
    })?;
    let secret = |name: &str, fresh: bool| -> Result<String, QueueError> {
        let path = service.config.folder.join(name);
        if let (false, Ok(text)) = (fresh, std::fs::read_to_string(&path)) {
            return Ok(text.trim().to_owned());
        }
        let text = local::new_secret();
        let failed = |cause: anyhow::Error| QueueError::Damaged {
            place: path.display().to_string(),
            cause: format!("{cause:#}"),
        };
        local::write_secret(&path, &text).map_err(failed)?;
        Ok(text)
    };
    let owner = hash_key(&secret("token", false)?);
    service.queue(|queue| match queue.access_of_token(&owner)? {
        Some(access) if access.scopes.contains(&Scope::Administer) => Ok(()),
        _ => {
            let access = Access { name: owner_of(&service.config.folder), scopes: vec![Scope::Administer] };
            queue.grant(&access, &owner)
        }
    })?;
    if service.config.local_runner {
        let key = secret("runner.key", true)?;
        let runner = NewRunner {
            name: local::name(),
            key_hash: hash_key(&key),
            labels: service.config.local_labels.clone(),
            quiet: QuietHours::default(),
            origin: Origin::Local,
        };
        service.queue(|queue| queue.register_runner(&runner))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(folder: &Path, database: &Path) -> Service {
        std::fs::create_dir_all(folder).unwrap();
        let text =
            format!("folder = \"{}\"\ndatabase = \"sqlite:{}\"\n", folder.display(), database.display());
        Service::new(Config::parse(&text).unwrap(), folder, None).unwrap()
    }

    #[test]
    fn a_service_leaves_the_token_of_another_on_its_database_valid() {
        let place = tempfile::tempdir().unwrap();
        let database = place.path().join("shared.sqlite");
        let folders = [place.path().join("one"), place.path().join("other")];
        let services = folders.each_ref().map(|folder| service(folder, &database));
        for service in services.iter().chain(&services) {
            register(service).unwrap();
        }
        let [one, other] = folders.map(|folder| std::fs::read_to_string(folder.join("token")).unwrap());
        let access = |token: &str| services[0].queue(|queue| queue.access_of_token(&hash_key(token.trim())));
        let (one, other) = (access(&one).unwrap().unwrap(), access(&other).unwrap().unwrap());
        assert_ne!(one.name, other.name);
        assert!(one.scopes == [Scope::Administer] && other.scopes == one.scopes);
        // A new token replaces the folder's last one.
        std::fs::write(place.path().join("one/token"), "another").unwrap();
        register(&services[0]).unwrap();
        assert_eq!(access("another").unwrap().unwrap(), one);
        let here = std::env::current_dir().unwrap().join("lab");
        assert_eq!(owner_of(Path::new("lab")), owner_of(&here));
    }
}
