//! Samples of runs as they were read last, ready to be shown at any zoom.

use std::future::Future;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tlslab_protocol::Side;
use tlslab_stats::Pyramid;
use tlslab_store::{Address, ScenarioSamples, StoreError, open_to_browse};
use tokio::sync::Semaphore;

/// The memory of the cache, bytes.
const MOST_BYTES: u64 = 256 << 20;
/// About as many cells take that.
const EXPECTED: usize = 256;
/// Scenarios that are read from the database at once.
const READERS: usize = 2;

/// The samples of a scenario of a run.
#[derive(PartialEq, Eq, Hash, Clone)]
pub(crate) struct Key {
    /// The run.
    pub run: String,
    /// The scenario.
    pub scenario: String,
}

/// A stack's samples of a scenario.
pub(crate) struct Cell {
    /// The stack.
    pub stack: String,
    /// The round of each sample.
    rounds: Vec<u32>,
    client: Pyramid,
    server: Pyramid,
}

impl Cell {
    /// A side's times, ns per iteration, in the order in which they were measured.
    pub(crate) fn times(&self, side: Side) -> &Pyramid {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// The round of a sample.
    pub(crate) fn round(&self, place: usize) -> u32 {
        self.rounds[place]
    }

    fn of(stack: usize, name: String, all: &ScenarioSamples) -> Self {
        let of_stack = || all.samples.iter().filter(move |sample| sample.stack == stack);
        let rounds = of_stack().map(|sample| sample.round).collect();
        let client = Pyramid::new(of_stack().map(|sample| sample.client_ns).collect());
        let server = Pyramid::new(of_stack().map(|sample| sample.server_ns).collect());
        Self { stack: name, rounds, client, server }
    }
}

/// All stacks' samples of a scenario; none if the run does not have it.
pub(crate) struct Cells {
    /// Of each stack of the run.
    pub cells: Vec<Cell>,
    complete: bool,
}

impl Cells {
    /// Reads them.
    ///
    /// # Errors
    /// Fails as the store does.
    pub(crate) fn read(address: &Address, key: &Key) -> Result<Option<Self>, StoreError> {
        let found = open_to_browse(address)?.samples(&key.run, &key.scenario)?;
        Ok(found.map(|all| {
            let stacks = all.stacks.iter().cloned().enumerate();
            let cells = stacks.map(|(stack, name)| Cell::of(stack, name, &all)).collect();
            Self { cells, complete: all.complete }
        }))
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Key, Arc<Cells>> for Bytes {
    fn weight(&self, key: &Key, all: &Arc<Cells>) -> u64 {
        let of_cell = |cell: &Cell| cell.rounds.len() * 4 + cell.client.bytes() + cell.server.bytes();
        let bytes: usize = all.cells.iter().map(of_cell).sum();
        (key.run.len() + key.scenario.len() + bytes + size_of::<Cells>()) as u64
    }
}

/// The samples read last, within a bound of memory.
pub(crate) struct Samples {
    cache: Cache<Key, Arc<Cells>, Bytes>,
    readers: Semaphore,
}

impl Default for Samples {
    fn default() -> Self {
        let cache = Cache::with_weighter(EXPECTED, MOST_BYTES, Bytes);
        Self { cache, readers: Semaphore::new(READERS) }
    }
}

impl Samples {
    /// The samples of a scenario, from the cache or from `read`. Concurrent requests for the same samples
    /// wait for one `read`.
    ///
    /// # Errors
    /// Fails as `read` does.
    pub(crate) async fn get<E>(
        &self,
        key: &Key,
        read: impl Future<Output = Result<Option<Cells>, E>>,
    ) -> Result<Option<Arc<Cells>>, E> {
        let guard = match self.cache.get_value_or_guard_async(key).await {
            Ok(cells) => return Ok(Some(cells)),
            Err(guard) => guard,
        };
        // It is never closed.
        let _reader = self.readers.acquire().await;
        let Some(cells) = read.await?.map(Arc::new) else { return Ok(None) };
        // An unfinished run has more next time.
        if cells.complete {
            let _ = guard.insert(cells.clone());
        }
        Ok(Some(cells))
    }
}
