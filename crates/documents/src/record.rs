//! The recorded results of documents: files from which their pages are rendered again without measuring.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tlslab_artifact::open_plain;
use tlslab_lab::Problem;
use tlslab_reproduction::{Measured, Record};

use crate::host_name::HostName;

/// The ending of records' names, after a document's name and a host's.
pub(crate) const ENDING: &str = "recorded.json.gz";
/// The longest record, bytes, packed and unpacked.
const LONGEST: [u64; 2] = [32 << 20, 512 << 20];

/// The name of a document's record, on the first host or on one with a name.
pub fn record_name(document: &str, host: Option<&HostName>) -> String {
    match host {
        Some(host) => format!("{document}.{host}.{ENDING}"),
        None => format!("{document}.{ENDING}"),
    }
}

/// The recorded results of a document in this folder, packed. The same results have the same bytes.
pub(crate) fn packed(document: &str, folder: &Path, measured: &Measured) -> anyhow::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(Record::of(document, measured).json(&folder.to_string_lossy()).as_bytes())?;
    Ok(packer.finish()?)
}

/// The content of a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<Record> {
    let opened = open_plain(file).with_context(|| format!("cannot read {}", file.display()))?;
    let wrong = |cause: String, next: &str| {
        Problem::invalid("from", file.display().to_string(), cause, next.to_owned())
    };
    let [packed, unpacked] = LONGEST;
    let mut text = Vec::new();
    let unpacked_to = GzDecoder::new(opened.take(packed)).take(unpacked).read_to_end(&mut text);
    if let Err(cause) = unpacked_to {
        bail!(wrong(format!("it cannot be unpacked: {cause}"), "measure the document again and record it"));
    }
    Ok(Record::parse(&text).map_err(|error| wrong(error.cause, error.next))?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tlslab_reproduction::Took;

    use super::*;

    fn measured() -> Measured {
        let trials = [("it".to_owned(), vec![])].into();
        Measured { took: Some(Took { builds_s: 1.0, measuring_s: 2.0 }), trials, ..Measured::default() }
    }

    fn refused(bytes: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it.recorded.json.gz");
        std::fs::write(&file, bytes).unwrap();
        read(&file)
            .err()
            .map(|error| error.to_string().replace(&file.display().to_string(), "FILE"))
            .unwrap_or_default()
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_one_that_was_cut_is_refused() {
        let whole = packed("it", Path::new("/here"), &measured()).unwrap();
        assert_eq!(whole, packed("it", Path::new("/here"), &measured()).unwrap());
        assert_eq!(refused(&whole), "");
        let cut = refused(&whole[..whole.len() / 2]);
        assert!(
            cut.starts_with("FILE: ") && cut.ends_with("; measure the document again and record it"),
            "{cut}"
        );
        assert!(refused(b"text").starts_with("FILE: it cannot be unpacked: "));
    }

    proptest! {
        #[test]
        fn no_file_at_all_brings_it_down(bytes in prop::collection::vec(any::<u8>(), 0..200), place in 0_usize..400, value in any::<u8>()) {
            refused(&bytes);
            let mut text = Record::of("it", &measured()).json("/here").into_bytes();
            let place = place % text.len();
            text[place] = value;
            if let Ok(record) = Record::parse(&text) {
                record.into_measured();
            }
        }
    }
}
