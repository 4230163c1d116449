//! The smallest lie about its times that is detected in a driver, on an otherwise idle host: it prints a
//! table, which docs/threat-model.md contains.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Times are divided by these.
const FACTORS: [&str; 7] = ["1.00", "1.10", "1.15", "1.20", "1.25", "1.30", "1.50"];
/// With this factor a driver is detected in every scenario.
const CAUGHT: &str = "1.25";
const SCENARIOS: [&str; 4] = [
    "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none",
    "resumption/1.3/ticket/ecdsa-p256/x25519/aes-128-gcm/none",
    "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm",
    "transfer/1.3/aes-128-gcm/client-sends/1MiB/warm",
];

#[test]
#[ignore = "on a busy machine clocks show more than the work: `make test-all`"]
fn a_driver_that_reports_four_fifths_of_its_times_is_caught() {
    let own = tempfile::tempdir().unwrap();
    let real = support::driver("rustls/ring");
    let lab = concat!("lab = \"", env!("CARGO_MANIFEST_DIR"), "/../..\"\n");
    fs::write(own.path().join("tlslab.toml"), lab).unwrap();
    fs::create_dir(own.path().join("stacks")).unwrap();
    for factor in FACTORS {
        write_liar(own.path(), &real, factor);
    }
    let mut caught_in_all = true;
    for scenario in SCENARIOS {
        let mut run = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        run.current_dir(own.path()).args(["run", "--scenario", scenario, "--budget", "20s", "--rounds", "8"]);
        for factor in FACTORS {
            run.args(["--stack", &name(factor)]);
        }
        let output = run.args(["--format", "json", "--out", "out"]).output().unwrap();
        let results: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let is_caught = |factor: &str| {
            let name = name(factor);
            let mut cells = results["cells"].as_array().unwrap().iter().filter(|cell| cell["stack"] == name);
            cells.all(|cell| cell["failed"].as_str().is_some_and(|why| why.contains("of work on its clocks")))
        };
        let caught: Vec<&str> = FACTORS.into_iter().filter(|factor| is_caught(factor)).collect();
        eprintln!("{scenario}: caught are {}", caught.join(", "));
        assert!(!caught.contains(&FACTORS[0]), "who tells the truth is not caught");
        caught_in_all &= caught.contains(&CAUGHT);
    }
    assert!(caught_in_all, "a factor of {CAUGHT} is not caught everywhere");
}

/// The stack that divides by a factor.
fn name(factor: &str) -> String {
    format!("divides-by-{}", factor.replace('.', ""))
}

fn write_liar(own: &Path, real: &Path, factor: &str) {
    let name = name(factor);
    let folder = own.join("drivers").join(&name);
    fs::create_dir_all(&folder).unwrap();
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\n'{}' | perl -pe 'BEGIN {{ $| = 1 }} \
         s/\"(\\w+_ns)\":(\\d+)/sprintf q(\"%s\":%d), $1, $2 \\/ {factor}/ge if /^{{\"measured\"/'\n",
        real.display()
    );
    fs::write(folder.join("script.txt"), script).unwrap();
    let makefile = "all:\n\tcp script.txt $(OUT)/driver\n\tchmod 755 $(OUT)/driver\n";
    fs::write(folder.join("Makefile"), makefile).unwrap();
    let recipe = format!(
        "name = \"{name}\"\ntitle = \"Divides its times by {factor}\"\nlicence = \"MIT\"\ndriver = \"{name}\"\nversion = \"1\"\n\
         [make]\nvariables = {{}}\n[versions.\"1\"]\n"
    );
    fs::write(own.join("stacks").join(format!("{name}.toml")), recipe).unwrap();
}
