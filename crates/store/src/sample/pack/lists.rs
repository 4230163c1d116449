//! Columns of numbers and of lists of numbers.

use serde::{Deserialize, Serialize};

/// The most samples of a visit that are packed and unpacked: each takes hundreds of bytes unpacked, and may
/// take two packed.
pub(super) const MOST_SAMPLES: usize = 1 << 20;

/// A number for each sample; empty if all are 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Numbers(Vec<u64>);

impl Numbers {
    /// From these samples.
    pub(super) fn of<'s, S: 's>(samples: impl Iterator<Item = &'s S>, number: impl Fn(&S) -> u64) -> Self {
        let numbers: Vec<u64> = samples.map(number).collect();
        if numbers.iter().all(|number| *number == 0) { Self::default() } else { Self(numbers) }
    }

    /// From these, even if all are 0.
    pub(super) fn all(numbers: impl Iterator<Item = u64>) -> Self {
        Self(numbers.collect())
    }

    /// How many are written.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty, or has only 0.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One for each of so many samples.
    pub(super) fn get(self, samples: usize) -> Result<Vec<u64>, String> {
        match self.0.len() {
            0 => Ok(vec![0; samples]),
            length if length == samples => Ok(self.0),
            length => Err(format!("a pack has {length} numbers in a column of {samples} samples")),
        }
    }
}

/// A list for each sample: all of them concatenated, and the length of each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Lists {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lengths: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<u64>,
}

impl Lists {
    /// From these lists.
    pub(super) fn of(lists: impl Iterator<Item = Vec<u64>>) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.lengths.push(list.len() as u32);
            all.numbers.extend(list);
        }
        if all.numbers.is_empty() { Self::default() } else { all }
    }

    /// Whether every list is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// One for each of so many samples.
    pub(super) fn get(self, samples: usize) -> Result<Vec<Vec<u64>>, String> {
        if self.lengths.is_empty() && self.numbers.is_empty() {
            return Ok(vec![Vec::new(); samples]);
        }
        let total: u64 = self.lengths.iter().map(|length| u64::from(*length)).sum();
        if self.lengths.len() != samples || total != self.numbers.len() as u64 {
            return Err(format!(
                "a pack has {} lists of {total} numbers for {samples} samples",
                self.lengths.len()
            ));
        }
        let mut numbers = self.numbers.into_iter();
        Ok(self.lengths.iter().map(|length| numbers.by_ref().take(*length as usize).collect()).collect())
    }
}
