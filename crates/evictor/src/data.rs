//! The evictor's data.

/// Its size: more than the second-level cache of a server's core, bytes.
pub const DATA_BYTES: usize = 4 * 1024 * 1024;
/// The size of a cache line, bytes.
const LINE: usize = 64;

pub(crate) struct Data(Vec<u8>);

impl Data {
    pub(crate) fn new() -> Self {
        Self(vec![1; DATA_BYTES])
    }

    /// Writes to every cache line once, in an order that no prefetcher follows. Returns a sum, so that the
    /// compiler omits nothing.
    pub(crate) fn touch(&mut self) -> u64 {
        let lines = DATA_BYTES / LINE;
        let mut sum = 0_u64;
        let mut line = 0;
        for _ in 0..lines {
            // An odd step visits each index of a power of two once.
            line = (line + 25_717) & (lines - 1);
            let byte = &mut self.0[line * LINE];
            *byte = byte.wrapping_add(1);
            sum = sum.wrapping_add(u64::from(*byte));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_written_once() {
        let mut data = Data::new();
        data.touch();
        assert!(data.0.iter().step_by(LINE).all(|byte| *byte == 2));
        assert!((DATA_BYTES / LINE).is_power_of_two());
    }
}
