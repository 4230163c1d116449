//! The parts of a program: its code, its constants, and the libraries that it loads.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use object::elf::FileHeader64;
use object::read::elf::{Dyn, ElfFile, FileHeader};
use object::{Endianness, Object, ObjectSection};

/// The parts of a program that determine its behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections {
    /// `.text`: code.
    pub text: Vec<u8>,
    /// `.rodata`: constants.
    pub rodata: Vec<u8>,
    /// The libraries that it needs by name.
    pub needed: Vec<String>,
}

impl Sections {
    /// Reads a program's sections.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a 64-bit ELF file.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::parse(&read(path)?)
    }

    /// The same for a file's bytes.
    ///
    /// # Errors
    /// Fails if it is not a 64-bit ELF file.
    pub fn parse(bytes: &[u8]) -> io::Result<Self> {
        let file: ElfFile<'_, FileHeader64<Endianness>> = ElfFile::parse(bytes).map_err(io::Error::other)?;
        let section = |name: &str| -> io::Result<Vec<u8>> {
            match file.section_by_name(name) {
                Some(section) => Ok(section.data().map_err(io::Error::other)?.to_vec()),
                None => Ok(Vec::new()),
            }
        };
        Ok(Self { text: section(".text")?, rodata: section(".rodata")?, needed: needed_of(bytes)? })
    }
}

/// The libraries that a program needs by name.
///
/// # Errors
/// As [`Sections::of`].
pub fn needed(path: &Path) -> io::Result<Vec<String>> {
    needed_of(&read(path)?)
}

/// The folders in which a program looks for libraries first, in its order.
///
/// # Errors
/// As [`Sections::of`].
pub fn run_paths(path: &Path) -> io::Result<Vec<PathBuf>> {
    let lists = dynamic_strings(&read(path)?, &[object::elf::DT_RUNPATH, object::elf::DT_RPATH])?;
    Ok(lists.iter().flat_map(|list| list.split(':')).map(PathBuf::from).collect())
}

/// The largest program, bytes.
const LARGEST: u64 = 2 << 30;

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

fn needed_of(bytes: &[u8]) -> io::Result<Vec<String>> {
    dynamic_strings(bytes, &[object::elf::DT_NEEDED])
}

/// The entries of the dynamic section with these tags.
fn dynamic_strings(bytes: &[u8], tags: &[object::elf::DynamicTag]) -> io::Result<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(bytes).map_err(io::Error::other)?;
    let endian = header.endian().map_err(io::Error::other)?;
    let sections = header.sections(endian, bytes).map_err(io::Error::other)?;
    let mut names = Vec::new();
    if let Some((entries, link)) = sections.dynamic(endian, bytes).map_err(io::Error::other)? {
        let strings = sections.strings(endian, bytes, link).map_err(io::Error::other)?;
        for entry in entries {
            if tags.contains(&entry.tag(endian)) {
                let name = entry.string(endian, strings).map_err(io::Error::other)?;
                names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_code_and_loads_the_c_library() {
        let program = std::env::current_exe().unwrap();
        let sections = Sections::of(&program).unwrap();
        assert!(sections.text.len() > 10_000 && !sections.rodata.is_empty());
        assert!(sections.needed.iter().any(|name| name.starts_with("libc.so")), "{:?}", sections.needed);
        assert_eq!(needed(&program).unwrap(), sections.needed);
    }

    #[test]
    fn what_is_no_program_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Sections::of(file.path()).is_err());
    }
}
