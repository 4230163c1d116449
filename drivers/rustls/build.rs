//! Finds out which release of rustls is locked: what a release can do is decided when the driver is compiled.

use std::{env, fs};

/// The interfaces of rustls, each by the release that brought it: the names of its cfg's values.
const APIS: [(&str, [u32; 3]); 3] = [("0.24", [0, 24, 0]), ("0.22", [0, 22, 0]), ("0.20", [0, 20, 0])];

/// What came with which release, by the name of its cfg.
const STEPS: [(&str, [u32; 3]); 9] = [
    ("has_public_names", [0, 20, 7]),
    ("has_session_values", [0, 21, 0]),
    ("has_chain_alone", [0, 21, 3]),
    ("has_ticket_setting", [0, 21, 0]),
    ("has_code_points", [0, 23, 0]),
    ("has_handshake_kind", [0, 23, 5]),
    ("has_negotiated_group", [0, 23, 12]),
    ("has_group_versions", [0, 23, 20]),
    ("has_ticket_count", [0, 23, 28]),
];

/// The providers, by the names of their features. A manifest has some of them, a recipe chooses one.
const PROVIDERS: [&str; 6] = ["aws-lc-rs", "free", "graviola", "openssl", "ring", "rustcrypto"];

fn main() {
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo says where the manifest is");
    let lock = format!("{folder}/Cargo.lock");
    println!("cargo::rerun-if-changed={lock}");
    let text = fs::read_to_string(&lock).expect("a driver has a lock file");
    let locked = version(&text).expect("rustls is in the lock file");
    let [major, minor, patch] = locked;
    println!("cargo::rustc-env=RUSTLS={major}.{minor}.{patch}");
    let (api, _) = APIS.iter().find(|(_, since)| locked >= *since).expect("rustls is 0.20 or later");
    println!("cargo::rustc-cfg=api=\"{api}\"");
    println!("cargo::rustc-check-cfg=cfg(api, values({}))", quoted(APIS.map(|(api, _)| api)));
    println!("cargo::rustc-check-cfg=cfg(feature, values({}))", quoted(PROVIDERS));
    for (name, since) in STEPS {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if locked >= since {
            println!("cargo::rustc-cfg={name}");
        }
    }
    let variable = |name: &str| format!("CARGO_FEATURE_{}", name.to_uppercase().replace('-', "_"));
    let chosen = PROVIDERS.iter().filter(|name| env::var_os(variable(name)).is_some()).count();
    assert!(chosen == 1, "choose one provider: build with exactly one of the features {PROVIDERS:?}");
}

fn quoted<const N: usize>(names: [&str; N]) -> String {
    names.map(|name| format!("{name:?}")).join(", ")
}

/// The version of rustls without what follows its three numbers.
fn version(lock: &str) -> Option<[u32; 3]> {
    let (_, entry) = lock.split_once("\nname = \"rustls\"\nversion = \"")?;
    let (version, _) = entry.split_once('"')?;
    let numbers = version.split(['.', '-', '+']).map(|part| part.parse().ok());
    let mut numbers = numbers.map_while(|number| number);
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}
