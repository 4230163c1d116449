//! Programs of the zoo: each is rejected without a panic, and nothing is found in it.

#[path = "../../../tests/zoo/mod.rs"]
mod zoo;

use std::process::Command;

use tlslab_binaries::{Sections, Symbols, library_size, needed, run_paths, whole_size};
use zoo::{judge, try_all};

#[test]
fn programs() {
    try_all("programs", 1, |specimen| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        let made = Command::new("sh").args(["-ec", &specimen.script]).env("FILE", &file).status().unwrap();
        assert!(made.success(), "{} cannot be made", specimen.name);
        // The search ends in any case.
        for address in [0, 0x1000, u64::MAX] {
            let _ = Symbols::default().frames(&file, address);
        }
        let bytes = std::fs::read(&file).unwrap_or_default();
        let _ = (library_size(&bytes, &|_| true), whole_size(&bytes), run_paths(&file));
        let error = Sections::of(&file).err().or_else(|| needed(&file).err()).map(|error| error.to_string());
        judge(specimen, error.as_deref())
    });
}
