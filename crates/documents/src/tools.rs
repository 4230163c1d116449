//! The programs that the builds of a document's stacks need.

use tlslab_recipe::{Recipe, StackRequest};

use crate::check::stacks_of;
use crate::profiles::stack_of;
use crate::sources;
use crate::task::Task;
use crate::work::is_wanted;

impl Task<'_> {
    /// Before the first part that is measured: rejects a document some of whose stacks cannot be built, as a
    /// later part would fail after all before it.
    ///
    /// # Errors
    /// Fails with the missing programs and how to install them, or if a stack does not exist.
    pub(crate) fn check_tools(&mut self) -> anyhow::Result<()> {
        if self.has_tools {
            return Ok(());
        }
        let (environment, document) = (self.session.environment(), self.document);
        let (catalogue, index) = (environment.catalogue()?, environment.recipe_index()?);
        let folder = sources::folder_of(environment, &document.name)?.display().to_string();
        let mut stacks: Vec<String> = Vec::new();
        for run in document.measurements.iter().filter(|run| is_wanted(run.basis, self.request)) {
            stacks.extend(stacks_of(&catalogue, run)?.to_vec());
        }
        let comparisons = document.comparisons.iter().filter(|of| is_wanted(of.basis, self.request));
        stacks.extend(comparisons.flat_map(|of| of.stacks(&folder)));
        for of in document.profiles.iter().filter(|of| is_wanted(of.basis, self.request)) {
            stacks.push(stack_of(environment, document, of)?);
        }
        // Each once, also if it has another name in another part.
        let mut names = Vec::new();
        for stack in stacks {
            names.push(StackRequest::parse(&stack)?.spec.text);
        }
        names.sort();
        names.dedup();
        let recipes: Vec<Recipe> = names.iter().map(|name| index.named(name)).collect::<Result<_, _>>()?;
        self.session.workshop.check_tools(&recipes.iter().collect::<Vec<_>>())?;
        self.has_tools = true;
        Ok(())
    }
}
