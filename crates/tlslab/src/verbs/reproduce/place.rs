//! Whether a record can be written, before anything is measured for it.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;
use tlslab_documents::folder_of;
use tlslab_lab::Problem;

use super::args::ReproduceArgs;
use crate::session::Lab;

/// Refuses a place of the record in which no file can be written.
pub(super) fn check_place(lab: &Lab, args: &ReproduceArgs, document: &str) -> anyhow::Result<()> {
    let Some(asked) = &args.record else { return Ok(()) };
    let (place, written) = match asked.is_empty() {
        // The file's name is known only when the host is.
        true => {
            // A document that does not exist has an error of its own.
            let Ok(folder) = folder_of(&lab.environment, document) else { return Ok(()) };
            let written = try_folder(&folder);
            (folder, written)
        }
        false => (PathBuf::from(asked), try_file(Path::new(asked))),
    };
    if let Err(cause) = written {
        let next = "name a file in a folder that exists and can be written: --record=FILE";
        let cause = format!("no record can be written there: {cause}");
        bail!(Problem::invalid("record", place.display().to_string(), cause, next));
    }
    Ok(())
}

fn try_file(file: &Path) -> io::Result<()> {
    if file.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if file.exists() {
        return OpenOptions::new().write(true).open(file).map(drop);
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    try_folder(folder.unwrap_or(Path::new(".")))
}

/// A file without a name, which leaves nothing behind.
fn try_folder(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_tried_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it.gz");
        assert!(try_file(&file).is_ok() && !file.exists());
        std::fs::write(&file, "kept").unwrap();
        assert!(try_file(&file).is_ok());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
        assert!(try_file(folder.path()).unwrap_err().to_string().contains("a folder"));
        assert!(try_file(&folder.path().join("none/it.gz")).is_err());
    }
}
