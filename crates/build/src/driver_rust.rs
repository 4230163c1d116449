//! A driver in Rust: a separate cargo project, built in a copy of the visible part of the lab's tree.
//!
//! The copy outlives the build, so that an edit of the kit rebuilds the kit and the driver but not the
//! library. Its path depends on the driver and its features, not on versions: two versions of a library are
//! built at one path.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{
    Access, Artifact, Doing, Halt, Happening, Inputs, Key, Lock, OUTSIDE, Snapshot, Stage, Stamp, Toolchain,
    Workspace, copy_files, files, program, read_plain_text, remove, remove_others, write_plain,
};
use tlslab_process::Program;
use tlslab_recipe::{AsOf, CargoBuild, Compiler, Layouts, Target};

use crate::addresses;
use crate::driver::{self, DRIVER};
use crate::lab_crates::{lab_crates, written};
use crate::layouts::{self, LinkLayouts};
use crate::lockfile::Lockfile;
use crate::manifest::{with_kit, with_patches};
use crate::needs::Needs;
use crate::offers::{Offer, Offers, follow};
use crate::source::Fetch;
use crate::trees::Trees;

const MANIFEST: &str = "Cargo.toml";

/// The longest manifest of a library, bytes.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// The inputs of a driver in Rust; its lock file may not be settled yet.
#[derive(Clone)]
pub(crate) struct RustProject {
    name: String,
    build: CargoBuild,
    replaced: Vec<Replaced>,
    needs: Needs,
    snapshot: Snapshot,
    layouts: Option<Layouts>,
}

/// A package that does not come from the registry.
#[derive(Clone)]
pub(crate) struct Replaced {
    /// Its name.
    pub package: String,
    /// The source it is in.
    pub source: Key,
    /// The folder within the source; empty to look for the package by its name.
    pub folder: PathBuf,
}

impl RustProject {
    /// Reads the lab's tree and the driver's folder.
    pub(crate) fn read(
        trees: &Trees,
        name: &str,
        build: &CargoBuild,
        replaced: Vec<Replaced>,
        needs: Needs,
    ) -> Result<Self, Halt> {
        let mut snapshot = lab_crates(&trees.lab, false)?;
        snapshot.append(driver::files(trees, name)?);
        let project = Path::new("drivers").join(name);
        for (file, next_step) in [
            ("Cargo.toml", "write it, or link the driver with [link] if it is in C"),
            ("Cargo.lock", "make it with `cargo generate-lockfile` and commit it"),
        ] {
            if snapshot.text(&project.join(file)).is_none() {
                let cause = format!("there is no {file} in it");
                return Err(Halt::wrong(format!("drivers/{name}"), cause, next_step));
            }
        }
        let manifest = project.join("Cargo.toml");
        let text = snapshot.text(&manifest).unwrap_or_default();
        let moved = with_kit(text, "../../crates").map_err(|error| {
            Halt::wrong(format!("`{}`", manifest.display()), error.message(), "correct the driver's manifest")
        })?;
        if let Some(moved) = moved {
            snapshot.add(manifest, written(&moved));
        }
        Ok(Self { name: name.to_owned(), build: build.clone(), replaced, needs, snapshot, layouts: None })
    }

    /// Whether the committed lock file has what the recipe requires.
    pub(crate) fn is_settled(&self) -> bool {
        let Ok(lock) = Lockfile::parse(self.lock_text()) else { return false };
        self.replaced.is_empty()
            && self.build.as_of.is_none()
            && self.pins().iter().all(|(name, version)| lock.satisfies(name, version))
    }

    /// The same project with this lock file.
    #[must_use]
    pub(crate) fn with_lock(mut self, lock: String) -> Self {
        self.snapshot.add(self.folder().join("Cargo.lock"), lock);
        self
    }

    /// The same, to be linked in other layouts, too.
    #[must_use]
    pub(crate) fn with_layouts(self, layouts: Option<Layouts>) -> Self {
        Self { layouts, ..self }
    }

    /// All packages with an exact version: the library first.
    pub(crate) fn pins(&self) -> Vec<(&str, &str)> {
        let library = self.build.version.as_deref().map(|version| (self.build.package.as_str(), version));
        let others = self.build.pins.iter().map(|(name, version)| (name.as_str(), version.as_str()));
        library.into_iter().chain(others).collect()
    }

    /// The day as of which the library's dependencies are taken, if it is not today.
    pub(crate) fn as_of(&self) -> Option<AsOf> {
        self.build.as_of
    }

    /// The packages that do not come from the registry.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = &str> {
        self.replaced.iter().map(|replaced| replaced.package.as_str())
    }

    /// The library's package.
    pub(crate) fn package(&self) -> &str {
        &self.build.package
    }

    /// Inputs that count before the lock file is settled.
    pub(crate) fn manifest_inputs(&self) -> Inputs {
        let manifests = self.snapshot.digests().filter(|(path, _)| path.contains("Cargo."));
        Inputs::new(Stage::Versions.name())
            .with_all("source", self.source_lines())
            .with("package", self.package())
            .with_all("pin", self.pins().iter().map(|(name, version)| format!("{name} {version}")))
            .with_all("as of", self.build.as_of.map(|as_of| as_of.to_string()))
            .with_all("file", manifests.map(|(path, digest)| format!("{path} {digest}")))
    }

    /// Copies everything into a folder. Cargo's files there stay.
    pub(crate) fn bring_to(&self, folder: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let mut snapshot = self.snapshot.clone();
        let sources = folder.join("source");
        if let Some(hosts) = workspace.context.hosts {
            for path in snapshot.paths().filter(|path| path.ends_with("Cargo.toml")) {
                let manifest = snapshot.text(path).unwrap_or_default();
                addresses::check_text(hosts, &path.display().to_string(), manifest)?;
            }
        }
        let (mut patches, mut offers) = (Vec::new(), Offers::new());
        for replaced in &self.replaced {
            let tree = Fetch::tree(&workspace.context.cache.product(Stage::Source, &replaced.source));
            let paths = files(&tree, &|_| true).doing("read", &tree)?;
            if let Some(hosts) = workspace.context.hosts {
                addresses::check(hosts, &replaced.package, &tree, &paths)?;
            }
            // Its name is in the compiler's file names.
            let source = sources.join(&replaced.package);
            fs::create_dir_all(&source).doing("create", &source)?;
            remove_others(&source, &paths, &[])?;
            copy_files(&tree, &source, &paths, Stamp::WhenChanged)?;
            for (package, offer) in self.found(replaced, &tree, &paths)? {
                let from = Path::new("../../source").join(&replaced.package).join(&offer.folder);
                patches.push((package.clone(), from.to_string_lossy().into_owned()));
                offers.insert(package, offer);
            }
        }
        if self.replaced.is_empty() {
            tlslab_artifact::remove(&sources)?;
        } else {
            let manifest = self.folder().join("Cargo.toml");
            let text = snapshot.text(&manifest).unwrap_or_default();
            let mut patched = with_patches(text, &patches).map_err(|error| {
                let next_step = "correct the driver's manifest";
                Halt::wrong(format!("`{}`", manifest.display()), error.message(), next_step)
            })?;
            if offers.contains_key(self.package()) {
                follow(&mut patched, &offers, &self.build.features)
                    .map_err(|cause| unfit(self.package(), &cause))?;
            }
            snapshot.add(manifest, written(&patched));
        }
        snapshot.bring_to(folder, &["target", "source"])
    }

    /// The packages of a source that the driver uses: the requested one, and those of its workspace that it
    /// needs.
    fn found(&self, replaced: &Replaced, tree: &Path, paths: &[PathBuf]) -> Result<Offers, Halt> {
        let Replaced { package, folder, .. } = replaced;
        let read = |path: &Path| read_plain_text(&tree.join(path), LONGEST_MANIFEST).ok();
        let root = read(Path::new(MANIFEST));
        let offer = |path: &Path| {
            let below = path.parent().unwrap_or(Path::new("")).to_owned();
            Offer::read(&read(path)?, root.as_deref(), below)
        };
        if !folder.as_os_str().is_empty() {
            let found = offer(&folder.join(MANIFEST)).map(|(_, offer)| offer);
            return Ok(Offers::from([(package.clone(), found.unwrap_or_else(|| Offer::at(folder.clone())))]));
        }
        let lock = Lockfile::parse(self.lock_text()).map_err(|error| {
            Halt::wrong(format!("the lock file of drivers/{}", self.name), error.message(), "regenerate it")
        })?;
        let mut found = Offers::new();
        let manifests = paths.iter().filter(|path| path.file_name().is_some_and(|name| name == MANIFEST));
        for (name, offer) in manifests.filter_map(|path| offer(path)) {
            // Packages of a source have no checksum once the lock file is settled.
            let is_used = name == *package || lock.named(&name).next().is_some();
            let is_replaced_elsewhere = self.replaced().any(|other| other == name && other != package);
            if is_used && !is_replaced_elsewhere {
                found.entry(name).or_insert(offer);
            }
        }
        if found.contains_key(package) {
            return Ok(found);
        }
        Err(unfit(package, &format!("there is no package {package} in it")))
    }

    /// The values of placeholders, for a key.
    fn source_lines(&self) -> Vec<String> {
        let line = |replaced: &Replaced| {
            format!("source/{} {} {}", replaced.package, replaced.source, replaced.folder.display())
        };
        self.replaced.iter().map(line).collect()
    }

    /// The cargo project within such a folder.
    pub(crate) fn folder(&self) -> PathBuf {
        Path::new("drivers").join(&self.name)
    }

    fn lock_text(&self) -> &str {
        self.snapshot.text(&self.folder().join("Cargo.lock")).unwrap_or_default()
    }
}

/// A Rust driver's program.
pub(crate) struct RustDriver {
    project: RustProject,
    inputs: Inputs,
    work: Key,
}

impl RustDriver {
    /// The planned build of a project whose lock file is settled.
    pub(crate) fn plan(project: RustProject, toolchain: &Toolchain) -> Self {
        let arguments = arguments(&project.build);
        let work = Inputs::new("work")
            .with("driver", &project.name)
            .with_all("cargo", &arguments)
            .with_all("rustflags", rust_flags(&project.build))
            .with_all("env", env_lines(&project.build))
            .key();
        let files = project.snapshot.digests().map(|(path, digest)| format!("{path} {digest}"));
        let inputs = Inputs::new(Stage::Driver.name())
            .with_all("source", project.source_lines())
            .with_all("need", project.needs.lines())
            .with_all("env", env_lines(&project.build))
            .with("rustc", &toolchain.rustc)
            .with_all("cc", toolchain.compilers.values())
            .with("target", &toolchain.target)
            .with_all("made with", toolchain.files_for([]))
            .with("cpu features", &toolchain.cpu_features)
            .with_all("cargo", arguments)
            .with_all("rustflags", rust_flags(&project.build))
            .with_all("file", files)
            .with_all("layouts", project.layouts.map(Layouts::line));
        Self { project, inputs, work }
    }

    /// The lock file within the product.
    pub(crate) fn lock(product: &Path) -> PathBuf {
        product.join("Cargo.lock")
    }
}

impl RustDriver {
    /// Cargo's arguments for layouts: a linker that links them all. It applies only to the driver's own
    /// crate, so nothing else is compiled again.
    fn linking(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<Vec<String>, Halt> {
        let Some(layouts) = self.project.layouts else { return Ok(Vec::new()) };
        let Some(linker) = layouts::linker(workspace)? else {
            Layouts::refuse(place, layouts::NO_LINKER)?;
            return Ok(Vec::new());
        };
        let script = layouts.write_script(&linker, place, scratch)?;
        Ok(vec!["--".to_owned(), format!("-Clinker={}", script.display())])
    }
}

impl Artifact for RustDriver {
    fn stage(&self) -> Stage {
        Stage::Driver
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
        let cache = workspace.context.cache;
        // In a sandbox nothing is shared with other builds: a build script could change what they find there.
        let is_alone = workspace.context.sandbox.is_some();
        let work_key = if is_alone { &self.inputs.key() } else { &self.work };
        let work = cache.work(work_key);
        // The path is in the product, so it is always the same.
        let seen = if is_alone { cache.work_as_seen(&self.work) } else { work.clone() };
        let _lock = Lock::take(&cache.lock("work", work_key), workspace.context.cancel, || {
            (workspace.report)(Happening::Waiting)
        })?;
        if is_alone {
            // A build that failed may have left links there.
            remove(&work)?;
        }
        self.project.bring_to(&work, workspace)?;
        let flags = rust_flags(&self.project.build).join("\u{1f}");
        let mut described = arguments(&self.project.build);
        if self.project.layouts.is_some() {
            // Only this command takes arguments for the compiler.
            "rustc".clone_into(&mut described[0]);
        }
        let cargo = program("cargo", &seen.join(self.project.folder()))
            .args(described)
            .arg("--target-dir")
            .arg(seen.join("target"))
            .arg("--jobs")
            .arg(workspace.jobs.to_string())
            .args(self.linking(place, scratch, workspace)?);
        let fill = self.project.needs.placeholders(&Compiler::default(), cache);
        let own = self.project.build.env.iter().map(|(name, value)| (name, fill.fill(value)));
        let cargo = cargo.env("CARGO_ENCODED_RUSTFLAGS", flags).envs(own);
        let cargo = offline(cargo, &work.join(self.project.folder()).join("Cargo.toml"), workspace)?;
        workspace.run_with(cargo, Access { write: &[(&work, &seen)], ..Access::default() })?;
        let lock = Self::lock(place);
        write_plain(&lock, self.project.lock_text()).doing("write", &lock)?;
        let triple = self.project.build.target.map_or("", Target::triple);
        let built = work.join("target").join(triple).join("release").join(DRIVER);
        driver::keep(&built, &work, place)?;
        if is_alone { remove(&work) } else { Ok(()) }
    }
}

/// For a sandbox, which has no network: fetches a project's dependencies, and returns its build with cargo
/// offline. The fetch does not run in the project's folder, where cargo would read settings.
pub(crate) fn offline(cargo: Program, manifest: &Path, workspace: &Workspace<'_>) -> Result<Program, Halt> {
    if workspace.context.sandbox.is_none() {
        return Ok(cargo);
    }
    let fetch = program("cargo", Path::new(OUTSIDE)).args(["fetch", "--locked", "--manifest-path"]);
    workspace.fetch(fetch.arg(manifest))?;
    Ok(cargo.env("CARGO_NET_OFFLINE", "true"))
}

/// Cargo's arguments; its profile is the driver's own `release`.
pub(crate) fn arguments(build: &CargoBuild) -> Vec<String> {
    let fixed = ["build", "--locked", "--release", "--bin", DRIVER, "--color=never"];
    let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
    if !build.default_features {
        arguments.push("--no-default-features".to_owned());
    }
    arguments.extend(build.target.map(|target| format!("--target={}", target.triple())));
    if !build.features.is_empty() {
        arguments.push(format!("--features={}", build.features.join(",")));
    }
    arguments
}

/// Flags of the compiler. A source may forbid warnings that only later compilers have; cargo allows them in a
/// release.
pub(crate) fn rust_flags(build: &CargoBuild) -> Vec<String> {
    let lenient = (!build.replaced.is_empty()).then(|| "--cap-lints=warn".to_owned());
    build.rustflags.iter().cloned().chain(lenient).collect()
}

/// The variables of the build, for a key and for display.
pub(crate) fn env_lines(build: &CargoBuild) -> Vec<String> {
    build.env.iter().map(|(name, value)| format!("env {name}={value}")).collect()
}

/// The error of a source that lacks something the driver needs.
fn unfit(package: &str, cause: &str) -> Halt {
    Halt::wrong(
        format!("the source of {package}"),
        cause,
        "name the repository that has it, or another revision of it",
    )
}
