//! The counter against callgrind itself.

use std::process::Command;

use crate::under::Compiled;

/// What callgrind collected: instructions, loads and stores.
fn by_callgrind(program: &Compiled) -> [u64; 3] {
    let out = program.place("callgrind.out");
    let mut command = Command::new("valgrind");
    command.env_clear().env("PATH", "/usr/bin:/bin").args(["--tool=callgrind", "--cache-sim=yes"]);
    let (_, aloud) = program.finish(command.arg(format!("--callgrind-out-file={}", out.display())), &[]);
    let line = aloud.lines().find_map(|line| line.split_once("Collected :")).unwrap().1;
    let mut numbers = line.split_whitespace().map(|number| number.parse().unwrap());
    [(); 3].map(|()| numbers.next().unwrap())
}

fn by_us(program: &Compiled, rep: &str) -> [u64; 3] {
    let (_, aloud) = program.run_aloud(&[rep]);
    let line = aloud.lines().find_map(|line| line.split_once("bucket 0: ")).unwrap().1;
    let mut numbers = line.split(' ').filter_map(|word| word.parse().ok());
    [(); 3].map(|()| numbers.next().unwrap())
}

/// By hand: 1 + 100 × 5 before the string, 4 with it, call and jump, 3 of the function's 6, 3 at the end.
const BARE: u64 = 1 + 500 + 4 + 2 + 3 + 3;

#[test]
fn a_program_counts_as_under_callgrind_but_for_what_is_known() {
    let program = Compiled::new("bare", &["-static", "-nostdlib", "-nostartfiles"]);
    let [instructions, loads, stores] = by_us(&program, "--rep=each");
    assert_eq!([instructions, loads, stores], [BARE + 50, 100 + 100 + 50 + 1, 100 + 100 + 50 + 1]);
    let [theirs, their_loads, their_stores] = by_callgrind(&program);
    // Callgrind counts a block once it is left, and the last one never is.
    assert_eq!(instructions, theirs + 3);
    // Callgrind counts what loads and stores in one instruction as a store alone.
    assert_eq!(loads, their_loads + 100);
    assert_eq!(stores, their_stores);
    assert_eq!(by_us(&program, "--rep=once"), [BARE, 100 + 100 + 1 + 1, 100 + 100 + 1 + 1]);
}
