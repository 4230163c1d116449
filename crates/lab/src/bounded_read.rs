//! Reading of untrusted files, with limits.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use flate2::read::GzDecoder;

/// The text of a plain file of at most so many bytes. Links are rejected: they may lead to private files.
pub fn read(path: &Path, longest: u64) -> anyhow::Result<String> {
    tlslab_artifact::read_plain_text(path, longest).with_context(|| format!("cannot read {}", path.display()))
}

/// The longest profile that is read, bytes.
pub const LONGEST_PROFILE: u64 = 1 << 30;

/// A profile: the text of a plain file, perhaps compressed by gzip, of at most so many bytes. Names of files
/// and functions in it come from a program's build; bytes that are not UTF-8 become �.
pub fn profile(path: &Path, longest: u64) -> anyhow::Result<String> {
    let reading = || format!("cannot read {}", path.display());
    let mut bytes = tlslab_artifact::read_plain(path, longest).with_context(reading)?;
    if bytes.starts_with(&GZIP) {
        let mut unpacked = Vec::new();
        GzDecoder::new(&bytes[..]).take(longest + 1).read_to_end(&mut unpacked).with_context(reading)?;
        if unpacked.len() as u64 > longest {
            bail!("cannot read {}: it unpacks to more than {longest} bytes", path.display());
        }
        bytes = unpacked;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn a_profile_may_be_packed_and_have_names_in_any_encoding() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profile");
        let text = b"events: Ir\nfl=/home/m\xfcller/a.c\nfn=f\n1 100\n";
        let expected = "events: Ir\nfl=/home/m\u{fffd}ller/a.c\nfn=f\n1 100\n";
        std::fs::write(&path, text).unwrap();
        assert_eq!(profile(&path, 100).unwrap(), expected);
        assert!(profile(&path, 10).is_err());
        let mut packing = GzEncoder::new(Vec::new(), Compression::best());
        packing.write_all(text).unwrap();
        std::fs::write(&path, packing.finish().unwrap()).unwrap();
        assert_eq!(profile(&path, 100).unwrap(), expected);
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&[b' '; 10_000]).unwrap();
        std::fs::write(&path, bomb.finish().unwrap()).unwrap();
        assert!(format!("{:#}", profile(&path, 1_000).unwrap_err()).contains("more than 1000 bytes"));
    }
}
