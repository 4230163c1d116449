//! A PostgreSQL server that tests and benchmarks start, and that ends with them.
//!
//! It has a folder of its own below the system's temporary one. It answers on a socket there and, encrypted,
//! on a port of the loopback address. One server serves a whole program; each caller gets a database of its
//! own. It ends when the program does, even if that is killed, like every process of the lab. If it is not
//! available, that is an error with the next step; no test is skipped.

mod files;
mod programs;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use tlslab_process::{Output, Program, Supervised};

use files::Files;

/// The longest time that a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub struct Server {
    files: Files,
    port: u16,
    durable: bool,
    databases: AtomicU32,
}

/// The server that must be stopped when the program ends, since statics are not dropped.
static RUNNING: Mutex<Option<(Supervised, PathBuf)>> = Mutex::new(None);

static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();

impl Server {
    /// The program's server, which is started by the first call. If `durable` is true in the first call, it
    /// writes to disk as in production, which a benchmark needs and a test does not.
    ///
    /// # Errors
    /// Fails if PostgreSQL is missing or the server does not start, with the next step.
    pub fn shared(durable: bool) -> Result<&'static Self, String> {
        SERVER.get_or_init(|| Self::start(durable)).as_ref().map_err(Clone::clone)
    }

    /// Creates an empty database and returns its address.
    ///
    /// # Errors
    /// Fails if the server refuses it.
    pub fn new_database(&self) -> Result<String, String> {
        let name = format!("scratch_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut client = Client::connect(&self.url("postgres"), NoTls).map_err(|cause| cause.to_string())?;
        client.batch_execute(&format!("CREATE DATABASE {name}")).map_err(|cause| cause.to_string())?;
        Ok(self.url(&name))
    }

    /// The address of the same database, encrypted through the port instead of the socket.
    pub fn encrypted(&self, url: &str) -> String {
        let name = url.rsplit('/').next().and_then(|rest| rest.split('?').next());
        // The name precedes the socket's path, which has slashes, too.
        let name = url.strip_prefix("postgres:///").and_then(|rest| rest.split('?').next()).or(name);
        format!(
            "postgres://postgres@localhost:{}/{}?sslmode=verify-full&sslrootcert={}",
            self.port,
            name.unwrap_or_default(),
            self.files.certificate().display()
        )
    }

    /// Writes a backup of a database to a file, as `pg_dump --format=custom`.
    ///
    /// # Errors
    /// Fails if `pg_dump` is missing or fails.
    pub fn back_up(&self, url: &str, file: &Path) -> Result<(), String> {
        let arguments = ["--format=custom", "--file"].map(Into::into);
        self.run("pg_dump", &[&arguments[..], &[file.into(), url.into()]].concat())
    }

    /// Restores a backup to a new database and returns its address.
    ///
    /// # Errors
    /// Fails as [`Server::new_database`] does, and if `pg_restore` is missing or fails.
    pub fn restore(&self, file: &Path) -> Result<String, String> {
        let url = self.new_database()?;
        let arguments = ["--exit-on-error", "--dbname", &url].map(Into::into);
        self.run("pg_restore", &[&arguments[..], &[file.into()]].concat())?;
        Ok(url)
    }

    /// Runs a program of the server's version to its end.
    fn run(&self, name: &str, arguments: &[OsString]) -> Result<(), String> {
        let program = programs::beside_server(name)?;
        let done = Command::new(&program).args(arguments).output();
        let done = done.map_err(|cause| format!("{} cannot be started: {cause}", program.display()))?;
        match done.status.success() {
            true => Ok(()),
            false => Err(format!("{name} failed: {}", String::from_utf8_lossy(&done.stderr).trim())),
        }
    }

    /// Kills the server and all its descendants, as `kill -9` of each would. Its data are unchanged.
    ///
    /// # Errors
    /// Fails if the server is not running or cannot be killed.
    pub fn kill(&self) -> Result<(), String> {
        let mut running = RUNNING.lock().map_err(|cause| cause.to_string())?;
        let (server, _) = running.as_mut().ok_or("PostgreSQL does not run")?;
        // SAFETY: it is the server's own process id, which no other process has while the server is not
        // waited for.
        unsafe { libc::kill(server.program_id() as i32, libc::SIGKILL) };
        server.kill().map(drop).map_err(|cause| cause.to_string())
    }

    /// Restarts the server on the data of the killed one, and waits until it answers.
    ///
    /// # Errors
    /// Fails if the server does not start, with the end of its log.
    pub fn start_again(&self) -> Result<(), String> {
        self.launch()?;
        self.wait()
    }

    fn url(&self, database: &str) -> String {
        let folder = self.files.folder().display();
        format!("postgres:///{database}?host={folder}&port={}&user=postgres", self.port)
    }

    fn start(durable: bool) -> Result<Self, String> {
        let bin = programs::folder()?;
        let user = programs::user()?;
        let files = Files::new(user.as_ref())?;
        let run = |program: Program| {
            let mut running = program.spawn().map_err(|cause| cause.to_string())?;
            running.wait().map_err(|cause| cause.to_string())
        };
        let log = Output::File(files.log());
        let initdb = programs::as_user(user.as_ref(), &bin.join("initdb"))
            .args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(files.data())
            .directory(files.folder())
            .stdout(log.clone())
            .stderr(log);
        if !run(initdb)?.success() {
            return Err(format!("initdb failed: {}", files.last_words()));
        }
        files.make_certificate(user.as_ref())?;
        let server = Self { files, port: free_port()?, durable, databases: AtomicU32::new(0) };
        server.launch()?;
        // SAFETY: the function has C's calling convention, no arguments, and lives forever.
        unsafe { libc::atexit(stop) };
        server.wait()?;
        Ok(server)
    }

    fn launch(&self) -> Result<(), String> {
        let bin = programs::folder()?;
        let user = programs::user()?;
        let (files, port) = (&self.files, self.port);
        let durably = if self.durable { "on" } else { "off" };
        let folder = files.folder().display().to_string();
        let settings = [
            format!("unix_socket_directories={folder}"),
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={port}"),
            format!("fsync={durably}"),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", files.certificate().display()),
            format!("ssl_key_file={}", files.key().display()),
        ];
        let log = Output::File(files.log());
        let postgres = programs::as_user(user.as_ref(), &bin.join("postgres"))
            .arg("-D")
            .arg(files.data())
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .directory(files.folder())
            .stdout(log.clone())
            .stderr(log);
        let running = postgres.spawn().map_err(|cause| cause.to_string())?;
        *RUNNING.lock().map_err(|cause| cause.to_string())? = Some((running, files.folder().to_owned()));
        Ok(())
    }

    fn wait(&self) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match Client::connect(&self.url("postgres"), NoTls) {
                Ok(_) => return Ok(()),
                Err(cause) if Instant::now() > deadline => {
                    return Err(format!("PostgreSQL does not answer: {cause}; {}", self.files.last_words()));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}

/// Ends the server in order, so that it leaves no shared memory, and removes its folder. If that fails, or
/// the program is killed, the server's keeper kills it.
extern "C" fn stop() {
    let Ok(mut running) = RUNNING.lock() else { return };
    let Some((mut server, folder)) = running.take() else { return };
    // A server that was killed and not restarted has no process id any more.
    if matches!(server.wait_timeout(Duration::ZERO), Ok(None)) {
        // SAFETY: it is the server's own process id, which no other process has while the server is not
        // waited for.
        unsafe { libc::kill(server.program_id() as i32, libc::SIGQUIT) };
    }
    if !matches!(server.wait_timeout(Duration::from_secs(5)), Ok(Some(_))) {
        let _ = server.kill();
    }
    remove(&folder);
}

fn remove(folder: &Path) {
    // Files that cannot be removed are below the system's temporary folder.
    let _ = std::fs::remove_dir_all(folder);
}

fn free_port() -> Result<u16, String> {
    let socket = std::net::TcpListener::bind(("127.0.0.1", 0)).map_err(|cause| cause.to_string())?;
    socket.local_addr().map(|address| address.port()).map_err(|cause| cause.to_string())
}
