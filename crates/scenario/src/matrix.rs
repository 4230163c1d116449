//! Requirement against capability: which scenarios a stack can do, and why it cannot do the others.

use tlslab_protocol::{Capabilities, Scenario, Work};

/// The reason why a stack cannot do a scenario, or `None` when it can.
///
/// The stack's own words where it gives any, else which requirement it does not meet.
pub fn hole(scenario: &Scenario, able: &Capabilities) -> Option<String> {
    let work = match scenario.work {
        Work::Handshake => "handshake",
        Work::Transfer { .. } => "transfer",
    };
    let needs = [
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
    ];
    let (axis, value, _) = needs.into_iter().find(|(.., met)| !met)?;
    Some(match able.reason(axis, &value) {
        Some(reason) => reason.to_owned(),
        None => format!("the stack does not offer {axis} {value}"),
    })
}
