//! Planted contention in a real library is found and named, each kind separately.

mod support;

use std::path::Path;

use serde_json::Value;
use support::plant::{copied, plant};
use support::stdout;
use tlslab_contention::{Contention, Line, Owner};

const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";
/// The default of `tlslab contention`.
const CONNECTIONS: u64 = 8;

/// The place where records are encrypted and decrypted.
const FILE: &str = "src/record_layer.rs";
const ENCRYPTS: &str = "        debug_assert!(self.encrypt_state == DirectionState::Active);";
const DECRYPTS: &str = "        let want_close_before_decrypt = self.read_seq == SEQ_SOFT_LIMIT;\n\n        let encrypted_len = encr.payload.len();";

/// A lock that is held while a record is encrypted. Each plant has a line of its own: variables that share
/// one count as one line.
const LOCK: &str = "        #[repr(align(64))]
        struct Records(std::sync::Mutex<u64>);
        static RECORDS: Records = Records(std::sync::Mutex::new(0));
        let mut records = RECORDS.0.lock().unwrap();
        *records += 1;";

/// A count of references that all connections share.
const REFERENCES: &str = "        #[repr(align(64))]
        struct Users(core::sync::atomic::AtomicUsize);
        static USERS: Users = Users(core::sync::atomic::AtomicUsize::new(0));
        USERS.0.fetch_add(1, core::sync::atomic::Ordering::Relaxed);";

/// Each thread's own counter: several on a line, or each on its own.
fn counters(line: &str) -> String {
    format!(
        "        {{
            use core::sync::atomic::{{AtomicU64, AtomicUsize, Ordering::Relaxed}};
            #[repr(align(64))]
            struct Line<T>(T);
            static COUNTERS: {line};
            static THREADS: AtomicUsize = AtomicUsize::new(0);
            std::thread_local! {{ static MINE: usize = THREADS.fetch_add(1, Relaxed) % 8; }}
            let mine = MINE.with(|mine| *mine);
            let counter = &COUNTERS.0[mine].0;
            counter.store(counter.load(Relaxed) + 1, Relaxed);
        }}"
    )
}

/// A copy of rustls with costs behind lines of it.
fn stack(folder: &Path, costs: &[[&str; 2]]) -> String {
    let rustls = copied(folder, "rustls/ring", "rustls");
    for [behind, cost] in costs {
        plant(&rustls.join(FILE), behind, cost);
    }
    format!("rustls/ring@path:{}", rustls.display())
}

fn noted(stack: &str) -> Contention {
    let mut command = support::tlslab();
    command.args(["contention", "--stack", stack, "--scenario", TRANSFER, "--format", "json"]);
    serde_json::from_str(&stdout(&command.output().unwrap())).unwrap()
}

/// The line that a variable is on.
fn line<'c>(found: &'c Contention, named: &str) -> Option<&'c Line> {
    let is_it = |owner: &Owner| matches!(owner, Owner::Static { variable, .. } if variable.contains(named));
    found.lines.iter().find(|line| is_it(&line.owner))
}

#[test]
#[ignore = "builds rustls three times, two minutes: `make test-all`"]
fn a_lock_a_count_of_references_and_counters_of_one_line_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let near = counters("Line<[Line8; 8]> = Line([const { Line8(AtomicU64::new(0)) }; 8])")
        .replace("static COUNTERS", "struct Line8(AtomicU64);\n            static COUNTERS");
    let apart = counters("Line<[Line<AtomicU64>; 8]> = Line([const { Line(AtomicU64::new(0)) }; 8])");
    let base = stack(&folder.path().join("base"), &[]);
    let worse = format!("{LOCK}\n{near}");
    let worse = stack(&folder.path().join("worse"), &[[ENCRYPTS, &worse], [DECRYPTS, REFERENCES]]);
    let padded = stack(&folder.path().join("padded"), &[[ENCRYPTS, &apart]]);

    assert!(noted(&base).lines.is_empty(), "records of rustls are written and read without sharing");
    let found = noted(&worse);
    // The lock: its name, the functions that take it, and the work under it.
    let lock = found
        .locks
        .iter()
        .find(|lock| matches!(&lock.owner, Owner::Static { variable, .. } if variable.contains("RECORDS")));
    let lock = lock.unwrap_or_else(|| panic!("{:?}", found.locks));
    assert!(lock.taken_in.iter().any(|name| name.contains("encrypt_outgoing")), "{lock:?}");
    let held = lock.in_all();
    assert_eq!(held.alone, CONNECTIONS);
    let encrypted = found.side("client").serial_instructions / CONNECTIONS;
    assert!(encrypted > 5_000, "16 KiB are encrypted meanwhile: {encrypted} instructions");
    assert_eq!(held.instructions, found.side("client").serial_instructions);
    // The count: one operation on a line that is truly shared, on the side that decrypts.
    let users = line(&found, "USERS").unwrap_or_else(|| panic!("{:?}", found.lines));
    assert!(users.is_truly_shared && users.accesses().atomics == CONNECTIONS, "{users:?}");
    assert!(users.touches.iter().all(|touch| touch.step.starts_with("server.")), "{users:?}");
    // The counters: false sharing.
    let counters = line(&found, "COUNTERS").unwrap_or_else(|| panic!("{:?}", found.lines));
    assert!(!counters.is_truly_shared && counters.accesses().stores == CONNECTIONS, "{counters:?}");

    // Each on a line of its own, they are not shared.
    let found = noted(&padded);
    assert!(line(&found, "COUNTERS").is_none(), "{:?}", found.lines);
    assert_eq!(found.side("client").library.stores, 0);

    let out = folder.path().join("out");
    let mut command = support::tlslab();
    command.args([
        "compare",
        &base,
        &worse,
        "--metric",
        "contention",
        "--scenario",
        TRANSFER,
        "--format",
        "json",
    ]);
    let output = command.arg("--out").arg(&out).output().unwrap();
    let comparison: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |metric: &str, side: &str, name: &str| {
        let is_it = |change: &&Value| change["metric"] == metric && change["side"] == side;
        let change = comparison["changes"].as_array().unwrap().iter().find(is_it).unwrap();
        assert_eq!(change["verdict"], "regression", "{change}");
        let reasons = change["reasons"].as_array().unwrap();
        let is_named = |reason: &Value| reason["function"].as_str().unwrap().contains(name);
        assert!(reasons.iter().any(is_named), "{metric} of the {side}: {reasons:?}");
    };
    named("contention.serial", "client", "encrypt_outgoing");
    named("contention.atomics", "server", "USERS");
}
