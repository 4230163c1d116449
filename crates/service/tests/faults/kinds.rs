//! The kinds of faults, and what each does.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::credential;
use crate::dice::Dice;
use crate::place::LEASE_MS;
use crate::world::{RUNNERS, World};

/// Between two faults, ms: at least, and up to so much more.
pub(crate) const PAUSE_MS: u64 = 200;
pub(crate) const MORE_MS: u64 = 900;

/// Clocks are stepped by so many seconds at least and at most.
const LEAST_STEP_S: u64 = 120;
const MOST_STEP_S: u64 = 6 * 3_600;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Kill -9 of the service.
    ServiceKilled,
    /// Kill -9 of a runner.
    RunnerKilled,
    /// Kill -9 of the database's server.
    DatabaseKilled,
    /// A runner's link is down for less than a lease.
    ShortCut,
    /// A runner's link is down for longer than a lease.
    LongCut,
    /// Packets to and from a runner are lost.
    PacketsLost,
    /// A runner's disk has no room.
    DiskFull,
    /// A runner's wall clock is stepped.
    RunnerClockStepped,
    /// The service's wall clock is stepped.
    ServiceClockStepped,
    /// A runner stands still for longer than a lease.
    RunnerFrozen,
    /// The service stands still for longer than a lease.
    ServiceFrozen,
    /// Who is notified does not answer.
    NotifyTargetAway,
    /// The code host rejects the credentials of private repositories for a while.
    CredentialsExpired,
}

pub(crate) const ALL: [Kind; 13] = [
    Kind::ServiceKilled,
    Kind::RunnerKilled,
    Kind::DatabaseKilled,
    Kind::ShortCut,
    Kind::LongCut,
    Kind::PacketsLost,
    Kind::DiskFull,
    Kind::RunnerClockStepped,
    Kind::ServiceClockStepped,
    Kind::RunnerFrozen,
    Kind::ServiceFrozen,
    Kind::NotifyTargetAway,
    Kind::CredentialsExpired,
];

/// How a fault that lasts is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cure {
    Mend(usize),
    Empty(usize),
    Thaw(usize),
    ThawService,
    Answer,
    Renew,
}

impl Cure {
    fn runner(self) -> Option<usize> {
        match self {
            Self::Mend(runner) | Self::Empty(runner) | Self::Thaw(runner) => Some(runner),
            Self::ThawService | Self::Answer | Self::Renew => None,
        }
    }
}

/// Faults that are made one after the other; some last while others happen.
pub(crate) struct Faults<'a> {
    world: &'a mut World,
    dice: Dice,
    waiting: Vec<(Instant, Cure)>,
    /// How many of each kind.
    pub made: BTreeMap<Kind, usize>,
    /// How packets are lost.
    pub loses_by: &'static str,
}

impl<'a> Faults<'a> {
    /// The same ones for the same seed.
    pub(crate) fn new(world: &'a mut World, seed: u64) -> Self {
        Self { world, dice: Dice(seed), waiting: Vec::new(), made: BTreeMap::new(), loses_by: "nothing" }
    }

    /// Makes so many: of thirteen in a row each is of another kind.
    pub(crate) fn make(&mut self, faults: usize) {
        let mut deck = Vec::new();
        for _ in 0..faults {
            if deck.is_empty() {
                deck = ALL.to_vec();
            }
            let kind = deck.swap_remove(self.dice.roll(deck.len() as u64) as usize);
            let until = Instant::now() + Duration::from_millis(PAUSE_MS + self.dice.roll(MORE_MS));
            self.wait(until);
            self.make_one(kind);
            *self.made.entry(kind).or_default() += 1;
        }
        while let Some(last) = self.waiting.iter().map(|(at, _)| *at).max() {
            self.wait(last);
        }
    }

    /// Waits, ends faults that are due, and restarts runners that have ended.
    fn wait(&mut self, until: Instant) {
        loop {
            let now = Instant::now();
            let due: Vec<Cure> =
                self.waiting.extract_if(.., |(at, _)| *at <= now).map(|(_, cure)| cure).collect();
            due.into_iter().for_each(|cure| self.end(cure));
            self.world.look_after_runners();
            if now >= until {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn end(&mut self, cure: Cure) {
        let world = &mut *self.world;
        match cure {
            Cure::Mend(runner) => world.machines[runner].network.mend(),
            Cure::Empty(runner) => world.machines[runner].disk.empty(),
            Cure::Thaw(runner) => world.signal_runner(runner, libc::SIGCONT),
            Cure::ThawService => world.signal_service(libc::SIGCONT),
            Cure::Answer => world.target.set_away(false),
            Cure::Renew => credential::renew(&world.folder),
        }
    }

    fn lasting(&mut self, cure: Cure, least_ms: u64, more_ms: u64) {
        let time = Duration::from_millis(least_ms + self.dice.roll(more_ms));
        self.waiting.push((Instant::now() + time, cure));
    }

    /// A runner that has no lasting fault; one is waited for.
    fn a_runner(&mut self) -> usize {
        loop {
            let is_free =
                |runner: &usize| !self.waiting.iter().any(|(_, cure)| cure.runner() == Some(*runner));
            let free: Vec<usize> = (0..RUNNERS).filter(is_free).collect();
            if !free.is_empty() {
                return free[self.dice.roll(free.len() as u64) as usize];
            }
            self.wait(Instant::now() + Duration::from_millis(50));
        }
    }

    fn step_s(&mut self) -> i64 {
        let size = (LEAST_STEP_S + self.dice.roll(MOST_STEP_S - LEAST_STEP_S)).cast_signed();
        match self.dice.roll(5) {
            0 => 0,
            1..3 => size,
            _ => -size,
        }
    }

    fn make_one(&mut self, kind: Kind) {
        match kind {
            Kind::ServiceKilled => {
                // A service that ended unexpectedly is an error.
                self.world.service.id();
                self.world.service.kill();
                std::thread::sleep(Duration::from_millis(self.dice.roll(200)));
                self.world.service.start_again();
            }
            Kind::RunnerKilled => {
                let runner = self.dice.roll(RUNNERS as u64) as usize;
                self.world.kill_runner(runner);
            }
            Kind::DatabaseKilled => {
                self.world.server.kill().unwrap();
                std::thread::sleep(Duration::from_millis(self.dice.roll(500)));
                self.world.server.start_again().unwrap();
            }
            Kind::ShortCut | Kind::LongCut => {
                let runner = self.a_runner();
                self.world.machines[runner].network.cut();
                let least_ms = if kind == Kind::LongCut { LEASE_MS + 500 } else { 300 };
                self.lasting(Cure::Mend(runner), least_ms, 2_500);
            }
            Kind::PacketsLost => {
                let runner = self.a_runner();
                let percent = 15 + self.dice.roll(45);
                self.loses_by = self.world.machines[runner].network.lose(percent);
                self.lasting(Cure::Mend(runner), 1_000, 5_000);
            }
            Kind::DiskFull => {
                let runner = self.a_runner();
                self.world.machines[runner].disk.fill();
                self.lasting(Cure::Empty(runner), 1_000, 5_000);
            }
            Kind::RunnerClockStepped => {
                let (runner, step_s) = (self.dice.roll(RUNNERS as u64) as usize, self.step_s());
                self.world.machines[runner].clock.step(step_s);
            }
            Kind::ServiceClockStepped => {
                let step_s = self.step_s();
                self.world.clock.step(step_s);
            }
            Kind::RunnerFrozen => {
                let runner = self.a_runner();
                self.world.signal_runner(runner, libc::SIGSTOP);
                self.lasting(Cure::Thaw(runner), LEASE_MS + 500, 1_500);
            }
            Kind::NotifyTargetAway => {
                self.waiting.retain(|(_, cure)| *cure != Cure::Answer);
                self.world.target.set_away(true);
                self.lasting(Cure::Answer, 1_000, 5_000);
            }
            Kind::CredentialsExpired => {
                credential::expire(&self.world.folder);
                self.lasting(Cure::Renew, 500, 3_000);
            }
            Kind::ServiceFrozen => {
                while self.waiting.iter().any(|(_, cure)| *cure == Cure::ThawService) {
                    self.wait(Instant::now() + Duration::from_millis(50));
                }
                self.world.signal_service(libc::SIGSTOP);
                self.lasting(Cure::ThawService, LEASE_MS + 500, 1_500);
            }
        }
    }
}
