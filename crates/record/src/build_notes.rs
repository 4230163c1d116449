//! Notes for readers on the builds of stacks.

use crate::{Plan, StackRecord};

impl Plan {
    /// Notes for readers on the builds of its stacks.
    pub fn build_notes(&self) -> Vec<String> {
        let of = |stack: &StackRecord| -> Vec<String> {
            let notes = stack.identity.iter().flat_map(|identity| identity.notes());
            notes.map(|note| format!("{}: {note}", stack.name)).collect()
        };
        self.stacks.iter().flat_map(of).collect()
    }
}
