//! The previous values, in a file that survives a crash.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::io::FdFlags;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::setting::Setting;
use crate::value::{cpu_list_text, cpu_set};

/// The values of the settings before the first change since the boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The id of the boot that it belongs to.
    pub boot_id: String,
    /// The CPUs for measuring.
    pub cpus: BTreeSet<u32>,
    /// The previous values, in the order of the changes.
    pub previous: Vec<Previous>,
}

/// The previous value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Previous {
    /// The setting.
    pub setting: Setting,
    /// Exactly its reading.
    pub value: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateJson {
    format: u32,
    boot_id: String,
    cpus: String,
    previous: Vec<PreviousJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviousJson {
    setting: String,
    value: String,
}

impl State {
    /// Parses a state. Only settings that the lab changes are accepted, with possible values.
    ///
    /// # Errors
    /// Returns the reason why it is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let json: StateJson = serde_json::from_str(text)
            .map_err(|cause| format!("it has no previous values of settings: {cause}"))?;
        if json.format != FORMAT {
            return Err(format!("its format is {}; this version reads {FORMAT}", json.format));
        }
        if !is_boot_id(&json.boot_id) {
            return Err("boot_id is not the ID of a boot".to_owned());
        }
        let cpus = match json.cpus.is_empty() {
            true => Some(BTreeSet::new()),
            false => cpu_set(&json.cpus),
        };
        let cpus = cpus.ok_or_else(|| format!("cpus has {:?}, which is not a list of CPUs", json.cpus))?;
        let mut previous = Vec::new();
        let mut seen = BTreeSet::new();
        for PreviousJson { setting: name, value } in json.previous {
            let setting = Setting::named(&name)
                .ok_or_else(|| format!("{name:?} is not a setting that the lab changes"))?;
            if !setting.accepts(&value) {
                return Err(format!("{name} cannot have the value {value:?}"));
            }
            if !seen.insert(setting) {
                return Err(format!("{name} occurs twice"));
            }
            previous.push(Previous { setting, value });
        }
        Ok(Self { boot_id: json.boot_id, cpus, previous })
    }

    /// The text that [`State::parse`] reads.
    pub fn text(&self) -> String {
        let previous = self.previous.iter().map(|Previous { setting, value }| PreviousJson {
            setting: setting.to_string(),
            value: value.clone(),
        });
        let json = StateJson {
            format: FORMAT,
            boot_id: self.boot_id.clone(),
            cpus: cpu_list_text(&self.cpus),
            previous: previous.collect(),
        };
        // Serialising strings and numbers cannot fail.
        serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
    }
}

/// The state file: only root reads and writes it, in a folder that no other user can write to.
#[derive(Clone, Debug)]
pub struct StateFile {
    path: PathBuf,
}

/// The right to change settings, until it is dropped.
pub(crate) struct Lock {
    _folder: File,
}

impl StateFile {
    /// The file at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its state; `None` if there is no file.
    ///
    /// # Errors
    /// Fails if another user could have written the file, or if it is not a state.
    pub fn load(&self) -> Result<Option<State>, Error> {
        let named = match fs::symlink_metadata(&self.path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            named => named.map_err(self.failed("read"))?,
        };
        if !named.is_file() {
            return Err(self.refused("it is not an ordinary file"));
        }
        self.check_folder()?;
        let file = File::open(&self.path).map_err(self.failed("read"))?;
        let opened = file.metadata().map_err(self.failed("read"))?;
        if (opened.dev(), opened.ino()) != (named.dev(), named.ino()) {
            return Err(self.refused("it was replaced while it was read"));
        }
        if opened.uid() != own_user() || opened.mode() & 0o077 != 0 {
            return Err(self
                .refused("another user may have written it: it must belong to this user and have mode 600"));
        }
        let mut text = String::new();
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(self.failed("read"))?;
        if text.len() as u64 > LONGEST {
            return Err(self.refused("it is too long"));
        }
        State::parse(&text).map(Some).map_err(|reason| self.refused(&reason))
    }

    /// Replaces the file atomically: after a crash it has the old state or the new one.
    pub(crate) fn save(&self, state: &State) -> Result<(), Error> {
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let write = || -> io::Result<()> {
            match fs::remove_file(&new) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(cause),
                _ => {}
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
            file.write_all(state.text().as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &self.path)?;
            File::open(self.folder())?.sync_all()
        };
        write().map_err(self.failed("write"))
    }

    pub(crate) fn remove(&self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(self.failed("remove"))
    }

    /// Does not wait: while another process has the lock, this is an error. Child processes of this one keep
    /// the lock, too, so that it is free only when all changes of a killed process have ended.
    pub(crate) fn lock(&self) -> Result<Lock, Error> {
        let folder = self.folder();
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(self.failed("make the folder of"))?;
        self.check_folder()?;
        let folder = File::open(folder).map_err(self.failed("lock the folder of"))?;
        rustix::io::fcntl_setfd(&folder, FdFlags::empty())
            .map_err(|cause| self.failed("lock the folder of")(cause.into()))?;
        match folder.try_lock() {
            Ok(()) => Ok(Lock { _folder: folder }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy(self.folder().to_owned())),
            Err(TryLockError::Error(cause)) => Err(self.failed("lock the folder of")(cause)),
        }
    }

    fn check_folder(&self) -> Result<(), Error> {
        let folder = fs::metadata(self.folder()).map_err(self.failed("find the folder of"))?;
        let is_own = [0, own_user()].contains(&folder.uid()) && folder.mode() & 0o022 == 0;
        if is_own {
            Ok(())
        } else {
            Err(self.refused("other users may write to its folder: use a folder of root's own"))
        }
    }

    fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
    }

    fn failed(&self, what: &'static str) -> impl Fn(io::Error) -> Error {
        move |cause| Error::StateFile { what, path: self.path.clone(), cause }
    }

    fn refused(&self, reason: &str) -> Error {
        Error::StateRefused { path: self.path.clone(), reason: reason.to_owned() }
    }
}

/// The user of this process; root if /proc does not show it, so that only files of root are accepted.
fn own_user() -> u32 {
    fs::metadata("/proc/self").map_or(0, |process| process.uid())
}

fn is_boot_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

const FORMAT: u32 = 1;
/// Ten times the size for a machine with thousands of interrupts.
const LONGEST: u64 = 4 << 20;

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// Otherwise `systemctl stop` of a killed `--apply` could end after an `--undo`.
    #[test]
    fn a_lock_is_free_when_the_programs_that_its_process_started_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile::new(folder.path().join("state/doctor.json"));
        let lock = file.lock().unwrap();
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        drop(lock);
        assert!(matches!(file.lock(), Err(Error::Busy(_))));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(file.lock().is_ok());
    }
}
