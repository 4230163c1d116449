//! The version of each stack of a document, published and measured.

use crate::document::Document;
use crate::measured::Measured;
use crate::provenance::StackVersion;

/// Every stack that was measured or has a published version, in the order in which they were measured.
pub(crate) fn versions(document: &Document, measured: &Measured) -> Vec<StackVersion> {
    let mut all: Vec<StackVersion> = Vec::new();
    let mut add = |stack: &str, version: Option<String>| match all.iter_mut().find(|of| of.stack == stack) {
        Some(of) => of.measured = of.measured.take().or(version),
        None => all.push(StackVersion {
            stack: stack.to_owned(),
            published: document.published_versions.get(stack).cloned(),
            measured: version,
        }),
    };
    let reports = document.measurements.iter().filter_map(|run| measured.reports.get(&run.name)?.last());
    for stack in reports.flat_map(|report| &report.stacks) {
        add(&stack.name, stack.library().map(with_components));
    }
    for pair in measured.comparisons.values().flat_map(|comparison| &comparison.pairs) {
        add(&pair.baseline, known(&pair.baseline_version));
        add(&pair.candidate, known(&pair.candidate_version));
    }
    for (stack, version) in measured.provenance.iter().flat_map(|of| &of.profiled) {
        add(stack, known(version));
    }
    for stack in document.published_versions.keys() {
        add(stack, None);
    }
    all
}

fn known(version: &str) -> Option<String> {
    (!version.is_empty()).then(|| version.to_owned())
}

/// A library's name and version, and those of the libraries below it that its own version does not name.
fn with_components(library: &tlslab_protocol::Library) -> String {
    let own = format!("{} {}", library.name, library.version);
    let below = library.components.iter().map(|(name, version)| format!("{name} {version}"));
    let below: Vec<String> = below.filter(|component| !own.contains(component)).collect();
    if below.is_empty() { own } else { format!("{own} with {}", below.join(", ")) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tlslab_protocol::Library;

    use super::*;
    use crate::provenance::Provenance;

    #[test]
    fn a_library_below_is_named_once() {
        let library = |version: &str| Library {
            name: "runtime".to_owned(),
            version: version.to_owned(),
            components: vec![("crypto".to_owned(), "2.0".to_owned())],
        };
        assert_eq!(with_components(&library("1.0")), "runtime 1.0 with crypto 2.0");
        assert_eq!(with_components(&library("1.0 with crypto 2.0")), "runtime 1.0 with crypto 2.0");
    }

    #[test]
    fn published_versions_stand_beside_what_was_measured_and_alone_where_nothing_was() {
        let text = "title = \"It\"\nby = \"x\"\non = \"y\"\n[published_versions]\n\"one\" = \"One 1.0\"\n\"two\" = \"Two 2.0\"\n";
        let document = Document::parse("it.toml", "it", text).unwrap();
        let profiled = BTreeMap::from([("one".to_owned(), "One 1.5".to_owned())]);
        let provenance = Provenance { profiled, ..Provenance::default() };
        let measured = Measured { provenance: Some(provenance), ..Measured::default() };
        let of = |stack: &str, published: &str, measured: Option<&str>| StackVersion {
            stack: stack.to_owned(),
            published: Some(published.to_owned()),
            measured: measured.map(str::to_owned),
        };
        let expected = [of("one", "One 1.0", Some("One 1.5")), of("two", "Two 2.0", None)];
        assert_eq!(versions(&document, &measured), expected);
    }
}
