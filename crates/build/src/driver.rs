//! What drivers in C and in Rust have in common: their files in the lab's tree, and their product in the cache.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tlslab_artifact::{Doing, Halt, Snapshot, digest, file_digest, is_source};

use crate::lab_crates::lab_crates;
use crate::trees::Trees;

/// A driver's own files, under `drivers/<name>/`.
pub fn files(trees: &Trees, name: &str) -> Result<Snapshot, Halt> {
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
    snapshot.add_folder(root, &below, is_source)?;
    Ok(snapshot)
}

/// The digest of the sources of the kit and of a driver: what stands between the lab and a library.
pub fn harness(trees: &Trees, name: &str) -> Result<String, Halt> {
    let kit = lab_crates(&trees.lab, false)?;
    let own = files(trees, name)?;
    let lines = kit.digests().chain(own.digests()).map(|(path, digest)| format!("{path} {digest}\n"));
    Ok(digest(lines.collect::<String>().as_bytes()))
}

/// Puts a driver that was built into its place.
pub fn keep(built: &Path, place: &Path) -> Result<(), Halt> {
    let (driver, digest_file) = (place.join(DRIVER), place.join(DIGEST));
    fs::copy(built, &driver).doing("copy", built)?;
    fs::set_permissions(&driver, Permissions::from_mode(0o755)).doing("change", &driver)?;
    let digest = file_digest(&driver).doing("read", &driver)?;
    fs::write(&digest_file, digest + "\n").doing("write", &digest_file)
}

/// Whether the program is still the one that was put there.
pub fn is_intact(place: &Path) -> bool {
    match (file_digest(&place.join(DRIVER)), fs::read_to_string(place.join(DIGEST))) {
        (Ok(digest), Ok(noted)) => noted.trim_end() == digest,
        _ => false,
    }
}

/// The program's name within its product.
pub const DRIVER: &str = "driver";

const DIGEST: &str = "driver.sha256";
