//! A driver in Rust: a cargo project of its own, built in a copy of the part of the lab's tree that it sees.
//!
//! The copy outlives the build, so that an edit of the kit rebuilds the kit and the driver and not the library. Its
//! place depends on the driver and its features, not on versions: two versions of a library are built at one path.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::{Bench, program};
use crate::driver::{self, DRIVER};
use crate::event::Happening;
use crate::halt::{Doing, Halt};
use crate::inputs::{Inputs, Key};
use crate::lab_crates::{lab_crates, parsed, written};
use crate::lock::Lock;
use crate::lockfile::Lockfile;
use crate::manifest::with_patch;
use crate::product::Product;
use crate::recipe::{CargoBuild, Edition};
use crate::source::Fetch;
use crate::stage::Stage;
use crate::toolchain::Toolchain;
use crate::tree::{Snapshot, Stamp, copy_files, files, remove_others};

/// What a driver in Rust is built from, its lock file perhaps not settled yet.
#[derive(Clone)]
pub struct RustProject {
    name: String,
    build: CargoBuild,
    source: Option<Key>,
    snapshot: Snapshot,
}

impl RustProject {
    /// Reads the lab's tree. `source` stands in for the registry's package.
    pub fn read(root: &Path, name: &str, build: &CargoBuild, source: Option<Key>) -> Result<Self, Halt> {
        let mut snapshot = lab_crates(root, false)?;
        snapshot.append(driver::files(root, name)?);
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
        if let Edition::From(source) = &build.library {
            let folder = Path::new("../../source").join(&source.folder);
            let patched = parsed(&root.join(&project).join("Cargo.toml"), |text| {
                with_patch(text, &build.package, &folder.to_string_lossy())
            })?;
            snapshot.add(project.join("Cargo.toml"), written(&patched));
        }
        Ok(Self { name: name.to_owned(), build: build.clone(), source, snapshot })
    }

    /// Whether the committed lock file is what the recipe asks for.
    pub fn is_settled(&self) -> bool {
        let Ok(lock) = Lockfile::parse(self.lock_text()) else { return false };
        self.source.is_none() && self.pins().iter().all(|(name, version)| lock.satisfies(name, version))
    }

    /// The same project with this lock file.
    #[must_use]
    pub fn with_lock(mut self, lock: String) -> Self {
        self.snapshot.add(self.folder().join("Cargo.lock"), lock);
        self
    }

    /// Everything that must have an exact version: the library first.
    pub fn pins(&self) -> Vec<(&str, &str)> {
        let library = match &self.build.library {
            Edition::Released(version) => Some((self.build.package.as_str(), version.as_str())),
            Edition::From(_) => None,
        };
        let others = self.build.pins.iter().map(|(name, version)| (name.as_str(), version.as_str()));
        library.into_iter().chain(others).collect()
    }

    /// The library's package.
    pub fn package(&self) -> &str {
        &self.build.package
    }

    /// Inputs that count before the lock file is settled.
    pub fn manifest_inputs(&self) -> Inputs {
        let manifests = self.snapshot.digests().filter(|(path, _)| path.contains("Cargo."));
        Inputs::new(Stage::Versions.name())
            .with("source", self.source.as_ref().map_or("none", Key::as_str))
            .with("package", self.package())
            .with_all("pin", self.pins().iter().map(|(name, version)| format!("{name} {version}")))
            .with_all("file", manifests.map(|(path, digest)| format!("{path} {digest}")))
    }

    /// Brings everything to a folder. What cargo made there stays.
    pub fn bring_to(&self, folder: &Path, bench: &Bench<'_>) -> Result<(), Halt> {
        self.snapshot.bring_to(folder, &["target", "source"])?;
        let source = folder.join("source");
        let Some(key) = &self.source else { return crate::cache::remove(&source) };
        let tree = Fetch::tree(&bench.desk.cache.product(Stage::Source, key));
        let paths = files(&tree, &|_| true).doing("read", &tree)?;
        fs::create_dir_all(&source).doing("create", &source)?;
        remove_others(&source, &paths, &[])?;
        copy_files(&tree, &source, &paths, Stamp::WhenChanged)
    }

    /// The cargo project within such a folder.
    pub fn folder(&self) -> PathBuf {
        Path::new("drivers").join(&self.name)
    }

    fn lock_text(&self) -> &str {
        self.snapshot.text(&self.folder().join("Cargo.lock")).unwrap_or_default()
    }
}

/// A Rust driver's program.
pub struct RustDriver {
    project: RustProject,
    inputs: Inputs,
    work: Key,
}

impl RustDriver {
    /// What would be built from a project whose lock file is settled.
    pub fn plan(project: RustProject, toolchain: &Toolchain) -> Self {
        let arguments = arguments(&project.build);
        let work = Inputs::new("work")
            .with("driver", &project.name)
            .with_all("cargo", &arguments)
            .with_all("rustflags", &project.build.rustflags)
            .key();
        let files = project.snapshot.digests().map(|(path, digest)| format!("{path} {digest}"));
        let inputs = Inputs::new(Stage::Driver.name())
            .with("source", project.source.as_ref().map_or("none", Key::as_str))
            .with("rustc", &toolchain.rustc)
            .with("cc", &toolchain.cc)
            .with("target", &toolchain.target)
            .with("cpu features", &toolchain.cpu_features)
            .with_all("cargo", arguments)
            .with_all("rustflags", &project.build.rustflags)
            .with_all("file", files);
        Self { project, inputs, work }
    }

    /// The lock file within the product.
    pub fn lock(product: &Path) -> PathBuf {
        product.join("Cargo.lock")
    }
}

impl Product for RustDriver {
    fn stage(&self) -> Stage {
        Stage::Driver
    }

    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn is_intact(&self, place: &Path) -> bool {
        driver::is_intact(place)
    }

    fn make(&self, place: &Path, _scratch: &Path, bench: &Bench<'_>) -> Result<(), Halt> {
        let (work, cache) = (bench.desk.cache.work(&self.work), bench.desk.cache);
        let _lock = Lock::take(&cache.lock("work", &self.work), bench.desk.cancel, || {
            (bench.tell)(Happening::Waiting)
        })?;
        self.project.bring_to(&work, bench)?;
        let flags = self.project.build.rustflags.join("\u{1f}");
        let cargo = program("cargo", &work.join(self.project.folder()))
            .args(arguments(&self.project.build))
            .arg("--target-dir")
            .arg(work.join("target"))
            .arg("--jobs")
            .arg(bench.jobs.to_string());
        bench.run(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags))?;
        let lock = Self::lock(place);
        fs::write(&lock, self.project.lock_text()).doing("write", &lock)?;
        driver::keep(&work.join("target/release").join(DRIVER), place)
    }
}

/// What cargo is told; its profile is the driver's own `release`.
pub fn arguments(build: &CargoBuild) -> Vec<String> {
    let fixed = ["build", "--locked", "--release", "--bin", DRIVER, "--color=never"];
    let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
    if !build.default_features {
        arguments.push("--no-default-features".to_owned());
    }
    if !build.features.is_empty() {
        arguments.push(format!("--features={}", build.features.join(",")));
    }
    arguments
}
