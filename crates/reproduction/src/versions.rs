//! The components of each stack of a document, published and measured.

use tlslab_protocol::Library;
use tlslab_record::StackIdentity;

use crate::asked_stack::AskedStack;
use crate::document::Document;
use crate::measured::Measured;
use crate::provenance::{Built, StackVersion};

/// Every stack that was measured or has a published version: those of runs, those of comparisons in the
/// document's order, those with counted functions only, and those that were not measured.
pub(crate) fn versions(document: &Document, measured: &Measured) -> Vec<StackVersion> {
    let mut all = of_runs(document, measured);
    for version in of_comparisons(document, measured) {
        let is_known = |of: &StackVersion| of.stack == version.stack && of.asked == version.asked;
        match all.iter_mut().find(|of| is_known(of)) {
            Some(of) => of.measured = of.measured.take().or(version.measured),
            None => all.push(version),
        }
    }
    for (stack, version) in measured.provenance.iter().flat_map(|of| &of.profiled) {
        if !all.iter().any(|of| of.stack == *stack) {
            let measured = known(&without_digests(version));
            all.push(StackVersion { measured, ..StackVersion::of(document, stack) });
        }
    }
    for stack in document.published_versions.keys() {
        if !all.iter().any(|of| of.stack == *stack) {
            all.push(StackVersion::of(document, stack));
        }
    }
    all
}

impl StackVersion {
    /// One that was not measured.
    fn of(document: &Document, stack: &str) -> Self {
        Self {
            stack: stack.to_owned(),
            published: document.published_versions.get(stack).cloned(),
            ..Self::default()
        }
    }
}

fn of_runs(document: &Document, measured: &Measured) -> Vec<StackVersion> {
    let mut all: Vec<StackVersion> = Vec::new();
    for run in &document.measurements {
        let report = measured.reports.get(&run.name).and_then(|reports| reports.last());
        let Some(report) = report else { continue };
        for stack in &report.stacks {
            let identity = stack.identity.as_ref();
            let version = StackVersion {
                asked: asked_as(&run.stacks, &stack.name),
                measured: stack.library().map(|library| described(library, identity)),
                compiler: identity.and_then(compiler),
                ..StackVersion::of(document, &stack.name)
            };
            match all.iter_mut().find(|of| of.stack == stack.name) {
                Some(of) => of.measured = of.measured.take().or(version.measured),
                None => all.push(version),
            }
        }
    }
    all
}

/// The specification of a stack that has a chosen name.
fn asked_as(stacks: &[String], name: &str) -> Option<String> {
    let named = stacks.iter().filter_map(|stack| stack.split_once('='));
    named.filter(|(alias, _)| *alias == name).map(|(_, asked)| asked.to_owned()).next()
}

fn of_comparisons(document: &Document, measured: &Measured) -> Vec<StackVersion> {
    let (of_runs, mut all) = (of_runs(document, measured), Vec::new());
    let provenance = measured.provenance.as_ref();
    for of in &document.comparisons {
        let Some(comparison) = measured.comparisons.get(&of.name) else { continue };
        let [base, new] = of.stacks("documents");
        let pairs = comparison.pairs.iter().flat_map(|pair| {
            [
                (&pair.baseline, &pair.baseline_version, &base),
                (&pair.candidate, &pair.candidate_version, &new),
            ]
        });
        for (stack, version, asked) in pairs {
            let asked = AskedStack::parse(asked);
            let built = provenance.and_then(|all| all.built.get(&format!("{}/{stack}", of.name)));
            let (measured, compiler) = match built {
                Some(Built { library, identity }) => {
                    (Some(described(library, Some(identity))), compiler(identity))
                }
                None => asked.described(known(version), stack, &comparison.warnings, &of_runs),
            };
            let asked = Some(asked.text).filter(|asked| asked != stack);
            all.push(StackVersion { asked, measured, compiler, ..StackVersion::of(document, stack) });
        }
    }
    all
}

fn known(version: &str) -> Option<String> {
    (!version.is_empty()).then(|| version.to_owned())
}

/// A library's name and version, those of the libraries below it that its own version does not name, and the
/// patches over it.
fn described(library: &Library, identity: Option<&StackIdentity>) -> String {
    let own = format!("{} {}", library.name, library.version);
    let below = library.components.iter().map(|(name, version)| format!("{name} {version}"));
    let below: Vec<String> = below.filter(|component| !own.contains(component)).collect();
    let own = if below.is_empty() { own } else { format!("{own} with {}", below.join(", ")) };
    let patches = identity.and_then(|identity| identity.source.split_once(PATCHED));
    match patches {
        Some((_, patches)) => format!("{own}{PATCHED}{}", without_digests(patches)),
        None => own,
    }
}

/// The text before a patch in the source of an identity: `crate one 1.0 … patched by a.patch sha256 …`.
const PATCHED: &str = " patched by ";

fn without_digests(text: &str) -> String {
    let mut words = text.split(' ');
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "sha256" => _ = words.next(),
            word => kept.push(word),
        }
    }
    kept.join(" ")
}

/// The C compiler without its target.
fn compiler(identity: &StackIdentity) -> Option<String> {
    let name = identity.compiler.split(", target:").next().unwrap_or_default();
    known(name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::provenance::Provenance;

    #[test]
    fn a_library_below_is_named_once_and_a_patch_by_its_name() {
        let library = |version: &str| Library {
            name: "runtime".to_owned(),
            version: version.to_owned(),
            components: vec![("crypto".to_owned(), "2.0".to_owned())],
        };
        assert_eq!(described(&library("1.0"), None), "runtime 1.0 with crypto 2.0");
        assert_eq!(described(&library("1.0 with crypto 2.0"), None), "runtime 1.0 with crypto 2.0");
        let identity = StackIdentity {
            source: "crate runtime 1.0 sha256 00ff patched by a.patch sha256 11ee".to_owned(),
            compiler: "clang version 19.1.7, target: x86_64-linux-gnu".to_owned(),
            ..StackIdentity::default()
        };
        let text = described(&library("1.0"), Some(&identity));
        assert_eq!(text, "runtime 1.0 with crypto 2.0 patched by a.patch");
        assert_eq!(compiler(&identity).as_deref(), Some("clang version 19.1.7"));
    }

    #[test]
    fn published_versions_stand_next_to_what_was_measured_and_alone_where_nothing_was() {
        let text = "title = \"It\"\nby = \"x\"\non = \"y\"\n[published_versions]\n\"one\" = \"One 1.0\"\n\"two\" = \"Two 2.0\"\n";
        let document = Document::parse("it.toml", "it", text).unwrap();
        let profiled = BTreeMap::from([("one".to_owned(), "One 1.5 sha256 00ff".to_owned())]);
        let provenance = Provenance { profiled, ..Provenance::default() };
        let measured = Measured { provenance: Some(provenance), ..Measured::default() };
        let of = |stack: &str, published: &str, measured: Option<&str>| StackVersion {
            stack: stack.to_owned(),
            published: Some(published.to_owned()),
            measured: measured.map(str::to_owned),
            ..StackVersion::default()
        };
        let expected = [of("one", "One 1.0", Some("One 1.5")), of("two", "Two 2.0", None)];
        assert_eq!(versions(&document, &measured), expected);
    }
}
