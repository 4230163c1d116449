//! Where a driver and the libraries that it loads ask for features, on a host whose CPUID cannot be made to
//! fault.
//!
//! An instruction that was not found would see the processor as it is. A driver is therefore refused if one
//! of its files has the bytes of CPUID anywhere outside of the instructions that were read. Not searched are
//! libraries that every program may load, such as the C library: they do no cryptography.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tlslab_artifact::write_plain;
use tlslab_binaries::find_cpuid;
use tlslab_build::BuiltStack;

use crate::stacks::loaded::shared_libraries;

/// The folder in a cache.
const FOLDER: &str = "hidden";
/// The driver's program in the list: a timed process runs a copy of it.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";
/// The longest list that the preloaded library reads, bytes.
const LONGEST: usize = (1 << 16) - 1;

/// Writes the places of a built stack into the cache; the same places have the same file.
///
/// # Errors
/// Fails with why not all of them are known, naming the file.
pub(super) fn write(cache: &Path, built: &BuiltStack) -> Result<PathBuf, String> {
    let mut objects = vec![built.driver.clone()];
    objects.extend(shared_libraries(&built.driver, &built.environment)?);
    let mut text = String::new();
    for object in &objects {
        let name = object.display();
        let file = std::fs::read(object).map_err(|cause| format!("cannot read {name}: {cause}"))?;
        let found = find_cpuid(&file).map_err(|cause| format!("{name}: {cause}"))?;
        if !found.unexplained.is_empty() {
            let count = found.unexplained.len();
            return Err(format!(
                "{name} has {count} places outside of its known functions that may ask for features"
            ));
        }
        if !found.cpuid.is_empty() {
            let name = if *object == built.driver { OWN_PROGRAM } else { &*object.to_string_lossy() };
            // A text cannot fail to be written.
            let _ = writeln!(text, "{name}");
            found.cpuid.iter().for_each(|place| _ = writeln!(text, " {place:x}"));
        }
    }
    if text.len() >= LONGEST {
        return Err(format!(
            "{} has more places that ask for features than can be replaced",
            built.driver.display()
        ));
    }
    let digest: String = hex::encode(Sha256::digest(text.as_bytes()));
    let file = cache.join(FOLDER).join(digest);
    let failed = |cause: std::io::Error| format!("cannot write {}: {cause}", file.display());
    if !file.is_file() {
        std::fs::create_dir_all(cache.join(FOLDER)).map_err(failed)?;
        write_plain(&file, &text).map_err(failed)?;
    }
    Ok(file)
}
