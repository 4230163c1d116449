//! Requested code layouts.

/// Which random orders a driver is linked in, beside its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layouts {
    /// The first order's number.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Layouts {
    /// For a key.
    pub fn line(self) -> String {
        format!("{} from {}", self.count, self.first)
    }

    /// The orders' numbers.
    pub fn numbers(self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}
