//! The zoo, as far as the whole lab meets it: hostile drivers, files and databases; and the table of all of it.

#[path = "../support/mod.rs"]
mod support;
#[path = "../../../../tests/zoo/mod.rs"]
mod zoo;

mod drivers;
mod files;
mod table;
