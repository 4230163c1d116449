//! A stack of a comparison in a record of an earlier version: its specification and its version. Later
//! records have the whole identity.

use crate::provenance::StackVersion;

/// A stack specification: `rustls/ring+clang,ring=0.17.8`, `rustls/ring@patch:a.patch`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AskedStack {
    /// The specification without a chosen name.
    pub text: String,
    /// The recipe.
    recipe: String,
    /// The file name of a patch.
    patch: Option<String>,
    /// Ways in which it is built.
    variants: Vec<String>,
    /// Packages at versions.
    pins: Vec<(String, String)>,
}

impl AskedStack {
    /// Parses a document's specification.
    pub(crate) fn parse(text: &str) -> Self {
        let text = match text.split_once('=') {
            Some((alias, rest)) if !alias.contains(',') => rest,
            _ => text,
        };
        let (stack, listed) = text.split_once(',').unwrap_or((text, ""));
        let pins = listed.split(',').filter_map(|pin| pin.split_once('='));
        let patch = stack.split_once("@patch:").map(|(_, path)| path.rsplit('/').next().unwrap_or(path));
        let recipe = stack.split(['@', '+']).next().unwrap_or_default();
        let variants = if patch.is_some() { vec![] } else { stack.split('+').skip(1).collect() };
        Self {
            text: text.to_owned(),
            recipe: recipe.to_owned(),
            patch: patch.map(str::to_owned),
            variants: variants.into_iter().map(str::to_owned).collect(),
            pins: pins.map(|(name, version)| (name.to_owned(), version.to_owned())).collect(),
        }
    }

    /// Its version with the versions below it, and its compiler. `notes` are the comparison's, which name the
    /// packages of a day; `runs` are stacks with identities.
    pub(crate) fn described(
        &self,
        version: Option<String>,
        stack: &str,
        notes: &[String],
        runs: &[StackVersion],
    ) -> (Option<String>, Option<String>) {
        let of_run = runs.iter().find(|of| of.asked.as_deref().unwrap_or(&of.stack) == self.recipe);
        let whole = of_run.and_then(|of| of.measured.as_deref());
        let same = whole.zip(version.as_deref()).and_then(|(whole, version)| {
            whole.strip_prefix(version).filter(|rest| rest.is_empty() || rest.starts_with(WITH))
        });
        let packages = packages(stack, notes);
        let mut below: Vec<(String, String)> = match packages.is_empty() {
            true => components(same.unwrap_or_default()),
            // Of a day's packages, those that a run names below the library.
            false => {
                let named =
                    components(whole.and_then(|whole| Some(&whole[whole.find(WITH)?..])).unwrap_or_default());
                packages.into_iter().filter(|(name, _)| named.iter().any(|(of, _)| of == name)).collect()
            }
        };
        for (name, pinned) in &self.pins {
            below.retain(|(other, _)| other != name);
            below.insert(0, (name.clone(), pinned.clone()));
        }
        let below: Vec<String> =
            below.into_iter().map(|(name, version)| format!("{name} {version}")).collect();
        let text = version.map(|version| {
            let with =
                if below.is_empty() { version } else { format!("{version}{WITH}{}", below.join(", ")) };
            match &self.patch {
                Some(patch) => format!("{with} patched by {patch}"),
                None => with,
            }
        });
        let is_clang = self.variants.iter().any(|variant| variant == "clang");
        let compiler = match is_clang {
            true => Some("clang, of a version that is not recorded".to_owned()),
            false => of_run.and_then(|of| of.compiler.clone()),
        };
        (text, compiler)
    }
}

/// The text before the libraries below one.
const WITH: &str = " with ";

/// ` with ring 0.17.14, rustls-webpki 0.103.16` as names and versions.
fn components(text: &str) -> Vec<(String, String)> {
    let listed = text.strip_prefix(WITH).unwrap_or_default().split(", ");
    let pairs = listed.filter_map(|one| one.split_once(' '));
    pairs.map(|(name, version)| (name.to_owned(), version.to_owned())).collect()
}

/// The packages that a stack got as of a day, as a note has them: `STACK: dependencies as of DAY: ring
/// 0.16.20 (2021-02-01), ….`
fn packages(stack: &str, notes: &[String]) -> Vec<(String, String)> {
    let begins = format!("{stack}: dependencies as of ");
    let note = notes.iter().find_map(|note| note.strip_prefix(&begins));
    let listed = note.and_then(|note| note.split_once(": ")).map_or("", |(_, listed)| listed);
    let package = |one: &str| {
        let mut words = one.split(' ');
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    listed.split("), ").filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> Vec<StackVersion> {
        let run = |stack: &str, measured: &str| StackVersion {
            stack: stack.to_owned(),
            measured: Some(measured.to_owned()),
            compiler: Some("cc 12.2.0".to_owned()),
            ..StackVersion::default()
        };
        vec![run("rustls/ring", "rustls 0.23.46 with ring 0.17.14, webpki 0.103.16")]
    }

    fn described(asked: &str, stack: &str, version: &str, notes: &[&str]) -> (String, String) {
        let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
        let (text, compiler) =
            AskedStack::parse(asked).described(Some(version.to_owned()), stack, &notes, &runs());
        (text.unwrap(), compiler.unwrap_or_default())
    }

    #[test]
    fn a_stack_of_an_earlier_record_is_known_by_what_it_was_asked_for_as() {
        let of = |asked, version| described(asked, "new", version, &[]).0;
        assert_eq!(
            of("new=rustls/ring", "rustls 0.23.46"),
            "rustls 0.23.46 with ring 0.17.14, webpki 0.103.16"
        );
        assert_eq!(
            of("new=rustls/ring,ring=0.17.8", "rustls 0.23.46"),
            "rustls 0.23.46 with ring 0.17.8, webpki 0.103.16"
        );
        assert_eq!(
            of("new=rustls/ring@patch:documents/rustls-ci/a.patch", "rustls 0.23.46"),
            "rustls 0.23.46 with ring 0.17.14, webpki 0.103.16 patched by a.patch"
        );
        assert_eq!(of("new=rustls/ring@0.22.1", "rustls 0.22.1"), "rustls 0.22.1");
        let clang = described("clang=rustls/ring+clang,ring=0.17.8", "clang", "rustls 0.23.46", &[]).1;
        assert_eq!(clang, "clang, of a version that is not recorded");
    }

    #[test]
    fn packages_of_a_day_are_those_that_the_comparison_names() {
        let notes = [
            "0.21.7: dependencies as of 2023-08-28: cc 1.0.83 (2023-08-20), ring 0.16.20 (2021-02-01), webpki 0.101.4 (2023-08-22).",
            "0.21.8: dependencies as of 2023-10-24: ring 0.17.5 (2023-10-19).",
        ];
        let of = |stack: &str| {
            let asked = format!("{stack}=rustls/ring@{stack}+as-of-release");
            described(&asked, stack, &format!("rustls {stack}"), &notes)
        };
        assert_eq!(of("0.21.7").0, "rustls 0.21.7 with ring 0.16.20, webpki 0.101.4");
        assert_eq!(of("0.21.8"), ("rustls 0.21.8 with ring 0.17.5".to_owned(), "cc 12.2.0".to_owned()));
    }
}
