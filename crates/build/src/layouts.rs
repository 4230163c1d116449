//! One driver in several code layouts.
//!
//! Code layout changes times by more than many changes of code do, and repetition does not help: every
//! repetition has the same layout. A driver is therefore linked many times, each time with its functions in
//! another random order. This makes the effect of layout random, and repetition averages it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tlslab_artifact::{Doing, Halt, Workspace, program};
use tlslab_recipe::{Layouts, LinkChange};

/// The layouts of a built driver, or the reason for its having no layouts.
pub type BuiltLayouts = Result<Vec<PathBuf>, String>;

/// How a driver is linked in several layouts.
pub(crate) trait LinkLayouts {
    /// Their place within an artifact.
    fn built(self, product: &Path) -> BuiltLayouts;
    /// Records in an artifact why the driver has no layouts.
    fn refuse(place: &Path, reason: &str) -> Result<(), Halt>;
    /// The linker's arguments for each, with its output file in an artifact.
    fn arguments(self, linker: &[String], place: &Path) -> Vec<Vec<String>>;
    /// Writes the objects that are linked before all others to a folder, if there are any.
    fn write_addition(self, folder: &Path) -> Result<Option<PathBuf>, Halt>;
    /// A program that is called like the linker: links as requested, and then once more for each layout. A
    /// layout that the linker rejects is recorded and is not an error.
    fn script(self, linker: &[String], place: &Path, addition: Option<&Path>) -> String;
    /// Writes that program to a folder. Cargo calls it as a compiler because of its name.
    fn write_script(self, linker: &[String], place: &Path, folder: &Path) -> Result<PathBuf, Halt>;
}

impl LinkLayouts for Layouts {
    fn built(self, product: &Path) -> BuiltLayouts {
        if let Ok(reason) = fs::read_to_string(product.join(FAILED)) {
            return Err(reason.trim().to_owned());
        }
        let file = |number| product.join(format!("{NAME}{number}"));
        let files: Vec<PathBuf> = self.numbers().map(file).collect();
        match files.iter().find(|file| !file.is_file()) {
            Some(missing) => Err(format!("{} was not made", missing.display())),
            None => Ok(files),
        }
    }

    fn refuse(place: &Path, reason: &str) -> Result<(), Halt> {
        let file = place.join(FAILED);
        fs::write(&file, format!("{reason}\n")).doing("write", &file)
    }

    fn arguments(self, linker: &[String], place: &Path) -> Vec<Vec<String>> {
        let of = |number| {
            let file = place.join(format!("{NAME}{number}")).to_string_lossy().into_owned();
            let shuffled = match self.change {
                Some(LinkChange::DataOrder) => &[".text*", ".rodata*", ".data*", ".bss*"][..],
                _ => &[".text*"],
            };
            let shuffled =
                shuffled.iter().map(|what| format!("-Wl,--shuffle-sections={what}={}", number + 1));
            let own = ["-Wl,--strip-debug".to_owned(), "-o".to_owned(), file];
            linker.iter().cloned().chain(shuffled).chain(own).collect()
        };
        self.numbers().map(of).collect()
    }

    fn write_addition(self, folder: &Path) -> Result<Option<PathBuf>, Halt> {
        let text = match self.change {
            Some(LinkChange::Constants) => CONSTANTS,
            Some(LinkChange::Function) => FUNCTION,
            Some(LinkChange::DataOrder) | None => return Ok(None),
        };
        let file = folder.join("addition.s");
        fs::write(&file, text).doing("write", &file)?;
        Ok(Some(file))
    }

    fn script(self, linker: &[String], place: &Path, addition: Option<&Path>) -> String {
        let first = addition.map(|file| quoted(&file.to_string_lossy()) + " ").unwrap_or_default();
        let mut text = "#!/bin/sh\ncc \"$@\" || exit\n".to_owned();
        for arguments in self.arguments(linker, place) {
            let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
            let failed = quoted(&place.join(FAILED).to_string_lossy());
            text += &format!(
                "cc {first}\"$@\" {} || {{ echo '{REFUSED}' >{failed}; exit 0; }}\n",
                words.join(" ")
            );
        }
        text
    }

    fn write_script(self, linker: &[String], place: &Path, folder: &Path) -> Result<PathBuf, Halt> {
        let file = folder.join("cc");
        let addition = self.write_addition(folder)?;
        fs::write(&file, self.script(linker, place, addition.as_deref())).doing("write", &file)?;
        fs::set_permissions(&file, Permissions::from_mode(0o755)).doing("change", &file)?;
        Ok(file)
    }
}

/// Arguments with which a C compiler uses a linker that can shuffle: Rust's, else the system's.
pub(crate) fn linker(workspace: &Workspace<'_>) -> Result<Option<Vec<String>>, Halt> {
    let chosen = "-fuse-ld=lld".to_owned();
    let printed = workspace.context.ask(program("rustc", Path::new("/")).args(["--print", "sysroot"]))?;
    let targets = Path::new(printed.trim()).join("lib/rustlib");
    for target in fs::read_dir(&targets).into_iter().flatten().flatten() {
        let folder = target.path().join("bin/gcc-ld");
        if folder.join("ld.lld").is_file() {
            return Ok(Some(vec![chosen, format!("-B{}", folder.display())]));
        }
    }
    let path = workspace.context.environment.get("PATH").cloned().unwrap_or_default();
    Ok(tlslab_artifact::on_path("ld.lld", &path).map(|_| vec![chosen]))
}

/// Why there are no layouts if the linker is missing.
pub(crate) const NO_LINKER: &str = "there is no linker that can shuffle code: install lld";

/// Why there are no layouts if the linker rejects the driver.
pub(crate) const REFUSED: &str = "the linker lld refuses the driver; the build log says why";

/// Why there are no layouts of a driver that is not linked here.
pub(crate) const NOT_LINKED: &str = "the driver is built by its own Makefile, which links it in one order";

/// Constants and a function that the linker keeps although they are unreferenced. Their sizes are not
/// multiples of a cache line.
const CONSTANTS: &str = ".section .rodata.tlslab,\"aR\",@progbits\n.fill 1000, 1, 1\n";
const FUNCTION: &str = ".section .text.tlslab,\"axR\",@progbits\n.fill 200, 1, 0xcc\n";

const NAME: &str = "layout-";
const FAILED: &str = "layouts.failed";

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_has_an_order_and_a_file_of_its_own() {
        let layouts = Layouts::new(16, 2);
        let arguments = layouts.arguments(&["-fuse-ld=lld".to_owned()], Path::new("/p"));
        assert_eq!(arguments.len(), 2);
        assert_eq!(
            arguments[0],
            ["-fuse-ld=lld", "-Wl,--shuffle-sections=.text*=17", "-Wl,--strip-debug", "-o", "/p/layout-16"]
        );
        let script = layouts.script(&[], Path::new("/it's"), None);
        assert!(script.contains("'-o' '/it'\\''s/layout-17'"), "{script}");
    }

    #[test]
    fn a_change_of_the_link_alone_is_added_before_everything_else_or_shuffles_data() {
        let folder = tempfile::tempdir().unwrap();
        let changed = |change| Layouts { change: Some(change), ..Layouts::new(0, 1) };
        for (change, section) in
            [(LinkChange::Constants, ".section .rodata"), (LinkChange::Function, ".section .text")]
        {
            let file = changed(change).write_addition(folder.path()).unwrap().unwrap();
            assert!(fs::read_to_string(&file).unwrap().starts_with(section));
            let script = changed(change).script(&[], Path::new("/p"), Some(&file));
            let lines: Vec<&str> = script.lines().collect();
            assert!(lines[1].starts_with("cc \"$@\""), "the program itself is linked as it is: {script}");
            assert!(lines[2].starts_with(&format!("cc '{}' \"$@\"", file.display())), "{script}");
        }
        let shuffled = &changed(LinkChange::DataOrder).arguments(&[], Path::new("/p"))[0];
        assert!(shuffled.contains(&"-Wl,--shuffle-sections=.data*=1".to_owned()), "{shuffled:?}");
        assert_eq!(changed(LinkChange::DataOrder).write_addition(folder.path()).unwrap(), None);
        assert_eq!(Layouts::new(0, 1).line(), "1 from 0");
        assert_ne!(changed(LinkChange::Function).line(), changed(LinkChange::Constants).line());
    }

    #[test]
    fn what_is_missing_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let layouts = Layouts::new(0, 1);
        assert!(layouts.built(folder.path()).unwrap_err().contains("layout-0 was not made"));
        fs::write(folder.path().join("layout-0"), "x").unwrap();
        assert_eq!(layouts.built(folder.path()).unwrap(), [folder.path().join("layout-0")]);
        Layouts::refuse(folder.path(), NO_LINKER).unwrap();
        assert_eq!(layouts.built(folder.path()).unwrap_err(), NO_LINKER);
    }
}
