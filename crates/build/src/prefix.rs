//! A C library, built from its source and installed to a folder of its own.

use std::path::{Path, PathBuf};

use tlslab_process::Program;

use tlslab_artifact::{
    Artifact, Doing, Halt, Inputs, Key, Stage, Stamp, Toolchain, Workspace, copy_files, files, quoted,
};
use tlslab_recipe::{Compiler, Steps};

use crate::clocks::check_clocks;
use crate::needs::Needs;
use crate::source::Fetch;

/// An installed library.
pub(crate) struct Prefix {
    source: Key,
    folder: PathBuf,
    steps: Steps,
    compiler: Compiler,
    needs: Needs,
    inputs: Inputs,
}

impl Prefix {
    /// The planned build. The prefix's own path is not an input: it follows from the key. `made_with` are the
    /// tools' files; some libraries examine the processor while they are built.
    pub(crate) fn plan(
        (source, folder): (Key, &Path),
        steps: &Steps,
        compiler: &Compiler,
        needs: Needs,
        toolchain: &Toolchain,
        made_with: &[String],
    ) -> Self {
        let inputs = Inputs::new(Stage::Prefix.name())
            .with("source", source.as_str())
            .with("folder", folder.to_string_lossy())
            .with("cc", toolchain.version_of(&compiler.cc))
            .with("target", &toolchain.target)
            .with("cpu features", &toolchain.cpu_features)
            .with_all("made with", made_with)
            .with_all("compiler", compiler_lines(compiler))
            .with_all("need", needs.lines())
            .with_all("step", step_lines(steps));
        let (folder, steps, compiler) = (folder.to_owned(), steps.clone(), compiler.clone());
        Self { source, folder, steps, compiler, needs, inputs }
    }
}

/// The compilers and their flags, for a key and for display.
pub(crate) fn compiler_lines(compiler: &Compiler) -> Vec<String> {
    let Compiler { cc, cxx, cflags, ldflags, target } = compiler;
    let mut lines = vec![
        format!("compilers: {cc} and {cxx} {}", cflags.join(" ")),
        format!("linker: {}", ldflags.join(" ")),
    ];
    lines.extend(target.map(|target| format!("for {}", target.triple())));
    lines
}

/// The steps as a shell would take them, with placeholders.
pub(crate) fn step_lines(steps: &Steps) -> Vec<String> {
    let env = steps.env.iter().map(|(name, value)| format!("env {name}={}", quoted(value)));
    let commands = steps.commands.iter().map(|command| {
        let words: Vec<_> = command.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    });
    env.chain(commands).collect()
}

impl Artifact for Prefix {
    fn stage(&self) -> Stage {
        Stage::Prefix
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let source = workspace.context.cache.product(Stage::Source, &self.source);
        let source = Fetch::tree(&source).join(&self.folder);
        let paths = files(&source, &|_| true).doing("read", &source)?;
        copy_files(&source, scratch, &paths, Stamp::Fixed)?;
        let fill = self
            .needs
            .placeholders(&self.compiler, workspace.context.cache)
            .prefix(place)
            .jobs(workspace.jobs);
        for command in &self.steps.commands {
            let mut words = fill.fill_words(command).into_iter();
            // A recipe's steps are not empty.
            let name = words.next().unwrap_or_default();
            let step = Program::new(name).args(words).directory(scratch);
            workspace.run(step.envs(self.steps.env.iter().map(|(name, value)| (name, fill.fill(value)))))?;
        }
        if ["include", "lib", "lib64"].iter().any(|folder| place.join(folder).is_dir()) {
            return check_clocks(place);
        }
        Err(Halt::wrong(
            "the steps succeeded",
            "but there is neither include/ nor lib/ in {prefix}",
            "let the last step install the library to {prefix}",
        ))
    }
}
