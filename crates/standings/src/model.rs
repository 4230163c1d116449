//! Standings, as they are written and read again.

use std::fmt;

use serde::{Deserialize, Serialize};
use tlslab_estimate::PairRatio;
use tlslab_protocol::Side;

use crate::definition::Published;

/// The version of the format.
pub(crate) const FORMAT: u32 = 1;

/// The places of stacks in results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standings {
    /// The version of this format.
    pub format: u32,
    /// The title.
    pub title: String,
    /// The run.
    pub run: String,
    /// When the run began, UTC, RFC 3339.
    pub started: String,
    /// The host, in a line.
    pub host: String,
    /// The lab's version.
    pub lab_version: String,
    /// Disturbances of the run, one sentence each.
    pub warnings: Vec<String>,
    /// The stacks, in the order of every list of entries.
    pub stacks: Vec<Contender>,
    /// The results.
    pub groups: Vec<GroupOf>,
    /// Places that were published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// What changed since an earlier report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
}

/// A stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// Its name in the report.
    pub name: String,
    /// The stack, as on the command line.
    pub stack: String,
    /// The library's version as it reports it; none if the stack could not be built.
    pub version: Option<String>,
}

/// Results under one title.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupOf {
    /// The title.
    pub title: String,
    /// The results.
    pub results: Vec<Ranked>,
}

/// A result with the place of each stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// Its name.
    pub name: String,
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// The unit of the values: work per second.
    pub unit: String,
    /// An entry for each stack.
    pub entries: Vec<Entry>,
}

/// A stack in a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its rate, in the result's unit; none if it was not measured.
    pub value: Option<f64>,
    /// The lower bound of the rate.
    pub lower: Option<f64>,
    /// The upper bound.
    pub upper: Option<f64>,
    /// Its place: one more than the number of stacks that clearly take less time. None without a rate.
    pub place: Option<usize>,
    /// Its time over that of the fastest stack, measured in turns; none of the fastest itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_first: Option<PairRatio>,
    /// Why there is no rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// What changed since an earlier report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Since {
    /// The earlier run.
    pub run: String,
    /// When it began.
    pub started: String,
    /// Whether its host was the same kind; rates of different hosts are not compared.
    pub same_host: bool,
    /// Versions that changed, one sentence each.
    pub versions: Vec<String>,
    /// Places that changed, one sentence each.
    pub places: Vec<String>,
    /// Rates whose intervals have no value in common, one sentence each; empty on another host.
    pub rates: Vec<String>,
}

impl Standings {
    /// How often each stack has each place: by stack, the first places first.
    pub fn tally(&self) -> Vec<Vec<usize>> {
        let mut tally = vec![vec![0; self.stacks.len()]; self.stacks.len()];
        for entries in self.groups.iter().flat_map(|group| &group.results).map(|result| &result.entries) {
            for (stack, place) in
                entries.iter().enumerate().filter_map(|(at, entry)| Some((at, entry.place?)))
            {
                tally[stack][place - 1] += 1;
            }
        }
        tally
    }

    /// The number of results.
    pub fn results(&self) -> usize {
        self.groups.iter().map(|group| group.results.len()).sum()
    }

    /// As JSON, to be read again.
    ///
    /// # Panics
    /// Never: plain data serialises.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("standings serialise") + "\n"
    }

    /// Reads what [`Self::json`] wrote.
    ///
    /// # Errors
    /// Fails if the text is no such file, or one of a later version.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let read: Self = serde_json::from_str(text).map_err(|error| Unreadable(error.to_string()))?;
        if read.format > FORMAT {
            return Err(Unreadable(format!(
                "its format is {}, and this program reads {FORMAT}",
                read.format
            )));
        }
        let stacks = read.stacks.len();
        let is_whole = |result: &Ranked| {
            let places = result.entries.iter().filter_map(|entry| entry.place);
            result.entries.len() == stacks && places.into_iter().all(|place| (1..=stacks).contains(&place))
        };
        match read.groups.iter().flat_map(|group| &group.results).all(is_whole) {
            true => Ok(read),
            false => {
                Err(Unreadable("a result has entries or places that fit no list of its stacks".to_owned()))
            }
        }
    }
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}
