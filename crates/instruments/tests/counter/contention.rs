//! Lines and locks that threads share, in a program that has one of each kind.

use std::process::Command;

use crate::under::Compiled;

/// The counter's output for a program whose threads take turns.
fn noted(flags: &[&str], threads: &str, turns: &str) -> String {
    let program = Compiled::new("contention", flags);
    let file = program.place("noted");
    let said = program.run(&["--contention=yes"], &[threads, turns, file.to_str().unwrap()]);
    assert_eq!(said, "0\n");
    std::fs::read_to_string(file).unwrap()
}

/// The lines of one kind, by fields.
fn rows<'n>(noted: &'n str, kind: &str) -> Vec<Vec<&'n str>> {
    let rows = noted.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row[0] == kind).map(|row| row[1..].to_vec()).collect()
}

/// The figures of each bucket, divided by the turns that all threads made.
fn each_turn(noted: &str, turns: u64) -> Vec<Vec<u64>> {
    let number = |field: &&str| field.parse::<u64>().unwrap();
    let share = |value: u64| {
        assert_eq!(value % turns, 0, "{noted}");
        value / turns
    };
    let rows = rows(noted, "bucket");
    rows.iter().map(|row| row[1..].iter().map(number).map(share).collect()).collect()
}

/// By bucket: atomic operations, stores and loads on lines that threads share, and instructions under a lock
/// that one holds alone.
const EACH_TURN: [[u64; 4]; 19] = [
    // A count of references.
    [1, 0, 0, 0],
    // Two counters on one line.
    [0, 1, 1, 0],
    // A mutex within a mutex, which counts once.
    [4, 8, 14, 250],
    // A read lock is held together.
    [4, 0, 5, 0],
    // A write lock.
    [5, 4, 6, 105],
    // A lock that is compiled in.
    [1, 1, 0, 105],
    // A spin lock.
    [1, 1, 0, 105],
    // Each thread's own mutex.
    [0, 0, 0, 0],
    // A block that the next thread gets after it was freed.
    [0, 0, 0, 0],
    // A block that all use.
    [1, 0, 0, 0],
    // A byte, as parking_lot has it.
    [2, 0, 0, 106],
    // A word, as Abseil has it, for a writer and for a reader.
    [2, 0, 0, 104],
    [2, 0, 2, 0],
    // A count of readers, as Rust's standard library has it, for a writer and for a reader.
    [2, 0, 0, 103],
    [2, 0, 0, 0],
    // A lock that is released by a 0 that was computed.
    [1, 1, 0, 105],
    // A condition.
    [4, 0, 0, 210],
    // Set up once.
    [0, 0, 0, 0],
    // A word that another thread clears.
    [2, 0, 0, 0],
];

#[test]
fn each_turn_takes_the_same_whatever_the_number_of_threads() {
    for (threads, turns) in [("2", 16), ("4", 32)] {
        let noted = noted(&[], threads, "8");
        // What the C library does within its own locks depends on its version.
        let of_library = [2, 3, 4, 16];
        let found = each_turn(&noted, turns);
        assert_eq!(found.len(), EACH_TURN.len());
        for (bucket, (found, expected)) in found.iter().zip(EACH_TURN).enumerate() {
            if of_library.contains(&bucket) {
                assert!((2..=12).contains(&found[0]), "bucket {}: {found:?}", bucket + 1);
                let more = if expected[3] > 200 { 60 } else { 1 };
                assert!(
                    (expected[3]..expected[3] + more).contains(&found[3]),
                    "bucket {}: {found:?}",
                    bucket + 1
                );
            } else {
                assert_eq!(*found, expected, "bucket {}", bucket + 1);
            }
        }
        assert_eq!(noted, self::noted(&[], threads, "8"), "the same again");
    }
}

#[test]
fn a_line_is_named_and_false_sharing_told_from_true() {
    let noted = noted(&[], "2", "4");
    let lines = rows(&noted, "line");
    let kind_of = |name: &str| {
        let found = lines.iter().find(|line| line[2].starts_with(name) || line[3].contains(name));
        found.unwrap_or_else(|| panic!("{name}: {noted}"))[..2].to_vec()
    };
    assert_eq!(kind_of("counted+"), ["true", "static"]);
    assert_eq!(kind_of("neighbours+"), ["false", "static"]);
    assert_eq!(kind_of("lends;main"), ["true", "heap"]);
    for absent in ["private_locks", "uses_freed_memory"] {
        assert!(lines.iter().all(|line| !line.join(" ").contains(absent)), "{absent}: {noted}");
    }
    let padded = self::noted(&["-DPADDED"], "2", "4");
    assert!(!padded.contains("neighbours"), "{padded}");
    assert!(noted.contains("\tcounts_references;takes_turns;"), "{noted}");
}

#[test]
fn a_lock_is_named_with_the_function_that_takes_it() {
    let noted = noted(&[], "2", "4");
    let locks = rows(&noted, "lock");
    let expected = [
        ("mutex+0", "takes_mutexes"),
        ("inner+0", "takes_mutexes"),
        ("spin+0", "spins"),
        ("flag+0", "sets_flag"),
        ("table+0", "writes_table"),
        ("byte+0", "takes_byte"),
        ("word+0", "takes_word"),
        ("readers+0", "writes_counted"),
        ("plain+0", "sets_to"),
        ("waited+0", "waits"),
    ];
    for (name, taker) in expected {
        let taken_in =
            |lock: &Vec<&str>| lock[1] == name && lock[3].split(';').any(|function| function == taker);
        assert!(locks.iter().any(taken_in), "{name}: {locks:?}");
    }
    assert_eq!(locks.len(), expected.len(), "{locks:?}");
}

/// LLD makes two writable segments whose pages in the file overlap, and valgrind misplaces the second one.
/// Rust's own toolchain brings it.
#[test]
fn variables_are_named_whoever_linked_the_program() {
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let sysroot = String::from_utf8(rustc.stdout).unwrap();
    let linker = format!("-B{}/lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld", sysroot.trim());
    let names = |flags: &[&str]| -> Vec<String> {
        let noted = noted(flags, "2", "4");
        rows(&noted, "lock").iter().map(|lock| format!("{} {}", lock[0], lock[1])).collect()
    };
    assert_eq!(names(&[&linker, "-fuse-ld=lld"]), names(&[]));
}
