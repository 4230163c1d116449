//! What is known of how far the counter's counts are of the code that runs: a file beside the runs.

use std::path::Path;

use anyhow::Context;
use tlslab_record::Fidelity;

/// The file's name, in the folder of the runs.
const FILE: &str = "fidelity.json";

/// All that is known; nothing where there is no file.
pub fn load(out: &Path) -> anyhow::Result<Vec<Fidelity>> {
    let path = out.join(FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is not the file that `tlslab fidelity STACK` writes; remove it and run that again",
                path.display()
            )
        }),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(cause).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Adds what was found, in the place of what was known of the same.
pub fn add(out: &Path, found: Vec<Fidelity>) -> anyhow::Result<()> {
    let mut all = load(out)?;
    let key = |one: &Fidelity| (one.driver_digest.clone(), one.scenario.clone(), one.side);
    all.retain(|known| !found.iter().any(|fresh| key(fresh) == key(known)));
    all.extend(found);
    std::fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    let path = out.join(FILE);
    let text = serde_json::to_string_pretty(&all).context("what was found cannot be written")?;
    // Nobody finds half a file.
    let fresh = path.with_extension("json.new");
    std::fs::write(&fresh, text).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, &path).with_context(|| format!("cannot write {}", path.display()))
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
        assert!(load(folder.path()).unwrap_err().to_string().contains("remove it"));
    }
}
