//! A file as a database: it is refused, or everything in it is read or refused with a reason. Short inputs are changes of a database with
//! a run, three bytes for each: two for the place, of which one in 64 bytes can be reached, and one for the byte there.

#![no_main]

#[path = "../../crates/report/tests/synthetic/mod.rs"]
mod synthetic;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tlslab_record::Visit;
use tlslab_store::{Address, Owner, Store, open};

const HEADER: &[u8] = b"SQLite format 3\0";

fuzz_target!(|data: &[u8]| {
    let file = folder().join("fuzzed.sqlite");
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
    }
    std::fs::write(&file, content(data)).expect("the folder can be written to");
    match open(&Address::Sqlite(file)) {
        Ok(mut store) => read(&mut *store),
        Err(cause) => assert!(!cause.to_string().is_empty()),
    }
});

/// All that there is, whatever becomes of it.
fn read(store: &mut dyn Store) {
    for run in store.runs().unwrap_or_default() {
        if let Ok(record) = store.load(&run.id) {
            assert_eq!(record.plan.id, run.id);
            assert_eq!(record.check(), Ok(()));
        }
        let _ = (store.plan(&run.id), store.imported(&run.id), store.figures(&run.id));
    }
    for one in store.series().unwrap_or_default() {
        let _ = store.points(&one.series);
    }
    let _ = (store.annotations(), store.plans_of_old_epochs());
}

fn content(data: &[u8]) -> Vec<u8> {
    if data.starts_with(HEADER) {
        return data.to_vec();
    }
    let mut content = base().to_vec();
    for change in data.chunks_exact(3) {
        let at = usize::from(u16::from_be_bytes([change[0], change[1]])) * 64 + usize::from(change[2] & 63);
        let length = content.len();
        content[at % length] ^= change[2] | 1;
    }
    content
}

/// A database with a run.
fn base() -> &'static [u8] {
    static BASE: OnceLock<Vec<u8>> = OnceLock::new();
    BASE.get_or_init(|| {
        let file = folder().join("base.sqlite");
        let _ = std::fs::remove_file(&file);
        let mut record = synthetic::run(7, 2, 2);
        record.plan.id = "20261125-004512-ab12".to_owned();
        let id = record.plan.id.clone();
        let mut store = open(&Address::Sqlite(file.clone())).expect("it can be made");
        store.create_run(&record.plan, &Owner::this_process()).expect("a run");
        for cell in &record.cells {
            store.put_cell(&id, cell).expect("a cell");
        }
        for visit in &record.visits {
            store.begin_visit(&id, &Visit { complete: false, ..visit.clone() }).expect("a visit");
            let of_visit = |sample: &&tlslab_record::Sample| {
                (sample.round, sample.scenario, sample.attempt)
                    == (visit.round, visit.scenario, visit.attempt)
            };
            for sample in record.samples.iter().filter(of_visit) {
                store.add_sample(&id, sample).expect("a sample");
            }
            store.end_visit(&id, visit, 1.0).expect("its end");
        }
        store.complete_run(&id).expect("its end");
        store.shrink().expect("one file");
        drop(store);
        std::fs::read(file).expect("it was written")
    })
}

/// A folder of this process's own, in memory where that is possible.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let folder = parent.join(format!("tlslab-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        folder
    })
}
