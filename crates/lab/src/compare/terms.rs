//! What it takes to decide, within a budget.

use std::time::Duration;

use tlslab_record::Arrangement;

use crate::request::{ArrangementChoice, Decision};
use crate::slicing;

/// How long a timed cell is measured if no budget is given.
const PER_CELL: Duration = Duration::from_secs(10);

/// What it takes to decide.
#[derive(Clone, Debug)]
pub struct Terms {
    /// After how many rounds it may be decided.
    pub looks: Vec<u32>,
    /// Rounds of confirmation.
    pub confirmation: u32,
    /// Seeds of the counts, and how many more confirm.
    pub seeds: (u64, u64),
    /// How long each visit takes.
    pub visit: Duration,
    /// Changes of time that are none, as shares: where code lies in random places, and where it does not.
    pub time_floor: (f64, f64),
    /// Changes of counts that are none, as a share.
    pub exact_floor: f64,
    /// Changes that nobody waits for, as a share.
    pub negligible: f64,
    /// The share of false discoveries.
    pub false_discovery_rate: f64,
    /// The order of slices.
    pub arrangement: Arrangement,
    /// Why that order.
    pub arrangement_chosen: Option<String>,
    /// Whether code lies in random places.
    pub moves: bool,
    /// How the stacks take turns.
    pub slicing: tlslab_record::Slicing,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            looks: vec![32, 64],
            confirmation: 32,
            seeds: (5, 3),
            visit: Duration::from_millis(300),
            time_floor: (0.001, 0.015),
            exact_floor: 0.0001,
            negligible: 0.005,
            false_discovery_rate: 0.02,
            arrangement: Arrangement::Interleaved,
            arrangement_chosen: None,
            moves: true,
            slicing: slicing::RULE,
        }
    }
}

/// How many rounds there are before each look, and how many confirm: the more the better, as what differs between processes
/// is larger than what differs within one, and the fewer, the less time there is.
const LADDER: [(&[u32], u32); 3] = [(&[32, 64], 32), (&[16, 32], 16), (&[16], 16)];
/// A visit needs some slices of both.
const SHORTEST_VISIT: Duration = Duration::from_millis(60);

impl Terms {
    /// With so much time for each scenario, confirmation aside. `Err` is the least that there must be.
    pub fn within(self, per_scenario: Duration) -> Result<Self, Duration> {
        for (looks, confirmation) in LADDER {
            let visit = per_scenario / looks[looks.len() - 1];
            if visit >= SHORTEST_VISIT {
                return Ok(Self { looks: looks.to_vec(), confirmation, visit, ..self });
            }
        }
        Err(SHORTEST_VISIT * 16)
    }
}

/// How a request is decided within its budget, which is for all its scenarios.
///
/// # Errors
/// A budget that is too small, with the least that is needed.
pub fn terms(decision: &Decision, cells: usize, scenarios: usize) -> anyhow::Result<Terms> {
    let mut terms = Terms {
        negligible: decision.negligible,
        moves: !decision.fixed_layout,
        slicing: decision.slicing.over(slicing::RULE),
        ..Terms::default()
    };
    if let Some(floor) = decision.floor {
        terms.time_floor = (floor, floor);
    }
    terms.arrangement = match decision.arrangement {
        ArrangementChoice::Best | ArrangementChoice::Interleaved => Arrangement::Interleaved,
        ArrangementChoice::Turns => Arrangement::Turns,
        ArrangementChoice::Duet => Arrangement::Duet,
    };
    let budget = decision.budget_s.map_or(PER_CELL * cells.max(1) as u32, Duration::from_secs_f64);
    let scenarios = scenarios.max(1) as u32;
    terms.within(budget / scenarios).map_err(|least| {
        anyhow::anyhow!(
            "--budget {:.0}s: {scenarios} scenarios need at least {:.0} s; ask for more, or for fewer scenarios",
            budget.as_secs_f64(),
            (least * scenarios).as_secs_f64().ceil()
        )
    })
}
