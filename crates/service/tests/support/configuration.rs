//! Lines of a service's configuration that its tests have in common.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file that only its owner can read (mode 0600).
pub(crate) fn write_secret(path: &Path, text: &str) {
    fs::write(path, text).expect("the folder can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("the file is the test's own");
}

/// A forge with its kind and API, and a project with its repository; both secrets are in files, `token` and `hook`. The project has these
/// further lines.
pub(crate) fn forge_and_project(
    [forge, kind, api]: [&str; 3],
    [project, repository]: [&str; 2],
    more: &str,
) -> String {
    format!(
        r#"
        [[forge]]
        name = "{forge}"
        kind = "{kind}"
        api = "{api}"
        token = {{ file = "token" }}
        webhook_secret = {{ file = "hook" }}
        [[project]]
        name = "{project}"
        forge = "{forge}"
        repository = "{repository}"
        {more}
        "#
    )
}
