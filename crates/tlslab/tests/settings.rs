//! Stacks that are set up as a program: what is set is read back from the library, and has its effect.

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::own_folder::{self, FEW_IDLE, lab_in};
use support::stdout;

/// A program that writes records of 4 KiB and reads ahead.
const OWN: &str = r#"
title = "set up as our server"
[settings]
driver = "libssl"
program = "our server 1"
source = "https://example.org/server"
revision = "main"
[[settings.places]]
file = "tls.c"
function = "set_up"
set = { bytes_per_SSL_write = 4096, SSL_CTX_set_read_ahead = 1, SSL_MODE_AUTO_RETRY = 0 }
"#;

fn own_folder() -> tempfile::TempDir {
    let wrong = OWN.replace("SSL_MODE_AUTO_RETRY", "SSL_MODE_AUTO_RETYR");
    own_folder::own_folder(&[FEW_IDLE, ("variants/as-ours.toml", OWN), ("variants/as-wrong.toml", &wrong)])
}

fn lab(own: &Path, arguments: &[&str]) -> Output {
    lab_in(own).args(arguments).args(["--out", "out"]).output().unwrap()
}

fn results(own: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&lab(own, arguments))).unwrap()
}

fn exact(report: &Value, stack: &str, side: &str, metric: &str) -> f64 {
    exact_of(report, "few/1000", stack, side, metric)
}

fn exact_of(report: &Value, scenario: &str, stack: &str, side: &str, metric: &str) -> f64 {
    let cells = report["exact"].as_array().unwrap();
    let is_it = |cell: &&Value| {
        let key = [&cell["scenario"], &cell["stack"], &cell["side"], &cell["metric"]];
        key.iter().zip([scenario, stack, side, metric]).all(|(found, wanted)| *found == wanted)
    };
    let cell = cells.iter().find(is_it).unwrap_or_else(|| panic!("{stack} {side} {metric}: {report:#}"));
    cell["estimate"].as_f64().unwrap_or_else(|| panic!("{cell}"))
}

/// What the driver says about a stack.
fn remarks(report: &Value, stack: &str) -> String {
    let stacks = report["stacks"].as_array().unwrap();
    stacks.iter().find(|found| found["name"] == stack).unwrap().to_string()
}

#[test]
fn a_server_that_releases_buffers_holds_less_per_idle_connection() {
    let own = own_folder();
    let stacks = ["openssl@system", "openssl@system+as-nginx", "openssl@system+as-curl"];
    let stacks: Vec<&str> = stacks.iter().flat_map(|stack| ["--stack", stack]).collect();
    let run = [&["run", "--metric", "heap", "--format", "json", "--scenario", "few/*"][..], &stacks].concat();
    let report = results(own.path(), &run);
    let held = |stack: &str, side: &str| exact(&report, stack, side, "idle.heap");
    for side in ["client", "server"] {
        let (library, nginx) = (held("openssl@system", side), held("openssl@system+as-nginx", side));
        assert!(nginx < library - 16_384.0, "{side}: {nginx} of {library} bytes");
    }
    // It sets up clients alone, and their buffer for reading has four records.
    assert_eq!(held("openssl@system", "server"), held("openssl@system+as-curl", "server"));
    assert!(held("openssl@system+as-curl", "client") > held("openssl@system", "client") + 2.5 * 16_384.0);
    let nginx = remarks(&report, "openssl@system+as-nginx");
    // Debian's release is from before compressed certificates.
    let missing = "Set up as nginx 1.31.4, without what the library does not have: SSL_OP_NO_RX_CERTIFICATE_COMPRESSION";
    for read_back in [
        missing,
        "as the library reports it; both sides: ",
        "SSL_MODE_RELEASE_BUFFERS",
        "SSL_CTX_set_read_ahead",
        "server: SSL_OP_NO_RENEGOTIATION",
    ] {
        assert!(nginx.contains(read_back), "{read_back}: {nginx}");
    }
    assert!(!remarks(&report, "openssl@system").contains("Set up as"));
}

#[test]
fn programs_connect_resume_and_send_early_data() {
    let own = own_folder();
    let programs = ["nginx", "haproxy", "apache", "curl", "ours"];
    let stacks: Vec<String> = programs.iter().map(|program| format!("openssl+as-{program}")).collect();
    let scenarios = [
        "request/1.2/full/ecdsa-p256/x25519/aes-128-gcm/none",
        "request/1.3/full/ecdsa-p256/x25519/aes-128-gcm/none",
        "request/1.3/ticket/ecdsa-p256/x25519/aes-128-gcm/none",
        "early-data/1.3/ecdsa-p256/x25519/aes-128-gcm/1024",
    ];
    let mut run = vec!["run", "--metric", "wire", "--format", "json"];
    run.extend(stacks.iter().flat_map(|stack| ["--stack", stack]));
    run.extend(scenarios.iter().flat_map(|scenario| ["--scenario", scenario]));
    let report = results(own.path(), &run);
    let proofs = report["proofs"].as_array().unwrap();
    assert_eq!(proofs.len(), programs.len() * scenarios.len(), "{proofs:#?}");
    // 8 KiB are one record, or two of those who write 4 KiB at a time.
    let records = |stack: &str| exact_of(&report, scenarios[1], stack, "server", "wire.data.records");
    assert_eq!((records("openssl+as-nginx"), records("openssl+as-ours")), (1.0, 2.0));
}

#[test]
fn a_setting_that_is_unknown_or_cannot_be_had_is_named() {
    let own = own_folder();
    let failed = |stack: &str| {
        let output = lab(own.path(), &["run", "--metric", "heap", "--stack", stack, "--scenario", "few/*"]);
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
    };
    let unknown = failed("openssl+as-wrong");
    assert!(unknown.contains("the setting SSL_MODE_AUTO_RETYR is not known here"), "{unknown}");
    let two = failed("openssl+as-nginx+as-curl");
    assert!(two.contains("cannot be set up as two programs"), "{two}");
    let other = failed("rustls/ring+as-nginx");
    assert!(other.contains("the variant \"as-nginx\" changes nothing in rustls/ring"), "{other}");
}
