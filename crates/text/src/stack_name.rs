//! Short names of stacks that are built from a commit.

/// The number of a commit's digits that are shown.
const DIGITS: usize = 10;

/// A stack for a headline: `mini@git:https://host/owner/mini.git#0123…` becomes `mini at 0123456789`, with
/// its variants. A name without a repository's commit is unchanged.
pub fn short_stack(stack: &str) -> String {
    let short = || {
        let (name, source) = stack.split_once("@git:")?;
        let (_, rest) = source.rsplit_once('#')?;
        let end = rest.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(rest.len());
        let (commit, variants) = rest.split_at(end);
        (commit.len() >= DIGITS).then(|| format!("{name}{variants} at {}", &commit[..DIGITS]))
    };
    short().unwrap_or_else(|| stack.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_shortened_and_addresses_left_out() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let of = |rest: &str| short_stack(&format!("tiny@git:https://host/o/tiny.git#{commit}{rest}"));
        assert_eq!(of(""), "tiny at 0123456789");
        assert_eq!(of("+O3"), "tiny+O3 at 0123456789");
        for same in ["openssl@3.5.5+lto", "tiny@git:https://host/o/n", "tiny@git:https://host/o/n#v1", ""] {
            assert_eq!(short_stack(same), same);
        }
    }
}
