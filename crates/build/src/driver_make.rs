//! A driver that its own Makefile builds: for languages that are neither C nor Rust.

use std::fs;
use std::path::Path;

use tlslab_artifact::{
    Artifact, Context, Doing, Halt, Inputs, Snapshot, Stage, Toolchain, Workspace, copy_plain, program,
};
use tlslab_recipe::MakeBuild;

use crate::driver::{self, DRIVER};
use crate::driver_c::{Assembly, KIT_NEEDS};
use crate::kit::Kit;
use crate::trees::Trees;

/// A driver and the files next to it.
pub(crate) struct MakeDriver {
    snapshot: Snapshot,
    folder: String,
    assembly: Assembly,
    build: MakeBuild,
    inputs: Inputs,
}

impl MakeDriver {
    /// The planned build. `made_with` are the versions of tools that are not built from source.
    pub(crate) fn plan(
        trees: &Trees,
        folder: &str,
        build: &MakeBuild,
        assembly: Assembly,
        made_with: &[String],
        toolchain: &Toolchain,
    ) -> Result<Self, Halt> {
        let snapshot = driver::files(trees, folder)?;
        if snapshot.text(&Path::new("drivers").join(folder).join("Makefile")).is_none() {
            let cause = "there is no Makefile in it";
            return Err(Halt::wrong(
                format!("drivers/{folder}"),
                cause,
                "write one that makes $(OUT)/driver",
            ));
        }
        let inputs = assembly
            .add_to(Inputs::new(Stage::Driver.name()), toolchain)
            .with_all("variable", variable_lines(build))
            .with_all("made with", made_with)
            .with_all("file", snapshot.digests().map(|(path, digest)| format!("{path} {digest}")));
        Ok(Self { snapshot, folder: folder.to_owned(), assembly, build: build.clone(), inputs })
    }
}

/// The tools' versions, a line each.
pub(crate) fn answers(build: &MakeBuild, context: Context<'_>) -> Result<Vec<String>, Halt> {
    let mut lines = Vec::new();
    for command in &build.probe {
        let (name, arguments) =
            command.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
        let probe = program(name, Path::new("/")).args(arguments).envs(&build.variables);
        let printed = context.probe(probe)?;
        lines.extend(printed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(lines)
}

/// The recipe's variables, for a key and for display.
pub(crate) fn variable_lines(build: &MakeBuild) -> Vec<String> {
    build.variables.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

impl Artifact for MakeDriver {
    fn stage(&self) -> Stage {
        Stage::Driver
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let cache = workspace.context.cache;
        self.snapshot.bring_to(scratch, &[])?;
        let Assembly { compiler, kit, .. } = &self.assembly;
        let kit = cache.product(Stage::Kit, kit);
        let prefix = self.assembly.prefix(cache);
        let fill = self.assembly.placeholders(cache).jobs(workspace.jobs);
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let variables = [
            ("OUT", text(place)),
            ("KIT", text(&Kit::library(&kit))),
            ("KIT_INCLUDE", text(&Kit::include(&kit))),
            ("KIT_LIBS", KIT_NEEDS.join(" ")),
            ("PREFIX", prefix.as_deref().map(text).unwrap_or_default()),
            ("CC", compiler.cc.clone()),
            ("CXX", compiler.cxx.clone()),
            ("CFLAGS", compiler.cflags.join(" ")),
            ("LDFLAGS", compiler.ldflags.join(" ")),
        ];
        let own = self.build.variables.iter().map(|(name, value)| format!("{name}={}", fill.fill(value)));
        let make = program("make", &scratch.join("drivers").join(&self.folder))
            .arg(format!("-j{}", workspace.jobs))
            .args(variables.iter().map(|(name, value)| format!("{name}={value}")))
            .args(own)
            .envs(self.build.variables.iter().map(|(name, value)| (name, fill.fill(value))));
        workspace.run(make)?;
        let driver = place.join(DRIVER);
        if !driver.is_file() {
            return Err(Halt::wrong(
                format!("the Makefile of drivers/{}", self.folder),
                "it succeeded without creating $(OUT)/driver",
                "let its first target create that file",
            ));
        }
        // The copy is for its digest and its mode.
        let built = scratch.join(DRIVER);
        fs::rename(&driver, &built).or_else(|_| copy_plain(&driver, place, &built)).doing("move", &driver)?;
        driver::keep(&built, scratch, place)
    }
}
