//! A stack as it took part in a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_protocol::{Calibration, Capabilities, Description};

use crate::{StackIdentity, tolerant};

/// The recipe's name in the name of a stack or of a series: `rustls/ring` of `rustls/ring@0.23.29+lto`.
#[must_use]
pub fn library(stack: &str) -> &str {
    stack.split(['+', '@', ',']).next().unwrap_or(stack)
}

/// Whether all of these stacks are versions and builds of one library.
#[must_use]
pub fn is_one_library<'s>(stacks: impl IntoIterator<Item = &'s str>) -> bool {
    let mut libraries = stacks.into_iter().map(library);
    libraries.next().is_none_or(|first| libraries.all(|other| other == first))
}

/// One library at one version in one build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackRecord {
    /// Its name in the request.
    pub name: String,
    /// The recipe's title.
    pub title: String,
    /// Its licence, SPDX.
    pub licence: String,
    /// Source, flags, compiler and digests; `None` if it was not built.
    #[serde(default, deserialize_with = "tolerant")]
    pub identity: Option<StackIdentity>,
    /// SHA-256 of the driver program, hex.
    pub driver_digest: String,
    /// The path of the driver program.
    pub driver: String,
    /// Variables of its driver, beyond those of every driver.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether it took part.
    pub state: StackState,
}

impl StackRecord {
    /// Its capabilities; `None` if its driver did not answer.
    pub fn able(&self) -> Capabilities {
        match &self.state {
            StackState::Ready(description) => description.capabilities.clone(),
            StackState::Failed(_) => Capabilities::default(),
        }
    }

    /// Whether its cryptography does nothing: then it is no library that others could lose to.
    pub fn protects_nothing(&self) -> bool {
        matches!(&self.state, StackState::Ready(it) if it.capabilities.protects_nothing)
    }
}

/// Whether a stack could take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackState {
    /// Its driver answered.
    Ready(Box<Description>),
    /// It was not built, or its driver did not answer.
    Failed(String),
}

/// Harness overhead, measured in one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overhead {
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The round of the process.
    pub round: u32,
    /// The figures.
    pub calibration: Calibration,
    /// One request and its reply over the pipe, ns. It is outside of every clock.
    pub round_trip_ns: f64,
}
