//! What a reader must know of how stacks were built.

use crate::{Plan, StackRecord};

impl Plan {
    /// What a reader must know of how its stacks were built.
    pub fn build_notes(&self) -> Vec<String> {
        let of = |stack: &StackRecord| -> Vec<String> {
            let notes = stack.identity.iter().flat_map(|identity| identity.notes());
            notes.map(|note| format!("{}: {note}", stack.name)).collect()
        };
        self.stacks.iter().flat_map(of).collect()
    }
}
