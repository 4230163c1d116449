//! A Gitea server that a test starts, and that ends with it.
//!
//! [`Gitea::build`] builds the program from its Go module once, into the cache. [`Gitea::start`] starts a
//! server with a folder and a port of its own; several may run at once. It ends when its value is dropped or
//! the test's process dies. If a prerequisite is missing, it is an error with the next step; no test is
//! skipped.
//!
//! A user made with [`Gitea::create_user`] acts through the API and through git with a token that this value
//! stores.

mod accounts;
mod api;
mod distribution;
mod error;
mod git;
mod programs;
mod pulls;
mod repositories;
mod settings;
mod users;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tlslab_process::{Output, Program, Supervised};

use accounts::Accounts;
use api::Api;
use distribution::PROGRAM;
pub use error::GiteaError;
use error::describe;
use programs::{User, as_user, give, last_lines};
pub use pulls::{Comment, Issue, Status};

/// The longest time that a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(120);
const RETRY: Duration = Duration::from_millis(50);

/// A running server. Dropping it kills the server and all its descendants.
pub struct Gitea {
    folder: PathBuf,
    port: u16,
    api: Api,
    accounts: Accounts,
    running: Supervised,
}

/// Shows its address; its tokens are secrets.
impl std::fmt::Debug for Gitea {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gitea")
            .field("folder", &self.folder)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

impl Gitea {
    /// Builds the server's program if it is not in the cache yet, which takes minutes, and returns its
    /// folder. If several callers need it, one builds and the others wait.
    ///
    /// # Errors
    /// Fails with [`GiteaError::Missing`] without Go or a C compiler, and with [`GiteaError::Failed`] if the
    /// build fails.
    pub fn build() -> Result<PathBuf, GiteaError> {
        distribution::build()
    }

    /// Starts a server in that folder. The folder is created if it does not exist, and belongs to the
    /// server's user from then on. If this process runs as root, the server runs as the user nobody, so that
    /// user must be able to enter every folder above.
    ///
    /// # Errors
    /// Fails as [`Gitea::build`] does, with [`GiteaError::Process`] if the server cannot be started, and with
    /// [`GiteaError::Silent`] if it does not answer within two minutes.
    pub fn start(folder: impl AsRef<Path>) -> Result<Self, GiteaError> {
        let distribution = Self::build()?;
        programs::find("git", None, "install it (Debian: git)")?;
        let folder = folder.as_ref();
        fs::create_dir_all(folder).map_err(describe(folder))?;
        let folder = folder.canonicalize().map_err(describe(folder))?;
        let user = programs::user()?;
        let port = free_port()?;
        prepare(&folder, &distribution, port, user.as_ref())?;
        let log = Output::File(folder.join("output.log"));
        let web = program(&folder, user.as_ref()).arg("web").stdout(log.clone()).stderr(log).spawn()?;
        let mut server =
            Self { api: Api::new(port), accounts: Accounts::default(), running: web, port, folder };
        server.wait()?;
        server.create_admin(user.as_ref())?;
        Ok(server)
    }

    /// The address of its pages, without a slash at the end.
    #[must_use]
    pub fn git_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The address of its API, without a slash at the end.
    #[must_use]
    pub fn api_url(&self) -> String {
        format!("{}/api/v1", self.git_url())
    }

    /// The address from which git clones a repository `owner/name`.
    #[must_use]
    pub fn clone_url(&self, repository: &str) -> String {
        format!("{}/{repository}.git", self.git_url())
    }

    /// The folder with the server's data, settings and logs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn wait(&mut self) -> Result<(), GiteaError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let cause = match self.api.anonymous("GET", "/version") {
                Ok(_) => return Ok(()),
                Err(cause) => cause.to_string(),
            };
            if let Some(ended) = self.running.wait_timeout(Duration::ZERO)? {
                return Err(self.silent(format!("it ended with {ended}")));
            }
            if Instant::now() > deadline {
                return Err(self.silent(cause));
            }
            std::thread::sleep(RETRY);
        }
    }

    fn silent(&self, cause: String) -> GiteaError {
        let logs = ["output.log", "log/gitea.log"].map(|log| last_lines(&self.folder.join(log)));
        GiteaError::Silent { url: self.git_url(), cause, log: logs.join("; ") }
    }

    /// Creates the first user through the command line, the only way for it.
    fn create_admin(&mut self, user: Option<&User>) -> Result<(), GiteaError> {
        let create = program(&self.folder, user)
            .args(["admin", "user", "create", "--admin", "--username", accounts::ADMIN])
            .args(["--email", "admin@scratch.example", "--random-password", "--must-change-password=false"])
            .args(["--access-token", "--access-token-name", "scratch", "--access-token-scopes", "all"]);
        let text = programs::run("`gitea admin user create`", create, &self.folder.join("output.log"))?;
        let token = text
            .split_whitespace()
            .rev()
            .find(|word| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let token = token.ok_or_else(|| GiteaError::Failed {
            what: "`gitea admin user create`".to_owned(),
            output: "its output has no token".to_owned(),
        })?;
        self.accounts.set_admin(token);
        Ok(())
    }
}

/// The server's program with its settings, as its user.
fn program(folder: &Path, user: Option<&User>) -> Program {
    as_user(user, &folder.join(PROGRAM))
        .arg("--config")
        .arg(folder.join("app.ini"))
        .env("HOME", folder.join("data"))
        .env("GITEA_WORK_DIR", folder)
        .directory(folder)
}

/// Prepares the folder before the server starts.
fn prepare(folder: &Path, distribution: &Path, port: u16, user: Option<&User>) -> Result<(), GiteaError> {
    distribution::install(distribution, folder)?;
    for name in ["data", "log", "repositories", "custom"] {
        let path = folder.join(name);
        fs::create_dir_all(&path).map_err(describe(&path))?;
        give(&path, user)?;
    }
    let file = folder.join("app.ini");
    fs::write(&file, settings::settings(folder, port)?).map_err(describe(&file))?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).map_err(describe(&file))?;
    give(&file, user)?;
    give(folder, user)
}

fn free_port() -> Result<u16, GiteaError> {
    let loopback = || std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr();
    loopback().map(|address| address.port()).map_err(describe(Path::new("127.0.0.1")))
}
