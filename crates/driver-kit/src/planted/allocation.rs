//! An additional allocation, to test whether a comparison mistakes it for a change of speed.
//!
//! With `TLSLAB_ALLOCATION=BYTES` the driver allocates that many bytes before its library allocates anything,
//! and keeps them. Without the variable, or with 0, there is no such block.

const NAME: &str = "TLSLAB_ALLOCATION";

/// Makes the allocation that this process was started with.
pub(crate) fn make() {
    let Some(bytes) = std::env::var(NAME).ok().and_then(|text| parse(&text)) else { return };
    // The compiler must not remove an unused block. It is never freed.
    // SAFETY: a block is allocated, which may fail.
    std::hint::black_box(unsafe { libc::malloc(bytes) });
}

fn parse(text: &str) -> Option<usize> {
    text.parse().ok().filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_a_size_or_there_is_none() {
        assert_eq!(parse("40"), Some(40));
        assert_eq!(parse("00"), None);
        assert_eq!(parse("many"), None);
    }
}
