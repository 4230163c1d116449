//! The place of a build: runs programs in a clean environment, logs them, and ends them on cancellation.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tlslab_process::{Ended, Output, Program, Supervised};
use tlslab_sandbox::{Bounds, Confinement, Sandbox, toolchains};

use crate::cache::Cache;
use crate::credentials::Credentials;
use crate::digest::file_digest;
use crate::environment::{Environment, is_for_networks};
use crate::event::Happening;
use crate::halt::{Doing, Halt};
use crate::hosts::Hosts;
use crate::limits::{Limits, Watched};
use crate::log::Log;
use crate::path::on_path;
use crate::toolchain::{EVERYWHERE, KnownBy, Toolchain};

/// The time limit for a program's answer to a short query; a registry's client uses the network.
const LONGEST_ANSWER: Duration = Duration::from_secs(180);

/// The most output that is read from a program, bytes. Then reading stops, and the program gets a broken
/// pipe.
const LONGEST_TEXT: u64 = 256 << 20;

/// The resources for starting programs.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The cache.
    pub cache: &'a Cache,
    /// The variables of programs.
    pub environment: &'a Environment,
    /// Cancellation.
    pub cancel: &'a AtomicBool,
    /// The sandbox for build steps; without one they run with the user's privileges.
    pub sandbox: Option<&'a Sandbox>,
    /// The hosts from which sources may be fetched; all if there is no list.
    pub hosts: Option<&'a Hosts>,
    /// Provides git with the credentials of private repositories. Builds do not get them.
    pub credentials: Option<&'a Credentials>,
    /// The products that a build in the sandbox uses. It sees no others.
    pub given: &'a [PathBuf],
}

/// The resources of one product's build.
pub struct Workspace<'a> {
    /// Cache, variables and cancellation.
    pub context: Context<'a>,
    /// Jobs of each `make` and `cargo`.
    pub jobs: usize,
    /// The log.
    pub log: &'a Log,
    /// Reports events.
    pub report: &'a dyn Fn(Happening),
    /// The folders that steps may write to.
    pub writable: Vec<PathBuf>,
}

/// A step's access beyond the cache and the product's own folders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Access<'a> {
    /// Files and folders that it may read.
    pub read: &'a [&'a Path],
    /// Folders that it may write to, each with its name in a sandbox.
    pub write: &'a [(&'a Path, &'a Path)],
}

impl Workspace<'_> {
    /// Runs a program with its output in the log, in the clean environment with the program's own variables.
    /// If there is a sandbox, it runs there: without a network, with write access only to the product's own
    /// folders.
    pub fn run(&self, program: Program) -> Result<(), Halt> {
        self.run_with(program, Access::default())
    }

    /// The same, with access to more.
    pub fn run_with(&self, program: Program, access: Access<'_>) -> Result<(), Halt> {
        let Some(sandbox) = self.context.sandbox else {
            return self.run_within(program, Limits::default(), None);
        };
        let mut confinement = self.context.confinement();
        confinement = confinement.with_all(access.read.iter().map(|path| path.to_path_buf()));
        confinement = self.writable.iter().fold(confinement, Confinement::with_writable);
        for (folder, name) in access.write {
            confinement = confinement.with_writable_as(*folder, *name);
        }
        sandbox.hand_over(&confinement).doing("give to the sandbox", self.context.cache.root())?;
        let result = self.run_within(program, Limits::default(), Some(&confinement));
        sandbox.take_back(&confinement).doing("take back from the sandbox", self.context.cache.root())?;
        result
    }

    /// Runs a program that fetches and does not execute what it fetches: with the network, and never in a
    /// sandbox.
    pub fn fetch(&self, program: Program) -> Result<(), Halt> {
        self.run_within(program, Limits::default(), None)
    }

    fn run_within(
        &self,
        program: Program,
        limits: Limits,
        confinement: Option<&Confinement>,
    ) -> Result<(), Halt> {
        self.context.check_cancel()?;
        let words: Vec<OsString> =
            [program.path.clone().into()].into_iter().chain(program.args.iter().cloned()).collect();
        let folder = program.directory.clone().unwrap_or_else(|| "/".into());
        self.log.command(&folder, &program.environment, &words)?;
        let started = Instant::now();
        let output = Output::File(self.log.path().to_owned());
        let program = self.context.prepared(program, confinement).stdout(output.clone()).stderr(output);
        let watched = Watched::begin(limits, self.log.path(), self.context.cache.root());
        let result =
            program.spawn().map_err(Halt::from).and_then(|mut running| self.watch(&mut running, &watched));
        let how = match &result {
            Ok(ended) => ended.to_string(),
            Err(halt) => halt.to_string(),
        };
        self.log.ended(&how, started.elapsed())?;
        match result? {
            ended if ended.success() => Ok(()),
            ended => Err(Halt::Step { command: words[0].to_string_lossy().into_owned(), ended }),
        }
    }

    fn watch(&self, running: &mut Supervised, watched: &Watched<'_>) -> Result<Ended, Halt> {
        let mut shown = String::new();
        for round in 1.. {
            if let Some(ended) = running.wait_timeout(POLL)? {
                return Ok(ended);
            }
            if let Err(cancelled) = self.context.check_cancel() {
                running.kill()?;
                return Err(cancelled);
            }
            let memory = (round % ROUNDS_PER_LOOK == 0).then(|| watched.memory_excess(running)).flatten();
            if let Some(excess) = memory.or_else(|| watched.excess()) {
                running.kill()?;
                let next_step = "see its log; a build that needs as much must be made smaller";
                return Err(Halt::wrong("the step was ended", excess, next_step));
            }
            if round % ROUNDS_PER_LINE == 0
                && let Some(line) = self.log.last_lines(1).pop()
                && line != shown
                && !line.starts_with("$ ")
            {
                (self.report)(Happening::Line(line.clone()));
                shown = line;
            }
        }
        unreachable!("the loop has no end of its own")
    }
}

impl Context<'_> {
    /// A program's output, for short queries.
    pub fn ask(&self, program: Program) -> Result<String, Halt> {
        self.ask_within(program, None, LONGEST_ANSWER)
    }

    /// The output of a recipe's program, in the sandbox if there is one.
    pub fn probe(&self, program: Program) -> Result<String, Halt> {
        self.inspect(program, &[])
    }

    /// The same for a program that reads folders of untrusted origin.
    pub fn inspect(&self, program: Program, folders: &[PathBuf]) -> Result<String, Halt> {
        let confinement = self.sandbox.map(|_| self.confinement().with_all(folders.iter().cloned()));
        self.ask_within(program, confinement, LONGEST_ANSWER)
    }

    /// A compiler's output in the folder in which it will run: rustup depends on the folder. In a sandbox the
    /// folder exists and is empty.
    fn consult(&self, program: Program, folder: &Path) -> Result<String, Halt> {
        let confinement = self.sandbox.map(|_| self.confinement().with_empty(folder));
        self.ask_within(program, confinement, LONGEST_ANSWER)
    }

    /// Files that every step of a build may read.
    fn confinement(&self) -> Confinement {
        let variable = |name: &str| self.environment.get(name).map(PathBuf::from);
        Confinement::new(Bounds::BUILD).with_all(self.given.iter().cloned()).with_all(toolchains(variable))
    }

    /// A program's output within a time limit.
    fn ask_within(
        &self,
        program: Program,
        confinement: Option<Confinement>,
        longest: Duration,
    ) -> Result<String, Halt> {
        let words: Vec<_> = program.args.iter().map(|word| word.to_string_lossy()).collect();
        let command = format!("`{} {}`", program.path.display(), words.join(" "));
        let program =
            self.prepared(program, confinement.as_ref()).stdout(Output::Piped).stderr(Output::Piped);
        let mut running = program.spawn()?;
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || text_of(stdout));
            let complaints = scope.spawn(move || text_of(stderr));
            let asked = Instant::now();
            let ended = loop {
                if let Some(ended) = running.wait_timeout(POLL)? {
                    break ended;
                }
                if let Err(cancelled) = self.check_cancel() {
                    running.kill()?;
                    return Err(cancelled);
                }
                if asked.elapsed() >= longest {
                    running.kill()?;
                    let limit = format!("no answer within {} s", longest.as_secs());
                    return Err(Halt::wrong(command, limit, "run it by hand to see why"));
                }
            };
            let printed = reader.join().unwrap_or_default();
            if ended.success() {
                return Ok(printed);
            }
            let complaints = complaints.join().unwrap_or_default();
            let last = complaints.lines().rev().map(str::trim).find(|line| !line.is_empty());
            let cause = last.map_or_else(|| ended.to_string(), |line| format!("{ended}: {line}"));
            Err(Halt::wrong(command, cause, "run it by hand to see why"))
        })
    }

    /// Stops here on cancellation.
    pub fn check_cancel(&self) -> Result<(), Halt> {
        if self.cancel.load(Ordering::Relaxed) { Err(Halt::Cancelled) } else { Ok(()) }
    }

    /// Queries the compilers' versions in a folder in which they will run, such as the cache. The installed
    /// programs among `tools` are identified by their contents or versions, together with those that every
    /// build in C uses.
    pub fn toolchain(
        &self,
        folder: &Path,
        compilers: BTreeSet<String>,
        tools: BTreeSet<String>,
    ) -> Result<Toolchain, Halt> {
        std::fs::create_dir_all(folder).doing("create", folder)?;
        let ask = |name: &str, option: &str| self.consult(program(name, folder).arg(option), folder);
        let (cc, target) = (ask("cc", "--version")?, ask("cc", "-dumpmachine")?);
        // If the kernel does not list them, the key lacks them.
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let mut toolchain = Toolchain::from_outputs(&cc, &target, &ask("rustc", "-vV")?).on_cpu(&cpuinfo);
        for compiler in compilers.iter().filter(|compiler| *compiler != "cc") {
            toolchain = toolchain.with(compiler, &ask(compiler, "--version")?);
        }
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let is_compiler = |tool: &str| compilers.contains(tool) || matches!(tool, "cc" | "cargo" | "rustc");
        let tools = tools.iter().map(String::as_str).filter(|tool| !is_compiler(tool));
        for name in EVERYWHERE.into_iter().chain(tools) {
            let known_by = KnownBy::of(name);
            let printed = (known_by == KnownBy::Version).then(|| ask(name, "--version").ok()).flatten();
            let version =
                printed.iter().flat_map(|text| text.lines().map(str::trim)).find(|line| !line.is_empty());
            if let Some(version) = version {
                toolchain = toolchain.with_file(name, version);
            }
            if known_by == KnownBy::Nothing || version.is_some() {
                continue;
            }
            // The compiler knows which of its own programs and libraries it uses.
            let print = if name.contains(".so") { "-print-file-name=" } else { "-print-prog-name=" };
            let own = ask("cc", &format!("{print}{name}")).map(|path| PathBuf::from(path.trim()));
            let file = own.ok().filter(|path| path.is_absolute()).or_else(|| on_path(name, &path));
            if let Some(digest) = file.and_then(|file| file_digest(&file).ok()) {
                toolchain = toolchain.with_file(name, &digest);
            }
        }
        Ok(toolchain)
    }

    /// A program with the clean environment and its own variables; in the sandbox, if it has a confinement
    /// there.
    fn prepared(&self, mut program: Program, confinement: Option<&Confinement>) -> Program {
        if let Some(folder) = &program.directory
            && program.path.is_relative()
            && program.path.components().count() > 1
        {
            program.path = folder.join(&program.path).components().collect();
        }
        let own = std::mem::take(&mut program.environment);
        let shared = self.environment.variables().iter().map(|(name, value)| (name, value));
        let program = program.envs(shared).envs(own);
        match (self.sandbox, confinement) {
            (Some(sandbox), Some(confinement)) => sandbox.enclose(&offline(program), confinement),
            _ => program,
        }
    }
}

/// A reader's text until its end, as far as it is UTF-8.
fn text_of(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    from.map(|from| from.take(LONGEST_TEXT).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A program without a network: without network variables, as addresses of proxies and registries may contain
/// passwords, and with an empty home. The toolchains' folders are set explicitly, as they would be looked up
/// there.
fn offline(mut program: Program) -> Program {
    program.environment.retain(|(name, _)| !name.to_str().is_some_and(is_for_networks));
    let home =
        program.environment.iter().rev().find(|(name, _)| name == "HOME").map(|(_, home)| home.clone());
    let is_set = |name: &str| program.environment.iter().any(|(known, _)| known == name);
    let wanted =
        [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")].into_iter().filter(|(name, _)| !is_set(name));
    let below = |folder: &str| home.as_ref().map(|home| Path::new(home).join(folder));
    let missing: Vec<_> = wanted.filter_map(|(name, folder)| Some((name, below(folder)?))).collect();
    // rustup would look for updates, and write the result next to the toolchains.
    program.envs(missing).env("HOME", "/tmp").env("RUSTUP_AUTO_INSTALL", "0")
}

/// A program to run in a folder.
pub fn program(name: &str, folder: &Path) -> Program {
    Program::new(name).directory(folder)
}

const POLL: Duration = Duration::from_millis(50);
/// The interval of adding up the memory of all processes.
const ROUNDS_PER_LOOK: u32 = 5;
const ROUNDS_PER_LINE: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(folder: &Path) -> (Cache, Environment, AtomicBool) {
        (Cache::new(folder), Environment::choose(std::env::vars_os()), AtomicBool::new(false))
    }

    fn context((cache, environment, cancel): &(Cache, Environment, AtomicBool)) -> Context<'_> {
        Context { cache, environment, cancel, sandbox: None, hosts: None, credentials: None, given: &[] }
    }

    #[test]
    fn a_step_that_writes_without_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let parts = parts(folder.path());
        let context = context(&parts);
        let log = Log::start(folder.path().join("log")).unwrap();
        let workspace = Workspace { context, jobs: 1, log: &log, report: &|_| {}, writable: vec![] };
        let limits = Limits { log_bytes: 1 << 20, ..Limits::default() };
        let halt = workspace.run_within(program("yes", folder.path()), limits, None).unwrap_err().to_string();
        assert!(halt.contains("it wrote more than 1048576 bytes to its log"), "{halt}");

        let limits = Limits { longest: Duration::from_millis(100), ..Limits::default() };
        let halt = workspace.run_within(program("sleep", folder.path()).arg("60"), limits, None).unwrap_err();
        assert!(halt.to_string().contains("it ran for more than 0 s"), "{halt}");

        let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
        let script = "for n in 1 2 3 4; do perl -e 'my $x = q(x) x (30 << 20); sleep 60' & done; wait";
        let hungry = program("sh", folder.path()).args(["-c", script]);
        let halt = workspace.run_within(hungry, limits, None).unwrap_err().to_string();
        assert!(halt.contains("its processes used more than 64 MiB of memory"), "{halt}");
    }

    #[test]
    fn an_answer_that_does_not_come_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let parts = parts(folder.path());
        let context = context(&parts);
        let sleep = program("sleep", folder.path()).arg("60");
        let halt = context.ask_within(sleep, None, Duration::from_millis(300)).unwrap_err().to_string();
        assert!(halt.contains("`sleep 60`") && halt.contains("no answer within"), "{halt}");
        assert_eq!(context.ask(program("echo", folder.path()).arg("yes")).unwrap(), "yes\n");
    }
}
