//! The library's names that files of a driver use in languages other than C.
//!
//! The list has the names for cryptography and TLS: of packages in Rust, and of modules whose path belongs to
//! one of them.

/// The parts of a module's path by which it is recognised.
const SUBJECTS: [&str; 6] = ["crypto", "hashlib", "security", "ssl", "tls", "x509"];

/// Crates of the language itself, and prefixes of a file's own paths.
const OWN: [&str; 6] = ["alloc", "core", "crate", "self", "std", "super"];

/// The names, each once, in order of appearance.
pub(super) fn used(path: &str, source: &str) -> Vec<String> {
    let code = source.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    let mut names = match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => packages(&code),
        Some("java") => classes(&code),
        Some("go" | "js" | "py") => members(&code),
        _ => vec![],
    };
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn without_comment(line: &str) -> &str {
    let end = ["// ", "//!", "/// ", "# "].iter().filter_map(|mark| line.find(mark)).min();
    &line[..end.unwrap_or(line.len())]
}

fn is_about(module: &str) -> bool {
    module.split(['/', '.', ':']).any(|part| SUBJECTS.contains(&part.trim_start_matches('_')))
}

/// The classes that a file in Java imports.
fn classes(code: &str) -> Vec<String> {
    let imports = code.lines().filter_map(|line| line.strip_prefix("import ")?.strip_suffix(';'));
    imports
        .filter(|name| is_about(name))
        .filter_map(|name| {
            name.find(|letter: char| letter.is_ascii_uppercase()).map(|at| name[at..].to_owned())
        })
        .collect()
}

/// Names after a module: `module.name`.
fn members(code: &str) -> Vec<String> {
    let modules: Vec<&str> = code.lines().filter_map(imported).collect();
    let mut names = Vec::new();
    for (at, _) in code.match_indices('.') {
        let module = last_word(&code[..at]);
        let member = first_word(&code[at + 1..]);
        let is_member_itself = code[..at - module.len()].ends_with('.');
        if modules.contains(&module) && !member.is_empty() && !is_member_itself {
            names.push(format!("{module}.{member}"));
        }
    }
    names
}

/// The name that a line gives to a module for cryptography or TLS.
fn imported(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(module) = line.strip_prefix("import ").filter(|module| !module.contains(['"', '\''])) {
        return Some(module).filter(|module| is_about(module));
    }
    if let Some((name, module)) = line.strip_prefix("const ").and_then(|rest| rest.split_once(" = require("))
    {
        return Some(name).filter(|_| is_about(module.trim_matches(['"', '\'', '(', ')', ';'])));
    }
    // Within the parentheses of an import: a path, perhaps with another name before it.
    let (alias, path) = line.strip_suffix('"')?.split_once('"')?;
    let is_path = path.chars().all(|letter| letter.is_ascii_alphanumeric() || "/.-_".contains(letter));
    let alias = alias.trim_start_matches("import ").trim();
    let name = if alias.is_empty() { path.rsplit('/').next()? } else { alias };
    Some(name).filter(|name| is_path && is_about(path) && first_word(name) == *name)
}

/// Names of other packages: imported ones, and those written with their package.
fn packages(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("::") {
        let package = last_word(&rest[..at]);
        let before = &rest[..at - package.len()];
        let is_first = !before.ends_with(':');
        let tree = &rest[at + 2..];
        let len = tree_len(tree);
        let is_package = package.starts_with(|letter: char| letter.is_ascii_lowercase());
        if is_first && is_package && !OWN.contains(&package) && !package.starts_with("tlslab") {
            expand(package, &tree[..len], &mut names);
        }
        rest = &tree[if is_first { len } else { 0 }..];
    }
    // Members of a value or module, `module::name`, begin with the module's name; only packages are imported.
    let imported: Vec<&str> = code
        .lines()
        .filter_map(|line| line.trim_start().trim_start_matches("pub ").strip_prefix("use "))
        .map(first_word)
        .collect();
    names.retain(|name| imported.contains(&first_word(name)));
    names
}

/// The length of the path after `package::`, including its braces.
fn tree_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' if text[..at].ends_with("::") || at == 0 || depth > 0 => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            letter if depth > 0 || letter.is_ascii_alphanumeric() || "_:*".contains(letter) => {}
            _ => return at,
        }
    }
    text.len()
}

/// Every path of a tree such as `a::{B, c::D}`.
fn expand(prefix: &str, tree: &str, names: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((path, inside)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or_default().trim_end_matches(':');
        if name == "self" {
            names.push(prefix.to_owned());
        } else if !name.is_empty() {
            names.push(format!("{prefix}::{name}"));
        }
        return;
    };
    let prefix = format!("{prefix}::{}", path.trim_end_matches(':'));
    let prefix = prefix.trim_end_matches(':');
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, letter) in inside.char_indices().chain([(inside.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 || at == inside.len() => {
                expand(prefix, &inside[begin..at], names);
                begin = (at + 1).min(inside.len());
            }
            _ => {}
        }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_word).len()..]
}

fn first_word(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(is_word).len()]
}

#[cfg(test)]
mod tests {
    use super::used;

    #[test]
    fn classes_that_java_imports_are_named() {
        let text = "import java.nio.ByteBuffer;\nimport javax.net.ssl.SSLEngineResult.Status;\nimport java.security.Key;\n";
        assert_eq!(used("A.java", text), ["SSLEngineResult.Status", "Key"]);
    }

    #[test]
    fn members_of_modules_are_named_once() {
        let go = "package main\n\nimport (\n\t\"crypto/tls\"\n\tkeys \"crypto/ecdh\"\n\t\"fmt\"\n)\n\n\
                  // tls.InComment is not used\nvar a = tls.Config{} // tls.Nor\nvar b, c = fmt.Sprint(\"tls\"), keys.P256()\n\
                  var d, e = a.tls.Not, tls.Config{}\n";
        assert_eq!(used("a.go", go), ["tls.Config", "keys.P256"]);
        let js = "const tls = require(\"node:tls\");\nconst { Duplex } = require(\"node:stream\");\n\
                  const fs = require(\"fs\");\ntls.connect(fs.x, this.tls.y);\n";
        assert_eq!(used("a.js", js), ["tls.connect"]);
        let py = "import os\nimport ssl\n# ssl.no\nssl.SSLContext(os.x, self.ssl.y)\n";
        assert_eq!(used("a.py", py), ["ssl.SSLContext"]);
    }

    #[test]
    fn names_of_other_packages_are_named_with_their_path() {
        let text = "//! lib::InComment\nuse std::sync::Arc;\nuse lib::{A, b::{self, C as D, e::F}};\n\
                    use lib::g::H;\nuse tlslab_kit::I;\nmod own;\nfn f() { own::j(); lib::k::L::new(); A::B; Arc::new(lib::M { x: 1 }) }\n";
        let expected =
            ["lib::A", "lib::b", "lib::b::C", "lib::b::e::F", "lib::g::H", "lib::k::L::new", "lib::M"];
        assert_eq!(used("a.rs", text), expected);
    }

    #[test]
    fn what_ends_early_is_read_to_its_end() {
        for text in [
            "use a::{b",
            "use a::",
            "a.",
            ".",
            "import \"",
            "const x = require(",
            "use a::{b::{",
            "::",
            "use a::{}}",
        ] {
            for path in ["a.rs", "a.go", "a.js", "a.py", "A.java", "a.txt"] {
                used(path, text);
            }
        }
    }
}
