//! Memory placement in a timed process, drawn from a seed that the lab provides.
//!
//! The offset of a block within its page affects the speed of some instructions. It is the same in every
//! process of one program, and one additional small allocation moves everything after it. With
//! `TLSLAB_PLACEMENT=NUMBER`, 16 hexadecimal digits, unused blocks are allocated and kept: before the
//! library's first block, before each of the kit's buffers, and at points between the library's own blocks.
//! Their sizes are random, so that subsequent blocks begin at random offsets in each process, independently
//! of previous ones. The same seed and the same requests give the same offsets. Without the variable nothing
//! is drawn or allocated; counts and weighings are made that way.
//!
//! Offsets are multiples of 16 bytes within a page of 4,096, as those of blocks from `malloc`. Nothing else
//! changes: a buffer is an ordinary block.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size of a page, and the distance between two offsets in it, bytes.
const PAGE: usize = 4096;
const STEP: usize = 16;
/// More than any block that was freed before, so that a block of this size comes from the heap's end and
/// moves subsequent ones. Its pages are not touched. The kit's thresholds keep glibc from mapping it
/// separately.
const BEYOND_FREED: usize = 128 * 1024;

/// The process's source of random offsets.
struct Draws {
    number: u64,
    drawn: AtomicU64,
}

static OF_PROCESS: OnceLock<Draws> = OnceLock::new();

/// Reads the seed that this process was started with, if any, and shifts the beginning of the heap.
///
/// # Errors
/// Fails if the variable is not a number of 16 hexadecimal digits.
pub(crate) fn begin() -> Result<(), String> {
    let Some(text) = std::env::var_os(NAME) else { return Ok(()) };
    let number = text.to_str().and_then(parse).ok_or_else(|| {
        format!("{NAME} is {}, not 16 hexadecimal digits; it is set by the lab", text.to_string_lossy())
    })?;
    let _ = OF_PROCESS.set(Draws { number, drawn: AtomicU64::new(0) });
    move_heap();
    Ok(())
}

/// Shifts the blocks that are allocated from here on, unless they fill gaps. Never on the clock.
pub(crate) fn move_heap() {
    std::mem::forget(Gap::here());
}

/// A block that shifts those after it for as long as it is kept: for the separate heap of a thread.
pub(crate) struct Gap(*mut libc::c_void);

impl Gap {
    /// A gap of random size on this thread's heap; empty if placement is not randomised.
    pub(crate) fn here() -> Self {
        match OF_PROCESS.get().map(Draws::place) {
            // The compiler must not remove the allocation of an unused block.
            // SAFETY: a block is allocated, which may fail.
            Some(place) => Self(std::hint::black_box(unsafe { libc::malloc(BEYOND_FREED + place) })),
            None => Self(std::ptr::null_mut()),
        }
    }
}

impl Drop for Gap {
    fn drop(&mut self) {
        // SAFETY: the block came from `malloc`, or is null.
        unsafe { libc::free(self.0) }
    }
}

impl Draws {
    /// The next offset.
    fn place(&self) -> usize {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        let bits = mixed(self.number.wrapping_add(drawn.wrapping_add(1).wrapping_mul(GOLDEN)));
        (bits >> 32) as usize % (PAGE / STEP) * STEP
    }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const NAME: &str = "TLSLAB_PLACEMENT";

fn parse(text: &str) -> Option<u64> {
    let is_right = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_right.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::process::Command;

    use super::*;
    use crate::pair::placed_buffer;

    #[test]
    fn a_number_is_sixteen_digits_or_refused() {
        assert_eq!(parse("00000000000000ff"), Some(255));
        assert_eq!(parse("ff"), None);
        assert_eq!(parse("+0000000000000ff"), None);
        assert_eq!(parse("00000000000000fg"), None);
    }

    #[test]
    fn draws_are_those_of_splitmix64_and_reach_every_place() {
        // The generator's first output from 0 is e220a8397b1dcdaf.
        let draws = Draws { number: 0, drawn: AtomicU64::new(0) };
        assert_eq!(draws.place(), 0xe220_a839 % 256 * 16);
        let places: HashSet<usize> = (0..4_000).map(|_| draws.place()).collect();
        assert_eq!(places.len(), 256);
        assert!(places.iter().all(|place| place.is_multiple_of(16) && *place < 4096));
    }

    /// The report of a process with this seed: the offsets within their pages of three heap blocks and three
    /// buffers.
    fn reported(number: Option<&str>) -> String {
        let mut command = Command::new(std::env::current_exe().unwrap());
        // In the first thread, whose heap is the program's.
        command.args([
            "memory::placement::tests::a_process",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ]);
        command.env_remove(NAME).env("TLSLAB_PADDING", "");
        if let Some(number) = number {
            command.env(NAME, number);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let found = text.lines().find_map(|line| line.split_once("places ")).map(|(_, places)| places);
        found.unwrap_or_else(|| panic!("{text}")).to_owned()
    }

    #[test]
    #[ignore = "what the test below starts"]
    fn a_process() {
        crate::memory::allocator::keep_memory();
        begin().unwrap();
        let block = |bytes| {
            // SAFETY: a block is allocated and kept.
            unsafe { libc::malloc(bytes) as usize % PAGE }
        };
        let blocks = [block(1 << 20), block(16 * 1024), block(200_000)];
        let buffers = [1 << 20, 16 * 1024, 100].map(|bytes| {
            let buffer = std::mem::ManuallyDrop::new(placed_buffer(bytes));
            buffer.filled().as_ptr() as usize % PAGE
        });
        println!("places {blocks:?} {buffers:?}");
    }

    #[test]
    fn blocks_and_buffers_of_a_process_lie_where_its_number_puts_them() {
        let numbers: Vec<String> = (0..8).map(|number| format!("{number:016x}")).collect();
        let places: Vec<String> = numbers.iter().map(|number| reported(Some(number))).collect();
        assert_eq!(places[0], reported(Some(&numbers[0])));
        assert_eq!(places.iter().collect::<HashSet<_>>().len(), 8, "{places:?}");
        let heap = |text: &String| text.split(']').next().map(str::to_owned);
        let buffers = |text: &String| text.split("] [").nth(1).map(str::to_owned);
        assert!(places.iter().map(heap).collect::<HashSet<_>>().len() >= 7, "{places:?}");
        assert_eq!(places.iter().map(buffers).collect::<HashSet<_>>().len(), 8, "{places:?}");
        // Without a seed nothing moves.
        assert_eq!(reported(None), reported(None));
        assert_eq!(reported(None).matches("] [").count(), 1);
    }
}
