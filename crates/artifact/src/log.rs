//! The log of one task: every command with its environment, output, duration and exit status.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::halt::{Doing, Halt};

/// A log that a task writes to and programs append to. The lab's own lines start with `# `, commands with
/// `$ `.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// Starts a new log.
    pub fn start(path: PathBuf) -> Result<Self, Halt> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).doing("create", folder)?;
        }
        File::create(&path).doing("create", &path)?;
        Ok(Self { path })
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one line of the lab's own.
    pub fn note(&self, text: &str) -> Result<(), Halt> {
        self.write(&format!("# {text}\n"))
    }

    /// Writes a command as a shell would take it.
    pub fn command(
        &self,
        folder: &Path,
        env: &[(OsString, OsString)],
        command: &[OsString],
    ) -> Result<(), Halt> {
        let mut line = format!("# in {}\n$", folder.display());
        for (name, value) in env {
            line += &format!(" {}={}", name.to_string_lossy(), quoted(&value.to_string_lossy()));
        }
        for word in command {
            line += &format!(" {}", quoted(&word.to_string_lossy()));
        }
        self.write(&(line + "\n"))
    }

    /// Writes how a command ended.
    pub fn ended(&self, how: &str, took: Duration) -> Result<(), Halt> {
        self.note(&format!("{how} after {:.1} s\n", took.as_secs_f64()))
    }

    /// The last lines that programs wrote, `count` at most, and the commands between them without their
    /// environment.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = self.end().unwrap_or_default();
        let lines = text.split(['\n', '\r']).map(str::trim_end).filter(|line| !line.is_empty());
        let mut last: Vec<String> =
            lines.rev().filter(|line| !line.starts_with("# ")).take(count).map(without_environment).collect();
        last.reverse();
        last
    }

    fn end(&self) -> std::io::Result<String> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn write(&self, text: &str) -> Result<(), Halt> {
        let mut file = File::options().append(true).open(&self.path).doing("open", &self.path)?;
        file.write_all(text.as_bytes()).doing("write", &self.path)
    }
}

/// A command's line without the variables before it, which the log has. Other lines are unchanged.
fn without_environment(line: &str) -> String {
    let Some(mut command) = line.strip_prefix("$ ") else { return line.to_owned() };
    while let Some(len) = variable_len(command) {
        command = command[len..].trim_start_matches(' ');
    }
    format!("$ {command}")
}

/// The length of the variable at the beginning of a command's line.
fn variable_len(command: &str) -> Option<usize> {
    let (name, _) = command.split_once('=')?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = command.bytes().position(|byte| {
        is_quoted ^= byte == b'\'' && !is_escaped;
        is_escaped = byte == b'\\' && !is_quoted;
        byte == b' ' && !is_quoted
    });
    Some(end.unwrap_or(command.len()))
}

/// A word as a shell would take it.
pub fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=,:+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

const END_BYTES: u64 = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_must_be() {
        assert_eq!(quoted("--prefix=/a/b"), "--prefix=/a/b");
        assert_eq!(quoted("-O3 -g"), "'-O3 -g'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_command_is_shown_without_its_variables() {
        for (line, shown) in [
            ("$ make CC=cc", "$ make CC=cc"),
            (r"$ A=1 B='it'\''s so' C='' 'a b=c' D=2", "$ 'a b=c' D=2"),
            ("$ A=1", "$ "),
            ("$ A='1", "$ "),
            ("A=1 b", "A=1 b"),
        ] {
            assert_eq!(without_environment(line), shown);
        }
    }

    #[test]
    fn the_last_lines_are_the_programs_own() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::start(folder.path().join("logs/a.log")).unwrap();
        log.command(Path::new("/"), &[("A".into(), "1 2".into())], &["make".into(), "all".into()]).unwrap();
        log.write("one\ntwo\rthree\n\n").unwrap();
        log.ended("exit status 2", Duration::from_millis(1500)).unwrap();
        assert_eq!(log.last_lines(2), ["two", "three"]);
        assert_eq!(log.last_lines(9), ["$ make all", "one", "two", "three"]);
        let text = fs::read_to_string(log.path()).unwrap();
        assert_eq!(text, "# in /\n$ A='1 2' make all\none\ntwo\rthree\n\n# exit status 2 after 1.5 s\n\n");
    }
}
