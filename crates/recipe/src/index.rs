//! The index of recipes and variants, and the resolution of a stack specification to a recipe.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tlslab_text::{did_you_mean, nearest};
use toml::{Table, Value};

use super::{Need, Recipe};
use crate::check;
use crate::error::RecipeError;
use crate::file::RecipeFile;
use crate::overlay::{applicable, lay_over};
use crate::processor::Processors;
use crate::release::{Listed, Registries, Release, Releases, near};
use crate::settings::{self, Settings};
use crate::spec::{Dependency, Place, Spec};
use crate::version::compare;
use crate::written::Written;

/// All recipes, and the variants that apply to any of them.
#[derive(Clone, Default)]
pub struct RecipeIndex {
    files: Vec<RecipeFile>,
    variants: BTreeMap<String, Table>,
    registries: Option<Arc<dyn Registries>>,
    processors: Processors,
    broken: Vec<(String, RecipeError)>,
}

impl RecipeIndex {
    /// An index of recipes and of variants by name.
    ///
    /// # Errors
    /// Fails if two recipes have one name.
    pub fn new(mut files: Vec<RecipeFile>, variants: BTreeMap<String, Table>) -> Result<Self, RecipeError> {
        files.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = files.windows(2).find(|pair| pair[0].name == pair[1].name) {
            let cause = format!("\"{}\" is the name of `{}` too", pair[1].name, pair[0].file);
            return Err(RecipeError::new(&pair[1].file, "name", &cause, "give one of them another name"));
        }
        Ok(Self { files, variants, ..Self::default() })
    }

    /// The same, with a source of registries' lists of releases.
    #[must_use]
    pub fn with_registries(self, registries: Arc<dyn Registries>) -> Self {
        Self { registries: Some(registries), ..self }
    }

    /// The same, with the processors that stacks can be run as.
    #[must_use]
    pub fn with_processors(self, processors: Processors) -> Self {
        Self { processors, ..self }
    }

    /// The processors that stacks can be run as.
    #[must_use]
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// The same without files that are wrong, each by the name that its place gives it: a request for it
    /// returns the error.
    #[must_use]
    pub fn with_broken(self, broken: Vec<(String, RecipeError)>) -> Self {
        Self { broken, ..self }
    }

    /// The excluded files, each by its name with its error.
    pub fn broken(&self) -> impl Iterator<Item = &RecipeError> {
        self.broken.iter().map(|(_, cause)| cause)
    }

    /// The releases of a recipe that a registry lists now, withdrawn ones included, oldest first; `None` if
    /// it has no such releases.
    ///
    /// # Errors
    /// Fails if there is no such recipe, or no list.
    pub fn releases(&self, name: &str) -> Result<Option<Vec<Release>>, RecipeError> {
        let file = self.file(name)?;
        let Some(rule) = &file.releases else { return Ok(None) };
        let listed = self.listed(rule, &|_| false).map_err(|cause| {
            RecipeError::asked(
                &format!("the releases of {name} cannot be listed: {cause}"),
                "try again when the registry can be reached",
            )
        })?;
        Ok(Some(rule.named(listed)))
    }

    /// The recipe of this name.
    ///
    /// # Errors
    /// Fails if no recipe has this name.
    pub fn file(&self, name: &str) -> Result<&RecipeFile, RecipeError> {
        if let Some((_, cause)) = self.broken.iter().find(|(broken, _)| broken == name) {
            return Err(cause.clone());
        }
        self.files.iter().find(|file| file.name == name).ok_or_else(|| self.unknown(name))
    }

    fn listed(&self, rule: &Releases, is_enough: &dyn Fn(&[Listed]) -> bool) -> Result<Vec<Listed>, String> {
        let registries = self.registries.as_ref().ok_or("no registry is known here")?;
        registries.list(&rule.package, is_enough)
    }

    /// The recipes, sorted by name.
    #[must_use]
    pub fn files(&self) -> &[RecipeFile] {
        &self.files
    }

    /// Variants that do not belong to one recipe, with their descriptions.
    pub fn variants(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variants.iter().map(|(name, table)| {
            (name.as_str(), table.get("title").and_then(Value::as_str).unwrap_or_default())
        })
    }

    /// The variants that set a library up as a program does, by name.
    pub fn settings(&self) -> impl Iterator<Item = (&str, Settings)> {
        self.variants.iter().filter_map(|(name, table)| Some((name.as_str(), Settings::of_variant(table)?)))
    }

    /// Every stack in every version, sorted.
    ///
    /// # Errors
    /// Fails if one of them is invalid.
    pub fn every_edition(&self) -> Result<Vec<Recipe>, RecipeError> {
        let stacks = self.files.iter().filter(|file| file.is_stack);
        stacks.flat_map(RecipeFile::editions).map(|name| self.named(&name)).collect()
    }

    /// A recipe's name with the version that the bare name means; any other text unchanged.
    #[must_use]
    pub fn with_version(&self, name: &str) -> String {
        let file = self.files.iter().find(|file| file.name == name);
        match file.and_then(|file| file.version.as_ref()) {
            Some(version) => format!("{name}@{version}"),
            None => name.to_owned(),
        }
    }

    /// The recipe for a name. Relative paths in it start from the current folder.
    ///
    /// # Errors
    /// Fails if the name is unknown, or cannot be built like that.
    pub fn named(&self, name: &str) -> Result<Recipe, RecipeError> {
        self.nested(name, &[], &mut Vec::new())
    }

    /// `inherited` are variants of the dependent recipe, which apply to this one as far as possible.
    fn nested(
        &self,
        name: &str,
        inherited: &[String],
        within: &mut Vec<String>,
    ) -> Result<Recipe, RecipeError> {
        let mut spec = Spec::parse(name)?;
        let file = self.file(&spec.name)?;
        if let Some((short, whole)) = self.whole_version(file, spec.version.as_deref()) {
            spec.text = spec.text.replacen(&format!("@{short}"), &format!("@{whole}"), 1);
            spec.version = Some(whole);
        }
        if within.contains(&file.name) {
            let cause = format!("{} needs itself through {}", file.name, within.join(", "));
            return Err(RecipeError::new(&file.file, "needs", &cause, "remove one of these needs"));
        }
        let (mut table, is_withdrawn) = self.edition(file, &spec)?;
        for variant in inherited.iter().filter(|variant| !spec.variants.contains(variant)) {
            // One that changes nothing here is not an error: the user did not name it for this recipe.
            if self.lay_variant(&mut table, file, variant).is_ok() {
                spec.text = format!("{}+{variant}", spec.text);
            }
        }
        let passed_on: Vec<String> = spec
            .variants
            .iter()
            .chain(inherited)
            .filter(|name| self.is_of_compilers(name))
            .cloned()
            .collect();
        // Tables of versions and variants are merged by now, so no line can be named.
        let written: Written = Value::Table(table).try_into().map_err(|error: toml::de::Error| {
            let of = format!("edition \"{}\"", spec.text);
            RecipeError::new(
                &file.file,
                &of,
                error.message().trim(),
                "correct the tables of its version and variants",
            )
        })?;
        within.push(file.name.clone());
        let needs = written
            .needs
            .iter()
            .map(|need| {
                let recipe = self.nested(need, &passed_on, within)?;
                let word = need.split(['@', '+', ',']).next().unwrap_or(need).to_owned();
                match recipe.library {
                    Some(crate::Library::Built { .. }) => Ok(Need { word, recipe }),
                    _ => Err(RecipeError::new(
                        &file.file,
                        "needs",
                        &format!("{need} installs no library, so nothing can need it"),
                        "name a recipe that builds a library",
                    )),
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        within.pop();
        let mut recipe = check::recipe(&file.file, &file.digest, &spec.text, written, needs)?;
        if is_withdrawn {
            recipe.is_withdrawn = true;
            recipe.title.push_str(", yanked");
        }
        if let Some(as_of) = spec.as_of {
            recipe = recipe.with_dependencies_as_of(as_of)?;
        }
        match &spec.processor {
            Some(word) => recipe.run_as(self.processors.shown(word)?),
            None => Ok(recipe),
        }
    }

    /// The version for a prefix, with that prefix: for `3.5` the newest 3.5.x that has a table, else the
    /// newest of the registry.
    fn whole_version<'v>(&self, file: &RecipeFile, asked: Option<&'v str>) -> Option<(&'v str, String)> {
        let short = asked.filter(|asked| !file.versions.contains_key(*asked))?;
        let is_short = short.split('.').count() < 3
            && short
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_short {
            return None;
        }
        let begins_so = |name: &str| name.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
        let newest = |names: Vec<String>| {
            names.into_iter().filter(|name| begins_so(name)).max_by(|one, other| compare(one, other))
        };
        let whole = newest(file.versions.keys().cloned().collect()).or_else(|| {
            let rule = file.releases.as_ref()?;
            let releases = rule.named(self.listed(rule, &|_| false).ok()?);
            match releases.iter().any(|release| release.name == short) {
                true => None,
                false => newest(
                    releases
                        .into_iter()
                        .filter(|release| !release.listed.is_prerelease() && !release.listed.is_withdrawn)
                        .map(|release| release.name)
                        .collect(),
                ),
            }
        })?;
        Some((short, whole))
    }

    /// Whether a variant changes how C is compiled: then it applies to everything compiled for a stack.
    fn is_of_compilers(&self, name: &str) -> bool {
        self.variants.get(name).is_some_and(|variant| variant.contains_key("compiler"))
    }

    /// The recipe's tables with the requested versions and variants applied, and whether it is a withdrawn
    /// release.
    fn edition(&self, file: &RecipeFile, spec: &Spec) -> Result<(Table, bool), RecipeError> {
        let (mut table, mut is_withdrawn) = (file.base.clone(), false);
        let asked = spec.version.as_deref().or(file.version.as_deref());
        let own = asked.map(str::to_owned).or_else(|| cargo_version(&table));
        let of_range =
            file.ranges.iter().filter(|(range, _)| own.as_ref().is_some_and(|own| range.contains(own)));
        of_range.for_each(|(_, over)| lay_over(&mut table, over));
        match asked.map(|version| (version, file.versions.get(version))) {
            Some((_, Some(over))) => lay_over(&mut table, over),
            Some((version, None)) => is_withdrawn = self.lay_release(&mut table, file, version)?,
            None => {}
        }
        if let Some(place) = &spec.source {
            self.put_source(&mut table, file, place)?;
        }
        for (package, from) in &spec.dependencies {
            put_dependency(&mut table, file, package, from)?;
        }
        for variant in &spec.variants {
            self.lay_variant(&mut table, file, variant)?;
        }
        Ok((table, is_withdrawn))
    }

    fn put_source(&self, table: &mut Table, file: &RecipeFile, place: &Place) -> Result<(), RecipeError> {
        let is_cargo = table.contains_key("cargo");
        let folder = file.upstream.folder.as_str();
        let source = match place {
            Place::System => {
                let Some(package) = file.upstream.system.as_deref().filter(|_| !is_cargo) else {
                    let cause = format!("{} has no name as a library of the system", file.name);
                    let next_step = "write `system` in [upstream]: its name for pkg-config";
                    return Err(RecipeError::new(&file.file, "upstream.system", &cause, next_step));
                };
                table.remove("build");
                Table::from_iter([("system".to_owned(), Value::from(package))])
            }
            Place::Patch(patch) => return put_patch(table, file, patch),
            place => {
                let upstream = file.upstream.git.as_deref();
                let mut source = located(place, upstream).ok_or_else(|| {
                    let cause = format!("the repository of {} is unknown", file.name);
                    RecipeError::asked(&cause, "write git:URL#REVISION")
                })?;
                if !folder.is_empty() {
                    source.insert("folder".to_owned(), Value::from(folder));
                }
                source
            }
        };
        table.insert("source".to_owned(), Value::Table(source));
        if let Some(Value::Table(cargo)) = table.get_mut("cargo") {
            cargo.remove("version");
        }
        Ok(())
    }

    fn lay_variant(&self, table: &mut Table, file: &RecipeFile, name: &str) -> Result<(), RecipeError> {
        let (shared, own) = (self.variants.get(name), file.variants.get(name));
        if shared.is_none() && own.is_none() {
            let known: BTreeSet<&str> =
                self.variants.keys().chain(file.variants.keys()).map(String::as_str).collect();
            let meant = did_you_mean(&nearest(name, known.iter().copied()));
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            let next_step = format!("{meant}there are: {known}");
            let cause = format!("{} has no variant called \"{name}\"", file.name);
            return Err(RecipeError::asked(&cause, &next_step));
        }
        let mut changes = false;
        for over in [shared, own].into_iter().flatten() {
            if let Some(mut over) = applicable(over, table) {
                if over.contains_key(settings::KEY) && table.contains_key(settings::KEY) {
                    let cause = format!("{} cannot be set up as two programs", file.name);
                    return Err(RecipeError::asked(&cause, &format!("leave +{name} out, or the other one")));
                }
                let title = over.remove("title");
                lay_over(table, &over);
                if let (Some(Value::String(said)), Some(Value::String(title))) =
                    (title, table.get_mut("title"))
                {
                    *title = format!("{title}, {said}");
                }
                changes = true;
            }
        }
        if !changes {
            let cause = format!("the variant \"{name}\" changes nothing in {}", file.name);
            let next_step = "omit it, or give the recipe a variant of its own by that name";
            return Err(RecipeError::asked(&cause, next_step));
        }
        Ok(())
    }

    /// A version without a table: a release of the registry, and whether it was withdrawn there.
    fn lay_release(&self, table: &mut Table, file: &RecipeFile, version: &str) -> Result<bool, RecipeError> {
        let mut is_withdrawn = false;
        let Some(rule) = &file.releases else { return Err(no_version(file, version, &[])) };
        let named = |listed: &[Listed]| rule.named(listed.to_vec());
        let is_it = |release: &Release| release.name == version;
        let listed = self.listed(rule, &|listed| named(listed).iter().any(is_it));
        if let Ok(listed) = &listed {
            let releases = named(listed);
            let Some(release) = releases.iter().find(|release| is_it(release)) else {
                return Err(no_version(file, version, &near(&releases, version)));
            };
            lay_over(table, &rule.tables(release));
            is_withdrawn = release.listed.is_withdrawn;
        }
        match (table.get_mut("cargo"), listed) {
            // Cargo reports if there is no such release.
            (Some(Value::Table(cargo)), _) => {
                cargo.insert("version".to_owned(), Value::from(version));
                table.remove("source");
                Ok(is_withdrawn)
            }
            (_, Ok(_)) => Ok(is_withdrawn),
            (_, Err(cause)) => {
                let cause = format!(
                    "{} has no table for {version}, and its releases cannot be listed: {cause}",
                    file.name
                );
                Err(RecipeError::asked(&cause, "try again when the registry can be reached"))
            }
        }
    }

    fn unknown(&self, name: &str) -> RecipeError {
        let known: Vec<&str> =
            self.files.iter().filter(|file| file.is_stack).map(|file| file.name.as_str()).collect();
        let cause = format!("no stack is called \"{name}\"");
        let meant = did_you_mean(&nearest(name, known));
        RecipeError::asked(&cause, &format!("{meant}`tlslab stacks` lists all"))
    }
}

/// The version of the library that cargo builds.
fn cargo_version(table: &Table) -> Option<String> {
    table.get("cargo")?.get("version")?.as_str().map(str::to_owned)
}

/// The error for an unavailable version, with near ones.
fn no_version(file: &RecipeFile, version: &str, near: &[&str]) -> RecipeError {
    let known = file.versions.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let next_step = match (near, known.is_empty()) {
        ([], true) => "omit the version, or name a source such as git:URL#REVISION".to_owned(),
        ([], false) => format!("there are {known}; another can be had by path:, git: or archive:"),
        (near, _) => format!("near it are {}; `tlslab versions {}` lists all", near.join(", "), file.name),
    };
    RecipeError::asked(&format!("{} has no version {version}", file.name), &next_step)
}

/// The recipe's own source with a patch, after the recipe's own patches.
fn put_patch(table: &mut Table, file: &RecipeFile, patch: &str) -> Result<(), RecipeError> {
    let patch = Value::from(from_here(patch));
    if let Some(Value::Table(source)) = table.get_mut("source") {
        match source.get_mut("patches") {
            Some(Value::Array(patches)) => patches.push(patch),
            _ => _ = source.insert("patches".to_owned(), Value::Array(vec![patch])),
        }
        return Ok(());
    }
    let Some(Value::Table(cargo)) = table.get_mut("cargo") else {
        let cause = format!("{} has no source that could be patched", file.name);
        return Err(RecipeError::asked(&cause, "patch one of the libraries that it is made of"));
    };
    // A release of the registry: the package itself in that version.
    let release = [("crate", cargo.get("package").cloned()), ("version", cargo.remove("version"))];
    let release = release.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let source = release.chain([("patches".to_owned(), Value::Array(vec![patch]))]).collect();
    table.insert("source".to_owned(), Value::Table(source));
    Ok(())
}

fn put_dependency(
    table: &mut Table,
    file: &RecipeFile,
    package: &str,
    from: &Dependency,
) -> Result<(), RecipeError> {
    let Some(Value::Table(cargo)) = table.get_mut("cargo") else {
        let cause = format!("{} is not built by cargo, so it has no package {package}", file.name);
        let next_step = "another edition of what a recipe needs is a variant with `needs` of its own";
        return Err(RecipeError::asked(&cause, next_step));
    };
    let (key, value) = match from {
        Dependency::Version(version) => ("pins", Some(Value::from(version.as_str()))),
        Dependency::Place(place) => ("sources", located(place, None).map(Value::Table)),
    };
    let value = value.ok_or_else(|| {
        let cause = format!("the repository of {package} is unknown");
        RecipeError::asked(&cause, "write git:URL#REVISION")
    })?;
    let entry = cargo.entry(key).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(entry) = entry {
        entry.insert(package.to_owned(), value);
    }
    Ok(())
}

/// A path that is valid wherever it is read.
fn from_here(path: &str) -> String {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path)).to_string_lossy().into_owned()
}

/// A source's table, with paths that are valid wherever it is read.
fn located(place: &Place, upstream: Option<&str>) -> Option<Table> {
    let pairs = match place {
        Place::Path(path) => vec![("path", from_here(path))],
        Place::Git { repository, revision } => {
            let repository = match repository {
                Some(address) if address.contains("://") => address.clone(),
                Some(address) if address.contains(':') && !Path::new(address).exists() => address.clone(),
                Some(path) => from_here(path),
                // The recipe's own, which is relative to the recipe.
                None => upstream?.to_owned(),
            };
            vec![("git", repository), ("revision", revision.clone())]
        }
        Place::Archive { location, sha256 } => {
            let is_here = !crate::is_remote(location) && !location.starts_with("file://");
            let location = if is_here { from_here(location) } else { location.clone() };
            vec![("archive", location), ("sha256", sha256.clone())]
        }
        Place::Patch(_) | Place::System => return None,
    };
    Some(pairs.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect())
}
