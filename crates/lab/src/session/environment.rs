//! The lab's own files and their contents.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use tlslab_artifact::Credentials;
use tlslab_build::{Builder, Trees};
use tlslab_instruments::Instruments;
use tlslab_pki::{Pki, PkiError};
use tlslab_profile::{Part, Parts};
use tlslab_protocol::{KeyType, Scenario};
use tlslab_recipe::RecipeIndex;
use tlslab_record::Policy;
use tlslab_scenario::{Catalogue, SourceFile};

use crate::bounded_read;
use crate::results::pages::Pages;
use crate::session::cancel::Interrupted;
use crate::session::root::{CONFIG, NO_ROOT, Origin, Root, RunDefaults};

/// The lab's tree, perhaps a user's own folder, and the build cache.
pub struct Environment {
    trees: Trees,
    /// How the lab's tree was found.
    pub origin: Origin,
    /// The folder of sources, builds and keys.
    pub cache: PathBuf,
    /// A second cache that is only read, for jobs with untrusted code.
    pub trusted_cache: Option<PathBuf>,
    /// Hosts from which sources of untrusted code may be fetched, besides those that the lab's own recipes
    /// name; and origins such as `http://forge.example:3000`, from which only git may fetch.
    pub allowed_hosts: Vec<String>,
    /// Provides git with credentials of private repositories, if builds run in a sandbox.
    pub credentials: Option<Credentials>,
    /// A program that calls [`tlslab_evictor::serve`] if [`EVICTOR`](crate::EVICTOR) is set; needed for cold
    /// figures.
    pub evictor: Option<PathBuf>,
    /// Renders a page of each result; without it, results are only texts and data.
    pub pages: Option<&'static dyn Pages>,
    /// The defaults of `run`.
    pub run: RunDefaults,
    /// Every number that decisions depend on.
    pub policy: Policy,
    /// Cargo's own cache of fetched packages, which a sandbox must not use as one of the lab's.
    pub cargo_home: Option<PathBuf>,
}

/// `parts.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartsFile {
    part: Vec<Part>,
}

impl Environment {
    /// With the lab's files in the given folder, or in the first one above this that has a `tlslab.toml`, or
    /// in the checkout that contains the program.
    ///
    /// # Errors
    /// Fails without a root, if a `tlslab.toml` is invalid, or if no cache is given and `HOME` is not set.
    pub fn find(root: Option<PathBuf>, cache: Option<PathBuf>) -> anyhow::Result<Self> {
        Self::find_or(root, cache, &|_| bail!("{NO_ROOT}"))
    }

    /// The same, but if there is no such folder, with the program's built-in files: `unpack` writes them into
    /// the given cache and returns their folder.
    ///
    /// # Errors
    /// As [`Environment::find`], and returns errors of `unpack`.
    pub fn find_or(
        root: Option<PathBuf>,
        cache: Option<PathBuf>,
        unpack: &dyn Fn(&Path) -> anyhow::Result<PathBuf>,
    ) -> anyhow::Result<Self> {
        let cache = match cache {
            Some(cache) => std::path::absolute(cache).context("the current folder is unknown")?,
            None => std::env::home_dir()
                .context("HOME is not set; name a folder for the build cache")?
                .join(".cache/tlslab"),
        };
        let Root { trees, origin, run, policy } = Root::find(root, &|| unpack(&cache))?;
        let run = run.with_context(|| format!("{}/{CONFIG} has no [run]", trees.lab.display()))?;
        Ok(Self {
            trees,
            origin,
            cache,
            trusted_cache: None,
            allowed_hosts: Vec::new(),
            credentials: None,
            evictor: None,
            pages: None,
            run,
            policy: policy.unwrap_or_default(),
            cargo_home: std::env::home_dir().map(|home| home.join(".cargo")),
        })
    }

    /// The user's own folder, if there is one, then the lab's tree.
    pub fn trees(&self) -> impl Iterator<Item = &Path> {
        self.trees.all()
    }

    /// The lab's tree.
    pub fn lab(&self) -> &Path {
        &self.trees.lab
    }

    /// The user's own folder.
    pub fn own(&self) -> Option<&Path> {
        self.trees.own.as_deref()
    }

    /// The folder of archives that were uploaded for jobs, each named by its digest.
    pub fn uploads(&self) -> PathBuf {
        self.cache.join("uploads")
    }

    /// All scenarios and suites.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is invalid.
    pub fn catalogue(&self) -> anyhow::Result<Catalogue> {
        let mut files = Vec::new();
        for tree in self.trees.all() {
            let folder = tree.join("scenarios");
            if folder.is_dir() {
                for path in toml_files(&folder)? {
                    let name = path.strip_prefix(tree).unwrap_or(&path).to_string_lossy().into_owned();
                    files.push(SourceFile { text: read(&path)?, path: name, is_own: tree != self.trees.lab });
                }
            }
        }
        Ok(Catalogue::parse(&files)?)
    }

    /// Which part of the work a function belongs to: by the user's own rules, then the lab's.
    pub fn parts(&self) -> anyhow::Result<Parts> {
        let mut rules = Vec::new();
        for tree in self.trees.all() {
            let file = tree.join(PARTS);
            if file.is_file() {
                let described = || format!("in {}", file.display());
                rules.extend(toml::from_str::<PartsFile>(&read(&file)?).with_context(described)?.part);
            }
        }
        Parts::new(rules)
            .map_err(|cause| anyhow!("in {PARTS}: {cause}; patterns are as in the lab's own file"))
    }

    /// All recipes and variants.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is invalid.
    pub fn recipe_index(&self) -> anyhow::Result<RecipeIndex> {
        Ok(self.builder().recipe_index()?)
    }

    /// The builder of instruments that count instructions and allocations.
    pub fn instruments(&self) -> Instruments {
        Instruments::new(&self.trees.lab, &self.cache).over(self.trusted_cache.as_deref())
    }

    /// The builder of stacks.
    pub fn builder(&self) -> Builder {
        let builder = Builder::new(&self.trees.lab, &self.cache)
            .over(self.trusted_cache.as_deref())
            .allowing(&self.allowed_hosts)
            .with_credentials(self.credentials.clone());
        match &self.trees.own {
            Some(own) => builder.with_own(own),
            None => builder,
        }
    }

    /// The lab's keys and certificates for these scenarios, made when they are first needed. `begins` is
    /// called with a sentence before each type, and may stop the work.
    pub fn pki(
        &self,
        scenarios: &[Scenario],
        begins: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> anyhow::Result<Pki> {
        let key_types: Vec<KeyType> = scenarios.iter().map(|scenario| scenario.signature).collect();
        let dir = self.cache.join("pki").join(tlslab_pki::LAYOUT);
        match Pki::ensure_with_progress(&dir, &key_types, begins) {
            Err(PkiError::Stopped) => Err(Interrupted.into()),
            made => Ok(made?),
        }
    }
}

const PARTS: &str = "parts.toml";

/// The longest file of scenarios or parts, bytes.
const LONGEST: u64 = 4 << 20;

/// Every `.toml` file below a folder, sorted by path.
///
/// # Errors
/// Fails if a folder cannot be read.
pub fn toml_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let files = tlslab_artifact::files(folder, &|_| true)
        .with_context(|| format!("cannot list the folder {}", folder.display()))?;
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
    Ok(files.into_iter().filter(is_toml).map(|path| folder.join(path)).collect())
}

fn read(path: &Path) -> anyhow::Result<String> {
    bounded_read::read(path, LONGEST)
}
