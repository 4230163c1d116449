//! The client of one stack against the server of another.
//!
//! In a round each stack has one process, which is the client of all servers and the server of all clients. All of them
//! run on the drivers' one CPU, and never two at once: a driver that was not asked waits for its input.

mod ending;
mod prove;
mod relay;
mod visit;

use std::collections::HashMap;

use tlslab_record::PairProof;

/// Connections that go through their steps together. With eight or sixteen, a stack against itself takes at most a tenth
/// more than in the kit's own loop. One at a time pays for cold caches, and 64 for their working set: up to a fifth.
pub(crate) const TOGETHER: u32 = 8;

/// What was decided of each pair: (scenario, client, server).
pub(crate) type Pairs = HashMap<(usize, usize, usize), PairProof>;
