//! Counts from an agent that rewrites this process's code and counts each block of it. A preloaded library
//! provides them.

use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::ops::Range;

/// The version of the interface below, as in `instruments/preload/tlslab_blocks.h`.
const ABI: u32 = 1;

/// A block of code, as `instruments/preload/tlslab_blocks.h` declares it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Block {
    address: u64,
    instructions: u32,
    padding: u32,
}

/// The shared memory, as `instruments/preload/tlslab_blocks.h` declares it.
#[repr(C)]
struct Shared {
    current: *mut u64,
    known: *const Block,
    blocks: u64,
    followed: u64,
}

/// The preloaded library's functions.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    switch: unsafe extern "C" fn(u64),
    read: unsafe extern "C" fn(u64) -> u64,
    runs: unsafe extern "C" fn(u64, u64) -> u64,
    zero: unsafe extern "C" fn(),
    seed: unsafe extern "C" fn(u64),
    shared: *const Shared,
}

impl Blocks {
    /// Checks that an agent follows this process if it was started for that; other processes always pass.
    ///
    /// # Errors
    /// Fails if there is no agent, or if it belongs to another version of the lab.
    pub(crate) fn check() -> Result<(), String> {
        if symbol(c"tlslab_blocks_abi").is_none() {
            return Ok(());
        }
        check_version()?;
        match Self::find() {
            Some(_) => Ok(()),
            None => Err("no counting agent is attached, although one was requested".to_owned()),
        }
    }

    /// The counts, if an agent follows this process.
    pub(crate) fn find() -> Option<Self> {
        check_version().ok()?;
        let place = symbol(c"tlslab_blocks_place")?;
        let (switch, read) = (symbol(c"tlslab_blocks_switch")?, symbol(c"tlslab_blocks_read")?);
        let (runs, zero) = (symbol(c"tlslab_blocks_runs")?, symbol(c"tlslab_blocks_zero")?);
        let seed = symbol(c"tlslab_blocks_seed")?;
        // SAFETY: the preloaded library declares each of them in the version that was checked, and stays
        // loaded.
        let found = unsafe {
            Self {
                switch: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64)>(switch),
                read: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64) -> u64>(read),
                runs: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64, u64) -> u64>(runs),
                zero: std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(zero),
                seed: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64)>(seed),
                shared: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const Shared>(place)(),
            }
        };
        // SAFETY: the library's memory lives as long as the process.
        (unsafe { (&raw const (*found.shared).followed).read_volatile() } == 1).then_some(found)
    }

    /// Attributes blocks to a bucket from here on.
    #[inline(always)]
    pub(crate) fn switch(&self, bucket: usize) {
        // SAFETY: the library accepts any number.
        unsafe { (self.switch)(bucket as u64) }
    }

    /// Empties all buckets.
    pub(crate) fn zero(&self) {
        // SAFETY: it accesses only its own memory.
        unsafe { (self.zero)() }
    }

    /// Restarts the deterministic RNG and clock.
    pub(crate) fn seed(&self, seed: u64) {
        // SAFETY: as above.
        unsafe { (self.seed)(seed) }
    }

    /// Instructions in a bucket; `None` if the program has more blocks than there is room for.
    pub(crate) fn read(&self, bucket: usize) -> Option<u64> {
        // SAFETY: as above.
        let read = unsafe { (self.read)(bucket as u64) };
        (read != u64::MAX).then_some(read)
    }

    /// A bucket's instructions by the address of their block, in callgrind's format. Function names are
    /// resolved elsewhere, from the object files.
    pub(crate) fn listing(&self, bucket: usize) -> String {
        let segments = segments();
        let mut text = "# callgrind format\nversion: 1\npositions: instr\nevents: Ir\n".to_owned();
        let mut object = None;
        // SAFETY: the library fills in every block below this number, and none changes afterwards.
        let known = unsafe {
            let blocks = (&raw const (*self.shared).blocks).read_volatile() as usize;
            std::slice::from_raw_parts((*self.shared).known, blocks)
        };
        for (number, block) in known.iter().enumerate().skip(1) {
            // SAFETY: the number comes from the library.
            let runs = unsafe { (self.runs)(bucket as u64, number as u64) };
            if runs == 0 {
                continue;
            }
            let segment = segments.iter().find(|segment| segment.addresses.contains(&block.address));
            let (path, at) = segment.map_or(("???", block.address), |segment| {
                (&segment.object, block.address.wrapping_sub(segment.added))
            });
            if object != Some(path) {
                let _ = writeln!(text, "ob={path}\nfn=???");
                object = Some(path);
            }
            let _ = writeln!(text, "{at:#x} {}", runs * u64::from(block.instructions));
        }
        text
    }
}

/// A loaded part of a program or library.
struct Segment {
    addresses: Range<u64>,
    /// The difference between loaded addresses and those in the file.
    added: u64,
    object: String,
}

/// All loaded segments.
fn segments() -> Vec<Segment> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, segments: *mut c_void) -> i32 {
        // SAFETY: the loader fills in the one, and the other is what the caller gave.
        let (info, segments) = unsafe { (&*info, &mut *segments.cast::<Vec<Segment>>()) };
        // SAFETY: the loader's name ends with a zero byte, and there are as many headers as it says.
        let (name, headers) = unsafe {
            (
                CStr::from_ptr(info.dlpi_name).to_string_lossy(),
                std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()),
            )
        };
        // The program itself has no name in this list.
        let path = if name.is_empty() { "/proc/self/exe" } else { &*name };
        let real = std::fs::canonicalize(path);
        let object = real.map_or(name.to_string(), |real| real.to_string_lossy().into_owned());
        for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD) {
            let from = info.dlpi_addr.wrapping_add(header.p_vaddr);
            segments.push(Segment {
                addresses: from..from.wrapping_add(header.p_memsz),
                added: info.dlpi_addr,
                object: object.clone(),
            });
        }
        0
    }
    let mut segments = Vec::new();
    // SAFETY: the function is called with the pointer before this returns.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut segments).cast()) };
    segments
}

fn check_version() -> Result<(), String> {
    let Some(abi) = symbol(c"tlslab_blocks_abi") else {
        return Err("no library that blocks are counted in is loaded".to_owned());
    };
    // SAFETY: every version of the library declares it so.
    match unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> u32>(abi)() } {
        ABI => Ok(()),
        found => {
            Err(format!("the library that blocks are counted in has version {found}, the kit knows {ABI}"))
        }
    }
}

pub(super) fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_need_not_be_followed() {
        assert_eq!(Blocks::check(), Ok(()));
        assert!(Blocks::find().is_none());
    }

    #[test]
    fn what_is_loaded_is_known_by_its_file() {
        let segments = segments();
        let of = |address: u64| segments.iter().find(|segment| segment.addresses.contains(&address)).unwrap();
        let here = of(what_is_loaded_is_known_by_its_file as fn() as usize as u64);
        assert_eq!(here.object, std::env::current_exe().unwrap().canonicalize().unwrap().to_string_lossy());
        assert!(here.added > 0, "tests are linked to run anywhere");
        let other = of(libc::malloc as unsafe extern "C" fn(usize) -> *mut c_void as usize as u64);
        assert!(other.object.starts_with('/') && other.object != here.object, "{}", other.object);
    }
}
