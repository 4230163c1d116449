//! Numbers for the users of sandboxes if the lab runs as root: one for each, as the kernel counts processes,
//! pipes and watches by user, and a sandbox that exhausts such a limit must not affect others.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The user of a sandbox that is a user namespace, and the group to which files are lent. Debian keeps this
/// number free.
pub(crate) const USER: u32 = 65533;

/// How many numbers a lab uses in turn: more than it has sandboxes at once.
const NUMBERS: u32 = 4096;
/// Numbers that are not used for users: lower ones are for containers, higher ones are negative for some
/// programs.
const FREE: Range<u32> = 0x7000_0000..0x7ff0_0000;
/// For a container that maps no others: the highest numbers of 16 bits.
const SCARCE: Range<u32> = USER - 255..USER + 1;

/// A number that no other sandbox of this lab has now, and probably none of another lab.
pub(crate) fn next() -> u32 {
    static RANGE: OnceLock<Range<u32>> = OnceLock::new();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let range = RANGE.get_or_init(|| {
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let is_mapped = |range: &Range<u32>| {
            ["/proc/self/uid_map", "/proc/self/gid_map"].iter().all(|file| maps(&read(file), range))
        };
        // Labs on one machine do not know each other, and in containers they have the same process ids.
        choose(RandomState::new().build_hasher().finish(), is_mapped)
    });
    range.start + NEXT.fetch_add(1, Ordering::Relaxed) % (range.end - range.start)
}

fn choose(random: u64, is_mapped: impl Fn(&Range<u32>) -> bool) -> Range<u32> {
    let places = u64::from((FREE.end - FREE.start) / NUMBERS);
    let start = FREE.start + (random % places) as u32 * NUMBERS;
    let ranges = [start..start + NUMBERS, SCARCE];
    ranges.into_iter().find(|range| is_mapped(range)).unwrap_or(USER..USER + 1)
}

/// Whether a map of a user namespace has all these numbers.
fn maps(map: &str, range: &Range<u32>) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        matches!(numbers[..], [inside, _, count]
            if inside <= range.start.into() && inside + count >= range.end.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sandboxes_are_two_users() {
        let (one, other) = (next(), next());
        assert_ne!(one, other);
        assert!(one != 0 && other != 0);
    }

    #[test]
    fn only_numbers_that_a_container_maps_are_used() {
        let whole = "         0          0 4294967295\n";
        let container = "         0       1000          1\n         1     100000      65536\n";
        let alone = "0 1000 1\n";
        let chosen = |map: &str, random| choose(random, |range| maps(map, range));
        let range = chosen(whole, 7);
        assert!(FREE.contains(&range.start) && range.end <= FREE.end && range.len() == 4096, "{range:?}");
        assert!(chosen(whole, u64::MAX).end <= FREE.end);
        assert_ne!(chosen(whole, 8), range);
        assert_eq!(chosen(container, 7), SCARCE);
        assert_eq!(chosen(alone, 7), USER..USER + 1);
    }
}
