//! The tables of pairs.

use rusqlite::{Row, params_from_iter, types::Value};
use tlslab_protocol::PhaseTimes;
use tlslab_record::{PairSample, PairSide, PairState};

use crate::StoreError;
use crate::sqlite::{Sqlite, json, parsed};

impl Sqlite {
    pub(crate) fn insert_pair(&mut self, run: &str, pair: &PairState) -> Result<(), StoreError> {
        self.execute(
            "INSERT OR REPLACE INTO pair (run, scenario, client, server, proof)
             VALUES ((SELECT key FROM run WHERE id = ?1), ?2, ?3, ?4, ?5)",
            rusqlite::params![run, pair.scenario, pair.client, pair.server, json(&pair.proof)],
        )
    }

    pub(crate) fn insert_pair_sample(&mut self, run: &str, sample: &PairSample) -> Result<(), StoreError> {
        let mut values: Vec<i64> =
            vec![sample.round as i64, sample.scenario as i64, sample.attempt as i64, sample.block as i64];
        values.extend([sample.place as i64, sample.client as i64, sample.server as i64]);
        values.push(sample.iterations as i64);
        values.extend(sample.sides.iter().flat_map(columns));
        let mut all: Vec<Value> = vec![run.to_owned().into()];
        all.extend(values.into_iter().map(Value::from));
        self.execute(
            "INSERT INTO pair_sample VALUES (
                (SELECT key FROM visit WHERE run = (SELECT key FROM run WHERE id = ?1)
                 AND round = ?2 AND scenario = ?3 AND attempt = ?4),
                ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
            params_from_iter(all),
        )
    }

    pub(crate) fn pairs(&self, run: i64) -> Result<Vec<PairState>, StoreError> {
        self.rows(
            "SELECT scenario, client, server, proof FROM pair WHERE run = ?1 ORDER BY scenario, client, server",
            [run],
            |row| {
                let (scenario, client, server) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(PairState { scenario, client, server, proof: parsed(row, 3)? })
            },
        )
    }

    pub(crate) fn pair_samples(&self, run: i64) -> Result<Vec<PairSample>, StoreError> {
        self.rows(
            "SELECT visit.round, visit.scenario, visit.attempt, pair_sample.* FROM pair_sample
             JOIN visit ON visit.key = pair_sample.visit WHERE visit.run = ?1
             ORDER BY visit.key, pair_sample.block, pair_sample.place",
            [run],
            sample,
        )
    }
}

/// In the order of the table's columns.
fn columns(side: &PairSide) -> [i64; 6] {
    let PhaseTimes { create_ns, handshake_ns, post_handshake_ns, free_ns, .. } = side.phases;
    [create_ns, handshake_ns, post_handshake_ns, free_ns, side.clock_reads, side.wire_bytes]
        .map(|value| value as i64)
}

fn sample(row: &Row<'_>) -> rusqlite::Result<PairSample> {
    // Column 3 is the visit's key.
    let side = |first: usize| -> rusqlite::Result<PairSide> {
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
        round: row.get(0)?,
        scenario: row.get(1)?,
        attempt: row.get(2)?,
        block: row.get(4)?,
        place: row.get(5)?,
        client: row.get(6)?,
        server: row.get(7)?,
        iterations: row.get(8)?,
        sides: [side(9)?, side(15)?],
    })
}
