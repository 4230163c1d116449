//! The evictor: a defined neighbour that uses the processor between two turns of a stack.
//!
//! It writes to every cache line of a buffer and runs code with branches that depend on data. This evicts the
//! stack's contents of caches, translation buffers and branch predictors, as far as those sizes reach. It
//! measures nothing.

mod code;
mod data;
mod serve;

pub use code::CODE_BYTES;
pub use data::DATA_BYTES;
pub use serve::serve;

/// The work between two turns.
pub struct Evictor {
    data: data::Data,
    state: u64,
}

impl Default for Evictor {
    fn default() -> Self {
        Self { data: data::Data::new(), state: 0x9e37_79b9_7f4a_7c15 }
    }
}

impl Evictor {
    /// Goes through the data once and through the code once.
    pub fn evict(&mut self) {
        self.state = self.state.wrapping_add(self.data.touch());
        self.state = code::run(self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_all_of_it_is_gone_through() {
        let mut evictor = Evictor::default();
        let before = evictor.state;
        evictor.evict();
        let after = evictor.state;
        evictor.evict();
        assert!(before != after && after != evictor.state);
    }
}
