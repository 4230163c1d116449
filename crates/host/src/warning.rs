//! Warnings of the preflight.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A disturbance of a measurement; its text is one line.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The subject.
    pub what: Cause,
    /// The observation, with its figure, and why it disturbs.
    pub measured: String,
    /// The remedy, with the exact command if there is one.
    pub advice: String,
}

/// Kinds of disturbance.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Lab and driver share the only CPU.
    OneCpu,
    /// A clock that is slow to read or does not tick evenly.
    Clocksource,
    /// A frequency governor that follows the load.
    Governor,
    /// A clock that rises while the processor is cool.
    Turbo,
    /// Cores shared by two CPUs.
    Smt,
    /// No mains power.
    Battery,
    /// More waiting work than the cores should have.
    Load,
    /// Another process that is using the processor now.
    BusyProcess,
    /// A hypervisor that runs other machines meanwhile.
    Steal,
    /// Hardware counters that cannot be read.
    Counters,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.what, self.measured, self.advice)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneCpu => "one CPU",
            Self::Clocksource => "clock source",
            Self::Governor => "governor",
            Self::Turbo => "turbo",
            Self::Smt => "SMT",
            Self::Battery => "battery",
            Self::Load => "load",
            Self::BusyProcess => "busy process",
            Self::Steal => "steal",
            Self::Counters => "hardware counters",
        })
    }
}
