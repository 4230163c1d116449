//! The counter, built as the lab builds it and run over programs with known counts.

mod buckets;
mod callgrind;
mod contention;
mod forged;
mod functions;
mod kit;
mod known;
mod under;
