//! The folders of products, logs and work in progress.
//!
//! A product is complete if and only if its `identity.json` exists: that file is written last, by a rename.
//! Another file has the digest of all others, so that later changes are noticed.
//!
//! A cache may have a trusted one beneath it: products are taken from there if they exist, and all others are
//! built in the cache itself. A job with untrusted code thus uses earlier builds, and no other job uses its
//! builds.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::halt::{Doing, Halt};
use crate::inputs::{Inputs, Key};
use crate::plain::{files, read_plain, write_plain};
use crate::stage::Stage;
use crate::tree::tree_digest;

/// The folder of all built products.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    trusted: Option<PathBuf>,
}

impl Cache {
    /// A cache in this folder, which may not exist yet.
    pub fn new(root: &Path) -> Self {
        Self { root: absolute(root), trusted: None }
    }

    /// Over a trusted cache, to which nothing is written.
    #[must_use]
    pub fn over(self, trusted: Option<&Path>) -> Self {
        Self { trusted: trusted.map(absolute), ..self }
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where an artifact is, or will be once it is built.
    pub fn product(&self, stage: Stage, key: &Key) -> PathBuf {
        let below = Path::new(stage.name()).join(key.as_str());
        let trusted = self.trusted.as_ref().map(|trusted| trusted.join(&below));
        trusted.filter(|place| place.join(IDENTITY).is_file()).unwrap_or_else(|| self.root.join(below))
    }

    /// Where an artifact is built.
    pub fn place(&self, stage: Stage, key: &Key) -> PathBuf {
        self.root.join(stage.name()).join(key.as_str())
    }

    /// The log of its build, named after an owner.
    pub fn log(&self, owner: &str, stage: Stage, key: &Key) -> PathBuf {
        self.root.join("log").join(log_name(owner, stage, key.as_str()) + ".log")
    }

    /// The file that is locked during the build.
    pub fn lock(&self, name: &str, key: &Key) -> PathBuf {
        self.root.join("lock").join(format!("{name}-{key}"))
    }

    /// A folder that outlives a build, so that the next one can start from it.
    pub fn work(&self, key: &Key) -> PathBuf {
        self.root.join("work").join(key.as_str())
    }

    /// The name of such a folder in a sandbox: the same with or without a trusted cache, as programs contain
    /// it.
    pub fn work_as_seen(&self, key: &Key) -> PathBuf {
        self.trusted.as_ref().unwrap_or(&self.root).join("work").join(key.as_str())
    }

    /// A folder for the build of one product, under its lock.
    pub fn scratch(&self, stage: Stage, key: &Key) -> PathBuf {
        self.root.join("scratch").join(format!("{stage}-{key}"))
    }

    /// Whether its build was completed.
    pub fn is_complete(&self, stage: Stage, key: &Key) -> bool {
        self.product(stage, key).join(IDENTITY).is_file()
    }

    /// Whether a complete product was built from exactly these inputs: the key alone is the name of a folder
    /// that anyone may have filled.
    pub fn holds(&self, stage: Stage, inputs: &Inputs) -> bool {
        let identity = self.product(stage, &inputs.key()).join(IDENTITY);
        let kept = read_plain(&identity, LONGEST_IDENTITY).ok();
        kept.and_then(|kept| serde_json::from_slice::<Inputs>(&kept).ok()).is_some_and(|kept| kept == *inputs)
    }

    /// The newest existing product of an owner, with the layouts of `like` if given, or the newest from the
    /// same inputs as `like` with other tools, under any name: its inputs, and the duration of its build.
    pub fn newest_of(
        &self,
        owner: &str,
        stage: Stage,
        like: Option<&Inputs>,
    ) -> Option<(Inputs, Option<Duration>)> {
        let logged = self.newest_in("log", &log_name(owner, stage, ""), ".log");
        let inputs_of = |key: &Key| self.inputs(stage, key);
        let of_owner = logged.into_iter().find_map(|key| {
            let inputs = inputs_of(&key)?;
            like.is_none_or(|like| like.layouts().eq(inputs.layouts())).then_some((inputs, key))
        });
        let of_others = || {
            let made = self.newest_in(stage.name(), "", "").into_iter().take(MOST_LOOKED_AT);
            let mut made = made.filter_map(|key| Some((inputs_of(&key)?, key)));
            made.find(|(inputs, _)| like.is_some_and(|like| like.is_same_but_for_tools(inputs)))
        };
        let (inputs, key) = of_owner.or_else(of_others)?;
        Some((inputs, self.took(stage, &key)))
    }

    /// The keys between these in the names in a folder, newest first.
    fn newest_in(&self, folder: &str, start: &str, end: &str) -> Vec<Key> {
        let roots = [Some(&self.root), self.trusted.as_ref()].into_iter().flatten();
        let entries = roots.filter_map(|root| fs::read_dir(root.join(folder)).ok()).flatten().flatten();
        let named = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let key = Key::from_digits(name.strip_prefix(start)?.strip_suffix(end)?)?;
            Some((entry.metadata().ok()?.modified().ok()?, key))
        };
        let mut found: Vec<(SystemTime, Key)> = entries.filter_map(named).collect();
        found.sort();
        found.into_iter().rev().map(|(_, key)| key).collect()
    }

    /// Whether every file of a complete product is unchanged. Fetched files are checked when they are copied.
    pub fn is_intact(&self, stage: Stage, key: &Key) -> bool {
        if !is_sealed(stage) {
            return true;
        }
        let product = self.product(stage, key);
        let noted = read_plain(&product.join(CONTENTS), LONGEST_NOTE);
        match (noted, contents(&product)) {
            (Ok(noted), Ok(found)) => noted.trim_ascii() == found.as_bytes(),
            _ => false,
        }
    }

    /// The inputs of a complete product.
    pub fn inputs(&self, stage: Stage, key: &Key) -> Option<Inputs> {
        let kept = read_plain(&self.product(stage, key).join(IDENTITY), LONGEST_IDENTITY).ok()?;
        serde_json::from_slice(&kept).ok()
    }

    /// The duration of a complete product's build.
    pub fn took(&self, stage: Stage, key: &Key) -> Option<Duration> {
        let text = fs::read_to_string(self.product(stage, key).join(TOOK)).ok()?;
        Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
    }

    /// Marks a product complete, with the duration of its build.
    pub fn complete(&self, stage: Stage, inputs: &Inputs, took: Duration) -> Result<(), Halt> {
        let product = self.place(stage, &inputs.key());
        if is_sealed(stage) {
            let note = product.join(CONTENTS);
            write_plain(&note, contents(&product)? + "\n").doing("write", &note)?;
        }
        let took_file = product.join(TOOK);
        write_plain(&took_file, format!("{:.3}\n", took.as_secs_f64())).doing("write", &took_file)?;
        let (identity, unfinished) = (product.join(IDENTITY), product.join(".identity.json"));
        let text = serde_json::to_string_pretty(inputs).unwrap_or_default();
        write_plain(&unfinished, text + "\n").doing("write", &unfinished)?;
        fs::rename(&unfinished, &identity).doing("write", &identity)
    }
}

fn log_name(owner: &str, stage: Stage, key: &str) -> String {
    format!("{}-{stage}-{key}", owner.replace('/', "-"))
}

/// Whether a product contains code that runs or is linked, not fetched files.
pub(crate) fn is_sealed(stage: Stage) -> bool {
    !matches!(stage, Stage::Plan | Stage::Source | Stage::Versions)
}

/// The digest of a product's files, without the files about itself.
fn contents(product: &Path) -> Result<String, Halt> {
    let is_content = |path: &Path| ![IDENTITY, TOOK, CONTENTS].iter().any(|note| path == Path::new(note));
    let paths = files(product, &is_content).doing("read", product)?;
    tree_digest(product, &paths)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The default cache: `$TLSLAB_CACHE`, `$XDG_CACHE_HOME/tlslab` or `~/.cache/tlslab`. `variable` looks up an
/// environment variable. `None` if none of the three is set.
#[must_use]
pub fn default_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("TLSLAB_CACHE")
        // The specification of XDG_CACHE_HOME says to ignore a relative path.
        .or_else(|| set("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("tlslab")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/tlslab")))
}

/// Removes a folder and its contents; a missing folder is not an error.
pub fn remove(folder: &Path) -> Result<(), Halt> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.doing("remove", folder),
    }
}

/// Creates an empty folder.
pub fn create_empty(folder: &Path) -> Result<(), Halt> {
    remove(folder)?;
    fs::create_dir_all(folder).doing("create", folder)
}

const IDENTITY: &str = "identity.json";

/// The most products that are compared to explain a rebuild.
const MOST_LOOKED_AT: usize = 1_000;

/// The longest list of inputs, bytes: a driver's has a line for each of its files.
const LONGEST_IDENTITY: u64 = 64 << 20;

/// Seconds, in decimal.
const TOOK: &str = "took";

/// SHA-256, hex.
const CONTENTS: &str = "contents.sha256";

/// The longest file with one value, bytes.
const LONGEST_NOTE: u64 = 1 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_held_only_with_the_inputs_it_was_made_of() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let (inputs, others) = (Inputs::new("x").with("a", "1"), Inputs::new("x").with("a", "2"));
        assert!(!cache.holds(Stage::Driver, &inputs));
        fs::create_dir_all(cache.product(Stage::Driver, &inputs.key())).unwrap();
        cache.complete(Stage::Driver, &inputs, Duration::from_secs(1)).unwrap();
        assert!(cache.holds(Stage::Driver, &inputs) && !cache.holds(Stage::Driver, &others));
        // Another product was put in its place.
        let identity = cache.product(Stage::Driver, &inputs.key()).join(IDENTITY);
        fs::write(identity, serde_json::to_string(&others).unwrap()).unwrap();
        assert!(!cache.holds(Stage::Driver, &inputs));
    }

    #[test]
    fn a_product_is_intact_until_any_of_its_files_is_changed_added_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let inputs = Inputs::new("x");
        let product = cache.place(Stage::Driver, &inputs.key());
        fs::create_dir_all(product.join("lib")).unwrap();
        fs::write(product.join("driver"), "program").unwrap();
        fs::write(product.join("lib/script"), "one").unwrap();
        cache.complete(Stage::Driver, &inputs, Duration::from_secs(1)).unwrap();
        let is_intact = || cache.is_intact(Stage::Driver, &inputs.key());
        assert!(is_intact());
        fs::write(product.join("lib/script"), "two").unwrap();
        assert!(!is_intact());
        fs::write(product.join("lib/script"), "one").unwrap();
        fs::write(product.join("lib/another"), "").unwrap();
        assert!(!is_intact());
        fs::remove_file(product.join("lib/another")).unwrap();
        assert!(is_intact());
        fs::remove_file(product.join(CONTENTS)).unwrap();
        assert!(!is_intact());
    }

    #[test]
    fn what_a_trusted_cache_holds_is_taken_from_there_and_all_else_is_made_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let [trusted, own] = ["trusted", "own"].map(|name| folder.path().join(name));
        let there = Inputs::new("x").with("a", "1");
        let shared = Cache::new(&trusted);
        fs::create_dir_all(shared.place(Stage::Driver, &there.key())).unwrap();
        shared.complete(Stage::Driver, &there, Duration::from_secs(1)).unwrap();

        let cache = Cache::new(&own).over(Some(&trusted));
        assert!(cache.holds(Stage::Driver, &there));
        assert_eq!(cache.product(Stage::Driver, &there.key()), shared.product(Stage::Driver, &there.key()));
        let other = Inputs::new("x").with("a", "2");
        let place = cache.place(Stage::Driver, &other.key());
        assert!(place.starts_with(&own) && !cache.holds(Stage::Driver, &other));
        fs::create_dir_all(&place).unwrap();
        cache.complete(Stage::Driver, &other, Duration::from_secs(1)).unwrap();
        assert!(cache.holds(Stage::Driver, &other) && !shared.holds(Stage::Driver, &other));
        assert_eq!(cache.product(Stage::Driver, &other.key()), place);

        // A product in the cache itself never replaces one of the trusted cache.
        let forged = cache.place(Stage::Driver, &there.key());
        fs::create_dir_all(&forged).unwrap();
        cache.complete(Stage::Driver, &there, Duration::from_secs(1)).unwrap();
        assert_eq!(cache.product(Stage::Driver, &there.key()), shared.product(Stage::Driver, &there.key()));
    }

    #[test]
    fn the_default_follows_the_environment() {
        let with = |variables: &'static [(&str, &str)]| {
            default_cache(|name| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())
            })
            .map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(with(&[("HOME", "/h")]).as_deref(), Some("/h/.cache/tlslab"));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]).as_deref(), Some("/x/tlslab"));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "x")]).as_deref(), Some("/h/.cache/tlslab"));
        assert_eq!(with(&[("HOME", "/h"), ("TLSLAB_CACHE", "/t")]).as_deref(), Some("/t"));
        assert_eq!(with(&[("HOME", "")]), None);
    }
}
