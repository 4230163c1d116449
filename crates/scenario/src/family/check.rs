//! What a file may not ask for.

use tlslab_protocol::{
    Authentication, ContextUse, Group, ProtocolVersion, Resumption, Scenario, Sharing, Start, Work,
};

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
    if !matches!(scenario.work, Work::Handshake) {
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

/// How connections come about: what cannot go together.
pub fn course(scenario: &Scenario) -> Result<(), String> {
    let is_handshake = matches!(scenario.work, Work::Handshake);
    let is_full = is_handshake && scenario.resumption == Resumption::None;
    let anew = scenario.context == ContextUse::Fresh || scenario.start == Start::Cold;
    if anew && (!is_full || scenario.processors() > 1) {
        return Err(
            "context fresh and start cold: only a full handshake in one thread can have them".to_owned()
        );
    }
    if scenario.context == ContextUse::Fresh && scenario.start == Start::Cold {
        return Err("start cold: its contexts are fresh anyway; leave context out".to_owned());
    }
    if scenario.concurrent && (!is_handshake || scenario.threads > 1) {
        return Err("concurrent: only a handshake can have it, and with one thread a side".to_owned());
    }
    if !(1..=MOST_THREADS).contains(&scenario.threads) {
        return Err(format!("threads {}: from 1 to {MOST_THREADS}", scenario.threads));
    }
    if scenario.threads > 1 && scenario.resumption != Resumption::None && scenario.sharing == Sharing::Shared
    {
        let why =
            "a client's context remembers one session, which several threads would take from each other";
        return Err(format!("threads with resumption: {why}; set sharing to private"));
    }
    if scenario.threads == 1 && scenario.sharing == Sharing::Private {
        return Err("sharing private: one thread has nobody to share with; leave it out".to_owned());
    }
    Ok(())
}

const MOST_THREADS: u32 = 1024;

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
