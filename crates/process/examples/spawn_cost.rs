//! The cost of a keeper: starts `/bin/true` many times with and without one, and prints the median of each.

use std::process::Command;
use std::time::{Duration, Instant};

use tlslab_process::Program;

fn main() {
    let plain = median(|| {
        Command::new("/bin/true").env_clear().status().expect("/bin/true can be started");
    });
    let kept = median(|| {
        let mut program = Program::new("/bin/true").spawn().expect("/bin/true can be started");
        program.wait().expect("its keeper is left alone");
    });
    let killed = median(|| {
        let mut program = Program::new("/bin/sleep").arg("1000").spawn().expect("/bin/sleep can be started");
        program.kill().expect("its keeper is left alone");
    });
    println!("without a keeper    {plain:>10.1?}");
    println!("with a keeper       {kept:>10.1?}");
    println!("and killed          {killed:>10.1?}");
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            work();
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

const ROUNDS: usize = 200;
