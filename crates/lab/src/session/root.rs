//! The place of the lab's tree, and its `tlslab.toml`.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;
use tlslab_build::Trees;
use tlslab_record::Policy;

use crate::bounded_read;

/// The folders of recipes and their settings.
pub(crate) struct Root {
    /// The lab's tree, and perhaps a user's own folder.
    pub trees: Trees,
    /// How the lab's tree was found.
    pub origin: Origin,
    /// The defaults of `run`.
    pub run: Option<RunDefaults>,
    /// Differences from the lab's policy.
    pub policy: Option<Policy>,
}

/// How the lab's tree was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was named, on the command line or in a user's own folder.
    Named,
    /// It is the current folder, or one above it.
    Above,
    /// It contains the program.
    AroundProgram,
    /// It is built into the program.
    Embedded,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "as named",
            Self::Above => "here or above",
            Self::AroundProgram => "around the program",
            Self::Embedded => "built into the program",
        })
    }
}

/// `tlslab.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// In a user's own folder: the lab's tree. That of the program if not set.
    lab: Option<PathBuf>,
    /// In a user's own folder: the lab's own defaults if not set.
    run: Option<RunDefaults>,
    /// Differences from the lab's policy.
    policy: Option<Policy>,
}

/// The section `[run]` of `tlslab.toml`: the defaults of runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDefaults {
    /// The suite.
    pub suite: String,
    /// The stacks.
    pub stacks: Vec<String>,
    /// The stack that ratios refer to, if it takes part.
    pub baseline: String,
    /// A stack that stays the same over the years, to which times of releases refer.
    pub canary: Option<String>,
}

/// The policy for readers of results, which need no tree: that of the given folder, or of the first above
/// this one that has a `tlslab.toml`, or the lab's own.
///
/// # Errors
/// Fails if that file is invalid, or if the given folder has none.
pub fn policy(root: Option<&Path>) -> anyhow::Result<Policy> {
    let Some((found, _)) = locate(root.map(Path::to_owned))? else { return Ok(Policy::default()) };
    let Config { lab, policy, .. } = Config::read(&found)?;
    let of_lab = match (policy, lab) {
        (None, Some(lab)) => Config::read(&found.join(lab))?.policy,
        (policy, _) => policy,
    };
    Ok(of_lab.unwrap_or_default())
}

impl Root {
    /// The given folder, or the first above this one, or the one that contains the program, or the result of
    /// `unpack`.
    pub(crate) fn find(
        named: Option<PathBuf>,
        unpack: &dyn Fn() -> anyhow::Result<PathBuf>,
    ) -> anyhow::Result<Self> {
        let (root, origin) = match locate(named)? {
            Some(found) => found,
            None => (unpack()?, Origin::Embedded),
        };
        let root =
            root.canonicalize().with_context(|| format!("cannot open the folder {}", root.display()))?;
        let config = Config::read(&root)?;
        if is_lab(&root) {
            let trees = Trees { lab: root, own: None };
            return Ok(Self { trees, origin, run: config.run, policy: config.policy });
        }
        let (lab, origin) = match config.lab {
            Some(lab) => (root.join(lab), Origin::Named),
            None => match around_program() {
                Some(root) => (root, Origin::AroundProgram),
                None => (unpack()?, Origin::Embedded),
            },
        };
        let lab = lab.canonicalize().ok().filter(|lab| is_lab(lab)).with_context(|| {
            format!(
                "{}/{CONFIG}: `lab` is not the folder of a lab, which has crates/driver-kit",
                root.display()
            )
        })?;
        let of_lab = Config::read(&lab)?;
        let (run, policy) = (config.run.or(of_lab.run), config.policy.or(of_lab.policy));
        Ok(Self { trees: Trees { lab, own: Some(root) }, origin, run, policy })
    }
}

/// The folder of the lab or of a user that is used; `None` for the program's built-in files.
///
/// # Errors
/// Fails if the current folder is unknown.
pub fn locate(named: Option<PathBuf>) -> anyhow::Result<Option<(PathBuf, Origin)>> {
    if let Some(named) = named {
        return Ok(Some((named, Origin::Named)));
    }
    let found = above()?.map(|root| (root, Origin::Above));
    Ok(found.or_else(|| Some((around_program()?, Origin::AroundProgram))))
}

/// The checkout that contains the program.
fn around_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let is_whole = |folder: &&Path| folder.join(CONFIG).is_file() && is_lab(folder);
    program.ancestors().find(is_whole).map(Path::to_owned)
}

/// The current folder or the first above it that has a `tlslab.toml`.
fn above() -> anyhow::Result<Option<PathBuf>> {
    let here = std::env::current_dir().context("the current folder is unknown")?;
    Ok(here.ancestors().find(|folder| folder.join(CONFIG).is_file()).map(Path::to_owned))
}

impl Config {
    fn read(tree: &Path) -> anyhow::Result<Self> {
        let file = tree.join(CONFIG);
        // The tree's owner may store it elsewhere; the link's target must be a plain file.
        let whole = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
        let text = bounded_read::read(&whole, LONGEST)?;
        toml::from_str(&text).with_context(|| format!("in {}", file.display()))
    }
}

/// Drivers are built from the kit, which only the lab's tree has.
fn is_lab(folder: &Path) -> bool {
    folder.join("crates/driver-kit").is_dir()
}

/// The settings of a tree.
pub(crate) const CONFIG: &str = "tlslab.toml";

/// There is no tree.
pub(crate) const NO_ROOT: &str =
    "there is no tlslab.toml here or above; name the lab's folder, or your own, with --root";

/// The longest settings, bytes.
const LONGEST: u64 = 4 << 20;
