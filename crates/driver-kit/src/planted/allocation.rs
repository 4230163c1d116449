//! An allocation that a program would not make by itself, to test whether a comparison mistakes it for a
//! change of speed.
//!
//! `TLSLAB_ALLOCATION=BYTES` has the driver allocate so many bytes before its library allocates anything, and
//! keep them. Without the variable, or with 0, there is no such block.

const NAME: &str = "TLSLAB_ALLOCATION";

/// Allocates what this process was started with.
pub(crate) fn make() {
    let Some(bytes) = std::env::var(NAME).ok().and_then(|text| parse(&text)) else { return };
    // The compiler must not leave out a block that nobody uses. It is never freed.
    // SAFETY: a block is asked for, which may fail.
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
