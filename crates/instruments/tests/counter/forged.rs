//! Sources of variation between processes.

use std::collections::BTreeMap;

use crate::under::Compiled;

fn lines(said: &str) -> BTreeMap<&str, &str> {
    said.lines().filter_map(|line| line.split_once(' ')).collect()
}

const RANDOM: [&str; 5] = ["getrandom", "read", "readv", "rdrand", "rdseed"];
const TIME: [&str; 6] = ["tsc", "tscp", "realtime", "monotonic", "day", "time"];

#[test]
fn equal_seeds_give_equal_values_and_others_give_others() {
    let program = Compiled::new("forged", &[]);
    let one = program.run(&[], &["7"]);
    assert_eq!(one, program.run(&[], &["7"]));
    let other = program.run(&[], &["8"]);
    let (one, other) = (lines(&one), lines(&other));
    for name in RANDOM {
        assert_ne!(one[name], other[name], "{name}");
    }
    assert_ne!(one["tsc"], other["tsc"]);
    let values: Vec<&str> = RANDOM.map(|name| one[name]).to_vec();
    assert!((1..5).all(|at| !values[..at].contains(&values[at])), "{values:?}");
    // Clocks tick once per reading, for every seed: the first two readings are of the time stamp, which is
    // separate.
    for said in [&one, &other] {
        assert_eq!(said["realtime"], "1767225600 1000");
        assert_eq!(said["monotonic"], "1000000 2000");
        assert_eq!(said["day"], "1767225600 3");
        assert_eq!(said["time"], "1767225600 1");
    }
    assert_eq!(one["zero"], "0".repeat(48));
}

#[test]
fn a_seed_begins_anew_within_a_process() {
    let program = Compiled::new("forged", &[]);
    let said = program.run(&[], &["7", "7"]);
    let all: Vec<&str> = said.lines().skip(2).collect();
    let (first, second) = all.split_at(all.len() / 2);
    assert_eq!(first, second);
}

#[test]
fn what_is_seeded_on_the_command_line_holds_before_the_first_instruction() {
    let program = Compiled::new("forged", &[]);
    let (one, other) = (program.run(&["--seed=5"], &[]), program.run(&["--seed=6"], &[]));
    assert_eq!(one, program.run(&["--seed=5"], &[]));
    assert_ne!(lines(&one)["at_random"], lines(&other)["at_random"]);
}

#[test]
fn each_forgery_can_be_left_out() {
    let program = Compiled::new("forged", &[]);
    let forged = program.run(&[], &["7"]);
    let forged = lines(&forged);
    let random = ["--forge-random=no"];
    let (one, other) = (program.run(&random, &["7"]), program.run(&random, &["7"]));
    let (one, other) = (lines(&one), lines(&other));
    for name in ["getrandom", "read", "readv", "at_random"] {
        assert_ne!(one[name], other[name], "{name}");
    }
    assert!(TIME.iter().all(|name| one[name] == forged[name]));
    let time = program.run(&["--forge-time=no"], &["7"]);
    let time = lines(&time);
    assert!(TIME.iter().all(|name| time[name] != forged[name]), "{time:?}");
    assert!(RANDOM.iter().all(|name| time[name] == forged[name]));
}

#[test]
fn adx_is_seen_unless_it_is_hidden() {
    let program = Compiled::new("forged", &[]);
    assert!(program.run(&[], &[]).starts_with("adx 1\n"));
    assert!(program.run(&["--adx=no"], &[]).starts_with("adx 0\n"));
}
