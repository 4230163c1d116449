//! The parts that plans of runs and of comparisons share.

use anyhow::Context;
use serde::Serialize;
use tlslab_pki::Pki;
use tlslab_protocol::{Measure, Pairing, Scenario};
use tlslab_record::{Plan, Policy, Preload, Slicing, StackRecord};

use crate::counting;
use crate::host;
use crate::session::workshop::Workshop;
use crate::stacks::size;

/// The parts that plans of runs and of comparisons share.
pub struct PlanBase<'p> {
    /// The run's name.
    pub id: &'p str,
    /// The request, which is recorded.
    pub request: serde_json::Value,
    /// Every number that decisions depend on.
    pub policy: Policy,
    /// How stacks take turns.
    pub slicing: Slicing,
    /// The lab's keys.
    pub pki: &'p Pki,
    /// The scenarios with their metrics.
    pub scenarios: Vec<Scenario>,
    /// See `scenarios`.
    pub metrics: Vec<Measure>,
    /// The stacks; the first is the baseline.
    pub stacks: Vec<StackRecord>,
}

/// A request as recorded.
///
/// # Errors
/// Fails if it cannot be serialised.
pub fn recorded_request(request: &impl Serialize) -> anyhow::Result<serde_json::Value> {
    serde_json::to_value(request).context("cannot serialise the request")
}

impl PlanBase<'_> {
    /// A plan for this host at this moment, without a suite or rounds.
    ///
    /// # Errors
    /// Fails if the library that counts allocations, or the counter that records contention, cannot be built.
    pub fn plan(self, workshop: &Workshop<'_>) -> anyhow::Result<Plan> {
        let Self { id, request, policy, slicing, pki, scenarios, metrics, stacks } = self;
        let weighs = metrics.contains(&Measure::Heap);
        let preload: Option<Preload> = weighs.then(|| preload(workshop)).transpose()?;
        let contends = metrics.contains(&Measure::Contention);
        let contention = contends.then(|| counting::contention(workshop)).transpose()?;
        let measures_size = metrics.contains(&Measure::Size);
        let sizes = if measures_size { size::sizes(workshop, &stacks) } else { Vec::new() };
        Ok(Plan {
            id: id.to_owned(),
            started_unix_ms: jiff::Timestamp::now().as_millisecond().unsigned_abs(),
            lab_version: env!("CARGO_PKG_VERSION").to_owned(),
            command: workshop.conditions.command.clone(),
            request: Some(request),
            suite: "custom".to_owned(),
            seed: 1,
            budget_s: 0.0,
            rounds: 0,
            slice_ns: slicing.slice_ns,
            slices: slicing.slices,
            warm_up: slicing.warm_up,
            placement: policy.placement,
            estimator: slicing.estimator(),
            evictor: None,
            canaries: None,
            sandbox: workshop.sandbox().map(|sandbox| sandbox.description()),
            baseline: stacks.first().map(|stack| stack.name.clone()).unwrap_or_default(),
            policy,
            host: host::fingerprint(),
            pki_digest: pki.digest().to_owned(),
            scenarios,
            together: Vec::new(),
            stacks,
            metrics,
            preload,
            counting: None,
            contention,
            sizes,
            pairing: Pairing::Own,
            rows: None,
            comparison: None,
        })
    }
}

/// The library that counts allocations.
pub fn preload(workshop: &Workshop<'_>) -> anyhow::Result<Preload> {
    let library = workshop.preloads()?.heap;
    let digest = tlslab_build::file_digest(&library)
        .with_context(|| format!("cannot read the library {}", library.display()))?;
    Ok(Preload { library: library.to_string_lossy().into_owned(), digest })
}
