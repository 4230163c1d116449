//! What real libraries offer and pick if nothing is configured. Expected values are those of their
//! documentation.

mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::stdout;

fn lab(own: &Path, arguments: &[&str]) -> String {
    let mut command = support::tlslab();
    command.current_dir(own).args(arguments).args(["--out", "out"]);
    stdout(&command.output().unwrap())
}

fn run(own: &Path, metrics: &str, stacks: &[&str]) -> Value {
    let mut arguments = vec!["run", "--metric", metrics, "--format", "json", "--scenario", "defaults/**"];
    arguments.extend(["--budget", "4s", "--rounds", "8"]);
    arguments.extend(stacks.iter().flat_map(|stack| ["--stack", stack]));
    serde_json::from_str(&lab(own, &arguments)).unwrap()
}

fn defaults<'r>(report: &'r Value, stack: &str) -> &'r Value {
    let all = report["defaults"].as_array().unwrap();
    all.iter().find(|found| found["stack"] == stack).unwrap_or_else(|| panic!("{stack}: {all:?}"))
}

/// OpenSSL 3.5: SSL_CTX_set1_groups_list(3) and SSL_CTX_set_num_tickets(3). rustls: `DEFAULT_CIPHER_SUITES`
/// and `ALL_KX_GROUPS` of the provider for ring, `ServerConfig::send_tls13_tickets`.
#[test]
fn clients_and_servers_do_what_their_documentation_says() {
    let own = tempfile::tempdir().unwrap();
    let report = run(own.path(), "wire,time,heap", &["openssl", "rustls/ring"]);
    let (openssl, rustls) = (defaults(&report, "openssl"), defaults(&report, "rustls/ring"));
    let groups =
        ["X25519MLKEM768", "x25519", "secp256r1", "x448", "secp384r1", "secp521r1", "ffdhe2048", "ffdhe3072"];
    assert_eq!(openssl["offered"]["groups"], json!(groups));
    assert_eq!(openssl["offered"]["key_shares"], json!(["X25519MLKEM768", "x25519"]));
    assert_eq!(rustls["offered"]["groups"], json!(["x25519", "secp256r1", "secp384r1"]));
    assert_eq!(rustls["offered"]["key_shares"], json!(["x25519"]));
    let first = |of: &Value| of["offered"]["suites"].as_array().unwrap()[..3].to_vec();
    let [aes_256, aes_128, chacha] =
        ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"];
    assert_eq!(first(openssl), [aes_256, chacha, aes_128]);
    assert_eq!(first(rustls), [aes_256, aes_128, chacha]);
    assert_eq!(rustls["offered"]["suites"].as_array().unwrap().len(), 9);
    for of in [openssl, rustls] {
        assert_eq!(of["offered"]["versions"], json!(["TLSv1.3", "TLSv1.2"]));
        assert_eq!(of["offered"]["alpn"], json!([]));
        let taken = &of["taken"];
        assert_eq!((&taken["version"], &taken["suite"]), (&json!("TLSv1.3"), &json!(aes_256)));
        assert_eq!(taken["signature_scheme"], "ecdsa_secp256r1_sha256");
        assert_eq!(taken["tickets"], 2);
        assert!(taken["ticket_bytes"].as_u64().unwrap() > 0);
    }
    assert_eq!(
        (&openssl["taken"]["group"], &rustls["taken"]["group"]),
        (&json!(groups[0]), &json!("x25519"))
    );
    // A share of X25519MLKEM768 has 1,216 bytes, one of X25519 has 32.
    let cell = |stack: &str, side: &str, metric: &str| {
        let lists = ["exact", "cells"].into_iter().flat_map(|list| report[list].as_array().unwrap());
        let is_it = |cell: &&Value| {
            (&cell["stack"], &cell["side"], &cell["metric"]) == (&json!(stack), &json!(side), &json!(metric))
        };
        lists.into_iter().find(is_it).unwrap_or_else(|| panic!("{stack} {metric}"))["estimate"]
            .as_f64()
            .unwrap()
    };
    let key_share = "wire.hello.extension.key_share";
    assert_eq!(cell("openssl", "client", key_share), 4.0 + 2.0 + (4.0 + 1216.0) + (4.0 + 32.0));
    assert_eq!(cell("rustls/ring", "client", key_share), 4.0 + 2.0 + 4.0 + 32.0);
    for (stack, of) in [("openssl", openssl), ("rustls/ring", rustls)] {
        let flight = cell(stack, "client", "wire.flight.1");
        assert_eq!(of["offered"]["flight_bytes"].as_f64(), Some(flight), "{stack}");
        for metric in ["time", "heap.peak"] {
            assert!(cell(stack, "server", metric) > 0.0, "{stack}: {metric}");
        }
    }
}

#[test]
fn counts_repeat_and_drivers_without_defaults_say_so() {
    let own = tempfile::tempdir().unwrap();
    let report = run(own.path(), "count", &["openssl", "rustls/ring", "bertie"]);
    let of = |stack: &str| {
        let cells = report["exact"].as_array().unwrap().iter();
        let is_it = |cell: &&Value| {
            (&cell["stack"], &cell["metric"]) == (&json!(stack), &json!("count.instructions"))
        };
        cells.filter(is_it).collect::<Vec<_>>()
    };
    for stack in ["openssl", "rustls/ring"] {
        assert!(
            of(stack).iter().all(|cell| cell["estimate"].as_f64().is_some_and(|count| count > 1e5)),
            "{stack}"
        );
    }
    let reason = of("bertie")[0]["unsupported"].as_str().unwrap();
    assert_eq!(reason, "its driver cannot leave the library at its defaults yet");
}

/// The two release lines differ in the groups that they offer: X25519MLKEM768 came with OpenSSL 3.5.
#[test]
fn a_comparison_a_history_and_a_site_name_the_default_that_changed() {
    let own = tempfile::tempdir().unwrap();
    let words = "offers group X25519MLKEM768";
    let scenario = ["--scenario", "defaults/**", "--metric", "wire"];
    let compared = lab(
        own.path(),
        &[&["compare", "openssl@3.0.8", "openssl", "--format", "markdown"], &scenario[..]].concat(),
    );
    assert!(compared.contains(words), "{compared}");
    assert!(compared.contains("takes group X25519MLKEM768 instead of x25519"), "{compared}");
    run(own.path(), "wire", &["openssl@3.0.8", "openssl"]);
    let history =
        lab(own.path(), &["history", "--by-version", "--metric", "wire.flight.1", "--side", "client"]);
    assert!(history.contains(words), "{history}");
    lab(own.path(), &["site", "public"]);
    let page = std::fs::read_to_string(own.path().join("public/defaults.html")).unwrap();
    let text = page.split_once("<main").unwrap().1;
    assert!(text.contains(words) && text.contains("X25519MLKEM768*, x25519*"), "{text}");
    let overview = std::fs::read_to_string(own.path().join("public/index.html")).unwrap();
    assert!(overview.contains("href=\"defaults.html\""));
    let data = std::fs::read_to_string(own.path().join("public/data/defaults.json")).unwrap();
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["lines"][0]["defaults"]["taken"]["group"], "X25519MLKEM768");
}
