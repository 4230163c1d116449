//! A visit's samples in one piece: a version byte, then the columns as JSON, compressed.
//!
//! Columns instead of rows, since neighbours in a column are similar. A column of zeros is omitted.

mod columns;
mod lists;
mod times;

use serde::{Deserialize, Serialize};
use tlslab_record::{PairSample, Sample, Visit};

use columns::{PairColumns, SampleColumns};
use lists::MOST_SAMPLES;

pub(crate) use times::{times, times_of};

use crate::compressed::{MOST_BYTES, unpacked};

/// The first byte of a pack. Another number means another format.
const VERSION: u8 = 1;

/// The highest compression whose cost is negligible in comparison with measuring.
const LEVEL: i32 = 3;

/// A visit's samples, in the order of block and place.
#[derive(Default)]
pub(crate) struct Pack {
    pub samples: Vec<Sample>,
    pub pair_samples: Vec<PairSample>,
}

#[derive(Serialize, Deserialize)]
struct Columns {
    #[serde(default, skip_serializing_if = "SampleColumns::is_empty")]
    samples: SampleColumns,
    #[serde(default, skip_serializing_if = "PairColumns::is_empty")]
    pairs: PairColumns,
}

impl Pack {
    /// How many samples it has.
    pub(crate) fn len(&self) -> usize {
        self.samples.len() + self.pair_samples.len()
    }

    /// Packed; `None` if it would exceed the limit of unpacking.
    pub(crate) fn packed(&self) -> Option<Vec<u8>> {
        if self.len() > MOST_SAMPLES {
            return None;
        }
        let columns =
            Columns { samples: SampleColumns::of(&self.samples), pairs: PairColumns::of(&self.pair_samples) };
        // Numbers in named columns always serialise, and writing to memory cannot fail.
        let text = serde_json::to_vec(&columns).expect("numbers serialise");
        if text.len() > MOST_BYTES {
            return None;
        }
        let mut body = vec![VERSION];
        let mut encoder = zstd::Encoder::new(&mut body, LEVEL).expect("the level is one of zstd's");
        encoder.include_checksum(true).expect("an option that zstd has");
        std::io::Write::write_all(&mut encoder, &text).expect("memory takes all");
        encoder.finish().expect("memory takes all");
        Some(body)
    }

    /// Unpacked, or the error if it is damaged.
    pub(crate) fn unpacked(body: &[u8], visit: &Visit) -> Result<Self, String> {
        let columns = match body.split_first() {
            Some((&VERSION, compressed)) => {
                let text = unpacked(compressed).map_err(|cause| format!("a pack: {cause}"))?;
                serde_json::from_slice::<Columns>(&text).map_err(|cause| format!("a pack: {cause}"))?
            }
            Some((version, _)) => {
                return Err(format!(
                    "a pack is of version {version}, this lab knows {VERSION}; use the newer lab"
                ));
            }
            None => return Err("a pack is empty".to_owned()),
        };
        Ok(Self { samples: columns.samples.rows(visit)?, pair_samples: columns.pairs.rows(visit)? })
    }
}

/// The number of samples in a single pack of a visit.
///
/// # Errors
/// Returns the error if it is damaged.
pub fn samples_in(body: &[u8]) -> Result<usize, String> {
    let visit = Visit { round: 0, scenario: 0, attempt: 0, complete: true };
    Pack::unpacked(body, &visit).map(|pack| pack.len())
}

#[cfg(test)]
mod tests;
