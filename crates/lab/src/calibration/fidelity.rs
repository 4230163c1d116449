//! What is known of how far the counter's counts are of the code that runs: a file beside the runs.

use std::path::Path;

use tlslab_record::Fidelity;

/// The file's name, in the folder of the runs.
const FILE: &str = "fidelity.json";

/// All that is known; nothing where there is no file.
pub fn load(out: &Path) -> anyhow::Result<Vec<Fidelity>> {
    super::load(out, FILE, "tlslab fidelity STACK")
}

/// Adds what was found, in the place of what was known of the same.
pub fn add(out: &Path, found: Vec<Fidelity>) -> anyhow::Result<()> {
    let mut all = load(out)?;
    let key = |one: &Fidelity| (one.driver_digest.clone(), one.scenario.clone(), one.side);
    all.retain(|known| !found.iter().any(|fresh| key(fresh) == key(known)));
    all.extend(found);
    super::store(out, FILE, &all)
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;

    use super::*;

    #[test]
    fn what_is_found_again_takes_the_place_of_what_was_known() {
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
        assert!(load(folder.path()).unwrap().is_empty());
        add(folder.path(), vec![one("a", 1.5), one("b", 2.0)]).unwrap();
        add(folder.path(), vec![one("a", 1.25)]).unwrap();
        let ratios: Vec<f64> = load(folder.path()).unwrap().iter().map(|known| known.ratio).collect();
        assert_eq!(ratios, [2.0, 1.25]);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(load(folder.path()).unwrap_err().to_string().contains("delete it"));
    }
}
