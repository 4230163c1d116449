//! Limits of a record (RFC 8446, section 5).

/// The most plaintext in one record, bytes: 2^14.
pub const MAX_PLAINTEXT_BYTES: usize = 1 << 14;

/// The most bytes after a record's header: 2^14 of plaintext and 256 for its type, padding and tag.
pub const MAX_CIPHERTEXT_BYTES: usize = MAX_PLAINTEXT_BYTES + 256;
