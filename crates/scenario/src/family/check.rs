//! What a file may not ask for.

use tlslab_protocol::{Authentication, Group, ProtocolVersion, Resumption, Scenario, Work};

use super::written::{Axes, WorkKind, Write};

/// What cannot be, or what nobody could measure.
pub fn scenario(scenario: &Scenario) -> Result<(), String> {
    let Scenario { version, resumption, group, tickets, .. } = scenario;
    if *version == ProtocolVersion::TLS12
        && (*tickets > 1 || *tickets == 1 && *resumption != Resumption::Ticket)
    {
        return Err(format!("tickets {tickets}: TLS 1.2 has one where resumption is ticket, and else none"));
    }
    if *version == ProtocolVersion::TLS12 && [Group::X25519MLKEM768, Group::SECP256R1MLKEM768].contains(group)
    {
        return Err(format!("group {group}: TLS 1.2 has no group with ML-KEM"));
    }
    if *resumption == Resumption::None {
        return Ok(());
    }
    if matches!(scenario.work, Work::Transfer { .. }) {
        return Err(format!("resumption {resumption}: only a handshake can have it"));
    }
    if scenario.authentication == Authentication::Mutual {
        return Err(format!(
            "resumption {resumption}: a resumed handshake has no certificates; leave authentication out"
        ));
    }
    if *resumption == Resumption::SessionId && *version != ProtocolVersion::TLS12 {
        return Err(format!("resumption session-id: {version} has none; it has ticket"));
    }
    if *resumption == Resumption::Ticket && scenario.tickets == 0 {
        return Err("resumption ticket: the server has to send tickets; set the axis tickets to 1".to_owned());
    }
    Ok(())
}

/// Refuses a write that no driver would take.
pub fn write(write: &Write) -> Result<(), String> {
    if write.name.len() > 40 {
        return Err("a write's name is longer than 40 bytes".to_owned());
    }
    if write.bytes == 0 || write.bytes > 16 * 1024 * 1024 {
        return Err(format!("write \"{}\": bytes must be from 1 to 16777216", write.name));
    }
    if write.burst == 0 || write.burst > 1024 {
        return Err(format!("write \"{}\": burst must be from 1 to 1024", write.name));
    }
    Ok(())
}

/// What a kind of work needs, and what it cannot have.
pub fn axes(kind: WorkKind, axes: &Axes) -> Result<(), String> {
    let primitive = kind == WorkKind::Primitive;
    match axes.of_connections().into_iter().find(|(_, given)| *given == primitive) {
        None => Ok(()),
        Some((axis, true)) => Err(format!("a primitive has no axis {axis}; remove it")),
        Some((axis, false)) => Err(format!("missing field `{axis}` in the axes")),
    }
}
