//! Sources, and the check of their description.

use std::path::{Component, PathBuf};

use crate::check::Check;
use crate::error::RecipeError;
use crate::resolve_beside;
use crate::written::{ONE_OF, WrittenSource};

/// A source and the part of it that is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its origin.
    pub origin: Origin,
    /// The folder within it that is built; empty for all of it.
    pub folder: PathBuf,
    /// Patches, in order of application; names in them are relative to its top, or to the built folder, after
    /// one leading folder.
    pub patches: Vec<PathBuf>,
}

/// The origin of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A package of the registry.
    Crate {
        /// Its name.
        package: String,
        /// Its exact version.
        version: String,
        /// Its checksum, as in a `Cargo.lock`; the registry's own if unknown.
        sha256: Option<String>,
    },
    /// An archive that `tar` can read.
    Archive {
        /// A path, or an address that `curl` can fetch.
        location: String,
        /// Its SHA-256, hex.
        sha256: String,
        /// Leading folders to drop.
        strip: u32,
    },
    /// The original archive in one of Debian's source packages.
    Debian {
        /// The source package.
        package: String,
        /// The archive's name.
        file: String,
        /// Its SHA-256, hex.
        sha256: String,
        /// Leading folders to drop.
        strip: u32,
    },
    /// A source distribution of the Python Package Index.
    Pypi {
        /// The project.
        package: String,
        /// The archive's name.
        file: String,
        /// Its SHA-256, hex.
        sha256: String,
        /// Leading folders to drop.
        strip: u32,
    },
    /// A commit.
    Git {
        /// A path or an address.
        repository: String,
        /// A commit, tag or branch.
        revision: String,
    },
    /// A checkout in its current state, changes included.
    Checkout(PathBuf),
}

impl Source {
    /// The programs that fetch it and patch it.
    pub fn tools(&self) -> Vec<&'static str> {
        let mut tools = match &self.origin {
            Origin::Archive { location, .. } if is_remote(location) => vec!["tar", "curl"],
            Origin::Archive { .. } => vec!["tar"],
            Origin::Debian { .. } => vec!["tar", "curl"],
            Origin::Pypi { .. } => vec!["tar", "curl", "pip3"],
            Origin::Git { .. } => vec!["git"],
            Origin::Crate { .. } | Origin::Checkout(_) => vec![],
        };
        if !self.patches.is_empty() && !tools.contains(&"git") {
            tools.push("git");
        }
        tools
    }
}

/// Whether an archive's location is fetched by `curl`.
pub fn is_remote(location: &str) -> bool {
    location.starts_with("https://") || location.starts_with("http://")
}

impl Check<'_> {
    /// A source, as it is written under `at`.
    pub(crate) fn source(&self, at: &str, source: WrittenSource) -> Result<Source, RecipeError> {
        let folder = PathBuf::from(source.folder.as_deref().unwrap_or_default());
        let stays = folder.components().all(|part| matches!(part, Component::Normal(_)));
        self.that(stays, &format!("{at}.folder"), || {
            let cause = format!("\"{}\" leads out of the source", folder.display());
            (cause, "name a folder within it".into())
        })?;
        let key = |name: &str| format!("{at}.{name}");
        let origin = match &source {
            WrittenSource { package: Some(package), .. } => {
                self.only(at, &source, &["crate", "version", "sha256"])?;
                self.word(&key("crate"), package, "name a package")?;
                let version = self.needed(&key("version"), source.version.as_ref())?;
                self.version(&key("version"), version)?;
                let next_step = "copy the package's checksum from a Cargo.lock";
                // A patched release by version has no checksum.
                let is_by_version = source.sha256.is_none() && !source.patches.is_empty();
                let sha256 = (!is_by_version).then(|| self.sha256(at, &source, next_step)).transpose()?;
                Origin::Crate { package: package.clone(), version: version.clone(), sha256 }
            }
            WrittenSource { archive: Some(archive), .. } => {
                self.only(at, &source, &["archive", "sha256", "strip"])?;
                let location = match archive.strip_prefix("file://") {
                    Some(path) => path.to_owned(),
                    None if is_remote(archive) => archive.clone(),
                    None => resolve_beside(self.file, archive).to_string_lossy().into_owned(),
                };
                let sha256 = self.sha256(at, &source, OF_ARCHIVE)?;
                Origin::Archive { location, sha256, strip: source.strip.unwrap_or(1) }
            }
            WrittenSource { debian: Some(package), .. } => {
                let what = ["name a source package", "name its original archive, without a folder"];
                let (package, file, sha256) = self.packaged(at, &source, "debian", package, what)?;
                Origin::Debian { package, file, sha256, strip: source.strip.unwrap_or(1) }
            }
            WrittenSource { pypi: Some(package), .. } => {
                let what = ["name a project", "name its source distribution, without a folder"];
                let (package, file, sha256) = self.packaged(at, &source, "pypi", package, what)?;
                Origin::Pypi { package, file, sha256, strip: source.strip.unwrap_or(1) }
            }
            WrittenSource { git: Some(git), .. } => {
                self.only(at, &source, &["git", "revision"])?;
                let revision = self.needed(&key("revision"), source.revision.as_ref())?;
                for (name, value) in [("git", git), ("revision", revision)] {
                    self.that(!value.is_empty() && !value.starts_with('-'), &key(name), || {
                        let cause = format!("\"{value}\" would be taken for an option, or is empty");
                        (cause, "write a repository and a commit, tag or branch".into())
                    })?;
                }
                // Git would start a program for ext:: and for other helpers' names.
                self.that(!git.contains("::"), &key("git"), || {
                    let cause = format!("\"{git}\" names a helper that git would start");
                    (cause, "write https://, ssh:// or a path".into())
                })?;
                let is_address = git.contains(':');
                let repository = if is_address {
                    git.clone()
                } else {
                    resolve_beside(self.file, git).to_string_lossy().into_owned()
                };
                Origin::Git { repository, revision: revision.clone() }
            }
            WrittenSource { path: Some(path), .. } => {
                self.only(at, &source, &["path"])?;
                Origin::Checkout(resolve_beside(self.file, path))
            }
            _ => return Err(self.wrong(at, "the library has no source", ONE_OF)),
        };
        let patches = source.patches.iter().map(|patch| resolve_beside(self.file, patch)).collect();
        Ok(Source { origin, folder, patches })
    }

    /// A package's name, its archive's name and checksum; `what` is the advice for errors in the first two.
    fn packaged(
        &self,
        at: &str,
        source: &WrittenSource,
        kind: &'static str,
        package: &str,
        what: [&str; 2],
    ) -> Result<(String, String, String), RecipeError> {
        self.only(at, source, &[kind, "file", "sha256", "strip"])?;
        self.word(&format!("{at}.{kind}"), package, what[0])?;
        let at_file = format!("{at}.file");
        let file = self.needed(&at_file, source.file.as_ref())?;
        self.word(&at_file, file, what[1])?;
        Ok((package.to_owned(), file.clone(), self.sha256(at, source, OF_ARCHIVE)?))
    }

    /// Rejects keys of another kind of source.
    pub(crate) fn only(&self, at: &str, source: &WrittenSource, keys: &[&str]) -> Result<(), RecipeError> {
        let written = [
            ("crate", source.package.is_some()),
            ("version", source.version.is_some()),
            ("archive", source.archive.is_some()),
            ("debian", source.debian.is_some()),
            ("pypi", source.pypi.is_some()),
            ("file", source.file.is_some()),
            ("sha256", source.sha256.is_some()),
            ("strip", source.strip.is_some()),
            ("git", source.git.is_some()),
            ("revision", source.revision.is_some()),
            ("path", source.path.is_some()),
            ("system", source.system.is_some()),
        ];
        match written.iter().find(|(key, is_written)| *is_written && !keys.contains(key)) {
            None => Ok(()),
            Some((key, _)) => {
                let cause = format!("it does not go with `{}`", keys[0]);
                Err(self.wrong(&format!("{at}.{key}"), &cause, "remove one of the two"))
            }
        }
    }

    fn sha256(&self, at: &str, source: &WrittenSource, next_step: &str) -> Result<String, RecipeError> {
        let sha256 = source.sha256.as_deref().unwrap_or_default();
        let is_digest = sha256.len() == 64 && sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        self.that(is_digest, &format!("{at}.sha256"), || {
            ("it is not 64 lowercase hexadecimal digits".into(), next_step.into())
        })?;
        Ok(sha256.to_owned())
    }
}

const OF_ARCHIVE: &str = "write what `sha256sum` prints for the archive";
