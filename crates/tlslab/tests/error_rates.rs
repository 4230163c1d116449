//! The documents' claims about verdicts are generated from a recorded validation: `UPDATE=1` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_validation::{ErrorRates, claims_markdown, claims_sentence, live_markdown};

/// The record, which `tlslab validate` writes.
const RECORD: &str = "docs/recorded/error-rates.json";
/// A later one, of another processor, which has only slow-downs.
const SLOWED: &str = "docs/recorded/error-rates-slowed.json";
/// The text generated from it.
type Part = fn(&ErrorRates) -> String;

/// Documents with a part that is generated from it, and that part.
const DOCUMENTS: [(&str, Part); 2] = [("README.md", claims_sentence), ("docs/trust.md", table)];
const BEGIN: &str = "<!-- error rates: written by `UPDATE=1 cargo test -p tlslab --test error_rates` -->\n";
const END: &str = "<!-- end of error rates -->";

#[test]
fn documents_claim_what_was_recorded() {
    let rates = read(RECORD);
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

fn read(record: &str) -> ErrorRates {
    serde_json::from_str(&fs::read_to_string(root().join(record)).unwrap()).unwrap()
}

fn table(rates: &ErrorRates) -> String {
    let host = |rates: &ErrorRates| {
        let model = rates.host.cpu.model.as_deref().unwrap_or("unknown");
        format!("{}, model {model}; tlslab {}", rates.host.summary(), rates.lab_version)
    };
    let slowed = read(SLOWED);
    assert!(slowed.same.is_empty() && slowed.replayed.is_empty(), "{SLOWED} has more than slow-downs");
    format!(
        "Host: {}. How the jobs are made: [what changed](methodology/changes.md).\n\n{}\n{}\nHost: {}.\n\n{}",
        host(rates),
        claims_markdown(rates),
        live_markdown(rates),
        host(&slowed),
        live_markdown(&slowed).trim_end()
    )
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
