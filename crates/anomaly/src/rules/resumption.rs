//! A handshake that takes up a session, or has a key beforehand, costs less than a full one of the same
//! version, group and suite: neither side signs or verifies a signature.

use std::collections::BTreeMap;

use tlslab_protocol::{Resumption, Scenario};

use super::looked::{Comparison, Looked, evidence, noise_of, times};
use crate::anomaly::Rule;
use crate::axes::{Axes, axes, without};
use crate::observations::{Observations, Place};

pub(super) fn look(observations: &Observations) -> Looked {
    let mut looked = Looked::new(Rule::Resumption);
    let full: BTreeMap<Axes, usize> = observations
        .scenarios()
        .iter()
        .enumerate()
        .filter(|(_, scenario)| scenario.resumption == Resumption::None && scenario.tickets == 0)
        .map(|(at, scenario)| (work_without_resumption(scenario), at))
        .collect();
    for (place, resumed) in observations.all() {
        let scenario = observations.scenario(place);
        if !scenario.work.is_connection()
            || scenario.resumption == Resumption::None
            || scenario.early_data > 0
        {
            continue;
        }
        let Some(twin) = full.get(&work_without_resumption(scenario)) else { continue };
        let whole = Place { scenario: *twin, ..place };
        let Some(full) = observations.get(whole) else { continue };
        let distance = resumed.ln() - full.ln();
        looked.judge(Comparison {
            cell: observations.cell(place),
            subject: format!("handshakes by {} over full ones", scenario.resumption),
            expected: "less than the full handshake".to_owned(),
            found: format!(
                "{} against {}: {}",
                observations.text(place),
                observations.text(whole),
                times(distance)
            ),
            distance,
            allowed: 0.0,
            noise: noise_of(resumed, full),
            evidence: evidence(observations, &[place, whole]),
        });
    }
    looked
}

fn work_without_resumption(scenario: &Scenario) -> Axes {
    without(&without(&axes(scenario), "resumption"), "tickets")
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Whose;
    use tlslab_protocol::{Group, Work};

    use super::*;
    use crate::rules::testing::Model;

    #[test]
    fn a_resumption_that_costs_more_than_a_full_handshake_is_found() {
        let mut model = Model::default();
        let of = |resumption, tickets, group| Scenario {
            resumption,
            tickets,
            group,
            ..Scenario::plain(Work::Handshake)
        };
        let full = model.scenario("full", of(Resumption::None, 0, Group::X25519));
        let ticket = model.scenario("ticket", of(Resumption::Ticket, 1, Group::X25519));
        let elsewhere = model.scenario("other group", of(Resumption::Ticket, 1, Group::SECP256R1));
        for (scenario, client, server) in
            [(full, 200.0, 100.0), (ticket, 120.0, 130.0), (elsewhere, 999.0, 999.0)]
        {
            model.time("a", scenario, Whose::Client, client, 0.02);
            model.time("a", scenario, Whose::Server, server, 0.02);
        }
        let looked = look(&model.observations);
        assert_eq!(looked.compared, 2);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!((found.cell.scenario.as_str(), found.cell.side), ("ticket", Whose::Server));
        assert!((found.score - 1.3 / 1.02_f64.powi(2)).abs() < 1e-9);
    }
}
