//! Rejects programs that bring a clock of their own.
//!
//! A driver and its library are one process. If a library defines `clock_gettime`, the kit reads that clock
//! instead of the system's, and the library can report any times.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

use object::elf::ELFMAG;
use object::{Object, ObjectSymbol};
use tlslab_artifact::{Doing, Halt, files, open_plain};

/// Functions of the C library that read a clock.
const CLOCKS: [&str; 12] = [
    "clock_gettime",
    "__clock_gettime",
    "__clock_gettime64",
    "__vdso_clock_gettime",
    "gettimeofday",
    "__gettimeofday",
    "__vdso_gettimeofday",
    "__vdso_time",
    "timespec_get",
    "clock_getcpuclockid",
    "getrusage",
    "ftime",
];

/// Larger programs are not read: the largest one of a driver is a runtime of 130 MB.
const LARGEST: u64 = 1 << 30;

/// The function with which the kit reads the clock.
const IMPORTED: &str = "clock_gettime";

/// Checks the programs and libraries of a folder.
///
/// # Errors
/// Fails if one defines a clock, or cannot be read.
pub(crate) fn check_clocks(folder: &Path) -> Result<(), Halt> {
    for path in files(folder, &|_| true).doing("read", folder)? {
        let file = folder.join(&path);
        if !file.is_symlink()
            && let Some(content) = program(&file).doing("read", &file)?
            && let own @ [_, ..] = &*defined(&content)
        {
            return Err(refused(&file, &format!("it defines {}", own.join(" and "))));
        }
    }
    Ok(())
}

/// Whether a driver imports the C library's clock. One without symbols may hide a clock of its own, and then
/// does not import it.
///
/// # Errors
/// Fails if it does not, or if it cannot be read.
pub(crate) fn check_import(driver: &Path) -> Result<(), Halt> {
    let Some(content) = program(driver).doing("read", driver)? else { return Ok(()) };
    let Ok(object) = object::File::parse(&*content) else { return Ok(()) };
    let imports = |symbol: object::Symbol<'_, '_>| {
        symbol.is_undefined() && symbol.name().is_ok_and(|name| bare(name) == IMPORTED)
    };
    match object.dynamic_symbols().any(imports) {
        true => Ok(()),
        false => Err(refused(driver, &format!("it takes no `{IMPORTED}` from the C library"))),
    }
}

fn refused(file: &Path, cause: &str) -> Halt {
    let cause = format!("{cause}, and drivers measure time by that clock");
    Halt::wrong(format!("`{}`", file.display()), cause, "let it use the clock of the C library")
}

/// The content of a file that is a program, an object or a library by its first bytes.
fn program(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = open_plain(file)?;
    let mut content = Vec::new();
    file.by_ref().take(ELFMAG.len() as u64).read_to_end(&mut content)?;
    if content != ELFMAG {
        return Ok(None);
    }
    file.take(LARGEST).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// The clocks that a program defines. A file that cannot be parsed cannot be started either.
fn defined(content: &[u8]) -> Vec<String> {
    let Ok(object) = object::File::parse(content) else { return Vec::new() };
    let symbols = object.symbols().chain(object.dynamic_symbols()).filter(|symbol| symbol.is_definition());
    let own = symbols.filter_map(|symbol| symbol.name().ok().map(|name| bare(name).to_owned()));
    let own: BTreeSet<String> = own.filter(|name| CLOCKS.contains(&&**name)).collect();
    own.into_iter().map(|name| format!("`{name}`")).collect()
}

/// A symbol's name without its version.
fn bare(name: &str) -> &str {
    name.split('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program in C, linked with these flags.
    fn checked(source: &str, arguments: &[&str]) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("main.c");
        std::fs::write(&file, source).unwrap();
        let program = folder.path().join("driver");
        let mut cc = std::process::Command::new("cc");
        assert!(cc.arg(&file).args(arguments).arg("-o").arg(&program).status().unwrap().success());
        let checked = check_clocks(folder.path()).and_then(|()| check_import(&program));
        checked.map_err(|halt| halt.to_string())
    }

    const MAIN: &str =
        "#include <time.h>\nint main(void) { struct timespec t; return clock_gettime(1, &t); }\n";
    const OWN: &str = "int clock_gettime(clockid_t c, struct timespec *t) { (void)c, (void)t; return 0; }\n";

    #[test]
    fn the_systems_clock_is_used_and_none_beside_it() {
        assert_eq!(checked(MAIN, &[]), Ok(()));
        for arguments in [&["-O2"][..], &["-O0"], &["-O2", "-fvisibility=hidden"]] {
            let refused = checked(&format!("{MAIN}__attribute__((noinline)) {OWN}"), arguments).unwrap_err();
            assert!(
                refused.contains("it defines `clock_gettime`, and drivers measure time by that clock"),
                "{refused}"
            );
        }
        let stripped =
            checked(&format!("{MAIN}__attribute__((noinline)) {OWN}"), &["-s", "-fvisibility=hidden"]);
        let stripped = stripped.unwrap_err();
        assert!(stripped.contains("it takes no `clock_gettime` from the C library"), "{stripped}");
        let library = checked(&format!("#include <time.h>\n{OWN}"), &["-shared", "-fPIC", "-s"]);
        assert!(library.unwrap_err().contains("`clock_gettime`"));
    }

    #[test]
    fn what_is_no_program_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("script"), "#!/bin/sh\nclock_gettime\n").unwrap();
        std::fs::write(folder.path().join("empty"), "").unwrap();
        std::fs::write(folder.path().join("cut-off"), "\x7fELF").unwrap();
        assert!(check_clocks(folder.path()).is_ok());
    }
}
