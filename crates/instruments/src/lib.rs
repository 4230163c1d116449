//! Counters of a driver's instructions and allocations: the lab's counter in valgrind, valgrind as installed,
//! Frida, and libraries that are preloaded into a driver. Each is built or installed on first use.

mod counter;
mod frida;
mod preload;
mod valgrind;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tlslab_artifact::{
    BuildFailure, Cache, Context, Environment, Event, Halt, Happening, Observer, Stage, Task, ensure,
    on_path, program,
};

pub use counter::{BuiltCounter, CPUID_WORDS, ShownFeatures, WORDS};
pub use frida::Stalker;
pub use preload::Preloads;

use counter::Counter;
use frida::{FRIDA_VERSION, Frida};
use preload::Preload;

/// Builds and installs instruments from the lab's tree into a cache.
#[derive(Clone, Debug)]
pub struct Instruments {
    sources: PathBuf,
    cache: Cache,
    environment: Environment,
}

impl Instruments {
    /// From the lab's tree `lab` into `cache`. Build programs get a selection of this process's environment.
    #[must_use]
    pub fn new(lab: &Path, cache: &Path) -> Self {
        Self {
            sources: lab.join("instruments"),
            cache: Cache::new(cache),
            environment: Environment::choose(std::env::vars_os()),
        }
    }

    /// With the contents of a trusted cache, to which nothing is written.
    #[must_use]
    pub fn over(mut self, trusted: Option<&Path>) -> Self {
        self.cache = self.cache.over(trusted);
        self
    }

    /// The libraries that are preloaded into drivers whose memory or instructions are counted.
    pub fn preload(&self, observer: &dyn Observer, cancel: &AtomicBool) -> Result<Preloads, BuildFailure> {
        let context = self.context(cancel);
        let planned = context
            .toolchain(Path::new("/"), BTreeSet::new(), BTreeSet::new())
            .and_then(|tools| Preload::plan(&self.sources, &tools));
        let planned = planned.map_err(|halt| BuildFailure::unlogged(Stage::Preload, halt))?;
        let task = Task { stage: Stage::Preload, stacks: vec!["all".to_owned()] };
        let report = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let key = ensure(&planned, context, 1, "all", &report)?;
        let product = self.cache.product(Stage::Preload, &key);
        Ok(Preload::built(&product))
    }

    /// The tool that counts instructions. If it is unavailable, the failure names the missing part in one
    /// line.
    pub fn counter(
        &self,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<BuiltCounter, BuildFailure> {
        let context = self.context(cancel);
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let planned = Counter::check_tools(&path)
            .and_then(|()| context.toolchain(Path::new("/"), BTreeSet::new(), BTreeSet::new()))
            .and_then(|tools| Counter::plan(&self.sources, &tools, &path));
        let planned = planned.map_err(|halt| BuildFailure::unlogged(Stage::Counter, halt))?;
        let task = Task { stage: Stage::Counter, stacks: vec!["all".to_owned()] };
        let report = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let key = ensure(&planned, context, 1, "all", &report)?;
        Ok(planned.built(&self.cache.product(Stage::Counter, &key)))
    }

    /// Valgrind as installed, with its version; `None` if no working one is installed.
    #[must_use]
    pub fn stock_valgrind(&self) -> Option<(PathBuf, String)> {
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let launcher = on_path("valgrind", &path)?;
        let said = std::process::Command::new(&launcher).arg("--version").output().ok()?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let version = said.strip_prefix("valgrind-").unwrap_or(&said).to_owned();
        (!version.is_empty()).then_some((launcher, version))
    }

    /// The processor features that a program sees natively and under the counter.
    pub fn shown_features(
        &self,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ShownFeatures, BuildFailure> {
        let tool = self.counter(observer, cancel)?;
        let asks = self.preload(observer, cancel)?.features;
        let context = self.context(cancel);
        let ask = || {
            let folder = self.cache.root();
            let natively = context.ask(program(&asks.to_string_lossy(), folder))?;
            let counted = program(&tool.tool.to_string_lossy(), folder).args(&tool.arguments).arg(&asks);
            let counted = context.ask(counted.envs(&tool.environment))?;
            Ok(ShownFeatures { natively: words(&natively)?, counted: words(&counted)? })
        };
        ask().map_err(|halt: Halt| BuildFailure::unlogged(Stage::Preload, halt))
    }

    /// The words of CPUID that this host shows.
    ///
    /// # Errors
    /// Fails if the program that asks for them is not built or answers something else, and on a host of
    /// another kind.
    pub fn host_features(
        &self,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<HostFeatures, BuildFailure> {
        let asks = self.preload(observer, cancel)?.features;
        let context = self.context(cancel);
        let asks = || program(&asks.to_string_lossy(), self.cache.root());
        let ask = || {
            let words = words(&context.ask(asks())?)?;
            let faulting = context.ask(asks().arg("faulting"))?.trim().to_owned();
            let no_faults = (faulting != "yes").then_some(faulting);
            Ok(HostFeatures { words, no_faults })
        };
        ask().map_err(|halt: Halt| BuildFailure::unlogged(Stage::Preload, halt))
    }

    /// What counts a driver's code as it runs on the processor itself. Where it cannot be had, the failure
    /// says in one line what is missing.
    pub fn stalker(&self, observer: &dyn Observer, cancel: &AtomicBool) -> Result<Stalker, BuildFailure> {
        let context = self.context(cancel);
        let path = self.environment.get("PATH").cloned().unwrap_or_default();
        let plan = || {
            let python = Frida::python(&path)?;
            // A version manager's script would look for the real program outside a driver's sandbox.
            let ask = program(&python.to_string_lossy(), Path::new("/"));
            let said = context.ask(ask.args(["-I", "-c", "import sys; print(sys.executable)"]))?;
            let python = Some(PathBuf::from(said.trim())).filter(|real| real.is_file()).unwrap_or(python);
            let version = context.ask(program(&python.to_string_lossy(), Path::new("/")).arg("--version"))?;
            let toolchain = context.toolchain(Path::new("/"), BTreeSet::new(), BTreeSet::new())?;
            Ok((python, Frida::plan(&version, &toolchain.target)?))
        };
        let (python, planned) = plan().map_err(|halt: Halt| BuildFailure::unlogged(Stage::Frida, halt))?;
        let task = Task { stage: Stage::Frida, stacks: vec!["all".to_owned()] };
        let report = |what: Happening| observer.on(&Event { task: task.clone(), what });
        let key = ensure(&planned, context, 1, "all", &report)?;
        let preloads = self.preload(observer, cancel)?;
        Ok(Stalker {
            python,
            attach: preloads.attach,
            packages: Frida::packages(&self.cache.product(Stage::Frida, &key)),
            library: preloads.blocks,
            version: FRIDA_VERSION.to_owned(),
        })
    }

    fn context<'a>(&'a self, cancel: &'a AtomicBool) -> Context<'a> {
        // Only the lab's own sources, and packages with pinned digests.
        Context {
            cache: &self.cache,
            environment: &self.environment,
            cancel,
            sandbox: None,
            hosts: None,
            credentials: None,
            given: &[],
        }
    }
}

/// What this host's processor shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFeatures {
    /// Words of CPUID, in the order of [`CPUID_WORDS`].
    pub words: [u32; WORDS],
    /// Why a program's CPUID instructions cannot be made to fault, if they cannot.
    pub no_faults: Option<String>,
}

/// The words in hex.
fn words(said: &str) -> Result<[u32; WORDS], Halt> {
    let said = said.trim();
    let word = |at: usize| said.get(8 * at..8 * at + 8).and_then(|word| u32::from_str_radix(word, 16).ok());
    let words: Option<Vec<u32>> = (0..WORDS).map(word).collect();
    words.and_then(|words| words.try_into().ok()).ok_or_else(|| {
        let cause = format!("it printed `{said}`");
        Halt::wrong(
            "the program that reads the processor's features",
            cause,
            "look at instruments/preload/features.c",
        )
    })
}
