//! Only the times of samples: a plot needs few of their columns.

use serde::Deserialize;
use tlslab_protocol::PhaseTimes;
use tlslab_record::Sample;

use super::VERSION;
use super::lists::{MOST_SAMPLES, Numbers};
use crate::browse::model::SampleTimes;
use crate::compressed::unpacked;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Columns {
    samples: TimeColumns,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TimeColumns {
    stack: Numbers,
    iterations: Numbers,
    client: Phases,
    server: Phases,
}

/// The names of a side's columns that are phases.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Phases {
    context_ns: Numbers,
    create_ns: Numbers,
    handshake_ns: Numbers,
    post_handshake_ns: Numbers,
    free_ns: Numbers,
    send_ns: Numbers,
    receive_ns: Numbers,
    close_ns: Numbers,
    operation_ns: Numbers,
}

impl Phases {
    /// The sum of a sample's phases, ns. Every phase is named, so that none is forgotten.
    fn totals(self, samples: usize) -> Result<Vec<u64>, String> {
        let [context, create, handshake, post_handshake] =
            [self.context_ns, self.create_ns, self.handshake_ns, self.post_handshake_ns]
                .map(|column| column.get(samples));
        let [free, send, receive, close, operation] =
            [self.free_ns, self.send_ns, self.receive_ns, self.close_ns, self.operation_ns]
                .map(|column| column.get(samples));
        let (context, create, handshake, post_handshake) = (context?, create?, handshake?, post_handshake?);
        let (free, send, receive, close, operation) = (free?, send?, receive?, close?, operation?);
        let phases = (0..samples).map(|at| PhaseTimes {
            context_ns: context[at],
            create_ns: create[at],
            handshake_ns: handshake[at],
            post_handshake_ns: post_handshake[at],
            free_ns: free[at],
            send_ns: send[at],
            receive_ns: receive[at],
            close_ns: close[at],
            operation_ns: operation[at],
        });
        Ok(phases.map(|phases| phases.total_ns()).collect())
    }
}

/// The times of a visit's samples, in the order of block and place.
///
/// # Errors
/// Fails if the pack is damaged.
pub(crate) fn times(body: &[u8], round: u32) -> Result<Vec<SampleTimes>, String> {
    let Some((&VERSION, compressed)) = body.split_first() else {
        return Err(format!("a pack is not of version {VERSION}; use the newer lab"));
    };
    let text = unpacked(compressed).map_err(|cause| format!("a pack: {cause}"))?;
    let columns: Columns = serde_json::from_slice(&text).map_err(|cause| format!("a pack: {cause}"))?;
    let TimeColumns { stack, iterations, client, server } = columns.samples;
    let samples = iterations.len();
    if samples > MOST_SAMPLES {
        return Err(format!("a pack has {samples} samples; at most {MOST_SAMPLES} are read"));
    }
    let (stack, iterations) = (stack.get(samples)?, iterations.get(samples)?);
    let (client, server) = (client.totals(samples)?, server.totals(samples)?);
    let times = (0..samples).map(|at| SampleTimes {
        round,
        stack: stack[at] as usize,
        client_ns: each(client[at], iterations[at]),
        server_ns: each(server[at], iterations[at]),
    });
    Ok(times.collect())
}

/// The times of a sample.
pub(crate) fn times_of(sample: &Sample) -> SampleTimes {
    let measured = &sample.measurement;
    SampleTimes {
        round: sample.round,
        stack: sample.stack,
        client_ns: each(measured.client.phases.total_ns(), measured.iterations),
        server_ns: each(measured.server.phases.total_ns(), measured.iterations),
    }
}

fn each(total_ns: u64, iterations: u64) -> f64 {
    total_ns as f64 / iterations.max(1) as f64
}
