//! Where the lab's own files are, and what is in them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;
use tlslab_build::{Recipe, Workshop};
use tlslab_pki::Pki;
use tlslab_scenario::{Catalogue, SourceFile};

/// The lab's tree and its cache.
pub struct House {
    root: PathBuf,
    /// Where sources, builds and keys are kept.
    pub cache: PathBuf,
    /// What `tlslab.toml` says.
    pub config: Config,
}

/// `tlslab.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What `run` does when nothing is asked for by name.
    pub run: RunDefaults,
}

/// The section `[run]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDefaults {
    /// The suite.
    pub suite: String,
    /// The stacks.
    pub stacks: Vec<String>,
    /// The stack that ratios refer to, when it takes part.
    pub baseline: String,
}

impl House {
    /// The tree given, or the first above this folder, or the one this program was built in.
    pub fn find(root: Option<PathBuf>, cache: Option<PathBuf>) -> anyhow::Result<Self> {
        let root = match root {
            Some(root) => root,
            None => {
                let here = std::env::current_dir().context("cannot tell the current folder")?;
                let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
                let mut candidates = here.ancestors().map(Path::to_owned).chain([built_in]);
                candidates.find(|folder| is_house(folder)).context(
                    "the lab's files (tlslab.toml, stacks, scenarios) are not here; name their folder with --root",
                )?
            }
        };
        let root =
            root.canonicalize().with_context(|| format!("cannot open the folder {}", root.display()))?;
        if !is_house(&root) {
            bail!(
                "{} has no tlslab.toml, stacks and scenarios; name the lab's folder with --root",
                root.display()
            );
        }
        let cache = match cache {
            Some(cache) => std::path::absolute(cache).context("cannot tell the current folder")?,
            None => tlslab_build::default_cache(|name| std::env::var_os(name))
                .context("neither XDG_CACHE_HOME nor HOME is set; name a folder with --cache")?,
        };
        let file = root.join("tlslab.toml");
        let config = toml::from_str(&read(&file)?).with_context(|| format!("in {}", file.display()))?;
        Ok(Self { root, cache, config })
    }

    /// All scenarios and suites.
    pub fn catalogue(&self) -> anyhow::Result<Catalogue> {
        let files = toml_files(&self.root.join("scenarios"))?
            .into_iter()
            .map(|path| Ok(SourceFile { text: read(&path)?, path: self.relative(&path) }))
            .collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Catalogue::parse(&files)?)
    }

    /// All recipes, by name.
    pub fn recipes(&self) -> anyhow::Result<Vec<Recipe>> {
        let recipes = self.workshop().recipes()?;
        if let Some(pair) = recipes.windows(2).find(|pair| pair[0].name == pair[1].name) {
            bail!("two recipes in stacks/ are called \"{}\"; rename one", pair[0].name);
        }
        Ok(recipes)
    }

    /// The recipe of a name.
    pub fn recipe<'r>(&self, recipes: &'r [Recipe], name: &str) -> anyhow::Result<&'r Recipe> {
        recipes.iter().find(|recipe| recipe.name == name).with_context(|| {
            let known: Vec<&str> = recipes.iter().map(|recipe| recipe.name.as_str()).collect();
            format!("no stack is called \"{name}\"; there are: {}", known.join(", "))
        })
    }

    /// Where stacks are built.
    pub fn workshop(&self) -> Workshop {
        Workshop::new(&self.root, &self.cache)
    }

    /// The lab's keys and certificates, made when they are first needed.
    pub fn pki(&self, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Pki> {
        Ok(Pki::ensure_with_progress(&self.cache.join("pki"), progress)?)
    }

    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

fn is_house(folder: &Path) -> bool {
    folder.join("tlslab.toml").is_file()
        && folder.join("stacks").is_dir()
        && folder.join("scenarios").is_dir()
}

/// Every `.toml` below a folder, sorted by path.
fn toml_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot list the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
