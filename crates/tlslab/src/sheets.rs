//! Tables of functions.

use clap::{Args, ValueEnum};
use tlslab_lab::{
    request::CountedFunctions, request::Iterations, request::Profiler, request::Selection, request::Top,
};
use tlslab_pages::{Alone, functions};
use tlslab_profile::{Sheet, markdown, text};
use tlslab_protocol::Side;
use tlslab_record::Seconds;

use crate::cli::values::{Values, parse_named};

/// What counts functions.
const PROFILERS: Values = &[
    (
        "valgrind",
        "The lab's valgrind tool: with source files and inlined code; it emulates a processor with fewer instruction-set extensions",
    ),
    ("frida", "Frida, which counts what runs on the processor itself"),
];

/// A side of a connection.
const SIDES: Values = &[("client", "The client"), ("server", "The server")];

/// Which functions are shown, and how.
#[derive(Args)]
pub(crate) struct ShownArgs {
    /// One side's functions [default: both, apart].
    #[arg(long, value_parser = parse_named::<Side>(SIDES))]
    pub side: Option<Side>,
    /// One phase: create, handshake, handshake.1, handshake.2, post_handshake, free, send, receive,
    /// close, operation.
    #[arg(long, value_name = "PHASE")]
    pub phase: Option<String>,
    /// The number of functions to show; the others are summed in one line.
    #[arg(long, value_name = "N", default_value = "25")]
    pub top: Top,
    /// The output format.
    #[arg(long, value_enum, default_value_t = SheetFormat::Table)]
    pub format: SheetFormat,
}

impl ShownArgs {
    /// The same for a request.
    pub(crate) fn request(&self) -> Selection {
        Selection { side: self.side, phase: self.phase.clone(), top: self.top }
    }
}

/// How the work is counted.
#[derive(Args)]
pub(crate) struct HowCountedArgs {
    /// The instruction counter [default: the lab's valgrind tool].
    #[arg(long, value_parser = parse_named::<Profiler>(PROFILERS))]
    pub counter: Option<Profiler>,
    /// Iterations of each count.
    #[arg(long = "count-iterations", alias = "iterations", value_name = "N", default_value = "32")]
    pub iterations: Iterations,
    /// How long the driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub timeout: Seconds,
}

impl HowCountedArgs {
    /// The same for a request.
    pub(crate) fn request(&self) -> CountedFunctions {
        CountedFunctions { counter: self.counter, iterations: self.iterations, timeout_s: self.timeout }
    }
}

/// The format of a table of functions.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum SheetFormat {
    /// For a terminal.
    Table,
    /// For a pull request or an issue.
    Markdown,
    /// Everything that the page shows.
    Json,
    /// One self-contained page with a flame graph.
    Html,
}

/// A table of functions in a format.
pub(crate) fn write_sheet(sheet: &Sheet, format: SheetFormat, callers: bool) -> anyhow::Result<String> {
    Ok(match format {
        SheetFormat::Table => text(sheet, callers),
        SheetFormat::Markdown => markdown(sheet),
        SheetFormat::Json => serde_json::to_string_pretty(sheet)? + "\n",
        SheetFormat::Html => functions(sheet, &Alone).html(&Alone),
    })
}
