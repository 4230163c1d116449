//! Reading writes nothing, and needs no right to write.

use tlslab_record::{Weighed, Weight, WeightKind};

use super::history::figure;
use super::*;

on_every_database! {
    a_run_in_which_nothing_was_measured_has_failed,
    what_a_process_shows_is_kept_by_kind,
}

fn what_a_process_shows_is_kept_by_kind(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    let outcomes = [
        (WeightKind::Contention, Weighed::Contention(Box::default())),
        (WeightKind::Heap, Weighed::Unsupported("no".to_owned())),
        (WeightKind::Kernel, Weighed::Kernel(Box::default())),
        (WeightKind::Resident, Weighed::Resident(vec![])),
        (WeightKind::Wire, Weighed::Wire(Box::default())),
    ];
    let weights = outcomes.map(|(kind, weighed)| Weight { scenario: 0, stack: 1, kind, process: 1, weighed });
    weights.iter().for_each(|weight| store.add_weight("r", weight).unwrap());
    assert_eq!(store.load("r").unwrap().weights, weights);
}

fn a_run_in_which_nothing_was_measured_has_failed(place: &Place) {
    let mut store = place.open();
    for (id, figures) in [("nothing", vec![]), ("figures", vec![figure("a", 0, 1.0)])] {
        store.create_run(&plan(id, 5), &me()).unwrap();
        store.put_figures(id, &figures).unwrap();
        let runs = store.runs().unwrap();
        assert!(!runs.iter().any(|run| run.id == id && run.has_failed), "an interrupted run has not failed");
        store.complete_run(id).unwrap();
    }
    let failed = |id: &str| store.runs().unwrap().into_iter().find(|run| run.id == id).unwrap().has_failed;
    assert!(failed("nothing") && !failed("figures"));
}

/// A read-only folder, as of a copied artifact or of a colleague.
#[test]
fn a_database_is_read_where_nothing_can_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b?#%.sqlite");
    let address = Address::Sqlite(file.clone());
    assert!(matches!(crate::open_to_read(&address), Err(StoreError::Missing { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "reading makes nothing");
    drop(crate::open(&address).unwrap());
    let listed = || -> Vec<_> {
        let entries = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
        entries.map(|entry| (entry.file_name(), entry.metadata().unwrap().modified().unwrap())).collect()
    };
    let before = (listed(), std::fs::read(&file).unwrap());
    let store = crate::open_to_read(&address).unwrap();
    assert!(store.runs().unwrap().is_empty());
    drop(store);
    assert_eq!((listed(), std::fs::read(&file).unwrap()), before, "reading leaves nothing behind");

    let mode = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&file, 0o444);
    mode(folder.path(), 0o555);
    // The superuser can write to the file nevertheless; the connection must not depend on that.
    let read = crate::database::sqlite::reading::immutable(&file).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, u32>(0))
    });
    let store = crate::open_to_read(&address).map(|store| store.runs().unwrap().len());
    mode(folder.path(), 0o755);
    assert_eq!(read.unwrap(), 0);
    assert_eq!(store.unwrap(), 0);
}
