//! The fingerprint of a machine, and its disturbances of a measurement.
//!
//! A run carries the [`Fingerprint`] of its host, so that only comparable figures are compared. Two
//! [`Readings`] some time apart give the [`Disturbance`] of that time; before a run [`check`] turns both into
//! [`Warning`]s with remedies, and [`measurement_cpus`] chooses the CPUs of the lab and the driver.
//!
//! Everything comes from files under a root: `/` on a real machine, a folder of made-up files in a test. An
//! item that a host does not show is `None`; nothing is guessed, and no content of a file can make these
//! functions fail. This crate writes nothing, starts nothing and never waits.

mod cpu;
mod cpu_list;
mod disturbance;
mod fingerprint;
mod load;
mod pinning;
mod power;
mod preflight;
mod processes;
mod readings;
mod system;
mod topology;
mod tree;
mod tuning;
mod virtualisation;
mod warning;

pub use cpu::Cpu;
pub use cpu_list::parse_cpu_list;
pub use disturbance::{CpuSteal, Disturbance};
pub use fingerprint::Fingerprint;
pub use load::LoadAverages;
pub use pinning::{MeasurementCpus, measurement_cpus, usable_cpus};
pub use preflight::{check, is_stable_clock};
pub use readings::{CpuTimes, Readings};
pub use system::System;
pub use topology::{Smt, Topology, share_a_core};
pub use tuning::{AddressRandomisation, Counters, Tuning, Turbo, TurboKnob};
pub use virtualisation::{Virtualisation, VirtualisationKind};
pub use warning::{Cause, Warning};
