//! A driver in C or C++, linked with the kit and one library.

use std::path::{Path, PathBuf};

use tlslab_process::Program;

use tlslab_artifact::{Artifact, Cache, Halt, Inputs, Key, Snapshot, Stage, Toolchain, Workspace, program};
use tlslab_recipe::{CBuild, Compiler, Layouts, Placeholders};

use crate::driver::{self, DRIVER};
use crate::kit::Kit;
use crate::layouts::{self, LinkLayouts};
use crate::needs::Needs;
use crate::prefix::compiler_lines;
use crate::system::SystemLibrary;
use crate::trees::Trees;

/// Flags for the sources of every driver in C: optimised, and with the line tables that attribution needs, in
/// a version of their format that valgrind reads whichever compiler writes it. Each function has a section of
/// its own, as layouts are made of those.
pub const C_FLAGS: [&str; 6] = ["-std=gnu11", "-O2", "-g1", "-gdwarf-4", "-Wall", "-ffunction-sections"];

/// The same for C++.
pub const CXX_FLAGS: [&str; 6] = ["-std=gnu++20", "-O2", "-g1", "-gdwarf-4", "-Wall", "-ffunction-sections"];

/// The inputs of a driver's linking besides the kit.
#[derive(Clone, Default)]
pub(crate) struct Linked {
    /// The library's prefix, if it is built.
    pub prefix: Option<Key>,
    /// The library, if it is the system's.
    pub system: Option<SystemLibrary>,
    /// Further libraries of the recipe.
    pub needs: Needs,
}

/// The inputs of a driver that is not in Rust, except for its own files.
#[derive(Clone)]
pub(crate) struct Assembly {
    /// The compilers.
    pub compiler: Compiler,
    /// The library.
    pub linked: Linked,
    /// The kit.
    pub kit: Key,
}

impl Assembly {
    /// Its part of a driver's inputs.
    pub(crate) fn add_to(&self, inputs: Inputs, toolchain: &Toolchain) -> Inputs {
        inputs
            .with("kit", self.kit.as_str())
            .with("prefix", self.linked.prefix.as_ref().map_or("none", Key::as_str))
            .with_all("system library", self.linked.system.iter().flat_map(SystemLibrary::lines))
            .with_all("need", self.linked.needs.lines())
            .with("cc", toolchain.version_of(&self.compiler.cc))
            .with("target", &toolchain.target)
            .with_all("made with", toolchain.files_for([]))
            .with_all("compiler", compiler_lines(&self.compiler))
    }

    /// The library's prefix, if it is built.
    pub(crate) fn prefix(&self, cache: &Cache) -> Option<PathBuf> {
        self.linked.prefix.as_ref().map(|key| cache.product(Stage::Prefix, key))
    }

    /// The values of a recipe's placeholders.
    pub(crate) fn placeholders(&self, cache: &Cache) -> Placeholders {
        let fill = self.linked.needs.placeholders(&self.compiler, cache);
        match self.prefix(cache) {
            Some(prefix) => fill.prefix(&prefix),
            None => fill,
        }
    }
}

/// A C driver's program.
pub(crate) struct CDriver {
    snapshot: Snapshot,
    assembly: Assembly,
    build: CBuild,
    layouts: Option<Layouts>,
    inputs: Inputs,
}

impl CDriver {
    /// The planned build.
    pub(crate) fn plan(
        trees: &Trees,
        folder: &str,
        build: &CBuild,
        assembly: Assembly,
        layouts: Option<Layouts>,
        toolchain: &Toolchain,
    ) -> Result<Self, Halt> {
        let snapshot = driver::files(trees, folder)?;
        if !snapshot.paths().any(|path| is_c(path) || is_cxx(path)) {
            return Err(Halt::wrong(
                format!("drivers/{folder}"),
                "there is no .c or .cc file in it",
                "write the driver, or build it with [cargo] if it is in Rust",
            ));
        }
        let inputs = assembly
            .add_to(Inputs::new(Stage::Driver.name()), toolchain)
            .with_all("compile", C_FLAGS.iter().chain(&CXX_FLAGS).copied())
            .with_all("cflags", &build.cflags)
            .with_all("link", &build.link)
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")))
            .with_all("layouts", layouts.map(Layouts::line));
        Ok(Self { snapshot, assembly, build: build.clone(), layouts, inputs })
    }
}

impl CDriver {
    fn link_layouts(
        &self,
        link: &Program,
        (place, scratch): (&Path, &Path),
        workspace: &Workspace<'_>,
    ) -> Result<(), Halt> {
        let Some(layouts) = self.layouts else { return Ok(()) };
        let Some(linker) = layouts::linker(workspace)? else {
            return Layouts::refuse(place, layouts::NO_LINKER);
        };
        let mut link = link.clone();
        if let Some(addition) = layouts.write_addition(scratch)? {
            link.args.insert(0, addition.into_os_string());
        }
        for arguments in layouts.arguments(&linker, place) {
            match workspace.run(link.clone().args(arguments)) {
                Err(Halt::Step { .. }) => return Layouts::refuse(place, layouts::REFUSED),
                linked => linked?,
            }
        }
        Ok(())
    }
}

impl Artifact for CDriver {
    fn stage(&self) -> Stage {
        Stage::Driver
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let cache = workspace.context.cache;
        self.snapshot.bring_to(scratch, &[])?;
        let Assembly { compiler, linked, kit } = &self.assembly;
        let kit = cache.product(Stage::Kit, kit);
        let (prefix, fill) = (self.assembly.prefix(cache), self.assembly.placeholders(cache));
        let of_system = linked.system.as_ref().map(|system| &system.flags);
        let mut compile = vec!["-I".to_owned(), Kit::include(&kit).to_string_lossy().into_owned()];
        compile.extend(prefix.iter().map(|prefix| format!("-I{}", prefix.join("include").display())));
        compile.extend(fill.fill_words(&self.build.cflags));
        compile.extend(of_system.into_iter().flatten().cloned());
        let (c, cxx): (Vec<&Path>, Vec<&Path>) =
            self.snapshot.paths().filter(|path| is_c(path) || is_cxx(path)).partition(|path| is_c(path));
        let mut objects = Vec::new();
        for (compiler, flags, sources) in [(&compiler.cc, C_FLAGS, &c), (&compiler.cxx, CXX_FLAGS, &cxx)] {
            for source in sources {
                let object = format!("{}.o", objects.len());
                let cc = program(compiler, scratch).args(flags).args(&compile).arg("-c").arg(source);
                workspace.run(cc.arg("-o").arg(&object))?;
                objects.push(object);
            }
        }
        let linker = if cxx.is_empty() { &compiler.cc } else { &compiler.cxx };
        let mut link = program(linker, scratch).args(objects).arg("-o").arg(DRIVER).arg(Kit::library(&kit));
        for folder in prefix.iter().flat_map(|prefix| [prefix.join("lib"), prefix.join("lib64")]) {
            if folder.is_dir() {
                link = link.arg("-L").arg(folder);
            }
        }
        link = link.args(&compiler.ldflags).args(fill.fill_words(&self.build.link));
        let link = link.args(of_system.into_iter().flatten()).args(KIT_NEEDS);
        workspace.run(link.clone())?;
        self.link_layouts(&link, (place, scratch), workspace)?;
        driver::keep(&scratch.join(DRIVER), scratch, place)
    }
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c")
}

fn is_cxx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cc" || extension == "cpp")
}

/// The system libraries that Rust's standard library needs, in rustc's order.
pub(crate) const KIT_NEEDS: [&str; 7] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"];
