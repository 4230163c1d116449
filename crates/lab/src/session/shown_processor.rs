//! Stacks that are run as a processor with fewer features than this host's: what their drivers are started
//! with, and the proof that it was so.
//!
//! A library that is loaded before any other has every CPUID instruction of the driver's process fault and
//! answers it without the hidden features; libraries ask once, so that their code runs at its own speed.
//! Where the processor cannot make it fault, the instructions are replaced, in drivers whose places are all
//! known.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::ensure;
use tlslab_binaries::Symbols;
use tlslab_instruments::{CPUID_WORDS, HostFeatures, WORDS};
use tlslab_protocol::{AnsweredCpuid, Description};
use tlslab_recipe::{Feature, Recipe, ShownProcessor};
use tlslab_record::RunAs;

use crate::problem::{ErrorKind, Problem};

/// The ways that the preloaded library reports: the host's own, and the other one.
const FAULTING: &str = "faulting";
const REPLACED: &str = "replaced";
/// The most functions that a note names.
const MOST_NAMED: usize = 8;
/// How functions begin that ask for the lab and not for a library.
const OF_KIT: &str = "tlslab_driver_kit::";

/// Refuses recipes that this host cannot be shown as.
///
/// # Errors
/// Fails if the host lacks a feature that a named processor has, naming the feature, or if a feature is in no
/// word of CPUID that can be answered for.
pub(super) fn check<'r>(
    recipes: impl IntoIterator<Item = &'r Recipe>,
    host: &HostFeatures,
) -> anyhow::Result<()> {
    let shown = recipes.into_iter().filter_map(|recipe| Some((recipe, recipe.processor.as_ref()?)));
    for (recipe, shown) in shown {
        let name = recipe.name.as_str();
        for feature in shown.shown.iter().chain(&shown.hidden) {
            ensure!(
                word(feature).is_some(),
                Problem::new(
                    ErrorKind::Invalid,
                    name,
                    format!("{} is in a word of CPUID that the lab does not answer", feature.name),
                    "remove it from processors.toml",
                )
            );
        }
        let missing: Vec<&str> = shown
            .shown
            .iter()
            .filter(|feature| !has(host, feature))
            .map(|feature| feature.name.as_str())
            .collect();
        let without: String = missing
            .iter()
            .flat_map(|name| name.chars().filter(char::is_ascii_alphanumeric).chain(['-']))
            .collect();
        let base = shown.word.split("-without-").next().unwrap_or(&shown.word);
        ensure!(
            missing.is_empty(),
            Problem::new(
                ErrorKind::Unavailable,
                name,
                format!("{} has {}, which this host's processor lacks", shown.title, missing.join(", ")),
                format!(
                    "name a processor whose features this host has, or hide these too: +cpu-{base}-without-{}",
                    without.trim_end_matches('-')
                ),
            )
        );
    }
    Ok(())
}

/// The variables of a driver that is run as a processor, beyond its own.
pub(super) fn environment(
    own: &BTreeMap<String, String>,
    shown: &ShownProcessor,
    host: &HostFeatures,
    (library, places): (&Path, Option<&Path>),
) -> BTreeMap<String, String> {
    let mut all = own.clone();
    let library = library.to_string_lossy().into_owned();
    join(&mut all, "LD_PRELOAD", library, |own, added| format!("{added}:{own}"));
    all.insert("TLSLAB_CPUID_MASK".to_owned(), mask(shown));
    let places = places.map(|places| places.to_string_lossy().into_owned());
    all.extend(places.map(|places| ("TLSLAB_CPUID_PLACES".to_owned(), places)));
    // The C library chooses its functions before anybody else runs, and takes words for what it is not to use.
    let names = shown.hidden.iter().filter(|feature| has(host, feature));
    let names: Vec<String> =
        names.filter_map(|feature| Some(format!("-{}", feature.c_library.as_ref()?))).collect();
    if !names.is_empty() {
        let tunable = format!("glibc.cpu.hwcaps={}", names.join(","));
        join(&mut all, "GLIBC_TUNABLES", tunable, |own, added| format!("{own}:{added}"));
    }
    all
}

fn join(all: &mut BTreeMap<String, String>, name: &str, added: String, both: impl Fn(&str, &str) -> String) {
    let value = all.entry(name.to_owned()).or_default();
    *value = if value.is_empty() { added } else { both(value, &added) };
}

/// What is recorded of a driver that is run as a processor.
///
/// # Errors
/// Fails with why its description does not prove that it is so.
pub(crate) fn proven(
    shown: &ShownProcessor,
    host: &HostFeatures,
    description: &Description,
) -> Result<RunAs, String> {
    let Some(hidden) = &description.hidden else {
        return Err(
            "the library that hides features is not loaded into its driver, which is linked statically or \
                    is not built with the lab's kit; leave +cpu- out"
                .to_owned(),
        );
    };
    let way = if host.no_faults.is_some() { REPLACED } else { FAULTING };
    if hidden.way != way {
        return Err(format!(
            "its driver reports that features are hidden by \"{}\", not \"{way}\"",
            hidden.way
        ));
    }
    let words: [u32; WORDS] = hidden.words.clone().try_into().map_err(|_| {
        format!("its driver reports {} words of CPUID, not {WORDS}; build it again", hidden.words.len())
    })?;
    let is_set = |feature: &&Feature| word(feature).is_some_and(|at| words[at] >> feature.bit & 1 == 1);
    if let Some(feature) = shown.hidden.iter().find(is_set) {
        return Err(format!("its driver still sees {}, which should be hidden", feature.name));
    }
    if let Some(feature) = shown.shown.iter().find(|feature| !is_set(feature)) {
        return Err(format!("its driver does not see {}, which should be shown", feature.name));
    }
    if let Some(seen) = description.features.iter().find(|seen| is_among(&shown.hidden, seen)) {
        return Err(format!("its driver still chooses code by {seen}, which should be hidden"));
    }
    let hidden_here = shown.hidden.iter().filter(|feature| has(host, feature));
    Ok(RunAs {
        name: shown.word.clone(),
        title: shown.title.clone(),
        source: shown.source.clone(),
        hidden: hidden_here.map(|feature| feature.name.clone()).collect(),
        way: hidden.way.clone(),
        answered: named(&hidden.answered),
    })
}

fn is_among(features: &[Feature], name: &str) -> bool {
    features.iter().any(|feature| feature.name == name)
}

/// The functions that asked, each with how often, the most often first; of a file without names its own.
fn named(answered: &[AnsweredCpuid]) -> Vec<String> {
    let mut symbols = Symbols::default();
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    for place in answered {
        let frames = symbols.frames(Path::new(&place.object), place.address);
        let function = frames.last().map(|frame| frame.function.clone()).filter(|name| !name.is_empty());
        let is_kit = frames.iter().any(|frame| frame.function.contains(OF_KIT));
        let file = || place.object.rsplit('/').next().unwrap_or_default().to_owned();
        if !is_kit {
            *times.entry(function.unwrap_or_else(file)).or_default() += place.times;
        }
    }
    let mut times: Vec<(String, u64)> = times.into_iter().collect();
    times.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let further = times.len().saturating_sub(MOST_NAMED);
    let named = times.iter().take(MOST_NAMED).map(|(name, times)| format!("{name} ×{times}"));
    named.chain((further > 0).then(|| format!("{further} more"))).collect()
}

/// What remains of each word, in hex.
fn mask(shown: &ShownProcessor) -> String {
    let mut words = [u32::MAX; WORDS];
    for feature in &shown.hidden {
        if let Some(at) = word(feature) {
            words[at] &= !(1 << feature.bit);
        }
    }
    words.iter().map(|word| format!("{word:08x}")).collect()
}

fn has(host: &HostFeatures, feature: &Feature) -> bool {
    word(feature).is_some_and(|at| host.words[at] >> feature.bit & 1 == 1)
}

/// The word that has a feature's bit.
fn word(feature: &Feature) -> Option<usize> {
    let its = (feature.leaf, feature.part, feature.register.as_str());
    CPUID_WORDS.iter().position(|word| *word == its)
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{Capabilities, HiddenFeatures, Library};
    use tlslab_recipe::Processors;

    use super::*;

    const FILE: &str = "[[feature]]\nname = \"avx2\"\nat = \"7.0.ebx\"\nbit = 5\nc_library = \"AVX2\"\n\
                        [[feature]]\nname = \"vaes\"\nat = \"7.0.ecx\"\nbit = 9\nneeds = [\"avx2\"]\n\
                        [[feature]]\nname = \"later\"\nat = \"7.1.edx\"\nbit = 31\n\
                        [[processor]]\nname = \"old\"\ntitle = \"Old\"\nsource = \"its maker\"\nhas = [\"avx2\"]\n\
                        [[processor]]\nname = \"new\"\ntitle = \"New\"\nsource = \"its maker\"\nhas = [\"later\"]\n";

    fn shown(word: &str) -> ShownProcessor {
        Processors::default().with_file("processors.toml", FILE).unwrap().shown(word).unwrap()
    }

    fn recipe(word: &str) -> Recipe {
        let text = "name = \"a\"\ntitle = \"A\"\nlicence = \"MIT\"\n[source]\npath = \"/a\"\n[build]\nsteps = [[\"make\"]]\n";
        let recipe = Recipe::parse("a.toml", text).unwrap();
        Recipe { name: format!("a+cpu-{word}"), processor: Some(shown(word)), ..recipe }
    }

    fn host() -> HostFeatures {
        let mut words = [0; WORDS];
        (words[2], words[3]) = (1 << 5 | 1 << 3, 1 << 9);
        HostFeatures { words, no_faults: None }
    }

    #[test]
    fn a_feature_that_the_host_lacks_is_named_with_what_to_write() {
        assert!(check([&recipe("old"), &recipe("without-later")], &host()).is_ok());
        let refused = check([&recipe("new")], &host()).unwrap_err().to_string();
        assert_eq!(
            refused,
            "a+cpu-new: New has later, which this host's processor lacks; name a processor whose features this host \
             has, or hide these too: +cpu-new-without-later"
        );
    }

    #[test]
    fn bits_of_hidden_features_are_masked_and_the_c_library_is_told() {
        let own = BTreeMap::from([("LD_PRELOAD".to_owned(), "/own.so".to_owned())]);
        let of = |word: &str| environment(&own, &shown(word), &host(), (Path::new("/hides.so"), None));
        let old = of("old");
        assert_eq!(old["LD_PRELOAD"], "/hides.so:/own.so");
        let f = "f".repeat(24);
        assert_eq!(old["TLSLAB_CPUID_MASK"], format!("{f}fffffdff{f}ffffffff7fffffff"));
        assert!(!old.contains_key("GLIBC_TUNABLES") && !old.contains_key("TLSLAB_CPUID_PLACES"));
        let (hides, places) = (Path::new("/hides.so"), Path::new("/places"));
        let replaced = environment(&own, &shown("old"), &host(), (hides, Some(places)));
        assert_eq!(replaced["TLSLAB_CPUID_PLACES"], "/places");
        assert_eq!(of("without-avx2")["GLIBC_TUNABLES"], "glibc.cpu.hwcaps=-AVX2");
    }

    fn described(words: [u32; WORDS], features: &[&str]) -> Description {
        let hidden = HiddenFeatures { way: FAULTING.to_owned(), words: words.to_vec(), answered: vec![] };
        Description {
            protocol: 2,
            driver: "a".to_owned(),
            library: Library { name: "a".to_owned(), version: "1".to_owned(), components: vec![] },
            capabilities: Capabilities::default(),
            metrics: vec![],
            features: features.iter().map(|&name| name.to_owned()).collect(),
            hidden: Some(hidden),
        }
    }

    #[test]
    fn what_a_driver_still_sees_is_a_failure_of_the_proof() {
        let (old, host) = (shown("old"), host());
        let seen = |words: [u32; WORDS]| described(words, &["avx2"]);
        let mut words = host.words;
        words[3] = 0;
        let run_as = proven(&old, &host, &seen(words)).unwrap();
        assert_eq!((run_as.name.as_str(), run_as.hidden), ("old", vec!["vaes".to_owned()]));
        assert!(proven(&old, &host, &seen(host.words)).unwrap_err().contains("still sees vaes"));
        assert!(proven(&old, &host, &seen([0; WORDS])).unwrap_err().contains("does not see avx2"));
        let chosen = described(words, &["avx2", "vaes"]);
        assert!(proven(&old, &host, &chosen).unwrap_err().contains("still chooses code by vaes"));
        let no_faults = HostFeatures { no_faults: Some("No such device".to_owned()), ..host.clone() };
        assert!(proven(&old, &no_faults, &seen(words)).unwrap_err().contains("not \"replaced\""));
        let not_loaded = Description { hidden: None, ..seen(words) };
        assert!(proven(&old, &host, &not_loaded).unwrap_err().contains("is not loaded into its driver"));
    }

    #[test]
    fn places_without_names_are_named_by_their_file() {
        let place = |object: &str, times| AnsweredCpuid { object: object.to_owned(), address: 1, times };
        let named = named(&[place("/nowhere/libcrypto.so.3", 2), place("/nowhere/libcrypto.so.3", 3)]);
        assert_eq!(named, ["libcrypto.so.3 ×5"]);
    }
}
