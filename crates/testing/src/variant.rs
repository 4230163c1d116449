//! Variants of the library in `tests/forge/tiny`.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The files that a variant changes, as pairs of path in the library and content, sorted by path: those of
/// the folder `variants/NAME`, or those of the library after `variants/NAME.patch`.
///
/// # Panics
/// Panics if there is no such variant, or if its patch does not apply.
pub fn variant_files(name: &str) -> Vec<(String, String)> {
    let forge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forge");
    let read = |folder: &Path, path: &str| (path.to_owned(), fs::read_to_string(folder.join(path)).unwrap());
    let patch = forge.join("variants").join(format!("{name}.patch"));
    let Ok(text) = fs::read_to_string(&patch) else {
        let folder = forge.join("variants").join(name);
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        return names.map(|name| read(&folder, name.to_str().unwrap())).collect();
    };
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("tiny");
    let done = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    done(Command::new("cp").arg("-r").args([&forge.join("tiny"), &copy]));
    done(Command::new("git").arg("apply").arg(&patch).current_dir(&copy));
    text.lines().filter_map(|line| line.strip_prefix("+++ b/")).map(|path| read(&copy, path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_changes_its_files_alone() {
        let [(path, text)] = &variant_files("does-not-compile")[..] else { panic!("one file") };
        assert_eq!(path, "src/sha256.c");
        assert!(text.contains("uint32_t w[64]\n"), "{text}");
        assert_eq!(variant_files("hostile").len(), 2);
    }
}
