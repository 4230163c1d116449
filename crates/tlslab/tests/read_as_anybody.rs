//! A verb that only reads needs only read access. Each is tried as root and as `nobody`, in five kinds of
//! folder.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::stdout;

/// Commands that read and print something. `OUT` is the folder, `DIR` one to write to.
const VERBS: [&[&str]; 8] = [
    &["runs", "--out", "OUT"],
    &["report", "--out", "OUT"],
    &["history", "--out", "OUT"],
    &["export", "--format", "bencher", "--out", "OUT", "--to", "DIR"],
    &["anomalies", "--out", "OUT"],
    &["recompute", "--check", "--out", "OUT"],
    &["site", "DIR", "--out", "OUT"],
    &["choose", "--no-measuring", "--out", "OUT"],
];
const NOBODY: u32 = 65_534;
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recorded/runs.sqlite.zst");

/// The access to a folder.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// No user may write to it.
    Closed,
    /// Root may, and others may read.
    Roots,
    /// It is mounted read-only.
    Mounted,
    /// A copy of the database without its log.
    Copied,
    /// A copy with its log.
    WithLog,
}

struct Place {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = |path: &Path| fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        open(folder.path());
        let program = folder.path().join("tlslab");
        // A user without rights may not see the folder in which it was built.
        fs::copy(env!("CARGO_BIN_EXE_tlslab"), &program).unwrap();
        open(&program);
        let out = folder.path().join("out");
        fs::create_dir(&out).unwrap();
        let recorded = fs::File::open(RECORDED).unwrap();
        zstd::stream::copy_decode(recorded, fs::File::create(out.join("tlslab.sqlite")).unwrap()).unwrap();
        Self { folder, program }
    }

    /// The folder as found, and the command that sets up a mount.
    fn set_up(&self, kind: Kind) -> (PathBuf, String) {
        let out = self.folder.path().join(format!("{kind:?}"));
        fs::create_dir(&out).unwrap();
        let database = self.folder.path().join("out/tlslab.sqlite");
        fs::copy(&database, out.join("tlslab.sqlite")).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        set(&out.join("tlslab.sqlite"), 0o644);
        let mut mount = String::new();
        match kind {
            Kind::Closed => {
                set(&out.join("tlslab.sqlite"), 0o444);
                set(&out, 0o555);
            }
            Kind::Roots | Kind::Copied => set(&out, 0o755),
            Kind::Mounted => {
                let out = out.display();
                mount = format!("mount --bind '{out}' '{out}' && mount -o remount,ro,bind '{out}' && ");
            }
            Kind::WithLog => {
                // The latest commit is only in the log while another process has the database open.
                let copy = self.folder.path().join("open.sqlite");
                fs::copy(&database, &copy).unwrap();
                let open = rusqlite::Connection::open(&copy).unwrap();
                open.execute_batch("PRAGMA journal_mode = WAL; UPDATE run SET suite = 'changed'").unwrap();
                fs::copy(&copy, out.join("tlslab.sqlite")).unwrap();
                fs::copy(self.folder.path().join("open.sqlite-wal"), out.join("tlslab.sqlite-wal")).unwrap();
                set(&out.join("tlslab.sqlite-wal"), 0o444);
                set(&out, 0o555);
            }
        }
        (out, mount)
    }

    fn read(&self, words: &[&str], out: &Path, mount: &str, as_nobody: bool) -> Output {
        let written = tempfile::tempdir_in(self.folder.path()).unwrap();
        if as_nobody {
            std::os::unix::fs::chown(written.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let words = words.iter().map(|word| match *word {
            "OUT" => out.display().to_string(),
            "DIR" => written.path().join("written").display().to_string(),
            word => word.to_owned(),
        });
        let words: Vec<String> = words.map(|word| format!("'{word}'")).collect();
        let rights = if as_nobody { "setpriv --reuid 65534 --regid 65534 --clear-groups " } else { "" };
        let line = format!("{mount}exec {rights}'{}' {}", self.program.display(), words.join(" "));
        let mut command = match mount.is_empty() {
            true => Command::new("sh"),
            false => {
                let mut command = Command::new("unshare");
                command.args(["--mount", "sh"]);
                command
            }
        };
        command.arg("-c").arg(line).current_dir(self.folder.path());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TLSLAB_"))
        {
            command.env_remove(name);
        }
        command.env("HOME", written.path()).output().unwrap()
    }
}

fn is_root() -> bool {
    stdout(&Command::new("id").arg("-u").output().unwrap()).trim() == "0"
}

#[test]
fn every_verb_that_reads_needs_no_right_to_write() {
    let place = Place::new();
    let users: &[bool] = if is_root() { &[false, true] } else { &[false] };
    for kind in [Kind::Closed, Kind::Roots, Kind::Mounted, Kind::Copied, Kind::WithLog] {
        // Only root mounts.
        if kind == Kind::Mounted && !is_root() {
            continue;
        }
        let (out, mount) = place.set_up(kind);
        for as_nobody in users {
            // Its many pages are written in two of the folders.
            let all = [Kind::Closed, Kind::WithLog].contains(&kind);
            for words in VERBS.iter().filter(|words| all || words[0] != "site") {
                let done = place.read(words, &out, &mount, *as_nobody);
                let said = format!(
                    "{}{}",
                    String::from_utf8_lossy(&done.stdout),
                    String::from_utf8_lossy(&done.stderr)
                );
                // Nothing is timed there.
                let is_empty_question = words[0] == "choose" && done.status.code() == Some(3);
                assert!(
                    done.status.success() || is_empty_question,
                    "{kind:?}, {} {words:?}: {said}",
                    if *as_nobody { "as nobody," } else { "" }
                );
                assert!(
                    !said.contains("readonly") && !said.contains("read-only"),
                    "{kind:?} {words:?}: {said}"
                );
            }
        }
        let mut left: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.retain(|name| !name.to_string_lossy().starts_with("tlslab.sqlite"));
        assert!(left.is_empty(), "reading wrote {left:?} into {kind:?}");
        let _ = fs::set_permissions(&out, PermissionsExt::from_mode(0o755));
    }
}
