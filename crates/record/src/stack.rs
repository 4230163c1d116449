//! A stack as it took part in a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_protocol::{Calibration, Capabilities, Description};

use crate::{StackIdentity, tolerant};

/// One library at one version in one build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackRecord {
    /// The name it was asked for by.
    pub name: String,
    /// The recipe's title.
    pub title: String,
    /// Its licence, SPDX.
    pub licence: String,
    /// Source, flags, compiler and digests; nothing of a stack that was not built.
    #[serde(default, deserialize_with = "tolerant")]
    pub identity: Option<StackIdentity>,
    /// SHA-256 of the driver program, hex.
    pub driver_digest: String,
    /// Where the driver program was.
    pub driver: String,
    /// Variables that its driver runs with, beyond those of every driver.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether it took part.
    pub state: StackState,
}

impl StackRecord {
    /// What it can do; nothing where its driver did not answer.
    pub fn able(&self) -> Capabilities {
        match &self.state {
            StackState::Ready(description) => description.capabilities.clone(),
            StackState::Failed(_) => Capabilities::default(),
        }
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

/// What measuring cost in one process, measured there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overhead {
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The round whose process it was.
    pub round: u32,
    /// The figures.
    pub calibration: Calibration,
    /// One request and its reply over the pipe, ns. It lies outside every clock.
    pub round_trip_ns: f64,
}
