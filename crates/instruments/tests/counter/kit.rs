//! The driver kit's requests to the counter.

use std::process::Command;

use crate::under::Compiled;

#[test]
fn the_kit_asks_and_the_counter_answers() {
    let program = Compiled::rust("kit");
    let place = program.place("dump");
    let said = program.run(&["--fn=self"], &[place.to_str().unwrap()]);
    // Three instructions per switch, in the bucket that it leaves; and one of the compiler's, which may keep
    // the previous bucket in another register.
    assert_eq!(said, "100 true 0 0\ntrue\nNone true\nSome(13)\nOk(())\n");
    let dump = std::fs::read_to_string(&place).unwrap();
    assert!(dump.contains("kit::hundred") && dump.contains("totals: 10"), "{dump}");
    assert_eq!(program.run(&[], &["x"]).lines().last(), Some("Err(Some(22))"));
}

#[test]
fn without_the_counter_the_kit_finds_none() {
    let program = Compiled::rust("kit");
    let mut another = Command::new("valgrind");
    for command in [&mut Command::new("env"), another.args(["-q", "--tool=none"])] {
        assert_eq!(program.finish(command, &[]).0, "no counter\n");
    }
}
