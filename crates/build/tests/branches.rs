//! Revisions of a library's branch: their offers decide a driver's features.

mod lab;

use std::fs;

use lab::{Lab, RUST_DRIVER, RUST_LOCK, output};
use tlslab_build::Stage;

/// A library with features and perhaps a second package; it denies warnings, of which a later compiler has
/// more.
fn write_branch(lab: &Lab, version: &str, features: &str, has_part: bool) {
    let manifest =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n");
    lab.write("branch/answer/Cargo.toml", &format!("{}[features]\n{features}\n", manifest("answer")));
    let text = "if cfg!(feature = \"part\") { \"with a part\" } else { \"alone\" }";
    let library =
        format!("#![forbid(warnings)]\npub const ANSWER: &str = {{ let of_no_use = 1; {text} }};\n");
    lab.write("branch/answer/src/lib.rs", &library);
    let _ = fs::remove_dir_all(lab.path("branch/answer-part"));
    if has_part {
        lab.write("branch/answer-part/Cargo.toml", &manifest("answer-part"));
        lab.write("branch/answer-part/src/lib.rs", "");
    }
}

/// Along a branch a package was a feature before, and versions are those of the branch.
#[test]
fn a_manifest_follows_what_a_source_offers() {
    let lab = Lab::new();
    let follows = "[package.metadata.tlslab.source]\ninstead = { answer-part = [\"answer/part\"] }\n\n\
                   [features]\npart = [\"dep:answer-part\"]\n\n[workspace]";
    let driver = RUST_DRIVER.replace("[workspace]", follows).replace(
        "answer = \"1\"\n",
        "answer = { version = \"=2.0.0-dev.2\" }\nanswer-part = { version = \"=2.0.0-dev.2\", optional = true }\n",
    );
    lab.write("drivers/rust/Cargo.toml", &driver);
    let part =
        "[[package]]\nname = \"answer-part\"\nversion = \"2.0.0-dev.2\"\n\n[[package]]\nname = \"rust\"";
    let lock = RUST_LOCK.replace("[[package]]\nname = \"rust\"", part).replace("1.0.0", "2.0.0-dev.2");
    lab.write("drivers/rust/Cargo.lock", &lock.replace(" \"answer\",", " \"answer\",\n \"answer-part\","));
    lab.write("drivers/rust/src/main.rs", "fn main() { tlslab_driver_kit::serve(answer::ANSWER) }\n");
    let recipe = lab.parse(
        "name = \"r\"\ntitle = \"R\"\nlicence = \"MIT\"\ndriver = \"rust\"\n\
         [source]\npath = \"../branch\"\n[cargo]\npackage = \"answer\"\nfeatures = [\"part\"]\n",
    );
    let built = |version: &str, features: &str, has_part: bool| {
        write_branch(&lab, version, features, has_part);
        lab.build_one(&recipe).map(|built| output(&built.driver))
    };
    assert_eq!(built("1.9.0", "part = []", false).unwrap(), "the kit serves with a part\n");
    assert_eq!(built("2.0.0-dev.7", "", true).unwrap(), "the kit serves alone\n");
    let failure = built("1.8.0", "", false).unwrap_err();
    let cause = "it has neither the package answer-part nor a feature answer/part";
    assert!(failure.stage == Stage::Versions && failure.reason.contains(cause), "{failure}");
}
