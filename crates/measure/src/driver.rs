//! One driver process: requests in, replies out, with a limit on how long and how much.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tlslab_process::{Channel, Ended, Input, Output, ProcessError, ProcessorTime, Program, Supervised};
use tlslab_proof::decode_reply;
use tlslab_protocol::{CodecError, Reply, Request, encode_line, read_line};
use tlslab_record::CounterKind;
use tlslab_sandbox::{Bounds, Confinement, GENERATIONS, Sandbox, ended_inside, with_libraries};

use crate::count_folder::CountFolder;
use crate::emulator::{Emulator, emulator};
use crate::input::{DriverInput, Unwritten};
use crate::last_words::LastWords;
use crate::program_copy::ProgramCopy;
use crate::totals::{self, Totals};
use crate::variables::variables_of;
use crate::{DriverFailure, DriverProgram, Talk};

/// The time limit for a driver's end after the request.
const GOODBYE: Duration = Duration::from_secs(5);
/// The time limit for a sandbox to start a driver, and the interval of checks.
const STARTED: Duration = Duration::from_secs(10);
const SHORTLY: Duration = Duration::from_millis(2);
/// The interval at which a wait checks for cancellation.
const GLANCE: Duration = Duration::from_millis(50);
/// How often the driver's memory is checked, at most.
const LOOK: Duration = Duration::from_millis(500);

/// Where a driver runs.
#[derive(Clone, Default)]
pub(crate) struct DriverCpus {
    /// The CPU that it keeps to, if it is bound to one.
    pub own: Option<usize>,
    /// The CPUs that its threads may use if it needs several.
    pub all: Vec<usize>,
}

/// The folder and processors of a driver.
#[derive(Clone)]
pub(crate) struct DriverPlace<'a> {
    /// Its processors.
    pub cpus: DriverCpus,
    /// The folder.
    pub directory: &'a Path,
    /// The sandbox, if it runs in one.
    pub sandbox: Option<&'a Sandbox>,
    /// A cache with files that drivers need, besides the folder that they run in.
    pub trusted: Option<&'a Path>,
    /// Further files that it reads.
    pub shown: &'a [PathBuf],
    /// The memory limit of all its processes together, bytes.
    pub memory_bytes: u64,
}

/// A running driver.
pub(crate) struct DriverProcess {
    supervised: Supervised,
    stdin: DriverInput,
    lines: Receiver<Result<String, CodecError>>,
    last_words: LastWords,
    cancel: Arc<AtomicBool>,
    cpus: DriverCpus,
    /// The number of the sandbox's own processes between the lab and it.
    generations: usize,
    /// Whether it may use several processors now.
    is_spread: bool,
    /// Its folder, if it has one of its own. Removed when the process has ended.
    count_folder: Option<CountFolder>,
    /// The copy of its program that it runs, if it has one. Removed likewise.
    copy: Option<ProgramCopy>,
    /// The folder for the functions' instructions, if wanted, copied once the process has ended.
    functions: Option<PathBuf>,
    /// The counter's own report of each ended process.
    totals: Option<Channel>,
    /// The memory limit of all its processes together, bytes.
    memory_bytes: u64,
    /// When that was last checked.
    looked_at: Instant,
}

impl DriverProcess {
    /// Starts the program.
    pub(crate) fn start(
        driver: DriverProgram<'_>,
        copy: Option<ProgramCopy>,
        place: DriverPlace<'_>,
        cancel: Arc<AtomicBool>,
    ) -> Result<Self, DriverFailure> {
        let not_started = |cause: String| DriverFailure::NotStarted(cause);
        let DriverPlace { cpus, directory, sandbox, trusted, shown, memory_bytes } = place;
        let count_folder =
            driver.counter.map(|counter| CountFolder::make(directory, driver.path, counter)).transpose();
        let count_folder = count_folder.map_err(not_started)?;
        let copied = copy.as_ref().map(ProgramCopy::path);
        let path = match (&count_folder, &copied) {
            (Some(_), _) => Path::new(CountFolder::DRIVER),
            (None, Some(copied)) => copied,
            (None, None) => driver.path,
        };
        let mut variables =
            variables_of(driver.environment, driver.placement, driver.preload, driver.counter.is_some());
        let program = program_of(&driver, path, &mut variables);
        let counts = driver.counter.filter(|counter| counter.kind.reports_totals());
        let channel = counts.map(|_| Channel::pair()).transpose();
        let (totals, end) = channel.map_err(|cause| not_started(cause.to_string()))?.unzip();
        let mut program = program
            .channel(end)
            .env("LC_ALL", "C")
            .envs(&variables)
            .directory(count_folder.as_ref().map_or(directory, CountFolder::path))
            .stdin(Input::Piped)
            .stdout(Output::Piped)
            .stderr(Output::Piped)
            .cpu(cpus.own)
            .fixed_addresses(!driver.moves);
        if let Some(sandbox) = sandbox {
            let caches = [directory].into_iter().chain(trusted);
            let confinement = confinement(&driver, caches, count_folder.as_ref())
                .with_all(shown.iter().cloned())
                .with_all(copied.as_deref().and_then(Path::parent).map(Path::to_owned))
                .with_lent(directory.join("pki"));
            sandbox.hand_over(&confinement).map_err(|cause| not_started(cause.to_string()))?;
            program = sandbox.enclose(&program, &confinement);
        }
        let mut supervised = program.spawn().map_err(|cause| not_started(cause.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (supervised.stdin.take(), supervised.stdout.take(), supervised.stderr.take())
        else {
            return Err(not_started("its pipes are missing".to_owned()));
        };
        let stdin = DriverInput::new(stdin).map_err(|cause| not_started(cause.to_string()))?;
        // Two lines are enough to notice unrequested output; the rest waits in the pipe.
        let (sender, lines) = sync_channel(2);
        thread::spawn(move || read_replies(stdout, &sender));
        Ok(Self {
            supervised,
            stdin,
            lines,
            last_words: LastWords::of(stderr),
            cancel,
            cpus,
            generations: sandbox.map_or(0, |_| GENERATIONS),
            is_spread: false,
            count_folder,
            copy,
            functions: None,
            totals,
            memory_bytes,
            looked_at: Instant::now(),
        })
    }

    /// A request with the names that files have in the process's count folder, if these differ.
    fn as_seen(&mut self, request: &Request) -> Option<Request> {
        let count_folder = self.count_folder.as_ref()?;
        match request {
            Request::Prepare { scenario, credentials } => {
                let mut credentials = credentials.clone();
                for file in credentials.files_mut() {
                    *file = count_folder.name_of(file);
                }
                Some(Request::Prepare { scenario: scenario.clone(), credentials })
            }
            Request::Functions { folder } => {
                self.functions = Some(folder.clone());
                Some(Request::Functions { folder: CountFolder::FUNCTIONS.into() })
            }
            _ => None,
        }
    }

    /// The processes that it left behind at its end.
    fn collect(&self) -> Result<(), DriverFailure> {
        let (Some(count_folder), Some(to)) = (&self.count_folder, &self.functions) else { return Ok(()) };
        let nonsense = |what| DriverFailure::Nonsense { request: "functions", what };
        count_folder.copy_functions(to).map_err(nonsense)
    }

    fn ended(&mut self, request: &'static str) -> DriverFailure {
        match self.supervised.wait_timeout(GOODBYE).and_then(|ended| match ended {
            Some(ended) => Ok(ended),
            None => self.supervised.kill(),
        }) {
            Ok(ended) => self.ended_with(request, ended),
            Err(cause) => unsupervised(request, &cause),
        }
    }

    /// Its end, with its status inside a sandbox.
    fn ended_with(&self, request: &'static str, ended: Ended) -> DriverFailure {
        let ended = if self.generations > 0 { ended_inside(ended) } else { ended };
        DriverFailure::Ended { request, ended, stderr: self.last_words.at_the_end() }
    }

    /// Moves the driver to these processors. In a sandbox its process may not exist yet.
    fn move_to(&mut self, cpus: &[usize]) -> Result<(), DriverFailure> {
        let deadline = deadline(STARTED);
        loop {
            let Err(cause) = self.supervised.move_to(self.generations, cpus) else { return Ok(()) };
            if self.generations == 0 || Instant::now() >= deadline {
                let (cpus, cause) = (format!("{cpus:?}"), cause.to_string());
                return Err(DriverFailure::NotMoved { cpus, cause });
            }
            if let Ok(Some(ended)) = self.supervised.wait_timeout(SHORTLY) {
                return Err(self.ended_with("start", ended));
            }
        }
    }

    /// Kills a driver that did not answer in time.
    fn too_late(&mut self, request: &'static str, within: Duration) -> DriverFailure {
        // How it ends does not matter: no answer came.
        let _ = self.supervised.kill();
        DriverFailure::TimedOut { request, within }
    }

    /// Kills a driver whose processes together use too much memory. Checked before a request and while the
    /// lab waits for the answer.
    fn within_memory(&mut self, request: &'static str) -> Result<(), DriverFailure> {
        if self.looked_at.elapsed() < LOOK {
            return Ok(());
        }
        self.looked_at = Instant::now();
        let limit_bytes = self.memory_bytes;
        if !self.supervised.uses_more_than(limit_bytes) {
            return Ok(());
        }
        // How it ends does not matter: it used too much.
        let _ = self.supervised.kill();
        Err(DriverFailure::TooMuchMemory { request, limit_bytes })
    }

    fn next_line(
        &mut self,
        request: &'static str,
        within: Duration,
        deadline: Instant,
    ) -> Result<String, DriverFailure> {
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(DriverFailure::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(cause)) => {
                    return Err(DriverFailure::Nonsense { request, what: cause.to_string() });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(request)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(self.too_late(request, within));
                }
                Err(RecvTimeoutError::Timeout) => self.within_memory(request)?,
            }
        }
    }
}

impl Talk for DriverProcess {
    fn ask(&mut self, request: &Request, within: Duration) -> Result<Reply, DriverFailure> {
        let name = name(request);
        if let Ok(unasked) = self.lines.try_recv() {
            let what = match unasked {
                Ok(line) => format!("more than one line; unrequested: {:?}", excerpt(&line)),
                Err(cause) => cause.to_string(),
            };
            return Err(DriverFailure::Nonsense { request: name, what });
        }
        self.within_memory(name)?;
        let seen = self.as_seen(request);
        let line = encode_line(seen.as_ref().unwrap_or(request));
        let deadline = deadline(within);
        match self.stdin.write(line.as_bytes(), deadline, &self.cancel) {
            Ok(()) => {}
            Err(Unwritten::Closed) => return Err(self.ended(name)),
            Err(Unwritten::TimedOut) => return Err(self.too_late(name, within)),
            Err(Unwritten::Interrupted) => return Err(DriverFailure::Interrupted),
        }
        let line = self.next_line(name, within, deadline)?;
        match decode_reply(&line) {
            Ok(Reply::Failed { reason }) => {
                Err(DriverFailure::Refused { reason: self.last_words.explain(reason) })
            }
            Ok(reply) => Ok(reply),
            Err(cause) => Err(DriverFailure::Nonsense { request: name, what: cause.to_string() }),
        }
    }

    fn resident_bytes(&mut self) -> Result<u64, DriverFailure> {
        let process = self.supervised.descendant(self.generations).unwrap_or_default();
        let rollup = format!("/proc/{process}/smaps_rollup");
        let text = std::fs::read_to_string(&rollup).map_err(|cause| DriverFailure::Nonsense {
            request: "relay",
            what: format!("no memory figures: {rollup}: {cause}"),
        })?;
        let kib = text.lines().find_map(|line| line.strip_prefix("Rss:")?.trim().strip_suffix(" kB"));
        kib.and_then(|kib| kib.parse::<u64>().ok()).map(|kib| kib * 1024).ok_or_else(|| {
            DriverFailure::Nonsense { request: "relay", what: format!("no resident set in {rollup}") }
        })
    }

    fn keep_to(&mut self, place: usize) -> Result<(), DriverFailure> {
        let cpus = match self.cpus.all.get(place) {
            Some(cpu) => [*cpu],
            None => return Ok(()),
        };
        self.move_to(&cpus)
    }

    fn spread(&mut self, processors: u32) -> Result<(), DriverFailure> {
        let wanted = processors > 1;
        let DriverCpus { own: Some(own), all } = &self.cpus else { return Ok(()) };
        if wanted == self.is_spread || all.is_empty() {
            return Ok(());
        }
        let cpus = if wanted { all.clone() } else { vec![*own] };
        self.move_to(&cpus)?;
        self.is_spread = wanted;
        Ok(())
    }

    fn processor_time(&self) -> Option<ProcessorTime> {
        self.supervised.processor_time()
    }

    fn totals(&mut self) -> Option<Result<Totals, DriverFailure>> {
        self.totals.as_ref().map(|channel| totals::received(channel, &self.cancel))
    }

    fn end(mut self: Box<Self>) -> Result<(), DriverFailure> {
        match self.ask(&Request::Bye {}, GOODBYE)? {
            Reply::Bye {} => {}
            other => {
                return Err(DriverFailure::Nonsense {
                    request: "bye",
                    what: format!("{:?}", excerpt(&encode_line(&other))),
                });
            }
        }
        let ended = self.supervised.wait_timeout(GOODBYE);
        match ended {
            Ok(Some(ended)) if ended.success() => match self.supervised.left_behind() {
                0 => {
                    let is_own = self.copy.as_ref().map_or(Ok(()), ProgramCopy::check);
                    is_own.map_err(DriverFailure::NotStarted)?;
                    self.collect()
                }
                count => Err(DriverFailure::LeftBehind { count }),
            },
            Ok(Some(ended)) => Err(self.ended_with("bye", ended)),
            Ok(None) => {
                let _ = self.supervised.kill();
                Err(DriverFailure::TimedOut { request: "bye", within: GOODBYE })
            }
            Err(cause) => Err(unsupervised("bye", &cause)),
        }
    }
}

/// The driver's state is unknown.
fn unsupervised(request: &'static str, cause: &ProcessError) -> DriverFailure {
    match cause {
        ProcessError::KeeperLost { .. } => DriverFailure::KeeperLost { request },
        _ => DriverFailure::Nonsense { request, what: cause.to_string() },
    }
}

fn read_replies(stdout: ChildStdout, sender: &SyncSender<Result<String, CodecError>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let line = match read_line(&mut stdout) {
            Ok(Some(line)) => Ok(line),
            Ok(None) => return,
            Err(cause) => Err(cause),
        };
        let broken = line.is_err();
        // The receiver is dropped once the driver has been stopped.
        if sender.send(line).is_err() || broken {
            return;
        }
    }
}

/// The driver's program, or its counter.
fn program_of(
    driver: &DriverProgram<'_>,
    path: &Path,
    variables: &mut BTreeMap<String, OsString>,
) -> Program {
    match driver.counter {
        Some(counter) if counter.kind == CounterKind::Frida => {
            // It starts the driver itself, with the given variables.
            let described = std::mem::take(variables).into_iter().map(|(name, value)| {
                let mut described = OsString::from(name + "=");
                described.push(value);
                described
            });
            let program = Program::new(&counter.program).args(&counter.arguments).arg("LC_ALL=C");
            program.args(described).arg("--").arg(path)
        }
        Some(counter) if !counter.program.is_empty() => {
            let own = counter.kind.reports_totals().then(|| format!("--report-to={}", Channel::NUMBER));
            let program = Program::new(&counter.program).args(&counter.arguments).args(own);
            program.arg(path).envs(&counter.environment)
        }
        _ => match emulator(driver.path) {
            Some(Emulator { program, root, .. }) => Program::new(program).args(["-L", root]).arg(path),
            None => Program::new(path),
        },
    }
}

/// The contents of a driver's sandbox: its own files, the lab's libraries and keys, and its counter. Products
/// of untrusted code are read-only there, and results are not visible.
fn confinement<'p>(
    driver: &DriverProgram<'_>,
    caches: impl Iterator<Item = &'p Path>,
    folder: Option<&CountFolder>,
) -> Confinement {
    const SHARED: [&str; 5] = ["prefix", "preload", "counter", "frida", "kit"];
    let own = driver.path.parent().map(Path::to_owned);
    let preload = driver.preload.map(Path::to_owned);
    let mut confinement = Confinement::new(Bounds::MEASURE)
        .with_all(own.into_iter().chain(preload))
        .with_all(caches.flat_map(|cache| SHARED.map(|name| cache.join(name))));
    if let Some(counter) = driver.counter {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let program = with_libraries(Path::new(&counter.program), variable);
        confinement = confinement.with_all(program);
        if counter.kind == CounterKind::Frida {
            confinement = confinement.with_tracing();
        }
    }
    match folder {
        Some(folder) => confinement.with_writable(folder.path()),
        None => confinement,
    }
}

fn name(request: &Request) -> &'static str {
    match request {
        Request::Hello { .. } => "hello",
        Request::Calibrate {} => "calibrate",
        Request::Prepare { .. } => "prepare",
        Request::Verify { .. } => "verify",
        Request::Measure { .. } => "measure",
        Request::Relay { .. } => "relay",
        Request::Weigh { .. } => "weigh",
        Request::Fork { .. } => "fork",
        Request::Count { .. } => "count",
        Request::Kernel { .. } => "kernel",
        Request::Functions { .. } => "functions",
        Request::Evict {} => "evict",
        Request::Bye {} => "bye",
    }
}

/// The end of a wait of this length, at most a day.
fn deadline(within: Duration) -> Instant {
    Instant::now() + within.min(Duration::from_secs(86_400))
}

fn excerpt(line: &str) -> String {
    line.trim_end().chars().take(120).collect()
}
