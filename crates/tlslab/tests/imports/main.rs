//! The files of a crate import each other in one direction: the graph of imports has no cycle, except for
//! pairs of files in two crates. An import refers to the file that defines the item; every `use` between is
//! followed. Items that a file re-exports by `pub use` are not its imports.

mod source;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use source::{ItemPath, Source};

/// Crates in which two files still import each other.
const PAIRS_ALLOWED: [&str; 2] = ["lab", "service"];
/// The most `use` declarations that are followed from one to another.
const MOST_STEPS: usize = 16;

/// A module that is a file of its own: `["check", "wrong"]`, and `[]` for the crate's root.
type Module = Vec<String>;

/// The files of one crate.
struct Crate {
    files: BTreeMap<Module, Source>,
}

type Graph = BTreeMap<Module, BTreeSet<Module>>;

impl Crate {
    fn read(texts: &BTreeMap<Module, String>) -> Self {
        let mut files: BTreeMap<Module, Source> =
            texts.iter().map(|(module, text)| (module.clone(), Source::read(text))).collect();
        let test_modules = files.iter().flat_map(|(module, source)| {
            source.test_modules.iter().map(|name| [module.as_slice(), std::slice::from_ref(name)].concat())
        });
        for test_module in test_modules.collect::<Vec<_>>() {
            files.retain(|module, _| !module.starts_with(&test_module));
        }
        Self { files }
    }

    /// The file that defines the item; `None` for a module, and for an item of another crate.
    fn definition(&self, from: &Module, path: &[String], steps: usize) -> Option<Module> {
        let (head, rest) = path.split_first()?;
        let super_of = |module: &Module| module[..module.len().saturating_sub(1)].to_vec();
        match head.as_str() {
            "crate" => self.defined_in(vec![], rest, steps),
            "self" => self.defined_in(from.clone(), rest, steps),
            "super" => {
                let more = rest.iter().take_while(|segment| *segment == "super").count();
                let base = (0..=more).fold(from.clone(), |module, _| super_of(&module));
                self.defined_in(base, &rest[more..], steps)
            }
            name => {
                let is_known =
                    self.files[from].imports.contains_key(name) || self.child(from, name).is_some();
                is_known.then(|| self.defined_in(from.clone(), path, steps)).flatten()
            }
        }
    }

    fn defined_in(&self, mut base: Module, path: &[String], steps: usize) -> Option<Module> {
        for (at, name) in path.iter().enumerate() {
            let source = &self.files[&base];
            let child = self.child(&base, name);
            // A module may have the name of an item next to it.
            let is_module = child.is_some() && (at + 1 < path.len() || !source.imports.contains_key(name));
            if let Some(child) = child.filter(|_| is_module) {
                base = child;
                continue;
            }
            if steps == MOST_STEPS {
                return None;
            }
            if let Some(import) = source.imports.get(name) {
                let whole = [import.path.as_slice(), &path[at + 1..]].concat();
                // `use other::other;` brings in an item of another crate.
                let is_itself = import.path.first() == Some(name) && self.child(&base, name).is_none();
                return if is_itself { None } else { self.definition(&base, &whole, steps + 1) };
            }
            let globs = source.nameless.iter().filter_map(|import| import.path.split_last());
            let globs = globs.filter(|(last, _)| *last == "*" && !source.defined.contains(name));
            let found = globs.map(|(_, base)| base).find_map(|glob| {
                let whole = [glob, &path[at..]].concat();
                let file = self.definition(&base, &whole, steps + 1)?;
                self.files[&file].defined.contains(name).then_some(file)
            });
            return Some(found.unwrap_or(base));
        }
        None
    }

    fn child(&self, module: &Module, name: &str) -> Option<Module> {
        let child = [module.as_slice(), &[name.to_owned()]].concat();
        self.files.contains_key(&child).then_some(child)
    }

    /// Which files each file imports from.
    fn graph(&self) -> Graph {
        let edges = |(module, source): (&Module, &Source)| {
            let declared = source.imports.values().chain(&source.nameless).filter(|import| !import.is_public);
            let is_handed_on =
                |path: &&ItemPath| source.imports.get(&path[0]).is_some_and(|import| import.is_public);
            let written = source.paths.iter().filter(|path| !is_handed_on(path));
            let paths = declared.map(|import| &import.path).chain(written);
            let found = paths.filter_map(|path| self.definition(module, path, 0));
            (module.clone(), found.filter(|file| file != module).collect())
        };
        self.files.iter().map(edges).collect()
    }
}

/// The files that import each other, directly or through others.
fn circles(graph: &Graph) -> Vec<BTreeSet<Module>> {
    let reached = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&Module> = graph[from].iter().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module.clone()) {
                next.extend(&graph[module]);
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        graph.keys().map(|module| (module, reached(module))).collect();
    let component = |module: &Module| -> BTreeSet<Module> {
        reached[module].iter().filter(|other| reached[other].contains(module)).cloned().collect()
    };
    let components: BTreeSet<_> = graph.keys().map(component).collect();
    components.into_iter().filter(|component| !component.is_empty()).collect()
}

/// Each file of the component with what it imports from the others.
fn listing(name: &str, graph: &Graph, component: &BTreeSet<Module>) -> String {
    let shown = |module: &Module| if module.is_empty() { "the root".to_owned() } else { module.join("::") };
    let mut text = format!("{name}: {} files import each other\n", component.len());
    for module in component {
        let imports: Vec<String> = graph[module].intersection(component).map(shown).collect();
        writeln!(text, "    {} imports from {}", shown(module), imports.join(", ")).unwrap();
    }
    text
}

/// The texts below a folder by their modules.
fn texts(folder: &Path, inside: &Module, into: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let own = [inside.as_slice(), &[stem.to_owned()]].concat();
        if path.is_dir() {
            texts(&path, &own, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_of_folder = stem == "mod" || inside.is_empty() && ["lib", "main"].contains(&stem);
            let module = if is_of_folder { inside.clone() } else { own };
            let text = fs::read_to_string(&path).unwrap();
            assert!(into.insert(module, text).is_none(), "{}: a second root", path.display());
        }
    }
}

#[test]
fn no_files_import_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = String::new();
    let mut folders: Vec<_> = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let mut found = BTreeMap::new();
        texts(&folder.join("src"), &vec![], &mut found);
        let graph = Crate::read(&found).graph();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let allowed = if PAIRS_ALLOWED.contains(&name) { 2 } else { 0 };
        for component in circles(&graph).iter().filter(|component| component.len() > allowed) {
            wrong.push_str(&listing(name, &graph, component));
        }
    }
    assert!(wrong.is_empty(), "move what several files need to a file of its own:\n{wrong}");
}

/// A crate of files given as `name: text`; `/` separates the segments of a module.
fn graph_of(files: &[(&str, &str)]) -> Graph {
    let texts = files.iter().map(|(name, text)| (module(name), (*text).to_owned())).collect();
    Crate::read(&texts).graph()
}

fn module(name: &str) -> Module {
    name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn imports_of(graph: &Graph, name: &str) -> Vec<String> {
    graph[&module(name)].iter().map(|file| file.join("/")).collect()
}

#[test]
fn circles_of_three_files_and_of_two_are_found() {
    let circle = [("", "mod a; mod b; mod c;"), ("a", "use crate::b::B;"), ("b", "use super::c::C;")];
    let graph = graph_of(&[circle.as_slice(), &[("c", "fn c() { crate::a::A::new() }")]].concat());
    let names = |graph| circles(graph).into_iter().flatten().flatten().collect::<Vec<_>>();
    assert_eq!(names(&graph), ["a", "b", "c"]);
    let graph = graph_of(&[circle.as_slice(), &[("c", "use crate::b::B;")]].concat());
    assert_eq!(imports_of(&graph, "c"), ["b"]);
    assert_eq!(names(&graph), ["b", "c"]);
    let graph = graph_of(&[circle.as_slice(), &[("c", "struct C;")]].concat());
    assert!(circles(&graph).is_empty());
}

#[test]
fn an_import_leads_to_the_definition() {
    let graph = graph_of(&[
        ("", "mod a; mod b; mod user; pub use a::{Handed, inner::Deep as Renamed}; fn own(x: Handed) {}"),
        ("a", "mod inner; mod wide; pub use wide::*; pub use inner::Deep; pub struct Handed;"),
        ("a/inner", "use super::Handed; pub struct Deep;"),
        ("a/wide", "pub struct Wide; #[cfg(test)] mod tests { use crate::user::U; }"),
        ("b", "use crate::a; use crate::Renamed as R; use other::a::b; fn b() { a::Wide::new() }"),
        ("user", "use crate::own; use serde::serde; fn u() { other::crate_of(b) }"),
    ]);
    assert!(imports_of(&graph, "").is_empty());
    assert!(imports_of(&graph, "a").is_empty());
    assert_eq!(imports_of(&graph, "a/inner"), ["a"]);
    assert!(imports_of(&graph, "a/wide").is_empty());
    assert_eq!(imports_of(&graph, "b"), ["a/inner", "a/wide"]);
    assert_eq!(imports_of(&graph, "user"), [""]);
}
