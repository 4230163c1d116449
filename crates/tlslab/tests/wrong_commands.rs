//! The command's errors when it is used wrongly: the thing, the cause, the next step, and the exit status.

mod support;

use std::path::Path;
use std::process::Command;

use support::tlslab;

/// Commands as users type them; `DIR` is an empty folder, `HISTORY` one with a database, `REPOSITORY` one
/// with a commit.
const WRONG: &[&str] = &[
    "run --stack opensll",
    "run --stack rustls/rign",
    "run --stack rustls",
    "run --stack openssl+ltoo",
    "run --stack openssl@",
    "run --stack openssl@git:main",
    "run --suite quik",
    "run --suite nothing-like-it",
    "run --scenario handshake/1.3/ecdsa-*",
    "run --scenario ecdsa-p265",
    "run --scenario handshak/1.3/**",
    "run --scenario a[",
    "run --stack openssl@path:/nope",
    "run --stack mine=openssl@path:/nope",
    "run --stack openssl@patch:/nope.patch",
    "run --stack openssl@archive:/nope.tar.gz#0000000000000000000000000000000000000000000000000000000000000000",
    "run --stack openssl@git:/nope#main",
    "run --stack openssl@git:REPOSITORY#no-such-tag",
    "run --stack rustls/ring,rign=0.17.8",
    "run --stack openssl,ring=0.17.8",
    "run --stack bertie --stack bertie",
    "run --stack bertie --baseline openssl",
    "run --baseline rustls/rign",
    "run --budget tenminutes",
    "run --format htlm",
    "run --metric tiem",
    "run --stak openssl",
    "run --resume nope --out HISTORY",
    "run --resume --seed 1",
    "compare",
    "compare openssl",
    "compare openssl boringssl gnutls",
    "compare openssl opensll",
    "compare openssl openssl+clang --merge-base main",
    "compare openssl openssl@path:/nope",
    "compare --runs one --out HISTORY",
    "compare --runs one two --out HISTORY",
    "compare --runs one@DIR two --out HISTORY",
    "compare --folders a b --format html",
    "compare --from /nope.json",
    "diff openssl openssl+clang",
    "diff files:/nope files:/nope",
    "profile --stack openssl --scenario handshake/**",
    "profile --stack opensll --scenario handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none",
    "bisect openssl",
    "bisect openssl --releases 3.0.8",
    "bisect openssl --releases 3.0.8 3.0.999",
    "bisect openssl@3.0.8 --releases 3.0.8 3.0.20",
    "validate --stack openssl --stack gnutls",
    "doctor --stack opensll --out DIR",
    "report --out DIR",
    "report nope --out HISTORY",
    "report 20 --out HISTORY",
    "export --format bencer",
    "export --format csv --out DIR",
    "history --out DIR",
    "history --stack librray --out HISTORY",
    "history --metric tim --out HISTORY",
    "history --scenario nope --out HISTORY",
    "recompute nope --out HISTORY",
    "runs --store mysql://host/database",
    "backfill opensll --out DIR",
    "backfill openssl --versions 3.0",
    "annotate openssl",
    "prune --out DIR",
    "reproduce wolfsl --out DIR",
    "reproduce --format html --out DIR",
    "scenarios --suite quik",
    "scenarios --scenario handshake/1.4/**",
    "requests --scenario nope",
    "schema scenaro",
    "build opensll",
    "versions opensll",
    "cahce",
];

#[test]
fn every_wrong_command_is_answered_with_thing_cause_and_next_step() {
    let place = tempfile::tempdir().unwrap();
    let [empty, history, repository, cache] =
        ["empty", "history", "repository", "cache"].map(|name| place.path().join(name));
    std::fs::create_dir(&empty).unwrap();
    imported(&history);
    commit(&repository);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = [(&empty, "DIR"), (&history, "HISTORY"), (&repository, "REPOSITORY"), (&root, "ROOT")];
    let (mut table, mut wrong) = (String::new(), Vec::new());
    for line in WRONG {
        let words = line.split(' ').map(|word| {
            places
                .iter()
                .fold(word.to_owned(), |word, (path, name)| word.replace(name, &path.display().to_string()))
        });
        let mut command = tlslab();
        // A variable's option would be in the usage.
        command.env_remove("TLSLAB_CACHE").env_remove("TLSLAB_SANDBOX").env("XDG_CACHE_HOME", &cache);
        let output = command.current_dir(&empty).env("COLUMNS", "160").args(words).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let text =
            places.iter().fold(text, |text, (path, name)| text.replace(&path.display().to_string(), name));
        let status = output.status.code().unwrap();
        if status != 2 && !MAY_BE_1.contains(line) || text.starts_with("tlslab: ") && text.lines().count() > 1
        {
            wrong.push(format!("{line} ends with {status}: {text}"));
        }
        // The identifier of a run has the time in it.
        let text =
            text.split(' ').map(|word| if is_run(word) { "RUN" } else { word }).collect::<Vec<_>>().join(" ");
        let text = text.trim_end().replace("\n\n", "\n").replace('\n', "\n  ");
        table.push_str(&format!("$ tlslab {line}\n  [{status}] {text}\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!(table);
    // None of these commands has left any file.
    let left: Vec<_> = std::fs::read_dir(&empty).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn is_run(word: &str) -> bool {
    word.len() == "20261124-221014-aa11".len() && word.starts_with("20") && word.matches('-').count() == 2
}

/// The command is right, but has no data.
const MAY_BE_1: &[&str] = &[
    "report --out DIR",
    "report 20 --out HISTORY",
    "export --format csv --out DIR",
    "history --out DIR",
    "compare --from /nope.json",
];

/// A database with the figures of another program.
fn imported(folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    let file = folder.join("bencher.json");
    std::fs::write(&file, r#"{"handshake/a": {"time": {"value": 3.0}}}"#).unwrap();
    let output = tlslab()
        .args(["import", "--format", "bencher", "--label", "1.0", "--stack", "library", "--out"])
        .arg(folder)
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with one commit.
fn commit(folder: &Path) {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@example"]).args(arguments);
        assert!(git.output().unwrap().status.success());
    };
    std::fs::create_dir(folder).unwrap();
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "first"]);
}
