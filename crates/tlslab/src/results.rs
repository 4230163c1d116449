//! Reports on standard output.

use std::io::{self, IsTerminal};
use std::path::Path;

use terminal_size::{Width, terminal_size_of};
use tlslab_estimate::Report;
use tlslab_lab::Export;
use tlslab_pages::Alone;
use tlslab_report::Further;
use tlslab_store::{Address, Store};
use tlslab_text::shell_word;

use crate::cli::{Format, Invocation, KeptArgs};
use tlslab_job::Status;

/// The database that is named, else that of the results folder.
pub(crate) fn open_store(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
    kept.results().open()
}

/// The same, only to read: nothing is created or written.
pub(crate) fn open_to_read(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
    Ok(kept.results().open_to_read()?)
}

/// Prints a run of this results folder to standard output; everything outside of the format goes to standard
/// error.
pub(crate) fn print_report(report: &Report, out: &Path, format: Format, invocation: &Invocation) {
    let text = match format {
        Format::Table => {
            let page = out.join(&report.run.id).join("report.html");
            let page = page.is_file().then(|| page.display().to_string());
            let further = Further { page, repeat: repeat(&report.run.command, report.run.seed) };
            invocation.complete(&tlslab_report::terminal(report, &further, width(), colour()))
        }
        Format::Json => tlslab_report::json(report),
        Format::Csv => tlslab_report::csv(report),
        Format::Markdown => tlslab_report::markdown(report),
        Format::Html => tlslab_pages::run(report, &Alone).html(&Alone),
    };
    match format {
        // Its names are clean already, and its colours are the lab's own.
        Format::Table => crate::output::coloured(&text),
        _ => out!("{text}"),
    }
    for line in report.rows.iter().flat_map(tlslab_report::rows_summary) {
        errln!("{line}");
    }
}

/// The command that repeats a run, without passwords.
fn repeat(command: &[String], seed: u64) -> Option<String> {
    let (_, words) = command.split_first()?;
    let without_password = |word: &String| {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
            _ => (String::new(), word.as_str()),
        };
        let address = value.parse::<Address>().ok().filter(Address::has_password);
        shell_word(&address.map_or_else(|| word.clone(), |address| format!("{option}{}", address.text())))
    };
    let mut line: Vec<String> =
        std::iter::once("tlslab".to_owned()).chain(words.iter().map(without_password)).collect();
    let is_seeded = words.iter().any(|word| word == "--seed" || word.starts_with("--seed="));
    if words.first().is_some_and(|verb| verb == "run") && !is_seeded {
        line.push(format!("--seed {seed}"));
    }
    Some(line.join(" "))
}

/// The files of an export with their place, in a line.
pub(crate) fn export_line(out: &Path, export: &Export) -> String {
    let Some(page) = export.page() else { return format!("{}: no file", export.what) };
    let page = out.join(page);
    let page = page.canonicalize().unwrap_or(page);
    // For a folder with many files its name is enough.
    let place =
        |name: &str| name.split_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/"));
    let mut beside: Vec<String> = export.files.iter().skip(1).map(|file| place(&file.name)).collect();
    beside.dedup();
    format!("{}: {} (in the same folder: {})", export.what, page.display(), beside.join(", "))
}

/// The status of a run: with failures if a cell has failed.
pub(crate) fn ended(report: &Report) -> Status {
    if report.has_failures() { Status::WithFailures } else { Status::Done }
}

fn width() -> usize {
    terminal_size_of(io::stdout()).map_or(120, |(Width(columns), _)| usize::from(columns))
}

fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_repeats_a_run_has_its_seed_and_no_password() {
        let repeat = |line: &str| {
            let command: Vec<String> = line.split(' ').map(str::to_owned).collect();
            repeat(&command, 7).unwrap()
        };
        assert_eq!(repeat("/bin/tlslab run --stack a@b#c"), "tlslab run --stack 'a@b#c' --seed 7");
        assert_eq!(repeat("tlslab run --seed=3"), "tlslab run --seed=3");
        assert_eq!(repeat("tlslab choose --by time"), "tlslab choose --by time");
        for command in
            ["tlslab run --store postgres://u:secret@h/d", "tlslab run --store=postgres://u:secret@h/d"]
        {
            assert!(!repeat(command).contains("secret") && repeat(command).contains("@h/d"), "{command}");
        }
        assert_eq!(super::repeat(&[], 7), None);
    }
}
