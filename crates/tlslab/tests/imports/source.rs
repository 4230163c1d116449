//! Imports, read from the text of one file.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Token, tokens};

/// `crate::check::Wrong`, in its segments.
pub(crate) type ItemPath = Vec<String>;

/// One file, without the parts that are compiled only for tests.
#[derive(Default)]
pub(crate) struct Source {
    /// Declarations of `use`, by the imported name.
    pub imports: BTreeMap<String, Import>,
    /// Declarations `use …::*` and `use … as _`.
    pub nameless: Vec<Import>,
    /// All paths of two segments or more outside `use`.
    pub paths: Vec<ItemPath>,
    /// The items that are defined here.
    pub defined: BTreeSet<String>,
    /// The child modules that are compiled only for tests.
    pub test_modules: BTreeSet<String>,
}

pub(crate) struct Import {
    pub path: ItemPath,
    /// Whether it is re-exported to other files.
    pub is_public: bool,
}

impl Source {
    pub(crate) fn read(text: &str) -> Self {
        let mut source = Self::default();
        source.take(&tokens(text));
        source
    }

    fn take(&mut self, tokens: &[Token]) {
        let name_at = |at: usize| tokens.get(at).and_then(Token::name);
        // The ends of the modules inside this file, so that `super` is this file.
        let mut inner_ends: Vec<usize> = vec![];
        let mut is_public = false;
        let mut at = 0;
        while at < tokens.len() {
            inner_ends.retain(|end| *end > at);
            if let Some(behind) = behind_test_attribute(&tokens[at..]) {
                at += behind;
                let item = &tokens[at..at + item_length(&tokens[at..])];
                if let [.., Token::Name(module), Token::Name(name), Token::Mark(';')] = item
                    && module == "mod"
                {
                    self.test_modules.insert(name.clone());
                }
                at += item.len();
                continue;
            }
            match &tokens[at] {
                // `use<'a>` in a type captures lifetimes.
                Token::Name(word) if word == "use" && tokens.get(at + 1) != Some(&Token::Mark('<')) => {
                    let end = at + item_length(&tokens[at..]);
                    self.take_use(&tokens[at + 1..end], is_public, inner_ends.len());
                    at = end;
                    is_public = false;
                    continue;
                }
                Token::Name(word) if word == "pub" => {
                    is_public = true;
                    // Behind `pub(crate)`.
                    if tokens.get(at + 1) == Some(&Token::Mark('(')) {
                        at += 3;
                    }
                }
                Token::Name(word) => {
                    is_public = false;
                    if let Some(name) = name_at(at + 1).filter(|_| defines(word)) {
                        self.defined.insert(name.to_owned());
                        if word == "mod" && tokens.get(at + 2) == Some(&Token::Mark('{')) {
                            inner_ends.push(at + item_length(&tokens[at..]));
                        }
                    }
                    let mut path = vec![word.clone()];
                    while tokens.get(at + 1) == Some(&Token::Separator)
                        && let Some(next) = name_at(at + 2)
                    {
                        path.push(next.to_owned());
                        at += 2;
                    }
                    if path.len() > 1 {
                        self.paths.push(outside(path, inner_ends.len()));
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn take_use(&mut self, tree: &[Token], is_public: bool, inner: usize) {
        let mut found = Vec::new();
        use_tree(tree, &mut 0, &[], &mut found);
        for (path, name) in found {
            let path = outside(path, inner);
            if name == "*" || name == "_" {
                self.nameless.push(Import { path, is_public });
            } else {
                self.imports.insert(name, Import { path, is_public });
            }
        }
    }
}

fn defines(keyword: &str) -> bool {
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod"].contains(&keyword)
}

/// Seen from the file, not from a module inside it.
fn outside(mut path: ItemPath, inner: usize) -> ItemPath {
    for _ in 0..inner {
        if path.first().is_some_and(|first| first == "super") {
            path.remove(0);
            let is_head = path.first().is_some_and(|first| first == "super");
            if !is_head {
                path.insert(0, "self".to_owned());
            }
        }
    }
    path
}

/// The number of tokens of `#[cfg(test)]`, if these begin with it.
fn behind_test_attribute(rest: &[Token]) -> Option<usize> {
    let attribute = tokens("#[cfg(test)]");
    rest.starts_with(&attribute).then_some(attribute.len())
}

/// The number of tokens of the item, statement or field that begins here, with its attributes.
fn item_length(tokens: &[Token]) -> usize {
    let mut depth = 0;
    let mut is_use = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Name(word) if depth == 0 && word == "use" => is_use = true,
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}') if depth == 1 && !is_use => return at + 1,
            Token::Mark('}') if depth == 0 => return at,
            Token::Mark('}' | ')' | ']') => depth -= 1,
            Token::Mark(';' | ',') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Reads one branch of a tree of `use`: each path, with the name that it brings in.
fn use_tree(tree: &[Token], at: &mut usize, prefix: &[String], found: &mut Vec<(ItemPath, String)>) {
    let mut path = prefix.to_vec();
    let mut renamed = None;
    while let Some(token) = tree.get(*at) {
        *at += 1;
        match token {
            Token::Name(word) if word == "as" => {
                renamed = tree.get(*at).and_then(Token::name).map(str::to_owned);
                *at += 1;
            }
            Token::Name(word) => path.push(word.clone()),
            Token::Mark('*') => path.push("*".to_owned()),
            Token::Mark('{') => loop {
                use_tree(tree, at, &path, found);
                *at += 1;
                if tree.get(*at - 1) != Some(&Token::Mark(',')) {
                    return;
                }
            },
            Token::Mark(',' | '}' | ';') => {
                *at -= 1;
                break;
            }
            _ => {}
        }
    }
    if let Some(last) = path.last().filter(|_| path.len() > prefix.len()).cloned() {
        if last == "self" && path.len() > 1 {
            path.pop();
        }
        let name = renamed.or_else(|| path.last().cloned()).unwrap_or(last);
        found.push((path, name));
    }
}

#[test]
fn paths_are_read_from_trees_renames_and_modules_inside() {
    let source = Source::read(
        "pub(crate) use a::{self, b::{C, D as E}, f::*};
         use g::H as _;
         mod inside { fn i() { super::j(super::super::k::l); } }
         #[cfg(test)] #[ignore] mod tests;
         #[cfg(test)] mod more { use m::N; }
         fn o(p: q::<r::S>) -> impl T + use<'_> { u::v() }",
    );
    let imported = |name: &str| source.imports[name].path.join("::");
    assert_eq!(source.imports.keys().collect::<Vec<_>>(), ["C", "E", "a"]);
    assert_eq!([imported("a"), imported("C"), imported("E")], ["a", "a::b::C", "a::b::D"]);
    assert!(source.imports.values().all(|import| import.is_public));
    let nameless: Vec<String> = source.nameless.iter().map(|import| import.path.join("::")).collect();
    assert_eq!(nameless, ["a::f::*", "g::H"]);
    let paths: Vec<String> = source.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["self::j", "super::k::l", "r::S", "u::v"]);
    assert_eq!(source.test_modules.iter().collect::<Vec<_>>(), ["tests"]);
    assert!(source.defined.contains("o"));
}
