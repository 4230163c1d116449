//! What real stacks ask of the kernel: the same in each run, by phase, in both states of the heap.

mod support;

use std::path::Path;

use serde_json::Value;
use support::exact::{self, Figures, figures, lab};

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const SOCKETS: &str = "sockets/handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const REQUEST: &str = "request/1.2/full/ecdsa-p256/x25519/aes-128-gcm/none";
const WRITES: &str = "sizes/1.3/aes-128-gcm/client-sends/1MiB";
const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";

fn run(own: &Path, stacks: &[&str], scenarios: &[&str]) -> Value {
    exact::run(own, "kernel", stacks, scenarios)
}

fn figure(of: &Figures, scenario: &str, stack: &str, side: &str, metric: &str) -> f64 {
    of.get(&[scenario, stack, side, metric].map(str::to_owned)).map_or(0.0, |value| value[0])
}

/// Whether a figure is the same in each run: a fresh page may be touched in one connection or context of many,
/// by chance of the lengths of signatures.
fn is_fixed(key: &&[String; 4]) -> bool {
    !key[3].contains("faults")
}

#[test]
fn figures_repeat_and_phases_add_up() {
    let own = tempfile::tempdir().unwrap();
    let (stacks, scenarios) = (["openssl", "rustls/ring", "openssl+trimming"], [HANDSHAKE, TRANSFER]);
    let found = figures(&run(own.path(), &stacks, &scenarios));
    let again = figures(&run(own.path(), &stacks, &scenarios));
    assert_eq!(found.keys().filter(is_fixed).count(), again.keys().filter(is_fixed).count());
    for (key, value) in found.iter().filter(|(key, _)| is_fixed(key)) {
        assert_eq!(Some(value), again.get(key), "{key:?}");
    }
    for (stack, side) in stacks.iter().flat_map(|stack| ["client", "server"].map(|side| (*stack, side))) {
        let of = |metric: &str| figure(&found, HANDSHAKE, stack, side, metric);
        let phases = ["create", "handshake", "post_handshake", "free"];
        for metric in ["calls", "faults", "grown", "returned"] {
            let sum: f64 = phases.iter().map(|phase| of(&format!("kernel.{metric}.{phase}"))).sum();
            assert_eq!(of(&format!("kernel.{metric}")), sum, "{stack}, {side}, {metric}");
        }
        let named = found.iter().filter(|(key, _)| {
            let parts = key[3].split('.').count();
            key[..3] == [HANDSHAKE, stack, side].map(str::to_owned)
                && key[3].starts_with("kernel.call.")
                && parts == 3
        });
        assert_eq!(of("kernel.calls"), named.map(|(_, value)| value[0]).sum::<f64>(), "{stack}, {side}");
    }
    // Its random number generator looks for forks.
    assert!(
        figure(&found, HANDSHAKE, "openssl", "server", "kernel.call.getpid.handshake") > 0.0,
        "{found:?}"
    );
    // Where memory stays in the process, the heap of a warm one neither grows nor shrinks.
    for (stack, metric) in ["openssl", "rustls/ring"]
        .iter()
        .flat_map(|stack| ["grown", "returned"].map(|metric| (*stack, metric)))
    {
        let both = ["client", "server"]
            .map(|side| figure(&found, HANDSHAKE, stack, side, &format!("kernel.{metric}")));
        assert_eq!(both, [0.0, 0.0], "{stack}, {metric}");
    }
}

#[test]
fn a_comparison_names_calls_and_phases_and_a_history_has_the_series() {
    let own = tempfile::tempdir().unwrap();
    let text = lab(
        own.path(),
        &[
            "compare",
            "rustls/ring",
            "openssl",
            "--metric",
            "kernel",
            "--scenario",
            HANDSHAKE,
            "--format",
            "json",
        ],
    );
    let found: Value = serde_json::from_str(&text).unwrap();
    let change = |side: &str, metric: &str| {
        let mut changes = found["changes"].as_array().unwrap().iter();
        changes.find(|change| change["side"] == side && change["metric"] == metric).unwrap()
    };
    let calls = change("server", "kernel.calls");
    assert_ne!(calls["verdict"], "not_significant", "{calls}");
    let reasons = calls["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["function"] == "getpid in handshake"), "{calls}");
    let shown =
        lab(own.path(), &["run", "--metric", "kernel", "--stack", "openssl", "--scenario", HANDSHAKE]);
    for part in
        ["Asked of the kernel by both sides together: ", "System calls and page faults by phase", "getpid"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let history = lab(own.path(), &["history", "--metric", "kernel.calls", "--side", "server"]);
    assert!(history.contains("openssl") && history.contains("kernel.calls"), "{history}");
}

/// With a program's buffers the C library gives the heap's end back in each connection, and in no other state.
#[test]
fn buffers_that_are_freed_with_a_connection_make_the_heap_shrink() {
    let own = tempfile::tempdir().unwrap();
    let stacks = ["openssl", "openssl+trimming-buffers"];
    let found = figures(&run(own.path(), &stacks, &[REQUEST]));
    let of = |stack: &str, metric: &str| figure(&found, REQUEST, stack, "server", metric);
    assert_eq!((of(stacks[0], "kernel.call.brk"), of(stacks[0], "kernel.returned")), (0.0, 0.0));
    assert_eq!(of(stacks[1], "kernel.call.brk"), 2.0, "once back, and once asked for");
    assert_eq!(of(stacks[1], "kernel.returned"), of(stacks[1], "kernel.grown"));
    assert!(of(stacks[1], "kernel.returned") >= 131_072.0 && of(stacks[1], "kernel.faults") >= 1.0);
}

/// Its times contain faults, and each form of the table says so; so does the note on the heap.
#[test]
fn a_row_whose_writes_fault_says_so_next_to_its_times() {
    let own = tempfile::tempdir().unwrap();
    let arguments =
        ["run", "--rounds", "2", "--budget", "2s", "--scenario", WRITES, "--stack", "rustls/ring"];
    let shown = lab(own.path(), &[&arguments[..], &["--stack", "rustls/ring+trimming-always"]].concat());
    let mark = shown.lines().map(str::trim).find(|line| line.starts_with("faults "));
    let mark = mark.unwrap_or_else(|| panic!("{shown}"));
    assert!(mark.ends_with(" per write"), "{mark}");
    let run = std::fs::read_dir(own.path().join("out")).unwrap().map(|entry| entry.unwrap().path());
    let run = run.into_iter().find(|path| path.is_dir()).unwrap();
    let read = |file: &str| std::fs::read_to_string(run.join(file)).unwrap();
    for file in ["report.md", "report.html"] {
        let text = read(file);
        assert_eq!(text.matches(mark).count(), 1, "{file}");
        assert!(text.contains("Heap: freed memory stays in the process"), "{file}");
        assert!(text.contains("rustls/ring+trimming-always gives memory back"), "{file}");
    }
    let report: Value = serde_json::from_str(&read("results.json")).unwrap();
    let marked = report["cells"].as_array().unwrap().iter().filter(|cell| !cell["faults"].is_null());
    let marked: Vec<&Value> = marked.collect();
    assert_eq!(marked.len(), 2, "each side's time: {marked:?}");
    for cell in marked {
        assert_eq!(
            (&cell["metric"], &cell["stack"]),
            (&"time".into(), &"rustls/ring+trimming-always".into())
        );
        // The pages of the 64 KiB that rustls keeps, once a write, or again each time it has handed them out.
        assert!(cell["faults"].as_f64().unwrap() >= 16.0, "{cell}");
    }
}

#[test]
fn what_cannot_be_counted_has_a_reason() {
    let own = tempfile::tempdir().unwrap();
    let report = run(own.path(), &["rustls/ring"], &[SOCKETS]);
    let cell = &report["exact"][0];
    let reason = cell["unsupported"].as_str().unwrap_or_else(|| panic!("{cell}"));
    assert!(reason.contains("sockets, whose system calls are the kit's"), "{reason}");
}
