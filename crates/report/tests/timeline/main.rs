//! Histories as text.

mod control;
mod environments;
mod pages;
mod rendered;
mod sentences;
