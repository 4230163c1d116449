//! The evictor's code: many small functions, each with branches of its own that depend on data.

use std::hint::black_box;

/// The number of functions.
const FUNCTIONS: usize = 4096;
/// The least size of that code, bytes: each function has more than a hundred. More than a first-level cache
/// and the translation buffers of its instructions hold.
pub const CODE_BYTES: usize = FUNCTIONS * 128;

type Function = fn(u64) -> u64;

/// One of the functions. Its constants make its code differ from all others.
#[inline(never)]
fn function<const N: u64>(state: u64) -> u64 {
    let mut state = state ^ N.wrapping_mul(0x2545_f491_4f6c_dd1d);
    for shift in [7_u32, 13, 29, 41] {
        if black_box(state >> shift) & 1 == 0 {
            state = state.wrapping_mul(N | 1).rotate_left(shift);
        } else {
            state = (state ^ (N << 3)).wrapping_add(u64::from(shift));
        }
    }
    state
}

macro_rules! eight {
    ($from:expr) => {
        [
            function::<{ $from }>,
            function::<{ $from + 1 }>,
            function::<{ $from + 2 }>,
            function::<{ $from + 3 }>,
            function::<{ $from + 4 }>,
            function::<{ $from + 5 }>,
            function::<{ $from + 6 }>,
            function::<{ $from + 7 }>,
        ]
    };
}

macro_rules! sixty_four {
    ($from:expr) => {
        [
            eight!($from),
            eight!($from + 8),
            eight!($from + 16),
            eight!($from + 24),
            eight!($from + 32),
            eight!($from + 40),
            eight!($from + 48),
            eight!($from + 56),
        ]
    };
}

macro_rules! five_hundred_twelve {
    ($from:expr) => {
        [
            sixty_four!($from),
            sixty_four!($from + 64),
            sixty_four!($from + 128),
            sixty_four!($from + 192),
            sixty_four!($from + 256),
            sixty_four!($from + 320),
            sixty_four!($from + 384),
            sixty_four!($from + 448),
        ]
    };
}

static TABLE: [[[[Function; 8]; 8]; 8]; 8] = [
    five_hundred_twelve!(0),
    five_hundred_twelve!(512),
    five_hundred_twelve!(1024),
    five_hundred_twelve!(1536),
    five_hundred_twelve!(2048),
    five_hundred_twelve!(2560),
    five_hundred_twelve!(3072),
    five_hundred_twelve!(3584),
];

/// Calls every function once.
pub(crate) fn run(mut state: u64) -> u64 {
    for function in TABLE.as_flattened().as_flattened().as_flattened() {
        state = function(state);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_functions_as_are_claimed_and_no_two_are_one() {
        let mut addresses: Vec<usize> =
            TABLE.as_flattened().as_flattened().as_flattened().iter().map(|it| *it as usize).collect();
        assert_eq!(addresses.len(), FUNCTIONS);
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), FUNCTIONS);
        let span = addresses[FUNCTIONS - 1] - addresses[0];
        assert!(span >= CODE_BYTES, "{span} bytes of code");
    }
}
