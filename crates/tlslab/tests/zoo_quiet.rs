//! Drivers of the zoo that are detected only on an idle host: a separate program, as cargo runs one at a
//! time.

mod support;
#[path = "../../../tests/zoo/mod.rs"]
mod zoo;

#[path = "zoo/drivers.rs"]
mod drivers;

use zoo::{specimens, try_these};

#[test]
#[ignore = "on a busy machine slices differ as much anyway: `make test-all`"]
fn drivers_that_are_noticed_where_nothing_else_runs() {
    let (good, pki) = (support::driver("rustls/ring"), support::pki());
    let quiet = specimens("drivers").into_iter().filter(|specimen| specimen.quiet).collect();
    try_these("drivers", quiet, 1, |specimen| drivers::is_noticed(specimen, &good, &pki));
}
