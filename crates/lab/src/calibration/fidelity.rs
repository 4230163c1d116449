//! Recorded fidelity: how far the counter's counts are those of native execution.

use std::path::Path;

use tlslab_record::Fidelity;
use tlslab_store::Store;

use crate::results::notes;

/// The kind of these notes.
const KIND: &str = "fidelity";
/// The file in which earlier versions of the lab stored them, in the results folder.
const FILE: &str = "fidelity.json";

/// All recorded results.
///
/// # Errors
/// Fails if the notes cannot be read.
pub fn load(store: &dyn Store, out: &Path) -> anyhow::Result<Vec<Fidelity>> {
    let older: Vec<Fidelity> = notes::older(&out.join(FILE))?;
    let older = older.into_iter().map(|one| (key(&one), one)).collect();
    Ok(notes::read(store, KIND, "", older)?.into_iter().map(|(_, one)| one).collect())
}

/// Adds results, in place of older ones for the same items.
///
/// # Errors
/// Fails if the database rejects it.
pub fn add(store: &mut dyn Store, found: Vec<Fidelity>) -> anyhow::Result<()> {
    let found: Vec<(String, Fidelity)> = found.into_iter().map(|one| (key(&one), one)).collect();
    notes::write(store, KIND, &found)
}

fn key(one: &Fidelity) -> String {
    format!("{}/{}/{}", one.driver_digest, one.side, one.scenario)
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;

    use super::*;
    use crate::results::Results;

    #[test]
    fn what_is_found_again_takes_the_place_of_what_was_known_also_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let one = |digest: &str, ratio| Fidelity {
            stack: "x".into(),
            driver_digest: digest.into(),
            scenario: "s".into(),
            side: Side::Server,
            features: vec![],
            ratio,
            dominating: vec![],
        };
        let mut store = Results::of(folder.path().to_owned()).open().unwrap();
        assert!(load(&*store, folder.path()).unwrap().is_empty());
        let of_before = serde_json::to_string(&[one("a", 1.5), one("b", 2.0)]).unwrap();
        std::fs::write(folder.path().join(FILE), of_before).unwrap();
        add(&mut *store, vec![one("a", 1.25)]).unwrap();
        let ratios: Vec<f64> =
            load(&*store, folder.path()).unwrap().iter().map(|known| known.ratio).collect();
        assert_eq!(ratios, [2.0, 1.25]);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(load(&*store, folder.path()).unwrap_err().to_string().contains("move it away"));
    }
}
