//! The expectations: one file each.

mod equal_work;
mod looked;
mod one_speed;
mod peers;
mod record_version;
mod release;
mod resumption;
mod size;
#[cfg(test)]
pub(crate) mod testing;
mod time_per_instruction;

pub(crate) use looked::Looked;

use crate::observations::Observations;
use crate::releases::Releases;

/// Applies every rule.
pub(crate) fn look(observations: &Observations, releases: &[Releases]) -> Vec<Looked> {
    vec![
        equal_work::look(observations),
        time_per_instruction::look(observations),
        size::look(observations),
        record_version::look(observations),
        resumption::look(observations),
        one_speed::look(observations),
        release::look(releases),
        peers::look(observations),
    ]
}
