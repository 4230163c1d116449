//! Upgrade and downgrade: a database of the previous version is migrated with every row of every table, and
//! its backup is the earlier state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::postgres::{Client, NoTls};
use rusqlite::Connection;
use tlslab_record::{Annotation, ImportedRun, RawValues, Weighed, Weight, WeightKind};
use tlslab_testing::postgres::Server;

use super::outcomes::outcome;
use super::*;
use crate::database::{postgres as server, sqlite as embedded};
use crate::{Capability, OutcomeState, Store};

on_every_database! {
    a_database_of_the_previous_version_is_migrated_with_every_row,
    a_backup_of_the_previous_version_is_that_version_and_migrates_again,
    a_backup_of_the_present_version_has_every_row,
    an_older_program_leaves_a_newer_database_alone_and_says_so,
}

/// Each row of each table, as texts.
type Rows = BTreeMap<String, Vec<String>>;
/// The columns of each table.
type Columns = BTreeMap<String, Vec<String>>;

const VISIT: Visit = Visit { round: 1, scenario: 2, attempt: 0, complete: false };

/// A service's rows in the same database. The key of a job is the first one that its database assigns.
const QUEUE: &str = "
    INSERT INTO runner (name, key_hash, labels, boot, seen_unix_ms, facts, origin, old_key_hash, old_key_until_unix_ms, duty, duty_cause,
                        duty_unix_ms, quiet, trusted_since_unix_ms)
        VALUES ('r', 'h', 'a,b', 'boot', 5, '{}', 'command', 'o', 8, 'paused', 'why', 7, '08:00-18:00', 6);
    INSERT INTO job (id, project, subject, body, labels, needs_sandbox, priority, dedup, supersedes, state, reason, fault,
                     created_unix_ms, not_before_unix_ms, leased_unix_ms, ended_unix_ms, lease_until_unix_ms, token, attempts,
                     most_attempts, runner, boot, cancel, superseded_by, is_timed, slot, only_runner, head, approval)
        VALUES ('j', 'p', '{}', '{}', 'a', 1, 40, 'd', 'g', 'failed', 'µ', 'runner', 1, 2, 3, 4, 0, 6, 2, 3, 'r', 'boot', 'c', 's', 0, 1, 'r', 'h',
                'given');
    INSERT INTO canary (runner, job, at_unix_ms, readings, verdict, cause) VALUES ('r', 'j', 9, '[]', 'good', 'as before');
    INSERT INTO piece VALUES (1, 6, 0, 2, 'body');
    INSERT INTO transition (job, at_unix_ms, from_state, to_state, cause, token) VALUES (1, 1, '', 'queued', 'why', 0);
    INSERT INTO event VALUES (1, 6, 1, '{}');
    INSERT INTO result VALUES (1, 6, 'r', 9, 'body');
    INSERT INTO rejected VALUES (1, 5, 'q', 9, 'other');
    INSERT INTO delivery VALUES ('f', 'd', 'push', 'body', 1, 2, 3, NULL);
    INSERT INTO outbox VALUES ('k', 'j', '{}', 2, 1, 77, 5, 0, 3, 'late', 1);
    INSERT INTO pull VALUES ('p', 1, 'h', 5, 1, 't', 'b', 'm');
    INSERT INTO command VALUES ('f', 3, 5, 'ann');
    INSERT INTO verdict VALUES (1, 'regression', '1 regression', 'a against b: 1 regression.');
    INSERT INTO session VALUES ('i', 't', 9);
    INSERT INTO notice VALUES ('disk:r', 5);
    INSERT INTO schedule VALUES ('nightly', '0 1 * * *', 9);
    INSERT INTO access VALUES ('t', 'owner', 'administer', 1, 0);";

fn known(place: &Place) -> usize {
    match place.address {
        Address::Sqlite(_) => embedded::MIGRATIONS.len(),
        Address::Postgres(_) => server::MIGRATIONS.len(),
    }
}

/// A database of the present version that has rows in every table.
fn filled(place: &Place) -> Columns {
    fill(&mut *place.open());
    let queue = match place.address {
        Address::Sqlite(_) => QUEUE.replace("'body'", "x'00ff'").replace("'other'", "x'01'"),
        Address::Postgres(_) => QUEUE.replace("'body'", "'\\x00ff'").replace("'other'", "'\\x01'"),
    };
    place.execute(&queue);
    let columns = columns(place);
    let empty: Vec<_> = rows(place, &columns).into_iter().filter(|(_, rows)| rows.is_empty()).collect();
    assert!(empty.is_empty(), "no rows in {empty:?}: this test has to add some");
    columns
}

fn fill(store: &mut dyn Store) {
    for (id, is_complete) in [("complete", true), ("interrupted", false)] {
        store.set_job(id);
        store.create_run(&plan(id, 5), &dead()).unwrap();
        let proof = Proof::Unsupported("no".to_owned());
        store.put_cell(id, &CellState { scenario: 2, stack: 1, proof }).unwrap();
        let proof = PairProof::Proven { facts: ProvenFacts::Other(1.into()), iteration_ns: 7.5 };
        store.put_pair(id, &PairState { scenario: 2, client: 1, server: 0, proof }).unwrap();
        store.add_overhead(id, &overhead()).unwrap();
        let counted = Counted::Unsupported("no".to_owned());
        store.add_count(id, &CellCount { scenario: 0, stack: 1, seed: 7, counted }).unwrap();
        let weighed = Weighed::Unsupported("no".to_owned());
        let weight = Weight { scenario: 0, stack: 1, kind: WeightKind::Heap, process: 0, weighed };
        store.add_weight(id, &weight).unwrap();
        store.begin_visit(id, &VISIT).unwrap();
        for stack in [1, 0] {
            store.add_sample(id, &sample(0, stack)).unwrap();
            store.add_pair_sample(id, &pair_sample(stack as u32)).unwrap();
        }
        store.warn(id, "loud").unwrap();
        if is_complete {
            store.end_visit(id, &Visit { complete: true, ..VISIT }, 1.5).unwrap();
            store.put_figures(id, &figures()).unwrap();
            store.complete_run(id).unwrap();
        }
    }
    store.import(&imported(), &figures()[..1]).unwrap();
    let text = str::to_owned;
    store
        .annotate(&Annotation {
            stack: text("library"),
            label: text("1.1"),
            scenario: String::new(),
            text: text("noted"),
            noted_unix_ms: 1,
        })
        .unwrap();
    store.put_outcome(&outcome("j", 5, OutcomeState::Done)).unwrap();
    store.put_entry("fidelity", "k", "{}").unwrap();
    store
        .put_capability(&Capability {
            stack: text("a"),
            driver_digest: text("1"),
            description: text("{}"),
            noted_unix_ms: 0,
        })
        .unwrap();
}

fn pair_sample(place: u32) -> PairSample {
    let side = PairSide { phases: PhaseTimes::default(), clock_reads: 4, wire_bytes: 5 };
    PairSample {
        round: 1,
        scenario: 2,
        attempt: 0,
        block: 3,
        place,
        client: 1,
        server: place as usize,
        iterations: 9,
        sides: [side, side],
    }
}

fn figures() -> Vec<tlslab_record::Figure> {
    vec![history::figure("a", 0, 1.25), history::figure("b", 1, f64::MIN_POSITIVE)]
}

fn imported() -> ImportedRun {
    let raw = vec![RawValues { series: history::series("a"), values: vec![1.5, 2.5] }];
    let text = str::to_owned;
    ImportedRun {
        id: text("imported"),
        started_unix_ms: 4,
        format: text("criterion"),
        label: text("l"),
        files: vec![],
        raw,
    }
}

/// The present program's reading of it.
fn check(place: &Place) {
    let mut store = place.open();
    for id in ["complete", "interrupted"] {
        let run = store.load(id).unwrap();
        assert_eq!((run.plan, run.complete), (plan(id, 5), id == "complete"));
        assert_eq!(run.samples, [sample(0, 1), sample(0, 0)]);
        assert_eq!(run.pair_samples, [pair_sample(0), pair_sample(1)]);
        assert_eq!((run.cells.len(), run.pairs.len(), run.counts.len(), run.weights.len()), (1, 1, 1, 1));
        assert_eq!((run.overheads, run.warnings), (vec![overhead()], vec!["loud".to_owned()]));
    }
    assert_eq!(store.figures("complete").unwrap(), figures());
    assert_eq!(store.imported("imported").unwrap(), imported());
    assert_eq!(store.outcome("j").unwrap(), Some(outcome("j", 5, OutcomeState::Done)));
    assert_eq!((store.annotations().unwrap().len(), store.capabilities().unwrap().len()), (1, 1));
    assert_eq!(store.entries("fidelity", "").unwrap(), [("k".to_owned(), "{}".to_owned())]);
    // New rows have new keys.
    store.create_run(&plan("new", 9), &me()).unwrap();
    store.put_figures("new", &figures()).unwrap();
    store.put_entry("fidelity", "l", "{}").unwrap();
    store.take_run("interrupted", &me()).unwrap();
    store.end_visit("interrupted", &Visit { complete: true, ..VISIT }, 1.0).unwrap();
    store.complete_run("interrupted").unwrap();
}

/// A database of the previous version with the rows of one of the present version, as far as it knew them.
fn previous(place: &Place) -> (Place, Columns) {
    filled(place);
    let old = place.another();
    let version = known(place) - 1;
    match (&place.address, &old.address) {
        (Address::Sqlite(from), Address::Sqlite(path)) => {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            embedded::MIGRATIONS[..version].iter().for_each(|migration| old.execute(migration));
            old.execute(&format!("PRAGMA user_version = {version}; PRAGMA application_id = 0x746c736c; PRAGMA journal_mode = WAL"));
            let columns = columns(&old);
            let copy = |(table, columns): (&String, &Vec<String>)| {
                let columns = columns.join(", ");
                format!(
                    "DELETE FROM {table}; INSERT INTO {table} ({columns}) SELECT {columns} FROM full.{table};"
                )
            };
            let copies: String = columns.iter().map(copy).collect();
            old.execute(&format!("PRAGMA foreign_keys = OFF; ATTACH '{}' AS full; {copies}", from.display()));
            (old, columns)
        }
        (Address::Postgres(from), Address::Postgres(to)) => {
            old.execute("CREATE TABLE migration (number BIGINT PRIMARY KEY)");
            for (number, migration) in (1..).zip(&server::MIGRATIONS[..version]) {
                old.execute(migration);
                old.execute(&format!("INSERT INTO migration VALUES ({number})"));
            }
            let columns = columns(&old);
            copy_tables(from, to, &columns);
            (old, columns)
        }
        _ => unreachable!("both are of one kind"),
    }
}

fn copy_tables(from: &str, to: &str, columns: &Columns) {
    let connect = |url: &str| Client::connect(url, NoTls).unwrap();
    let (mut from, mut to) = (connect(from), connect(to));
    to.batch_execute("SET session_replication_role = replica").unwrap();
    for (table, columns) in columns {
        let what = format!("COPY {table} ({})", columns.join(", "));
        to.batch_execute(&format!("DELETE FROM {table}")).unwrap();
        let mut reader = from.copy_out(&format!("{what} TO STDOUT BINARY")).unwrap();
        let mut writer = to.copy_in(&format!("{what} FROM STDIN BINARY")).unwrap();
        std::io::copy(&mut reader, &mut writer).unwrap();
        writer.finish().unwrap();
    }
    let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns
               WHERE table_schema = 'public' AND is_identity = 'YES'";
    for row in to.query(sql, &[]).unwrap() {
        let (table, column): (String, String) = (row.get(0), row.get(1));
        let sql = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}"
        );
        to.batch_execute(&sql).unwrap();
    }
}

/// Tables with their columns, but for the one that says which version it is.
fn columns(place: &Place) -> Columns {
    let found: Vec<(String, String)> = match &place.address {
        Address::Sqlite(path) => {
            let sql = "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c
                       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'";
            let connection = Connection::open(path).unwrap();
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        }
        Address::Postgres(url) => {
            let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns
                       WHERE table_schema = 'public' AND table_name <> 'migration' ORDER BY ordinal_position";
            let mut client = Client::connect(url, NoTls).unwrap();
            client.query(sql, &[]).unwrap().iter().map(|row| (row.get(0), row.get(1))).collect()
        }
    };
    let mut columns = Columns::new();
    for (table, column) in found {
        columns.entry(table).or_default().push(column);
    }
    columns
}

/// The rows of these columns; nothing is migrated.
fn rows(place: &Place, columns: &Columns) -> Rows {
    let texts = |table: &String, columns: &Vec<String>| -> Vec<String> {
        match &place.address {
            Address::Sqlite(path) => {
                let quoted: Vec<String> = columns.iter().map(|column| format!("quote({column})")).collect();
                let sql = format!("SELECT {} FROM {table} ORDER BY 1", quoted.join(" || ',' || "));
                let connection = Connection::open(path).unwrap();
                let mut statement = connection.prepare(&sql).unwrap();
                let rows = statement.query_map([], |row| row.get(0)).unwrap();
                rows.collect::<Result<_, _>>().unwrap()
            }
            Address::Postgres(url) => {
                let sql = format!("SELECT ROW({})::text FROM {table} ORDER BY 1", columns.join(", "));
                let mut client = Client::connect(url, NoTls).unwrap();
                client.query(&sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
            }
        }
    };
    columns.iter().map(|(table, columns)| (table.clone(), texts(table, columns))).collect()
}

/// A backup in a folder.
fn back_up(place: &Place, folder: &Path) -> PathBuf {
    let file = folder.join("backup");
    match &place.address {
        Address::Sqlite(_) => place.execute(&format!("VACUUM INTO '{}'", file.display())),
        Address::Postgres(url) => Server::shared(false).unwrap().back_up(url, &file).unwrap(),
    }
    file
}

fn restored(place: &Place, backup: &Path) -> Place {
    match place.address {
        Address::Sqlite(_) => {
            let new = place.another();
            let Address::Sqlite(path) = &new.address else { unreachable!("it is of the same kind") };
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::copy(backup, path).unwrap();
            new
        }
        Address::Postgres(_) => {
            Place::at(Address::Postgres(Server::shared(false).unwrap().restore(backup).unwrap()))
        }
    }
}

fn a_database_of_the_previous_version_is_migrated_with_every_row(place: &Place) {
    let (old, columns) = previous(place);
    let before = rows(&old, &columns);
    let error = crate::open_to_read(&old.address).err().expect("it is older").to_string();
    assert!(
        error.contains(&format!("has schema {}, this lab reads {}", known(place) - 1, known(place))),
        "{error}"
    );
    assert_eq!(rows(&old, &columns), before, "who only reads does not migrate");
    drop(old.open());
    assert_eq!(rows(&old, &columns), before, "a migration changes no row");
    drop(crate::open_to_read(&old.address).unwrap());
    check(&old);
}

fn a_backup_of_the_previous_version_is_that_version_and_migrates_again(place: &Place) {
    let (old, columns) = previous(place);
    let before = rows(&old, &columns);
    let folder = tempfile::tempdir().unwrap();
    // A handle is open meanwhile, as a service's are.
    let backup = match &old.address {
        Address::Sqlite(path) => {
            let _open = Connection::open(path).unwrap();
            back_up(&old, folder.path())
        }
        Address::Postgres(_) => back_up(&old, folder.path()),
    };
    check(&old);
    let back = restored(place, &backup);
    assert_eq!(rows(&back, &columns), before);
    let error = crate::open_to_read(&back.address).err().expect("it is older").to_string();
    assert!(error.contains(&format!("has schema {}, ", known(place) - 1)), "{error}");
    check(&back);
}

fn a_backup_of_the_present_version_has_every_row(place: &Place) {
    let columns = filled(place);
    let before = rows(place, &columns);
    let folder = tempfile::tempdir().unwrap();
    let backup = back_up(place, folder.path());
    place.execute("DELETE FROM job");
    check(place);
    assert_ne!(rows(place, &columns), before);
    let back = restored(place, &backup);
    assert_eq!(rows(&back, &columns), before);
    drop(crate::open_to_read(&back.address).unwrap());
    check(&back);
}

fn an_older_program_leaves_a_newer_database_alone_and_says_so(place: &Place) {
    let columns = filled(place);
    place.make_newer();
    let before = rows(place, &columns);
    let refusals = [crate::open(&place.address).err(), crate::open_to_read(&place.address).err()];
    for error in refusals.map(|error| error.expect("is refused")) {
        let known = known(place) as u32;
        assert!(
            matches!(error, StoreError::Newer { found: 99, known: up_to, .. } if up_to == known),
            "{error}"
        );
        let says = format!("has schema 99, this lab knows up to {known}; use the newer lab, or another --");
        assert!(error.to_string().contains(&says), "{error}");
    }
    assert_eq!(rows(place, &columns), before);
}
