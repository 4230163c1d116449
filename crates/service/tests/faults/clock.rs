//! Wall clocks that are stepped. The machine's clock does not change: a library in each process adds an
//! offset from a file.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/clock.c");
const OFFSET_VARIABLE: &str = "TLSLAB_FAULTS_CLOCK";
const SHOW_VARIABLE: &str = "TLSLAB_FAULTS_SHOW_CLOCK";

/// The library, below a folder.
pub(crate) fn library(folder: &Path) -> PathBuf {
    folder.join("clock.so")
}

/// The file that moves a clock, below a folder.
pub(crate) fn offset(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("clock-of-{name}"))
}

/// Compiles the library.
pub(crate) fn compile(folder: &Path) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(library(folder)).arg(SOURCE);
    let ended = compiler.status().expect("a C compiler; ./setup test installs one");
    assert!(ended.success(), "{SOURCE} does not compile");
}

/// The wall clock of one machine.
pub(crate) struct Clock {
    folder: PathBuf,
    name: String,
}

impl Clock {
    /// One that shows the right time.
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        let clock = Self { folder: folder.to_owned(), name: name.to_owned() };
        std::fs::write(offset(folder, name), 0_i64.to_ne_bytes()).unwrap();
        clock
    }

    /// The environment of a process with this clock.
    pub(crate) fn variables(&self) -> Vec<(String, PathBuf)> {
        vec![
            ("LD_PRELOAD".to_owned(), library(&self.folder)),
            (OFFSET_VARIABLE.to_owned(), offset(&self.folder, &self.name)),
        ]
    }

    /// Steps it: so many seconds from the right time.
    pub(crate) fn step(&self, s: i64) {
        let file = File::options().write(true).open(offset(&self.folder, &self.name)).unwrap();
        file.write_all_at(&(s * 1_000_000_000).to_ne_bytes(), 0).unwrap();
    }

    /// Makes sure that a step is seen by a program of this language.
    pub(crate) fn prove(&self) {
        for s in [-7_200, 3_600, 0] {
            self.step(s);
            let mut asks = Command::new(std::env::current_exe().unwrap());
            asks.args(["--exact", "clock_process", "--nocapture"]).env(SHOW_VARIABLE, "1");
            let text = String::from_utf8(asks.envs(self.variables()).output().unwrap().stdout).unwrap();
            let shown: i64 = text.lines().find_map(|line| line.strip_prefix("it is ")?.parse().ok()).unwrap();
            let differs = shown - now().as_secs().cast_signed();
            assert!((differs - s).abs() < 60, "a step of {s} s is seen as one of {differs} s");
        }
    }
}

/// The work of a process that was started to show its clock.
pub(crate) fn show() {
    if std::env::var_os(SHOW_VARIABLE).is_some() {
        println!("\nit is {}", now().as_secs());
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}
