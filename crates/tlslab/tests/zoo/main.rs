//! The zoo, as far as it needs the whole lab: hostile drivers, files and databases; and the table of all of
//! it.

#[path = "../support/mod.rs"]
mod support;
#[path = "../../../../tests/zoo/mod.rs"]
mod zoo;

mod drivers;
mod files;
mod table;

use crate::zoo::try_all;

#[test]
fn drivers() {
    let (good, pki) = (support::driver("rustls/ring"), support::pki());
    try_all("drivers", 4, |specimen| drivers::is_noticed(specimen, &good, &pki));
}
