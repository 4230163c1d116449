//! Kill -9 of the service, of its runners and of its database at random moments: every job ends once, no delivery is lost, no pull
//! request has two comments, and every status is the right one.
//!
//! `TLSLAB_SERVICE_KILLS` is the number of kills, `TLSLAB_SERVICE_KILL_SEED` their seed. Killed processes are
//! restarted, as by a supervisor.

mod author;
mod checks;
mod dice;
mod forge;
mod place;
#[path = "../support/mod.rs"]
mod support;
mod world;

use std::str::FromStr;
use std::time::{Duration, Instant};

use tlslab_testing::postgres::Server;

use author::Author;
use dice::Dice;
use forge::Forge;
use place::LEASE_MS;
use world::{RUNNERS, World};

const KILLS: usize = 20;
/// Fewer kills have as many jobs.
const FEWEST_JOBS: usize = 40;
/// Between two kills, ms: at least, and up to so much more.
const PAUSE_MS: u64 = 200;
const MORE_MS: u64 = 700;

/// After so many kills a runner stands still for longer than its lease.
const FREEZES_EVERY: usize = 8;

/// How often each was killed, and how often a runner stood still.
#[derive(Debug, Default)]
struct Kills {
    service: usize,
    runners: usize,
    database: usize,
    frozen: usize,
}

#[test]
fn kill_9_on_a_file() {
    play("SQLite", None);
}

#[test]
fn kill_9_on_a_server() {
    play("PostgreSQL", Some(Server::shared(false).expect("a server")));
}

/// Not a test: the tests above start this program again as a runner.
#[test]
fn runner_process() {
    place::be_runner();
}

fn from_environment<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn play(database: &str, server: Option<&'static Server>) {
    let kills: usize = from_environment("TLSLAB_SERVICE_KILLS").unwrap_or(KILLS);
    let seed: u64 = from_environment("TLSLAB_SERVICE_KILL_SEED").unwrap_or_else(rand::random);
    // Some change a pull request before it was measured, and make no job.
    let jobs = kills.max(FEWEST_JOBS) * 11 / 10;
    eprintln!(
        "{database}: again with TLSLAB_SERVICE_KILLS={kills} TLSLAB_SERVICE_KILL_SEED={seed}; what is hit depends on the machine, too"
    );
    let folder = tempfile::tempdir().unwrap();
    let forge = Forge::start(seed ^ 1);
    let mut world = World::start(folder.path(), &forge.api(), server);
    let mut author = Author::new(&world, &forge, seed ^ 2);
    let begun = Instant::now();
    let pause_ms = kills as u64 * (PAUSE_MS + MORE_MS / 2) * 2 / 3 / jobs as u64;
    let killed = std::thread::scope(|scope| {
        let sending = scope.spawn(|| author.send(jobs, pause_ms));
        let killed = kill(&mut world, kills, &mut Dice(seed ^ 3));
        sending.join().unwrap();
        killed
    });
    forge.kept().is_calm = true;
    checks::wait_for_quiet(&world, Duration::from_secs(60 + 2 * jobs as u64));
    let (figures, wrong) = checks::check(&world, &forge, &author);
    eprintln!("{database}, {:.0} s, {killed:?}: {figures}", begun.elapsed().as_secs_f64());
    assert!(world.service.ends_within(Duration::from_secs(15)), "it has not ended 15 s after SIGTERM");
    let left = world.stop();
    assert!(wrong.is_empty(), "seed {seed}: {}", wrong.join("\n"));
    assert!(left.is_empty(), "seed {seed}: processes are left: {left:?}");
}

fn kill(world: &mut World, kills: usize, dice: &mut Dice) -> Kills {
    let mut killed = Kills::default();
    let mut frozen: Option<(usize, Instant)> = None;
    for number in 1..=kills {
        std::thread::sleep(Duration::from_millis(PAUSE_MS + dice.roll(MORE_MS)));
        if let Some((runner, _)) = frozen.take_if(|(_, until)| Instant::now() > *until) {
            world.signal_runner(runner, libc::SIGCONT);
        }
        if number % FREEZES_EVERY == 0 && frozen.is_none() {
            let runner = dice.roll(RUNNERS as u64) as usize;
            world.signal_runner(runner, libc::SIGSTOP);
            frozen = Some((runner, Instant::now() + Duration::from_millis(LEASE_MS + 500)));
            killed.frozen += 1;
        }
        match (dice.roll(10), world.server) {
            (0..2, Some(server)) => {
                server.kill().unwrap();
                std::thread::sleep(Duration::from_millis(dice.roll(500)));
                server.start_again().unwrap();
                killed.database += 1;
            }
            (0..6, _) => {
                // A service that ended unexpectedly is an error.
                world.service.id();
                world.service.kill();
                std::thread::sleep(Duration::from_millis(dice.roll(200)));
                world.service.start_again();
                killed.service += 1;
            }
            _ => {
                world.kill_runner(dice.roll(RUNNERS as u64) as usize);
                killed.runners += 1;
            }
        }
    }
    if let Some((runner, until)) = frozen {
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        world.signal_runner(runner, libc::SIGCONT);
    }
    killed
}
