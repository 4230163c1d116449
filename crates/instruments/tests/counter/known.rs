//! Instructions, loads and stores of functions in assembly.

use crate::under::Compiled;

/// Counted by hand, without the return.
const ONCE: &str = "\
loop 2001 0 0
skips 5 2 0
takes 9 2 0
accesses 12 7 7
vectors 5 2 1
masked 4 4 1
moves_10 5 1 1
moves_1000 5 1 1
moves_0 5 1 1
stores_64 4 0 1
compares 6 2 2
scans 4 1 0
";

/// The same with each iteration, and the final test that ends it.
const EACH: &str = "\
loop 2001 0 0
skips 5 2 0
takes 9 2 0
accesses 12 7 7
vectors 5 2 1
masked 4 4 1
moves_10 15 10 10
moves_1000 1005 1000 1000
moves_0 5 0 0
stores_64 68 0 64
compares 8 6 2
scans 7 4 0
";

#[test]
fn every_instruction_and_access_is_counted() {
    let program = Compiled::new("counts", &[]);
    for functions in ["--fn=no", "--fn=self", "--fn=callers"] {
        assert_eq!(program.run(&[functions], &[]), ONCE, "{functions}");
        assert_eq!(program.run(&[functions, "--rep=each"], &[]), EACH, "{functions}");
    }
}

#[test]
fn ten_runs_are_the_same() {
    let program = Compiled::new("counts", &[]);
    let first = program.run_aloud(&[]).1;
    let total = |said: &str| {
        said.lines()
            .find(|line| line.contains("bucket 0:"))
            .map(|line| line[line.find("bucket").unwrap()..].to_owned())
    };
    assert!(total(&first).is_some(), "{first}");
    for _ in 1..10 {
        assert_eq!(total(&program.run_aloud(&[]).1), total(&first));
    }
}

#[test]
fn without_the_counter_there_is_none() {
    let program = Compiled::new("counts", &[]);
    let output = std::process::Command::new(program.place("main")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "no counter\n");
    let under_another = std::process::Command::new("valgrind")
        .args(["-q", "--tool=none"])
        .arg(program.place("main"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&under_another.stdout), "no counter\n");
}
