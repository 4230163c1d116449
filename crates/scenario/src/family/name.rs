//! A scenario's name, made from its file's template.

use tlslab_protocol::{Scenario, Work};

/// Replaces a name's placeholders.
pub(super) fn name(template: &str, scenario: &Scenario, write: &str) -> Result<String, String> {
    if template.len() > 400 {
        return Err("name: the template is longer than 400 bytes".to_owned());
    }
    let mut name = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (axis, after) =
            after.split_once('}').ok_or_else(|| format!("name: \"{template}\" has a {{ without a }}"))?;
        name.push_str(before);
        name.push_str(&value(axis, scenario, write)?);
        rest = after;
    }
    name.push_str(rest);
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-+._/".contains(letter);
    if name.is_empty() || name.len() > 200 || !name.chars().all(allowed) {
        return Err(format!("name: \"{name}\" must have 1 to 200 letters, digits or any of - + . _ /"));
    }
    Ok(name)
}

fn value(axis: &str, scenario: &Scenario, write: &str) -> Result<String, String> {
    Ok(match (axis, &scenario.work) {
        ("operation", Work::Primitive(primitive)) => primitive.operation.to_string(),
        ("algorithm", Work::Primitive(primitive)) => primitive.algorithm.to_string(),
        ("message", Work::Primitive(_)) => write.to_owned(),
        ("header_bytes", Work::Primitive(primitive)) => primitive.header_bytes.to_string(),
        ("version", _) => scenario.version.short_name().into_owned(),
        ("signature", _) => scenario.signature.to_string(),
        ("group", _) => scenario.group.short_name().into_owned(),
        ("suite", _) => scenario.suite.protection().into_owned(),
        ("verification", _) => scenario.verification.to_string(),
        ("resumption", _) => scenario.resumption.to_string(),
        ("authentication", _) => scenario.authentication.to_string(),
        ("context", _) => scenario.context.to_string(),
        ("start", _) => scenario.start.to_string(),
        ("transport", _) => scenario.transport.to_string(),
        ("hello_retry", _) => if scenario.hello_retry { "hello-retry" } else { "direct" }.to_owned(),
        ("concurrent", _) => if scenario.concurrent { "concurrent" } else { "in-turn" }.to_owned(),
        ("threads", _) => scenario.threads.to_string(),
        ("sharing", _) => scenario.sharing.to_string(),
        ("rate", _) => scenario.rate.to_string(),
        ("arrivals", _) => scenario.arrivals.to_string(),
        ("chain", _) => scenario.chain.to_string(),
        ("roots", _) => scenario.roots.to_string(),
        ("defaults", _) => if scenario.defaults { "defaults" } else { "pinned" }.to_owned(),
        ("tickets", _) => scenario.tickets.to_string(),
        ("early_data", _) => scenario.early_data.to_string(),
        ("server_key_share", _) => scenario.server_key_share.to_string(),
        ("sender", Work::Transfer { sender, .. }) => sender.to_string(),
        ("connection", Work::Transfer { connection, .. }) => connection.name().to_owned(),
        ("write", Work::Transfer { .. } | Work::Exchange { .. }) => write.to_owned(),
        ("request_bytes", Work::Request { request_bytes, .. }) => request_bytes.to_string(),
        ("response_bytes", Work::Request { response_bytes, .. }) => response_bytes.to_string(),
        ("held", Work::Idle { connections }) => connections.to_string(),
        _ => return Err(format!("name: there is no axis \"{axis}\" to fill in")),
    })
}
