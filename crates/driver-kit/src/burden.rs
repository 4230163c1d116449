//! A slow-down that is put there on purpose, to see whether a comparison finds it.
//!
//! `TLSLAB_BURDEN=CLIENT,SERVER` has a side's first call of each handshake, and every one that carries data, begin with a loop
//! of so many turns, on its clock and under its marks. Without the variable there is none.

use std::hint::black_box;
use std::sync::OnceLock;

use tlslab_protocol::Side;

use crate::meter::Phase;

/// Turns of each side's loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burden([u64; 2]);

impl Burden {
    /// The one that this process was started with.
    pub fn of_process() -> Self {
        static BURDEN: OnceLock<Burden> = OnceLock::new();
        *BURDEN
            .get_or_init(|| std::env::var(NAME).ok().and_then(|text| Self::parse(&text)).unwrap_or_default())
    }

    fn parse(text: &str) -> Option<Self> {
        let (client, server) = text.split_once(',')?;
        Some(Self([client.parse().ok()?, server.parse().ok()?]))
    }

    /// One turn of the loop after the other, where a phase has any.
    #[inline(always)]
    pub fn bear(self, side: Side, phase: Phase) {
        let turns = self.0[side as usize];
        if turns > 0 && matches!(phase, Phase::Handshake(0) | Phase::Send | Phase::Receive | Phase::Operation)
        {
            turn(turns);
        }
    }
}

#[inline(never)]
fn turn(turns: u64) {
    alone();
    let mut left = turns;
    while left > 0 {
        left = black_box(left - 1);
    }
    alone();
}

/// Has the processor finish what came before, so that nothing hides behind the loop and the loop behind nothing.
#[inline(always)]
fn alone() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is there on every processor of this kind, and touches nothing.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: likewise.
    unsafe {
        std::arch::asm!("isb", options(nomem, nostack, preserves_flags));
    }
}

const NAME: &str = "TLSLAB_BURDEN";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burden_is_two_numbers_or_none() {
        assert_eq!(Burden::parse("3,40"), Some(Burden([3, 40])));
        assert_eq!(Burden::parse("3"), None);
        assert_eq!(Burden::parse("3,x"), None);
        assert_eq!(Burden::of_process(), Burden::default());
    }
}
