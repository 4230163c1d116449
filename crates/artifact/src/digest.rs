//! SHA-256, in hex.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// The digest of these bytes.
pub fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The digest of a file's content.
pub fn file_digest(path: &Path) -> io::Result<String> {
    digest_of(File::open(path)?)
}

/// The digest of the rest of a reader.
pub fn digest_of(mut file: impl Read) -> io::Result<String> {
    let mut state = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex::encode(state.finalize())),
            read => state.update(&buffer[..read]),
        }
    }
}
