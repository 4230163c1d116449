//! Any order of calls, kills and waits, checked against the invariants: one result per job, tokens that never
//! fall, one lease per runner, and an end for every job.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{Duty, Fault, Filter, Phase, Settled};

#[derive(Clone, Debug)]
enum Step {
    Enqueue { job: u8, group: u8 },
    Take { runner: u8, slot: u8 },
    Rest { runner: u8, how: u8 },
    Renew { runner: u8 },
    Finish { runner: u8, how: u8 },
    Restart { runner: u8 },
    Cancel { job: u8 },
    Wait { seconds: u8 },
    Sweep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..6_u8, 0..3_u8).prop_map(|(job, group)| Step::Enqueue { job, group }),
        (0..3_u8, 0..2_u8).prop_map(|(runner, slot)| Step::Take { runner, slot }),
        (0..3_u8, 0..4_u8).prop_map(|(runner, how)| Step::Rest { runner, how }),
        (0..3_u8).prop_map(|runner| Step::Renew { runner }),
        (0..3_u8, 0..5_u8).prop_map(|(runner, how)| Step::Finish { runner, how }),
        (0..3_u8).prop_map(|runner| Step::Restart { runner }),
        (0..6_u8).prop_map(|job| Step::Cancel { job }),
        (1..90_u8).prop_map(|seconds| Step::Wait { seconds }),
        Just(Step::Sweep),
    ];
    proptest::collection::vec(step, 1..60)
}

/// The runners' beliefs, and the observations.
#[derive(Default)]
struct World {
    now: u64,
    boots: BTreeMap<u8, u32>,
    /// The jobs of each runner, including those that it has lost since.
    held: BTreeMap<(u8, u8), Leased>,
    tokens: BTreeMap<String, u64>,
    accepted: BTreeMap<String, Vec<u64>>,
}

impl World {
    fn take(&mut self, queue: &dyn Queue, runner: u8, slot: u8) {
        let boot = self.boots.entry(runner).or_default().to_string();
        let name = format!("r{runner}");
        let taker = Taker { boot, slot: slot.into(), ..taker(&name) };
        if let Some(leased) = queue.take(&taker).unwrap().job() {
            let job = queue.job(&leased.job).unwrap().unwrap();
            assert!(
                slot == 0 || !job.is_timed,
                "a job with times does not run at the same time as another one"
            );
            assert!(job.only_runner.is_none_or(|only| only == name));
            let newest = self.tokens.entry(leased.job.clone()).or_default();
            assert!(leased.token >= *newest, "token {} after {newest}", leased.token);
            *newest = leased.token;
            self.held.insert((runner, slot), leased);
        }
    }

    fn finish(&mut self, queue: &dyn Queue, runner: u8, how: u8) {
        let of_runner = self.held.range((runner, 0)..=(runner, u8::MAX));
        let Some((_, leased)) = of_runner.last() else { return };
        let before = queue.job(&leased.job).unwrap().unwrap();
        let failed = |fault| Finish { state: State::Failed, fault: Some(fault), ..reported("") };
        let finish = match how {
            0 => reported("r"),
            1 => failed(Fault::Candidate),
            2 => failed(Fault::Lab),
            3 => Finish { state: State::Queued, ..reported("") },
            _ => Finish { state: State::Cancelled, ..reported("") },
        };
        let settled = queue.finish(&hold(leased, &format!("r{runner}")), &finish).unwrap();
        let after = queue.job(&leased.job).unwrap().unwrap();
        match settled {
            Settled::Accepted => {
                assert_eq!(before.token, leased.token);
                assert!(!before.state.is_ended());
                if after.state.is_ended() {
                    self.accepted.entry(leased.job.clone()).or_default().push(leased.token);
                }
            }
            Settled::AcceptedBefore | Settled::Stale => assert_eq!(before, after),
        }
    }

    fn check(&self, queue: &dyn Queue) {
        let all = queue.list(&Filter::default()).unwrap();
        let mut leases = BTreeMap::new();
        for job in &all {
            assert_eq!(job.state.is_leased(), job.lease_until_unix_ms > 0, "{job:?}");
            assert_eq!(job.state.is_ended(), job.ended_unix_ms > 0, "{job:?}");
            assert!(job.attempts <= job.most_attempts);
            if job.lease_until_unix_ms > 0 {
                assert!(leases.insert((job.runner.clone(), job.slot), &job.id).is_none(), "two leases");
            }
            let results = usize::from(queue.result(&job.id).unwrap().is_some());
            let accepted = self.accepted.get(&job.id).map_or(0, Vec::len);
            assert_eq!(results, accepted, "{job:?}");
            assert!(accepted <= 1);
            let steps = queue.transitions(&job.id).unwrap();
            assert_eq!(steps.last().unwrap().to, job.state);
            assert!(steps.windows(2).all(|pair| pair[1].from == Some(pair[0].to)));
            assert!(steps.windows(2).all(|pair| pair[0].token <= pair[1].token));
        }
    }

    /// Time passes with working runners: every job ends.
    fn drain(&mut self, queue: &dyn Queue, at: &dyn Fn(u64)) {
        for _ in 0..100 {
            self.now += 3_600_000;
            at(self.now);
            queue.sweep().unwrap();
            self.take(queue, 9, 0);
            self.finish(queue, 9, 0);
        }
        let open = Filter { phase: Phase::Open, ..Filter::default() };
        assert_eq!(queue.list(&open).unwrap(), []);
    }
}

fn play(place: &Place, steps: &[Step]) {
    let (queue, at) = place.stopped();
    let queue = &*queue;
    for runner in 0..3 {
        queue.register_runner(&super::runners::new_runner(&format!("r{runner}"), "")).unwrap();
    }
    let mut world = World { now: 1_000_000, ..World::default() };
    at(world.now);
    for step in steps {
        match *step {
            Step::Enqueue { job, group } => {
                let supersedes = (group > 0).then(|| format!("g{group}"));
                let is_timed = job % 2 == 0;
                enqueue(queue, NewJob { supersedes, is_timed, ..new_job(&format!("j{job}")) });
            }
            Step::Take { runner, slot } => world.take(queue, runner, slot),
            Step::Rest { runner, how } => {
                let duty = [Duty::Works, Duty::Drains, Duty::Paused, Duty::Quarantined][usize::from(how)];
                queue.set_duty(&format!("r{runner}"), duty, "a step", false).unwrap();
            }
            Step::Renew { runner } => {
                for (_, leased) in world.held.range((runner, 0)..=(runner, u8::MAX)) {
                    queue.renew(&hold(leased, &format!("r{runner}")), Some(State::Measuring)).unwrap();
                }
            }
            Step::Finish { runner, how } => world.finish(queue, runner, how),
            Step::Restart { runner } => *world.boots.entry(runner).or_default() += 1,
            Step::Cancel { job } => drop(queue.apply(&[cancel(&format!("j{job}"))]).unwrap()),
            Step::Wait { seconds } => {
                world.now += u64::from(seconds) * 1_000;
                at(world.now);
            }
            Step::Sweep => drop(queue.sweep().unwrap()),
        }
        world.check(queue);
    }
    world.drain(queue, &*at);
    world.check(queue);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_on_sqlite(steps in steps()) {
        play(&Place::sqlite(), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_on_postgresql(steps in steps()) {
        play(&Place::postgres(), &steps);
    }
}
