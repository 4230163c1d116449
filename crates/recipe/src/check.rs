//! Checks a recipe as written and makes one that can be built.

use std::collections::BTreeMap;

use toml::Table;

use super::{
    CBuild, CargoBuild, Compiler, DriverBuild, Kind, Library, MakeBuild, Need, Recipe, Steps, is_name,
};
use crate::error::RecipeError;
use crate::options;
use crate::placeholder::unknown_placeholder;
use crate::release::{Naming, Package, Range, Registry, Releases};
use crate::target::Target;
use crate::written::{
    ONE_OF, Written, WrittenBuild, WrittenCargo, WrittenCompiler, WrittenLink, WrittenMake, WrittenSource,
};

/// A recipe in one edition, checked. `name` is what the user typed.
pub(crate) fn recipe(
    file: &str,
    digest: &str,
    name: &str,
    mut written: Written,
    needs: Vec<Need>,
) -> Result<Recipe, RecipeError> {
    let words = needs.iter().map(|need| need.word.clone()).collect();
    let check = Check { file, words };
    if let Some(name) =
        written.options.keys().find(|name| IN_STEPS.contains(&name.as_str()) || check.words.contains(name))
    {
        let cause = format!("{{{name}}} has another meaning");
        return Err(check.wrong("options", &cause, "give the option another name"));
    }
    options::put_in(&mut written);
    for (key, value) in [("title", &written.title), ("licence", &written.licence)] {
        check.that(!value.trim().is_empty(), key, || ("it is empty".into(), "say what it is".into()))?;
    }
    for tool in &written.tools {
        check.word("tools", tool, "name programs as they are typed, without a path")?;
    }
    let compiler = check.compiler(written.compiler, written.target)?;
    check.placeholders("run.env", written.run.env.values(), &[])?;
    let mut run_env = written.run.env;
    if let Some(settings) = &written.settings {
        if let Some((key, cause, next_step)) = settings.fault() {
            return Err(check.wrong(key, &cause, next_step));
        }
        run_env.extend(settings.variables());
    }
    let (library, driver) = match written.driver {
        Some(folder) => {
            check.word("driver", &folder, "name a folder below drivers/")?;
            let parts = (written.source, written.build, written.link, written.cargo, written.make);
            let (library, mut kind) = check.driver(parts)?;
            if let Kind::Cargo(build) = &mut kind {
                build.target = written.target;
            }
            (library, Some(DriverBuild { folder, kind }))
        }
        None => {
            for (key, is_there) in [
                ("link", written.link.is_some()),
                ("cargo", written.cargo.is_some()),
                ("make", written.make.is_some()),
            ] {
                let next_step = "name its folder as `driver`, or remove this";
                check.that(!is_there, key, || ("no driver is built".into(), next_step.into()))?;
            }
            (Some(check.library(written.source, written.build)?), None)
        }
    };
    Ok(Recipe {
        file: file.to_owned(),
        digest: digest.to_owned(),
        name: name.to_owned(),
        title: written.title,
        licence: written.licence,
        tools: written.tools,
        needs,
        compiler,
        library,
        driver,
        run_env,
        processor: None,
        layouts: None,
        is_withdrawn: false,
    })
}

type Parts = (
    Option<WrittenSource>,
    Option<WrittenBuild>,
    Option<WrittenLink>,
    Option<WrittenCargo>,
    Option<WrittenMake>,
);

/// Checks with the file's name, and the placeholders for the recipe's needs.
pub(crate) struct Check<'f> {
    pub file: &'f str,
    pub words: Vec<String>,
}

impl Check<'_> {
    fn driver(&self, parts: Parts) -> Result<(Option<Library>, Kind), RecipeError> {
        match parts {
            (source, build, None, Some(cargo), None) => {
                self.that(build.is_none(), "build", || {
                    ("a driver in Rust has no steps".into(), "remove [build], or [cargo]".into())
                })?;
                Ok((None, Kind::Cargo(self.cargo(cargo, source)?)))
            }
            (source, build, Some(link), None, None) => {
                self.that(source.is_some(), "source", || {
                    ("the library has no source".into(), ONE_OF.into())
                })?;
                Ok((Some(self.library(source, build)?), Kind::C(self.c(link)?)))
            }
            (source, build, None, None, Some(make)) => {
                let library = match source {
                    Some(source) => Some(self.library(Some(source), build)?),
                    None => None,
                };
                Ok((library, Kind::Make(self.make(make)?)))
            }
            (_, _, None, None, None) => Err(self.wrong(
                "cargo",
                "the driver has no build",
                "add [cargo] for a driver in Rust, [link] for one in C, or [make] for one with a Makefile",
            )),
            (_, _, link, cargo, _) => {
                let key = if link.is_some() { "link" } else { "make" };
                let other = if cargo.is_some() { "[cargo]" } else { "[make]" };
                Err(self.wrong(key, "a driver is built in one way", &format!("remove [{key}], or {other}")))
            }
        }
    }

    fn library(
        &self,
        source: Option<WrittenSource>,
        build: Option<WrittenBuild>,
    ) -> Result<Library, RecipeError> {
        let Some(source) = source else {
            return Err(self.wrong("source", "the library has no source", ONE_OF));
        };
        if let Some(package) = &source.system {
            self.only("source", &source, &["system"])?;
            self.that(source.patches.is_empty(), "source.patches", || {
                ("a library of the system is not built".into(), "remove it, or name a source to patch".into())
            })?;
            self.that(build.is_none(), "build", || {
                ("a library of the system is not built".into(), "remove [build]".into())
            })?;
            self.word("source.system", package, "name it as `pkg-config` knows it")?;
            return Ok(Library::System(package.clone()));
        }
        let build = build.ok_or_else(|| {
            let next_step = "add [build] with the steps that install to {prefix}";
            self.wrong("build", "the library has no build", next_step)
        })?;
        Ok(Library::Built { source: self.source("source", source)?, steps: self.steps(build)? })
    }

    fn c(&self, link: WrittenLink) -> Result<CBuild, RecipeError> {
        self.placeholders("link", link.cflags.iter().chain(&link.args), &IN_LINK)?;
        Ok(CBuild { cflags: link.cflags, link: link.args })
    }

    fn make(&self, make: WrittenMake) -> Result<MakeBuild, RecipeError> {
        self.placeholders("make.variables", make.variables.values(), &IN_LINK)?;
        for name in make.variables.keys() {
            self.word("make.variables", name, "name variables as a Makefile does")?;
        }
        let given = make.probe.iter().all(|command| command.first().is_some_and(|word| !word.is_empty()));
        self.that(given, "make.probe", || {
            ("a command without a program".into(), "write each as [\"program\", \"argument\", …]".into())
        })?;
        Ok(MakeBuild { variables: make.variables, probe: make.probe })
    }

    fn cargo(&self, cargo: WrittenCargo, source: Option<WrittenSource>) -> Result<CargoBuild, RecipeError> {
        self.word("cargo.package", &cargo.package, "name the library's package")?;
        for (package, version) in &cargo.pins {
            self.version(&format!("cargo.pins.{package}"), version)?;
        }
        self.placeholders("cargo.env", cargo.env.values(), &IN_LINK)?;
        let mut replaced = BTreeMap::new();
        for (package, source) in cargo.sources {
            replaced.insert(package.clone(), self.source(&format!("cargo.sources.{package}"), source)?);
        }
        match (&cargo.version, source) {
            (Some(version), None) => self.version("cargo.version", version)?,
            (None, Some(source)) => {
                let is_release = source.package.is_some() && source.patches.is_empty();
                self.that(!is_release && source.system.is_none(), "source", || {
                    let next =
                        "write `version` in [cargo] for a release, or take it from git, path or archive";
                    ("a package of the registry needs no source".into(), next.into())
                })?;
                replaced.insert(cargo.package.clone(), self.source("source", source)?);
            }
            _ => {
                return Err(self.wrong(
                    "cargo.version",
                    "the library is either a release or has a source",
                    "write either `version` in [cargo] or a [source]",
                ));
            }
        }
        Ok(CargoBuild {
            package: cargo.package,
            version: cargo.version,
            replaced,
            features: cargo.features,
            default_features: cargo.default_features,
            pins: cargo.pins,
            rustflags: cargo.rustflags,
            env: cargo.env,
            target: None,
            as_of: None,
        })
    }

    fn compiler(&self, written: WrittenCompiler, target: Option<Target>) -> Result<Compiler, RecipeError> {
        let usual = Compiler::default();
        let compiler = Compiler {
            cc: written.cc.unwrap_or(usual.cc),
            cxx: written.cxx.unwrap_or(usual.cxx),
            cflags: written.cflags.unwrap_or(usual.cflags),
            ldflags: written.ldflags,
            target,
        };
        for (key, name) in [("compiler.cc", &compiler.cc), ("compiler.cxx", &compiler.cxx)] {
            self.word(key, name, "name a program as it is typed, without a path")?;
        }
        Ok(compiler)
    }

    fn steps(&self, build: WrittenBuild) -> Result<Steps, RecipeError> {
        let given = build.steps.iter().all(|step| step.first().is_some_and(|program| !program.is_empty()));
        self.that(given && !build.steps.is_empty(), "build.steps", || {
            ("a step without a program".into(), "write each step as [\"program\", \"argument\", …]".into())
        })?;
        self.placeholders("build", build.steps.iter().flatten().chain(build.env.values()), &IN_STEPS)?;
        Ok(Steps { env: build.env, commands: build.steps })
    }

    /// Rejects unknown placeholders in braces.
    fn placeholders<'t>(
        &self,
        key: &str,
        texts: impl IntoIterator<Item = &'t String>,
        known: &[&str],
    ) -> Result<(), RecipeError> {
        let words: Vec<&str> = known.iter().copied().chain(self.words.iter().map(String::as_str)).collect();
        let Some(word) = texts.into_iter().find_map(|text| unknown_placeholder(text, &words)) else {
            return Ok(());
        };
        let there_are = match words.is_empty() {
            true => "name what it is to stand for in `needs`".to_owned(),
            false => {
                let braced: Vec<_> = words.iter().map(|word| format!("{{{word}}}")).collect();
                format!("there are {}", braced.join(", "))
            }
        };
        Err(self.wrong(key, &format!("{{{word}}} is not a placeholder"), &there_are))
    }

    pub(crate) fn needed<'v>(&self, key: &str, value: Option<&'v String>) -> Result<&'v String, RecipeError> {
        value.ok_or_else(|| self.wrong(key, "it is missing", "add it: a source is pinned"))
    }

    pub(crate) fn version(&self, key: &str, version: &str) -> Result<(), RecipeError> {
        let is_exact = version.starts_with(|first: char| first.is_ascii_digit())
            && version.split(['-', '+']).next().is_some_and(|core| core.split('.').count() == 3)
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        self.that(is_exact, key, || {
            (format!("\"{version}\" is not an exact version"), "write it in full, such as 1.2.3".into())
        })
    }

    pub(crate) fn word(&self, key: &str, word: &str, next_step: &str) -> Result<(), RecipeError> {
        let is_word = word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte));
        self.that(is_word, key, || (format!("\"{word}\" is not a name"), next_step.into()))
    }

    pub(crate) fn that(
        &self,
        holds: bool,
        key: &str,
        otherwise: impl FnOnce() -> (String, String),
    ) -> Result<(), RecipeError> {
        if holds {
            return Ok(());
        }
        let (cause, next_step) = otherwise();
        Err(self.wrong(key, &cause, &next_step))
    }

    pub(crate) fn wrong(&self, key: &str, cause: &str, next_step: &str) -> RecipeError {
        RecipeError::new(self.file, key, cause, next_step)
    }
}

/// Checks the parts of a file that all editions share.
pub(crate) fn header(file: &str, written: &Written) -> Result<(), RecipeError> {
    let check = Check { file, words: vec![] };
    check.that(is_name(&written.name), "name", || {
        let cause = format!("\"{}\" is not a stack's name", written.name);
        (cause, "use letters, digits, `-`, `.` and, between parts, `/`".into())
    })?;
    let exact = || written.versions.keys().filter(|key| !Range::is_meant(key));
    let known = || exact().cloned().collect::<Vec<_>>().join(", ");
    match &written.version {
        Some(version) => check.that(written.versions.contains_key(version), "version", || {
            (format!("there is no [versions.\"{version}\"]"), format!("choose one of: {}", known()))
        }),
        None => check.that(exact().next().is_none(), "version", || {
            ("the name without a version has no default".into(), format!("choose one of: {}", known()))
        }),
    }
}

/// The tables of versions by range, in the order of their text.
pub(crate) fn ranges(
    file: &str,
    versions: &BTreeMap<String, Table>,
) -> Result<Vec<(Range, Table)>, RecipeError> {
    let range = |(key, over): (&String, &Table)| {
        let range = Range::parse(key).ok_or_else(|| {
            let cause = format!("\"{key}\" is not a range of versions");
            let next_step = "write bounds with commas between them, such as \">=1.1, <3\"";
            RecipeError::new(file, "versions", &cause, next_step)
        })?;
        Ok((range, over.clone()))
    };
    versions.iter().filter(|(key, _)| Range::is_meant(key)).map(range).collect()
}

/// The releases of a recipe's package in a registry; for a driver in Rust those of its library by default.
pub(crate) fn releases(file: &str, written: &Written) -> Result<Option<Releases>, RecipeError> {
    let check = Check { file, words: vec![] };
    let of_cargo = written.cargo.as_ref().map(|cargo| cargo.package.clone());
    let Some(releases) = &written.releases else {
        let package = of_cargo.map(|name| Package { registry: Registry::Crate, name });
        let plain = |package| Releases { package, named: Naming::Same, only: None, lay: Table::new() };
        return Ok(package.map(plain));
    };
    let named = [
        (Registry::Crate, releases.package.clone().or(of_cargo)),
        (Registry::Go, releases.go.clone()),
        (Registry::Npm, releases.npm.clone()),
    ];
    let mut packages =
        named.into_iter().filter_map(|(registry, name)| Some(Package { registry, name: name? }));
    let (package, other) = (packages.next(), packages.next());
    let package = package.filter(|_| other.is_none()).ok_or_else(|| {
        check.wrong("releases", "it must name one package", "write one of `crate`, `go` and `npm`")
    })?;
    let is_name = package.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./@".contains(&byte));
    check.that(is_name && !package.name.starts_with('-'), "releases", || {
        (format!("\"{}\" is not a package's name", package.name), "write it as the registry has it".into())
    })?;
    check.that(!releases.lay.is_empty() || written.cargo.is_some(), "releases.lay", || {
        ("releases have no build".into(), "write the tables for one release, with {version} in them".into())
    })?;
    let only = releases.only.as_deref().map(|text| {
        let wrong = || {
            check.wrong("releases.only", &format!("\"{text}\" is not a range"), "write it like \">=3.0, <4\"")
        };
        Range::parse(text).ok_or_else(wrong)
    });
    Ok(Some(Releases { package, named: releases.named, only: only.transpose()?, lay: releases.lay.clone() }))
}

const IN_LINK: [&str; 5] = ["prefix", "cc", "cxx", "cflags", "ldflags"];
const IN_STEPS: [&str; 6] = ["prefix", "jobs", "cc", "cxx", "cflags", "ldflags"];
