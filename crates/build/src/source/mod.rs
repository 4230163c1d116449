//! The source of a library: resolved to an exact revision, then fetched into the cache.

mod archive;
mod checkout;
mod debian;
pub(crate) mod git;
mod modules;
mod patch;
mod pypi;
mod registry;

use std::path::{Path, PathBuf};

use patch::Patch;

use tlslab_artifact::{Artifact, Context, Doing, Halt, Inputs, Stage, Stamp, Workspace, copy_files, files};
use tlslab_recipe::{Origin, Source, is_remote};

/// A source, known down to its content.
#[derive(Debug)]
pub(crate) struct Fetch {
    /// A description for display.
    pub description: String,
    /// What pins its content: a SHA-256, a commit of git, or a release's version whose checksum the registry
    /// has.
    pub digest: String,
    origin: Origin,
    /// The commit, or the digest of a checkout's files, before it is patched.
    revision: String,
    patches: Vec<Patch>,
    /// The folder within it that is built, to which patches may be relative.
    folder: PathBuf,
    inputs: Inputs,
}

impl Fetch {
    /// Resolves a source. Asks git for a revision that is not a commit, and reads a checkout and patches.
    pub(crate) fn plan(source: &Source, context: Context<'_>) -> Result<Self, Halt> {
        let origin = &source.origin;
        let inputs = Inputs::new(Stage::Source.name());
        let (description, digest, inputs) = match origin {
            Origin::Crate { package, version, sha256 } => {
                let inputs = inputs.with("crate", package).with("version", version);
                match sha256 {
                    Some(sha256) => (
                        format!("crate {package} {version} sha256 {sha256}"),
                        sha256.clone(),
                        inputs.with("sha256", sha256),
                    ),
                    None => (format!("crate {package} {version}"), version.clone(), inputs),
                }
            }
            Origin::Archive { location, sha256, strip } => {
                if let Some(hosts) = context.hosts.filter(|_| is_remote(location)) {
                    hosts.check("a recipe", location)?;
                }
                let inputs = inputs.with("archive sha256", sha256).with("strip", strip.to_string());
                (format!("archive {location} sha256 {sha256}"), sha256.clone(), inputs)
            }
            Origin::Debian { package, file, sha256, strip } => {
                // The content counts: the same archive from elsewhere is the same source.
                let inputs = inputs.with("archive sha256", sha256).with("strip", strip.to_string());
                (format!("Debian source package {package} {file} sha256 {sha256}"), sha256.clone(), inputs)
            }
            Origin::Pypi { package, file, sha256, strip } => {
                let inputs = inputs.with("archive sha256", sha256).with("strip", strip.to_string());
                (format!("Python package {package} {file} sha256 {sha256}"), sha256.clone(), inputs)
            }
            Origin::Git { repository, revision } => {
                if let Some(hosts) = context.hosts.filter(|_| !git::is_local(repository)) {
                    hosts.check_git("a recipe", repository)?;
                }
                let commit = git::commit(repository, revision, context)?;
                let description = format!("git {repository} {revision} commit {commit}");
                (description, commit.clone(), inputs.with("commit", commit))
            }
            Origin::Checkout(path) => {
                let digest = checkout::digest(path, context)?;
                let state = checkout::state(path, context);
                let description = format!("checkout {}{state} tree sha256 {digest}", path.display());
                (description, digest.clone(), inputs.with("tree sha256", digest))
            }
        };
        let patches = source.patches.iter().map(|file| Patch::read(file)).collect::<Result<Vec<_>, _>>()?;
        let (mut description, mut digest, revision) = (description, digest.clone(), digest);
        let mut inputs = inputs.with_all("patch", patches.iter().map(|patch| &patch.digest));
        let folder = source.folder.clone();
        if !patches.is_empty() && !folder.as_os_str().is_empty() {
            inputs = inputs.with("folder", folder.to_string_lossy());
        }
        for patch in &patches {
            description += &format!(" {}", patch.describe());
            digest = tlslab_artifact::digest(format!("{digest} {}", patch.digest).as_bytes());
        }
        Ok(Self { description, digest, origin: origin.clone(), revision, patches, folder, inputs })
    }

    /// Where the source is within its product.
    pub(crate) fn tree(product: &Path) -> PathBuf {
        product.join("tree")
    }
}

impl Artifact for Fetch {
    fn stage(&self) -> Stage {
        Stage::Source
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let tree = Self::tree(place);
        let fetched = match &self.origin {
            Origin::Crate { package, version, sha256 } => {
                registry::fetch(package, version, sha256.as_deref(), scratch, workspace)?
            }
            Origin::Archive { location, sha256, strip } => {
                archive::fetch(location, sha256, *strip, scratch, workspace)?
            }
            Origin::Debian { package, file, sha256, strip } => {
                debian::fetch(package, file, sha256, *strip, scratch, workspace)?
            }
            Origin::Pypi { package, file, sha256, strip } => {
                pypi::fetch(package, file, sha256, *strip, scratch, workspace)?
            }
            Origin::Git { repository, revision } => {
                git::fetch(repository, revision, &self.revision, scratch, workspace)?;
                scratch.to_owned()
            }
            Origin::Checkout(path) if self.patches.is_empty() => {
                return checkout::copy(path, &self.revision, &tree, workspace.context);
            }
            Origin::Checkout(path) => {
                let copied = scratch.join("checkout");
                checkout::copy(path, &self.revision, &copied, workspace.context)?;
                copied
            }
        };
        for patch in &self.patches {
            patch.apply(&fetched, &self.folder, workspace)?;
        }
        copy_whole(&fetched, &tree)
    }
}

/// Copies a source, with one timestamp for all files: generated files are never older than their inputs.
fn copy_whole(from: &Path, to: &Path) -> Result<(), Halt> {
    let paths = files(from, &|path| path != Path::new(".git")).doing("read", from)?;
    if paths.is_empty() {
        return Err(Halt::wrong(format!("`{}`", from.display()), "it contains no files", "check the source"));
    }
    copy_files(from, to, &paths, Stamp::Fixed)
}
