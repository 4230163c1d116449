//! The only way to call git. A repository is data: its configuration may be untrusted, and can name programs
//! in many places. Git runs in the sandbox if there is one; it never starts those programs, connects only to
//! the address to fetch, and never prompts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Access, Context, Doing, Halt, Workspace, program, read_plain};
use tlslab_process::Program;

/// Prohibitions for git, whatever a repository configures.
const SETTINGS: [(&str, &str); 12] = [
    ("advice.detachedHead", "false"),
    ("core.alternateRefsCommand", ":"),
    ("core.autocrlf", "false"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("diff.external", ""),
    ("fetch.recurseSubmodules", "false"),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
];

/// Variables that make it work without programs and prompts. Reading does not write: no index is refreshed.
const VARIABLES: [(&str, &str); 9] = [
    ("GIT_ASKPASS", "false"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_EDITOR", "false"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS", "false"),
];

/// In a sandbox git is another user than the repository's owner; older versions of git take the permission
/// only from a file.
const AS_ANOTHER: &str = r#"git config --global safe.directory '*' && exec git "$@""#;

/// The longest line of a file that says where a repository is.
const LONGEST_LINE: u64 = 4096;

/// Git's answer about a repository, in the sandbox if there is one.
///
/// # Errors
/// Fails if the folder does not exist, or if the answer is invalid or missing.
pub(crate) fn ask(folder: &Path, arguments: &[&str], context: Context<'_>) -> Result<String, Halt> {
    let here = folder.canonicalize().doing("find", folder)?;
    let folders = repository_of(&here);
    let looked = |git: Program| match context.sandbox {
        Some(_) => context.inspect(git, &folders),
        None => context.ask(git),
    };
    let git = |settings: &[(String, String)]| quiet(look(&here, context), settings);
    // The names of its programs are unknown before it is read; reading them starts nothing.
    let named = looked(git(&[]).args(["config", "--list", "--null", "--name-only", "--includes"]))?;
    let answer = looked(git(&overrides(&named)).args(arguments));
    answer.map_err(|halt| match halt {
        // Git by hand would start the configured programs there.
        Halt::Wrong { cause, .. } => {
            let what = format!("git {} in {}", arguments.join(" "), here.display());
            Halt::wrong(what, cause, "check that the repository is complete and has this revision or path")
        }
        other => other,
    })
}

/// Git for fetching from an address, in a folder of the lab's own. For a private repository it can ask for a
/// credential.
///
/// # Errors
/// Fails if it has no socket to ask for it.
pub(crate) fn fetching(folder: &Path, address: &str, context: Context<'_>) -> Result<Program, Halt> {
    let protocol = &protocol_of(address, context)?;
    let lent = context.credentials.map(|credentials| credentials.lend(address)).transpose();
    let lent = lent.doing("make a socket for git in", folder)?.flatten();
    // Services within a network often speak http: a redirect from an allowed origin must not lead there. A
    // credential is for the checked address only, never for the target of a redirect.
    let is_bounded = context.hosts.is_some() && protocol == "http" || lent.is_some();
    let mut further: Vec<(&str, &str)> = Vec::new();
    if is_bounded {
        further.push(("http.followRedirects", "false"));
    }
    if let Some(lent) = &lent {
        // An empty value removes the user's helpers, which could store it in a file.
        further.extend([
            ("credential.helper", ""),
            ("credential.helper", &*lent.helper),
            ("credential.useHttpPath", "true"),
        ]);
    }
    let further: Vec<(String, String)> =
        further.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let git = quiet(program("git", folder), &further).env("GIT_ALLOW_PROTOCOL", protocol);
    Ok(git.channel(lent.map(|lent| lent.end)))
}

/// Git in a folder of the lab's own, for commands without an address.
pub(crate) fn offline(folder: &Path) -> Program {
    quiet(program("git", folder), &[]).env("GIT_ALLOW_PROTOCOL", "none")
}

/// Applies a patch to files of a source that may have a repository of its own.
pub(crate) fn apply(patch: &Path, place: &Path, workspace: &Workspace<'_>) -> Result<(), Halt> {
    let above = place.parent().unwrap_or(place);
    let arguments = ["apply", "--whitespace=nowarn", "-p1"];
    let named = match place.join(".git").exists() {
        true => {
            let list = ["config", "--list", "--null", "--name-only", "--includes"];
            let git = offline(place).env("GIT_CEILING_DIRECTORIES", above).args(list);
            workspace.context.inspect(git, &[place.to_owned()])?
        }
        false => String::new(),
    };
    let git = quiet(program("git", place), &overrides(&named)).env("GIT_ALLOW_PROTOCOL", "none");
    // A repository above the folder would make git look for the files there.
    let git = git.env("GIT_CEILING_DIRECTORIES", above).args(arguments).arg(patch);
    workspace.run_with(git, Access { read: &[patch], ..Access::default() }).map_err(|halt| match halt {
        Halt::Step { .. } => refused(patch, &workspace.log.last_lines(MOST_COMPLAINTS)),
        other => other,
    })
}

/// The most lines of git's output that are searched for a reason.
const MOST_COMPLAINTS: usize = 20;

/// Why a patch does not apply, in git's words.
fn refused(patch: &Path, lines: &[String]) -> Halt {
    let reasons: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("error: ")).collect();
    // "patch failed: FILE:LINE" comes before "FILE: patch does not apply".
    let reason = match reasons.iter().find(|reason| !reason.starts_with("patch failed")) {
        Some(reason) => (*reason).to_owned(),
        None => lines.last().cloned().unwrap_or_else(|| "git gives no reason".to_owned()),
    };
    let name = patch.file_name().unwrap_or_default().to_string_lossy();
    Halt::wrong(
        format!("patch {name}"),
        format!("it does not apply to this source: {reason}"),
        "create the patch again with `git diff` in the source of this version",
    )
}

/// The protocol of an address, after the user's own rewriting (`url.BASE.insteadOf`), such as to a mirror.
/// Untrusted configurations cannot change the checked address.
fn protocol_of(address: &str, context: Context<'_>) -> Result<String, Halt> {
    if context.hosts.is_some() || context.credentials.is_some() {
        return Ok(protocol(address).to_owned());
    }
    let git = offline(Path::new("/")).args(["ls-remote", "--get-url", address]);
    Ok(protocol(context.ask(git)?.trim()).to_owned())
}

/// The only protocol that an address needs.
fn protocol(address: &str) -> &str {
    match address.split_once("://") {
        Some((scheme, _)) => scheme.strip_prefix("git+").unwrap_or(scheme),
        None if Path::new(address).exists() || !address.contains(':') => "file",
        None => "ssh",
    }
}

/// Git that reads a repository and connects to nothing.
fn look(here: &Path, context: Context<'_>) -> Program {
    let git = match context.sandbox {
        Some(_) => program("sh", here).args(["-c", AS_ANOTHER, "git"]),
        None => program("git", here),
    };
    // A bare repository is read only if it is named.
    let git = match here.join("HEAD").is_file() && here.join("objects").is_dir() {
        true => git.env("GIT_DIR", here),
        false => git,
    };
    git.env("GIT_ALLOW_PROTOCOL", "none").env("GIT_SSH_COMMAND", "false")
}

/// Without programs and prompts: settings are variables, as a name may have any character.
fn quiet(git: Program, further: &[(String, String)]) -> Program {
    let fixed = SETTINGS.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let all: Vec<(String, String)> = fixed.chain(further.iter().cloned()).collect();
    let git = git.envs(VARIABLES).env("GIT_CONFIG_COUNT", all.len().to_string());
    let named = all.into_iter().enumerate().flat_map(|(at, (name, value))| {
        [(format!("GIT_CONFIG_KEY_{at}"), name), (format!("GIT_CONFIG_VALUE_{at}"), value)]
    });
    git.envs(named.map(|(name, value)| (OsString::from(name), OsString::from(value))))
}

/// Settings that disable a configuration's programs. `names` are those of all its settings, each ended by a
/// NUL.
fn overrides(names: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let Some((section, rest)) = name.split_once('.') else { continue };
        let key = rest.rsplit_once('.').map_or(rest, |(_, key)| key);
        let value = match (section, key) {
            ("filter", "required") => "false",
            ("filter", "clean" | "smudge" | "process") => "",
            ("diff", "command" | "textconv" | "external") | ("merge", "driver") => "",
            ("credential", "helper") | ("remote", "vcs") => "",
            ("remote", "promisor") => "false",
            ("remote", "uploadpack" | "receivepack") | ("gpg", "program" | "defaultkeycommand") => "false",
            ("submodule", "update") => "none",
            ("pager", _) => "false",
            _ => continue,
        };
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name.to_owned(), value.to_owned()));
        }
    }
    found
}

/// The paths of a folder's repository: the folder, its working tree, and if that keeps its repository
/// elsewhere, its own folder there and the main one.
fn repository_of(here: &Path) -> Vec<PathBuf> {
    let line = |file: &Path| String::from_utf8(read_plain(file, LONGEST_LINE).ok()?).ok();
    let tree = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(here);
    let own = line(&tree.join(".git"))
        .and_then(|text| tree.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok());
    let shared =
        own.as_ref().and_then(|own| own.join(line(&own.join("commondir"))?.trim()).canonicalize().ok());
    // The path may be untrusted: git sees only repositories.
    let is_repository = |folder: &PathBuf| folder.join("HEAD").is_file();
    own.into_iter().chain(shared).filter(is_repository).chain([tree.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_one_protocol() {
        assert_eq!(protocol("https://host/x.git"), "https");
        assert_eq!(protocol("git@host:x.git"), "ssh");
        assert_eq!(protocol("ssh://host/x"), "ssh");
        assert_eq!(protocol("file:///x"), "file");
        assert_eq!(protocol("/"), "file");
    }

    #[test]
    fn programs_of_a_configuration_become_none() {
        let names = "core.bare\0filter.a.b=c.clean\0filter.a.b=c.required\0diff.x.textconv\0merge.m.driver\0pager.log\0\
                     remote.origin.uploadpack\0remote.origin.url\0alias.log\0submodule.s.update\0gpg.ssh.program\0";
        let found = overrides(names);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            found,
            [
                ("filter.a.b=c.clean", ""),
                ("filter.a.b=c.required", "false"),
                ("diff.x.textconv", ""),
                ("merge.m.driver", ""),
                ("pager.log", "false"),
                ("remote.origin.uploadpack", "false"),
                ("submodule.s.update", "none"),
                ("gpg.ssh.program", "false"),
            ]
        );
    }

    /// Every other file goes through this one.
    #[test]
    fn nothing_else_of_the_lab_starts_git() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let is_source = |path: &Path| path.extension().is_none_or(|ending| ending == "rs");
        let mut starts: Vec<String> = Vec::new();
        let names = std::fs::read_dir(&crates).unwrap().map(|entry| entry.unwrap().file_name());
        // Test code starts git directly.
        for name in names.filter(|name| name != "testing") {
            let folder = crates.join(&name).join("src");
            for file in tlslab_artifact::files(&folder, &is_source).unwrap_or_default() {
                let text = std::fs::read_to_string(folder.join(&file)).unwrap_or_default();
                // Tests within a source file start git directly.
                let text = text.split("#[cfg(test)]").next().unwrap_or_default();
                let starts_git = ["Command::new(", "program(", "Program::new("]
                    .iter()
                    .any(|call| text.contains(&format!("{call}\"git\"")));
                if starts_git {
                    starts.push(format!("{}/{}", name.to_string_lossy(), file.display()));
                }
            }
        }
        assert_eq!(starts, ["build/git.rs"]);
    }
}
