//! Owners of a program's code: the library that it was linked with, or others.

use std::collections::HashSet;

use addr2line::demangle_auto;
use addr2line::gimli::{Dwarf, EndianSlice, Reader, RunTimeEndian, SectionId, Unit as DebugUnit};
use object::{Object, ObjectSection};

/// A compilation unit in the debug information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The source file; for Rust the crate's root and the name of the codegen unit.
    pub source: String,
    /// The folder in which it was compiled.
    pub folder: String,
}

impl Unit {
    /// The crate's name, if it is Rust.
    pub fn crate_name(&self) -> Option<&str> {
        self.source.split_once("/@/")?.1.split('.').next()
    }

    /// The file with its folder.
    pub fn path(&self) -> String {
        if self.source.starts_with('/') {
            self.source.clone()
        } else {
            format!("{}/{}", self.folder, self.source)
        }
    }

    /// Whether it contains code of several units, merged by link-time optimisation.
    pub(crate) fn is_of_several(&self) -> bool {
        self.source == "<artificial>"
    }
}

/// The owners of a program's code by compilation units.
#[derive(Default)]
pub(crate) struct Owners {
    /// Addresses, each with whether it is the library's, in order.
    pub ranges: Vec<(u64, u64, bool)>,
    /// The crates whose code is the library's.
    crates: HashSet<String>,
    /// Whether a unit contains code of several.
    pub is_mixed: bool,
}

/// Functions that a linker adds to every program.
const START: [&str; 9] = [
    "_start",
    "_init",
    "_fini",
    "atexit",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
    "_dl_relocate_static_pie",
];

impl Owners {
    /// Reads the debug information. Unreadable parts have no owner.
    pub(crate) fn of(file: &object::File<'_>, is_library: &dyn Fn(&Unit) -> bool) -> Self {
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: SectionId| -> Result<EndianSlice<'_, RunTimeEndian>, std::convert::Infallible> {
            let section = file.section_by_name(id.name());
            Ok(EndianSlice::new(section.and_then(|section| section.data().ok()).unwrap_or_default(), endian))
        };
        let Ok(dwarf) = Dwarf::load(load);
        let mut owners = Self::default();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if let Ok(unit) = dwarf.unit(header) {
                owners.add(&dwarf, &unit, is_library);
            }
        }
        owners.ranges.sort_unstable();
        owners
    }

    fn add<R: Reader>(&mut self, dwarf: &Dwarf<R>, unit: &DebugUnit<R>, is_library: &dyn Fn(&Unit) -> bool) {
        let text = |value: &Option<R>| -> String {
            value.as_ref().and_then(|value| value.to_string_lossy().ok()).unwrap_or_default().into_owned()
        };
        let named = Unit { source: text(&unit.name), folder: text(&unit.comp_dir) };
        let is_library = is_library(&named);
        let Ok(mut ranges) = dwarf.unit_ranges(unit) else { return };
        let before = self.ranges.len();
        while let Ok(Some(range)) = ranges.next() {
            // The linker sets dropped addresses to 0.
            if range.begin > 1 && range.begin < range.end {
                self.ranges.push((range.begin, range.end, is_library));
            }
        }
        if self.ranges.len() == before {
            return;
        }
        self.is_mixed |= named.is_of_several();
        if is_library && let Some(name) = named.crate_name() {
            self.crates.insert(name.to_owned());
        }
    }

    /// Whether a function is the library's: its unit is, or it is a generic function of one of the library's
    /// crates, compiled where it is used. Code without debug information is the library's, as everything else
    /// is compiled with it.
    pub(crate) fn is_library(&self, name: &str, address: u64) -> bool {
        let unit = self.unit_at(address);
        if unit == Some(true) {
            return true;
        }
        match crate_of(name) {
            Some(name) => self.crates.contains(&name),
            None => unit.is_none() && !START.contains(&name),
        }
    }

    fn unit_at(&self, address: u64) -> Option<bool> {
        let next = self.ranges.partition_point(|(begin, _, _)| *begin <= address);
        let (_, end, is_library) = self.ranges.get(next.checked_sub(1)?)?;
        (address < *end).then_some(*is_library)
    }
}

/// The crate in a mangled Rust name.
fn crate_of(name: &str) -> Option<String> {
    if !name.starts_with("_ZN") && !name.starts_with("_R") {
        return name.starts_with("__rust").then(|| "std".to_owned());
    }
    let plain = demangle_auto(name.into(), None);
    let plain = plain.trim_start_matches(['<', '&', '*', '[', '(']);
    let plain = ["mut ", "dyn ", "const "].iter().fold(plain, |plain, word| plain.trim_start_matches(word));
    let (name, rest) = plain.split_at(plain.find(|c: char| !c.is_alphanumeric() && c != '_')?);
    rest.starts_with("::").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_units_crate_and_path_are_in_its_name() {
        let unit = |source: &str| Unit { source: source.to_owned(), folder: "/f".to_owned() };
        let rust = unit("/r/rustls-0.23.46/src/lib.rs/@/rustls.e6f379f39144800-cgu.14");
        assert_eq!(rust.crate_name(), Some("rustls"));
        let c = unit("ssl/ssl_lib.c");
        assert_eq!((c.crate_name(), &*c.path()), (None, "/f/ssl/ssl_lib.c"));
        assert!(!c.is_of_several() && unit("<artificial>").is_of_several());
    }

    #[test]
    fn a_mangled_name_has_its_crate() {
        assert_eq!(crate_of("_ZN6rustls4conn6Reader4read17h0123456789abcdefE").as_deref(), Some("rustls"));
        let of_impl = "_ZN54_$LT$rustls..conn..Reader$u20$as$u20$std..io..Read$GT$4read17h0123456789abcdefE";
        assert_eq!(crate_of(of_impl).as_deref(), Some("rustls"));
        assert_eq!((crate_of("SSL_new"), crate_of("main")), (None, None));
    }
}
