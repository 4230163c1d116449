//! What a stack is run as, and the word of a specification that asks for it.

/// How the word of a stack specification begins: `+cpu-zen3`, `+cpu-without-vaes`.
const WORD: &str = "cpu-";

/// A feature of processors, as CPUID reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name, `avx512vbmi2`.
    pub name: String,
    /// The leaf that CPUID is asked for.
    pub leaf: u32,
    /// The part of it.
    pub part: u32,
    /// The register that has the answer.
    pub register: String,
    /// Its bit in it, 0 to 31.
    pub bit: u32,
    /// By what name the C library's tunable of features knows it, if it does.
    pub c_library: Option<String>,
    /// Features without which no processor has it.
    pub(crate) needs: Vec<String>,
}

/// A processor that a stack is run as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownProcessor {
    /// What was asked for, `zen3` or `without-vaes`.
    pub word: String,
    /// What it is, for readers.
    pub title: String,
    /// Where the list of features comes from; nothing if no processor was named.
    pub source: Option<String>,
    /// Features that the named processor has, so that the host must have them.
    pub shown: Vec<Feature>,
    /// Features that are hidden where the host has them.
    pub hidden: Vec<Feature>,
}

/// The part of a specification's word behind `cpu-`, if it is such a word.
pub(crate) fn of_word(word: &str) -> Option<&str> {
    word.strip_prefix(WORD)
}

/// The word that asks for it in a specification, without the `+`.
pub(crate) fn word(shown: &str) -> String {
    format!("{WORD}{shown}")
}
