//! Finds out which rustls is locked: what it can do is decided when the driver is compiled. A release is known by its version. Of its
//! development branch, where interfaces change from day to day, it counts what the source offers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The interfaces of rustls, each by the release that brought it: the names of its cfg's values.
const APIS: [(&str, [u32; 3]); 3] = [("0.24", [0, 24, 0]), ("0.22", [0, 22, 0]), ("0.20", [0, 20, 0])];

/// Features by release, under the name of their cfg.
const STEPS: [(&str, [u32; 3]); 10] = [
    ("has_public_names", [0, 20, 7]),
    ("has_session_values", [0, 21, 0]),
    ("has_chain_alone", [0, 21, 3]),
    ("has_ticket_setting", [0, 21, 0]),
    ("has_code_points", [0, 23, 0]),
    ("has_handshake_kind", [0, 23, 5]),
    ("has_negotiated_group", [0, 23, 12]),
    ("has_group_versions", [0, 23, 20]),
    ("prefers_post_quantum", [0, 23, 27]),
    ("has_ticket_count", [0, 23, 28]),
];

/// The version in which the development branch began.
const DEVELOPED: [u32; 3] = [0, 24, 0];

/// A source of the branch without this has the interface of 0.22 still.
const OF_0_24: &str = "pub tls13_cipher_suites:";

/// Features that the branch added and removed: the name of the cfg, a file's name or none, a text. A source
/// has the feature if one of its files, of this name if there is one, contains the text. Spaces and ends of
/// lines are ignored.
const OFFERS: [(&str, &str, &str); 33] = [
    ("has_ocsp_requests", "", "fn request_ocsp_response(&self)"),
    ("has_version_builder", "", "pub fn with_protocol_versions("),
    ("has_received_limit", "", "pub fn set_plaintext_buffer_limit("),
    ("has_peer_identity", "", "fn peer_identity("),
    ("has_provider_references", "", "roots: Arc<RootCertStore>, provider: &CryptoProvider"),
    ("has_boxed_keys", "", "-> Result<Box<dyn SigningKey>, Error>"),
    ("has_server_verifier", "", "pub trait ServerVerifier:"),
    ("has_const_providers", "", "pub const DEFAULT_PROVIDER:"),
    ("has_started_exchanges", "", "pub enum StartedKeyExchange"),
    ("has_identity_of_chain", "", "pub fn from_cert_chain("),
    ("has_enums_module", "lib.rs", "pub mod enums;"),
    ("has_error_module", "lib.rs", "pub mod error;"),
    ("has_identity_name", "", "pub enum Identity<'a>"),
    ("has_named_builder", "", "pub fn builder_with_provider("),
    ("has_optional_ticketer", "", "pub ticketer: Option<"),
    ("has_ticket_producer", "", "pub trait TicketProducer:"),
    ("has_ticketer_factory", "", "pub ticketer_factory:"),
    ("has_optional_factory", "", "pub ticketer_factory: Option<"),
    ("has_sign_module", "lib.rs", "pub mod sign {"),
    ("has_kx_module", "crypto/mod.rs", "pub mod kx;"),
    ("has_session_keys", "", "pub struct ClientSessionKey<"),
    ("has_config_hash", "", "fn hash_config(&self, "),
    ("has_plain_verifiers", "", "-> Result<WebPkiServerVerifier, VerifierBuilderError>"),
    ("has_connect", "", "pub fn connect("),
    ("has_session_names", "", "pub struct Tls13Session"),
    ("has_connection_trait", "", "pub trait Connection"),
    ("has_mapping", "", "fn mapping("),
    ("has_ticket_range", "", "pub struct Tls13Tickets"),
    ("has_input_buffer", "", "fn has_seen_eof(&self) -> bool;"),
    ("has_message_handler", "", "pub struct MessageHandler<"),
    ("has_verified_identity", "", "pub struct VerifiedIdentity<"),
    ("has_record_traits", "", "pub trait RecordEncrypter:"),
    ("has_transports", "", "pub trait Transport:"),
];

/// Those that the releases have, too.
const IN_RELEASES: [&str; 1] = ["has_version_builder"];

/// The providers, by the names of their features. A manifest has some of them, a recipe chooses one.
const PROVIDERS: [&str; 6] = ["aws-lc-rs", "free", "graviola", "openssl", "ring", "rustcrypto"];

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the manifest is"));
    let lock = folder.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(&lock).expect("a driver has a lock file");
    let locked = version(&text, "rustls").expect("rustls is in the lock file");
    let [major, minor, patch] = locked;
    println!("cargo::rustc-env=RUSTLS={major}.{minor}.{patch}");
    let variable = |name: &str| format!("CARGO_FEATURE_{}", name.to_uppercase().replace('-', "_"));
    let mut chosen = PROVIDERS.into_iter().filter(|name| env::var_os(variable(name)).is_some());
    let (Some(provider), None) = (chosen.next(), chosen.next()) else {
        panic!("choose one provider: build with exactly one of the features {PROVIDERS:?}");
    };
    // On the branch a provider became a separate package.
    let package = format!("rustls-{provider}");
    let is_package = locked >= DEVELOPED && text.contains(&format!("\nname = \"{package}\"\n"));
    set("has_provider_package", is_package);
    let sources = (locked >= DEVELOPED).then(|| sources(&folder, provider, &["rustls", &package]));
    let offers = |file: &str, text: &str| {
        sources
            .iter()
            .flatten()
            .any(|(path, source)| (file.is_empty() || path.ends_with(file)) && source.contains(&packed(text)))
    };
    let api = match APIS.iter().find(|(_, since)| locked >= *since) {
        Some(("0.24", _)) if !offers("", OF_0_24) => "0.22",
        found => found.expect("rustls is 0.20 or later").0,
    };
    println!("cargo::rustc-cfg=api=\"{api}\"");
    println!("cargo::rustc-check-cfg=cfg(api, values({}))", quoted(APIS.map(|(api, _)| api)));
    println!("cargo::rustc-check-cfg=cfg(feature, values({}))", quoted(PROVIDERS));
    // Its types read certificates from files since this release.
    set("has_pem_files", version(&text, "rustls-pki-types") >= Some([1, 9, 0]));
    for (name, since) in STEPS {
        set(name, locked >= since);
    }
    for (name, file, text) in OFFERS {
        set(name, offers(file, text) || locked < DEVELOPED && IN_RELEASES.contains(&name));
    }
}

fn set(name: &str, is_so: bool) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if is_so {
        println!("cargo::rustc-cfg={name}");
    }
}

fn quoted<const N: usize>(names: [&str; N]) -> String {
    names.map(|name| format!("{name:?}")).join(", ")
}

/// The version of a package without what follows its three numbers; none if it is not locked.
fn version(lock: &str, package: &str) -> Option<[u32; 3]> {
    let (_, entry) = lock.split_once(&format!("\nname = \"{package}\"\nversion = \""))?;
    let (version, _) = entry.split_once('"')?;
    let numbers = version.split(['.', '-', '+']).map(|part| part.parse().ok());
    let mut numbers = numbers.map_while(|number| number);
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

/// The files of some packages, each with its text packed. Cargo knows where they are.
fn sources(folder: &Path, feature: &str, packages: &[&str]) -> Vec<(PathBuf, String)> {
    let cargo = env::var_os("CARGO").expect("cargo says which it is");
    let target = env::var("TARGET").expect("cargo says what it builds for");
    let asked = ["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", &target];
    let answer = Command::new(cargo).args(asked).args(["--features", feature]).current_dir(folder).output();
    let answer = answer.expect("cargo starts");
    let printed = String::from_utf8_lossy(&answer.stdout);
    assert!(answer.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&answer.stderr));
    let mut found = Vec::new();
    for package in packages {
        // The name of an entry comes first, and its manifest is the first that follows.
        let entry = printed.split_once(&format!("{{\"name\":\"{package}\",\"version\":"));
        let manifest = entry.and_then(|(_, rest)| rest.split_once("\"manifest_path\":\""));
        let Some((manifest, _)) = manifest.and_then(|(_, rest)| rest.split_once('"')) else { continue };
        let source = Path::new(manifest).with_file_name("src");
        println!("cargo::rerun-if-changed={}", source.display());
        read(&source, &mut found);
    }
    found
}

fn read(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            found.push((path, packed(&text)));
        }
    }
}

/// A text without its spaces and ends of lines.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}
