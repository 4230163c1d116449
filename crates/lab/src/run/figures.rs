//! The figures of a run for history. Only this module knows how a stack's name is written.

use tlslab_estimate::Report;
use tlslab_history::figures::SeriesName;
use tlslab_recipe::Spec;
use tlslab_recipe::{Dependency, Place};
use tlslab_record::{Figure, Plan, StackRecord, StackState};

use crate::canary::names::{CANARY, FORMER};

/// How many digits identify a commit.
const DIGITS: usize = 12;

/// Every cell of a run as a figure, in the report's order.
pub fn figures_of(plan: &Plan, report: &Report) -> Vec<Figure> {
    tlslab_history::figures::figures(plan, report, series_name)
}

/// The recipe's name with its variants, and the version or revision.
pub fn series_name(stack: &StackRecord) -> SeriesName {
    let identity = stack.identity.clone().unwrap_or_default();
    let asked = if identity.recipe.is_empty() { &stack.name } else { &identity.recipe };
    if [CANARY, FORMER].contains(&stack.name.as_str()) {
        // A canary that was built again is a different one.
        let digest: String = stack.driver_digest.chars().take(DIGITS).collect();
        let label = format!("{} {digest}", reported(stack));
        return SeriesName { name: format!("{CANARY} {asked}"), label: label.trim_end().to_owned() };
    }
    let Ok(spec) = Spec::parse(asked) else {
        return SeriesName { name: asked.to_owned(), label: reported(stack) };
    };
    let commit = || identity.source_digest.chars().take(DIGITS).collect::<String>();
    let mut label = match &spec.source {
        Some(Place::Git { revision, .. }) => match commit() {
            commit if revision.starts_with(&commit) => commit,
            commit => format!("{revision} ({commit})"),
        },
        Some(Place::Path(_)) => checked_out(&identity.source)
            .map_or_else(|| format!("{} ({})", reported(stack), commit()), str::to_owned),
        Some(Place::Patch(_)) => format!("{} ({})", reported(stack), commit()),
        Some(Place::Archive { .. } | Place::System) => reported(stack),
        None => spec.version.clone().unwrap_or_else(|| reported(stack)),
    };
    for (package, from) in &spec.dependencies {
        let from = match from {
            Dependency::Version(version) => version.as_str(),
            Dependency::Place(Place::Git { revision, .. }) => revision,
            Dependency::Place(_) => "elsewhere",
        };
        label = format!("{label}, {package} {from}");
    }
    SeriesName { name: spec.series_name(), label }
}

/// The commit of a checkout without changes.
fn checked_out(source: &str) -> Option<&str> {
    let (_, after) = source.split_once(" commit ")?;
    let (commit, after) = after.split_once(' ')?;
    after.starts_with("unchanged").then(|| commit.get(..DIGITS)).flatten()
}

/// What the library reports about itself.
fn reported(stack: &StackRecord) -> String {
    match &stack.state {
        StackState::Ready(description) => description.library.version.clone(),
        StackState::Failed(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tlslab_record::StackIdentity;

    use super::*;

    fn name(asked: &str, digest: &str) -> (String, String) {
        from(asked, digest, "")
    }

    fn from(asked: &str, digest: &str, source: &str) -> (String, String) {
        let stack = StackRecord {
            name: "an alias".to_owned(),
            title: String::new(),
            licence: String::new(),
            identity: Some(StackIdentity {
                recipe: asked.to_owned(),
                source_digest: digest.to_owned(),
                source: source.to_owned(),
                ..StackIdentity::default()
            }),
            driver_digest: String::new(),
            driver: String::new(),
            environment: Default::default(),
            state: StackState::Failed("no".to_owned()),
        };
        let SeriesName { name, label } = series_name(&stack);
        (name, label)
    }

    #[test]
    fn versions_of_a_stack_are_one_series() {
        let commit = "0123456789abcdef";
        for (asked, series, label) in [
            ("library@1.2", "library", "1.2"),
            ("library@1.2+lto", "library+lto", "1.2"),
            ("library/part", "library/part", "unknown"),
            ("library@git:#main", "library", "main (0123456789ab)"),
            ("library@git:#0123456789abcdef", "library", "0123456789ab"),
            ("library@1.2,dependency=0.17.8", "library", "1.2, dependency 0.17.8"),
            ("library@path:/tmp/x+debug", "library+debug", "unknown (0123456789ab)"),
        ] {
            assert_eq!(name(asked, commit), (series.to_owned(), label.to_owned()), "{asked}");
        }
    }

    #[test]
    fn a_checkout_is_its_commit_unless_something_was_changed() {
        let (asked, digest) = ("library@path:/tmp/x", "0123456789abcdef");
        let commit = "checkout /tmp/x commit fedcba9876543210fedcba9876543210fedcba98";
        let label = |state: &str| from(asked, digest, &format!("{commit} {state} tree sha256 0123")).1;
        assert_eq!(label("unchanged"), "fedcba987654");
        assert_eq!(label("with uncommitted changes in 2 files"), "unknown (0123456789ab)");
    }
}
