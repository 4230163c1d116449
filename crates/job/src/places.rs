//! The sources that a request names, checked before anything is built or recorded.

use std::path::Path;

use anyhow::bail;
use tlslab_lab::run::plan;
use tlslab_lab::{ErrorKind, Problem, Workshop};
use tlslab_recipe::{Dependency, Place, Recipe, RecipeIndex, Spec, StackRequest, is_remote};

use crate::request::Request;
use crate::sources::named_stacks;

/// Checks that everything exists that a request names: suites, scenarios, stacks, and the folders, patches,
/// archives, revisions and packages of stacks' sources.
///
/// # Errors
/// Returns the first missing one, with the field of the request.
pub(crate) fn check(workshop: &Workshop<'_>, request: &Request) -> anyhow::Result<()> {
    match request {
        Request::Run(run) => plan::check(workshop, run)?,
        Request::Count(count) => plan::check(workshop, &count.as_ref().clone().into())?,
        _ => {}
    }
    let stacks = named_stacks(request);
    if stacks.is_empty() {
        return Ok(());
    }
    let index = workshop.environment.recipe_index()?;
    for (field, stack) in &stacks {
        // Other forms are reported when their recipe is looked up.
        let Ok(StackRequest { spec, .. }) = StackRequest::parse(stack) else { continue };
        let stack = spec.text.as_str();
        let upstream = || Some(index.file(&spec.name).ok()?.repository()?.to_owned());
        // A baseline may have the name that a stack has in the run.
        if *field != "baseline" {
            index.file(&spec.name)?;
        }
        if let Some(place) = &spec.source {
            check_place(workshop, (field, stack), place, upstream)?;
        }
        for (package, from) in &spec.dependencies {
            match from {
                Dependency::Place(place) => check_place(workshop, (field, stack), place, || None)?,
                Dependency::Version(_) => check_package(workshop, (field, stack), &spec, &index, package)?,
            }
        }
    }
    Ok(())
}

fn check_place(
    workshop: &Workshop<'_>,
    of: (&'static str, &str),
    place: &Place,
    upstream: impl Fn() -> Option<String>,
) -> anyhow::Result<()> {
    match place {
        Place::Path(path) if !Path::new(path).is_dir() => {
            bail!(missing(of, format!("there is no folder {path}"), "name the folder of a checkout"))
        }
        Place::Patch(path) if !Path::new(path).is_file() => {
            bail!(missing(of, format!("there is no patch {path}"), "name a file that `git diff` has written"))
        }
        Place::Archive { location, .. } if !is_remote(location) && !Path::new(location).is_file() => {
            bail!(missing(of, format!("there is no archive {location}"), "name a file, or an https address"))
        }
        Place::Git { repository, revision } => {
            let Some(repository) = repository.clone().or_else(upstream) else { return Ok(()) };
            if !is_remote(&repository) && !Path::new(&repository).exists() {
                bail!(missing(
                    of,
                    format!("there is no repository {repository}"),
                    "name a folder or an address"
                ));
            }
            let found =
                workshop.builder().has_revision(&repository, revision, workshop.reporter.cancel().flag());
            workshop.reporter.check()?;
            match found? {
                true => Ok(()),
                false => bail!(missing(
                    of,
                    format!("{repository} has no branch or tag called {revision}"),
                    "name a branch, a tag or a whole commit"
                )),
            }
        }
        _ => Ok(()),
    }
}

/// A package with a chosen version must be one of the driver's dependencies. Another release of the library
/// may have others: then cargo decides.
fn check_package(
    workshop: &Workshop<'_>,
    of: (&'static str, &str),
    spec: &Spec,
    index: &RecipeIndex,
    package: &str,
) -> anyhow::Result<()> {
    if spec.version.is_some() || spec.source.is_some() {
        return Ok(());
    }
    let recipe: Recipe = index.named(of.1)?;
    let Some(packages) = workshop.builder().packages(&recipe) else { return Ok(()) };
    let name = package.split('@').next().unwrap_or(package);
    if packages.iter().any(|known| known == name) {
        return Ok(());
    }
    let cause = format!("{} does not consist of a package called {name}", spec.name);
    let near = tlslab_text::nearest(name, packages.iter().map(String::as_str));
    let next =
        format!("{}write the name as in the Cargo.lock of its driver", tlslab_text::did_you_mean(&near));
    bail!(missing(of, cause, &next))
}

fn missing((field, stack): (&'static str, &str), cause: String, next: &str) -> Problem {
    let problem = Problem::new(ErrorKind::NotFound, stack, cause, next);
    // The two stacks of a pair have no option of their own.
    if field == "pairs" { problem } else { problem.with_field(field) }
}
