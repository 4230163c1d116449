//! Parses the submodules of a work tree: untrusted data.

use std::collections::HashMap;

use tlslab_artifact::Halt;

/// The address of each path that `git config --null --list` of `.gitmodules` names, without excluded ones.
pub(super) fn parse(settings: &str) -> HashMap<&str, &str> {
    let mut modules: HashMap<&str, [Option<&str>; 3]> = HashMap::new();
    for entry in settings.split_terminator('\0') {
        let Some((key, value)) = entry.split_once('\n') else { continue };
        let Some((name, key)) = key.strip_prefix("submodule.").and_then(|key| key.rsplit_once('.')) else {
            continue;
        };
        // Git writes keys in lower case; names keep their case.
        let place = match key {
            "path" => 0,
            "url" => 1,
            "update" => 2,
            _ => continue,
        };
        modules.entry(name).or_default()[place] = Some(value);
    }
    modules
        .into_values()
        .filter_map(|[path, url, update]| Some((path?, url?)).filter(|_| update != Some("none")))
        .collect()
}

/// The paths at which `git ls-files --stage -z` lists commits of other repositories, with these commits.
/// Folders that merely look like repositories are not included.
pub(super) fn links(listed: &str) -> impl Iterator<Item = (&str, &str)> {
    listed.split_terminator('\0').filter_map(|entry| {
        let (what, path) = entry.split_once('\t')?;
        let commit = what.strip_prefix("160000 ")?.split(' ').next()?;
        Some((path, commit))
    })
}

/// An address in `.gitmodules`, which may be relative to that of its repository.
pub(super) fn resolved(repository: &str, address: &str) -> Result<String, Halt> {
    if !address.starts_with("./") && !address.starts_with("../") {
        return Ok(address.to_owned());
    }
    // The part of an address from which `..` may remove segments: without the host and the root.
    let host_ends = repository.find("://").map_or(0, |at| {
        let begins = at + "://".len();
        repository[begins..].find('/').map_or(repository.len(), |length| begins + length)
    });
    let (host, path) = repository.split_at(host_ends);
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    for part in address.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part != ".." {
            parts.push(part);
        } else if parts.pop().is_none() {
            let cause = format!("it leads above {repository}");
            let next_step = "name a source whose submodules lie elsewhere";
            return Err(Halt::wrong(format!("the submodule address {address:?}"), cause, next_step));
        }
    }
    Ok(format!("{host}/{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submodules_are_read_as_git_lists_them() {
        let settings = "submodule.a.b.path\nlib/a\0submodule.a.b.url\n../a.git\0submodule.c.path\nc\0submodule.c.url\n\
                        https://x.example/c\0submodule.c.update\nnone\0submodule.d.path\nd\0core.x\ny\0flag\0";
        assert_eq!(parse(settings), HashMap::from([("lib/a", "../a.git")]));
        assert!(parse("").is_empty());
        let listed = "100644 1234 0\t.gitmodules\x00160000 abcd 0\tlib/a b\x00120000 12 0\tlink\0";
        assert_eq!(links(listed).collect::<Vec<_>>(), [("lib/a b", "abcd")]);
    }

    #[test]
    fn a_relative_address_stays_on_its_host() {
        let base = "https://host.example/group/project.git";
        let of = |address: &str| resolved(base, address).ok();
        assert_eq!(of("../other.git").as_deref(), Some("https://host.example/group/other.git"));
        assert_eq!(of("../../a/./b").as_deref(), Some("https://host.example/a/b"));
        assert_eq!(of("./x").as_deref(), Some("https://host.example/group/project.git/x"));
        assert_eq!(of("https://y.example/z").as_deref(), Some("https://y.example/z"));
        for address in ["../../../evil.example/x", "../../../../x", "../a/../../../../x"] {
            assert_eq!(of(address), None, "{address}");
        }
        assert_eq!(resolved("https://host.example", "../x").ok(), None);
        assert_eq!(resolved("/home/a/project", "../b").unwrap(), "/home/a/b");
    }
}
