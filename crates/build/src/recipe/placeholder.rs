//! The words in braces that a recipe's commands may contain.

use std::path::Path;

/// What stands for `{prefix}` and `{jobs}`.
#[derive(Clone, Copy, Debug)]
pub struct Placeholders<'a> {
    /// The folder to install to.
    pub prefix: &'a Path,
    /// How many jobs to run side by side.
    pub jobs: usize,
}

impl Placeholders<'_> {
    /// The text with its placeholders replaced.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        text.replace("{prefix}", &self.prefix.to_string_lossy()).replace("{jobs}", &self.jobs.to_string())
    }
}

/// The first placeholder in the text that is none of ours. Braces around anything but small letters are left alone:
/// they belong to a shell or a compiler.
pub fn unknown_placeholder(text: &str) -> Option<&str> {
    text.split('{').skip(1).find_map(|rest| {
        let (word, _) = rest.split_once('}')?;
        let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        (is_word && !KNOWN.contains(&word)).then_some(word)
    })
}

const KNOWN: [&str; 2] = ["prefix", "jobs"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_what_it_knows() {
        let placeholders = Placeholders { prefix: Path::new("/p"), jobs: 3 };
        assert_eq!(
            placeholders.fill("--prefix={prefix} -j{jobs} ${HOME} {x}"),
            "--prefix=/p -j3 ${HOME} {x}"
        );
    }

    #[test]
    fn names_what_it_does_not_know() {
        assert_eq!(unknown_placeholder("--prefix={prefix}/{destination}"), Some("destination"));
        assert_eq!(unknown_placeholder("{prefix} {jobs} ${HOME} {} { {"), None);
    }
}
