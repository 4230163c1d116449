//! The counter, made as the lab makes it and run over programs that know what they do.

mod buckets;
mod callgrind;
mod contention;
mod forged;
mod functions;
mod kit;
mod known;
mod under;
