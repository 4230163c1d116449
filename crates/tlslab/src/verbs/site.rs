//! `tlslab site`: a database as a static web site.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tlslab_job::Status;
use tlslab_record::Policy;
use tlslab_site::{Options, Site, Source, write};
use tlslab_text::number::counted;

use crate::cli::KeptArgs;
use crate::verbs::stacks::committed_capabilities;

/// Arguments of `site`.
#[derive(Args)]
pub(crate) struct SiteArgs {
    /// The folder of the site: new, empty, or one that this command has written.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The address at which the site will be, with a slash at its end; the feed names it [default: links are
    /// relative].
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub base: String,
    /// A database that was packed by zstd, instead of the one with the runs; may be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Vec<PathBuf>,
    /// A file that `tlslab stacks --capabilities --format json` has printed, for a page of each stack's
    /// capabilities.
    #[arg(long, value_name = "FILE")]
    pub capabilities: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// The most broken links that are printed.
const MOST_BROKEN: usize = 20;

/// Writes the site. It needs no lab folder: the database and the file of capabilities contain everything.
pub(crate) fn site(args: &SiteArgs) -> anyhow::Result<Status> {
    let is_address = args.base.starts_with("http") && args.base.ends_with('/');
    if !args.base.is_empty() && !is_address {
        bail!(
            "--base: {:?} is not an address that ends with a slash, such as https://bench.example/tls/",
            args.base
        );
    }
    let began = Instant::now();
    let capabilities =
        args.capabilities.as_deref().map(committed_capabilities).transpose()?.unwrap_or_default();
    let policy = Policy::default().history;
    let source = match args.recorded.is_empty() {
        false => Source::all_recorded(&args.recorded, policy)?,
        true => Source::open(args.kept.results(), policy)?,
    };
    let options = Options { base: args.base.clone(), capabilities, ..Options::default() };
    let site = Site::read(source, &options)?;
    let bar = std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("site [{bar:30}] {pos}/{len}, {eta} left {wide_msg:.dim}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar
    });
    let mut progress = |done: usize, all: usize, path: &str| {
        if let Some(bar) = &bar {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            bar.set_message(path.to_owned());
        }
    };
    let written = write(&site, &args.folder, &program()?, &mut progress)?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let (largest, bytes) = &written.largest_page;
    outln!(
        "{}, {:.1} MB, in {}: {} written, {} removed, in {:.1} s; the largest page is {largest}, {:.0} KB",
        counted(written.files, "file"),
        written.bytes as f64 / 1e6,
        args.folder.display(),
        written.written,
        written.removed,
        began.elapsed().as_secs_f64(),
        *bytes as f64 / 1e3
    );
    for (page, to) in written.broken.iter().take(MOST_BROKEN) {
        errln!("site: {page} has a broken link: {to}");
    }
    let broken = written.broken.len();
    Ok(if broken > 0 { Status::WithFailures } else { Status::Done })
}

/// The identity of this build of the program.
fn program() -> anyhow::Result<String> {
    let path = std::env::current_exe().context("cannot find the lab's own program")?;
    let about = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    let modified = about.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let nanos = modified.map(|since| since.as_nanos()).unwrap_or_default();
    Ok(format!("tlslab {} {} {nanos}", env!("CARGO_PKG_VERSION"), about.len()))
}
