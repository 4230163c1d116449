//! Clients by servers on top of the made-up run: two pairs that fail, a stack that cannot, and noise.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_protocol::{Pairing, PhaseTimes, Side, Step};
use tlslab_record::{PairProof, PairRefusal, PairSample, PairSide, PairState, Proof, ProvenFacts, RunRecord};

/// The run's first scenario alone, between all its stacks.
pub(crate) fn crossed(mut record: RunRecord) -> RunRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(record.plan.seed);
    record.plan.pairing = Pairing::Cross;
    record.plan.suite = "cross".to_owned();
    record.plan.scenarios.truncate(1);
    record.cells.retain(|cell| cell.scenario == 0);
    record.visits.retain(|visit| visit.scenario == 0);
    record.samples.retain(|sample| sample.scenario == 0);
    let stacks = record.plan.stacks.len();
    let works = |stack| {
        let proof = record.cells.iter().find(|cell| cell.stack == stack).map(|cell| &cell.proof);
        matches!(proof, Some(Proof::Proven { .. }))
    };
    for (client, server) in (0..stacks).flat_map(|client| (0..stacks).map(move |server| (client, server))) {
        let proof = match (client, server) {
            (0, 1) => PairProof::Refused(PairRefusal {
                side: Side::Client,
                step: Step::Handshake,
                error: "bad <signature>".to_owned(),
                alert: Some("fatal decrypt_error (51)".to_owned()),
                peer: Some("the peer sent alert 51".to_owned()),
            }),
            (1, 0) => PairProof::Failed("the driver ended during `relay` with SIGSEGV".to_owned()),
            _ if works(client) && works(server) => PairProof::Proven {
                facts: ProvenFacts::Other(serde_json::Value::Null),
                iteration_ns: 400_000.0,
            },
            _ => {
                let side = if works(client) { Side::Server } else { Side::Client };
                PairProof::Unsupported { side, reason: "no such version".to_owned() }
            }
        };
        let measured = matches!(proof, PairProof::Proven { .. });
        record.pairs.push(PairState { scenario: 0, client, server, proof });
        for visit in record.visits.iter().filter(|_| measured) {
            for block in 0..3 {
                let mut side = |us: usize| PairSide {
                    phases: PhaseTimes {
                        handshake_ns: (us as f64 * 10_000.0 * (1.0 + rng.random::<f64>() / 50.0)) as u64,
                        ..PhaseTimes::default()
                    },
                    clock_reads: 40,
                    wire_bytes: 9_000,
                };
                let sides = [side(200 + 150 * client), side(100 + 90 * server)];
                let (round, attempt) = (visit.round, visit.attempt);
                let (scenario, place, iterations) = (0, 0, 10);
                let sample =
                    PairSample { round, scenario, attempt, block, place, client, server, iterations, sides };
                record.pair_samples.push(sample);
            }
        }
    }
    record
}
