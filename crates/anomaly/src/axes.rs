//! A scenario as values on axes, so that scenarios that differ in one thing find each other.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_protocol::{Resumption, Scenario, Work};

/// A scenario's values by the names of its axes.
pub(crate) type Axes = BTreeMap<&'static str, String>;

/// The axes of a message's size.
pub(crate) const SIZES: [&str; 2] = ["write_bytes", "bytes"];

/// The values of a scenario. Burst length is not an axis: it is derived from the write size.
pub(crate) fn axes(scenario: &Scenario) -> Axes {
    let mut axes = Axes::new();
    let mut has = |axis: &'static str, value: &dyn ToString| {
        axes.insert(axis, value.to_string());
    };
    has("version", &scenario.version);
    has("signature", &scenario.signature);
    has("group", &scenario.group.short_name());
    // Suites of TLS 1.2 name the certificate and the exchange, too; other axes have those.
    has("suite", &scenario.suite.protection());
    has("verification", &scenario.verification);
    has("resumption", &scenario.resumption);
    has("authentication", &scenario.authentication);
    has("hello_retry", &scenario.hello_retry);
    has("early_data", &scenario.early_data);
    has("server_key_share", &scenario.server_key_share);
    has("context", &scenario.context);
    has("start", &scenario.start);
    has("transport", &scenario.transport);
    has("concurrent", &scenario.concurrent);
    has("threads", &scenario.threads);
    has("sharing", &scenario.sharing);
    has("rate", &scenario.rate);
    has("arrivals", &scenario.arrivals);
    has("chain", &scenario.chain);
    has("roots", &scenario.roots);
    has("defaults", &scenario.defaults);
    // A session that is resumed by ticket comes with another ticket: that is part of the resumption.
    if scenario.resumption == Resumption::None {
        has("tickets", &scenario.tickets);
    }
    has("work", &scenario.work.kind());
    match scenario.work {
        Work::Handshake => {}
        Work::Idle { connections } => has("connections", &connections),
        Work::Transfer { sender, write_bytes, connection, .. } => {
            has("sender", &sender);
            has("write_bytes", &write_bytes);
            has("connection", &connection.name());
        }
        Work::Exchange { write_bytes, .. } => has("write_bytes", &write_bytes),
        Work::Request { request_bytes, response_bytes } => {
            has("request_bytes", &request_bytes);
            has("response_bytes", &response_bytes);
        }
        Work::Primitive(primitive) => {
            has("operation", &primitive.operation);
            has("algorithm", &primitive.algorithm);
            has("bytes", &primitive.bytes);
            has("header_bytes", &primitive.header_bytes);
        }
    }
    axes
}

/// The same without an axis.
pub(crate) fn without(axes: &Axes, axis: &str) -> Axes {
    axes.iter().filter(|(name, _)| **name != axis).map(|(name, value)| (*name, value.clone())).collect()
}

/// Scenarios by their place that agree on everything but one axis: for each axis the groups of two and more.
pub(crate) fn families(scenarios: &[Scenario]) -> BTreeMap<&'static str, Vec<Vec<usize>>> {
    let all: Vec<Axes> = scenarios.iter().map(axes).collect();
    let names: BTreeSet<&'static str> = all.iter().flat_map(|axes| axes.keys().copied()).collect();
    let mut families = BTreeMap::new();
    for axis in names {
        let mut groups: BTreeMap<Axes, Vec<usize>> = BTreeMap::new();
        for (at, axes) in all.iter().enumerate().filter(|(_, axes)| axes.contains_key(axis)) {
            groups.entry(without(axes, axis)).or_default().push(at);
        }
        let several: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
        if !several.is_empty() {
            families.insert(axis, several);
        }
    }
    families
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{CipherSuite, Group, KeyType, ProtocolVersion, Scenario, Work};

    use super::*;

    #[test]
    fn scenarios_that_differ_in_one_thing_are_a_family() {
        let scenario = |group, suite| Scenario { group, suite, ..Scenario::plain(Work::Handshake) };
        let (aes, chacha) = (CipherSuite::AES_128_GCM, CipherSuite::CHACHA20_POLY1305);
        let all =
            [scenario(Group::X25519, aes), scenario(Group::SECP256R1, aes), scenario(Group::X25519, chacha)];
        let families = families(&all);
        assert_eq!(families.keys().copied().collect::<Vec<_>>(), ["group", "suite"]);
        assert_eq!(families["group"], [[0, 1]]);
        assert_eq!(families["suite"], [[0, 2]]);
    }

    #[test]
    fn a_suite_is_what_protects_the_data_in_either_version() {
        let of = |suite, version| Scenario { suite, version, ..Scenario::plain(Work::Handshake) };
        let (new, key, group) = (CipherSuite::AES_128_GCM, KeyType::EcdsaP256, Group::X25519);
        let old = new.counterpart(ProtocolVersion::TLS12, key, group).unwrap();
        let families = families(&[of(new, ProtocolVersion::TLS13), of(old, ProtocolVersion::TLS12)]);
        assert_eq!(families.keys().copied().collect::<Vec<_>>(), ["version"]);
    }

    #[test]
    fn how_often_the_clock_is_read_makes_no_other_work() {
        let of = |write_bytes, burst| Scenario::plain(Work::Exchange { write_bytes, burst });
        assert_eq!(families(&[of(1, 64), of(1024, 8)])["write_bytes"], [[0, 1]]);
    }
}
