//! Programs that a database names, compared with the lab's own. A database is data: anyone may have written
//! it.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use tlslab_build::BuiltStack;
use tlslab_recipe::{Layouts, Recipe, RecipeIndex};
use tlslab_record::{CountPlan, Plan, StackRecord};

use crate::counting;
use crate::run::plan::evictor;
use crate::run::preload;
use crate::session::workshop::Workshop;

impl Workshop<'_> {
    /// Chooses the sandbox for a plan from a database as for a new run. Checks that every program it names is
    /// this lab's own: drivers as their recipes have them in the cache, the evictor, the counter and the
    /// libraries for drivers.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn check_recorded(&self, plan: &Plan) -> anyhow::Result<()> {
        let refused = || format!("run {} cannot continue", plan.id);
        let stacks: Vec<&StackRecord> = plan.stacks.iter().filter(|stack| !stack.driver.is_empty()).collect();
        self.check_drivers(&stacks, Some(plan)).with_context(refused)?;
        self.check_instruments(plan).with_context(refused)
    }

    /// Checks that a recorded stack's driver is the one of its recipe in the cache.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn check_recorded_stack(&self, stack: &StackRecord) -> anyhow::Result<()> {
        self.check_drivers(&[stack], None)
    }

    fn check_drivers(&self, stacks: &[&StackRecord], plan: Option<&Plan>) -> anyhow::Result<()> {
        let index = self.environment.recipe_index()?;
        let recipes: Vec<Recipe> =
            stacks.iter().map(|stack| recipe_of(&index, stack)).collect::<Result<_, _>>()?;
        self.decide_place(&recipes.iter().collect::<Vec<_>>())?;
        if let Some(plan) = plan {
            self.resume_place(plan)?;
        }
        let made = self.made(&recipes)?;
        self.reporter.check()?;
        for (stack, (_, made)) in stacks.iter().zip(made) {
            let made = made.with_context(|| stack.name.clone())?;
            agrees(stack, &made)?;
        }
        Ok(())
    }

    fn check_instruments(&self, plan: &Plan) -> anyhow::Result<()> {
        if let Some(recorded) = &plan.evictor {
            let own = evictor(self)?;
            ensure!(
                *recorded == own,
                "its evictor is {}, which is not this lab's, {}; start a new run",
                recorded.program,
                own.program
            );
        }
        if let Some(recorded) = &plan.preload {
            let own = preload(self)?;
            ensure!(
                *recorded == own,
                "its library that counts allocations is {}, which is not this lab's, {}, or has changed; start a new run",
                recorded.library,
                own.library
            );
        }
        match &plan.counting {
            Some(CountPlan { counter, .. }) => counting::check_recorded(self, counter),
            None => Ok(()),
        }
    }

    /// A stack that a record names. If its name has a folder, repository, patch or archive as its source, it
    /// must have been built before; releases are built. With `layouts`, its driver is the first of these, if
    /// it has any.
    ///
    /// # Errors
    /// Returns why the stack was not built.
    pub fn build_recorded(&self, stack: &str, layouts: Option<Layouts>) -> anyhow::Result<BuiltStack> {
        let recipe = self.environment.recipe_index()?.named(stack)?;
        let recipe = layouts.map_or(recipe.clone(), |layouts| recipe.with_layouts(layouts));
        let mut built = match chooses_its_source(stack)? {
            false => self.build_one(&recipe)?,
            true => {
                self.decide_place(&[&recipe])?;
                let made = self.made(std::slice::from_ref(&recipe))?;
                self.reporter.check()?;
                let Some((_, made)) = made.into_iter().next() else { bail!("{stack} was not built") };
                made.with_context(|| recipe.name.clone())?
            }
        };
        let first =
            built.layouts.as_ref().ok().and_then(|layouts| layouts.first()).filter(|_| layouts.is_some());
        if let Some(first) = first.cloned() {
            built.driver = first;
        }
        Ok(built)
    }
}

fn chooses_its_source(stack: &str) -> anyhow::Result<bool> {
    let spec = tlslab_recipe::Spec::parse(stack)?;
    Ok(spec.places().next().is_some())
}

fn recipe_of(index: &RecipeIndex, stack: &StackRecord) -> anyhow::Result<Recipe> {
    let identity = stack.identity.as_ref();
    let identity = identity.with_context(|| {
        format!("{}: its driver is recorded without the inputs of its build; start a new run", stack.name)
    })?;
    index.named(&identity.recipe).with_context(|| stack.name.clone())
}

/// A record and the current product of its recipe.
fn agrees(stack: &StackRecord, made: &BuiltStack) -> anyhow::Result<()> {
    let name = &stack.name;
    ensure!(
        Path::new(&stack.driver) == made.driver,
        "the driver of {name} is recorded as {}, but its recipe's is {}; start a new run",
        stack.driver,
        made.driver.display()
    );
    ensure!(
        stack.driver_digest == made.driver_digest,
        "the driver of {name} in the cache has another digest than the one that was recorded; start a new run"
    );
    ensure!(
        stack.environment == made.environment,
        "the driver of {name} is recorded with other variables than its recipe has; start a new run"
    );
    Ok(())
}
