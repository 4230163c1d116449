//! A visit's samples in one piece: a version byte, then the columns as JSON, compressed.
//!
//! Columns and not rows, since neighbours in a column are alike. A column that is 0 throughout is left out.

mod columns;
mod lists;
mod times;

use serde::{Deserialize, Serialize};
use tlslab_record::{PairSample, Sample, Visit};

use columns::{PairColumns, SampleColumns};
use lists::MOST_SAMPLES;

pub(crate) use times::{times, times_of};

use crate::compressed::{MOST_BYTES, unpacked};

/// The first byte of a pack. Another number is another way to write them.
const VERSION: u8 = 1;

/// As much compression as costs next to nothing beside measuring.
const LEVEL: i32 = 3;

/// What a visit measured, in the order of block and place.
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

    /// Packed; nothing if that would be more than is unpacked again.
    pub(crate) fn packed(&self) -> Option<Vec<u8>> {
        if self.len() > MOST_SAMPLES {
            return None;
        }
        let columns =
            Columns { samples: SampleColumns::of(&self.samples), pairs: PairColumns::of(&self.pair_samples) };
        // Numbers in named columns always serialise, and memory takes what is written.
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

    /// Unpacked again; what is wrong with it where it is damaged.
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

/// How many samples a pack of a visit has that is read by itself.
///
/// # Errors
/// What is wrong with it where it is damaged.
pub fn samples_in(body: &[u8]) -> Result<usize, String> {
    let visit = Visit { round: 0, scenario: 0, attempt: 0, complete: true };
    Pack::unpacked(body, &visit).map(|pack| pack.len())
}

#[cfg(test)]
mod tests;
