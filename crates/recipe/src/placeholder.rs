//! The words in braces that a recipe's commands may contain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Compiler;

/// The values of the placeholders in braces.
#[derive(Clone, Debug, Default)]
pub struct Placeholders(BTreeMap<String, String>);

impl Placeholders {
    /// The compilers and their flags, and the prefixes of a recipe's needs.
    #[must_use]
    pub fn new(compiler: &Compiler, needs: &[(String, PathBuf)]) -> Self {
        let of_compiler = [
            ("cc", compiler.cc.clone()),
            ("cxx", compiler.cxx.clone()),
            ("cflags", compiler.cflags.join(" ")),
            ("ldflags", compiler.ldflags.join(" ")),
        ];
        let needs = needs.iter().map(|(word, prefix)| (word.clone(), prefix.to_string_lossy().into_owned()));
        Self(of_compiler.map(|(word, value)| (word.to_owned(), value)).into_iter().chain(needs).collect())
    }

    /// With the folder to install to, or in which the library is installed.
    #[must_use]
    pub fn prefix(mut self, prefix: &Path) -> Self {
        self.0.insert("prefix".to_owned(), prefix.to_string_lossy().into_owned());
        self
    }

    /// With a number of parallel jobs.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.0.insert("jobs".to_owned(), jobs.to_string());
        self
    }

    /// The text with its placeholders replaced.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (word, value)| text.replace(&format!("{{{word}}}"), value))
    }

    /// A command line with its placeholders replaced. A placeholder that is a whole argument and stands for
    /// several words, or for none, becomes as many arguments.
    #[must_use]
    pub fn fill_words(&self, words: &[String]) -> Vec<String> {
        let mut filled = Vec::new();
        for word in words {
            match word.as_str() {
                "{cflags}" | "{ldflags}" => {
                    filled.extend(self.fill(word).split_whitespace().map(str::to_owned));
                }
                _ => filled.push(self.fill(word)),
            }
        }
        filled
    }
}

/// The first unknown placeholder in the text. Braces around anything but a word are ignored: they belong to a
/// shell or a compiler.
pub(crate) fn unknown_placeholder<'t>(text: &'t str, known: &[&str]) -> Option<&'t str> {
    text.split('{').skip(1).find_map(|rest| {
        let (word, _) = rest.split_once('}')?;
        let is_word = word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-/.".contains(&b));
        (is_word && !known.contains(&word)).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placeholders() -> Placeholders {
        let needs = [("aws-lc".to_owned(), PathBuf::from("/a"))];
        Placeholders::new(&Compiler::default(), &needs).prefix(Path::new("/p")).jobs(3)
    }

    #[test]
    fn fills_what_it_knows() {
        let text = "{cc} --prefix={prefix} -j{jobs} ${HOME} {x} {aws-lc}/lib CFLAGS={cflags}";
        assert_eq!(
            placeholders().fill(text),
            "cc --prefix=/p -j3 ${HOME} {x} /a/lib CFLAGS=-O3 -g1 -DNDEBUG -ffunction-sections"
        );
    }

    #[test]
    fn flags_are_words() {
        let words = ["{cflags}", "{ldflags}", "X={cflags}"].map(str::to_owned);
        let own = ["-O3", "-g1", "-DNDEBUG", "-ffunction-sections", "X=-O3 -g1 -DNDEBUG -ffunction-sections"];
        assert_eq!(placeholders().fill_words(&words), own);
    }

    #[test]
    fn names_what_it_does_not_know() {
        let known = ["prefix", "jobs"];
        assert_eq!(unknown_placeholder("--prefix={prefix}/{destination}", &known), Some("destination"));
        assert_eq!(unknown_placeholder("{prefix} {jobs} ${HOME} {} { {", &known), None);
        assert_eq!(unknown_placeholder("{aws-lc}", &known), Some("aws-lc"));
    }
}
