//! External numbers, checked when they are read: from JSON and from a command line alike.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(transparent)]
pub struct Count<const LEAST: u64, const MOST: u64>(u64);

impl<const LEAST: u64, const MOST: u64> Count<LEAST, MOST> {
    /// The number, if it is within the bounds.
    ///
    /// # Errors
    /// Fails with the bounds.
    pub fn new(number: u64) -> Result<Self, String> {
        match (LEAST..=MOST).contains(&number) {
            true => Ok(Self(number)),
            false => Err(format!("{number} is not in {LEAST}..={MOST}; write a whole number within it")),
        }
    }

    /// A number that the program itself has written.
    pub const fn of(number: u64) -> Self {
        assert!(LEAST <= number && number <= MOST);
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The same in 32 bits, for which its bounds must leave room.
    pub const fn small(self) -> u32 {
        const { assert!(MOST <= u32::MAX as u64) };
        self.0 as u32
    }
}

impl<'de, const LEAST: u64, const MOST: u64> Deserialize<'de> for Count<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<const LEAST: u64, const MOST: u64> FromStr for Count<LEAST, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::new(text.parse().map_err(|_| format!("write a whole number in {LEAST}..={MOST}"))?)
    }
}

impl<const LEAST: u64, const MOST: u64> fmt::Display for Count<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const LEAST: u64, const MOST: u64> JsonSchema for Count<LEAST, MOST> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Count_{LEAST}_to_{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// The largest valid share.
const LARGEST_SHARE: f64 = 0.5;

/// A share of 1, from 0 to 0.5. A command line takes it in percent.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize)]
#[serde(transparent)]
pub struct Share(f64);

impl Share {
    /// The share, if it is valid.
    ///
    /// # Errors
    /// Fails with its bounds.
    pub fn new(share: f64) -> Result<Self, String> {
        match (0.0..=LARGEST_SHARE).contains(&share) {
            true => Ok(Self(share)),
            false => {
                Err(format!("{share:?} is not a share from 0 to {LARGEST_SHARE}; 0.005 is half a percent"))
            }
        }
    }

    /// A share that the program itself has written.
    pub const fn of(share: f64) -> Self {
        assert!(0.0 <= share && share <= LARGEST_SHARE);
        Self(share)
    }

    /// The share.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches('%').trim().parse::<f64>();
        let percent = number.map_err(|_| "it is not a percentage; example: 0.5".to_owned())?;
        Self::new(percent / 100.0).map_err(|_| "must be from 0 to 50".to_owned())
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", 100.0 * self.0)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": LARGEST_SHARE })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_keeps_to_its_bounds_from_either_side() {
        type Rounds = Count<1, 10>;
        assert_eq!(serde_json::from_str::<Rounds>("10").unwrap().get(), 10);
        assert_eq!("1".parse::<Rounds>().unwrap().small(), 1);
        for wrong in ["0", "11", "-1", "1.5", "18446744073709551616", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Rounds>(wrong).is_err(), "{wrong}");
            assert!(wrong.parse::<Rounds>().is_err(), "{wrong}");
        }
        assert!("0".parse::<Rounds>().unwrap_err().contains("1..=10"));
    }

    #[test]
    fn a_share_is_a_fraction_in_json_and_percent_on_a_command_line() {
        assert_eq!(serde_json::from_str::<Share>("0.005").unwrap(), "0.5".parse().unwrap());
        assert_eq!("0.5%".parse::<Share>().unwrap().to_string(), "0.5");
        for wrong in ["-0.1", "0.6", "1e300"] {
            assert!(
                serde_json::from_str::<Share>(wrong).unwrap_err().to_string().contains("not a share"),
                "{wrong}"
            );
        }
        for wrong in ["-1", "51", "NaN", "inf", "half"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }
}
