//! An archive with its hash.

use std::path::{Path, PathBuf};

use tlslab_artifact::{Access, Doing, Halt, Workspace, create_empty, file_digest, program};
use tlslab_recipe::is_remote;

/// Fetches, checks and unpacks an archive.
pub(super) fn fetch(
    location: &str,
    sha256: &str,
    strip: u32,
    scratch: &Path,
    workspace: &Workspace<'_>,
) -> Result<PathBuf, Halt> {
    let location = location.strip_prefix("file://").unwrap_or(location);
    let archive = if is_remote(location) {
        let file = scratch.join("archive");
        let curl = program("curl", scratch).args([
            "--fail",
            "--location",
            "--silent",
            "--show-error",
            "--retry",
            "2",
        ]);
        // Bytes, and seconds.
        let limits = ["--max-filesize", "4294967296", "--max-time", "3600", "--max-redirs", "10"];
        workspace.fetch(curl.args(limits).arg("--output").arg(&file).arg(location))?;
        file
    } else {
        std::path::absolute(location).doing("find", Path::new(location))?
    };
    let digest = file_digest(&archive).doing("read", &archive)?;
    if digest != sha256 {
        return Err(Halt::wrong(
            format!("archive {location}"),
            format!("its SHA-256 is {digest}, the recipe says {sha256}"),
            "find out which of the two is right before you correct the recipe",
        ));
    }
    let unpacked = scratch.join("unpacked");
    create_empty(&unpacked)?;
    let tar = program("tar", &unpacked).args(["--extract", "--no-same-owner", "--file"]).arg(&archive);
    let tar = tar.arg(format!("--strip-components={strip}"));
    workspace.run_with(tar, Access { read: &[&archive], ..Access::default() })?;
    Ok(unpacked)
}
