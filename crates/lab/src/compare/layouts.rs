//! Programs of stacks with other code layouts, built when a stage needs them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tlslab_build::BuiltLayouts;
use tlslab_recipe::{Layouts, Recipe};

use crate::session::workshop::Workshop;

/// The stacks of a comparison.
pub struct Programs<'s> {
    /// The workshop that builds them.
    pub workshop: &'s Workshop<'s>,
    /// Per stack, its recipe; `None` if it was not built.
    pub recipes: Vec<Option<Recipe>>,
    /// Per stack, the random order of its first layout: two stacks with one program and one first order are
    /// identical.
    pub first: Vec<u32>,
    /// Whether any are made.
    pub moves: bool,
}

/// The code layouts of each stack, round by round.
pub trait Places {
    /// Per stack, `count` programs with other code layouts, from the `from`th on. A stack without layouts
    /// uses its own program.
    fn layouts(&self, from: u32, count: u32) -> anyhow::Result<Vec<Vec<PathBuf>>>;
    /// Whether the kernel also randomises addresses for each process.
    fn moves(&self) -> bool;
}

impl Places for Programs<'_> {
    fn layouts(&self, from: u32, count: u32) -> anyhow::Result<Vec<Vec<PathBuf>>> {
        Ok(self.built(from, count)?.into_iter().map(Result::unwrap_or_default).collect())
    }

    fn moves(&self) -> bool {
        self.moves
    }
}

impl Programs<'_> {
    /// With so many more stacks, each of which has only its own program.
    #[must_use]
    pub fn beside(mut self, more: usize) -> Self {
        self.recipes.extend((0..more).map(|_| None));
        self.first.extend((0..more).map(|_| 0));
        self
    }

    /// Per stack, its layouts or the reason why it has none.
    pub fn built(&self, from: u32, count: u32) -> anyhow::Result<Vec<BuiltLayouts>> {
        let mut found = vec![Ok(Vec::new()); self.recipes.len()];
        if !self.moves || count == 0 {
            return Ok(found);
        }
        let mut by_first: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (stack, first) in self.first.iter().enumerate() {
            by_first.entry(*first).or_default().push(stack);
        }
        for (first, stacks) in by_first {
            let wanted: Vec<(usize, Recipe)> = stacks
                .into_iter()
                .filter_map(|stack| {
                    let recipe = self.recipes[stack].clone()?;
                    Some((stack, recipe.with_layouts(Layouts::new(first + from, count))))
                })
                .collect();
            let recipes: Vec<&Recipe> = wanted.iter().map(|(_, recipe)| recipe).collect();
            let built = self.workshop.build(&recipes)?;
            for (stack, recipe) in &wanted {
                found[*stack] = match &built[&recipe.name] {
                    Ok(built) => built.layouts.clone(),
                    Err(failure) => Err(format!("its layouts could not be built: {failure}")),
                };
            }
        }
        Ok(found)
    }
}
