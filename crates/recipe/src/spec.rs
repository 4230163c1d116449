//! What a user types for a stack: `NAME[@VERSION][@SOURCE][+VARIANT]…[,PACKAGE=SOURCE]…`. Pure.
//! `+as-of-release` and `+as-of-2023-08-28` are the day of its dependencies, `+cpu-zen3` and
//! `+cpu-without-vaes` the processor that it is run as.

use std::collections::BTreeMap;
use std::fmt;

use crate::as_of::AsOf;
use crate::run_as;

/// A requested stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The text, which is the stack's name in results.
    pub text: String,
    /// The recipe's name.
    pub name: String,
    /// One of the recipe's versions; `None` for the recipe's own choice.
    pub version: Option<String>,
    /// The library's source, if it is not the recipe's.
    pub source: Option<Place>,
    /// Variants of the build, in the order in which they are applied.
    pub variants: Vec<String>,
    /// For a driver in Rust: the day as of which unnamed dependencies are taken; the newest ones if `None`.
    pub as_of: Option<AsOf>,
    /// The processor that it is run as, without `cpu-`: `zen3`, `without-vaes`.
    pub processor: Option<String>,
    /// For a driver in Rust: dependencies and where they come from.
    pub dependencies: BTreeMap<String, Dependency>,
}

/// The source of a dependency of a driver in Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// The registry's, at this version.
    Version(String),
    /// From another source.
    Place(Place),
}

/// A source that the command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `path:DIR`: a checkout in its current state.
    Path(String),
    /// `git:URL#REVISION`; without a URL it is upstream's repository, as the recipe names it.
    Git {
        /// The repository.
        repository: Option<String>,
        /// A commit, tag or branch.
        revision: String,
    },
    /// `archive:FILE#SHA256`.
    Archive {
        /// A path or an address.
        location: String,
        /// Its SHA-256, hex.
        sha256: String,
    },
    /// `patch:FILE`: the recipe's source with a patch.
    Patch(String),
    /// `system`: the system's library.
    System,
}

/// A text that is not a stack. The message has the error and the correct form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stack \"{text}\": {cause}; {FORM}")]
pub struct SpecError {
    text: String,
    cause: String,
}

impl SpecError {
    /// The error, without the correct form.
    pub fn describe(&self) -> String {
        format!("stack \"{}\": {}", self.text, self.cause)
    }
}

impl Spec {
    /// Reads what a user typed.
    ///
    /// # Errors
    /// Fails if it has another form.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let wrong = |cause: String| SpecError { text: text.to_owned(), cause };
        let (stack, listed) = without_dependencies(text);
        let (stack, words) = without_variants(stack);
        let (mut variants, mut as_of, mut processor) = (Vec::new(), None, None);
        for word in words {
            if let Some(named) = run_as::of_word(&word) {
                if processor.replace(named.to_owned()).is_some_and(|known| known != named) {
                    return Err(wrong("it is run as one processor; write one +cpu-".to_owned()));
                }
                continue;
            }
            match AsOf::of_word(&word).transpose().map_err(wrong)? {
                None => variants.push(word),
                Some(day) if as_of.is_none_or(|known| known == day) => as_of = Some(day),
                Some(_) => return Err(wrong("dependencies are of one day; write one +as-of-".to_owned())),
            }
        }
        let (name, mut rest) = match stack.split_once('@') {
            Some((name, rest)) => (name, Some(rest)),
            None => (stack, None),
        };
        if !crate::is_name(name) {
            return Err(wrong(format!("\"{name}\" is not a stack's name")));
        }
        let mut version = None;
        if let Some(text) = rest.filter(|rest| !is_place(rest)) {
            let (first, after) = match text.split_once('@') {
                Some((first, after)) => (first, Some(after)),
                None => (text, None),
            };
            if first.is_empty() || !first.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+".contains(&b)) {
                return Err(wrong(format!("\"{first}\" is neither a version nor a source")));
            }
            version = Some(first.to_owned());
            rest = after;
        }
        let source = rest.map(place).transpose().map_err(wrong)?;
        let mut dependencies = BTreeMap::new();
        for (package, from) in listed {
            let from = match is_place(from) {
                true => Dependency::Place(place(from).map_err(wrong)?),
                false => Dependency::Version(from.to_owned()),
            };
            if from == Dependency::Place(Place::System) {
                return Err(wrong(format!(
                    "{package} is a Rust package, and the system has no such packages"
                )));
            }
            if matches!(from, Dependency::Place(Place::Patch(_))) {
                return Err(wrong(format!(
                    "a patch is for the library; take {package} from a folder: path:DIR"
                )));
            }
            if dependencies.insert(package.to_owned(), from).is_some() {
                return Err(wrong(format!("{package} is named twice")));
            }
        }
        let name = name.to_owned();
        Ok(Self { text: text.to_owned(), name, version, source, variants, as_of, processor, dependencies })
    }

    /// The stack without its version and sources: its name with its variants, the day of its dependencies and
    /// the processor that it is run as, under which its history is kept.
    pub fn series_name(&self) -> String {
        self.with_words(self.name.clone())
    }

    /// The text for the stack at this version.
    pub fn at(&self, version: &str) -> String {
        self.with_words(format!("{}@{version}", self.name))
    }

    fn with_words(&self, stack: String) -> String {
        let day = self.as_of.map(|as_of| as_of.word());
        let processor = self.processor.as_deref().map(run_as::word);
        self.variants
            .iter()
            .chain(&day)
            .chain(&processor)
            .fold(stack, |stack, word| format!("{stack}+{word}"))
    }

    /// The text for it from another source.
    pub fn from_source(&self, source: &str) -> String {
        let stack = without_variants(without_dependencies(&self.text).0).0;
        let version = self.version.iter().map(|version| format!("@{version}")).collect::<String>();
        format!("{}{version}@{source}{}", self.name, &self.text[stack.len()..])
    }

    /// The text for it with dependencies as of a day; `None` if it has a day already.
    pub fn with_dependencies_as_of(&self, as_of: AsOf) -> Option<String> {
        let stack = without_dependencies(&self.text).0;
        let dated = || format!("{stack}+{}{}", as_of.word(), &self.text[stack.len()..]);
        self.as_of.is_none().then(dated)
    }

    /// Every place that the text names.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        let of_dependencies = self.dependencies.values().filter_map(|from| match from {
            Dependency::Place(place) => Some(place),
            Dependency::Version(_) => None,
        });
        self.source.iter().chain(of_dependencies)
    }
}

/// `,PACKAGE=` begins a dependency; another comma belongs to the text before it.
fn without_dependencies(text: &str) -> (&str, Vec<(&str, &str)>) {
    let is_package = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_@.".contains(&byte))
    };
    let starts: Vec<(usize, &str)> = text
        .match_indices(',')
        .filter_map(|(at, _)| {
            let package = text[at + 1..].split_once('=')?.0;
            is_package(package).then_some((at, package))
        })
        .collect();
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let listed = starts
        .iter()
        .zip(ends)
        .map(|((at, package), end)| (*package, &text[at + 1 + package.len() + 1..end]))
        .collect();
    (&text[..starts.first().map_or(text.len(), |(at, _)| *at)], listed)
}

/// Variants are lowercase words after a `+`, at the end. `+3` is a part of a version.
fn without_variants(mut text: &str) -> (&str, Vec<String>) {
    let mut variants = Vec::new();
    while let Some((before, word)) = text.rsplit_once('+') {
        let is_word = word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_word {
            break;
        }
        variants.insert(0, word.to_owned());
        text = before;
    }
    (text, variants)
}

fn is_place(text: &str) -> bool {
    text == "system" || ["path:", "git:", "archive:", "patch:"].iter().any(|kind| text.starts_with(kind))
}

fn place(text: &str) -> Result<Place, String> {
    if text == "system" {
        return Ok(Place::System);
    }
    let (kind, rest) = text.split_once(':').ok_or_else(|| format!("\"{text}\" is not a source"))?;
    match (kind, rest.rsplit_once('#')) {
        ("path", _) if !rest.is_empty() => Ok(Place::Path(rest.to_owned())),
        ("patch", _) if !rest.is_empty() => Ok(Place::Patch(rest.to_owned())),
        ("git", Some((repository, revision))) if !revision.is_empty() => Ok(Place::Git {
            repository: (!repository.is_empty()).then(|| repository.to_owned()),
            revision: revision.to_owned(),
        }),
        ("git", _) => Err("a git source ends with # and a commit, tag or branch".to_owned()),
        ("archive", Some((location, sha256))) if !location.is_empty() && !sha256.is_empty() => {
            Ok(Place::Archive { location: location.to_owned(), sha256: sha256.to_owned() })
        }
        ("archive", _) => Err("an archive is a file or an address, then # and its SHA-256".to_owned()),
        _ => Err(format!("\"{text}\" is not a source")),
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The correct form.
pub(crate) const FORM: &str = "write NAME[@VERSION][@SOURCE][+VARIANT]...[,PACKAGE=VERSION or SOURCE]..., with SOURCE one of \
                    path:DIR, git:URL#REVISION, git:#REVISION, archive:FILE#SHA256, patch:FILE, system";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spec(text: &str) -> Spec {
        Spec::parse(text).unwrap()
    }

    #[test]
    fn every_part_is_found() {
        assert_eq!(spec("rustls/ring").name, "rustls/ring");
        let version = spec("openssl@3.5.5+clang+lto");
        assert_eq!((version.version.as_deref(), version.source), (Some("3.5.5"), None));
        assert_eq!(version.variants, ["clang", "lto"]);
        let path = Place::Path("../open+ssl@x".into());
        assert_eq!(spec("openssl@path:../open+ssl@x").source, Some(path));
        let git = Place::Git { repository: Some("https://host/x+y.git".into()), revision: "v1,2".into() };
        let both = spec("openssl@3.0.19@git:https://host/x+y.git#v1,2");
        assert_eq!((both.version.as_deref(), both.source), (Some("3.0.19"), Some(git)));
        let upstream = Place::Git { repository: None, revision: "main".into() };
        assert_eq!(spec("openssl@git:#main").source, Some(upstream));
        let patched = spec("rustls/ring@0.23.40@patch:../a+b.patch+clang");
        assert_eq!(patched.source, Some(Place::Patch("../a+b.patch".into())));
        assert_eq!((patched.version.as_deref(), patched.variants.len()), (Some("0.23.40"), 1));
        assert_eq!(spec("openssl@system+vendor").source, Some(Place::System));
    }

    #[test]
    fn dependencies_are_versions_or_places() {
        let spec = spec("rustls/ring@0.23.40+lto,ring=path:../ring,webpki=0.103.1");
        assert_eq!(spec.version.as_deref(), Some("0.23.40"));
        assert_eq!(spec.variants, ["lto"]);
        assert_eq!(spec.dependencies["ring"], Dependency::Place(Place::Path("../ring".into())));
        assert_eq!(spec.dependencies["webpki"], Dependency::Version("0.103.1".into()));
    }

    #[test]
    fn a_version_may_have_build_metadata() {
        let spec = spec("x@1.2.3+4.5");
        assert_eq!((spec.version.as_deref(), spec.variants.len()), (Some("1.2.3+4.5"), 0));
    }

    #[test]
    fn a_source_takes_the_place_of_another() {
        for (text, moved) in [
            ("mini@path:x/my lib", "mini@git:r#1"),
            ("mini@path:x/a,b", "mini@git:r#1"),
            ("mini@path:x/c++ lib+clang", "mini@git:r#1+clang"),
            ("mini@path:a/b+clang,ring=0.17.8", "mini@git:r#1+clang,ring=0.17.8"),
            ("mini@1.0+lto", "mini@1.0@git:r#1+lto"),
        ] {
            assert_eq!(spec(text).from_source("git:r#1"), moved);
        }
    }

    #[test]
    fn variants_follow_the_version() {
        let spec = spec("library/part+lto+clang");
        assert_eq!(spec.series_name(), "library/part+lto+clang");
        assert_eq!(spec.at("1.2.3"), "library/part@1.2.3+lto+clang");
    }

    #[test]
    fn a_stack_may_be_run_as_a_processor() {
        let zen3 = spec("openssl@3.5.5+lto+cpu-zen3");
        assert_eq!((zen3.processor.as_deref(), &zen3.variants[..]), (Some("zen3"), &["lto".to_owned()][..]));
        assert_eq!(zen3.series_name(), "openssl+lto+cpu-zen3");
        assert_eq!(zen3.at("3.5.6"), "openssl@3.5.6+lto+cpu-zen3");
        let both = spec("a@path:x+cpu-without-avx512f-vaes+as-of-release,b=1.0");
        assert_eq!(both.processor.as_deref(), Some("without-avx512f-vaes"));
        assert_eq!(both.from_source("git:r#1"), "a@git:r#1+cpu-without-avx512f-vaes+as-of-release,b=1.0");
        assert_ne!(spec("a+cpu-zen3").series_name(), spec("a").series_name());
        let two = Spec::parse("a+cpu-zen3+cpu-zen4").unwrap_err().to_string();
        assert!(two.contains("write one +cpu-"), "{two}");
    }

    #[test]
    fn dependencies_may_be_of_a_day() {
        let release = spec("rustls/ring@0.21.7+lto+as-of-release,webpki=0.1.0");
        assert_eq!((release.as_of, &release.variants[..]), (Some(AsOf::Release), &["lto".to_owned()][..]));
        assert_eq!(release.series_name(), "rustls/ring+lto+as-of-release");
        assert_eq!(release.at("0.21.8"), "rustls/ring@0.21.8+lto+as-of-release");
        let day = spec("a@path:x+as-of-2023-08-28");
        assert_eq!(
            (day.as_of.unwrap().to_string(), day.source),
            ("2023-08-28".to_owned(), Some(Place::Path("x".into())))
        );
        let with = |text| Spec::parse(text).unwrap().with_dependencies_as_of(AsOf::Release);
        assert_eq!(with("a@1.0+lto,b=1.0").as_deref(), Some("a@1.0+lto+as-of-release,b=1.0"));
        assert_eq!(with("a+as-of-2023-08-28"), None);
        for text in [
            "a+as-of-20230828",
            "a+as-of-2023-02-30",
            "a+as-of-yesterday",
            "a+as-of-release+as-of-2023-08-28",
        ] {
            assert!(Spec::parse(text).unwrap_err().to_string().contains("as-of"), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let bad = [
            "a@patch:",
            "a,b=patch:x",
            "",
            "@3",
            "a@",
            "a@git:",
            "a@git:url",
            "a@archive:x",
            "a@path:",
            "a@x y",
            "a,b=system",
            "../a",
        ];
        for text in bad {
            let said = Spec::parse(text).unwrap_err().to_string();
            assert!(said.starts_with(&format!("stack \"{text}\": ")), "{said}");
        }
        let twice = Spec::parse("a,b=1.0.0,b=1.0.1").unwrap_err().to_string();
        assert!(twice.contains("named twice"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}|[a@+,=:#/.0-9]{0,40}") {
            let _ = Spec::parse(&text);
        }
    }
}
