//! The example of a document of one's own is read together with the lab's, and its requests are valid.

mod support;

use std::process::Command;

use support::stdout;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-document");

#[test]
fn a_document_of_ones_own_is_listed_among_the_labs() {
    let mut list = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    let listed = stdout(&list.current_dir(FOLDER).arg("reproduce").output().unwrap());
    for name in ["rustls-2019", "python"] {
        assert!(listed.lines().any(|line| line.trim_start().starts_with(name)), "{name} in {listed}");
    }
}

#[test]
#[ignore = "builds OpenSSL and measures: `make test-all`"]
fn a_document_of_ones_own_is_measured() {
    let out = tempfile::tempdir().unwrap();
    let mut measure = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    measure.current_dir(FOLDER).args(["reproduce", "rustls-2019", "--budget", "4s", "--format", "markdown"]);
    let page = stdout(&measure.args(["--out", out.path().to_str().unwrap()]).output().unwrap());
    let first = page.lines().nth(2).unwrap();
    assert!(
        first.starts_with("Preliminary, measured on ") && first.contains(" in 20 % of the time"),
        "{page}"
    );
    assert!(page.contains("| openssl | commit "), "{page}");
    assert!(page.contains("| 1.3 | 2253 | "), "{page}");
}
