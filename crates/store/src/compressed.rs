//! Compressed texts, read back up to a limit: a few bytes can expand to gigabytes.

use std::io::Read;

/// The most that is unpacked at once, bytes: a visit's samples, or the raw values of an imported run.
pub(crate) const MOST_BYTES: usize = 64 << 20;

/// The decompressed text.
///
/// # Errors
/// Fails if the bytes are invalid, or if the text is longer than [`MOST_BYTES`].
pub(crate) fn unpacked(compressed: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let decoder = zstd::Decoder::new(compressed).map_err(|cause| cause.to_string())?;
    decoder.take(MOST_BYTES as u64 + 1).read_to_end(&mut text).map_err(|cause| cause.to_string())?;
    match text.len() > MOST_BYTES {
        true => Err(format!("unpacked it has more than {} MiB", MOST_BYTES >> 20)),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_more_than_the_limit_is_refused() {
        let zeros = |length| zstd::encode_all(std::io::repeat(0).take(length), 3).unwrap();
        let bomb = zeros(2 * MOST_BYTES as u64);
        assert!(bomb.len() < 1 << 14);
        assert_eq!(unpacked(&bomb).unwrap_err(), "unpacked it has more than 64 MiB");
        assert_eq!(unpacked(&zeros(MOST_BYTES as u64)).unwrap().len(), MOST_BYTES);
    }
}
