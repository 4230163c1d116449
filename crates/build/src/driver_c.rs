//! A driver in C, linked with the kit and one library.

use std::path::Path;

use crate::bench::{Bench, Desk, program};
use crate::driver::{self, DRIVER};
use crate::halt::Halt;
use crate::inputs::{Inputs, Key};
use crate::kit::Kit;
use crate::product::Product;
use crate::recipe::CBuild;
use crate::stage::Stage;
use crate::toolchain::Toolchain;
use crate::tree::Snapshot;

/// Flags for the sources of every driver in C: optimised, and with the line tables that attribution needs.
pub const C_FLAGS: [&str; 4] = ["-std=gnu11", "-O2", "-g1", "-Wall"];

/// A C driver's program.
pub struct CDriver {
    snapshot: Snapshot,
    kit: Key,
    prefix: Option<Key>,
    compile: Vec<String>,
    link: Vec<String>,
    inputs: Inputs,
}

/// A library that the system has installed, as `pkg-config` describes it.
#[derive(Clone, Debug)]
pub struct SystemLibrary {
    /// Its version.
    pub version: String,
    /// Flags for the compiler and the linker.
    pub flags: Vec<String>,
}

impl SystemLibrary {
    /// Asks `pkg-config`.
    pub fn ask(package: &str, desk: Desk<'_>) -> Result<Self, Halt> {
        let ask =
            |options: &[&str]| desk.ask(program("pkg-config", Path::new("/")).args(options).arg(package));
        let version = ask(&["--modversion"]).map_err(|halt| {
            Halt::wrong(
                format!("the system's {package}"),
                halt.to_string(),
                "install its development package, or take it from a source",
            )
        })?;
        let flags = ask(&["--cflags", "--libs"])?;
        Ok(Self {
            version: version.trim().to_owned(),
            flags: flags.split_whitespace().map(str::to_owned).collect(),
        })
    }
}

impl CDriver {
    /// What would be built.
    pub fn plan(
        root: &Path,
        name: &str,
        build: &CBuild,
        system: Option<&SystemLibrary>,
        prefix: Option<Key>,
        kit: Key,
        toolchain: &Toolchain,
    ) -> Result<Self, Halt> {
        let snapshot = driver::files(root, name)?;
        if !snapshot.paths().any(is_c) {
            return Err(Halt::wrong(
                format!("drivers/{name}"),
                "there is no .c file in it",
                "write the driver, or build it with [cargo] if it is in Rust",
            ));
        }
        let compile: Vec<String> =
            C_FLAGS.map(str::to_owned).into_iter().chain(build.cflags.iter().cloned()).collect();
        let of_system = system.map(|library| library.flags.clone()).unwrap_or_default();
        let link: Vec<String> = build.link.iter().cloned().chain(of_system).collect();
        let inputs = Inputs::new(Stage::Driver.name())
            .with("kit", kit.as_str())
            .with("prefix", prefix.as_ref().map_or("none", Key::as_str))
            .with("system library", system.map_or("none", |library| library.version.as_str()))
            .with("cc", &toolchain.cc)
            .with("target", &toolchain.target)
            .with_all("compile", &compile)
            .with_all("link", &link)
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")));
        Ok(Self { snapshot, kit, prefix, compile, link, inputs })
    }
}

impl Product for CDriver {
    fn stage(&self) -> Stage {
        Stage::Driver
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn is_intact(&self, place: &Path) -> bool {
        driver::is_intact(place)
    }

    fn make(&self, place: &Path, scratch: &Path, bench: &Bench<'_>) -> Result<(), Halt> {
        let cache = bench.desk.cache;
        self.snapshot.bring_to(scratch, &[])?;
        let kit = cache.product(Stage::Kit, &self.kit);
        let prefix = self.prefix.as_ref().map(|key| cache.product(Stage::Prefix, key));
        let mut cc = program("cc", scratch).args(&self.compile);
        cc = cc.arg("-I").arg(Kit::include(&kit));
        if let Some(prefix) = &prefix {
            cc = cc.arg("-I").arg(prefix.join("include"));
        }
        cc = cc.args(self.snapshot.paths().filter(|path| is_c(path)));
        cc = cc.arg("-o").arg(DRIVER).arg(Kit::library(&kit));
        for folder in prefix.iter().flat_map(|prefix| [prefix.join("lib"), prefix.join("lib64")]) {
            if folder.is_dir() {
                cc = cc.arg("-L").arg(folder);
            }
        }
        bench.run(cc.args(&self.link).args(KIT_NEEDS))?;
        driver::keep(&scratch.join(DRIVER), place)
    }
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c")
}

/// What the standard library of Rust needs of the system, in the order in which rustc lists it.
const KIT_NEEDS: [&str; 7] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"];
