//! Requirement against capability: which scenarios a stack can do, and why it cannot do the others.

use tlslab_protocol::{Capabilities, Scenario, Work};

/// One value of one axis, and whether a stack can do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The axis, as limits name it.
    pub axis: &'static str,
    /// The value, as scenario files write it.
    pub value: String,
    /// Whether the stack says that it can.
    pub met: bool,
    /// Why not, where the stack gives a reason.
    pub reason: Option<String>,
}

/// Everything that a scenario asks of a stack.
pub fn claims(scenario: &Scenario, able: &Capabilities) -> [Claim; 7] {
    let work = match scenario.work {
        Work::Handshake => "handshake",
        Work::Transfer { .. } => "transfer",
    };
    [
        ("work", work.to_owned(), able.works.iter().any(|kind| kind == work)),
        ("version", scenario.version.short_name().into_owned(), able.versions.contains(&scenario.version)),
        ("signature", scenario.signature.to_string(), able.signatures.contains(&scenario.signature)),
        ("group", scenario.group.short_name().into_owned(), able.groups.contains(&scenario.group)),
        ("suite", scenario.suite.short_name().into_owned(), able.suites.contains(&scenario.suite)),
        (
            "verification",
            scenario.verification.to_string(),
            able.verification.contains(&scenario.verification),
        ),
        ("tickets", scenario.tickets.to_string(), scenario.tickets <= able.max_tickets),
    ]
    .map(|(axis, value, met)| {
        let reason = (!met).then(|| able.reason(axis, &value).map(str::to_owned));
        Claim { axis, value, met, reason: reason.flatten() }
    })
}

/// The reason why a stack cannot do a scenario, or `None` when it can.
///
/// The stack's own words where it gives any, else which requirement it does not meet.
pub fn hole(scenario: &Scenario, able: &Capabilities) -> Option<String> {
    let Claim { axis, value, reason, .. } = claims(scenario, able).into_iter().find(|claim| !claim.met)?;
    Some(reason.unwrap_or_else(|| format!("the stack does not offer {axis} {value}")))
}
