//! The example of the library in another program, on real stacks.

use std::path::PathBuf;
use std::process::Command;

/// Cargo builds examples with the tests, next to the folder of their programs.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("examples").join(name)
}

#[test]
fn two_stacks_are_compared_through_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(example("embed"))
        .args(["rustls/ring", "openssl"])
        .env("TMPDIR", folder.path())
        .output()
        .expect("the example starts");
    let (verdict, progress) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{verdict}{progress}");
    // OpenSSL takes several times the instructions of ring for this, on both sides.
    assert!(verdict.starts_with("openssl against rustls/ring: 2 regressions (up to "), "{verdict}");
    assert!(progress.contains("prove") && progress.contains("count"), "{progress}");
}

#[test]
fn a_stack_that_does_not_exist_is_an_error_with_its_name() {
    let output = Command::new(example("embed")).args(["rustls/ring", "no-such-stack"]).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-stack"));
}
