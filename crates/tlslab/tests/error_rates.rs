//! The documents' claims about verdicts are generated from a recorded validation: `UPDATE=1` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_validation::{ErrorRates, claims_markdown, claims_sentence, live_markdown};

/// The record, which `tlslab validate` writes.
const RECORD: &str = "docs/recorded/error-rates.json";
/// The text generated from it.
type Part = fn(&ErrorRates) -> String;

/// Documents with a part that is generated from it, and that part.
const DOCUMENTS: [(&str, Part); 2] = [("README.md", claims_sentence), ("docs/trust.md", table)];
const BEGIN: &str = "<!-- error rates: written by `UPDATE=1 cargo test -p tlslab --test error_rates` -->\n";
const END: &str = "<!-- end of error rates -->";

#[test]
fn documents_claim_what_was_recorded() {
    let text = fs::read_to_string(root().join(RECORD)).unwrap();
    let rates: ErrorRates = serde_json::from_str(&text).unwrap();
    let is_update = std::env::var_os("UPDATE").is_some();
    for (file, part) in DOCUMENTS {
        let path = root().join(file);
        let document = fs::read_to_string(&path).unwrap();
        let (before, rest) =
            document.split_once(BEGIN).unwrap_or_else(|| panic!("{file} has no place for it"));
        let (_, after) = rest.split_once(END).unwrap();
        let made = format!("{before}{BEGIN}{}\n{END}{after}", part(&rates));
        if is_update {
            fs::write(&path, made).unwrap();
        } else {
            assert!(document == made, "{file} says something else; {BEGIN}");
        }
    }
}

fn table(rates: &ErrorRates) -> String {
    let host = &rates.host;
    format!(
        "Host: {}; tlslab {}. How the jobs are made: [what changed](methodology/changes.md).\n\n{}\n{}",
        host.summary(),
        rates.lab_version,
        claims_markdown(rates),
        live_markdown(rates).trim_end()
    )
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
