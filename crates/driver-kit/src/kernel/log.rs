//! Figures of many iterations, kept without an allocation between two of them: one would move what the
//! library allocates next.

use std::collections::BTreeMap;

use tlslab_protocol::{KernelPhases, Side, Sides};

use super::names::name_of;
use crate::count::places::places;

/// The most figures that are kept; a connection has some tens.
const MOST: usize = 1 << 16;

/// The kind of a figure.
#[derive(Clone, Copy)]
pub(super) enum What {
    /// A system call, by its number.
    Call(usize),
    MinorFaults,
    MajorFaults,
    Grown,
    Returned,
}

#[derive(Clone, Copy)]
struct Entry {
    iteration: u32,
    place: usize,
    what: What,
    value: u64,
}

/// The figures so far.
pub(super) struct Log(Vec<Entry>);

impl Log {
    /// An empty log with all its room.
    pub(super) fn with_room() -> Self {
        Self(Vec::with_capacity(MOST))
    }

    /// Adds a figure unless it is zero.
    pub(super) fn add(&mut self, iteration: u32, place: usize, what: What, value: u64) -> Result<(), String> {
        if value == 0 {
            return Ok(());
        }
        if self.0.len() == MOST {
            return Err(format!(
                "its work makes more than {MOST} kinds of system calls in all its iterations"
            ));
        }
        self.0.push(Entry { iteration, place, what, value });
        Ok(())
    }

    /// The figures of each iteration.
    pub(super) fn by_iteration(&self, iterations: u32) -> Vec<Sides<KernelPhases>> {
        let names: BTreeMap<usize, (Side, String)> = places().into_iter().map(phase_of).collect();
        let mut all = vec![Sides::<KernelPhases>::default(); iterations as usize];
        for Entry { iteration, place, what, value } in &self.0 {
            let (Some(sides), Some((side, phase))) = (all.get_mut(*iteration as usize), names.get(place))
            else {
                continue;
            };
            let used = sides.of_mut(*side).entry(phase.clone()).or_default();
            match what {
                What::Call(number) => *used.calls.entry(name_of(*number)).or_default() += value,
                What::MinorFaults => used.minor_faults += value,
                What::MajorFaults => used.major_faults += value,
                What::Grown => used.grown_bytes += value,
                What::Returned => used.returned_bytes += value,
            }
        }
        all
    }
}

/// The side and phase of a place such as `client.handshake.2`; all calls of the handshake are one phase.
fn phase_of((place, name): (usize, String)) -> (usize, (Side, String)) {
    let mut parts = name.split('.');
    let side = if parts.next() == Some("client") { Side::Client } else { Side::Server };
    (place, (side, parts.next().unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::places::place;
    use crate::timing::phase::Phase;

    #[test]
    fn calls_of_a_handshake_are_one_phase_and_zeros_are_left_out() {
        let mut log = Log::with_room();
        let getpid = What::Call(libc::SYS_getpid as usize);
        log.add(0, place(Side::Client, Phase::Handshake(0)), getpid, 1).unwrap();
        log.add(0, place(Side::Client, Phase::Handshake(1)), getpid, 2).unwrap();
        log.add(0, place(Side::Server, Phase::Free), What::Returned, 135_168).unwrap();
        log.add(1, place(Side::Server, Phase::Free), What::MinorFaults, 0).unwrap();
        let all = log.by_iteration(2);
        assert_eq!(all[0].client["handshake"].calls, BTreeMap::from([("getpid".to_owned(), 3)]));
        assert_eq!(all[0].server["free"].returned_bytes, 135_168);
        assert!(all[1].client.is_empty() && all[1].server.is_empty());
    }
}
