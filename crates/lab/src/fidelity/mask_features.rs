//! The processor features that the counter hides, hidden from a natively running program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_binaries::find_cpuid;
use tlslab_instruments::ShownFeatures;

use crate::session::OWN_PROGRAM;

/// The C library selects its functions before other code runs, and takes a list of features to ignore: the
/// number of CPUID's word, the bit, and the name.
const OF_THE_C_LIBRARY: [(usize, u32, &str); 9] = [
    (2, 4, "FSRM"),
    (2, 16, "AVX512F"),
    (2, 17, "AVX512DQ"),
    (2, 28, "AVX512CD"),
    (2, 30, "AVX512BW"),
    (2, 31, "AVX512VL"),
    (2, 9, "ERMS"),
    (2, 5, "AVX2"),
    (0, 22, "MOVBE"),
];

/// The variables with which a program sees the same features as under the counter.
pub(super) struct Hiding {
    library: PathBuf,
    /// The file that names the places.
    pub places: PathBuf,
    shown: ShownFeatures,
    /// Objects whose own functions have no names; they were not searched.
    pub unsearched: Vec<String>,
    /// CPUID instructions that were found.
    pub found: usize,
}

impl Hiding {
    /// Finds the places in these objects of a driver and writes them into a folder.
    pub(super) fn plan(
        driver: &Path,
        objects: &BTreeSet<String>,
        folder: &Path,
        library: &Path,
        shown: ShownFeatures,
    ) -> anyhow::Result<Self> {
        let mut text = String::new();
        let mut unsearched = Vec::new();
        let mut count = 0;
        for object in objects.iter().filter(|object| object.starts_with('/')) {
            let file = std::fs::read(object).with_context(|| format!("cannot read {object}"))?;
            let found = find_cpuid(&file).with_context(|| object.clone())?;
            if !found.has_symbols {
                unsearched.push(object.rsplit('/').next().unwrap_or(object).to_owned());
            }
            if found.cpuid.is_empty() {
                continue;
            }
            writeln!(text, "{}", if Path::new(object) == driver { OWN_PROGRAM } else { object })?;
            for place in &found.cpuid {
                writeln!(text, " {place:x}")?;
            }
            count += found.cpuid.len();
        }
        let places = folder.join("places");
        std::fs::write(&places, text).with_context(|| format!("cannot write {}", places.display()))?;
        Ok(Self { library: library.to_owned(), places, shown, unsearched, found: count })
    }

    /// The variables of a program that sees all features, or those that the counter shows. Both have the same
    /// length: the length alone moves a program's stack.
    pub(super) fn environment(
        &self,
        own: &BTreeMap<String, String>,
        hides: bool,
    ) -> BTreeMap<String, String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut all = own.clone();
        let first = all.entry("LD_PRELOAD".to_owned()).or_default();
        *first =
            if first.is_empty() { text(&self.library) } else { format!("{}:{first}", text(&self.library)) };
        all.insert("TLSLAB_CPUID_PLACES".to_owned(), text(&self.places));
        let mask = mask(&self.shown, hides);
        all.insert("TLSLAB_CPUID_MASK".to_owned(), mask);
        all.insert("GLIBC_TUNABLES".to_owned(), tunables(&self.shown, hides));
        all
    }
}

/// The remaining bits of each word, in hex.
fn mask(shown: &ShownFeatures, hides: bool) -> String {
    let word = |(natively, counted): (&u32, &u32)| {
        // Features that the processor lacks cannot be shown, even if the counter shows them.
        let kept = if hides { natively & counted } else { u32::MAX };
        format!("{kept:08x}")
    };
    shown.natively.iter().zip(&shown.counted).map(word).collect()
}

/// The C library's settings. It ignores unknown names.
fn tunables(shown: &ShownFeatures, hides: bool) -> String {
    let is_hidden = |word: usize, bit: u32| {
        let has = |words: &[u32]| words.get(word).is_some_and(|word| word >> bit & 1 == 1);
        has(&shown.natively) && !has(&shown.counted)
    };
    let names = OF_THE_C_LIBRARY.into_iter().filter(|(word, bit, _)| is_hidden(*word, *bit));
    let names: Vec<String> = names
        .map(|(_, _, name)| if hides { format!("-{name}") } else { format!("-{}", "X".repeat(name.len())) })
        .collect();
    format!("glibc.cpu.hwcaps={}", names.join(","))
}

#[cfg(test)]
mod tests {
    use tlslab_instruments::WORDS;

    use super::*;

    #[test]
    fn what_the_counter_does_not_show_is_hidden_and_both_are_as_long() {
        let mut shown = ShownFeatures { natively: [0; WORDS], counted: [0; WORDS] };
        (shown.natively[2], shown.counted[2]) = (1 << 16 | 1 << 5 | 1 << 29, 1 << 5 | 1 << 3);
        assert_eq!(mask(&shown, true), format!("{}00000020{}", "0".repeat(16), "0".repeat(48)));
        assert_eq!(mask(&shown, false), "f".repeat(72));
        assert_eq!(tunables(&shown, true), "glibc.cpu.hwcaps=-AVX512F");
        assert_eq!(tunables(&shown, false), "glibc.cpu.hwcaps=-XXXXXXX");
    }
}
