//! A library that the system has installed.

use std::path::Path;

use tlslab_artifact::{Context, Halt, file_digest, program};

/// A library that the system has installed, as `pkg-config` describes it.
#[derive(Clone, Debug)]
pub(crate) struct SystemLibrary {
    /// Its name for `pkg-config`.
    pub package: String,
    /// Its version.
    pub version: String,
    /// Flags for the compiler and the linker.
    pub flags: Vec<String>,
    /// The files that `-l` names, each with its SHA-256: a distribution's fix changes them but not the
    /// version.
    pub files: Vec<String>,
}

impl SystemLibrary {
    /// Asks `pkg-config`, and the compiler for the files.
    pub(crate) fn ask(package: &str, cc: &str, context: Context<'_>) -> Result<Self, Halt> {
        let ask =
            |options: &[&str]| context.ask(program("pkg-config", Path::new("/")).args(options).arg(package));
        let version = ask(&["--modversion"]).map_err(|halt| {
            Halt::wrong(
                format!("the system's {package}"),
                halt.to_string(),
                "install its development package, or take it from a source",
            )
        })?;
        let flags: Vec<String> =
            ask(&["--cflags", "--libs"])?.split_whitespace().map(str::to_owned).collect();
        let folders: Vec<&String> = flags.iter().filter(|flag| flag.starts_with("-L")).collect();
        let mut files = Vec::new();
        for name in flags.iter().filter_map(|flag| flag.strip_prefix("-l")) {
            let find = program(cc, Path::new("/")).args(&folders);
            let found = context.ask(find.arg(format!("-print-file-name=lib{name}.so")))?;
            // If the compiler does not find a file, it prints only the name.
            if let Ok(file) = std::fs::canonicalize(found.trim())
                && let Ok(digest) = file_digest(&file)
            {
                files.push(format!("{} sha256 {digest}", file.display()));
            }
        }
        Ok(Self { package: package.to_owned(), version: version.trim().to_owned(), flags, files })
    }

    /// Everything that identifies the library.
    pub(crate) fn lines(&self) -> Vec<String> {
        let first = format!("system {} {}", self.package, self.version);
        [first].into_iter().chain(self.files.iter().cloned()).chain(self.flags.iter().cloned()).collect()
    }
}
