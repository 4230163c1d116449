//! All assets of all pages, for a server.

use crate::asset::{Asset, COMMON};

/// Every asset that a page may refer to.
pub fn assets() -> impl Iterator<Item = Asset> {
    let single = [
        crate::comparison::STYLE,
        crate::document::STYLE,
        crate::standings::STYLE,
        crate::validation::STYLE,
        crate::service::SCRIPT,
    ];
    COMMON
        .into_iter()
        .chain(single)
        .chain(crate::history::ASSETS)
        .chain(crate::run::ASSETS)
        .chain(crate::functions::ASSETS)
        .chain(crate::site::ASSETS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_listed_once() {
        let mut listed: Vec<&str> = assets().map(|asset| asset.name).collect();
        listed.sort_unstable();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        let files =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> =
            files.filter(|name| name.contains('.')).chain(["uplot.js".to_owned()]).collect();
        files.sort_unstable();
        assert_eq!(listed, files);
    }
}
