//! The counts of an agent that rewrites this process's code and counts each block of it: a preloaded library has them.

use std::ffi::{CStr, c_void};
use std::fmt::Write;

/// The version of what is called below, as `preload/tlslab_blocks.h` has it.
const ABI: u32 = 1;

/// A block of code, as `preload/tlslab_blocks.h` declares it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Block {
    address: u64,
    instructions: u32,
    padding: u32,
}

/// The shared place, as `preload/tlslab_blocks.h` declares it.
#[repr(C)]
struct Shared {
    current: *mut u64,
    known: *const Block,
    blocks: u64,
    followed: u64,
}

/// The preloaded library's functions.
#[derive(Clone, Copy)]
pub struct Blocks {
    switch: unsafe extern "C" fn(u64),
    read: unsafe extern "C" fn(u64) -> u64,
    runs: unsafe extern "C" fn(u64, u64) -> u64,
    zero: unsafe extern "C" fn(),
    seed: unsafe extern "C" fn(u64),
    shared: *const Shared,
}

impl Blocks {
    /// Waits for the agent, in a process that was started to be followed; in any other this does nothing.
    ///
    /// # Errors
    /// No agent came, or it is one of another version of the lab.
    pub fn await_agent() -> Result<(), String> {
        let Some(wait) = symbol(c"tlslab_blocks_wait") else { return Ok(()) };
        check_version()?;
        // SAFETY: the preloaded library declares it so.
        match unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> i32>(wait)() } {
            0 => Ok(()),
            _ => Err("nobody follows this process, although it was started to be followed".to_owned()),
        }
    }

    /// The counts, if an agent follows this process.
    pub fn find() -> Option<Self> {
        check_version().ok()?;
        let place = symbol(c"tlslab_blocks_place")?;
        let (switch, read) = (symbol(c"tlslab_blocks_switch")?, symbol(c"tlslab_blocks_read")?);
        let (runs, zero) = (symbol(c"tlslab_blocks_runs")?, symbol(c"tlslab_blocks_zero")?);
        let seed = symbol(c"tlslab_blocks_seed")?;
        // SAFETY: the preloaded library declares each so in the version that was checked, and stays loaded.
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
        // SAFETY: the library's place lives as long as the process.
        (unsafe { (&raw const (*found.shared).followed).read_volatile() } == 1).then_some(found)
    }

    /// From here on, blocks are booked to a bucket.
    #[inline(always)]
    pub fn switch(&self, bucket: usize) {
        // SAFETY: the library takes any number.
        unsafe { (self.switch)(bucket as u64) }
    }

    /// Empties all buckets.
    pub fn zero(&self) {
        // SAFETY: it touches memory of its own alone.
        unsafe { (self.zero)() }
    }

    /// Begins forged chance and time anew.
    pub fn seed(&self, seed: u64) {
        // SAFETY: as above.
        unsafe { (self.seed)(seed) }
    }

    /// Instructions in a bucket; `None` where the program has more blocks than there is room for.
    pub fn read(&self, bucket: usize) -> Option<u64> {
        // SAFETY: as above.
        let read = unsafe { (self.read)(bucket as u64) };
        (read != u64::MAX).then_some(read)
    }

    /// A bucket's instructions by the place of their block, in the format of callgrind: which functions these are is in the
    /// objects, and not this process's to find out.
    pub fn listing(&self, bucket: usize) -> Result<String, String> {
        let maps = std::fs::read_to_string("/proc/self/maps")
            .map_err(|cause| format!("cannot read what is mapped: {cause}"))?;
        let maps: Vec<Mapped<'_>> = maps.lines().filter_map(Mapped::read).collect();
        let mut text = "# callgrind format\nversion: 1\npositions: instr\nevents: Ir\n".to_owned();
        let mut object = None;
        // SAFETY: the library fills in every block below this number, and none is ever changed.
        let known = unsafe {
            let blocks = (&raw const (*self.shared).blocks).read_volatile() as usize;
            std::slice::from_raw_parts((*self.shared).known, blocks)
        };
        for (number, block) in known.iter().enumerate().skip(1) {
            // SAFETY: the number is one of the library's.
            let runs = unsafe { (self.runs)(bucket as u64, number as u64) };
            if runs == 0 {
                continue;
            }
            let mapped = maps.iter().find(|mapped| mapped.holds(block.address));
            let (path, at) =
                mapped.map_or(("???", block.address), |mapped| (mapped.path, mapped.offset(block.address)));
            if object != Some(path) {
                let _ = writeln!(text, "ob={path}");
                object = Some(path);
            }
            let _ = writeln!(text, "fn={at:#x}\n{at:#x} {}", runs * u64::from(block.instructions));
        }
        Ok(text)
    }
}

/// A line of `/proc/self/maps`: addresses, and what of which file they show.
struct Mapped<'m> {
    from: u64,
    to: u64,
    file_offset: u64,
    path: &'m str,
}

impl<'m> Mapped<'m> {
    fn read(line: &'m str) -> Option<Self> {
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let mut fields = line.splitn(6, ' ');
        let (from, to) = fields.next()?.split_once('-')?;
        let file_offset = number(fields.nth(1)?)?;
        let path = fields.nth(2).map_or("???", str::trim_start);
        Some(Self { from: number(from)?, to: number(to)?, file_offset, path })
    }

    fn holds(&self, address: u64) -> bool {
        (self.from..self.to).contains(&address)
    }

    fn offset(&self, address: u64) -> u64 {
        address - self.from + self.file_offset
    }
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

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_nobody_follows_waits_for_nobody() {
        assert_eq!(Blocks::await_agent(), Ok(()));
        assert!(Blocks::find().is_none());
    }

    #[test]
    fn an_address_is_a_place_in_a_file() {
        let line = "7ffff7c28000-7ffff7db0000 r-xp 00028000 fe:00 1234      /lib/a folder/libc.so.6";
        let mapped = Mapped::read(line).unwrap();
        assert!(mapped.holds(0x7fff_f7c2_8000) && !mapped.holds(0x7fff_f7db_0000));
        assert_eq!(mapped.offset(0x7fff_f7c2_8010), 0x28010);
        assert_eq!(mapped.path, "/lib/a folder/libc.so.6");
        assert!(Mapped::read("something else").is_none());
    }
}
