//! The pages of published documents are what the program prints from their recorded results.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use tlslab_reproduction::{Measured, Record};

/// What differs between the pages of a folder and those that the program prints from the records in `documents`.
fn differences(root: &Path, documents: &[&Path], pages: &Path) -> Vec<String> {
    let mut differences = Vec::new();
    let mut names: Vec<String> = fs::read_dir(pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names.iter().filter_map(|name| name.strip_suffix(".md")).filter(|name| *name != "claims") {
        let record = format!("{name}.recorded.json.gz");
        if !documents.iter().any(|folder| folder.join(&record).is_file()) {
            differences.push(format!(
                "{name}.md: no results are recorded in documents/{name}.recorded.json.gz; `tlslab reproduce {name} --record` does that"
            ));
        }
    }
    let printed = tempfile::tempdir().unwrap();
    let output = program(root, &["--all", "--from", "--to", printed.path().to_str().unwrap()]);
    if !output.status.success() {
        differences.push(String::from_utf8_lossy(&output.stderr).into_owned());
        return differences;
    }
    for entry in fs::read_dir(printed.path()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !names.contains(&name) {
            differences.push(format!("{name}: there is no such page; `make documents` writes it"));
        }
    }
    for name in names {
        let is = fs::read_to_string(pages.join(&name)).unwrap();
        let printed = fs::read_to_string(printed.path().join(&name)).unwrap_or_default();
        if is != printed {
            let line = is.lines().zip(printed.lines()).position(|(is, printed)| is != printed);
            let line = line.unwrap_or_else(|| is.lines().count().min(printed.lines().count()));
            differences.push(format!(
                "{name}: line {} is not what the program prints; `make documents` writes it",
                line + 1
            ));
        }
    }
    differences
}

fn program(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.arg("--root").arg(root).arg("reproduce").args(arguments).output().expect("the program starts")
}

const DOCUMENT: &str = "title = \"Nothing measured\"\nby = \"somebody\"\non = \"another machine\"\nflaws = [\"It has no figures.\"]\n";

/// A folder with a document whose record is empty.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    fs::write(folder.path().join("tlslab.toml"), format!("lab = \"{lab}\"\n")).unwrap();
    for below in ["documents", "pages"] {
        fs::create_dir(folder.path().join(below)).unwrap();
    }
    fs::write(folder.path().join("documents/nothing.toml"), DOCUMENT).unwrap();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(Record::of("nothing", &Measured::default()).json("/here").as_bytes()).unwrap();
    fs::write(folder.path().join("documents/nothing.recorded.json.gz"), packer.finish().unwrap()).unwrap();
    folder
}

#[test]
fn every_page_of_docs_is_what_the_program_prints_from_its_record() {
    let lab = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let found = differences(lab, &[&lab.join("documents")], &lab.join("docs/documents"));
    assert!(found.is_empty(), "docs/documents:\n{}", found.join("\n"));
}

#[test]
fn a_changed_word_and_a_missing_record_are_found() {
    let folder = folder();
    let [own, pages] = ["documents", "pages"].map(|below| folder.path().join(below));
    // A folder of one's own has the lab's documents, too.
    let of_lab = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../documents"));
    let documents = &[own.as_path(), of_lab];
    let output = program(folder.path(), &["--all", "--from", "--to", pages.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = pages.join("nothing.md");
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("# Nothing measured\n"), "{text}");
    assert_eq!(differences(folder.path(), documents, &pages), Vec::<String>::new());
    fs::write(&page, text.replace("no figures", "some figures")).unwrap();
    assert_eq!(
        differences(folder.path(), documents, &pages),
        ["nothing.md: line 5 is not what the program prints; `make documents` writes it"]
    );
    fs::write(&page, text).unwrap();
    fs::write(pages.join("other.md"), "# Other\n").unwrap();
    let found = differences(folder.path(), documents, &pages);
    assert!(found[0].contains("`tlslab reproduce other --record` does that"), "{found:?}");
}

#[test]
fn a_record_is_printed_in_every_format_and_a_wrong_one_is_refused() {
    let folder = folder();
    let printed = |arguments: &[&str]| {
        let output = program(folder.path(), arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(printed(&["nothing", "--from"]).contains("It has no figures."));
    assert!(printed(&["nothing", "--from", "--format", "markdown"]).starts_with("# Nothing measured\n"));
    assert!(printed(&["nothing", "--from", "--format", "html"]).starts_with("<!"));
    let file = folder.path().join("other.gz");
    fs::write(&file, "text").unwrap();
    let output = program(folder.path(), &["nothing", &format!("--from={}", file.display())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("cannot be unpacked"), "{said}");
    assert!(said.contains("measure the document again and record it"), "{said}");
    let output = program(folder.path(), &["--from"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no document was named"));
    let output = program(folder.path(), &["wrong", "--from"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no document of this name"));
}
