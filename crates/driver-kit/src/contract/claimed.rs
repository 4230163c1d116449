//! Checks that an endpoint has claimed the kind of work. An endpoint that does not know a scenario's field
//! would ignore it and do other work than requested, so the kit refuses what is not claimed.

use tlslab_protocol::{
    Capabilities, ContextUse, ProtocolVersion, Resumption, Scenario, ServerKeyShare, Start,
};

use super::endpoint::NO_CLOSE;
use crate::Unready;

/// Refuses a scenario that needs more than full and resumed handshakes, unless the endpoint claims it.
pub(crate) fn check(scenario: &Scenario, able: &Capabilities) -> Result<(), Unready> {
    let resumption = match scenario.resumption {
        Resumption::None | Resumption::Ticket => None,
        Resumption::SessionId if scenario.version == ProtocolVersion::TLS12 => None,
        other => Some(format!("{}/{other}", scenario.version.short_name())),
    };
    let pregenerated = scenario.server_key_share == ServerKeyShare::Pregenerated;
    if scenario.concurrent && scenario.early_data > 0 {
        return Err(Unready::Failed("early data is not for sides that run at once".to_owned()));
    }
    if let Some(reason) = scenario.lacks_open_loop().filter(|_| scenario.rate > 0) {
        return Err(Unready::Unsupported(reason.to_owned()));
    }
    if scenario.work.closes() {
        closes(scenario, able)?;
    }
    let is_plain = resumption.is_none() && !scenario.hello_retry && scenario.early_data == 0 && !pregenerated;
    if is_plain && scenario.roots == 0 && !scenario.defaults {
        return Ok(());
    }
    let refuse = |axis: &str, value: String| {
        let reason = able.reason(axis, &value).map(str::to_owned);
        Unready::Unsupported(reason.unwrap_or_else(|| format!("the driver does not offer {axis} {value}")))
    };
    if let Some(value) = resumption {
        let wanted = (scenario.version, scenario.resumption);
        if !able.resumption.iter().any(|kind| kind.parts() == wanted) {
            return Err(refuse("resumption", value));
        }
    }
    if scenario.hello_retry && !able.hello_retry {
        return Err(refuse("hello_retry", "true".to_owned()));
    }
    if scenario.early_data > able.max_early_data {
        return Err(refuse("early_data", scenario.early_data.to_string()));
    }
    if scenario.defaults && !able.defaults {
        return Err(refuse("defaults", "true".to_owned()));
    }
    if scenario.roots > 0 && !able.reads_roots {
        return Err(refuse("roots", scenario.roots.to_string()));
    }
    if pregenerated && !able.pregenerated_key_shares {
        return Err(refuse("server_key_share", scenario.server_key_share.to_string()));
    }
    Ok(())
}

/// Refuses a short connection of an endpoint that does not close, or with options that the kit's loop over
/// short connections lacks.
fn closes(scenario: &Scenario, able: &Capabilities) -> Result<(), Unready> {
    let kind = scenario.work.kind();
    if !able.works.iter().any(|work| work == kind) {
        let reason = able.reason("work", kind).unwrap_or(NO_CLOSE);
        return Err(Unready::Unsupported(reason.to_owned()));
    }
    let option = match scenario {
        _ if scenario.concurrent => "concurrent",
        _ if scenario.start == Start::Cold => "start cold",
        _ if scenario.context == ContextUse::Fresh => "context fresh",
        _ => return Ok(()),
    };
    Err(Unready::Failed(format!("{option}: only a handshake can have it, not a short connection")))
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{Limit, ResumptionKind, Work};

    use super::*;

    fn scenario(more: &str) -> Scenario {
        let text = format!(
            r#"{{"name":"n","work":{{"kind":"handshake"}},"version":"TLSv1.3","signature":"ecdsa-p256",
            "group":"x25519","suite":"TLS_AES_128_GCM_SHA256","verification":"none"{more}}}"#
        );
        tlslab_protocol::decode_line(&text).unwrap()
    }

    fn said(more: &str, able: Capabilities) -> String {
        match check(&scenario(more), &able) {
            Ok(()) => String::new(),
            Err(Unready::Unsupported(reason) | Unready::Failed(reason)) => reason,
        }
    }

    #[test]
    fn what_is_not_claimed_is_unsupported_with_the_drivers_reason() {
        let none = Capabilities::default;
        assert_eq!(said("", none()), "");
        assert_eq!(said(r#","resumption":"ticket""#, none()), "", "endpoints refuse this");
        assert_eq!(said(r#","hello_retry":true"#, none()), "the driver does not offer hello_retry true");
        let by_name = r#","resumption":"session-id""#;
        assert_eq!(said(by_name, none()), "the driver does not offer resumption 1.3/session-id");
        let psk = r#","resumption":"external-psk-only""#;
        assert_eq!(said(psk, none()), "the driver does not offer resumption 1.3/external-psk-only");
        let able = Capabilities { resumption: vec![ResumptionKind::ExternalPskOnly13], ..none() };
        assert_eq!(said(psk, able), "");
        let pregenerated = r#","server_key_share":"pregenerated""#;
        assert_eq!(said(pregenerated, none()), "the driver does not offer server_key_share pregenerated");
        let limits =
            vec![Limit { axis: "early_data".into(), value: "any".into(), reason: "it has none".into() }];
        assert_eq!(said(r#","roots":140"#, none()), "the driver does not offer roots 140");
        assert_eq!(said(r#","roots":140"#, Capabilities { reads_roots: true, ..none() }), "");
        assert_eq!(said(r#","defaults":true"#, none()), "the driver does not offer defaults true");
        assert_eq!(said(r#","defaults":true"#, Capabilities { defaults: true, ..none() }), "");
        let able = |max_early_data| Capabilities { max_early_data, limits: limits.clone(), ..none() };
        let closes = |more: &str, works: &[&str]| {
            let able = Capabilities { works: works.iter().map(ToString::to_string).collect(), ..none() };
            let work = Work::Request { request_bytes: 1, response_bytes: 1 };
            match check(&Scenario { work, ..scenario(more) }, &able) {
                Ok(()) => String::new(),
                Err(Unready::Unsupported(reason) | Unready::Failed(reason)) => reason,
            }
        };
        assert_eq!(closes("", &["handshake"]), NO_CLOSE);
        assert_eq!(closes("", &["request"]), "");
        assert!(closes(r#","concurrent":true"#, &["request"]).starts_with("concurrent: "));
        assert_eq!(said(r#","early_data":100"#, able(99)), "it has none");
        assert_eq!(said(r#","early_data":100"#, able(100)), "");
    }
}
