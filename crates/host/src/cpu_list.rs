//! The kernel's lists of CPUs: `0-3,8,10-11`.

use std::collections::BTreeSet;

/// The CPUs in `text`; `None` for anything that is not such a list, an empty one included.
pub fn parse_cpu_list(text: &str) -> Option<BTreeSet<u32>> {
    let mut cpus = BTreeSet::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last > HIGHEST_CPU {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// Linux is built for at most 8192 CPUs; a larger number is garbage and must not fill the memory.
const HIGHEST_CPU: u32 = 8191;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!(parse_cpu_list("0-2,8,10-11\n"), Some(BTreeSet::from([0, 1, 2, 8, 10, 11])));
        assert_eq!(parse_cpu_list("5"), Some(BTreeSet::from([5])));
    }

    #[test]
    fn garbage_is_not_a_list() {
        for text in ["", " ", "x", "1-", "-1", "3-1", "1,,2", "0-4294967295", "0-99999"] {
            assert_eq!(parse_cpu_list(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", listlike in "[0-9,-]{0,20}") {
            let _ = (parse_cpu_list(&text), parse_cpu_list(&listlike));
        }
    }
}
