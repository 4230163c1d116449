//! Which releases are measured.

use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use tlslab_recipe::{Kind, RecipeIndex, Release, Spec, compare};

use crate::problem::Problem;
use crate::request::{BackfillRequest, Every};

/// Every release of a stack that its recipe or a registry has, oldest first.
pub(super) struct Available {
    of_recipe: Vec<String>,
    listed: Vec<Release>,
}

impl Available {
    /// Reads the recipe, and asks the registry.
    ///
    /// # Errors
    /// Fails if there is no such recipe, or if the registry does not answer.
    pub(super) fn of(index: &RecipeIndex, stack: &str) -> anyhow::Result<Self> {
        let of_recipe = index.file(stack)?.versions().map(str::to_owned).collect();
        Ok(Self { of_recipe, listed: index.releases(stack)?.unwrap_or_default() })
    }

    /// Their versions.
    pub(super) fn versions(&self) -> Vec<String> {
        self.those(|_| true)
    }

    fn those(&self, is_wanted: impl Fn(&Release) -> bool) -> Vec<String> {
        let listed = self.listed.iter().filter(|release| is_wanted(release));
        let mut versions: Vec<String> =
            self.of_recipe.iter().chain(listed.map(|release| &release.name)).cloned().collect();
        versions.sort_by(|a, b| compare(a, b));
        versions.dedup();
        versions
    }
}

/// The releases of a stack that are neither pre-releases nor withdrawn, newest first, with the version of its
/// recipe; and the registry's error, if it does not answer.
pub(crate) fn newest_releases(
    index: &RecipeIndex,
    name: &str,
) -> anyhow::Result<(Vec<String>, Option<String>)> {
    let (listed, problem) = match index.releases(name) {
        Ok(listed) => (listed.unwrap_or_default(), None),
        Err(cause) => (Vec::new(), Some(cause.to_string())),
    };
    let own = index.named(name)?.driver.and_then(|driver| match driver.kind {
        Kind::Cargo(build) => build.version,
        _ => None,
    });
    let of_recipe = index.file(name)?.versions().map(str::to_owned).chain(own).collect();
    let mut versions = Available { of_recipe, listed }.those(is_usual);
    versions.reverse();
    Ok((versions, problem))
}

fn is_usual(release: &Release) -> bool {
    !release.listed.is_prerelease() && !release.listed.is_withdrawn
}

/// The releases of a stack from one to another, oldest first, for a search among them.
///
/// # Errors
/// Fails if the registry cannot be asked, and if one of the two is no release.
pub(crate) fn releases_between(
    index: &RecipeIndex,
    spec: &Spec,
    from: &str,
    to: &str,
) -> anyhow::Result<Vec<String>> {
    let available = Available::of(index, &spec.name)?;
    let within = within(&available, spec, Some(from), Some(to))?;
    for end in [from, to] {
        ensure!(
            within.iter().any(|version| version == end),
            Problem::not_found(
                end,
                format!("{} has no release {end}", spec.name),
                format!("`tlslab versions {}` lists all", spec.name),
                near(&within, end)
            )
        );
    }
    Ok(within)
}

/// The releases that a request wants, oldest first.
pub(super) fn wanted(
    available: &Available,
    spec: &Spec,
    request: &BackfillRequest,
) -> anyhow::Result<Vec<String>> {
    let within = within(available, spec, request.from.as_deref(), request.to.as_deref())?;
    Ok(match request.every {
        Every::Patch => within,
        Every::Minor => last_of_minors(within),
    })
}

/// The releases between two ends, both included, oldest first.
fn within(
    available: &Available,
    spec: &Spec,
    from: Option<&str>,
    to: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    // A pre-release or withdrawn release is measured if it is named as an end.
    let ends = [from, to];
    let is_named = |release: &Release| ends.into_iter().flatten().any(|end| end == release.name);
    let versions = available.those(|release| is_usual(release) || is_named(release));
    for end in ends.into_iter().flatten() {
        let is_release =
            versions.iter().any(|version| version == end || version.starts_with(&format!("{end}.")));
        if !is_release {
            let near = near(&versions, end);
            let next = format!("`tlslab versions {}` lists all", spec.name);
            let cause = format!("{} has no release {end}", spec.name);
            bail!(Problem::not_found(end, cause, next, near).with_field("versions"));
        }
    }
    let is_within = |version: &&String| {
        let is_after = from.is_none_or(|from| compare(version, from).is_ge());
        is_after && to.is_none_or(|to| compare(version, to).is_le())
    };
    let within: Vec<String> = versions.iter().filter(is_within).cloned().collect();
    ensure!(
        !within.is_empty(),
        "{} has no release between {} and {}; `tlslab versions {}` lists all",
        spec.name,
        from.unwrap_or("the first"),
        to.unwrap_or("the last"),
        spec.name
    );
    Ok(within)
}

/// The releases before and after a missing one.
fn near(versions: &[String], wanted: &str) -> Vec<String> {
    let at = versions.partition_point(|version| compare(version, wanted).is_lt());
    versions[at.saturating_sub(1)..(at + 1).min(versions.len())].to_vec()
}

/// The last one of the versions with the same first two numbers, in the order of the versions.
fn last_of_minors(versions: Vec<String>) -> Vec<String> {
    let minor = |version: &str| version.split('.').take(2).collect::<Vec<_>>().join(".");
    let last: BTreeMap<String, String> =
        versions.into_iter().map(|version| (minor(&version), version)).collect();
    let mut last: Vec<String> = last.into_values().collect();
    last.sort_by(|a, b| compare(a, b));
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_minor_release_the_last_one_is_left() {
        let versions = ["0.22.4", "0.23.2", "0.23.10", "1.0.0"].map(str::to_owned);
        assert_eq!(last_of_minors(versions.to_vec()), ["0.22.4", "0.23.10", "1.0.0"]);
    }
}
