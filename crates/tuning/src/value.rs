//! The forms of values in /proc and /sys.

use std::collections::BTreeSet;

/// A mask of CPUs in hexadecimal, in groups of 32 with the highest first: `ff,ffffffff`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mask(BTreeSet<u32>, usize);

impl Mask {
    /// Parses a mask.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let groups: Vec<&str> = text.split(',').collect();
        if groups.len() > MOST_GROUPS {
            return None;
        }
        let mut cpus = BTreeSet::new();
        for (group, at) in groups.iter().rev().zip((0_u32..).step_by(32)) {
            let is_hex = group.bytes().all(|byte| byte.is_ascii_hexdigit());
            if group.is_empty() || group.len() > 8 || !is_hex {
                return None;
            }
            let bits = u32::from_str_radix(group, 16).ok()?;
            cpus.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| at + bit));
        }
        Some(Self(cpus, groups.len()))
    }

    /// The text of the mask without some CPUs; `None` if no CPU is left.
    pub(crate) fn without(&self, cpus: &BTreeSet<u32>) -> Option<String> {
        let left = &self.0 - cpus;
        if left.is_empty() {
            return None;
        }
        let group = |number: usize| {
            let of = |cpu: &&u32| **cpu as usize / 32 == number;
            left.iter().filter(of).fold(0_u32, |bits, cpu| bits | 1 << (cpu % 32))
        };
        if self.1 == 1 {
            return Some(format!("{:x}", group(0)));
        }
        let groups: Vec<String> = (0..self.1).rev().map(|number| format!("{:08x}", group(number))).collect();
        Some(groups.join(","))
    }
}

/// A list of CPUs, with commas as in the kernel or with spaces as in systemd.
pub(crate) fn cpu_set(text: &str) -> Option<BTreeSet<u32>> {
    let is_listlike = |c: char| c.is_ascii_digit() || [',', '-', ' ', '\n'].contains(&c);
    if !text.chars().all(is_listlike) {
        return None;
    }
    let parts: Vec<&str> = text.split([' ', ',', '\n']).filter(|part| !part.is_empty()).collect();
    tlslab_host::parse_cpu_list(&parts.join(","))
}

/// CPUs in the kernel's format: `0-3,8`.
pub fn cpu_list_text(cpus: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let text = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

/// The current one of several choices, which is in brackets: `always [madvise] never`.
pub(crate) fn bracketed(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    let (choice, rest) = rest.split_once(']')?;
    let is_plain = text.chars().all(|c| c.is_ascii_lowercase() || " []\n".contains(c));
    (is_plain && !rest.contains(['[', ']'])).then_some(choice)
}

/// Whether it is the name of a governor or a clock.
pub(crate) fn is_name(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    !text.is_empty() && text.len() <= 31 && text.bytes().all(is_fine)
}

/// Whether it is a whole number, as in a sysctl.
pub(crate) fn is_integer(text: &str) -> bool {
    text.parse::<i32>().is_ok_and(|number| number.to_string() == text)
}

/// For 8192 CPUs, the most that Linux can be built for.
const MOST_GROUPS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn masks() {
        let mask =
            |text: &str, without: &[u32]| Mask::parse(text)?.without(&without.iter().copied().collect());
        assert_eq!(mask("3", &[1]).as_deref(), Some("1"));
        assert_eq!(mask("ff,ffffffff", &[32, 0]).as_deref(), Some("000000fe,fffffffe"));
        assert_eq!(mask("2", &[1]), None, "no CPU is left");
        for text in ["", ",", "1,", "g", "+1", "123456789", "-1", " 1"] {
            assert_eq!(Mask::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn lists_of_the_kernel_and_of_systemd() {
        let set = |cpus: &[u32]| Some(cpus.iter().copied().collect());
        assert_eq!(cpu_set("0-2,8\n"), set(&[0, 1, 2, 8]));
        assert_eq!(cpu_set("0-1 3"), set(&[0, 1, 3]));
        assert_eq!(
            [cpu_set(""), cpu_set("0;1"), cpu_set("\u{661}"), cpu_set("1-0")],
            [None, None, None, None]
        );
    }

    #[test]
    fn choices() {
        assert_eq!(bracketed("always [madvise] never"), Some("madvise"));
        for text in ["always", "[a] [b]", "[a", "a]", "[A]", "[a;]"] {
            assert_eq!(bracketed(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_mask_without_nothing_is_itself(words in prop::collection::vec(1_u32.., 1..5)) {
            let text: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
            let text = text.join(",");
            let mask = Mask::parse(&text).unwrap();
            let same = mask.without(&BTreeSet::new()).unwrap();
            prop_assert_eq!(Mask::parse(&same), Some(mask));
        }

        #[test]
        fn no_text_makes_them_panic(text in ".*") {
            let _ = (Mask::parse(&text), cpu_set(&text), bracketed(&text), is_name(&text), is_integer(&text));
        }
    }
}
