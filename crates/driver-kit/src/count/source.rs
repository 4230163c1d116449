//! Whatever counts the instructions of this process.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tlslab_protocol::Count;

use super::hardware::Hardware;
use crate::counter::{self, Counter};

/// What counts.
pub enum Source {
    /// The lab's own tool of valgrind: it books by itself.
    Tool(Counter),
    /// The processor's counter of instructions in user mode.
    Hardware(Hardware),
    /// A number for tests.
    #[cfg(test)]
    Shown(*const u64),
}

impl Source {
    /// Finds what this process runs under, or says why nothing that could be trusted counts it.
    pub fn find() -> Result<Self, String> {
        if let Some(tool) = Counter::find() {
            return Ok(Self::Tool(tool));
        }
        if counter::on_valgrind() {
            return Err("valgrind runs this process with a tool that this driver cannot read; both must be of one version of \
                        the lab"
                .to_owned());
        }
        Hardware::open().map(Self::Hardware)
    }

    /// Chance and time begin anew, where they are forged.
    pub fn seed(seed: u64) {
        if let Some(tool) = Counter::find() {
            tool.seed(seed);
        }
    }

    /// Nothing is booked from here on, and nothing has been.
    pub fn start(&self) {
        if let Self::Tool(tool) = self {
            tool.switch(0);
            tool.zero();
        }
    }

    /// Whether the counter books by itself what it is told to.
    #[inline(always)]
    pub fn books(&self) -> bool {
        matches!(self, Self::Tool(_))
    }

    /// From here on it books to a place.
    #[inline(always)]
    pub fn switch(&self, place: usize) {
        if let Self::Tool(tool) = self {
            tool.switch(place as u64);
        }
    }

    /// What a counter shows that only runs on.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        match self {
            Self::Tool(_) => 0,
            Self::Hardware(hardware) => hardware.read(),
            #[cfg(test)]
            // SAFETY: the test keeps it.
            Self::Shown(number) => unsafe { number.read_volatile() },
        }
    }

    /// What was booked to a place, by the counter or in instructions by its reader.
    pub fn booked(&self, place: usize, instructions: u64) -> Count {
        match self {
            Self::Tool(tool) => {
                let counts = tool.read(place as u64).unwrap_or_default();
                Count { instructions: counts.instructions, loads: counts.loads, stores: counts.stores }
            }
            _ => Count { instructions, ..Count::default() },
        }
    }

    /// Writes what each function took, a file per place, into a folder.
    pub fn write_functions(&self, folder: &Path) -> Result<(), String> {
        let Self::Tool(tool) = self else {
            return Err("this counter does not tell functions apart".to_owned());
        };
        for (place, name) in super::tally::places() {
            let path = folder.join(name);
            let failed = |cause: String| format!("{}: {cause}", path.display());
            let name =
                CString::new(path.as_os_str().as_bytes()).map_err(|cause| failed(cause.to_string()))?;
            tool.dump(place as u64, &name).map_err(|cause| failed(cause.to_string()))?;
        }
        Ok(())
    }
}
