//! The counter and the programs that are run under it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use tlslab_artifact::{Event, Observer};
use tlslab_instruments::BuiltCounter;
use tlslab_instruments::Instruments;

struct Nobody;

impl Observer for Nobody {
    fn on(&self, _: &Event) {}
}

/// The counter, built once for all tests.
pub(crate) fn counter() -> &'static BuiltCounter {
    static COUNTER: OnceLock<BuiltCounter> = OnceLock::new();
    COUNTER.get_or_init(|| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counter-cache");
        Instruments::new(&root(), &cache)
            .counter(&Nobody, &AtomicBool::new(false))
            .unwrap_or_else(|failure| panic!("{failure}"))
    })
}

/// A program of `programs/`, compiled.
pub(crate) struct Compiled {
    folder: tempfile::TempDir,
}

impl Compiled {
    pub(crate) fn new(program: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = programs();
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-g", "-mrdrnd", "-mrdseed", "-pthread"]).args(flags);
        cc.arg("-I").arg(root().join("instruments/counter/include")).arg("-I").arg(&programs);
        cc.arg(programs.join(format!("{program}.c"))).arg("-o").arg(folder.path().join("main"));
        let compiled = cc.output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Self { folder }
    }

    /// A program of `programs/` in Rust.
    pub(crate) fn rust(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = programs().join(format!("{program}.rs"));
        let mut rustc = Command::new("rustc");
        rustc
            .args(["--edition=2024", "-O", "-g", "-Adead_code", "-o"])
            .arg(folder.path().join("main"))
            .arg(source);
        let compiled = rustc.output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Self { folder }
    }

    /// A path next to the program.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program's output under the counter with these options.
    pub(crate) fn run(&self, options: &[&str], arguments: &[&str]) -> String {
        let built = counter();
        let mut command = Command::new(&built.tool);
        command.args(&built.arguments).args(options);
        self.finish(command.envs(&built.environment), arguments).0
    }

    /// The program's output under the counter, and the counter's own.
    pub(crate) fn run_aloud(&self, options: &[&str]) -> (String, String) {
        let built = counter();
        let mut command = Command::new(&built.tool);
        command.arg("--tool=tlslab").args(options).env_clear();
        self.finish(command.envs(&built.environment), &[])
    }

    /// Runs the program under a command; the output of both.
    pub(crate) fn finish(&self, command: &mut Command, arguments: &[&str]) -> (String, String) {
        let output = command.arg(self.place("main")).args(arguments).current_dir("/").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let aloud = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}{aloud}");
        (said, aloud)
    }
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counter/programs")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
