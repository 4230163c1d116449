//! The heap's counters, in a process that was started for weighing. A preloaded library provides them.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

use tlslab_protocol::Holding;

/// The version of the structure below, as in `instruments/preload/tlslab_heap.h`.
const ABI: u32 = 2;

/// Totals since the process began, as `instruments/preload/tlslab_heap.h` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub allocated_blocks: u64,
    pub allocated_bytes: u64,
    pub freed_blocks: u64,
    pub freed_bytes: u64,
    allocated_room_bytes: u64,
    freed_room_bytes: u64,
    /// The peak of live bytes since the previous reading.
    pub peak_bytes: u64,
    /// The blocks that were live at that peak.
    pub peak_blocks: u64,
    unknown_blocks: u64,
}

impl Totals {
    /// The live memory.
    pub(crate) fn held(&self) -> Holding {
        let over = |allocated: u64, freed: u64| allocated.wrapping_sub(freed) as i64;
        Holding {
            blocks: over(self.allocated_blocks, self.freed_blocks),
            bytes: over(self.allocated_bytes, self.freed_bytes),
            room_bytes: over(self.allocated_room_bytes, self.freed_room_bytes),
        }
    }
}

/// The difference of two holdings.
pub(crate) fn grown(earlier: Holding, later: Holding) -> Holding {
    Holding {
        blocks: later.blocks - earlier.blocks,
        bytes: later.bytes - earlier.bytes,
        room_bytes: later.room_bytes - earlier.room_bytes,
    }
}

/// The sum of two holdings.
pub(crate) fn sum(one: Holding, other: Holding) -> Holding {
    Holding {
        blocks: one.blocks + other.blocks,
        bytes: one.bytes + other.bytes,
        room_bytes: one.room_bytes + other.room_bytes,
    }
}

/// The preloaded library's counters.
#[derive(Clone, Copy)]
pub(crate) struct Heap {
    mark: unsafe extern "C" fn(*mut Totals),
}

impl Heap {
    /// Finds the counters, or returns the reason why this process has no reliable ones.
    pub(crate) fn find() -> Result<Self, String> {
        let (Some(abi), Some(mark)) = (symbol(c"tlslab_heap_abi"), symbol(c"tlslab_heap_mark")) else {
            return Err("this process was not started to be weighed: the lab's library that counts allocations is not \
                        loaded into it"
                .to_owned());
        };
        // SAFETY: the preloaded library declares it so.
        let found = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> u32>(abi)() };
        if found != ABI {
            return Err(format!(
                "the library that counts allocations has version {found}, the kit knows {ABI}"
            ));
        }
        // SAFETY: as above, in this version.
        let mark = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut Totals)>(mark) };
        let heap = Self { mark };
        heap.sees_allocations()?;
        Ok(heap)
    }

    /// Reads the totals and resets the peak.
    #[inline]
    pub(crate) fn mark(&self) -> Totals {
        let mut totals = MaybeUninit::uninit();
        // SAFETY: the library fills all of it in.
        unsafe {
            (self.mark)(totals.as_mut_ptr());
            totals.assume_init()
        }
    }

    /// Checks that allocations pass through the library: a program may have an allocator of its own.
    fn sees_allocations(&self) -> Result<(), String> {
        const BYTES: usize = 12_345;
        let before = self.mark().held().bytes;
        let block = std::hint::black_box(Vec::<u8>::with_capacity(BYTES));
        let of_rust = self.mark().held().bytes - before;
        drop(block);
        // SAFETY: a block is allocated and freed.
        let of_c = unsafe {
            let before = self.mark().held().bytes;
            let block = std::hint::black_box(libc::malloc(BYTES));
            let seen = self.mark().held().bytes - before;
            libc::free(block);
            seen
        };
        if (of_rust, of_c) == (BYTES as i64, BYTES as i64) {
            return Ok(());
        }
        Err("the driver has an allocator of its own, which cannot be counted".to_owned())
    }
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
