//! The order of versions as projects number them.

use std::cmp::Ordering;

/// The order of two versions: numbers by their value, pre-releases before their release (`3.0.0-alpha9`,
/// `3.0.0-alpha10`, `1.27rc1`), letters after it (`1.1.1`, `1.1.1a`). Text without a version in it comes
/// last.
///
/// It is a total order: two versions are equal only if their texts are.
pub fn compare(one: &str, other: &str) -> Ordering {
    same_release(one, other).then_with(|| one.cmp(other))
}

/// The order of two versions; equal also where two texts name one release, as `1.0` and `1.0.0` do.
pub(crate) fn same_release(one: &str, other: &str) -> Ordering {
    key(one).cmp(&key(other))
}

/// Whether a version comes before its release: `3.0.0-alpha9`, `1.27rc1`.
pub(crate) fn is_early(version: &str) -> bool {
    parts(bare(version)).contains(&Part::Early)
}

/// A package's version without the suffix after `+`.
pub(crate) fn bare(version: &str) -> &str {
    version.split('+').next().unwrap_or(version)
}

/// The prefix before a version's first digit, such as `go` in `go1.25`, without a single `v`; `None` if the
/// text is not a version. Text after a comma (`1.2, ring 0.17.8`) is ignored.
pub fn prefix(text: &str) -> Option<String> {
    let version = text.split(", ").next().unwrap_or(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '~' | '-');
    let first = version.find(|c: char| c.is_ascii_digit())?;
    let is_version = version.chars().all(is_part) && !is_commit(version) && !is_described(version);
    is_version.then(|| match version[..first].to_ascii_lowercase().as_str() {
        "v" => String::new(),
        prefix => prefix.to_owned(),
    })
}

/// Whether a text is the beginning of a commit's hash. A number of as many digits could be either.
pub fn is_commit(text: &str) -> bool {
    let has_length = (7..=64).contains(&text.len());
    has_length && text.bytes().all(|c| c.is_ascii_hexdigit()) && !is_number(text)
}

/// Whether a text has digits alone: a build's number, a date.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// Whether a text is the output of `git describe`: `v3.5.0-12-g0123456`.
fn is_described(text: &str) -> bool {
    let mut parts = text.rsplit('-');
    let commit = parts.next().and_then(|last| last.strip_prefix('g'));
    let is_hash = |commit: &str| commit.len() >= 4 && commit.bytes().all(|c| c.is_ascii_hexdigit());
    commit.is_some_and(is_hash) && parts.next().is_some_and(is_number) && parts.next().is_some()
}

/// A part of a version; the order of the variants is their order in one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// A pre-release begins.
    Early,
    /// The version ends.
    End,
    /// A number within a pre-release, where numbers come before words.
    EarlyNumber(Number),
    Word(String),
    Number(Number),
}

/// A number of any length: its count of digits, and these.
type Number = (usize, String);

/// Whether a text has no version, then the parts of the version and of the suffix after `+`.
fn key(text: &str) -> (bool, Vec<Part>, Vec<Part>) {
    let metadata = text.split_once('+').map_or("", |(_, metadata)| metadata);
    (prefix(text).is_none(), parts(bare(text)), parts(metadata))
}

fn parts(version: &str) -> Vec<Part> {
    let lower = version.to_lowercase();
    let mut rest = match lower.strip_prefix('v') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => number,
        _ => &lower,
    };
    let mut parts: Vec<Part> = Vec::new();
    // A pre-release follows a number: `build-9` has none.
    let (mut is_early, mut has_number) = (false, false);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| !c.is_ascii_digit() && !c.is_ascii_punctuation() && !c.is_whitespace();
        let length = |is: &dyn Fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        if first.is_ascii_digit() {
            let end = length(&|c| c.is_ascii_digit());
            let digits = rest[..end].trim_start_matches('0');
            let number = (digits.len(), digits.to_owned());
            parts.push(if is_early { Part::EarlyNumber(number) } else { Part::Number(number) });
            has_number = true;
            rest = &rest[end..];
        } else if is_word(first) {
            let end = length(&is_word);
            let word = early_word(&rest[..end], &rest[end..]);
            if let (Some(_), true, false) = (word, has_number, is_early) {
                begin(&mut parts, &mut is_early);
            } else if !is_early {
                drop_zeros(&mut parts);
            }
            parts.push(Part::Word(word.unwrap_or(&rest[..end]).to_owned()));
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
            let begins_early = matches!(first, '-' | '~') && !LATE.iter().any(|word| rest.starts_with(word));
            if begins_early && has_number && !is_early && !rest.is_empty() {
                begin(&mut parts, &mut is_early);
            }
        }
    }
    if !is_early {
        drop_zeros(&mut parts);
    }
    parts.push(Part::End);
    parts
}

/// Words after a `-` that do not make a pre-release.
const LATE: [&str; 6] = ["stable", "final", "release", "post", "patch", "p"];

/// Begins the parts of a pre-release.
fn begin(parts: &mut Vec<Part>, is_early: &mut bool) {
    drop_zeros(parts);
    parts.push(Part::Early);
    *is_early = true;
}

/// `1.0`, `1.0.0` and the releases of `1.0.0-rc1` and `1.0rc1` are the same.
fn drop_zeros(parts: &mut Vec<Part>) {
    while parts.last().is_some_and(|part| matches!(part, Part::Number((0, _)))) {
        parts.pop();
    }
}

/// The name of a pre-release, if a word is one: Python's `1.0a1` is an alpha, OpenSSL's `1.1.1a` is not.
fn early_word<'w>(word: &'w str, after: &str) -> Option<&'w str> {
    let is_numbered = after.starts_with(|c: char| c.is_ascii_digit());
    match word {
        "a" if is_numbered => Some("alpha"),
        "b" if is_numbered => Some("beta"),
        "alpha" | "beta" | "dev" | "pre" | "preview" | "rc" | "snapshot" | "nightly" => Some(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_ordered(versions: &[&str]) {
        for (at, one) in versions.iter().enumerate() {
            for (other_at, other) in versions.iter().enumerate() {
                assert_eq!(compare(one, other), at.cmp(&other_at), "{one} and {other}");
            }
        }
    }

    #[test]
    fn versions_are_in_the_order_of_their_projects() {
        is_ordered(&["3.0.0-alpha9", "3.0.0-alpha10", "3.0.0-beta1", "3.0.0", "3.0.1"]);
        is_ordered(&["1.0.0-rc9", "1.0.0-rc10", "1.0.0", "1.0.9", "1.0.10"]);
        is_ordered(&["1.25beta2", "1.25rc1", "1.26.8", "1.27rc1", "1.27", "1.27.1"]);
        is_ordered(&["r1", "r9", "r10", "r24"]);
        is_ordered(&["build-9", "build-10"]);
        is_ordered(&["1.0.2", "1.0.2a", "1.0.2z", "1.0.2zh", "1.1.1-pre9", "1.1.1", "1.1.1a", "1.1.1w"]);
        is_ordered(&["0.23.46", "0.24.0-dev.2", "0.24.0-dev.10", "0.24.0"]);
        is_ordered(&["1.0a2", "1.0a10", "1.0b1", "1.0rc1", "1.0", "1.0.post1"]);
        is_ordered(&["5.9.4-stable", "5.10.0-stable", "5.10.0-stable-p1"]);
        is_ordered(&["go1.21rc2", "go1.21.0", "go1.21.9", "go1.21.10"]);
        is_ordered(&["boring-sys-4.19.0", "boring-sys-5.4.0", "boring-sys-5.10.0"]);
        is_ordered(&["111.6.0+1.1.1d", "111.28.2+1.1.1w", "300.2.0+3.2.0", "300.2.0+3.10.0"]);
        is_ordered(&["1.2", "1.2, ring 0.17.8", "1.2, ring 0.17.10", "1.2.1", "main", "unknown"]);
        is_ordered(&["20240115", "20240116", "99999999999999999999999999999999999999999"]);
        // The list in the rules of semantic versions.
        is_ordered(&[
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
        ]);
    }

    #[test]
    fn other_text_is_not_a_version() {
        for (text, expected) in [
            ("1.2.3", ""),
            ("v1.2.3", ""),
            ("go1.25.3", "go"),
            ("1.1.1w", ""),
            ("r24", "r"),
            ("1.2, ring 0.17.8", ""),
            ("boring-sys-5.4.0", "boring-sys-"),
        ] {
            assert_eq!(prefix(text).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["main", "", "0123456789ab", "main (0123456789ab)", "3.5.5 (0123456789ab)", "v3.5.0-12-g0123abc"]
        {
            assert_eq!(prefix(text), None, "{text}");
        }
        assert!(is_commit("fbd8a0e5ff78") && is_commit(&"0a".repeat(32)) && !is_commit(&"0a".repeat(33)));
        assert!(!is_commit("0123ab") && !is_commit("20240115") && !is_commit("main"));
    }

    /// Texts that look like versions, and others.
    fn version() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "0",
            "00",
            "1",
            "2",
            "10",
            ".",
            "-",
            "+",
            "~",
            "_",
            " ",
            ", ",
            "a",
            "b",
            "w",
            "rc",
            "alpha",
            "dev",
            "r",
            "v",
            "p",
            "stable",
            "main",
            "é",
            "(0123456789ab)",
        ]);
        prop_oneof![
            prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat()),
            "[0-9]{1,2}(\\.[0-9]{1,2}){0,3}(-?(rc|alpha|dev)\\.?[0-9]{1,2})?",
            ".{0,8}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn the_order_is_total(a in version(), b in version(), c in version()) {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            prop_assert_eq!(compare(&a, &b).is_eq(), a == b);
            let mut all = [&a, &b, &c];
            all.sort_by(|one, other| compare(one, other));
            prop_assert!(compare(all[0], all[1]).is_le() && compare(all[1], all[2]).is_le());
            prop_assert!(compare(all[0], all[2]).is_le());
        }
    }
}
