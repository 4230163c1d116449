//! The sources of instruction counts.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tlslab_protocol::Count;

use super::blocks::{Blocks, symbol};
use super::callgrind::Callgrind;
use super::counter::{self, Counter};
use super::hardware::Hardware;
use super::places::places;

/// A source of counts.
pub(crate) enum Source {
    /// The lab's own valgrind tool, which attributes instructions itself.
    Tool(Counter),
    /// An agent that counts blocks of code as they run natively, and attributes them itself.
    Agent(Blocks),
    /// Callgrind, which collects one place at a time.
    Callgrind(Box<Callgrind>),
    /// The processor's counter of user-mode instructions.
    Hardware(Hardware),
    /// A number for tests.
    #[cfg(test)]
    Shown(*const u64),
}

impl Source {
    /// Finds the source under which this process runs, or returns the reason why no reliable one is
    /// available.
    pub(crate) fn find() -> Result<Self, String> {
        if let Some(tool) = Counter::find() {
            return Ok(Self::Tool(tool));
        }
        if let Some(callgrind) = Callgrind::find() {
            return Ok(Self::Callgrind(Box::new(callgrind)));
        }
        if counter::on_valgrind() {
            return Err("valgrind runs this process with a tool that this driver cannot read; both must be of one version of \
                        the lab"
                .to_owned());
        }
        if let Some(blocks) = Blocks::find() {
            return Ok(Self::Agent(blocks));
        }
        Hardware::open().map(Self::Hardware)
    }

    /// The lab's tool, if it records the cache lines and locks that threads share.
    pub(crate) fn contention(&self) -> Option<Counter> {
        match self {
            Self::Tool(tool) if tool.notes_contention() => Some(*tool),
            _ => None,
        }
    }

    /// Restarts the RNG and the clock, if they are deterministic.
    pub(crate) fn seed(seed: u64) {
        if let Some(tool) = Counter::find() {
            tool.seed(seed);
        }
        if let Some(blocks) = Blocks::find() {
            blocks.seed(seed);
        } else if let Some(forge) = symbol(c"forge_seed") {
            // SAFETY: the preloaded library declares it so, and stays loaded.
            let forge =
                unsafe { std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn(u64)>(forge) };
            // SAFETY: it accepts any number.
            unsafe { forge(seed) };
        }
    }

    /// How often a warm-up may fail. Under an agent, the first run of a block loses the upper halves of wide
    /// registers, and with them the library's intermediate results; the block's next run is correct.
    pub(crate) fn false_starts(&self) -> u32 {
        match self {
            Self::Agent(_) => 16,
            _ => 0,
        }
    }

    /// Resets the counts, with nothing attributed from here on.
    pub(crate) fn start(&self) {
        match self {
            Self::Tool(tool) => {
                tool.switch(0);
                tool.zero();
            }
            Self::Agent(blocks) => {
                blocks.switch(0);
                blocks.zero();
            }
            _ => {}
        }
    }

    /// Whether the counter attributes instructions itself.
    #[inline(always)]
    pub(crate) fn books(&self) -> bool {
        matches!(self, Self::Tool(_) | Self::Agent(_) | Self::Callgrind(_))
    }

    /// Attributes instructions to a place from here on.
    #[inline(always)]
    pub(crate) fn switch(&self, place: usize) {
        match self {
            Self::Tool(tool) => {
                tool.switch(place as u64);
            }
            Self::Agent(blocks) => blocks.switch(place),
            Self::Callgrind(callgrind) => callgrind.switch(place),
            _ => {}
        }
    }

    /// The current value of a counter that only runs on.
    #[inline(always)]
    pub(crate) fn now(&self) -> u64 {
        match self {
            Self::Tool(_) | Self::Agent(_) | Self::Callgrind(_) => 0,
            Self::Hardware(hardware) => hardware.read(),
            #[cfg(test)]
            // SAFETY: the test keeps it alive.
            Self::Shown(number) => unsafe { number.read_volatile() },
        }
    }

    /// The counts of a place, from the counter itself or, for `instructions`, from its reader.
    pub(crate) fn booked(&self, place: usize, instructions: u64) -> Count {
        match self {
            Self::Tool(tool) => {
                let counts = tool.read(place as u64).unwrap_or_default();
                Count {
                    instructions: counts.instructions,
                    loads: counts.loads,
                    stores: counts.stores,
                    simulated: None,
                }
            }
            Self::Agent(blocks) => {
                Count { instructions: blocks.read(place).unwrap_or_default(), ..Count::default() }
            }
            Self::Callgrind(callgrind) => callgrind.booked(place),
            _ => Count { instructions, ..Count::default() },
        }
    }

    /// Checks that all that ran was counted; else returns the reason.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Agent(blocks) if blocks.read(0).is_none() => {
                Err("the program has more blocks of code than the counter has room for".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Writes the instructions of each function to a folder, one file per place; or the memory that threads
    /// share, with the names of the places.
    pub(crate) fn write_functions(&self, folder: &Path) -> Result<(), String> {
        if let Some(tool) = self.contention() {
            return write_contention(tool, folder);
        }
        if let Self::Callgrind(_) = self {
            return Callgrind::write_functions(folder);
        }
        for (place, name) in places() {
            let path = folder.join(name);
            let failed = |cause: String| format!("{}: {cause}", path.display());
            match self {
                Self::Tool(tool) => {
                    let name = CString::new(path.as_os_str().as_bytes())
                        .map_err(|cause| failed(cause.to_string()))?;
                    tool.dump(place as u64, &name).map_err(|cause| failed(cause.to_string()))?;
                }
                Self::Agent(blocks) => {
                    std::fs::write(&path, blocks.listing(place))
                        .map_err(|cause| failed(cause.to_string()))?;
                }
                _ => return Err("this counter does not distinguish functions".to_owned()),
            }
        }
        Ok(())
    }
}

fn write_contention(tool: Counter, folder: &Path) -> Result<(), String> {
    let failed = |path: &Path, cause: String| format!("{}: {cause}", path.display());
    let names: String = places().into_iter().map(|(place, name)| format!("{place}\t{name}\n")).collect();
    let file = folder.join("places");
    std::fs::write(&file, names).map_err(|cause| failed(&file, cause.to_string()))?;
    let file = folder.join("contention");
    let path = CString::new(file.as_os_str().as_bytes()).map_err(|cause| failed(&file, cause.to_string()))?;
    tool.dump_contention(&path).map_err(|cause| failed(&file, cause.to_string()))
}
