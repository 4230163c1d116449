//! An hour in which the code host refuses or does not answer.

use super::host::{FLAVOURS, Outage, Source};
use super::steps::{End, Step};
use super::world::{Done, World};

const DELIVER: Step = Step::Deliver { all: true, which: 0 };

fn open(source: Source) -> Step {
    Step::Open { who: 3, source, is_draft: false, variant: 0 }
}

/// Whether each pull request's head has a status.
fn is_told(world: &World) -> bool {
    let host = world.host.lock().unwrap();
    host.pulls.values().all(|pull| host.check(pull.head()).is_some())
}

/// One of two jobs is measured during the outage, while people continue to push; no reconciliation follows.
fn hour(world: &mut World, outage: Outage) -> Done {
    let before = [open(Source::Own), open(Source::Own), DELIVER, Step::Loops, Step::Take { runner: 0 }];
    before.iter().try_for_each(|step| world.step(step))?;
    world.step(&Step::Out { what: outage, minutes: 60 })?;
    let meanwhile = [
        Step::Finish { runner: 0, how: End::Honest },
        open(Source::Own),
        Step::Push { pull: 2, variant: 0 },
        DELIVER,
    ];
    meanwhile.iter().try_for_each(|step| world.step(step))?;
    assert!(!is_told(world), "the code host took nothing");
    for _ in 0..60 {
        [Step::Loops, Step::Take { runner: 1 }, Step::Wait { seconds: 60 }]
            .iter()
            .try_for_each(|step| world.step(step))?;
    }
    for _ in 0..120 {
        for runner in [0, 1] {
            world.step(&Step::Take { runner })?;
            world.step(&Step::Finish { runner, how: End::Honest })?;
        }
        world.step(&Step::Loops)?;
        world.step(&Step::Wait { seconds: 60 })?;
    }
    match is_told(world) && world.is_idle() {
        true => Ok(()),
        false => Err("a pull request has no status, or something waits within the service".to_owned()),
    }
}

#[test]
fn after_an_hour_of_refusals_every_pull_request_has_its_status() {
    for flavour in FLAVOURS {
        for outage in [Outage::Forbidden, Outage::Unauthorised, Outage::Broken, Outage::Unreachable] {
            let mut world = World::new(flavour);
            let done = hour(&mut world, outage);
            assert_eq!(done, Ok(()), "{outage:?} on {flavour:?}");
            assert_eq!(world.host.lock().unwrap().pulls.len(), 3);
        }
    }
}

#[test]
fn events_are_given_up_after_minutes_of_nonsense_and_made_up_for() {
    for flavour in FLAVOURS {
        let mut world = World::new(flavour);
        let begin =
            [Step::Out { what: Outage::Nonsense, minutes: 30 }, open(Source::Own), DELIVER, Step::Loops];
        begin.iter().try_for_each(|step| world.step(step)).unwrap();
        let given_up = |world: &World| world.service.queue(|queue| queue.given_up()).unwrap().0;
        assert_eq!(given_up(&world), 0, "{flavour:?}: a proxy may answer in its place for a while");
        for _ in 0..40 {
            let minute = [Step::Loops, Step::Wait { seconds: 60 }];
            minute.iter().try_for_each(|step| world.step(step)).unwrap();
        }
        assert_eq!((given_up(&world), is_told(&world)), (1, false), "{flavour:?}");
        let again = [
            Step::Reconcile,
            Step::Loops,
            Step::Take { runner: 0 },
            Step::Finish { runner: 0, how: End::Honest },
            Step::Loops,
            Step::Wait { seconds: 60 },
        ];
        for _ in 0..70 {
            again.iter().try_for_each(|step| world.step(step)).unwrap();
        }
        assert!(is_told(&world), "{flavour:?}");
    }
}
