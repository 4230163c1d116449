//! A record of TLS 1.3 costs little more than one of TLS 1.2: one byte more is encrypted, and eight fewer are
//! authenticated.

use std::collections::BTreeMap;

use tlslab_protocol::{ProtocolVersion, Work};

use super::looked::{Comparison, Looked, evidence, noise_of, times};
use crate::anomaly::Rule;
use crate::axes::{Axes, axes, without};
use crate::observations::{Observations, Place};

/// The byte makes an incomplete block of a full record, and a nonce is put together in another way.
const ALLOWED: f64 = 1.25;

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::RecordVersion);
    let earlier: BTreeMap<Axes, usize> = observations
        .scenarios()
        .iter()
        .enumerate()
        .filter(|(_, scenario)| scenario.version == ProtocolVersion::TLS12)
        .map(|(at, scenario)| (without(&axes(scenario), "version"), at))
        .collect();
    for (place, later) in observations.all() {
        let scenario = observations.scenario(place);
        let is_of_records = matches!(scenario.work, Work::Transfer { .. } | Work::Exchange { .. });
        if scenario.version != ProtocolVersion::TLS13 || !is_of_records {
            continue;
        }
        let Some(twin) = earlier.get(&without(&axes(scenario), "version")) else { continue };
        let before = Place { scenario: *twin, ..place };
        let Some(earlier) = observations.get(before) else { continue };
        let distance = later.ln() - earlier.ln();
        looked.judge(Comparison {
            cell: observations.cell(place),
            subject: "records of TLS 1.3 over those of TLS 1.2".to_owned(),
            expected: format!("at most {ALLOWED} times the same write in TLS 1.2"),
            found: format!(
                "{} against {}: {}",
                observations.text(place),
                observations.text(before),
                times(distance)
            ),
            distance,
            allowed: ALLOWED.ln(),
            noise: noise_of(later, earlier),
            evidence: evidence(observations, &[place, before]),
        });
    }
    looked
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{ConnectionAge, Scenario, Side};

    use super::*;
    use crate::rules::testing::Model;

    #[test]
    fn a_reader_that_searches_a_record_is_found_and_its_writer_is_not() {
        let mut model = Model::default();
        let of = |version, write_bytes| {
            let work = Work::Transfer {
                sender: Side::Client,
                write_bytes,
                connection: ConnectionAge::Warm,
                burst: 4,
            };
            // A suite of TLS 1.2 is another one, which protects the data in the same way.
            let plain = Scenario::plain(work);
            let suite = plain.suite.counterpart(version, plain.signature, plain.group).unwrap();
            Scenario { version, suite, ..plain }
        };
        let old = model.scenario("1.2", of(ProtocolVersion::TLS12, 16384));
        let new = model.scenario("1.3", of(ProtocolVersion::TLS13, 16384));
        // Another size only in TLS 1.2 has no counterpart.
        let other = model.scenario("1.2 short", of(ProtocolVersion::TLS12, 1));
        for (scenario, client, server) in
            [(old, 20_000.0, 21_000.0), (new, 20_100.0, 230_000.0), (other, 1.0, 1.0)]
        {
            model.count("searches", scenario, Whose::Client, client);
            model.count("searches", scenario, Whose::Server, server);
        }
        let looked = look(&model.observations);
        assert_eq!(looked.compared, 2);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!((found.cell.scenario.as_str(), found.cell.side), ("1.3", Whose::Server));
        assert_eq!(found.noise, Some(1.0), "counts that repeat have no noise");
        assert!((found.score - 230.0 / 21.0 / ALLOWED).abs() < 1e-9);
    }
}
