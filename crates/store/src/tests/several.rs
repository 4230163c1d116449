//! Several labs at once, and a server that asks for encryption.

use super::*;
use tlslab_testing::postgres::Server;

on_every_database! {
    two_labs_at_once_keep_everything,
    two_labs_make_the_schema_once,
}

fn two_labs_at_once_keep_everything(place: &Place) {
    drop(place.open());
    std::thread::scope(|scope| {
        for lab in ["a", "b"] {
            scope.spawn(move || {
                let mut store = place.open();
                store.create_run(&plan(lab, 5), &me()).unwrap();
                for round in 0..5 {
                    let visit = Visit { round, scenario: 2, attempt: 0, complete: false };
                    store.begin_visit(lab, &visit).unwrap();
                    for block in 0..10 {
                        store.add_sample(lab, &Sample { round, ..sample(block, 1) }).unwrap();
                    }
                    store.end_visit(lab, &Visit { complete: true, ..visit }, 1.0).unwrap();
                }
                store.complete_run(lab).unwrap();
            });
        }
    });
    let store = place.open();
    for lab in ["a", "b"] {
        let run = store.load(lab).unwrap();
        assert!(run.complete);
        assert_eq!((run.samples.len(), run.visits.len(), run.measuring_s), (50, 5, 5.0));
    }
}

fn two_labs_make_the_schema_once(place: &Place) {
    for _ in 0..10 {
        let place = place.another();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| place.open().runs().unwrap());
            }
        });
    }
}

#[test]
fn a_server_is_reached_encrypted_and_its_certificate_checked() {
    let place = Place::postgres();
    let Address::Postgres(url) = &place.address else { unreachable!("it is on a server") };
    let encrypted = Server::shared(false).unwrap().encrypted(url);
    let mut store = crate::open(&Address::Postgres(encrypted.clone())).unwrap();
    store.create_run(&plan("r", 5), &me()).unwrap();
    assert_eq!(place.open().runs().unwrap().len(), 1, "it is the same database");
    // Without the root that signed it, the certificate is not trusted.
    let unknown = encrypted.split("&sslrootcert").next().unwrap().to_owned();
    let error = crate::open(&Address::Postgres(unknown)).err().expect("is refused").to_string();
    assert!(error.contains("certificate"), "{error}");
}
