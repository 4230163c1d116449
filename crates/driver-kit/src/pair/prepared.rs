//! The state of both sides that is prepared for a scenario.

use tlslab_protocol::{Scenario, Sharing, Start};

use super::contexts::{Contexts, Place};
use super::held::Held;
use super::stopped::Stopped;
use super::worker::Worker;
use crate::memory::placement;
use crate::timing::meter::Silent;
use crate::{Endpoint, Material, Unready};

/// A prepared scenario.
pub(crate) struct Pair<'e, E: Endpoint> {
    pub endpoint: &'e E,
    pub scenario: Scenario,
    /// The seed for the gaps between arrivals.
    pub seed: u64,
    pub material: Material,
    /// One per thread. Fields are dropped in this order, and neither a connection nor a session may outlive
    /// its context.
    pub(super) workers: Vec<Worker<E>>,
    /// Connections of one side whose peer is in another process.
    pub held: Held<E>,
    /// One pair that all threads share, or one per thread; empty before a cold scenario is measured.
    pub(super) contexts: Vec<Contexts<E>>,
}

impl<'e, E: Endpoint> Pair<'e, E> {
    /// Prepares a scenario.
    pub(crate) fn new(endpoint: &'e E, scenario: Scenario, material: Material) -> Result<Self, Unready> {
        placement::move_heap();
        let worker = |_| Worker::new(&scenario, material.leaf_bytes());
        let workers = (0..scenario.threads).map(worker).collect::<Result<Vec<_>, _>>()?;
        let (held, contexts) = (Held::default(), Vec::new());
        let mut pair = Self { endpoint, scenario, seed: 0, material, workers, held, contexts };
        if pair.scenario.start == Start::Warm {
            pair.make_contexts()?;
        }
        Ok(pair)
    }

    fn make_contexts(&mut self) -> Result<(), Unready> {
        let wanted = match self.scenario.sharing {
            Sharing::Shared => 1,
            Sharing::Private => self.scenario.threads as usize,
        };
        while self.contexts.len() < wanted {
            placement::move_heap();
            let made = Contexts::make(self.endpoint, &self.scenario, &self.material, &mut Silent)?;
            self.contexts.push(made);
        }
        Ok(())
    }

    /// The first worker, with its contexts; for one connection off the clock.
    pub(crate) fn first(&mut self) -> Result<(Place<'_, E>, &mut Worker<E>), Stopped> {
        self.make_contexts().map_err(Stopped::of_context)?;
        Ok((self.contexts[0].place(self.endpoint), &mut self.workers[0]))
    }

    /// Every worker with its contexts, which are shared or its own.
    pub(crate) fn workers_and_places(&mut self) -> (&mut [Worker<E>], impl Iterator<Item = Place<'_, E>>) {
        let Self { endpoint, workers, contexts, .. } = self;
        let (endpoint, count, contexts) = (*endpoint, workers.len(), &*contexts);
        (workers, (0..count).map(move |at| contexts[at % contexts.len()].place(endpoint)))
    }
}
