//! Suggestions for a misspelt name.

/// The largest number of suggestions.
const MOST: usize = 6;
/// The minimum similarity, 0 to 1.
const ALIKE: f64 = 0.6;
/// The largest difference in similarity to the best suggestion.
const BEHIND: f64 = 0.15;
/// The similarity of a name if a whole part of it was written.
const PART: f64 = 0.85;

/// The names that are most similar to an unknown one by edit distance, the most similar first; at most six. A
/// whole part of a name counts, too: `rustls` is near `rustls/ring`.
pub fn nearest<'n>(asked: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let asked = asked.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let distance = strsim::normalized_damerau_levenshtein(&asked, &name);
        match name.split(['/', '.']).any(|part| part == asked) {
            true => distance.max(PART),
            false => distance,
        }
    };
    let mut scored: Vec<(f64, &str)> = known.into_iter().map(|name| (likeness(name), name)).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored.retain(|(score, _)| *score >= ALIKE.max(best - BEHIND));
    scored.truncate(MOST);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// The text `did you mean a, b or c? `; empty without names.
pub fn did_you_mean<S: AsRef<str>>(near: &[S]) -> String {
    match near {
        [] => String::new(),
        [only] => format!("did you mean {}? ", only.as_ref()),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("did you mean {} or {}? ", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_what_was_meant() {
        let known = ["openssl", "boringssl", "rustls/ring", "rustls/aws-lc-rs", "quick", "quiet"];
        assert_eq!(nearest("opensll", known), ["openssl"]);
        assert_eq!(nearest("rustls/rign", known), ["rustls/ring"]);
        assert_eq!(nearest("rustls", known), ["rustls/aws-lc-rs", "rustls/ring"]);
        assert_eq!(nearest("QUIK", known), ["quick"]);
        assert!(nearest("nothing", known).is_empty());
        assert_eq!(did_you_mean(&["a", "b", "c"]), "did you mean a, b or c? ");
        assert_eq!(did_you_mean(&["a"]), "did you mean a? ");
        assert_eq!(did_you_mean::<&str>(&[]), "");
    }
}
