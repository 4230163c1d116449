//! The client of one stack against the server of another.
//!
//! In a round each stack has one process, which is the client of all servers and the server of all clients.
//! All of them run on the drivers' one CPU, and never two at once: a driver without a request waits for its
//! input.

mod ending;
mod prove;
mod relay;
mod visit;

use std::collections::HashMap;

use tlslab_record::PairProof;

/// Connections that go through their steps together, which are one slice. Each request begins with a warm-up,
/// so more connections cost less each; 64 have a larger working set, which costs up to a fifth of their time.
pub(crate) const TOGETHER: u32 = 16;

/// The decision for each pair: (scenario, client, server).
pub(crate) type Pairs = HashMap<(usize, usize, usize), PairProof>;
