//! Requested code layouts.

/// The random orders in which a driver is linked, besides its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layouts {
    /// The first order's number.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Further inputs of the linker, to validate comparisons.
    pub change: Option<LinkChange>,
}

/// Linker inputs that change the layout but not the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChange {
    /// Constants before all others.
    Constants,
    /// A function that is never called.
    Function,
    /// Data and constants in another order for each layout.
    DataOrder,
}

impl Layouts {
    /// Orders of a program without further inputs.
    pub fn new(first: u32, count: u32) -> Self {
        Self { first, count, change: None }
    }

    /// For a key.
    pub fn line(self) -> String {
        let change = match self.change {
            None => "",
            Some(LinkChange::Constants) => ", constants added",
            Some(LinkChange::Function) => ", a function added",
            Some(LinkChange::DataOrder) => ", data in other orders",
        };
        format!("{} from {}{change}", self.count, self.first)
    }

    /// The orders' numbers.
    pub fn numbers(self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}
