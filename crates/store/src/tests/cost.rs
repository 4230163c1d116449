//! The cost of the lease check: samples are written with it and without it in turns, into the same visits.

use std::time::{Duration, Instant};

use tlslab_testing::postgres::Server;

use super::*;
use crate::database::Database;
use crate::database::{postgres, sqlite};
use crate::run::sql::SqlStore;
use crate::sample::journal;
use crate::store::Store;

/// How many samples are written in a turn, and how many turns there are.
const SAMPLES: u32 = 500;
const TURNS: u32 = 20;

#[test]
#[ignore = "it measures, and prints ratios; run it alone: cargo test -p tlslab-store cost -- --ignored --nocapture"]
fn the_cost_of_the_check_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    print("SQLite", SqlStore::new(sqlite::Sqlite::open(&folder.path().join("runs.sqlite")).unwrap()));
    let url = Server::shared(true).unwrap().new_database().unwrap();
    print("PostgreSQL", SqlStore::new(postgres::Postgres::open(&url).unwrap()));
}

fn print<D: Database>(name: &str, mut store: SqlStore<D>) {
    store.create_run(&plan("r", 5), &me()).unwrap();
    let (mut plain, mut checked) = (Duration::ZERO, Duration::ZERO);
    for turn in 0..TURNS {
        let visit = Visit { round: turn, scenario: 2, attempt: 0, complete: false };
        store.begin_visit("r", &visit).unwrap();
        let samples =
            |first: u32| (first..first + SAMPLES).map(|block| Sample { round: turn, ..sample(block, 1) });
        // The first one meets colder pages: they alternate in that, too.
        for second in [turn % 2 == 0, turn % 2 == 1] {
            let begun = Instant::now();
            for sample in samples(if second { SAMPLES } else { 0 }) {
                match second {
                    true => store.add_sample("r", &sample).unwrap(),
                    false => without_check(&store, i64::from(turn) + 1, &sample),
                }
            }
            *if second { &mut checked } else { &mut plain } += begun.elapsed();
        }
        store.end_visit("r", &visit, 1.0).unwrap();
    }
    let each = |took: Duration| took.as_secs_f64() * 1e6 / f64::from(SAMPLES * TURNS);
    let ratio = checked.as_secs_f64() / plain.as_secs_f64();
    println!("{name}: {:.1} µs with the check, {:.1} µs without: {ratio:.2}", each(checked), each(plain));
    assert_eq!(store.load("r").unwrap().samples.len() as u32, 2 * SAMPLES * TURNS);
}

fn without_check<D: Database>(store: &SqlStore<D>, visit: i64, sample: &Sample) {
    let values = journal::sample_values([0_i64.into(), 0_i64.into()], visit, sample).split_off(2);
    let numbers: Vec<String> = (1..=values.len()).map(|number| format!("?{number}")).collect();
    let sql = format!("INSERT INTO sample VALUES ({})", numbers.join(", "));
    store.database.execute(&sql, &values).unwrap();
}
