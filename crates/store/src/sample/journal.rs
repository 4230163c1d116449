//! The samples of an open visit: a row each, so that a kill loses none. Databases of older labs have all
//! samples here.

use tlslab_protocol::{Measurement, PhaseTimes, SideMeasurement};
use tlslab_record::{PairSample, PairSide, Sample, Visit};

use crate::StoreError;
use crate::database::Database;
use crate::database::value::{Row, Value, json};
use crate::lease::fence::if_measured;
use crate::sample::detail::{Detail, SideDetail};
use crate::sample::pack::Pack;

/// Adds a sample to a visit.
pub(crate) const ADD_SAMPLE: &str = if_measured!(
    "INSERT INTO sample SELECT ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
     ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29"
);

/// Adds a pair's sample to a visit.
pub(crate) const ADD_PAIR_SAMPLE: &str = if_measured!(
    "INSERT INTO pair_sample SELECT ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20"
);

/// The values of [`ADD_SAMPLE`], after the fence's.
pub(crate) fn sample_values(fence: [Value; 2], visit: i64, sample: &Sample) -> Vec<Value> {
    let Sample { measurement, .. } = sample;
    let mut values = Vec::from(fence);
    values.extend([visit.into(), sample.block.into(), sample.place.into(), sample.stack.into()]);
    values.extend([measurement.iterations.into(), measurement.elapsed_ns.into()]);
    values.extend(side_columns(&measurement.client));
    values.extend(side_columns(&measurement.server));
    values.push(json(&Detail::of(measurement)).into());
    values
}

/// The values of [`ADD_PAIR_SAMPLE`], after the fence's.
pub(crate) fn pair_sample_values(fence: [Value; 2], visit: i64, sample: &PairSample) -> Vec<Value> {
    let mut values = Vec::from(fence);
    values.extend([visit.into(), sample.block.into(), sample.place.into()]);
    values.extend([sample.client.into(), sample.server.into(), sample.iterations.into()]);
    values.extend(sample.sides.iter().flat_map(pair_columns));
    values
}

/// A visit's samples here.
pub(crate) fn read(
    database: &impl Database,
    key: i64,
    visit: &Visit,
) -> Result<Result<Pack, String>, StoreError> {
    let samples =
        database.rows("SELECT * FROM sample WHERE visit = ?1 ORDER BY block, place", &[key.into()])?;
    let pairs =
        database.rows("SELECT * FROM pair_sample WHERE visit = ?1 ORDER BY block, place", &[key.into()])?;
    let samples = samples.iter().map(|row| sample(row, visit)).collect::<Result<_, _>>();
    let pair_samples = pairs.iter().map(|row| pair_sample(row, visit)).collect::<Result<_, _>>();
    Ok(samples.and_then(|samples| Ok(Pack { samples, pair_samples: pair_samples? })))
}

/// Empties it of a visit's samples.
pub(crate) fn clear(database: &impl Database, visit: i64) -> Result<(), StoreError> {
    database.execute("DELETE FROM sample WHERE visit = ?1", &[visit.into()])?;
    database.execute("DELETE FROM pair_sample WHERE visit = ?1", &[visit.into()]).map(drop)
}

/// In the order of the table's columns.
fn side_columns(side: &SideMeasurement) -> [Value; 10] {
    // The rest is in the details.
    let PhaseTimes {
        create_ns,
        handshake_ns,
        post_handshake_ns,
        free_ns,
        send_ns,
        receive_ns,
        context_ns: _,
        operation_ns: _,
        close_ns: _,
    } = side.phases;
    [
        create_ns,
        handshake_ns,
        post_handshake_ns,
        free_ns,
        send_ns,
        receive_ns,
        side.clock_reads,
        side.wire_bytes,
        side.plaintext_sent,
        side.plaintext_received,
    ]
    .map(Value::from)
}

fn sample(row: &Row, visit: &Visit) -> Result<Sample, String> {
    // Column 0 is the visit's key.
    let detail: Detail = row.parsed(26)?;
    let side = |first: usize, detail: SideDetail| -> Result<SideMeasurement, String> {
        Ok(SideMeasurement {
            phases: PhaseTimes {
                context_ns: detail.context_ns,
                create_ns: row.get(first)?,
                handshake_ns: row.get(first + 1)?,
                post_handshake_ns: row.get(first + 2)?,
                free_ns: row.get(first + 3)?,
                send_ns: row.get(first + 4)?,
                receive_ns: row.get(first + 5)?,
                operation_ns: detail.operation_ns,
                close_ns: detail.close_ns,
            },
            clock_reads: row.get(first + 6)?,
            wire_bytes: row.get(first + 7)?,
            plaintext_sent: row.get(first + 8)?,
            plaintext_received: row.get(first + 9)?,
            handshake_calls_ns: detail.handshake_calls_ns,
            latencies: detail.latencies,
        })
    };
    Ok(Sample {
        round: visit.round,
        scenario: visit.scenario,
        attempt: visit.attempt,
        block: row.get(1)?,
        place: row.get(2)?,
        stack: row.get(3)?,
        measurement: Measurement {
            iterations: row.get(4)?,
            elapsed_ns: row.get(5)?,
            client: side(6, detail.client)?,
            server: side(16, detail.server)?,
            threads: detail.threads,
            warm_up: detail.warm_up,
            open_loop: detail.open_loop,
            faults: detail.faults,
        },
    })
}

/// In the order of the table's columns.
fn pair_columns(side: &PairSide) -> [Value; 6] {
    let PhaseTimes { create_ns, handshake_ns, post_handshake_ns, free_ns, .. } = side.phases;
    [create_ns, handshake_ns, post_handshake_ns, free_ns, side.clock_reads, side.wire_bytes].map(Value::from)
}

fn pair_sample(row: &Row, visit: &Visit) -> Result<PairSample, String> {
    let side = |first: usize| -> Result<PairSide, String> {
        Ok(PairSide {
            phases: PhaseTimes {
                create_ns: row.get(first)?,
                handshake_ns: row.get(first + 1)?,
                post_handshake_ns: row.get(first + 2)?,
                free_ns: row.get(first + 3)?,
                ..PhaseTimes::default()
            },
            clock_reads: row.get(first + 4)?,
            wire_bytes: row.get(first + 5)?,
        })
    };
    Ok(PairSample {
        round: visit.round,
        scenario: visit.scenario,
        attempt: visit.attempt,
        block: row.get(1)?,
        place: row.get(2)?,
        client: row.get(3)?,
        server: row.get(4)?,
        iterations: row.get(5)?,
        sides: [side(6)?, side(12)?],
    })
}
