//! A deliberate slow-down, to test whether a comparison detects it.
//!
//! With `TLSLAB_BURDEN=CLIENT,SERVER`, a side's first call of each handshake, and every call that carries
//! data, begins with a loop of that many turns, on its clock and under its marks. Without the variable there
//! is no loop.

use std::hint::black_box;
use std::sync::OnceLock;

use tlslab_protocol::Side;

use crate::timing::phase::Phase;

/// Turns of each side's loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlantedCost([u64; 2]);

impl PlantedCost {
    /// The cost that this process was started with.
    pub(crate) fn of_process() -> Self {
        static BURDEN: OnceLock<PlantedCost> = OnceLock::new();
        *BURDEN
            .get_or_init(|| std::env::var(NAME).ok().and_then(|text| Self::parse(&text)).unwrap_or_default())
    }

    fn parse(text: &str) -> Option<Self> {
        let (client, server) = text.split_once(',')?;
        Some(Self([client.parse().ok()?, server.parse().ok()?]))
    }

    /// Runs the loop, if the phase has one.
    #[inline(always)]
    pub(crate) fn bear(self, side: Side, phase: Phase) {
        let turns = self.0[side as usize];
        if turns > 0 && matches!(phase, Phase::Handshake(0) | Phase::Send | Phase::Receive | Phase::Operation)
        {
            turn(turns);
        }
    }
}

/// Dependent multiplications in a register. Their time does not depend on the addresses of code and stack: a
/// loop over a variable in memory took 1.6 times as long at some addresses as at others.
#[inline(never)]
fn turn(turns: u64) {
    alone();
    let mut value = turns | 1;
    for _ in 0..turns {
        for _ in 0..MULTIPLICATIONS {
            value = held(value.wrapping_mul(0x5851_f42d_4c95_7f2d));
        }
    }
    black_box(value);
    alone();
}

/// Keeps a value in its register, and hides it from the compiler.
#[inline(always)]
fn held(value: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut value = value;
        // SAFETY: the assembly is empty.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags));
        }
        value
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    black_box(value)
}

/// Makes the processor finish earlier instructions, so that the loop neither overlaps with other work nor
/// hides it.
#[inline(always)]
fn alone() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this kind has the instruction, and it has no other effect.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("isb", options(nomem, nostack, preserves_flags));
    }
}

const NAME: &str = "TLSLAB_BURDEN";
/// Per turn; with this number, their latency hides the loop's own jump.
const MULTIPLICATIONS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_cost_is_two_numbers_or_none() {
        assert_eq!(PlantedCost::parse("3,40"), Some(PlantedCost([3, 40])));
        assert_eq!(PlantedCost::parse("3"), None);
        assert_eq!(PlantedCost::parse("3,x"), None);
        assert_eq!(PlantedCost::of_process(), PlantedCost::default());
    }
}
