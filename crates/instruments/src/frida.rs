//! Frida, which counts native execution of a driver's first thread. An optional part: it is installed on
//! first use, and no other part of the lab needs it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Artifact, Halt, Inputs, Stage, Workspace, on_path, program};

/// The command for a driver: `python`, then `attach`, then the driver with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalker {
    /// The Python interpreter.
    pub python: PathBuf,
    /// The program that starts a driver and attaches Frida.
    pub attach: PathBuf,
    /// The folder with Frida's package.
    pub packages: PathBuf,
    /// The library that a driver must load: it holds the counts, makes random numbers and clocks
    /// deterministic, and hides the process ID.
    pub library: PathBuf,
    /// Frida's version.
    pub version: String,
}

/// The package, from pip's configured index.
pub(crate) struct Frida {
    inputs: Inputs,
}

impl Frida {
    /// `python` is the output of `python3 --version`.
    pub(crate) fn plan(python: &str, target: &str) -> Result<Self, Halt> {
        if !target.starts_with("x86_64-") || !target.contains("linux") {
            let cause = format!("it is used on x86-64 under Linux, and this is {target}");
            return Err(Halt::wrong(FRIDA, cause, "count with another counter, or measure time"));
        }
        let inputs = Inputs::new(Stage::Frida.name())
            .with("python", python.trim())
            .with("target", target)
            .with("package", REQUIREMENT);
        Ok(Self { inputs })
    }

    /// The path of Python; or the missing part, in one line.
    pub(crate) fn python(path: &OsStr) -> Result<PathBuf, Halt> {
        on_path(PYTHON, path).ok_or_else(|| {
            let cause = "what installs it is missing: python3, python3-pip";
            Halt::wrong(FRIDA, cause, "apt-get install python3 python3-pip")
        })
    }

    /// The folder of its package in the product.
    pub(crate) fn packages(product: &Path) -> PathBuf {
        product.join("packages")
    }
}

impl Artifact for Frida {
    fn stage(&self) -> Stage {
        Stage::Frida
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let pip = || program(PYTHON, scratch).args(["-m", "pip"]);
        workspace.run(pip().arg("--version")).map_err(|halt| match halt {
            Halt::Step { .. } => {
                let cause = "what installs it is missing: python3-pip";
                Halt::wrong(FRIDA, cause, "apt-get install python3-pip")
            }
            other => other,
        })?;
        let list = scratch.join("requirements.txt");
        std::fs::write(&list, format!("{REQUIREMENT}\n")).map_err(|cause| {
            Halt::wrong(list.display().to_string(), cause.to_string(), "check the disk and the path")
        })?;
        let packages = Self::packages(place);
        let install =
            pip().args(["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]);
        workspace.run(install.arg("--target").arg(&packages).arg("--requirement").arg(&list))?;
        let text = packages.to_string_lossy();
        workspace.run(program(PYTHON, scratch).args(["-I", "-c", PROBE, &*text]))
    }
}

/// The version, as text for readers.
pub(crate) const FRIDA_VERSION: &str = "17.26.0";

const FRIDA: &str = "Frida";

const PYTHON: &str = "python3";

/// The version and digest of its package for this architecture.
const REQUIREMENT: &str =
    "frida==17.26.0 --hash=sha256:68baafb985a551c0696628c5f0cfb920559f20d7b23dd1daa2ea3dad0216d748";

const PROBE: &str = "import sys; sys.path.insert(0, sys.argv[1]); import frida; print(frida.__version__)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_is_reported_is_the_one_that_is_installed() {
        assert!(REQUIREMENT.starts_with(&format!("frida=={FRIDA_VERSION} ")));
    }

    #[test]
    fn names_what_is_missing_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let error = Frida::python(folder.path().as_os_str()).unwrap_err().to_string();
        assert!(error.contains("apt-get install python3 python3-pip"), "{error}");
        assert!(!error.contains('\n'), "{error}");
        let error = Frida::plan("Python 3.11.2", "aarch64-linux-gnu").err().unwrap().to_string();
        assert!(error.contains("x86-64 under Linux"), "{error}");
    }
}
