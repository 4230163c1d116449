//! Observers of the progress of a run.

/// Receives events, in order. All of them can be ignored.
pub trait Observer {
    /// A cell is being tried: `done` of `total` have been.
    fn proving(&mut self, stack: &str, scenario: &str, done: usize, total: usize);
    /// A visit begins: `done` of `total` have come to their end, and about `left_s` remain.
    fn visiting(&mut self, round: u32, scenario: &str, done: usize, total: usize, left_s: f64);
    /// A cell is being counted, the `done`th of `total`.
    fn counting(&mut self, stack: &str, scenario: &str, done: usize, total: usize);
    /// A cell is being weighed: `done` of `total` weighings have been.
    fn weighing(&mut self, stack: &str, scenario: &str, done: usize, total: usize);
    /// Within a visit that takes long: a slice begins, the block's number `place` of `total`.
    fn slicing(&mut self, _block: u32, _place: usize, _total: usize) {}
    /// No step is under way.
    fn ended(&mut self) {}
    /// A warning that a reader must see.
    fn warning(&mut self, text: &str);
}

/// Ignores every event.
pub struct Silent;

impl Observer for Silent {
    fn proving(&mut self, _: &str, _: &str, _: usize, _: usize) {}
    fn visiting(&mut self, _: u32, _: &str, _: usize, _: usize, _: f64) {}
    fn counting(&mut self, _: &str, _: &str, _: usize, _: usize) {}
    fn weighing(&mut self, _: &str, _: &str, _: usize, _: usize) {}
    fn warning(&mut self, _: &str) {}
}
