//! A rule of a filter.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// All of these conditions: an argument's index, the comparison, and its operand. The kernel compares the
/// lower half of each.
pub(crate) fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, String> {
    let conditions = conditions.iter().map(|(argument, operator, value)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    let conditions = conditions.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    SeccompRule::new(conditions).map_err(|error| error.to_string())
}
