//! Shared parts of the tests on real stacks. Stacks are built once, into the user's cache.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod exact;
pub(crate) mod own_folder;
pub(crate) mod plant;

use std::path::PathBuf;
use std::process::{Command, Output};

/// The lab's command, in the lab's own tree.
pub(crate) fn tlslab() -> Command {
    let mut command = lab_without_root();
    command.args(["--root", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")]);
    command
}

/// The lab's command, with those of its variables that tests share.
fn lab_without_root() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    for (name, _) in std::env::vars_os() {
        let is_own = name.as_encoded_bytes().starts_with(b"TLSLAB_");
        if is_own && name != "TLSLAB_CACHE" && name != "TLSLAB_SANDBOX" {
            command.env_remove(name);
        }
    }
    command
}

/// Standard output of a command that must succeed.
pub(crate) fn stdout(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}\n--- stdout\n{}\n--- stderr\n{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// A stack's driver, built if needed.
pub(crate) fn driver(stack: &str) -> PathBuf {
    let output = tlslab().args(["build", stack]).output().expect("the lab starts");
    let listed = stdout(&output);
    let path = listed.lines().find_map(|line| line.strip_prefix(&format!("{stack}: ")));
    let path = path.unwrap_or_else(|| panic!("no driver of {stack} in:\n{listed}"));
    // The rest is the duration.
    PathBuf::from(path.split(" (").next().unwrap_or(path))
}

/// The lab's keys on P-256.
pub(crate) fn pki() -> tlslab_pki::Pki {
    // Any request lets the lab make its keys, and names their folder.
    let scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
    let output = tlslab().args(["requests", "--scenario", scenario]).output().expect("the lab starts");
    let requests = stdout(&output);
    let prepare = requests.lines().find(|line| line.contains("\"prepare\"")).expect("a prepare request");
    let prepare: serde_json::Value = serde_json::from_str(prepare).expect("requests are JSON");
    let root = PathBuf::from(prepare["prepare"]["credentials"]["root"].as_str().expect("a path"));
    let folder =
        root.ancestors().find(|folder| folder.ends_with(tlslab_pki::LAYOUT)).expect("the keys' folder");
    tlslab_pki::Pki::ensure(folder, &[tlslab_protocol::KeyType::EcdsaP256]).expect("the keys are there")
}

/// The stacks that `make test` works on.
pub(crate) const STACKS: [&str; 3] = ["rustls/ring", "openssl", "bertie"];
