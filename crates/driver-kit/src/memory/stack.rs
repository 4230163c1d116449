//! Stack use of calls: the free stack is painted before a call, and the lowest byte that the call has altered
//! is located after it.
//!
//! Memory that a call reserves and never writes to is not detected.

use std::mem::MaybeUninit;

const PAINT: u64 = 0x5afe_57ac_5afe_57ac;
const WORD: usize = size_of::<u64>();
/// Above the painted part: the frame of the painting function, and the red zone that the compiler may use
/// below it.
const OWN_FRAME: usize = 512;
/// Below it: the thread's guard pages, and the distance that the kernel keeps below a growing stack.
const MARGIN: usize = 64 * 1024;
/// The most that is painted.
const MOST: usize = 4 * 1024 * 1024;

/// This thread's stack.
pub(crate) struct Stack {
    lowest: usize,
}

impl Stack {
    /// Finds this thread's bounds.
    pub(crate) fn find() -> Result<Self, String> {
        let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
        let (mut address, mut bytes) = (std::ptr::null_mut(), 0);
        // SAFETY: the structure is filled in by the first call, read by the second and freed by the third.
        let status = unsafe {
            match libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) {
                0 => {
                    let status = libc::pthread_attr_getstack(attributes.as_ptr(), &mut address, &mut bytes);
                    libc::pthread_attr_destroy(attributes.as_mut_ptr());
                    status
                }
                status => status,
            }
        };
        if status != 0 {
            return Err(format!("the stack's bounds: {}", std::io::Error::from_raw_os_error(status)));
        }
        let here = pointer();
        let lowest = (address as usize + MARGIN).max(here.saturating_sub(MOST)).next_multiple_of(WORD);
        if lowest + OWN_FRAME >= here {
            return Err("the stack has no room left to be painted".to_owned());
        }
        Ok(Self { lowest })
    }

    /// Paints all that is free below `pointer`.
    #[inline(never)]
    pub(crate) fn paint(&mut self, pointer: usize) {
        let end = (pointer - OWN_FRAME) & !(WORD - 1);
        let mut at = self.lowest;
        while at < end {
            // SAFETY: between the thread's lowest address and this function's own frame nothing lives.
            unsafe { (at as *mut u64).write_volatile(PAINT) };
            at += WORD;
        }
    }

    /// How far below `pointer` anything was written since it was painted, bytes in whole words; at least the
    /// unpainted [`OWN_FRAME`] bytes.
    #[inline(never)]
    pub(crate) fn used(&self, pointer: usize) -> u64 {
        let end = (pointer - OWN_FRAME) & !(WORD - 1);
        let mut at = self.lowest;
        // SAFETY: as above.
        while at < end && unsafe { (at as *const u64).read_volatile() } == PAINT {
            at += WORD;
        }
        pointer.saturating_sub(at) as u64
    }
}

/// The stack pointer of the function that this is inlined into: its calls use the memory below.
#[inline(always)]
pub(super) fn pointer() -> usize {
    let pointer: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register.
    unsafe {
        std::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register.
    unsafe {
        std::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let here = 0_u8;
        pointer = std::hint::black_box(&raw const here) as usize;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn takes<const BYTES: usize>() -> u8 {
        let mut room = [1_u8; BYTES];
        std::hint::black_box(&mut room);
        room[BYTES / 2]
    }

    /// Below its stack pointer, a call uses its array, its frame and a return address or two.
    #[test]
    fn a_call_of_known_depth_is_measured() {
        let mut stack = Stack::find().unwrap();
        let here = pointer();
        let mut depth = |call: fn() -> u8| {
            stack.paint(here);
            std::hint::black_box(call());
            stack.used(here)
        };
        let (small, large, again) = (depth(takes::<20_000>), depth(takes::<300_000>), depth(takes::<20_000>));
        assert!((20_000..22_000).contains(&small), "{small}");
        assert!((300_000..302_000).contains(&large), "{large}");
        assert_eq!(small, again, "what was altered is painted again");
    }
}
