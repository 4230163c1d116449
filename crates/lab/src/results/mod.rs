//! The place of results: the folder of exports and the database of runs.

pub mod exports;
pub mod lease;
pub mod notes;
pub mod pages;
pub mod run_ids;

use std::path::PathBuf;

use tlslab_history::figures::epoch;
use tlslab_store::{Address, Store, StoreError};

/// The place of results. Requests do not contain it: it depends on the machine that carries out the job.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The folder of reports and pages, and of the database if `store` is `None`.
    pub out: PathBuf,
    /// The database; by default `tlslab.sqlite` in `out`.
    pub store: Option<Address>,
    /// The database with the histories for the thresholds of a comparison's cells; that of the results if
    /// none is named.
    pub history: Option<Address>,
}

impl Default for Results {
    fn default() -> Self {
        Self { out: PathBuf::from("tlslab-results"), store: None, history: None }
    }
}

impl Results {
    /// Results in this folder, with the default databases.
    pub fn of(out: PathBuf) -> Self {
        Self { out, ..Self::default() }
    }

    /// The database's address.
    pub fn address(&self) -> Address {
        self.store.clone().unwrap_or_else(|| Address::Sqlite(self.out.join("tlslab.sqlite")))
    }

    /// Opens the database and migrates figures of earlier versions of the lab.
    ///
    /// # Errors
    /// Fails if the database cannot be opened or created.
    pub fn open(&self) -> anyhow::Result<Box<dyn Store>> {
        let mut store = tlslab_store::open(&self.address())?;
        migrate(&mut *store)?;
        Ok(store)
    }

    /// Opens the database if it exists: reading does not create one.
    ///
    /// # Errors
    /// Fails if the database cannot be opened.
    pub fn open_if_there(&self) -> anyhow::Result<Option<Box<dyn Store>>> {
        match self.address() {
            Address::Sqlite(file) if !file.exists() => Ok(None),
            _ => self.open().map(Some),
        }
    }

    /// Opens the database only to read it: nothing is created, migrated or written.
    ///
    /// # Errors
    /// Fails if the database does not exist, cannot be read, or is of another version of the lab.
    pub fn open_to_read(&self) -> Result<Box<dyn Store>, StoreError> {
        tlslab_store::open_to_read(&self.address())
    }

    /// Reads the database of histories: a separate one if it is set, else that of the results.
    ///
    /// # Errors
    /// Fails if the database of histories cannot be opened, and returns the reader's own errors.
    pub fn read_history<T>(
        &self,
        own: &dyn Store,
        read: impl FnOnce(&dyn Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        match &self.history {
            Some(address) => read(&*open_existing(address)?),
            None => read(own),
        }
    }
}

/// Opens an existing database in the same way.
///
/// # Errors
/// Fails if the database does not exist or cannot be opened.
pub fn open_existing(address: &Address) -> anyhow::Result<Box<dyn Store>> {
    let mut store = tlslab_store::open_existing(address)?;
    migrate(&mut *store)?;
    Ok(store)
}

/// Gives figures of earlier versions epochs with the digests of work and harness. A run of that time recorded
/// its work, but not its harness.
fn migrate(store: &mut dyn Store) -> anyhow::Result<()> {
    for plan in store.plans_of_old_epochs()? {
        let mut figures = store.figures(&plan.id)?;
        for figure in &mut figures {
            let Some(stack) = plan.stacks.get(figure.place as usize) else { continue };
            figure.epoch = epoch(&plan, &figure.series.scenario, stack, &figure.series.metric);
        }
        store.put_figures(&plan.id, &figures)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{Scenario, Work};
    use tlslab_record::{Figure, FigureOutcome, FigureValue, Plan, Series, StackRecord, StackState};

    use tlslab_store::Owner;

    use crate::results::Results;

    /// A database of an earlier version of the lab: no digests in the epochs.
    #[test]
    fn figures_of_earlier_versions_get_digests_once() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        let plan = plan();
        let series = Series {
            scenario: "s".to_owned(),
            stack: "library".to_owned(),
            side: "client".to_owned(),
            metric: "time".to_owned(),
            unit: "µs".to_owned(),
            class: "c".to_owned(),
        };
        let value = FigureValue { value: 1.0, lower: None, upper: None, n: 8 };
        let figure = Figure {
            series: series.clone(),
            stack: "library".to_owned(),
            place: 0,
            label: "1".to_owned(),
            epoch: "kernel 6".to_owned(),
            outcome: FigureOutcome::Value(value),
        };
        {
            let mut store = results.open().unwrap();
            store.create_run(&plan, &Owner::this_process()).unwrap();
            store.put_figures("r", &[figure]).unwrap();
            store.complete_run("r").unwrap();
        }
        let old = rusqlite::Connection::open(folder.path().join("tlslab.sqlite")).unwrap();
        old.execute("UPDATE run SET epochs = 0", []).unwrap();
        let store = results.open().unwrap();
        let epoch = store.points(&series).unwrap()[0].epoch.clone();
        // The scenario is recorded, so its work is known; the harness is not.
        let of_a_new_run = tlslab_history::figures::epoch(&plan, "s", &plan.stacks[0], "time");
        assert_eq!(epoch, of_a_new_run);
        assert!(tlslab_history::figures::is_of_work(&epoch, &plan.scenarios[0]), "{epoch}");
        assert!(epoch.contains("; harness unknown; kernel "), "{epoch}");
        assert!(store.plans_of_old_epochs().unwrap().is_empty());
    }

    fn plan() -> Plan {
        let stack = StackRecord {
            name: "library".to_owned(),
            title: String::new(),
            licence: String::new(),
            identity: None,
            driver_digest: String::new(),
            driver: String::new(),
            environment: Default::default(),
            state: StackState::Failed("no".to_owned()),
        };
        let scenario = Scenario { name: "s".to_owned(), ..Scenario::plain(Work::Handshake) };
        let text = serde_json::json!({
            "id": "r", "started_unix_ms": 1, "lab_version": "0", "command": [], "suite": "s", "seed": 1, "budget_s": 1.0,
            "rounds": 1, "slice_ns": 1, "baseline": "library", "confidence": 0.99, "host": null, "pki_digest": "d",
            "scenarios": [scenario], "stacks": [stack],
        });
        serde_json::from_value(text).unwrap()
    }
}
