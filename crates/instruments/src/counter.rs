//! The tool that counts instructions, for drivers that run under it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Artifact, Halt, Inputs, Snapshot, Stage, Toolchain, Workspace, on_path, program};

use crate::valgrind::{COUNTER, Valgrind};

/// The counter as a command: `tool`, its arguments, then a program with its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltCounter {
    /// The program.
    pub tool: PathBuf,
    /// Its first arguments, and options that keep it silent.
    pub arguments: Vec<String>,
    /// The variables that it needs; the program under it does not see them.
    pub environment: BTreeMap<String, String>,
    /// The version of valgrind from which it was built.
    pub valgrind: String,
}

/// How many words of CPUID features are reported in.
pub const WORDS: usize = 9;

/// These words, in the order of `instruments/preload/cpuid.h`: leaf, part and register.
pub const CPUID_WORDS: [(u32, u32, &str); WORDS] = [
    (1, 0, "ecx"),
    (1, 0, "edx"),
    (7, 0, "ebx"),
    (7, 0, "ecx"),
    (7, 0, "edx"),
    (7, 1, "eax"),
    (0x8000_0001, 0, "ecx"),
    (0x8000_0001, 0, "edx"),
    (7, 1, "edx"),
];

/// Words of CPUID natively and under the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownFeatures {
    /// As the processor shows them.
    pub natively: [u32; WORDS],
    /// As the counter shows them.
    pub counted: [u32; WORDS],
}

/// The counter, from a snapshot of the lab's tree and the installed valgrind.
pub(crate) struct Counter {
    snapshot: Snapshot,
    valgrind: Valgrind,
    inputs: Inputs,
}

impl Counter {
    /// Reads the lab's tree, and looks for valgrind in the folders of `path`, a value of `PATH`.
    pub(crate) fn plan(sources: &Path, toolchain: &Toolchain, path: &OsStr) -> Result<Self, Halt> {
        let mut snapshot = Snapshot::default();
        snapshot.add_folder(sources, Path::new(FOLDER), |path| {
            let is_folder = sources.join(FOLDER).join(path).is_dir();
            is_folder || path.extension().is_some_and(|extension| extension == "c" || extension == "h")
        })?;
        let valgrind = Valgrind::find(path, &toolchain.target)?;
        let inputs = Inputs::new(Stage::Counter.name())
            .with("cc", toolchain.version_of(CC))
            .with("target", &toolchain.target)
            .with_all("made with", toolchain.files_for([]))
            .with_all("compile", FLAGS)
            .with_all("link", LINK)
            .with_all("probe", PROBE)
            .with_all("valgrind", valgrind.lines()?)
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")));
        Ok(Self { snapshot, valgrind, inputs })
    }

    /// The missing programs of its build, in one line.
    pub(crate) fn check_tools(path: &OsStr) -> Result<(), Halt> {
        let missing: Vec<&str> = [(CC, "build-essential"), ("ld", "binutils"), ("valgrind", "valgrind")]
            .into_iter()
            .filter(|(tool, _)| on_path(tool, path).is_none())
            .map(|(_, package)| package)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let cause = format!("what makes it is missing: {}", missing.join(", "));
        Err(Halt::wrong(COUNTER, cause, format!("apt-get install {}", missing.join(" "))))
    }

    /// The counter within the product.
    pub(crate) fn built(&self, product: &Path) -> BuiltCounter {
        let launcher = self.valgrind.launcher.to_string_lossy().into_owned();
        BuiltCounter {
            tool: product.join(TOOL),
            arguments: ARGUMENTS.map(str::to_owned).to_vec(),
            // Tools refuse to start without it.
            environment: [("VALGRIND_LAUNCHER".to_owned(), launcher)].into(),
            valgrind: self.valgrind.version.clone(),
        }
    }

    /// Reports missing functions of valgrind: without them, something would be random.
    fn link(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let is_source = |path: &&Path| {
            path.starts_with("counter/src") && path.extension().is_some_and(|extension| extension == "c")
        };
        let sources = self.snapshot.paths().filter(is_source);
        let cc = program(CC, scratch).args(FLAGS).args(LINK).arg("-isystem").arg(&self.valgrind.headers);
        let cc = cc.args(sources).args(&self.valgrind.archives).arg("-lgcc");
        workspace.run(cc.arg("-o").arg(place.join(TOOL))).map_err(|halt| {
            let names = undefined(&workspace.log.last_lines(LINES));
            if names.is_empty() {
                return halt;
            }
            let cause = format!("valgrind {} has no {}", self.valgrind.version, names.join(", "));
            Halt::wrong(
                COUNTER,
                cause,
                "use another version of valgrind, or teach instruments/counter/src this one",
            )
        })
    }

    /// Runs a program twice that queries every source of variation.
    fn probe(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let probe = scratch.join("probe");
        let cc = program(CC, scratch).args(PROBE).arg("-o").arg(&probe);
        workspace.run(cc)?;
        let built = self.built(place);
        let said = || {
            let tool = program(&built.tool.to_string_lossy(), scratch).args(&built.arguments).arg(&probe);
            workspace.context.ask(tool.envs(&built.environment))
        };
        let (one, other) = (said()?, said()?);
        workspace.log.note(&format!("probe: {}", one.trim_end().replace('\n', ", ")))?;
        check_probe(&one, &other).map_err(|cause| {
            let cause = format!("with valgrind {}, {cause}", self.valgrind.version);
            Halt::wrong(
                COUNTER,
                cause,
                "use another version of valgrind, or teach instruments/counter/src this one",
            )
        })
    }
}

impl Artifact for Counter {
    fn stage(&self) -> Stage {
        Stage::Counter
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        self.snapshot.bring_to(scratch, &[])?;
        self.link(place, scratch, workspace)?;
        self.probe(place, scratch, workspace)
    }
}

/// The symbols that the linker did not find.
fn undefined(lines: &[String]) -> Vec<String> {
    let mut names: Vec<String> = lines
        .iter()
        .filter_map(|line| line.split_once("undefined reference to `"))
        .filter_map(|(_, rest)| rest.split_once('\''))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether a probe's output is correct, and the same both times.
fn check_probe(one: &str, other: &str) -> Result<(), String> {
    for expected in ["version", "counted"] {
        let line = one.lines().find(|line| line.starts_with(expected));
        if !line.is_some_and(|line| line.ends_with(" 0000000000000001")) {
            return Err(format!(
                "it does not count instructions: it printed `{}`",
                line.unwrap_or("nothing")
            ));
        }
    }
    match one.lines().zip(other.lines()).find(|(one, other)| one != other) {
        Some((one, other)) => Err(format!("its output is not deterministic: `{one}`, then `{other}`")),
        None => Ok(()),
    }
}

const FOLDER: &str = "counter";

const CC: &str = "cc";

const TOOL: &str = "tlslab-amd64-linux";

const ARGUMENTS: [&str; 2] = ["--tool=tlslab", "-q"];

const FLAGS: [&str; 13] = [
    "-std=gnu11",
    "-O2",
    "-g1",
    "-Wall",
    "-m64",
    "-fomit-frame-pointer",
    "-fno-strict-aliasing",
    // A tool has no library beneath it.
    "-fno-builtin",
    "-fno-stack-protector",
    "-DVGA_amd64=1",
    "-DVGO_linux=1",
    "-DVGP_amd64_linux=1",
    "-DVGPV_amd64_linux_vanilla=1",
];

/// The address of a tool, where no program is loaded.
const LINK: [&str; 9] = [
    "-fno-pie",
    "-no-pie",
    "-static",
    "-nodefaultlibs",
    "-nostartfiles",
    "-u",
    "_start",
    "-Wl,--build-id=none",
    "-Wl,-Ttext-segment=0x58000000",
];

const PROBE: [&str; 9] = [
    "-std=gnu11",
    "-O1",
    "-fno-builtin",
    "-fno-stack-protector",
    "-fno-pie",
    "-no-pie",
    "-static",
    "-nostdlib",
    "counter/probe.c",
];

const LINES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_the_linker_misses() {
        let lines = [
            "ld: /tmp/x.o: in function `take': forge.c:3: undefined reference to `amd64g_dirtyhelper_RDSEED'",
            "ld: /tmp/x.o: in function `take': forge.c:9: undefined reference to `amd64g_dirtyhelper_RDSEED'",
            "collect2: error: ld returned 1 exit status",
        ];
        assert_eq!(undefined(&lines.map(str::to_owned)), ["`amd64g_dirtyhelper_RDSEED`"]);
    }

    #[test]
    fn a_probe_must_say_twice_the_same() {
        let good = "version 0000000000000001\nrdtsc 5\ncounted 0000000000000001\n";
        assert_eq!(check_probe(good, good), Ok(()));
        let other = good.replace("rdtsc 5", "rdtsc 6");
        assert_eq!(
            check_probe(good, &other),
            Err("its output is not deterministic: `rdtsc 5`, then `rdtsc 6`".into())
        );
        let none = good.replace("version 0000000000000001", "version 0000000000000000");
        assert!(check_probe(&none, &none).unwrap_err().contains("does not count"));
    }

    #[test]
    fn names_all_programs_that_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let error = Counter::check_tools(folder.path().as_os_str()).unwrap_err().to_string();
        assert!(error.contains("apt-get install build-essential binutils valgrind"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
