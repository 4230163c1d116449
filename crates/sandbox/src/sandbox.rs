//! Sandboxes of one machine: the programs that make them, and their users.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tlslab_process::{Output, Program};

use crate::bounds::Bounds;
use crate::confinement::Confinement;
use crate::filters::filters;
use crate::folder::Folder;
use crate::ownership::{give, lend};
use crate::unavailable::Unavailable;
use crate::users::USER;

/// Makes sandboxes. It keeps a folder with the filters, which is removed with it.
#[derive(Debug)]
pub struct Sandbox {
    bubblewrap: PathBuf,
    prlimit: PathBuf,
    /// With it, root becomes another user; otherwise there is a user namespace.
    setpriv: Option<PathBuf>,
    version: String,
    folder: Folder,
}

impl Sandbox {
    /// Checks whether sandboxes can be made here, by making one.
    ///
    /// # Errors
    /// Fails if a program is missing or the kernel refuses, with the remedy.
    pub fn find() -> Result<Self, Unavailable> {
        let bubblewrap = installed("bwrap", "bubblewrap")?;
        let prlimit = installed("prlimit", "util-linux")?;
        let is_root = rustix::process::geteuid().is_root();
        let setpriv = if is_root { Some(installed("setpriv", "util-linux")?) } else { None };
        let version = answer(Program::new(&bubblewrap).arg("--version"))?;
        let folder = Folder::make(&std::env::temp_dir()).map_err(io_of("make a folder for filters"))?;
        for (traces, name) in [(false, PLAIN), (true, TRACING)] {
            for (place, filter) in filters(traces).map_err(io_of("compile filters"))?.iter().enumerate() {
                fs::write(folder.path().join(format!("{name}-{place}")), filter)
                    .map_err(io_of("write filters"))?;
            }
        }
        let sandbox = Self { bubblewrap, prlimit, setpriv, version, folder };
        let nothing = Program::new("/usr/bin/env").arg("echo").arg("ready").env("PATH", "/usr/bin:/bin");
        match answer(sandbox.enclose(&nothing, &Confinement::new(Bounds::MEASURE)))?.as_str() {
            "ready" => Ok(sandbox),
            other => Err(Unavailable::Refused { cause: format!("it printed `{other}`") }),
        }
    }

    /// Its description, as results name it. Times measured in different ones are not compared.
    #[must_use]
    pub fn description(&self) -> String {
        let user = if self.setpriv.is_some() { "a user of its own" } else { "a user namespace" };
        format!("{}, {user}, filters {}", self.version, FILTERS)
    }

    /// The program that runs another one in a sandbox, during the lifetime of `self`. Its standard streams,
    /// priority, processor and address-space layout are unchanged.
    pub fn enclose(&self, program: &Program, confinement: &Confinement) -> Program {
        let name = if confinement.traces { TRACING } else { PLAIN };
        let filter = |place| self.folder.path().join(format!("{name}-{place}"));
        let user = self.user(confinement).to_string();
        let mut enclosed =
            Program::new("/bin/sh").arg("-c").arg(OPEN).arg(filter(0)).arg(filter(1)).arg(&user);
        enclosed = enclosed.arg(&self.bubblewrap).args(["--add-seccomp-fd", "8", "--add-seccomp-fd", "9"]);
        match self.setpriv {
            // Capabilities only for the change to that user; they are dropped after it.
            Some(_) => enclosed = enclosed.args(["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]),
            None => enclosed = enclosed.args(["--unshare-user", "--uid", &user, "--gid", &user]),
        }
        enclosed = enclosed.args(confinement.options()).arg("--chdir");
        enclosed = enclosed.arg(program.directory.as_deref().unwrap_or(Path::new("/tmp"))).arg("--");
        if let Some(setpriv) = &self.setpriv {
            enclosed = enclosed.arg(setpriv).args(["--reuid", &user, "--regid", &user]);
            enclosed = match confinement.lent().next() {
                Some(_) => enclosed.arg("--groups").arg(USER.to_string()),
                None => enclosed.arg("--clear-groups"),
            };
            enclosed = enclosed.args(["--no-new-privs", "--"]);
        }
        // Only here: processes are counted by user, who is the sandbox's own from here on, or by the user
        // namespace.
        enclosed = enclosed.arg(&self.prlimit).args(confinement.bounds.options()).arg("--");
        // The variables are set last: some preload a library, which must not get into the programs before.
        enclosed =
            enclosed.args(["/usr/bin/env", "-i"]).args(variables(program)).arg(absolute(&program.path));
        enclosed = enclosed.args(&program.args);
        Program {
            directory: Some("/".into()),
            stdin: program.stdin,
            stdout: program.stdout.clone(),
            stderr: program.stderr.clone(),
            channel: program.channel.clone(),
            cpu: program.cpu,
            fixed_addresses: program.fixed_addresses,
            nice: program.nice,
            ..enclosed
        }
    }

    /// Before a program runs in a sandbox: gives it the folders that it may write to.
    ///
    /// # Errors
    /// Fails if an owner cannot be changed.
    pub fn hand_over(&self, confinement: &Confinement) -> io::Result<()> {
        if self.setpriv.is_some() {
            // They stay lent: other sandboxes of this lab and of others read them, too.
            confinement.lent().try_for_each(|folder| lend(folder, USER))?;
        }
        self.give(confinement, self.user(confinement))
    }

    /// After its end: takes the folders back with their contents.
    ///
    /// # Errors
    /// As [`Sandbox::hand_over`].
    pub fn take_back(&self, confinement: &Confinement) -> io::Result<()> {
        self.give(confinement, 0)
    }

    fn user(&self, confinement: &Confinement) -> u32 {
        if self.setpriv.is_some() { confinement.user } else { USER }
    }

    fn give(&self, confinement: &Confinement, user: u32) -> io::Result<()> {
        if self.setpriv.is_none() {
            return Ok(());
        }
        confinement.writable().try_for_each(|folder| give(folder, user))
    }
}

/// Bubblewrap reads filters and the lists of users and groups from descriptors that it inherits, and closes
/// them.
const OPEN: &str = r#"first=$0 second=$1 user=$2; shift 2; exec "$@" 8<"$first" 9<"$second" 6<<USERS 7<<GROUPS
sandbox:x:$user:$user::/tmp:/bin/sh
nobody:x:65534:65534::/nonexistent:/bin/false
USERS
sandbox:x:$user:
nogroup:x:65534:
GROUPS
"#;
const PLAIN: &str = "plain";
const TRACING: &str = "tracing";
/// Increase it when the filters change the behaviour of a measured program.
const FILTERS: u32 = 2;

/// In the order in which the standard library passes variables on, so that a program finds its own in the
/// same order as outside.
fn variables(program: &Program) -> Vec<OsString> {
    let inherited = program.inherits_environment.then(std::env::vars_os).into_iter().flatten();
    let all: BTreeMap<OsString, OsString> = inherited.chain(program.environment.iter().cloned()).collect();
    let variable = |(name, value): (OsString, OsString)| {
        let mut variable = name;
        variable.push("=");
        variable.push(value);
        variable
    };
    all.into_iter().map(variable).collect()
}

/// Bubblewrap's own processes between the started program and the one inside.
pub const GENERATIONS: usize = 2;

/// A bare name is looked up inside; any other is the lab's.
fn absolute(path: &Path) -> PathBuf {
    let is_bare = path.components().count() == 1 && path.is_relative();
    if is_bare { path.to_owned() } else { std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) }
}

fn installed(program: &'static str, package: &'static str) -> Result<PathBuf, Unavailable> {
    // In the system's folders, where only root writes, whatever the path is.
    let places = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"];
    let mut found = places.iter().map(|place| Path::new(place).join(program)).filter(|file| file.is_file());
    found.next().ok_or(Unavailable::Missing { program, package })
}

/// The first line of a program's output, or why it failed.
fn answer(program: Program) -> Result<String, Unavailable> {
    let not_started = |error: tlslab_process::ProcessError| Unavailable::Refused { cause: error.to_string() };
    let mut running = program.stdout(Output::Piped).stderr(Output::Piped).spawn().map_err(not_started)?;
    let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
    let ended = running.wait_timeout(LONGEST).map_err(not_started)?;
    let Some(ended) = ended else {
        return Err(Unavailable::Refused { cause: format!("no answer within {} s", LONGEST.as_secs()) });
    };
    if ended.success() {
        return Ok(first_line(stdout));
    }
    let said = first_line(stderr);
    Err(Unavailable::Refused { cause: if said.is_empty() { ended.to_string() } else { said } })
}

fn first_line(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // Unreadable output is an empty answer.
        let _ = stream.take(4096).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().trim().to_owned()
}

const LONGEST: Duration = Duration::from_secs(30);

fn io_of<E: ToString>(doing: &'static str) -> impl Fn(E) -> Unavailable {
    move |cause| Unavailable::Io { doing, cause: cause.to_string() }
}
