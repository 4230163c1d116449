//! Values with their bounds, as people read them.

use serde::{Deserialize, Serialize};

use tlslab_text::number::{significant, whole};

/// A value with its bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// The value, in the unit.
    pub value: f64,
    /// The lower end of its interval, or the smallest that was seen.
    pub lower: Option<f64>,
    /// The upper end, or the largest.
    pub upper: Option<f64>,
    /// The unit: `ns`, `instructions`, `bytes`, …
    pub unit: String,
}

impl Quantity {
    /// The value with its unit.
    #[must_use]
    pub fn text(&self) -> String {
        let (factor, unit) = self.scale();
        format!("{} {unit}", number(self.value / factor)).trim_end().to_owned()
    }

    /// The value with its unit as a sentence has it: `214 million instructions`.
    #[must_use]
    pub fn rounded(&self) -> String {
        if self.scale().0 != 1.0 {
            return self.text();
        }
        let (value, name) = match self.value.abs() {
            1e9.. => (self.value / 1e9, " billion"),
            1e6.. => (self.value / 1e6, " million"),
            _ => return self.text(),
        };
        format!("{}{name} {}", significant(value, 3), self.unit).trim_end().to_owned()
    }

    /// The value without its unit, as [`Self::text`] has it.
    #[must_use]
    pub fn number(&self) -> String {
        number(self.value / self.scale().0)
    }

    /// The bounds in the same unit, in brackets; empty without bounds, and `exact` if they equal the value.
    #[must_use]
    pub fn range(&self) -> String {
        let (factor, _) = self.scale();
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower == upper => "exact".to_owned(),
            (Some(lower), Some(upper)) => match [lower, upper].map(|bound| number(bound / factor)) {
                // Bounds that look equal in this unit are shown in the measured one.
                [low, high] if low == high => format!("[{}, {}] {}", exact(lower), exact(upper), self.unit),
                [low, high] => format!("[{low}, {high}]"),
            },
            _ => String::new(),
        }
    }

    /// The divisor of the value, and the resulting unit.
    fn scale(&self) -> (f64, &str) {
        let value = self.value.abs();
        match (self.unit.as_str(), value) {
            ("ns", 1e9..) => (1e9, "s"),
            ("ns", 1e6..) => (1e6, "ms"),
            ("ns", 1e3..) => (1e3, "µs"),
            ("µs", 1e6..) => (1e6, "s"),
            ("µs", 1e3..) => (1e3, "ms"),
            ("bytes", 1048576.0..) => (1048576.0, "MiB"),
            ("bytes", 1024.0..) => (1024.0, "KiB"),
            (unit, _) => (1.0, unit),
        }
    }
}

/// Four significant digits, and no fewer than the whole number has, with separated thousands.
fn number(value: f64) -> String {
    if value.abs() >= 1e3 { whole(value.round()) } else { significant(value, 4) }
}

/// A number without insignificant digits.
fn exact(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_units_that_people_read() {
        let quantity =
            |value, lower, upper, unit: &str| Quantity { value, lower, upper, unit: unit.to_owned() };
        let time = quantity(123_456.0, Some(120_000.0), Some(130_000.0), "ns");
        assert_eq!((time.text().as_str(), time.range().as_str()), ("123.5 µs", "[120.0, 130.0]"));
        let count = quantity(1_629_541.0, Some(1_629_541.0), Some(1_629_541.0), "instructions");
        assert_eq!((count.text().as_str(), count.range().as_str()), ("1,629,541 instructions", "exact"));
        assert_eq!(count.number(), "1,629,541");
        assert_eq!(count.rounded(), "1.63 million instructions");
        assert_eq!(quantity(214_128_437.0, None, None, "instructions").rounded(), "214 million instructions");
        assert_eq!(
            quantity(2_664_983_957.0, None, None, "instructions").rounded(),
            "2.66 billion instructions"
        );
        assert_eq!(quantity(35_400.0, None, None, "instructions").rounded(), "35,400 instructions");
        assert_eq!(time.rounded(), "123.5 µs");
        assert_eq!(quantity(2048.0, None, None, "bytes").text(), "2.000 KiB");
        assert_eq!(quantity(2048.0, None, None, "").text(), "2,048");
        let almost = quantity(10578.0, Some(10577.0), Some(10578.0), "bytes");
        assert_eq!(almost.range(), "[10577, 10578] bytes");
        let sum = quantity(1_752_555.0, Some(1_752_554.875), Some(1_752_555.125), "instructions");
        assert_eq!(sum.range(), "[1752554.88, 1752555.12] instructions");
    }
}
