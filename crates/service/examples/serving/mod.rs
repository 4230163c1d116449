//! A service that a benchmark starts, and what the machine says meanwhile.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ends the service with the program.
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts the program tlslab-service, which must have been built beside the benchmark, with this configuration.
    pub fn start(config: &Path) -> Self {
        let own = std::env::current_exe().expect("this program has a file");
        let program = own.ancestors().nth(2).expect("examples have a folder").join("tlslab-service");
        let mut command = Command::new(&program);
        command.arg("--config").arg(config).args(["--lab", "/bin/true"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap_or_else(|cause| panic!("{}: {cause}", program.display())))
    }

    /// Its resident memory, MiB.
    pub fn resident_mib(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/statm", self.0.id())).unwrap_or_default();
        let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
        pages * 4096 / (1 << 20)
    }
}

/// The load averages of the machine.
pub fn load() -> String {
    fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').take(3).collect::<Vec<_>>().join(" ")
}
