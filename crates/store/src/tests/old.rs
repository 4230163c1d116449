//! Databases of older labs, whose samples are all in the journal.

use super::places::file;
use super::*;
use crate::database::Database;
use crate::database::sqlite;
use crate::sample::journal;
use crate::store::Store;

/// A database of a lab that had no packs.
fn old_database(path: &std::path::Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    for migration in &sqlite::MIGRATIONS[..5] {
        connection.execute_batch(migration).unwrap();
    }
    let plan = serde_json::to_string(&plan("r", 5)).unwrap();
    let sql = "INSERT INTO run (id, started_unix_ms, suite, plan) VALUES ('r', 5, 'quick', ?1)";
    connection.execute(sql, [plan]).unwrap();
    connection
        .execute_batch(
            "INSERT INTO visit (run, round, scenario, attempt, complete) VALUES (1, 1, 2, 0, 1);
             PRAGMA user_version = 5;",
        )
        .unwrap();
}

#[test]
fn samples_of_an_older_lab_are_read_from_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    old_database(&path);
    let store = file(&path);
    // The rows have their former shape.
    for sample in [sample(0, 1), sample(0, 0)] {
        let values = journal::sample_values([1_i64.into(), 0_i64.into()], 1, &sample);
        assert_eq!(store.database.execute(journal::ADD_SAMPLE, &values).unwrap(), 1);
    }
    assert!(store.database.rows("SELECT * FROM pack", &[]).unwrap().is_empty());
    assert_eq!(store.load("r").unwrap().samples, [sample(0, 1), sample(0, 0)]);
    assert_eq!(store.runs().unwrap()[0].samples, 2);
}
