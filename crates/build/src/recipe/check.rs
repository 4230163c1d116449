//! From what is written to what can be built.

use std::path::{Component, Path, PathBuf};

use super::error::RecipeError;
use super::placeholder::unknown_placeholder;
use super::written::{Written, WrittenBuild, WrittenCargo, WrittenLink, WrittenSource};
use super::{CBuild, CargoBuild, Edition, Kind, Library, Origin, Recipe, Source, Steps, is_remote};
use crate::digest::digest;

pub fn recipe(file: &str, text: &str) -> Result<Recipe, RecipeError> {
    let check = Check { file };
    let written: Written = toml::from_str(text).map_err(|error| check.not_toml(text, &error))?;
    check.that(is_name(&written.name), "name", || {
        let cause = format!("\"{}\" is not a stack's name", written.name);
        (cause, "use letters, digits, `-`, `.` and, between parts, `/`".into())
    })?;
    for (key, value) in [("title", &written.title), ("licence", &written.licence)] {
        check.that(!value.trim().is_empty(), key, || ("it is empty".into(), "say what it is".into()))?;
    }
    check.word("driver", &written.driver, "name a folder below drivers/")?;
    for tool in &written.tools {
        check.word("tools", tool, "name programs as they are typed, without a path")?;
    }
    let kind = check.kind(written.source, written.build, written.link, written.cargo)?;
    Ok(Recipe {
        file: file.to_owned(),
        digest: digest(text.as_bytes()),
        name: written.name,
        title: written.title,
        licence: written.licence,
        driver: written.driver,
        tools: written.tools,
        kind,
    })
}

struct Check<'f> {
    file: &'f str,
}

impl Check<'_> {
    fn kind(
        &self,
        source: Option<WrittenSource>,
        build: Option<WrittenBuild>,
        link: Option<WrittenLink>,
        cargo: Option<WrittenCargo>,
    ) -> Result<Kind, RecipeError> {
        match (cargo, link) {
            (Some(cargo), None) => {
                self.that(build.is_none(), "build", || {
                    ("a driver in Rust has no steps".into(), "remove [build], or [cargo]".into())
                })?;
                self.cargo(cargo, source).map(Kind::Cargo)
            }
            (None, Some(link)) => self.c(source, build, link).map(Kind::C),
            (Some(_), Some(_)) => {
                Err(self.wrong("link", "a driver is in Rust or in C, not both", "remove [link], or [cargo]"))
            }
            (None, None) => Err(self.wrong(
                "cargo",
                "nothing says how the driver is built",
                "add [cargo] for a driver in Rust, or [link] for one in C",
            )),
        }
    }

    fn c(
        &self,
        source: Option<WrittenSource>,
        build: Option<WrittenBuild>,
        link: WrittenLink,
    ) -> Result<CBuild, RecipeError> {
        let Some(source) = source else {
            return Err(self.wrong("source", "nothing says where the library comes from", ONE_OF));
        };
        let library = if let Some(package) = &source.system {
            self.only(&source, &["system"])?;
            self.that(build.is_none(), "build", || {
                ("what the system has installed is not built".into(), "remove [build]".into())
            })?;
            self.word("source.system", package, "name it as `pkg-config` knows it")?;
            Library::System(package.clone())
        } else {
            let build = build.ok_or_else(|| {
                self.wrong(
                    "build",
                    "nothing says how the library is built",
                    "add [build] with the steps that install to {prefix}",
                )
            })?;
            Library::Built { source: self.source(source)?, steps: self.steps(build)? }
        };
        Ok(CBuild { library, cflags: link.cflags, link: link.args })
    }

    fn cargo(&self, cargo: WrittenCargo, source: Option<WrittenSource>) -> Result<CargoBuild, RecipeError> {
        self.word("cargo.package", &cargo.package, "name the library's package")?;
        for (package, version) in &cargo.pins {
            self.version(&format!("cargo.pins.{package}"), version)?;
        }
        let library = match (cargo.version, source) {
            (Some(version), None) => {
                self.version("cargo.version", &version)?;
                Edition::Released(version)
            }
            (None, Some(source)) => {
                self.that(source.package.is_none() && source.system.is_none(), "source", || {
                    let next =
                        "write `version` in [cargo] for a release, or take it from git, path or archive";
                    ("a package of the registry needs no source".into(), next.into())
                })?;
                Edition::From(self.source(source)?)
            }
            _ => {
                return Err(self.wrong(
                    "cargo.version",
                    "the library is either a release or has a source",
                    "write either `version` in [cargo] or a [source]",
                ));
            }
        };
        Ok(CargoBuild {
            package: cargo.package,
            library,
            features: cargo.features,
            default_features: cargo.default_features,
            pins: cargo.pins,
            rustflags: cargo.rustflags,
        })
    }

    fn source(&self, source: WrittenSource) -> Result<Source, RecipeError> {
        let folder = PathBuf::from(source.folder.as_deref().unwrap_or_default());
        self.that(
            folder.components().all(|part| matches!(part, Component::Normal(_))),
            "source.folder",
            || {
                let cause = format!("\"{}\" leads out of the source", folder.display());
                (cause, "name a folder within it".into())
            },
        )?;
        let origin = match &source {
            WrittenSource { package: Some(package), .. } => {
                self.only(&source, &["crate", "version", "sha256"])?;
                self.word("source.crate", package, "name a package")?;
                let version = self.needed("source.version", source.version.as_ref())?;
                self.version("source.version", version)?;
                let sha256 = self.sha256(&source, "copy the package's checksum from a Cargo.lock")?;
                Origin::Crate { package: package.clone(), version: version.clone(), sha256 }
            }
            WrittenSource { archive: Some(archive), .. } => {
                self.only(&source, &["archive", "sha256", "strip"])?;
                let sha256 = self.sha256(&source, "write what `sha256sum` prints for the archive")?;
                let location = match archive.strip_prefix("file://") {
                    Some(path) => path.to_owned(),
                    None if is_remote(archive) => archive.clone(),
                    None => self.beside(archive).to_string_lossy().into_owned(),
                };
                Origin::Archive { location, sha256, strip: source.strip.unwrap_or(1) }
            }
            WrittenSource { git: Some(git), .. } => {
                self.only(&source, &["git", "revision"])?;
                let revision = self.needed("source.revision", source.revision.as_ref())?;
                for (key, value) in [("source.git", git), ("source.revision", revision)] {
                    self.that(!value.is_empty() && !value.starts_with('-'), key, || {
                        let cause = format!("\"{value}\" would be taken for an option, or is empty");
                        (cause, "write a repository and a commit, tag or branch".into())
                    })?;
                }
                let repository = if git.contains(':') {
                    git.clone()
                } else {
                    self.beside(git).to_string_lossy().into_owned()
                };
                Origin::Git { repository, revision: revision.clone() }
            }
            WrittenSource { path: Some(path), .. } => {
                self.only(&source, &["path"])?;
                Origin::Checkout(self.beside(path))
            }
            _ => return Err(self.wrong("source", "nothing says where the library comes from", ONE_OF)),
        };
        Ok(Source { origin, folder })
    }

    fn steps(&self, build: WrittenBuild) -> Result<Steps, RecipeError> {
        let given = build.steps.iter().all(|step| step.first().is_some_and(|program| !program.is_empty()));
        self.that(given && !build.steps.is_empty(), "build.steps", || {
            ("a step without a program".into(), "write each step as [\"program\", \"argument\", …]".into())
        })?;
        let texts = build.steps.iter().flatten().chain(build.env.values());
        if let Some(word) = texts.into_iter().find_map(|text| unknown_placeholder(text)) {
            let cause = format!("nothing stands for {{{word}}}");
            return Err(self.wrong("build", &cause, "there are {prefix} and {jobs}"));
        }
        Ok(Steps { env: build.env, commands: build.steps })
    }

    /// Refuses keys that belong to another kind of source.
    fn only(&self, source: &WrittenSource, keys: &[&str]) -> Result<(), RecipeError> {
        let written = [
            ("crate", source.package.is_some()),
            ("version", source.version.is_some()),
            ("archive", source.archive.is_some()),
            ("sha256", source.sha256.is_some()),
            ("strip", source.strip.is_some()),
            ("git", source.git.is_some()),
            ("revision", source.revision.is_some()),
            ("path", source.path.is_some()),
            ("system", source.system.is_some()),
        ];
        match written.into_iter().find(|(key, is_there)| *is_there && !keys.contains(key)) {
            None => Ok(()),
            Some((key, _)) => {
                let cause = format!("it does not go with `{}`", keys[0]);
                Err(self.wrong(&format!("source.{key}"), &cause, "remove one of them"))
            }
        }
    }

    fn needed<'v>(&self, key: &str, value: Option<&'v String>) -> Result<&'v String, RecipeError> {
        value.ok_or_else(|| self.wrong(key, "it is missing", "add it: a source is pinned"))
    }

    fn sha256(&self, source: &WrittenSource, next_step: &str) -> Result<String, RecipeError> {
        let sha256 = source.sha256.as_deref().unwrap_or_default();
        let is_digest = sha256.len() == 64 && sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        self.that(is_digest, "source.sha256", || {
            ("it is not 64 hexadecimal digits in small letters".into(), next_step.into())
        })?;
        Ok(sha256.to_owned())
    }

    fn version(&self, key: &str, version: &str) -> Result<(), RecipeError> {
        let is_exact = version.starts_with(|first: char| first.is_ascii_digit())
            && version.split(['-', '+']).next().is_some_and(|core| core.split('.').count() == 3)
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        self.that(is_exact, key, || {
            (format!("\"{version}\" is not an exact version"), "write it in full, such as 1.2.3".into())
        })
    }

    fn word(&self, key: &str, word: &str, next_step: &str) -> Result<(), RecipeError> {
        let is_word = word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte));
        self.that(is_word, key, || (format!("\"{word}\" is not a name"), next_step.into()))
    }

    fn beside(&self, path: &str) -> PathBuf {
        Path::new(self.file).parent().unwrap_or(Path::new("")).join(path)
    }

    fn that(
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

    fn wrong(&self, key: &str, cause: &str, next_step: &str) -> RecipeError {
        RecipeError {
            file: self.file.to_owned(),
            key: key.to_owned(),
            cause: cause.to_owned(),
            next_step: next_step.to_owned(),
        }
    }

    fn not_toml(&self, text: &str, error: &toml::de::Error) -> RecipeError {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let next_step = "correct it after one of the recipes in stacks/";
        self.wrong(&format!("line {line}"), error.message().trim(), next_step)
    }
}

fn is_name(name: &str) -> bool {
    name.split('/').all(|part| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
    })
}

const ONE_OF: &str = "write one of crate, archive, git, path and system in [source]";
