//! A build's properties, as lines for comparison with another build.

use std::collections::BTreeMap;

use tlslab_text::{markdown_code, shell_word};

use crate::{CBuild, CargoBuild, DriverBuild, Kind, Library, MakeBuild, Origin, Recipe, Source};

/// The name of the property, and its text.
pub(super) type Fact = (String, String);

/// Every property of a build that can affect a figure.
pub(super) fn list_all(recipe: &Recipe, flags: &str) -> Vec<Fact> {
    let mut facts = Facts::default();
    facts.add("licence", &recipe.licence);
    for need in &recipe.needs {
        facts.add(&format!("{{{}}}", need.word), &need.recipe.name);
    }
    let is_cargo = matches!(recipe.driver, Some(DriverBuild { kind: Kind::Cargo(_), .. }));
    if !is_cargo {
        let compiler = &recipe.compiler;
        facts.add("compilers", &format!("{}, {}", compiler.cc, compiler.cxx));
        facts.words("{cflags}", &compiler.cflags);
        facts.words("{ldflags}", &compiler.ldflags);
    }
    match &recipe.library {
        Some(Library::Built { source, steps }) => {
            facts.source("source", source);
            facts.variables("environment of the build", &steps.env);
            for (at, command) in steps.commands.iter().enumerate() {
                facts.words(&format!("command {}", at + 1), command);
            }
        }
        Some(Library::System(name)) => facts.add("library of the system", name),
        None => {}
    }
    match recipe.driver.as_ref().map(|driver| &driver.kind) {
        Some(Kind::C(build)) => facts.c(build, flags),
        Some(Kind::Cargo(build)) => facts.cargo(build),
        Some(Kind::Make(build)) => facts.make(build),
        None => {}
    }
    facts.variables("environment of the running driver", &recipe.run_env);
    facts.0
}

/// The properties of another build that the first lacks, and those that only the first has.
pub(super) fn changed(first: &[Fact], other: &[Fact]) -> Vec<Fact> {
    let mut changed: Vec<Fact> = other.iter().filter(|fact| !first.contains(fact)).cloned().collect();
    let is_gone = |label: &str| !other.iter().any(|(known, _)| known == label);
    changed.extend(
        first.iter().filter(|(label, _)| is_gone(label)).map(|(label, _)| (label.clone(), String::new())),
    );
    changed
}

/// As a list in Markdown.
pub(super) fn list(facts: &[Fact]) -> String {
    if facts.is_empty() {
        return "- built and run in the same way\n".to_owned();
    }
    let line = |(label, text): &Fact| match text.is_empty() {
        true => format!("- {label}: none\n"),
        false => format!("- {label}: {}\n", markdown_code(text)),
    };
    facts.iter().map(line).collect()
}

#[derive(Default)]
struct Facts(Vec<Fact>);

impl Facts {
    fn add(&mut self, label: &str, text: &str) {
        self.0.push((label.to_owned(), text.to_owned()));
    }

    fn words(&mut self, label: &str, words: &[String]) {
        if !words.is_empty() {
            let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
            self.add(label, &words.join(" "));
        }
    }

    fn variables(&mut self, label: &str, variables: &BTreeMap<String, String>) {
        if !variables.is_empty() {
            let words: Vec<String> =
                variables.iter().map(|(name, value)| format!("{name}={}", shell_word(value))).collect();
            self.add(label, &words.join(" "));
        }
    }

    fn source(&mut self, label: &str, source: &Source) {
        let within = match source.folder.as_os_str().is_empty() {
            true => String::new(),
            false => format!(", folder {}", source.folder.display()),
        };
        self.add(label, &format!("{}{within}", origin(&source.origin)));
        for patch in &source.patches {
            self.add("patch", &patch.display().to_string());
        }
    }

    fn c(&mut self, build: &CBuild, flags: &str) {
        self.add("the driver's own flags", flags);
        self.words("and of this recipe", &build.cflags);
        self.words("it is linked with", &build.link);
    }

    fn cargo(&mut self, build: &CargoBuild) {
        let version = build.version.as_deref().unwrap_or("not a release");
        self.add("package", &format!("{} {version}", build.package));
        for (package, source) in &build.replaced {
            self.source(&format!("source of {package}"), source);
        }
        self.words("features of the driver", &build.features);
        if !build.default_features {
            self.add("its default features", "off");
        }
        self.variables("exact versions", &build.pins);
        self.words("RUSTFLAGS", &build.rustflags);
        self.variables("environment of cargo", &build.env);
    }

    fn make(&mut self, build: &MakeBuild) {
        self.variables("variables of its Makefile", &build.variables);
        for command in &build.probe {
            self.words("known by", command);
        }
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Crate { package, version, sha256 } => {
            let sum = sha256.as_ref().map_or(String::new(), |sum| format!(", SHA-256 {sum}"));
            format!("crate {package} {version}{sum}")
        }
        Origin::Archive { location, sha256, .. } => format!("{location}, SHA-256 {sha256}"),
        Origin::Debian { package, file, sha256, .. } => {
            format!("{file} of Debian's source package {package}, SHA-256 {sha256}")
        }
        Origin::Pypi { package, file, sha256, .. } => {
            format!("{file} of the Python package {package}, SHA-256 {sha256}")
        }
        Origin::Git { repository, revision } => format!("{repository} at {revision}"),
        Origin::Checkout(folder) => format!("{}, as it stands", folder.display()),
    }
}
