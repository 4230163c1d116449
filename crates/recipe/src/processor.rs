//! Processors that a stack can be run as: `processors.toml`, and the word `+cpu-…` of a stack specification.
//! Pure: whether this host has a feature, and how others are hidden, is not known here.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use tlslab_text::{did_you_mean, nearest};

use crate::error::RecipeError;
use crate::run_as::{Feature, ShownProcessor};

/// What stands before features that are hidden whatever processor is named.
const WITHOUT: &str = "without-";
/// The most features and processors of a file.
const MOST: usize = 1024;

/// The features and processors that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processors {
    features: Vec<Feature>,
    processors: BTreeMap<String, Processor>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Processor {
    title: String,
    source: String,
    has: BTreeSet<String>,
}

/// `processors.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    feature: Vec<WrittenFeature>,
    #[serde(default)]
    processor: Vec<WrittenProcessor>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFeature {
    name: String,
    at: String,
    bit: u32,
    #[serde(default)]
    needs: Vec<String>,
    c_library: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProcessor {
    name: String,
    title: String,
    source: String,
    like: Option<String>,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

impl Processors {
    /// These with those of a further file, which may be like those that are known, and replace them.
    ///
    /// # Errors
    /// Fails if the text is no file of processors, naming the feature or the processor that is wrong.
    pub fn with_file(mut self, file: &str, text: &str) -> Result<Self, RecipeError> {
        let written: Written =
            toml::from_str(text).map_err(|error| RecipeError::not_toml(file, text, &error))?;
        if written.feature.len().max(written.processor.len()) > MOST {
            let cause = format!("it has more than {MOST} features or processors");
            return Err(RecipeError::new(file, "feature", &cause, "list fewer"));
        }
        let mut names = BTreeSet::new();
        for feature in written.feature {
            let feature = read_feature(file, feature)?;
            if !names.insert(feature.name.clone()) {
                return Err(wrong_feature(file, &feature.name, "it is listed twice", "remove one"));
            }
            match self.features.iter_mut().find(|known| known.name == feature.name) {
                Some(known) => *known = feature,
                None => self.features.push(feature),
            }
        }
        self.check_needs(file)?;
        let mut names = BTreeSet::new();
        for processor in written.processor {
            let (name, processor) = self.read_processor(file, processor)?;
            if !names.insert(name.clone()) {
                let key = format!("processor \"{name}\"");
                return Err(RecipeError::new(file, &key, "it is listed twice", "remove one"));
            }
            self.processors.insert(name, processor);
        }
        Ok(self)
    }

    /// The processors that can be named, with their titles, sorted by name.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.processors.iter().map(|(name, processor)| (name.as_str(), processor.title.as_str()))
    }

    /// The features that can be hidden, in the order of the file.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The processor that a word without its `cpu-` asks for: `NAME`, `without-FEATURE-FEATURE` or
    /// `NAME-without-FEATURE`. A hidden feature takes those with it that no processor has without it.
    ///
    /// # Errors
    /// Fails if there is no processor or feature of a name that the word has.
    pub fn shown(&self, word: &str) -> Result<ShownProcessor, RecipeError> {
        let (name, without) = match word.strip_prefix(WITHOUT) {
            Some(features) => (None, Some(features)),
            None => match word.split_once(&format!("-{WITHOUT}")) {
                Some((name, features)) => (Some(name), Some(features)),
                None => (Some(word), None),
            },
        };
        let named = name.map(|name| self.named(name)).transpose()?;
        let mut hidden: BTreeSet<String> = match named {
            Some(processor) => {
                let lacks = |name: &&String| !processor.has.contains(*name);
                self.features.iter().map(|feature| &feature.name).filter(lacks).cloned().collect()
            }
            None => BTreeSet::new(),
        };
        let mut asked = Vec::new();
        for name in without.into_iter().flat_map(|list| list.split('-')) {
            let feature = self.feature_of_word(name)?;
            asked.push(feature.name.clone());
            hidden.insert(feature.name.clone());
        }
        self.add_dependents(&mut hidden);
        let of = |is_hidden: bool| {
            let is_it = |feature: &&Feature| hidden.contains(&feature.name) == is_hidden;
            self.features.iter().filter(is_it).cloned().collect::<Vec<_>>()
        };
        let shown = if named.is_some() { of(false) } else { Vec::new() };
        let title = match (named, asked.is_empty()) {
            (Some(processor), true) => processor.title.clone(),
            (Some(processor), false) => format!("{} without {}", processor.title, asked.join(", ")),
            (None, _) => format!("this host's processor without {}", asked.join(", ")),
        };
        let source = named.map(|processor| processor.source.clone());
        Ok(ShownProcessor { word: word.to_owned(), title, source, shown, hidden: of(true) })
    }

    fn named(&self, name: &str) -> Result<&Processor, RecipeError> {
        self.processors.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.processors.keys().map(String::as_str).collect();
            let meant = did_you_mean(&nearest(name, known.iter().copied()));
            let next_step =
                format!("{meant}there are {}; +cpu-{WITHOUT}FEATURE hides single ones", known.join(", "));
            RecipeError::asked(&format!("no processor is called \"{name}\""), &next_step)
        })
    }

    fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.name == name)
    }

    /// A word has a feature's letters and digits alone: `sse41`, `amxtile`.
    fn feature_of_word(&self, word: &str) -> Result<&Feature, RecipeError> {
        self.features.iter().find(|feature| in_words(&feature.name) == word).ok_or_else(|| {
            let known: Vec<String> = self.features.iter().map(|feature| in_words(&feature.name)).collect();
            let meant = did_you_mean(&nearest(word, known.iter().map(String::as_str)));
            let next_step = format!("{meant}there are {}", known.join(", "));
            RecipeError::asked(&format!("no feature of processors is called \"{word}\""), &next_step)
        })
    }

    /// Adds the features that no processor has without one of these.
    fn add_dependents(&self, hidden: &mut BTreeSet<String>) {
        loop {
            let needs_one = |feature: &&Feature| {
                !hidden.contains(&feature.name) && feature.needs.iter().any(|need| hidden.contains(need))
            };
            let further: Vec<String> =
                self.features.iter().filter(needs_one).map(|feature| feature.name.clone()).collect();
            if further.is_empty() {
                return;
            }
            hidden.extend(further);
        }
    }

    fn check_needs(&self, file: &str) -> Result<(), RecipeError> {
        for (at, feature) in self.features.iter().enumerate() {
            if let Some(other) =
                self.features[..at].iter().find(|known| in_words(&known.name) == in_words(&feature.name))
            {
                let cause = format!("in words it is the same as \"{}\"", other.name);
                return Err(wrong_feature(file, &feature.name, &cause, "give it another name"));
            }
            if let Some(need) = feature.needs.iter().find(|need| self.feature(need).is_none()) {
                let cause = format!("it needs \"{need}\", which is no feature");
                return Err(wrong_feature(file, &feature.name, &cause, "list that one too"));
            }
        }
        Ok(())
    }

    fn read_processor(
        &self,
        file: &str,
        written: WrittenProcessor,
    ) -> Result<(String, Processor), RecipeError> {
        let name = written.name;
        let wrong = |cause: String, next_step: &str| {
            RecipeError::new(file, &format!("processor \"{name}\""), &cause, next_step)
        };
        let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_word || format!("{name}-").contains(WITHOUT) {
            let cause = "its name is no word of a stack specification".to_owned();
            return Err(wrong(cause, "write lowercase letters, digits and -; \"without\" has a meaning"));
        }
        if written.title.is_empty() || written.source.is_empty() {
            return Err(wrong("its title or its source is empty".to_owned(), "say what has this list"));
        }
        let mut has = match &written.like {
            None => BTreeSet::new(),
            Some(like) => match self.processors.get(like) {
                Some(processor) => processor.has.clone(),
                None => {
                    let cause = format!("it is like \"{like}\", which is not known before it");
                    return Err(wrong(cause, "name a processor that stands above it"));
                }
            },
        };
        let known = |name: &String| self.feature(name).is_some();
        if let Some(unknown) = written.has.iter().chain(&written.lacks).find(|name| !known(name)) {
            return Err(wrong(format!("\"{unknown}\" is no feature"), "list it as one, or correct its name"));
        }
        has.extend(written.has);
        has.retain(|feature| !written.lacks.contains(feature));
        for feature in has.iter().filter_map(|feature| self.feature(feature)) {
            if let Some(need) = feature.needs.iter().find(|need| !has.contains(*need)) {
                let cause = format!("it has {}, which no processor has without {need}", feature.name);
                return Err(wrong(cause, "list both or neither"));
            }
        }
        Ok((name.clone(), Processor { title: written.title, source: written.source, has }))
    }
}

/// A feature's name as words of a specification have it.
fn in_words(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn read_feature(file: &str, written: WrittenFeature) -> Result<Feature, RecipeError> {
    let wrong = |cause: &str, next_step: &str| wrong_feature(file, &written.name, cause, next_step);
    let is_name = written
        .name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.' || byte == b'-');
    if !is_name || in_words(&written.name).is_empty() || in_words(&written.name) == "without" {
        return Err(wrong("its name is invalid", "write lowercase letters, digits, . and -"));
    }
    let at = "write LEAF.PART.REGISTER, such as 7.0.ebx";
    let parts: Vec<&str> = written.at.split('.').collect();
    let [leaf, part, register] = parts[..] else { return Err(wrong("`at` has not three parts", at)) };
    let number = |text: &str| u32::from_str_radix(text, 16).map_err(|_| wrong("`at` has no number", at));
    if !["eax", "ebx", "ecx", "edx"].contains(&register) {
        return Err(wrong("`at` has no register", at));
    }
    if written.bit > 31 {
        return Err(wrong("a word has the bits 0 to 31", "correct its bit"));
    }
    let is_c_name = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if written.c_library.as_ref().is_some_and(|name| name.is_empty() || !is_c_name(name)) {
        return Err(wrong("`c_library` is no name", "write it as the C library's manual does"));
    }
    Ok(Feature {
        leaf: number(leaf)?,
        part: number(part)?,
        register: register.to_owned(),
        name: written.name.clone(),
        bit: written.bit,
        c_library: written.c_library.clone(),
        needs: written.needs.clone(),
    })
}

fn wrong_feature(file: &str, name: &str, cause: &str, next_step: &str) -> RecipeError {
    RecipeError::new(file, &format!("feature \"{name}\""), cause, next_step)
}
