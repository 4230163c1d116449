//! The library's bytes in a program, against the output of `nm` and `size` for the same files.

use std::path::{Path, PathBuf};
use std::process::Command;

use tlslab_binaries::{LibrarySize, SizeError, Unit, library_size, whole_size};

/// A library of a program: functions that call each other, a table, a variable and a text.
const LIBRARY: &str = "\
    static const unsigned table[64] = {1, 2, 3};\n\
    int counter = 7;\n\
    static const char *const names[2] = {\"the first name\", \"another name\"};\n\
    static int inner(int at) { return table[at & 63] + counter++; }\n\
    const char *name(int at) { return names[at & 1]; }\n\
    int outer(int at) { return inner(at) * 3 + inner(at + 1); }\n";

/// Code that the program does not use stays in the archive.
const UNUSED: &str = "int unused(int at) { return at * 5; }\n";

const DRIVER: &str = "\
    #include <stdio.h>\n\
    int outer(int); const char *name(int);\n\
    static const int own[100] = {5};\n\
    int main(int argc, char **argv) { printf(\"%d %s\\n\", outer(argc) + own[argc], name(argc)); return 0; }\n";

struct Built {
    folder: tempfile::TempDir,
}

impl Built {
    fn new(library: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let built = Self { folder };
        std::fs::create_dir(built.path("library")).unwrap();
        for (file, text) in
            [("driver.c", DRIVER), ("library/library.c", library), ("library/unused.c", UNUSED)]
        {
            std::fs::write(built.path(file), text).unwrap();
        }
        let compile = ["-O1", "-g1", "-ffunction-sections", "-fno-inline", "-c"];
        for name in ["library", "unused"] {
            let source = format!("{name}.c");
            built.run("cc", "library", &[&compile[..], flags, &[&source]].concat());
        }
        built.run("gcc-ar", "library", &["rcs", "library.a", "library.o", "unused.o"]);
        built.run("cc", ".", &[&compile[..], flags, &["driver.c"]].concat());
        built.run("cc", ".", &[flags, &["-o", "program", "driver.o", "library/library.a"]].concat());
        built
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn run(&self, program: &str, within: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).current_dir(self.path(within)).args(arguments).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn size(&self) -> Result<LibrarySize, SizeError> {
        let is_library = |unit: &Unit| Path::new(&unit.folder).ends_with("library");
        library_size(&std::fs::read(self.path("program")).unwrap(), &is_library)
    }

    /// The size of these symbols by `nm`.
    fn symbols(&self, names: &[&str]) -> u64 {
        let listed = self.run("nm", ".", &["-S", "--defined-only", "program"]);
        let sizes = listed.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [_, size, _, name] = words[..] else { return None };
            names.contains(&name).then(|| u64::from_str_radix(size, 16).unwrap())
        });
        let sizes: Vec<u64> = sizes.collect();
        assert_eq!(sizes.len(), names.len(), "{listed}");
        sizes.iter().sum()
    }
}

#[test]
fn code_and_data_of_a_library_are_what_nm_says_of_its_symbols() {
    let built = Built::new(LIBRARY, &[]);
    let size = built.size().unwrap();
    assert_eq!(size.text, built.symbols(&["inner", "outer", "name"]));
    let named = built.symbols(&["table", "names", "counter"]);
    let texts = ("the first name".len() + "another name".len() + 2) as u64;
    // Gaps for alignment belong to the code before them.
    assert!((named + texts..named + texts + 32).contains(&size.data), "{size:?}: {named} and {texts}");
}

#[test]
fn each_byte_of_a_larger_function_and_table_counts() {
    let before = Built::new(LIBRARY, &[]).size().unwrap();
    let larger = LIBRARY.replace("table[64]", "table[128]").replace("* 3 +", "* at * at * 3 +");
    let built = Built::new(&larger, &[]);
    let after = built.size().unwrap();
    assert_eq!(after.text, built.symbols(&["inner", "outer", "name"]));
    assert!(after.text > before.text, "{before:?} {after:?}");
    assert_eq!(after.data - before.data, 256);
}

#[test]
fn files_that_do_not_say_what_is_the_librarys_are_refused() {
    let built = Built::new(LIBRARY, &[]);
    built.run("strip", ".", &["program"]);
    assert!(matches!(built.size(), Err(SizeError::Stripped)));
    let no_debug = Built::new(LIBRARY, &["-g0"]);
    assert!(matches!(no_debug.size(), Err(SizeError::Stripped)));
    assert!(matches!(library_size(b"#!/bin/sh\n", &|_| true), Err(SizeError::NotElf)));
    let nobodys = Built::new(LIBRARY, &[]);
    let program = std::fs::read(nobodys.path("program")).unwrap();
    assert!(matches!(library_size(&program, &|_| false), Err(SizeError::Nothing)));
    for (error, says) in
        [(SizeError::NotElf, "script"), (SizeError::Stripped, "stripped"), (SizeError::Go, "Go")]
    {
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn link_time_optimisation_by_gcc_is_refused() {
    let mixed = Built::new(LIBRARY, &["-flto"]);
    assert!(matches!(mixed.size(), Err(SizeError::Mixed)), "{:?}", mixed.size());
}

#[test]
fn a_shared_library_is_as_large_as_size_says() {
    let built = Built::new(LIBRARY, &[]);
    built.run("cc", "library", &["-shared", "-fPIC", "-O1", "-o", "library.so", "library.c"]);
    let whole = whole_size(&std::fs::read(built.path("library/library.so")).unwrap()).unwrap();
    let listed = built.run("size", ".", &["-A", "library/library.so"]);
    let of = |sections: &[&str]| -> u64 {
        let rows = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.filter(|row| row.len() == 3 && sections.contains(&row[0]))
            .map(|row| row[1].parse::<u64>().unwrap())
            .sum()
    };
    assert_eq!(whole.text, of(&[".text", ".init", ".fini", ".plt", ".plt.got", ".plt.sec"]), "{listed}");
    assert_eq!(whole.data, of(&[".rodata", ".data", ".data.rel.ro"]), "{listed}");
}

proptest::proptest! {
    #[test]
    fn no_file_panics(mut bytes: Vec<u8>, begins_well: bool) {
        if begins_well {
            bytes.splice(0..0, *b"\x7fELF\x02\x01\x01");
        }
        let _ = library_size(&bytes, &|_| true);
        let _ = whole_size(&bytes);
    }

    #[test]
    fn no_damaged_program_panics(at in 0_usize..60_000, byte: u8) {
        let mut bytes = std::fs::read("/bin/true").unwrap();
        let length = bytes.len();
        bytes[at % length] = byte;
        let _ = library_size(&bytes, &|_| true);
    }
}
