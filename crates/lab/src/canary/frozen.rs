//! The stored builds of canaries, and which of them still run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tlslab_build::{BuiltStack, Holding, file_digest};
use tlslab_recipe::RecipeIndex;
use tlslab_record::{StackIdentity, StackRecord, StackState};

use super::names::{CANARY, FORMER};
use super::overlap::Identity;
use crate::bounded_read;
use crate::run::stack_record::stack_record;
use crate::session::environment::Environment;
use crate::session::workshop::Workshop;

/// The cache's folder of records, a file for each canary.
const FOLDER: &str = "canary";

/// The longest such file, bytes.
const LONGEST: u64 = 1 << 20;

/// A build of a canary that is kept as it was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenBuild {
    /// The recipe with its version.
    pub recipe: String,
    /// The path of the program in the cache.
    pub driver: PathBuf,
    /// SHA-256 of the program, hex.
    pub driver_digest: String,
    /// The environment of the running driver.
    pub environment: BTreeMap<String, String>,
    /// Its identity.
    pub identity: StackIdentity,
    /// When it was frozen, RFC 3339.
    pub frozen: String,
}

impl FrozenBuild {
    /// Whether its program is unchanged in one of these caches.
    fn is_there(&self, caches: &[&Path]) -> bool {
        let is_inside = caches.iter().any(|cache| {
            let real = |path: &Path| path.canonicalize().ok();
            real(&self.driver).zip(real(cache)).is_some_and(|(driver, cache)| driver.starts_with(cache))
        });
        is_inside && file_digest(&self.driver).is_ok_and(|digest| digest == self.driver_digest)
    }

    fn built(&self) -> BuiltStack {
        BuiltStack {
            driver: self.driver.clone(),
            driver_digest: self.driver_digest.clone(),
            layouts: Ok(Vec::new()),
            environment: self.environment.clone(),
            identity: self.identity.clone(),
        }
    }
}

/// Every frozen build of a canary, oldest first: those of the trusted cache, if there is one, then those of
/// the cache.
pub fn frozen_builds(environment: &Environment, recipe: &str) -> Vec<FrozenBuild> {
    let mut all: Vec<FrozenBuild> = Vec::new();
    for cache in caches(environment) {
        // An unreadable record counts as not frozen: the canary is then frozen again.
        let text = bounded_read::read(&file(cache, recipe), LONGEST).ok();
        let here: Vec<FrozenBuild> =
            text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        all.extend(here);
    }
    let caches = caches(environment);
    all.retain(|build| build.recipe == recipe && build.is_there(&caches));
    all
}

fn caches(environment: &Environment) -> Vec<&Path> {
    environment.trusted_cache.as_deref().into_iter().chain([environment.cache.as_path()]).collect()
}

fn file(cache: &Path, recipe: &str) -> PathBuf {
    let digest = hex::encode(Sha256::digest(recipe));
    cache.join(FOLDER).join(format!("{}.json", &digest[..32]))
}

/// Marks the products of frozen builds as used in the cache.
pub fn mark_frozen(environment: &Environment, holdings: &mut [Holding]) {
    let notes = fs::read_dir(environment.cache.join(FOLDER)).into_iter().flatten().flatten();
    let texts = notes.filter_map(|note| bounded_read::read(&note.path(), LONGEST).ok());
    let builds = texts.filter_map(|text| serde_json::from_str::<Vec<FrozenBuild>>(&text).ok()).flatten();
    for build in builds {
        for holding in &mut *holdings {
            let folder = environment.cache.join(&holding.part).join(&holding.key);
            let user = format!("the canary {}", build.recipe);
            if build.driver.starts_with(folder) && !holding.used_by.contains(&user) {
                holding.used_by.push(user);
            }
        }
    }
}

/// A canary as a run records it: its frozen build if that still runs, else a new build that is frozen now.
pub(super) fn record(
    workshop: &Workshop<'_>,
    index: &RecipeIndex,
    stack: &str,
    timeout: Duration,
) -> anyhow::Result<StackRecord> {
    let recipe = index.named(stack)?;
    let known = frozen_builds(workshop.environment, &recipe.name);
    if let Some(newest) = known.last() {
        let record = stack_record(workshop, CANARY, &recipe, &Ok(newest.built()), timeout);
        workshop.reporter.check()?;
        match &record.state {
            StackState::Ready(_) => return Ok(record),
            StackState::Failed(reason) => workshop.reporter.warn(format!(
                "the canary {} that was frozen on {} no longer answers, so it is built and frozen again: {reason}",
                recipe.name, newest.frozen
            )),
        }
    }
    let built = workshop.build(&[&recipe])?.remove(&recipe.name).context("the canary was not built")?;
    workshop.reporter.check()?;
    if let Ok(built) = &built {
        freeze(workshop.environment, &recipe.name, built)?;
    }
    Ok(stack_record(workshop, CANARY, &recipe, &built, timeout))
}

/// A former canary, if it is still stored and runs.
pub(super) fn former_record(
    workshop: &Workshop<'_>,
    index: &RecipeIndex,
    former: &Identity,
    timeout: Duration,
) -> Option<StackRecord> {
    let recipe = index.named(&former.stack).ok()?;
    let known = frozen_builds(workshop.environment, &recipe.name);
    let build = known.iter().find(|build| build.driver_digest.starts_with(&former.digest))?;
    let record = stack_record(workshop, FORMER, &recipe, &Ok(build.built()), timeout);
    matches!(record.state, StackState::Ready(_)).then_some(record)
}

/// Records a build as the one to keep.
fn freeze(environment: &Environment, recipe: &str, built: &BuiltStack) -> anyhow::Result<()> {
    let place = file(&environment.cache, recipe);
    let folder = place.parent().unwrap_or(&environment.cache);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut all: Vec<FrozenBuild> = bounded_read::read(&place, LONGEST)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    all.retain(|known| known.driver_digest != built.driver_digest);
    all.push(FrozenBuild {
        recipe: recipe.to_owned(),
        driver: built.driver.clone(),
        driver_digest: built.driver_digest.clone(),
        environment: built.environment.clone(),
        identity: built.identity.clone(),
        frozen: jiff::Timestamp::now().to_string(),
    });
    let text = serde_json::to_vec_pretty(&all).context("builds serialise")?;
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)
        .with_context(|| format!("cannot write {}", folder.display()))?;
    std::io::Write::write_all(&mut unfinished, &text)
        .with_context(|| format!("cannot write {}", place.display()))?;
    unfinished.persist(&place).with_context(|| format!("cannot write {}", place.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(cache: &Path, name: &str) -> BuiltStack {
        let driver = cache.join(name);
        fs::write(&driver, name).unwrap();
        BuiltStack {
            driver_digest: file_digest(&driver).unwrap(),
            driver,
            layouts: Ok(Vec::new()),
            environment: BTreeMap::new(),
            identity: StackIdentity::default(),
        }
    }

    #[test]
    fn a_frozen_build_stays_until_its_program_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let environment = Environment::find(Some(lab), Some(folder.path().to_owned())).unwrap();
        assert!(frozen_builds(&environment, "library@1").is_empty());
        let (old, new) = (built(folder.path(), "old"), built(folder.path(), "new"));
        for one in [&old, &new, &new] {
            freeze(&environment, "library@1", one).unwrap();
        }
        let digests = || -> Vec<String> {
            frozen_builds(&environment, "library@1").into_iter().map(|build| build.driver_digest).collect()
        };
        assert_eq!(digests(), [old.driver_digest.clone(), new.driver_digest.clone()]);
        assert!(frozen_builds(&environment, "library@2").is_empty());
        fs::write(&new.driver, "changed").unwrap();
        assert_eq!(digests(), std::slice::from_ref(&old.driver_digest));
        // Its products are in use.
        let holding = |key: &str| Holding {
            part: "driver".to_owned(),
            key: key.to_owned(),
            bytes: 1,
            used_by: Vec::new(),
        };
        let place = environment.cache.join("driver/one");
        fs::create_dir_all(&place).unwrap();
        freeze(&environment, "library@3", &built(&place, "program")).unwrap();
        let mut holdings = [holding("one"), holding("other")];
        mark_frozen(&environment, &mut holdings);
        assert_eq!(holdings[0].used_by, ["the canary library@3"]);
        assert!(holdings[1].used_by.is_empty());
        // A record that names a program outside of the cache is invalid.
        let elsewhere = tempfile::tempdir().unwrap();
        freeze(&environment, "library@1", &built(elsewhere.path(), "stranger")).unwrap();
        assert_eq!(digests(), [old.driver_digest]);
    }
}
