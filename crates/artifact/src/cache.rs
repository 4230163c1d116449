//! Where products, logs and work in progress are.
//!
//! A product is complete if and only if its `identity.json` is there: that file is written last, by a rename.
//! Another file has the digest of all others, so that one that was changed afterwards is noticed.
//!
//! A cache may have a trusted one beneath it: what that holds is taken from there, all else is made in the
//! cache itself. So a job with untrusted code uses what was built before, and no other job uses what it
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

/// The folder of everything that was built.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    trusted: Option<PathBuf>,
}

impl Cache {
    /// A cache in this folder, which need not be there yet.
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

    /// Where an artifact lies, or where it will lie once it is made.
    pub fn product(&self, stage: Stage, key: &Key) -> PathBuf {
        let below = Path::new(stage.name()).join(key.as_str());
        let trusted = self.trusted.as_ref().map(|trusted| trusted.join(&below));
        trusted.filter(|place| place.join(IDENTITY).is_file()).unwrap_or_else(|| self.root.join(below))
    }

    /// Where an artifact is made.
    pub fn place(&self, stage: Stage, key: &Key) -> PathBuf {
        self.root.join(stage.name()).join(key.as_str())
    }

    /// The log of its making, named after an owner.
    pub fn log(&self, owner: &str, stage: Stage, key: &Key) -> PathBuf {
        self.root.join("log").join(log_name(owner, stage, key.as_str()) + ".log")
    }

    /// The file that is locked while it is made.
    pub fn lock(&self, name: &str, key: &Key) -> PathBuf {
        self.root.join("lock").join(format!("{name}-{key}"))
    }

    /// A folder that outlives a build, so that the next one can start from it.
    pub fn work(&self, key: &Key) -> PathBuf {
        self.root.join("work").join(key.as_str())
    }

    /// The name that such a folder has in a sandbox: with or without a trusted cache the same, as programs
    /// contain it.
    pub fn work_as_seen(&self, key: &Key) -> PathBuf {
        self.trusted.as_ref().unwrap_or(&self.root).join("work").join(key.as_str())
    }

    /// A folder for the making of one product, under its lock.
    pub fn scratch(&self, stage: Stage, key: &Key) -> PathBuf {
        self.root.join("scratch").join(format!("{stage}-{key}"))
    }

    /// Whether it was made to the end.
    pub fn is_complete(&self, stage: Stage, key: &Key) -> bool {
        self.product(stage, key).join(IDENTITY).is_file()
    }

    /// Whether what was made to the end was made of exactly these inputs: the key alone is the name of a
    /// folder that anybody may have filled.
    pub fn holds(&self, stage: Stage, inputs: &Inputs) -> bool {
        let identity = self.product(stage, &inputs.key()).join(IDENTITY);
        let kept = read_plain(&identity, LONGEST_IDENTITY).ok();
        kept.and_then(|kept| serde_json::from_slice::<Inputs>(&kept).ok()).is_some_and(|kept| kept == *inputs)
    }

    /// The newest product of an owner that is still there, with the layouts of `like` if that is given, or
    /// the newest that was made of the same as `like` with other tools, under whatever name: what it was made
    /// of, and how long that took.
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

    /// The keys between these in the names of what a folder has, newest first.
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

    /// Whether every file of a complete product is still what was made. What was fetched is checked as it is
    /// copied.
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

    /// What a complete product was made of.
    pub fn inputs(&self, stage: Stage, key: &Key) -> Option<Inputs> {
        let kept = read_plain(&self.product(stage, key).join(IDENTITY), LONGEST_IDENTITY).ok()?;
        serde_json::from_slice(&kept).ok()
    }

    /// How long the making of a complete product took.
    pub fn took(&self, stage: Stage, key: &Key) -> Option<Duration> {
        let text = fs::read_to_string(self.product(stage, key).join(TOOK)).ok()?;
        Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
    }

    /// Declares a product complete, which took so long to make.
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

/// Whether a product holds what runs or is linked, rather than what was fetched.
pub(crate) fn is_sealed(stage: Stage) -> bool {
    !matches!(stage, Stage::Plan | Stage::Source | Stage::Versions)
}

/// The digest of a product's files, its notes on itself aside.
fn contents(product: &Path) -> Result<String, Halt> {
    let is_content = |path: &Path| ![IDENTITY, TOOK, CONTENTS].iter().any(|note| path == Path::new(note));
    let paths = files(product, &is_content).doing("read", product)?;
    tree_digest(product, &paths)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Where the cache is unless somebody says otherwise: `$TLSLAB_CACHE`, `$XDG_CACHE_HOME/tlslab` or
/// `~/.cache/tlslab`. `variable` looks up an environment variable. `None` if none of the three is set.
#[must_use]
pub fn default_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("TLSLAB_CACHE")
        // The specification of XDG_CACHE_HOME says to ignore a relative path.
        .or_else(|| set("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("tlslab")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/tlslab")))
}

/// Removes a folder and what is in it; one that is not there is fine.
pub fn remove(folder: &Path) -> Result<(), Halt> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.doing("remove", folder),
    }
}

/// Creates a folder without anything in it.
pub fn create_empty(folder: &Path) -> Result<(), Halt> {
    remove(folder)?;
    fs::create_dir_all(folder).doing("create", folder)
}

const IDENTITY: &str = "identity.json";

/// Products that are looked at to explain why one is made again.
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
        // Somebody put another product where this one is looked for.
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

        // What somebody puts into the cache itself never stands for what the trusted one holds.
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
