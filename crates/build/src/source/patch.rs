//! A patch that is put over a source.

use std::path::{Path, PathBuf};

use crate::bench::{Bench, program};
use crate::digest::file_digest;
use crate::halt::{Doing, Halt};

/// A file of differences as `git diff` and `diff -u` write them, known down to its content.
#[derive(Debug)]
pub struct Patch {
    /// Its SHA-256, hex.
    pub digest: String,
    file: PathBuf,
}

impl Patch {
    /// Reads it for the first time.
    pub fn read(file: &Path) -> Result<Self, Halt> {
        if !file.is_file() {
            let next_step = "name a file that `git diff` or `diff -u` wrote";
            return Err(Halt::wrong(format!("patch {}", file.display()), "there is no such file", next_step));
        }
        Ok(Self { digest: file_digest(file).doing("read", file)?, file: file.to_owned() })
    }

    /// What it is, for a person.
    pub fn told(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("patched by {name} sha256 {}", self.digest)
    }

    /// Puts it over the files of a folder. Nothing is left half done: it applies whole or not at all.
    pub fn apply(&self, folder: &Path, bench: &Bench<'_>) -> Result<(), Halt> {
        if file_digest(&self.file).doing("read", &self.file)? != self.digest {
            return Err(Halt::wrong(
                format!("patch {}", self.file.display()),
                "it was changed since it was read",
                "build again when nobody writes to it",
            ));
        }
        let above = folder.parent().unwrap_or(folder);
        let file = std::path::absolute(&self.file).unwrap_or_else(|_| self.file.clone());
        // A repository above the folder would have git look for the files there.
        let git = program("git", folder).env("GIT_CEILING_DIRECTORIES", above);
        bench.run(git.args(["apply", "--whitespace=nowarn", "-p1"]).arg(file))
    }
}
