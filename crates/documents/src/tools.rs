//! The programs that the builds of a document's stacks need.

use tlslab_lab::Session;
use tlslab_recipe::{Recipe, StackRequest};
use tlslab_reproduction::{Basis, Document};

use crate::check::stacks_of;
use crate::profiles::stack_of;
use crate::sources;

/// Rejects a document some of whose stacks cannot be built, before the first part is measured: a later part
/// would fail after all before it.
///
/// # Errors
/// Fails with the missing programs and how to install them, or if a stack does not exist.
pub(crate) fn check_tools(
    session: &Session<'_>,
    document: &Document,
    is_wanted: impl Fn(Basis) -> bool,
) -> anyhow::Result<()> {
    let environment = session.environment();
    let (catalogue, index) = (environment.catalogue()?, environment.recipe_index()?);
    let folder = sources::folder_of(environment, &document.name)?.display().to_string();
    let mut stacks: Vec<String> = Vec::new();
    for run in document.measurements.iter().filter(|run| is_wanted(run.basis)) {
        stacks.extend(stacks_of(&catalogue, run)?.to_vec());
    }
    let comparisons = document.comparisons.iter().filter(|of| is_wanted(of.basis));
    stacks.extend(comparisons.flat_map(|of| of.stacks(&folder)));
    for of in document.profiles.iter().filter(|of| is_wanted(of.basis)) {
        stacks.push(stack_of(environment, document, of)?);
    }
    let recipe = |stack: &String| Ok(index.named(&StackRequest::parse(stack)?.spec.text)?);
    let recipes: Vec<Recipe> = stacks.iter().map(recipe).collect::<anyhow::Result<_>>()?;
    session.workshop.check_tools(&recipes.iter().collect::<Vec<_>>())
}
