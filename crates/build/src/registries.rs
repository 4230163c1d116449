//! Lists of releases, queried from registries by their own clients and kept in the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tlslab_artifact::{Context, Doing, Halt, OUTSIDE, program};
use tlslab_recipe::{Listed, Package, Registries, Registry};

use crate::builder::Builder;
use crate::cargo_index::{bring_up_to_date, index_versions};

/// The registries that cargo, go and npm use on this machine.
pub(crate) struct Clients {
    builder: Builder,
}

impl Clients {
    /// Those of a builder's environment; lists are kept in its cache.
    pub(crate) fn new(builder: Builder) -> Self {
        Self { builder }
    }

    fn ask(&self, package: &Package) -> Result<Vec<Listed>, Halt> {
        let never = AtomicBool::new(false);
        let context = self.builder.context(&never);
        match package.registry {
            Registry::Crate => of_cargo(&package.name, context),
            Registry::Go => of_go(&package.name, context),
            Registry::Npm => of_npm(&package.name, context),
        }
    }

    fn file(&self, package: &Package) -> PathBuf {
        let name = package.name.replace(['/', '\\'], "-");
        self.builder.cache().join("releases").join(format!("{}-{name}.json", package.registry))
    }
}

impl Registries for Clients {
    fn list(&self, package: &Package, is_enough: &dyn Fn(&[Listed]) -> bool) -> Result<Vec<Listed>, String> {
        let file = self.file(package);
        if let Some(listed) = read_kept(&file).filter(|listed| is_enough(listed)) {
            return Ok(listed);
        }
        let listed = self.ask(package).map_err(|halt| halt.to_string())?;
        keep(&file, &listed).map_err(|halt| halt.to_string())?;
        Ok(listed)
    }
}

/// A cached list. If it cannot be read, it is queried again.
fn read_kept(file: &Path) -> Option<Vec<Listed>> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn keep(file: &Path, listed: &[Listed]) -> Result<(), Halt> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).doing("create", folder)?;
    // Plain data always serialises.
    let text = serde_json::to_vec(listed).expect("lists serialise");
    let beside = tempfile::NamedTempFile::new_in(folder).doing("write", folder)?;
    fs::write(beside.path(), text).doing("write", beside.path())?;
    beside.persist(file).map_err(|error| error.error).doing("write", file).map(drop)
}

fn of_cargo(name: &str, context: Context<'_>) -> Result<Vec<Listed>, Halt> {
    bring_up_to_date(name, context)?;
    let listed = index_versions(name)?.into_iter().map(|version| Listed {
        version: version.version.to_string(),
        sha256: Some(version.checksum.to_string()),
        published: version.pubtime.map(|time| time.to_string()),
        is_withdrawn: version.yanked,
    });
    Ok(listed.collect())
}

/// The versions of a module. Toolchains are named after the release and the machine:
/// `v0.0.1-go1.26.8.linux-amd64`.
fn of_go(name: &str, context: Context<'_>) -> Result<Vec<Listed>, Halt> {
    let folder = Path::new(OUTSIDE);
    let printed = context.ask(
        program("go", folder)
            .args(["list", "-m", "-versions", name])
            .env("GOFLAGS", "-mod=mod")
            .env("GOVCS", "*:off"),
    )?;
    let machine = context.ask(program("go", folder).args(["env", "GOOS", "GOARCH"]))?;
    let machine = machine.split_whitespace().collect::<Vec<_>>().join("-");
    Ok(printed
        .split_whitespace()
        .skip(1)
        .filter_map(|version| go_version(version, &machine))
        .map(plain)
        .collect())
}

fn go_version(version: &str, machine: &str) -> Option<String> {
    match version.strip_prefix("v0.0.1-go") {
        Some(toolchain) => toolchain.strip_suffix(machine)?.strip_suffix('.').map(str::to_owned),
        None => version.strip_prefix('v').map(str::to_owned),
    }
}

fn of_npm(name: &str, context: Context<'_>) -> Result<Vec<Listed>, Halt> {
    let printed =
        context.ask(program("npm", Path::new(OUTSIDE)).args(["view", name, "versions", "--json"]))?;
    let versions: Vec<String> = serde_json::from_str(&printed).map_err(|error| {
        Halt::wrong(format!("npm's list of {name}"), error.to_string(), "check the version of npm")
    })?;
    Ok(versions.into_iter().map(plain).collect())
}

/// A version about which the list has nothing else.
fn plain(version: String) -> Listed {
    Listed { version, sha256: None, published: None, is_withdrawn: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolchains_of_this_machine_are_releases_of_go() {
        assert_eq!(go_version("v0.0.1-go1.26.8.linux-amd64", "linux-amd64").as_deref(), Some("1.26.8"));
        assert_eq!(go_version("v0.0.1-go1.26.8.linux-arm64", "linux-amd64"), None);
        assert_eq!(go_version("v1.25.5", "linux-amd64").as_deref(), Some("1.25.5"));
    }

    #[test]
    fn a_list_is_kept_and_a_damaged_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("releases/crate-x.json");
        assert_eq!(read_kept(&file), None);
        let listed = vec![plain("1.0.0".to_owned())];
        keep(&file, &listed).unwrap();
        assert_eq!(read_kept(&file), Some(listed));
        fs::write(&file, "[{").unwrap();
        assert_eq!(read_kept(&file), None);
    }
}
