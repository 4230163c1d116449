//! The stacks of a request with their dependencies as of a date.

use tlslab_lab::Problem;
use tlslab_recipe::{AsOf, DriverBuild, Kind, RecipeIndex, StackRequest};

use crate::request::Request;
use crate::sources::stacks;

/// Sets the date of dependencies for the named stacks of a request, if these come from a registry of crates
/// and have no date yet. A canary is unchanged.
///
/// # Errors
/// Fails if the request names no such stack, or a stack does not exist.
pub fn take_dependencies_as_of(
    request: &mut Request,
    index: &RecipeIndex,
    as_of: AsOf,
) -> anyhow::Result<()> {
    let mut applies = false;
    for (_, stack) in stacks(request).into_iter().filter(|(field, _)| *field != "canary") {
        let asked = StackRequest::parse(stack)?;
        let recipe = index.named(&asked.spec.text)?;
        if !matches!(recipe.driver, Some(DriverBuild { kind: Kind::Cargo(_), .. })) {
            continue;
        }
        applies = true;
        if let Some(dated) = asked.spec.with_dependencies_as_of(as_of) {
            *stack = asked.with_stack(&dated);
        }
    }
    if applies {
        return Ok(());
    }
    let cause = "none of the stacks has dependencies from a registry of crates";
    Err(Problem::invalid("as-of", as_of.to_string(), cause, "name one, such as rustls/ring, or omit --as-of")
        .into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tlslab_recipe::RecipeFile;

    use super::*;
    use tlslab_lab::{request::BackfillRequest, request::RunRequest};

    const RUST: &str = "name = \"rust\"\ntitle = \"In Rust\"\nlicence = \"MIT\"\ndriver = \"r\"\n[cargo]\npackage = \"p\"\nversion = \"1.0.0\"\n";
    const C: &str = "name = \"c\"\ntitle = \"In C\"\nlicence = \"MIT\"\ndriver = \"c\"\nsource = { path = \"x\" }\n[build]\nsteps = [[\"make\"]]\n[link]\nargs = [\"-l\"]\n";

    fn index() -> RecipeIndex {
        let file = |name: &str, text| RecipeFile::parse(&format!("stacks/{name}.toml"), text).unwrap();
        RecipeIndex::new(vec![file("rust", RUST), file("c", C)], BTreeMap::new()).unwrap()
    }

    fn stacks_of(names: &[&str]) -> Result<Vec<String>, String> {
        let stacks = names.iter().map(|name| (*name).to_owned()).collect();
        let mut request = Request::Run(Box::new(RunRequest { stacks, ..RunRequest::default() }));
        take_dependencies_as_of(&mut request, &index(), AsOf::Release).map_err(|error| error.to_string())?;
        let Request::Run(run) = request else { unreachable!() };
        Ok(run.stacks)
    }

    #[test]
    fn stacks_of_a_registry_of_crates_get_the_day() {
        assert_eq!(
            stacks_of(&["old=rust,q=1.2.0", "c", "rust+as-of-2023-08-28"]).unwrap(),
            ["old=rust+as-of-release,q=1.2.0", "c", "rust+as-of-2023-08-28"]
        );
        let error = stacks_of(&["c"]).unwrap_err();
        assert!(error.contains("registry of crates") && error.contains("omit --as-of"), "{error}");
        assert!(stacks_of(&["nothing"]).unwrap_err().contains("nothing"));
    }

    #[test]
    fn a_canary_stays_what_it_is() {
        let canary = Some("rust".to_owned());
        let backfill = BackfillRequest { stack: "rust".to_owned(), canary, ..BackfillRequest::default() };
        let mut request = Request::Backfill(Box::new(backfill));
        take_dependencies_as_of(&mut request, &index(), AsOf::Release).unwrap();
        let Request::Backfill(backfill) = request else { unreachable!() };
        assert_eq!((&*backfill.stack, backfill.canary.as_deref()), ("rust+as-of-release", Some("rust")));
    }
}
