//! A source distribution of the Python Package Index, from pip's configured index. pip itself would run the
//! package's own code, which has requirements of its own.

use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Doing, Halt, PYTHON_INDEX, Workspace, program};

use super::archive;

/// Fetches, checks and unpacks it.
pub(super) fn fetch(
    package: &str,
    file: &str,
    sha256: &str,
    strip: u32,
    scratch: &Path,
    workspace: &Workspace<'_>,
) -> Result<PathBuf, Halt> {
    let index = index(workspace)?;
    let address = format!("{}/{}/", index.trim_end_matches('/'), normalised(package));
    let page = scratch.join("index.html");
    let curl =
        program("curl", scratch).args(["--fail", "--location", "--silent", "--show-error", "--retry", "2"]);
    // Bytes, and seconds.
    let limits = ["--max-filesize", "67108864", "--max-time", "300", "--max-redirs", "10"];
    workspace.fetch(curl.args(limits).arg("--output").arg(&page).arg(&address))?;
    let text = fs::read_to_string(&page).doing("read", &page)?;
    let Some(location) = location(&text, &address, file) else {
        return Err(Halt::wrong(
            format!("Python package {package}"),
            format!("{address} has no {file}"),
            "check the name of the file",
        ));
    };
    archive::fetch(&location, sha256, strip, scratch, workspace)
}

fn index(workspace: &Workspace<'_>) -> Result<String, Halt> {
    if let Some(index) = workspace.context.environment.get(PYTHON_INDEX) {
        return Ok(index.to_string_lossy().into_owned());
    }
    let ask = program("pip3", Path::new("/")).args(["download", "--help"]).env("COLUMNS", "4096");
    let printed = workspace.context.ask(ask).unwrap_or_default();
    let next_step =
        format!("set {PYTHON_INDEX} to the address of an index: the folder that has a folder per package");
    match configured(&printed) {
        // The address is logged, and pip prints stars in place of a password.
        Some(index) if index.contains('@') => {
            Err(Halt::wrong("pip's index", "its address has a password, which is not read", next_step))
        }
        Some(index) => Ok(index.to_owned()),
        None => Err(Halt::wrong("pip's index", "`pip3 download --help` names none", next_step)),
    }
}

/// pip's help names the index that is configured:
/// `--index-url <url>  Base URL of ... (default ADDRESS). ...`.
fn configured(help: &str) -> Option<&str> {
    let option = help.lines().find(|line| line.contains("--index-url <url>"))?;
    let (_, rest) = option.split_once("(default ")?;
    rest.split_once(')').map(|(address, _)| address)
}

/// A project's name in an index: lower case, with one hyphen for each run of hyphens, dots and underscores.
fn normalised(package: &str) -> String {
    let parts: Vec<&str> = package.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
    parts.join("-").to_ascii_lowercase()
}

/// The address of a file on a project's page. `address` is the page's own, with a slash at its end.
fn location(page: &str, address: &str, file: &str) -> Option<String> {
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut links = links.map(|link| link.split('#').next().unwrap_or_default());
    let link = links.find(|link| link.rsplit('/').next() == Some(file))?;
    if link.contains("://") {
        return Some(link.to_owned());
    }
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split('/').next()?;
    Some(match link {
        _ if link.starts_with("//") => format!("{scheme}:{link}"),
        _ if link.starts_with('/') => format!("{scheme}://{host}{link}"),
        // curl resolves `..` in an address.
        _ => format!("{address}{link}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_what_pip_is_set_up_with() {
        let help = "Package Index Options:\n  -i, --index-url <url>       Base URL of the Python Package Index (default \
                    https://example.org/simple). This should point to a repository.\n  --extra-index-url <url>  Extra\n";
        assert_eq!(configured(help), Some("https://example.org/simple"));
        assert_eq!(configured("Usage: pip"), None);
    }

    #[test]
    fn names_are_normalised() {
        assert_eq!(normalised("Some.Package__x-y"), "some-package-x-y");
    }

    #[test]
    fn links_are_found_by_file_and_start_from_the_page() {
        let address = "https://example.org/simple/a/";
        let page = "<a href=\"../../files/a-1.tar.gz#sha256=00\">a-1.tar.gz</a>\n<a href=\"/files/a-2.tar.gz\" data-x>\n\
                    <a href=\"https://elsewhere.example/x/a-3.tar.gz#sha256=1\">\n<a href=\"//other.example/a-4.tar.gz\">";
        let of = |file: &str| location(page, address, file);
        assert_eq!(of("a-1.tar.gz").unwrap(), "https://example.org/simple/a/../../files/a-1.tar.gz");
        assert_eq!(of("a-2.tar.gz").unwrap(), "https://example.org/files/a-2.tar.gz");
        assert_eq!(of("a-3.tar.gz").unwrap(), "https://elsewhere.example/x/a-3.tar.gz");
        assert_eq!(of("a-4.tar.gz").unwrap(), "https://other.example/a-4.tar.gz");
        assert_eq!(of("1.tar.gz"), None);
    }
}
