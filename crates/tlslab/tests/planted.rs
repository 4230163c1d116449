//! Planted costs in real libraries are found, and the function with the cost is named first.

mod support;

use std::path::Path;

use serde_json::Value;
use support::plant::{copied, plant};
use support::stdout;

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";
const HASH: &str = "primitive/hash/sha-256/16KiB";

/// Both packages, copied, with costs behind lines of theirs: package, file, the text, and the cost. They are
/// compared with copies, not with a registry's packages: the origin of a package affects how the compiler
/// splits it.
fn stack(folder: &Path, costs: &[[&str; 4]]) -> String {
    let [rustls, ring] = ["rustls", "ring"].map(|package| copied(folder, "rustls/ring", package));
    for [package, file, behind, cost] in costs {
        plant(&folder.join(package).join(file), behind, cost);
    }
    format!("rustls/ring@path:{},ring=path:{}", rustls.display(), ring.display())
}

/// The change of each side.
fn diff(base: &str, new: &str, scenario: &str, more: &[&str]) -> [Value; 2] {
    let mut command = support::tlslab();
    command.args(["diff", base, new, "--scenario", scenario, "--format", "json"]).args(more);
    let sheet: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    ["client", "server"].map(|name| {
        let sides = sheet["sides"].as_array().unwrap();
        sides.iter().find(|side| side["name"] == name).cloned().unwrap_or_default()
    })
}

fn delta(of: &Value) -> f64 {
    of["after"].as_f64().unwrap() - of["before"].as_f64().unwrap_or(0.0)
}

/// The function that changed most, and by how much.
fn first(side: &Value) -> (String, f64) {
    let first = &side["functions"][0];
    (first["function"].as_str().unwrap_or_default().to_owned(), delta(first))
}

const TWENTY: &str = "    // SAFETY: they do nothing.\n    \
    unsafe { core::arch::asm!(\".rept 20\", \"nop\", \".endr\", options(nomem, nostack, preserves_flags)) };";
const HUNDRED: &str = "        // SAFETY: they do nothing.\n        \
    unsafe { core::arch::asm!(\".rept 100\", \"nop\", \".endr\", options(nomem, nostack, preserves_flags)) };";
const ALLOCATION: &str = "        core::hint::black_box(alloc::vec::Vec::<u8>::with_capacity(16));";

#[test]
#[ignore = "builds rustls three times, a minute and a half: `make test-all`"]
fn small_costs_are_found_and_their_functions_named_first() {
    let folder = tempfile::tempdir().unwrap();
    let base = stack(&folder.path().join("base"), &[]);

    // Twenty instructions in a handshake of more than a million.
    let behind =
        "    let peer_public_key: &[u8; PUBLIC_KEY_LEN] = peer_public_key.as_slice_less_safe().try_into()?;";
    let new =
        stack(&folder.path().join("twenty"), &[["ring", "src/ec/curve25519/x25519.rs", behind, TWENTY]]);
    for side in diff(&base, &new, HANDSHAKE, &[]) {
        let (function, more) = first(&side);
        assert!(function.contains("x25519_ecdh"), "{function}: {more}");
        // The compiler may compile the function with an instruction more or less.
        assert!((18.0..=22.0).contains(&more), "{more}");
        assert_eq!(more, delta(&side), "nothing else has changed");
    }

    let behind = "    pub fn update(&mut self, data: &[u8]) {\n        let cpu_features = cpu::features();\n";
    let hash = ["ring", "src/digest.rs", behind, HUNDRED];
    let behind = "    ) -> OutboundOpaqueMessage {\n        debug_assert!(self.encrypt_state == DirectionState::Active);";
    let record = ["rustls", "src/record_layer.rs", behind, ALLOCATION];
    let new = stack(&folder.path().join("two"), &[hash, record]);

    // A fiftieth of a per cent in a hash.
    let [side, _] = diff(&base, &new, HASH, &[]);
    let (function, more) = first(&side);
    assert!(function.contains("digest::Context::update"), "{function}: {more}");
    assert_eq!(more, delta(&side), "nothing else has changed");
    let share = more / side["before"].as_f64().unwrap();
    assert!((0.000_17..0.000_21).contains(&share), "{share}");

    // An allocation per record: most of its instructions are in the allocator, and yet its caller is named.
    let [client, server] = diff(&base, &new, TRANSFER, &[]);
    let (function, more) = first(&client);
    assert!(function.contains("encrypt_outgoing"), "{function}: {more}");
    assert!((20.0..500.0).contains(&more), "{more}");
    assert!(client["functions"][0]["called"].as_f64().unwrap() > 0.5 * more, "{}", client["functions"][0]);
    // The receiver does no more work; the compiler may compile it with an instruction more or less, too.
    assert!(delta(&server).abs() < 0.2 * more, "{:?}", first(&server));
    let mut run = support::tlslab();
    run.args(["run", "--metric", "heap", "--format", "json", "--scenario", TRANSFER, "--out"])
        .arg(folder.path());
    run.args(["--stack", &format!("base={base}"), "--stack", &format!("new={new}")]);
    let results: Value = serde_json::from_str(&stdout(&run.output().unwrap())).unwrap();
    let allocations = |stack: &str| {
        let cells = results["exact"].as_array().unwrap();
        let is_it = |cell: &&Value| {
            cell["stack"] == stack && cell["side"] == "client" && cell["metric"] == "heap.allocations"
        };
        cells.iter().find(is_it).and_then(|cell| cell["estimate"].as_f64())
    };
    assert_eq!(allocations("new").unwrap() - allocations("base").unwrap(), 1.0);
}

#[test]
#[ignore = "builds AWS-LC twice and installs Frida, if they are not in the cache: `make test-all`"]
fn a_cost_in_avx_512_is_seen_by_native_counts_alone() {
    let features = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let has = |feature: &str| features.split_whitespace().any(|word| word == feature);
    assert!(
        has("avx512vl") && has("vaes"),
        "this test is for processors with AVX-512 and VAES, which this one has not"
    );
    let folder = tempfile::tempdir().unwrap();
    let [base, new] =
        ["base", "new"].map(|name| copied(&folder.path().join(name), "rustls/aws-lc-rs", "aws-lc-sys"));
    let file = "aws-lc/generated-src/linux-x86_64/crypto/fipsmodule/aesni-gcm-avx512.S";
    plant(&new.join(file), ".Lencrypt_seh_begin:", ".rept 500\nnop\n.endr");
    let [base, new] = [base, new].map(|path| format!("rustls/aws-lc-rs,aws-lc-sys=path:{}", path.display()));

    let [client, _] = diff(&base, &new, TRANSFER, &["--counter", "frida"]);
    let (function, more) = first(&client);
    assert_eq!(more, 500.0, "{function}");
    assert!(function.contains("aes_gcm_encrypt_avx512"), "{function}");
    let [client, _] = diff(&base, &new, TRANSFER, &[]);
    assert_eq!(delta(&client), 0.0, "the emulated processor runs other code: {:?}", first(&client));

    // And the report states that it cannot see it.
    let mut fidelity = support::tlslab();
    fidelity.args(["fidelity", &new, "--scenario", TRANSFER, "--budget", "5s", "--out"]).arg(folder.path());
    let said = stdout(&fidelity.output().unwrap());
    assert!(said.contains("aes_gcm_encrypt_avx512"), "{said}");
    let mut run = support::tlslab();
    run.args(["run", "--metric", "count", "--stack", &new, "--scenario", TRANSFER, "--out"])
        .arg(folder.path());
    let said = stdout(&run.args(["--format", "markdown"]).output().unwrap());
    assert!(said.contains('†') && said.contains("not run natively"), "{said}");
}
