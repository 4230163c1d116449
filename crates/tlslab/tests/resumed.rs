//! A resumed run starts the programs of its recipes in this lab's cache, whatever the database names.

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;

use rusqlite::Connection;
use support::tlslab;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

/// A run that was interrupted before anything was measured, and a program that must not be started.
struct Interrupted {
    folder: tempfile::TempDir,
    id: String,
}

impl Interrupted {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("w");
        let arguments = ["--stack", "rustls/ring", "--scenario", SCENARIO, "--budget", "1s", "--rounds", "2"];
        let output = tlslab().arg("run").args(arguments).arg("--out").arg(&out).output().unwrap();
        support::stdout(&output);
        let evil = folder.path().join("evil");
        std::fs::write(&evil, format!("#!/bin/sh\ntouch {}/mark\n", folder.path().display())).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&evil, mode).unwrap();
        let database = Connection::open(out.join("tlslab.sqlite")).unwrap();
        let id = database.query_row("SELECT id FROM run", [], |row| row.get(0)).unwrap();
        Self { folder, id }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A copy of the database with these statements done.
    fn altered(&self, sql: &str) -> PathBuf {
        let out = self.path("altered");
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir(&out).unwrap();
        std::fs::copy(self.path("w/tlslab.sqlite"), out.join("tlslab.sqlite")).unwrap();
        let database = Connection::open(out.join("tlslab.sqlite")).unwrap();
        let interrupted =
            "UPDATE run SET complete = 0; DELETE FROM pack; DELETE FROM visit; DELETE FROM cell;";
        database.execute_batch(&format!("{interrupted}{sql}")).unwrap();
        out
    }

    fn resumed(&self, sql: &str, options: &[&str]) -> Output {
        let out = self.altered(sql);
        let output = tlslab().args(["run", "--resume"]).args(options).arg("--out").arg(out).output().unwrap();
        assert!(!self.path("mark").exists(), "{sql}: the database's program was started");
        output
    }

    fn refused(&self, sql: &str, options: &[&str], says: &str) {
        let output = self.resumed(sql, options);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(says), "{sql}: {says}: {said}");
    }
}

fn set(field: &str, value: &str) -> String {
    format!("UPDATE run SET plan = json_set(plan, '$.{field}', {value});")
}

#[test]
fn a_resumed_run_starts_its_recipes_drivers_and_nothing_else() {
    let run = Interrupted::new();
    let evil = run.path("evil");
    let digest = tlslab_build::file_digest(&evil).unwrap();
    let evil = format!("'{}'", evil.display());
    let driver = set("stacks[0].driver", &evil) + &set("stacks[0].driver_digest", &format!("'{digest}'"));
    run.refused(&driver, &[], "the driver of rustls/ring is recorded as ");
    let failed = set("stacks[0].state", "json('{\"failed\":\"x\"}')");
    run.refused(&(driver.clone() + &failed), &[], "is recorded as ");
    run.refused(&(driver + &set("stacks[0].identity", "null")), &[], "without the inputs of its build");
    run.refused(&set("stacks[0].driver_digest", &format!("'{digest}'")), &[], "has another digest");
    let preload = set("stacks[0].environment", "json('{\"LD_PRELOAD\":\"/x\"}')");
    run.refused(&preload, &[], "is recorded with other variables");
    let evictor =
        format!("json_object('program',{evil},'environment',json('{{}}'),'data_bytes',1,'code_bytes',1)");
    run.refused(&set("evictor", &evictor), &[], "its evictor is ");
    let library = format!("json_object('library',{evil},'digest','{digest}')");
    run.refused(&set("preload", &library), &[], "its library that counts allocations is ");
    let counter = format!(
        "json_object('iterations',1,'seeds',json('[1]'),'counter',json_object('kind','hardware','name','x','program',{evil},\
         'arguments',json('[]'),'environment',json('{{}}'),'digest','{digest}'))"
    );
    run.refused(&set("counting", &counter), &[], "its counter is ");
    run.refused("", &["--sandbox", "require"], "began without a sandbox and cannot continue in one");
    run.refused(&set("budget_s", "1e300"), &[], "1e300");
    run.refused(&set("slices", "4000000000"), &[], "slices is 4000000000");
    // An unchanged run resumes.
    support::stdout(&run.resumed("", &[]));
}

#[test]
fn a_database_does_not_choose_where_a_report_is_written() {
    let run = Interrupted::new();
    for id in ["../../escaped".to_owned(), run.path("absolute").display().to_string()] {
        let out = run.altered(&format!(
            "UPDATE run SET id = '{id}', complete = 1, plan = json_set(plan, '$.id', '{id}');"
        ));
        let before = everything(run.folder.path());
        let output = tlslab().args(["report", "--out"]).arg(&out).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("which is not an identifier"), "{said}");
        let is_lock = |path: &&PathBuf| !path.to_string_lossy().contains("sqlite-");
        let after = everything(run.folder.path());
        assert!(before.iter().filter(is_lock).eq(after.iter().filter(is_lock)), "{after:?} of {}", run.id);
    }
}

fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(everything(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}
