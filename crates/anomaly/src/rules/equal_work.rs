//! Sides, and operations, that do the same work cost the same.
//!
//! With an external PSK no certificate is sent or verified: both sides make a key pair, agree on a secret,
//! derive keys and check a Finished. In an exchange each side sends what the other receives. Sealing and
//! opening apply the same cipher and the same authenticator to the same bytes.

use std::collections::BTreeMap;

use tlslab_estimate::Whose;
use tlslab_protocol::{Operation, Primitive, Scenario, ServerKeyShare, Start, Transport, Work};

use super::looked::{Comparison, Looked, evidence, noise_of, times};
use crate::anomaly::Rule;
use crate::axes::{Axes, axes, without};
use crate::observations::{Observations, Place, whose};

/// Remaining differences: who speaks first, lookups, a comparison of tags.
const ALLOWED: f64 = 1.35;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::EqualWork);
    let openings = openings(observations);
    for (place, _) in observations.all() {
        let scenario = observations.scenario(place);
        if place.side == Whose::Client && has_equal_sides(scenario) {
            let both = [place, Place { side: Whose::Server, ..place }];
            let subject = match scenario.work {
                Work::Exchange { .. } => "the sides of an exchange".to_owned(),
                _ => format!("the sides of a handshake by {}", scenario.resumption),
            };
            judge(&mut looked, observations, both, subject);
        }
        if let Work::Primitive(primitive @ Primitive { operation: Operation::AeadSeal, .. }) = scenario.work
            && let Some(open) = openings.get(&without(&axes(scenario), "operation"))
        {
            let other = Place { scenario: *open, side: whose(Operation::AeadOpen.side()), ..place };
            judge(
                &mut looked,
                observations,
                [place, other],
                format!("sealing and opening {}", primitive.algorithm),
            );
        }
    }
    looked
}

/// Whether both sides do the same work by construction.
fn has_equal_sides(scenario: &Scenario) -> bool {
    let is_plain = scenario.transport == Transport::Memory
        && scenario.start == Start::Warm
        && !scenario.concurrent
        && scenario.threads == 1;
    let is_by_psk = scenario.work == Work::Handshake
        && scenario.resumption.is_external_psk()
        && scenario.server_key_share == ServerKeyShare::Fresh
        && !scenario.hello_retry
        && scenario.early_data == 0
        && scenario.tickets == 0;
    is_plain && (is_by_psk || matches!(scenario.work, Work::Exchange { .. }))
}

/// The scenarios that open, by what they open.
fn openings(observations: &Observations) -> BTreeMap<Axes, usize> {
    let opens = |scenario: &&Scenario| {
        matches!(scenario.work, Work::Primitive(Primitive { operation: Operation::AeadOpen, .. }))
    };
    let all = observations.scenarios().iter().enumerate().filter(|(_, scenario)| opens(scenario));
    all.map(|(at, scenario)| (without(&axes(scenario), "operation"), at)).collect()
}

fn judge(looked: &mut Looked, observations: &Observations, pair: [Place; 2], subject: String) {
    let (Some(first), Some(second)) = (observations.get(pair[0]), observations.get(pair[1])) else { return };
    let [more, less] = if first.value >= second.value { pair } else { [pair[1], pair[0]] };
    let distance = (first.ln() - second.ln()).abs();
    let name = |place: Place| match observations.scenario(place).work {
        Work::Primitive(primitive) => primitive.operation.to_string(),
        _ => place.side.to_string(),
    };
    looked.judge(Comparison {
        cell: observations.cell(more),
        subject,
        expected: format!("the same work: at most {ALLOWED} times the other"),
        found: format!(
            "{} {} against {} {}: {}",
            name(more),
            observations.text(more),
            name(less),
            observations.text(less),
            times(distance)
        ),
        distance,
        allowed: ALLOWED.ln(),
        noise: noise_of(first, second),
        evidence: evidence(observations, &[more, less]),
    });
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{Resumption, Side};

    use super::*;
    use crate::rules::testing::Model;

    fn by_psk() -> Scenario {
        Scenario { resumption: Resumption::ExternalPsk, ..Scenario::plain(Work::Handshake) }
    }

    #[test]
    fn a_side_that_takes_twice_as_long_for_the_same_work_is_found() {
        let mut model = Model::default();
        // Published figures of two libraries on a processor on which one of them left registers in a slow
        // state.
        let scenario = model.scenario("psk", by_psk());
        model.time("slow", scenario, Whose::Client, 514.0, 0.01);
        model.time("slow", scenario, Whose::Server, 968.3, 0.01);
        model.time("even", scenario, Whose::Client, 500.0, 0.01);
        model.time("even", scenario, Whose::Server, 510.0, 0.01);
        let looked = look(&model.observations);
        assert_eq!(looked.compared, 2);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!((found.cell.stack.as_str(), found.cell.side), ("slow", Whose::Server));
        let score = 968.3 / 514.0 / ALLOWED / 1.01_f64.powi(2);
        assert!((found.score - score).abs() < 1e-9, "{}", found.score);
    }

    #[test]
    fn noise_and_work_that_differs_are_no_anomaly() {
        let mut model = Model::default();
        let scenario = model.scenario("psk", by_psk());
        // Twice as long, but known to a third each.
        model.time("noisy", scenario, Whose::Client, 500.0, 0.33);
        model.time("noisy", scenario, Whose::Server, 1000.0, 0.33);
        // A server signs, a client does not.
        let full = model.scenario("full", Scenario::plain(Work::Handshake));
        model.time("noisy", full, Whose::Client, 500.0, 0.01);
        model.time("noisy", full, Whose::Server, 5000.0, 0.01);
        assert!(look(&model.observations).anomalies.is_empty());
    }

    #[test]
    fn a_figure_without_an_interval_says_so() {
        let mut model = Model::default();
        let work = Work::Exchange { write_bytes: 1024, burst: 1 };
        let scenario = model.scenario("exchange", Scenario::plain(work));
        model.time_without_interval("a", scenario, Whose::Client, 10.0);
        model.time_without_interval("a", scenario, Whose::Server, 30.0);
        let looked = look(&model.observations);
        assert_eq!(looked.anomalies[0].noise, None);
        assert!((looked.anomalies[0].score - 3.0 / ALLOWED).abs() < 1e-9);
    }

    #[test]
    fn opening_is_compared_with_sealing_of_the_same_bytes() {
        let mut model = Model::default();
        let of = |operation, bytes| {
            let algorithm = tlslab_protocol::Algorithm::Aead(tlslab_protocol::CipherSuite::AES_128_GCM);
            let primitive = Primitive { operation, algorithm, bytes, burst: 1, header_bytes: 5 };
            Scenario::plain(Work::Primitive(primitive))
        };
        let seal = model.scenario("seal", of(Operation::AeadSeal, 1024));
        let open = model.scenario("open", of(Operation::AeadOpen, 1024));
        let longer = model.scenario("longer", of(Operation::AeadOpen, 16384));
        let side = whose(Side::Client);
        for (scenario, value) in [(seal, 1.0), (open, 4.0), (longer, 60.0)] {
            model.time("a", scenario, side, value, 0.0);
        }
        let looked = look(&model.observations);
        assert_eq!(looked.compared, 1);
        assert_eq!(looked.anomalies[0].cell.scenario, "open");
    }
}
