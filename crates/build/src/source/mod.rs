//! The source of a library: found out what exactly it is, then fetched into the cache.

mod archive;
mod checkout;
mod debian;
mod git;
mod registry;

use std::path::{Path, PathBuf};

use crate::bench::{Bench, Desk};
use crate::halt::{Doing, Halt};
use crate::inputs::Inputs;
use crate::product::Product;
use crate::recipe::Origin;
use crate::stage::Stage;
use crate::tree::{Stamp, copy_files, files};
pub use debian::MIRROR;

/// A source, known down to its content.
#[derive(Debug)]
pub struct Fetch {
    /// What it is, for a person.
    pub description: String,
    /// What pins its content: a SHA-256, or the commit for git.
    pub digest: String,
    origin: Origin,
    inputs: Inputs,
}

impl Fetch {
    /// Finds out what exactly an origin names. Asks git for a revision that is not a commit, and reads a checkout.
    pub fn plan(origin: &Origin, desk: Desk<'_>) -> Result<Self, Halt> {
        let inputs = Inputs::new(Stage::Source.name());
        let (description, digest, inputs) = match origin {
            Origin::Crate { package, version, sha256 } => {
                let inputs = inputs.with("crate", package).with("version", version).with("sha256", sha256);
                (format!("crate {package} {version} sha256 {sha256}"), sha256.clone(), inputs)
            }
            Origin::Archive { location, sha256, strip } => {
                let inputs = inputs.with("archive sha256", sha256).with("strip", strip.to_string());
                (format!("archive {location} sha256 {sha256}"), sha256.clone(), inputs)
            }
            Origin::Debian { package, file, sha256, strip } => {
                // The content is what counts, so the same archive from elsewhere is the same source.
                let inputs = inputs.with("archive sha256", sha256).with("strip", strip.to_string());
                (format!("Debian source package {package} {file} sha256 {sha256}"), sha256.clone(), inputs)
            }
            Origin::Git { repository, revision } => {
                let commit = git::commit(repository, revision, desk)?;
                let description = format!("git {repository} {revision} commit {commit}");
                (description, commit.clone(), inputs.with("commit", commit))
            }
            Origin::Checkout(path) => {
                let digest = checkout::digest(path, desk)?;
                let state = checkout::state(path, desk);
                let description = format!("checkout {}{state} tree sha256 {digest}", path.display());
                (description, digest.clone(), inputs.with("tree sha256", digest))
            }
        };
        Ok(Self { description, digest, origin: origin.clone(), inputs })
    }

    /// Where the source is within its product.
    pub fn tree(product: &Path) -> PathBuf {
        product.join("tree")
    }
}

impl Product for Fetch {
    fn stage(&self) -> Stage {
        Stage::Source
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, bench: &Bench<'_>) -> Result<(), Halt> {
        let tree = Self::tree(place);
        match &self.origin {
            Origin::Crate { package, version, sha256 } => {
                let fetched = registry::fetch(package, version, sha256, scratch, bench)?;
                copy_whole(&fetched, &tree)
            }
            Origin::Archive { location, sha256, strip } => {
                let unpacked = archive::fetch(location, sha256, *strip, scratch, bench)?;
                copy_whole(&unpacked, &tree)
            }
            Origin::Debian { package, file, sha256, strip } => {
                let unpacked = debian::fetch(package, file, sha256, *strip, scratch, bench)?;
                copy_whole(&unpacked, &tree)
            }
            Origin::Git { repository, revision } => {
                git::fetch(repository, revision, &self.digest, scratch, bench)?;
                copy_whole(scratch, &tree)
            }
            Origin::Checkout(path) => checkout::copy(path, &self.digest, &tree, bench.desk),
        }
    }
}

/// Copies a source, with one time stamp for all files: what was generated is never older than what it came from.
fn copy_whole(from: &Path, to: &Path) -> Result<(), Halt> {
    let paths = files(from, &|path| path != Path::new(".git")).doing("read", from)?;
    if paths.is_empty() {
        return Err(Halt::wrong(
            format!("`{}`", from.display()),
            "there is not one file in it",
            "check the source",
        ));
    }
    copy_files(from, to, &paths, Stamp::Fixed)
}
