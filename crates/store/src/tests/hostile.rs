//! Untrusted databases: their contents choose no path, run nothing and take no more memory than allowed.

use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use tlslab_record::ImportedRun;

use super::{me, plan, sample};
use crate::{Address, Store, StoreError, open};
use tlslab_record::Visit;

const RUN: &str = "20261125-004512-ab12";

fn opened(path: &Path) -> Result<Box<dyn Store>, StoreError> {
    open(&Address::Sqlite(path.to_owned()))
}

/// A database with a run, altered by statements.
fn altered(path: &Path, sql: &str) {
    let mut store = opened(path).unwrap();
    store.create_run(&plan(RUN, 5), &me()).unwrap();
    let visit = Visit { round: 1, scenario: 2, attempt: 0, complete: false };
    store.begin_visit(RUN, &visit).unwrap();
    store.add_sample(RUN, &sample(0, 1)).unwrap();
    store.end_visit(RUN, &Visit { complete: true, ..visit }, 1.0).unwrap();
    drop(store);
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn what_would_run_when_it_is_read_is_refused() {
    for (kind, sql) in [
        ("view", "DROP TABLE annotation; CREATE VIEW annotation AS SELECT 1 AS stack"),
        ("trigger", "CREATE TRIGGER x AFTER INSERT ON warning BEGIN DELETE FROM run; END"),
        ("virtual table", "CREATE VIRTUAL TABLE x USING fts5(y)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        altered(&path, sql);
        let before = std::fs::read(&path).unwrap();
        let cause = opened(&path).err().unwrap().to_string();
        assert!(cause.contains(&format!("has a {kind} called ")), "{cause}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_run_is_called_what_its_plan_says_and_that_leads_nowhere() {
    let rename = |id: &str| format!("UPDATE run SET id = '{id}', plan = replace(plan, '{RUN}', '{id}')");
    for id in ["../../escaped", "/tmp/absolute", "a/b", "..", "A", ""] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        altered(&path, &rename(id));
        let store = opened(&path).unwrap();
        for cause in [store.load(id).err(), store.plan(id).err(), store.runs().err()] {
            let cause = cause.unwrap().to_string();
            assert!(cause.contains("identifier"), "{cause}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    altered(&path, "UPDATE run SET id = 'another'");
    let cause = opened(&path).unwrap().load("another").unwrap_err().to_string();
    assert!(cause.contains("its plan is that of another run"), "{cause}");
}

#[test]
fn a_plan_and_its_records_are_of_what_there_is() {
    let set = |name: &str, value: &str| format!("UPDATE run SET plan = json_set(plan, '$.{name}', {value})");
    for (sql, says) in [
        (set("slices", "4000000000"), "slices is 4000000000; it must be from 1 to 1000"),
        (set("slices", "0"), "slices is 0"),
        (set("slice_ns", "9000000000000000000"), "slice_ns is 9000000000000000000"),
        (set("rounds", "4000000000"), "rounds is 4000000000"),
        (set("budget_s", "-1.0"), "-1"),
        (set("budget_s", "1e300"), "1e300"),
        (
            "INSERT INTO cell SELECT key, 0, 8, '{\"failed\":\"x\"}' FROM run".to_owned(),
            "stack is number 8 of 8",
        ),
        ("UPDATE visit SET scenario = 77".to_owned(), "scenario is number 77 of 8"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        altered(&path, &sql);
        let cause = opened(&path).unwrap().load(RUN).unwrap_err().to_string();
        assert!(cause.contains(says), "{sql}: {cause}");
    }
}

#[test]
fn what_stands_for_gigabytes_is_not_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    altered(&path, "");
    let mut store = opened(&path).unwrap();
    let imported = ImportedRun {
        id: "imported".to_owned(),
        started_unix_ms: 5,
        format: "bencher".to_owned(),
        label: "v1".to_owned(),
        files: vec![],
        raw: vec![],
    };
    store.import(&imported, &[]).unwrap();
    let bomb = zstd::encode_all(std::io::repeat(b' ').take(1 << 30), 3).unwrap();
    let database = Connection::open(&path).unwrap();
    let sql = "INSERT INTO raw (run, body) SELECT key, ?1 FROM run WHERE id = 'imported'";
    database.execute(sql, [&bomb]).unwrap();
    let pack = [&[1][..], &bomb].concat();
    database.execute("UPDATE pack SET body = ?1", [&pack]).unwrap();
    let causes = [store.imported("imported").unwrap_err(), store.load(RUN).unwrap_err()];
    for cause in causes.map(|cause| cause.to_string()) {
        assert!(cause.contains("unpacked it has more than 64 MiB"), "{cause}");
    }
}
