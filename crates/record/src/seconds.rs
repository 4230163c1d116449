//! External times in seconds: in a policy, a plan or a request.

use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The longest valid time, s: thirty years.
pub const LONGEST_S: f64 = 1e9;

/// A valid number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Seconds(f64);

impl Seconds {
    /// The number, if it is a time: neither negative nor more than [`LONGEST_S`], nor NaN.
    ///
    /// # Errors
    /// Returns why it is not.
    pub fn new(number: f64) -> Result<Self, String> {
        match (0.0..=LONGEST_S).contains(&number) {
            true => Ok(Self(number)),
            false => Err(format!(
                "{number:?} s is not a duration; write a number of seconds from 0 to {LONGEST_S}"
            )),
        }
    }

    /// A time that the program itself has written.
    pub const fn of(number: f64) -> Self {
        assert!(0.0 <= number && number <= LONGEST_S);
        Self(number)
    }

    /// The nearest time to a computed number.
    pub fn nearest(number: f64) -> Self {
        // NaN becomes 0 s.
        Self(if number > 0.0 { number.min(LONGEST_S) } else { 0.0 })
    }

    /// The time.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A time such as 45s, 10m or 1.5h, from 0.1 s on; a bare number is seconds.
impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unit_at = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        let seconds = match unit {
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(format!("unknown unit \"{unit}\"; use s, m or h")),
        };
        let number: f64 =
            number.parse().map_err(|_| "it is not a time; examples: 45s, 10m, 1h".to_owned())?;
        let seconds = number * seconds;
        match (0.1..=1_000_000.0).contains(&seconds) {
            true => Ok(Self(seconds)),
            false => Err("must be from 0.1 s to 1000000 s".to_owned()),
        }
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": LONGEST_S })
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Reads a field of seconds.
///
/// # Errors
/// Fails if the number is not a time.
pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Seconds::deserialize(deserializer).map(|seconds| seconds.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_time_is_refused_and_what_was_computed_is_near_one() {
        assert_eq!(Seconds::new(0.5).unwrap().duration(), Duration::from_millis(500));
        for wrong in [-1.0, f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, 1e10] {
            assert!(Seconds::new(wrong).unwrap_err().contains("is not a duration"), "{wrong}");
            Seconds::nearest(wrong).duration();
        }
        assert_eq!(Seconds::nearest(f64::NAN).duration(), Duration::ZERO);
        assert_eq!(Seconds::nearest(-1.0).duration(), Duration::ZERO);
    }

    #[test]
    fn times_have_units() {
        let parsed = |text: &str| text.parse::<Seconds>().map(Seconds::get);
        assert_eq!(parsed("45s"), Ok(45.0));
        assert_eq!(parsed("1.5m"), Ok(90.0));
        assert_eq!(parsed("2h"), Ok(7200.0));
        assert_eq!(parsed("30"), Ok(30.0));
        assert!(parsed("5d").unwrap_err().contains("use s, m or h"));
        for wrong in ["soon", "0s", "inf", "-1", "1e300h"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_policy_of_negative_or_endless_times_is_refused() {
        for wrong in ["-1.0", "1e300"] {
            let text = format!("{{\"comparison\":{{\"shortest_visit_s\":{wrong}}}}}");
            let cause = serde_json::from_str::<crate::Policy>(&text).unwrap_err().to_string();
            assert!(cause.contains("is not a duration"), "{cause}");
        }
    }
}
