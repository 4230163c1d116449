//! The runner's requests to drivers in a visit, recorded by stub drivers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{
    Arrivals, KeyType, Measurement, PhaseTimes, Reply, Request, Scenario, SideMeasurement, Start, WarmUp,
    WarmUpRule, Work,
};
use tlslab_record::{
    Arrangement, CellCount, CellState, Overhead, PairSample, PairState, Sample, Slicing, StackPair, Visit,
    Weight,
};

use crate::time_bounds::TimeBounds;
use crate::visit::{Cut, Participant, Terms, visit};
use crate::{DriverFailure, DriverProgram, Journal, JournalError, Launch, Talk};

pub(crate) const RULE: WarmUpRule =
    WarmUpRule { least_ns: 2_000_000, least_iterations: 8, most_ns: 10_000_000 };
pub(crate) const SLICING: Slicing = Slicing { slice_ns: 1_000_000, slices: 4, warm_up: Some(RULE) };

/// Every request with its driver, in order.
pub(crate) type Asked = Arc<Mutex<Vec<(usize, Request)>>>;

pub(crate) struct Fake {
    pub name: usize,
    pub asked: Asked,
    /// How many slices are missing from each answer.
    pub forgets: usize,
}

impl Talk for Fake {
    fn ask(&mut self, request: &Request, _: Duration) -> Result<Reply, DriverFailure> {
        self.asked.lock().unwrap().push((self.name, request.clone()));
        Ok(match request {
            Request::Measure { iterations, slices, warm_up, .. } => {
                let side = SideMeasurement {
                    phases: PhaseTimes { handshake_ns: 1, ..PhaseTimes::default() },
                    ..SideMeasurement::default()
                };
                let slice = |at: u32| Measurement {
                    iterations: *iterations,
                    client: side.clone(),
                    server: side.clone(),
                    elapsed_ns: 2,
                    threads: vec![],
                    warm_up: warm_up.filter(|_| at == 0).map(|_| WarmUp::default()),
                    open_loop: None,
                    faults: 0,
                };
                Reply::Measured((0..*slices).map(slice).skip(self.forgets).collect())
            }
            Request::Evict {} => Reply::Evicted {},
            _ => Reply::Prepared {},
        })
    }

    fn resident_bytes(&mut self) -> Result<u64, DriverFailure> {
        Ok(0)
    }

    fn end(self: Box<Self>) -> Result<(), DriverFailure> {
        Ok(())
    }
}

pub(crate) struct NoLaunch;

impl Launch for NoLaunch {
    fn launch(&self, _: DriverProgram<'_>) -> Result<Box<dyn Talk>, DriverFailure> {
        Err(DriverFailure::NotStarted("no test starts a process".to_owned()))
    }
}

/// Keeps samples.
#[derive(Default)]
pub(crate) struct Samples(pub Vec<Sample>);

impl Journal for Samples {
    fn cell(&mut self, _: &CellState) -> Result<(), JournalError> {
        Ok(())
    }
    fn overhead(&mut self, _: &Overhead) -> Result<(), JournalError> {
        Ok(())
    }
    fn begin_visit(&mut self, _: &Visit) -> Result<(), JournalError> {
        Ok(())
    }
    fn sample(&mut self, sample: &Sample) -> Result<(), JournalError> {
        self.0.push(sample.clone());
        Ok(())
    }
    fn pair(&mut self, _: &PairState) -> Result<(), JournalError> {
        Ok(())
    }
    fn pair_sample(&mut self, _: &PairSample) -> Result<(), JournalError> {
        Ok(())
    }
    fn end_visit(&mut self, _: &Visit, _: f64) -> Result<(), JournalError> {
        Ok(())
    }
    fn count(&mut self, _: &CellCount) -> Result<(), JournalError> {
        Ok(())
    }
    fn weight(&mut self, _: &Weight) -> Result<(), JournalError> {
        Ok(())
    }
    fn warn(&mut self, _: &str) -> Result<(), JournalError> {
        Ok(())
    }
}

/// The outcome of a visit of two stacks.
struct Came {
    asked: Vec<(usize, Request)>,
    samples: Vec<Sample>,
    cut: Option<Cut>,
}

fn visited(arrangement: Arrangement, is_evicted: bool, forgets: usize) -> Came {
    visited_by(arrangement, is_evicted, forgets, [100_000.0; 2], &[])
}

/// The same with what is known of one iteration's time, and pairs of stacks.
fn visited_by(
    arrangement: Arrangement,
    is_evicted: bool,
    forgets: usize,
    iteration_ns: [f64; 2],
    pairs: &[StackPair],
) -> Came {
    let folder = tempfile::tempdir().unwrap();
    let pki = Pki::ensure(&folder.path().join("pki"), &[KeyType::EcdsaP256]).unwrap();
    let asked = Asked::default();
    let fake = |name, forgets| Fake { name, asked: asked.clone(), forgets };
    let (mut talks, mut evictor) = ([fake(0, 0), fake(1, forgets)], fake(9, 0));
    let (which, environment) =
        (Visit { round: 0, scenario: 0, attempt: 0, complete: false }, Default::default());
    let driver = DriverProgram {
        path: folder.path(),
        environment: &environment,
        preload: None,
        counter: None,
        moves: false,
        placement: None,
        described: None,
    };
    let mut participants: Vec<Participant<'_>> = talks
        .iter_mut()
        .enumerate()
        .map(|(stack, talk)| Participant {
            stack,
            driver,
            talk,
            iteration_ns: iteration_ns[stack],
            settles_ns: 0,
            times: TimeBounds::default(),
        })
        .collect();
    let scenario = Scenario { signature: KeyType::EcdsaP256, ..Scenario::plain(Work::Handshake) };
    let terms = Terms {
        which: &which,
        scenario: &scenario,
        pki: &pki,
        launch: &NoLaunch,
        slicing: SLICING,
        slot: Duration::from_millis(1),
        timeout: Duration::from_secs(1),
        arrangement,
        pairs,
        seed: 0,
        phase: 0,
    };
    let mut journal = Samples::default();
    let evictor: Option<&mut (dyn Talk + 'static)> = if is_evicted { Some(&mut evictor) } else { None };
    let cut = visit(&terms, &mut participants, || vec![1, 0], evictor, &mut journal).err();
    drop(participants);
    Came { asked: asked.lock().unwrap().clone(), samples: journal.0, cut }
}

/// The turns among all requests: the driver, and its warm-up.
fn turns(came: &Came) -> Vec<(usize, Option<WarmUpRule>)> {
    let turn = |(name, request): &(usize, Request)| match request {
        Request::Measure { slices, warm_up, .. } if *slices > 1 => Some((*name, *warm_up)),
        _ => None,
    };
    came.asked.iter().filter_map(turn).collect()
}

#[test]
fn every_turn_beside_another_stack_begins_with_a_warm_up() {
    for arrangement in [Arrangement::Interleaved, Arrangement::Duet] {
        let came = visited(arrangement, false, 0);
        let turns = turns(&came);
        assert!(came.cut.is_none() && turns.len() >= 6, "{arrangement:?}: {turns:?}");
        assert!(turns.iter().all(|(_, warm_up)| *warm_up == Some(RULE)), "{arrangement:?}: {turns:?}");
    }
}

#[test]
fn a_pair_does_equally_many_iterations_before_its_first_slice() {
    let before = |pairs: &[StackPair]| {
        let came = visited_by(Arrangement::Interleaved, false, 0, [100_000.0, 130_000.0], pairs);
        let first = |of: usize| {
            came.asked.iter().find_map(|(name, request)| match request {
                Request::Measure { iterations, .. } if *name == of => Some(*iterations),
                _ => None,
            })
        };
        [first(0).unwrap(), first(1).unwrap()]
    };
    assert_eq!(before(&[]), [100, 77], "10 ms of each");
    assert_eq!(
        before(&[StackPair { baseline: 0, candidate: 1, identical: false, fixed_layout: vec![] }]),
        [87; 2]
    );
}

#[test]
fn of_turns_in_a_row_the_first_begins_with_a_warm_up() {
    let came = visited(Arrangement::Turns, false, 0);
    let turns = turns(&came);
    for (at, (stack, warm_up)) in turns.iter().enumerate() {
        let follows_its_own = at > 0 && turns[at - 1].0 == *stack;
        // Halfway the order is reversed: the last stack continues, and warms up again.
        assert!(warm_up.is_some() || follows_its_own, "{turns:?}");
    }
    assert!(turns.iter().any(|(_, warm_up)| warm_up.is_none()));
}

#[test]
fn the_slices_of_a_block_are_numbered_alike_for_all_stacks() {
    let came = visited(Arrangement::Interleaved, false, 0);
    let blocks = |stack: usize| -> Vec<u32> {
        came.samples.iter().filter(|sample| sample.stack == stack).map(|sample| sample.block).collect()
    };
    assert_eq!(blocks(0), blocks(1));
    let expected: Vec<u32> = (0..blocks(0).len() as u32).collect();
    assert_eq!(blocks(0), expected);
    let with_warm_up = came.samples.iter().filter(|sample| sample.measurement.warm_up.is_some());
    assert_eq!(with_warm_up.count(), came.samples.len() / SLICING.slices as usize);
}

#[test]
fn the_evictor_comes_before_every_turn() {
    let came = visited(Arrangement::Interleaved, true, 0);
    let is_turn = |request: &Request| matches!(request, Request::Measure { slices, .. } if *slices > 1);
    for pair in came.asked.windows(2) {
        assert!(!is_turn(&pair[1].1) || pair[0] == (9, Request::Evict {}), "{pair:?}");
    }
}

#[test]
fn a_driver_that_leaves_slices_out_is_noticed() {
    let came = visited(Arrangement::Interleaved, false, 1);
    match came.cut {
        Some(Cut::Driver { stack: 1, failure }) => {
            // The first request of a visit is for one slice.
            assert_eq!(
                failure.to_string(),
                "the driver answered `measure` with 0 slices where 1 were asked for"
            );
        }
        _ => panic!("it was not noticed"),
    }
}

#[test]
fn a_cold_start_has_no_warm_up_and_slow_runtimes_and_arrivals_have_longer_ones() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Default::default();
    let driver = DriverProgram {
        path: folder.path(),
        environment: &environment,
        preload: None,
        counter: None,
        moves: false,
        placement: None,
        described: None,
    };
    let pki = Pki::ensure(&folder.path().join("pki"), &[KeyType::EcdsaP256]).unwrap();
    let which = Visit { round: 0, scenario: 0, attempt: 0, complete: false };
    let scenario = Scenario { start: Start::Cold, ..Scenario::plain(Work::Handshake) };
    let terms = Terms {
        which: &which,
        scenario: &scenario,
        pki: &pki,
        launch: &NoLaunch,
        slicing: SLICING,
        slot: Duration::ZERO,
        timeout: Duration::from_secs(1),
        arrangement: Arrangement::Interleaved,
        pairs: &[],
        seed: 0,
        phase: 0,
    };
    let mut talk = Fake { name: 0, asked: Asked::default(), forgets: 0 };
    let participant = Participant {
        stack: 0,
        driver,
        talk: &mut talk,
        iteration_ns: 1e6,
        settles_ns: 0,
        times: TimeBounds::default(),
    };
    let asked = terms.asked(&participant, true);
    assert_eq!((asked.slices, asked.warm_up), (1, None));
    // Before the first turn: fewer than twice as many, by what is drawn for the visit.
    let before = |least| {
        let of_phase = |phase| Terms { phase, ..terms }.before_turns(least);
        (0..64).map(of_phase).collect::<std::collections::BTreeSet<u64>>()
    };
    assert!(before(1).into_iter().eq([1]));
    assert!(before(25).into_iter().eq(25..50));
    assert!(before(2_000).into_iter().eq(2_000..2_032));
    // A runtime that continues with other work after a pause has a longer one.
    let scenario = Scenario { start: Start::Warm, ..scenario.clone() };
    let terms = Terms { scenario: &scenario, ..terms };
    let participant = Participant { settles_ns: 20_000_000, ..participant };
    let longer = WarmUpRule { least_ns: 20_000_000, most_ns: 20_000_000, ..RULE };
    assert_eq!(terms.asked(&participant, true).warm_up, Some(longer));
    // Arrivals take longer slices, one in a turn, and all stacks meet the same in the same turn.
    let scenario = scenario.at_rate(2_000, Arrivals::Poisson);
    let terms = Terms { scenario: &scenario, seed: 7, ..terms };
    let mut participant = Participant { settles_ns: 0, ..participant };
    let asked = terms.asked(&participant, true);
    assert_eq!((asked.iterations, asked.slices, asked.seed), (500, 1, Some(7)));
    assert_eq!(asked.warm_up.map(|rule| rule.least_ns), Some(50_000_000));
    participant.times.add(&[], Duration::ZERO, Duration::ZERO);
    assert_eq!(terms.asked(&participant, true).seed, Some(8));
}
