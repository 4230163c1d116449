//! Cold figures: the beginning of a turn after another program has used the processor.

use tlslab_protocol::{Measurement, Side};
use tlslab_stats::median;

use super::slices::{VisitSlices, ns_per_iteration};
use crate::model::Metric;

/// A visit's value, ns: the median over its turns. None if no turn has a warm-up.
pub(super) fn cold_value(visit: &VisitSlices<'_>, stack: usize, side: Side, metric: Metric) -> Option<f64> {
    let slices: Vec<&Measurement> = visit.stack_slices(stack).collect();
    // The slice that has the warm-up is the first of its turn.
    let turns = slices.chunk_by(|_, next| next.warm_up.is_none());
    median(&turns.filter_map(|turn| of_turn(turn, side, metric)).collect::<Vec<_>>()).ok()
}

fn of_turn(turn: &[&Measurement], side: Side, metric: Metric) -> Option<f64> {
    let warm_up = turn.first()?.warm_up.as_ref()?;
    let times = if side == Side::Client { warm_up.client } else { warm_up.server };
    if metric == Metric::ColdFirst {
        return Some(times.first_ns as f64);
    }
    // The time of the same number of iterations later in the turn; another turn may have run at another speed
    // of the host.
    let of_slices: Vec<f64> = turn.iter().map(|slice| ns_per_iteration(slice, side, Metric::Time)).collect();
    Some(times.total_ns as f64 - warm_up.iterations as f64 * median(&of_slices).ok()?)
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{SideMeasurement, WarmUp, WarmUpTimes};

    use super::*;

    #[test]
    fn a_switch_costs_what_its_warm_up_takes_beyond_steady_work() {
        let steady = SideMeasurement {
            phases: tlslab_protocol::PhaseTimes { handshake_ns: 500, ..Default::default() },
            ..Default::default()
        };
        let slice = |warm_up| Measurement {
            iterations: 5,
            client: steady.clone(),
            server: steady.clone(),
            elapsed_ns: 1_000,
            threads: vec![],
            warm_up,
            open_loop: None,
            faults: 0,
        };
        let times = WarmUpTimes { first_ns: 300, total_ns: 620 };
        let warm_up = WarmUp { iterations: 4, elapsed_ns: 2_000, client: times, server: times };
        let turn = [slice(Some(warm_up)), slice(None), slice(None)];
        let visit = VisitSlices::of_one_stack(&turn);
        assert_eq!(cold_value(&visit, 0, Side::Client, Metric::ColdFirst), Some(300.0));
        // 620 for 4 iterations, which take 100 each in the steady state.
        assert_eq!(cold_value(&visit, 0, Side::Server, Metric::ColdSwitch), Some(220.0));
        assert_eq!(ns_per_iteration(&turn[1], Side::Client, Metric::Time), 100.0);
        let none = [slice(None)];
        assert_eq!(cold_value(&VisitSlices::of_one_stack(&none), 0, Side::Client, Metric::ColdFirst), None);
    }
}
