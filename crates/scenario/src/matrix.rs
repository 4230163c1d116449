//! Requirements against capabilities: which scenarios a stack supports, and why it does not support the
//! others.

use tlslab_protocol::{
    Algorithm, Authentication, Capabilities, Operation, ProtocolVersion, Resumption, Scenario,
    ServerKeyShare, Work,
};

/// The default reason of a stack without roots in a file.
const NO_FILE_OF_ROOTS: &str = "its driver has no call that reads roots from a file";

/// The default reason of a stack that is always configured.
const NO_DEFAULTS: &str = "its driver cannot leave the library at its defaults yet";

/// One value of one axis, and whether a stack supports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The axis, as limits name it.
    pub axis: &'static str,
    /// The value, as scenario files write it.
    pub value: String,
    /// Whether the stack claims it.
    pub met: bool,
    /// The stack's reason, if it does not.
    pub reason: Option<String>,
}

/// All requirements of a scenario.
pub fn claims(scenario: &Scenario, able: &Capabilities) -> Vec<Claim> {
    let claim = |(axis, value, met): (&'static str, String, bool)| {
        let reason = (!met).then(|| reason(scenario, able, axis, &value)).flatten();
        Claim { axis, value, met, reason }
    };
    let work = scenario.work.kind();
    let of_work = ("work", work.to_owned(), able.works.iter().any(|kind| kind == work));
    if let Work::Primitive(primitive) = &scenario.work {
        let pair = primitive.pair();
        let met = able.primitives.contains(&pair);
        // A stack without primitives has one reason for all of them.
        let of_pair = of_work.2.then_some(("primitive", pair, met));
        return [of_rate(scenario, able), Some(of_work), of_pair].into_iter().flatten().map(claim).collect();
    }
    let mut asked: Vec<(&str, String, bool)> = of_rate(scenario, able).into_iter().collect();
    asked.extend([
        of_work,
        ("defaults", "true".to_owned(), !scenario.defaults || able.defaults),
        ("version", scenario.version.short_name().into_owned(), able.versions.contains(&scenario.version)),
        ("signature", scenario.signature.to_string(), able.signatures.contains(&scenario.signature)),
        ("group", scenario.group.short_name().into_owned(), able.groups.contains(&scenario.group)),
        ("suite", scenario.suite.short_name().into_owned(), able.suites.contains(&scenario.suite)),
        (
            "verification",
            scenario.verification.to_string(),
            able.verification.contains(&scenario.verification),
        ),
        (
            "authentication",
            scenario.authentication.to_string(),
            scenario.authentication == Authentication::Server || able.mutual_authentication,
        ),
    ]);
    // With its defaults a library decides these.
    asked.retain(|(axis, ..)| match *axis {
        "version" | "group" | "suite" => !scenario.defaults,
        "defaults" => scenario.defaults,
        _ => true,
    });
    // A resumed handshake has no certificates.
    if scenario.resumption == Resumption::None {
        asked.push(("chain", scenario.chain.to_string(), !able.sends_leaf_alone || scenario.chain <= 2));
    }
    if scenario.processors() > 1 {
        asked.push(("threads", "several".to_owned(), able.threads));
    }
    if scenario.resumption != Resumption::None {
        let wanted = (scenario.version, scenario.resumption);
        let value = format!("{}/{}", scenario.version.short_name(), scenario.resumption);
        let met = able.resumption.iter().any(|kind| kind.parts() == wanted);
        // TLS 1.2 has separate cipher suites for external PSKs; a stack without external PSKs does not need
        // them.
        if !met && scenario.suite.is_by_psk() {
            asked.retain(|(axis, ..)| *axis != "suite");
        }
        asked.push(("resumption", value, met));
    }
    // In TLS 1.2 a ticket is part of its handshake.
    if scenario.version == ProtocolVersion::TLS13 {
        asked.push(("tickets", scenario.tickets.to_string(), scenario.tickets <= able.max_tickets));
    }
    if let Some(other) = scenario.retry_group() {
        asked.push(("group", other.short_name().into_owned(), able.groups.contains(&other)));
        asked.push(("hello_retry", "true".to_owned(), able.hello_retry));
    }
    if scenario.early_data > 0 {
        let met = scenario.early_data <= able.max_early_data;
        asked.push(("early_data", scenario.early_data.to_string(), met));
    }
    if scenario.roots > 0 {
        asked.push(("roots", scenario.roots.to_string(), able.reads_roots));
    }
    if scenario.server_key_share == ServerKeyShare::Pregenerated {
        let value = scenario.server_key_share.to_string();
        asked.push(("server_key_share", value, able.pregenerated_key_shares));
    }
    asked.into_iter().map(claim).collect()
}

/// Arrivals, if the scenario has any.
fn of_rate(scenario: &Scenario, able: &Capabilities) -> Option<(&'static str, String, bool)> {
    let met = able.open_loop && scenario.lacks_open_loop().is_none();
    (scenario.rate > 0).then(|| ("rate", scenario.rate.to_string(), met))
}

/// A stack's own reason. If it lacks a version, it need not list the version's suites and sessions as well.
fn reason(scenario: &Scenario, able: &Capabilities, axis: &str, value: &str) -> Option<String> {
    let of_version = || {
        let belongs = matches!(axis, "suite" | "resumption") && !able.versions.contains(&scenario.version);
        belongs.then(|| able.reason("version", &scenario.version.short_name())).flatten()
    };
    // Likewise the operations of a missing algorithm.
    let of_algorithm = || {
        let Work::Primitive(primitive) = scenario.work else { return None };
        if let Some(reason) = able.reason("primitive", primitive.operation.name()) {
            return Some(reason);
        }
        if !Operation::OF_TLS.contains(&primitive.operation) {
            return Some("its driver has no loop over a language's own interface");
        }
        let axis = match primitive.algorithm {
            Algorithm::Hash(_) => return None,
            Algorithm::Aead(_) => "suite",
            Algorithm::Signature(_) => "signature",
            Algorithm::Group(_) => "group",
        };
        able.reason(axis, &primitive.algorithm.name())
    };
    let of_rate = || {
        let reason = scenario.lacks_open_loop().unwrap_or("its driver has no loop over arrivals");
        (axis == "rate").then_some(reason)
    };
    let of_roots = || (axis == "roots").then_some(NO_FILE_OF_ROOTS);
    let of_defaults = || (axis == "defaults").then_some(NO_DEFAULTS);
    let reason = able.reason(axis, value).or_else(of_version).or_else(of_rate).or_else(of_roots);
    let reason = reason.or_else(of_defaults);
    let reason = reason.or_else(of_algorithm);
    reason.map(str::to_owned)
}

/// The reason why a stack does not support a scenario, or `None` if it does.
///
/// The stack's own reason if it gives one, else the unmet requirement.
pub fn hole(scenario: &Scenario, able: &Capabilities) -> Option<String> {
    let Claim { axis, value, reason, .. } = claims(scenario, able).into_iter().find(|claim| !claim.met)?;
    Some(reason.unwrap_or_else(|| format!("the stack does not offer {axis} {value}")))
}
