//! Common to drivers in C and in Rust: their files in the lab's tree, and their product in the cache.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

use tlslab_artifact::{Doing, Halt, Snapshot, copy_plain, digest, is_source};
use tlslab_recipe::DriverFolder;

use crate::clocks::{check_clocks, check_import};
use crate::lab_crates::lab_crates;
use crate::trees::Trees;

/// A driver's files: its own, under `drivers/<name>/`, and the sources of those whose code it shares. One in
/// Rust names them in its manifest, `shares = ["other"]` in `[package.metadata.tlslab]`; one with a Makefile
/// in a file `shares`, a name a line.
pub(crate) fn files(trees: &Trees, name: &str) -> Result<Snapshot, Halt> {
    let mut snapshot = folder(trees, name, &is_source)?;
    for other in shared(&snapshot, name)? {
        snapshot.append(folder(trees, &other, &|path| is_source(path) && !is_of_cargo(path))?);
    }
    Ok(snapshot)
}

/// A driver's folder for readers, with its README or that of the first folder whose code it shares.
pub(crate) fn read(trees: &Trees, name: &str) -> Result<DriverFolder, Halt> {
    let own = folder(trees, name, &is_source)?;
    let shares = shared(&own, name)?;
    let readme = |name: &String| {
        let file = Path::new("drivers").join(name).join("README.md");
        fs::read_to_string(trees.with(file.parent()?)?.join(&file)).ok()
    };
    let below = Path::new("drivers").join(name);
    let mut files = Vec::new();
    for path in own.paths().filter(|path| path.extension().is_none_or(|ending| ending != "lock")) {
        let within = path.strip_prefix(&below).unwrap_or(path).to_string_lossy().into_owned();
        files.extend(own.text(path).map(|text| (within, text.to_owned())));
    }
    let readme = std::iter::once(&name.to_owned()).chain(&shares).find_map(readme).unwrap_or_default();
    Ok(DriverFolder { name: name.to_owned(), readme, files, shares })
}

/// The folders whose code a driver shares.
fn shared(own: &Snapshot, name: &str) -> Result<Vec<String>, Halt> {
    let manifest = Path::new("drivers").join(name).join("Cargo.toml");
    let mut shares = own.text(&manifest).map_or_else(Vec::new, shares);
    let listed = own.text(&Path::new("drivers").join(name).join("shares")).unwrap_or_default();
    shares.extend(listed.lines().map(str::to_owned));
    for other in &shares {
        let is_name = Path::new(other).components().map(|part| matches!(part, Component::Normal(_)));
        if is_name.collect::<Vec<_>>() != [true] {
            let cause = format!("it shares {other:?}, which is not a driver's name");
            let next_step = "name folders of drivers/ in `shares`";
            return Err(Halt::wrong(format!("`{}`", manifest.display()), cause, next_step));
        }
    }
    Ok(shares)
}

/// The drivers whose code a manifest's package shares. Cargo reports an invalid manifest.
fn shares(manifest: &str) -> Vec<String> {
    let listed = || {
        let table: toml::Table = toml::from_str(manifest).ok()?;
        let shares = table.get("package")?.get("metadata")?.get("tlslab")?.get("shares")?.as_array()?;
        Some(shares.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
    };
    listed().unwrap_or_default()
}

fn is_of_cargo(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "Cargo.toml" || name == "Cargo.lock")
}

fn folder(trees: &Trees, name: &str, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Snapshot, Halt> {
    let below = Path::new("drivers").join(name);
    let Some(root) = trees.with(&below) else {
        let looked: Vec<_> = trees.all().map(|tree| format!("`{}`", tree.display())).collect();
        return Err(Halt::wrong(
            format!("drivers/{name}"),
            format!("there is no such folder in {}", looked.join(" or ")),
            "correct `driver` in the recipe",
        ));
    };
    let mut snapshot = Snapshot::default();
    snapshot.add_folder(root, &below, is_wanted)?;
    Ok(snapshot)
}

/// The digest of the sources of the kit and of a driver: the code between the lab and a library.
pub(crate) fn harness(trees: &Trees, name: &str) -> Result<String, Halt> {
    let kit = lab_crates(&trees.lab, false)?;
    let own = files(trees, name)?;
    let lines = kit.digests().chain(own.digests()).map(|(path, digest)| format!("{path} {digest}\n"));
    Ok(digest(lines.collect::<String>().as_bytes()))
}

/// Moves a driver that was built within a folder to its place. The build may have left links there.
///
/// # Errors
/// Fails if it cannot be copied, or if it or a program or library next to it has a clock of its own.
pub(crate) fn keep(built: &Path, within: &Path, place: &Path) -> Result<(), Halt> {
    let driver = place.join(DRIVER);
    copy_plain(built, within, &driver).doing("copy", built)?;
    fs::set_permissions(&driver, Permissions::from_mode(0o755)).doing("change", &driver)?;
    check_clocks(place)?;
    check_import(&driver)
}

/// The program's name within its product.
pub(crate) const DRIVER: &str = "driver";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_is_another_one_after_an_edit_of_the_kit_or_of_the_driver() {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = tempfile::tempdir().unwrap();
        for name in ["protocol", "driver-kit"] {
            let from = lab.join("crates").join(name);
            for file in tlslab_artifact::files(&from, &tlslab_artifact::is_source).unwrap() {
                let to = folder.path().join("crates").join(name).join(&file);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(from.join(&file), to).unwrap();
            }
        }
        for file in ["Cargo.toml", "Cargo.lock"] {
            fs::copy(lab.join(file), folder.path().join(file)).unwrap();
        }
        let write = |file: &str, text: &str| {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let old = fs::read_to_string(&file).unwrap_or_default();
            fs::write(file, old + text).unwrap();
        };
        write("drivers/x/main.c", "int main;");
        let trees = Trees { lab: folder.path().to_owned(), own: None };
        let at_first = harness(&trees, "x").unwrap();
        assert_eq!(harness(&trees, "x").unwrap(), at_first);
        write("crates/driver-kit/src/pair/mod.rs", "// slower\n");
        let with_another_kit = harness(&trees, "x").unwrap();
        write("drivers/x/main.c", " // slower");
        let with_another_driver = harness(&trees, "x").unwrap();
        assert!(at_first != with_another_kit && with_another_kit != with_another_driver);
        write("crates/driver-kit/tests/more.rs", "// a test");
        assert_eq!(harness(&trees, "x").unwrap(), with_another_driver);
    }

    #[test]
    fn a_list_names_whose_code_a_driver_shares() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [("x/Makefile", "driver:"), ("x/shares", "y\n"), ("y/pin.c", "int pin;")] {
            let file = folder.path().join("drivers").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let trees = Trees { lab: folder.path().to_owned(), own: None };
        assert!(files(&trees, "x").unwrap().text(Path::new("drivers/y/pin.c")).is_some());
    }

    #[test]
    fn a_manifest_names_whose_code_it_shares() {
        let manifest = "[package]\nname = \"x\"\n[package.metadata.tlslab]\nshares = [\"rust\"]\n";
        assert_eq!(shares(manifest), ["rust"]);
        assert!(shares("[package]\nname = \"x\"\n").is_empty() && shares("[").is_empty());
    }
}
