//! Suggestions for a pattern that matches no scenario.

use std::collections::BTreeSet;

use tlslab_text::nearest;

use crate::pattern::matcher;

/// The most names that are suggested.
const MOST: usize = 3;

/// Likely intended patterns for one without a match; each of them matches.
///
/// Most often the pattern ends too early, as `*` stays within a part; or it lies deeper, or a part is
/// misspelt. If all of these fail, names with its rarest word are suggested.
pub(crate) fn near_pattern<'n>(pattern: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let matches =
        |pattern: &String| matcher(pattern).is_ok_and(|glob| names.iter().any(|name| glob.is_match(name)));
    let deeper = [format!("{pattern}/**"), format!("**/{pattern}"), format!("**/{pattern}/**")];
    let whole = pattern.trim_end_matches('/');
    let wider = deeper.into_iter().chain([format!("{whole}**"), format!("**/{whole}*/**")]);
    if let Some(found) = wider.into_iter().find(matches) {
        return vec![found];
    }
    let corrected = corrected(pattern, &names);
    let candidates = [corrected.clone(), format!("{corrected}/**"), format!("**/{corrected}/**")];
    match candidates.into_iter().find(matches) {
        Some(found) => vec![found],
        None => with_rarest_word(pattern, &names),
    }
}

/// Names with the rarest word of the pattern: the first of each family.
fn with_rarest_word(pattern: &str, names: &[&str]) -> Vec<String> {
    let words = pattern.split(['/', '*', '?', '{', '}', ',', '[', ']']).filter(|word| word.len() > 2);
    let having = |word: &str| names.iter().copied().filter(|name| name.contains(word)).collect::<Vec<_>>();
    let having_one: Vec<Vec<&str>> = words.map(having).filter(|names| !names.is_empty()).collect();
    // Of two equally rare words, the later one is more specific.
    let Some(found) = having_one.into_iter().rev().min_by_key(Vec::len) else { return vec![] };
    let mut families = BTreeSet::new();
    let first = found.into_iter().filter(|name| families.insert(name.split('/').next()));
    first.take(MOST).map(str::to_owned).collect()
}

/// The pattern with each unknown part replaced by the nearest part of a name.
fn corrected(pattern: &str, names: &[&str]) -> String {
    let known: BTreeSet<&str> = names.iter().flat_map(|name| name.split('/')).collect();
    let part = |part: &str| {
        let is_known = matcher(part).is_ok_and(|glob| known.iter().any(|known| glob.is_match(known)));
        match nearest(part, known.iter().copied()).first() {
            Some(near) if !is_known => (*near).to_owned(),
            _ => part.to_owned(),
        }
    };
    pattern.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_matches() {
        let names = [
            "handshake/1.3/ecdsa-p256/x25519/none",
            "handshake/1.3/ecdsa-p384/x25519/none",
            "transfer/1.3/16k",
        ];
        let near = |pattern: &str| near_pattern(pattern, names.into_iter());
        assert_eq!(near("handshake/1.3/ecdsa-*"), ["handshake/1.3/ecdsa-*/**"]);
        assert_eq!(near("ecdsa-p256"), ["**/ecdsa-p256/**"]);
        assert_eq!(near("ecdsa-p265"), ["**/ecdsa-p256/**"]);
        assert_eq!(near("handshak/1.3/**"), ["handshake/1.3/**"]);
        assert_eq!(near("transfer"), ["transfer/**"]);
        // Each part exists, but no name has all of them.
        assert_eq!(near("transfer/**/ecdsa-p384/**"), ["handshake/1.3/ecdsa-p384/x25519/none"]);
        assert_eq!(near("transfer/**p384**"), ["handshake/1.3/ecdsa-p384/x25519/none"]);
        assert!(near("nothing-at-all").is_empty());
    }
}
