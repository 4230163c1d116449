//! The functions at an address of a program or library: the one whose code it is, and those that were inlined
//! there.
//!
//! Reads symbols and debug information (DWARF) from the files, and from those to which they refer; names are
//! demangled.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use addr2line::{Loader, demangle_auto};

/// A function at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name, demangled; empty if unknown.
    pub function: String,
    /// The source file of the code at the address; empty if unknown.
    pub file: String,
    /// The line in it, from 1; 0 if unknown.
    pub line: u32,
}

/// Files in which addresses are looked up. A file is read when it is first needed.
#[derive(Default)]
pub struct Symbols {
    files: HashMap<PathBuf, Option<Loader>>,
}

impl Symbols {
    /// The functions at an address within a file, before relocation. The innermost comes first: each but the
    /// last was inlined into the next. `None` if the file cannot be read or has nothing at the address.
    pub fn frames(&mut self, file: &Path, address: u64) -> Vec<Frame> {
        let loader = match self.files.get(file) {
            Some(loader) => loader,
            None => self.files.entry(file.to_owned()).or_insert(Loader::new(file).ok()),
        };
        loader.as_ref().map(|loader| frames(loader, address)).unwrap_or_default()
    }
}

fn frames(loader: &Loader, address: u64) -> Vec<Frame> {
    let mut frames = Vec::new();
    if let Ok(mut found) = loader.find_frames(address) {
        while let Ok(Some(frame)) = found.next() {
            let name = frame.function.as_ref().and_then(|name| name.demangle().ok());
            let location = frame.location.as_ref();
            frames.push(Frame {
                function: name.map(|name| name.into_owned()).unwrap_or_default(),
                file: location.and_then(|location| location.file).unwrap_or_default().to_owned(),
                line: location.and_then(|location| location.line).unwrap_or_default(),
            });
        }
    }
    if let Some(symbol) = loader.find_symbol(address) {
        // Assembly has lines without functions, and files without debug information have only symbols.
        if frames.is_empty() {
            frames.push(Frame::default());
        }
        let outermost = frames.last_mut().expect("one was put there");
        let name = demangle_auto(symbol.into(), None);
        // Debug information may have been reduced to names without their modules: a mangled symbol has them
        // all.
        if outermost.function.is_empty() || name != symbol {
            outermost.function = name.into_owned();
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address of an instruction of this test's program in its file.
    #[inline(never)]
    fn here() -> u64 {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let base = u64::from_str_radix(maps.split('-').next().unwrap(), 16).unwrap();
        (here as fn() -> u64 as usize as u64) - base
    }

    #[test]
    fn a_function_of_this_program_is_found_with_its_file() {
        let program = std::env::current_exe().unwrap();
        let frames = Symbols::default().frames(&program, here());
        let outermost = frames.last().expect("there is debug information");
        assert!(outermost.function.ends_with("tests::here"), "{frames:?}");
        assert!(outermost.file.ends_with("binaries/src/symbols.rs"), "{frames:?}");
        assert!(outermost.line > 0, "{frames:?}");
    }

    #[test]
    fn what_is_inlined_comes_before_what_it_is_inlined_into() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source.c");
        std::fs::write(
            &source,
            "static inline __attribute__((always_inline)) void inner(void) { __asm__ volatile(\"nop; here: nop\"); }\n\
             void outer(void) { inner(); }\n\
             extern char here, start;\n\
             int main(void) { outer(); return 0; }\n",
        )
        .unwrap();
        let program = folder.path().join("program");
        let compiled = std::process::Command::new("cc")
            .args(["-g1", "-O1", "-no-pie", "-o"])
            .args([&program, &source])
            .status()
            .unwrap();
        assert!(compiled.success());
        let listed = std::process::Command::new("nm").arg(&program).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let line = listed.lines().find(|line| line.ends_with(" t here")).unwrap();
        let address = u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
        let frames = Symbols::default().frames(&program, address);
        let names: Vec<&str> = frames.iter().map(|frame| &*frame.function).collect();
        assert_eq!(names[0], "inner", "{frames:?}");
        assert_eq!(names.last(), Some(&"outer"), "{frames:?}");
        assert_eq!((frames[0].line, frames[frames.len() - 1].line), (1, 2));
    }

    #[test]
    fn nothing_is_known_of_a_file_that_is_none() {
        let mut symbols = Symbols::default();
        assert!(symbols.frames(Path::new("/nowhere"), 1).is_empty());
        assert!(symbols.frames(Path::new("/proc/self/stat"), 1).is_empty());
    }
}
