//! The requests to drivers in a visit of several scenarios.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{KeyType, Request, Scenario, Work};
use tlslab_record::{Arrangement, Sample, Visit};

use crate::group::{Group, GroupCut, Seat};
use crate::schedule::Schedule;
use crate::tests_of_turns::{Asked, Fake, NoLaunch, RULE, SLICING, Samples};
use crate::time_bounds::TimeBounds;
use crate::visit::{Cut, Terms};
use crate::{DriverProgram, Talk};

/// The result of a visit of two scenarios, the 3rd and the 5th of a plan, with two stacks.
struct Came {
    asked: Vec<(usize, Request)>,
    samples: Vec<Sample>,
    cut: Option<GroupCut>,
}

const SCENARIOS: [usize; 2] = [3, 5];

fn visited(seed: u64, forgets: usize) -> Came {
    let folder = tempfile::tempdir().unwrap();
    let pki = Pki::ensure(&folder.path().join("pki"), &[KeyType::EcdsaP256]).unwrap();
    let asked = Asked::default();
    let fake = |name, forgets| -> Option<Box<dyn Talk>> {
        Some(Box::new(Fake { name, asked: asked.clone(), forgets }))
    };
    let mut talks = [fake(0, 0), fake(1, forgets)];
    let environment = BTreeMap::new();
    let driver = DriverProgram {
        path: Path::new("none"),
        environment: &environment,
        preload: None,
        counter: None,
        moves: false,
        placement: None,
        described: None,
    };
    let visits = SCENARIOS.map(|scenario| Visit { round: 2, scenario, attempt: 1, complete: false });
    let scenarios = ["one", "other"].map(|name| Scenario {
        name: name.to_owned(),
        signature: KeyType::EcdsaP256,
        ..Scenario::plain(Work::Handshake)
    });
    let terms: Vec<Terms<'_>> = visits
        .iter()
        .zip(&scenarios)
        .map(|(which, scenario)| Terms {
            which,
            scenario,
            pki: &pki,
            launch: &NoLaunch,
            slicing: SLICING,
            slot: Duration::ZERO,
            timeout: Duration::from_secs(1),
            arrangement: Arrangement::Interleaved,
            pairs: &[],
            seed: 0,
            phase: 0,
        })
        .collect();
    let mut seats: Vec<Seat<'_>> = [(0, 0), (0, 1), (1, 0), (1, 1)]
        .map(|(member, stack)| Seat {
            member,
            stack,
            driver,
            iteration_ns: 100_000.0,
            settles_ns: 0,
            times: TimeBounds::default(),
        })
        .into();
    let order = Schedule::new(seed).blocks(2, SCENARIOS[0], 1, seats.len());
    let mut journal = Samples::default();
    let mut group = Group { terms: &terms, talks: &mut talks, prepared: vec![None; 2] };
    let cut = group.visit(&mut seats, order, Duration::from_millis(1), &mut journal).err();
    let asked = asked.lock().unwrap().clone();
    Came { asked, samples: journal.0, cut }
}

/// Scenario and stack of each turn by its block, in their order.
fn orders(came: &Came) -> Vec<Vec<(usize, usize)>> {
    let mut turns: BTreeMap<(u32, u32), (usize, usize)> = BTreeMap::new();
    for sample in &came.samples {
        turns.insert((sample.block / SLICING.slices, sample.place), (sample.scenario, sample.stack));
    }
    let mut orders: Vec<Vec<(usize, usize)>> = Vec::new();
    for ((block, _), turn) in turns {
        orders.resize(orders.len().max(block as usize + 1), Vec::new());
        orders[block as usize].push(turn);
    }
    orders
}

#[test]
fn in_each_block_every_scenario_of_every_stack_has_one_turn_in_an_order_of_the_seeds() {
    let came = visited(1, 0);
    assert!(came.cut.is_none());
    let all = BTreeSet::from([(3, 0), (3, 1), (5, 0), (5, 1)]);
    let found = orders(&came);
    assert!(found.len() >= 3, "{found:?}");
    for order in &found {
        assert_eq!((order.len(), order.iter().copied().collect::<BTreeSet<_>>()), (4, all.clone()));
    }
    assert!(came.samples.iter().all(|sample| (sample.round, sample.attempt) == (2, 1)));
    // Each of the four has the same slices of each block.
    assert_eq!(came.samples.len(), found.len() * 4 * SLICING.slices as usize);
    let first = |seed| orders(&visited(seed, 0)).swap_remove(0);
    assert_eq!(first(1), first(1));
    assert!((2..12).any(|seed| first(seed) != first(1)));
}

#[test]
fn a_process_is_prepared_whenever_its_scenario_changes_and_each_turn_warms_up() {
    let came = visited(1, 0);
    let mut prepared: [Option<String>; 2] = [None, None];
    let mut measured: Vec<(usize, String)> = Vec::new();
    for (stack, request) in &came.asked {
        match request {
            Request::Prepare { scenario, .. } => prepared[*stack] = Some(scenario.name.clone()),
            Request::Measure { slices, warm_up, .. } if *slices > 1 => {
                assert_eq!(*warm_up, Some(RULE));
                measured.push((*stack, prepared[*stack].clone().unwrap()));
            }
            _ => {}
        }
    }
    let name = |scenario: usize| if scenario == SCENARIOS[0] { "one" } else { "other" }.to_owned();
    let recorded: Vec<(usize, String)> =
        orders(&came).concat().into_iter().map(|(scenario, stack)| (stack, name(scenario))).collect();
    assert_eq!(measured, recorded);
    // A process that continues with the same scenario is not prepared again.
    let preparations = came.asked.iter().filter(|(_, request)| matches!(request, Request::Prepare { .. }));
    assert!(preparations.count() < 4 + recorded.len());
}

#[test]
fn a_process_makes_what_a_scenario_keeps_before_its_turn() {
    let came = visited(1, 0);
    for of in 0..2 {
        let of_one = came.asked.iter().filter(|(stack, _)| *stack == of);
        let asked: Vec<&Request> = of_one.map(|(_, request)| request).collect();
        for after in asked.windows(2).filter(|pair| matches!(pair[0], Request::Prepare { .. })) {
            let Request::Measure { slices, warm_up, .. } = after[1] else { panic!("{after:?}") };
            assert_eq!((*slices, *warm_up), (1, None), "what it keeps would be made within a turn");
        }
    }
}

#[test]
fn a_driver_that_fails_is_named_with_the_scenario() {
    match visited(1, 1).cut {
        Some((scenario, Cut::Driver { stack: 1, .. })) => assert!(SCENARIOS.contains(&scenario)),
        _ => panic!("it was not noticed"),
    }
}
