//! Formats of results and lists.

use clap::ValueEnum;

/// What a list looks like.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ListFormat {
    /// For a terminal.
    Table,
    /// For programs: one object per entry.
    Json,
    /// For a repository.
    Markdown,
}

impl From<ListFormat> for tlslab_text::ListFormat {
    fn from(format: ListFormat) -> Self {
        match format {
            ListFormat::Table => Self::Table,
            ListFormat::Json => Self::Json,
            ListFormat::Markdown => Self::Markdown,
        }
    }
}

/// What a result looks like.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
    Table,
    /// One object per cell; `tlslab schema results` describes it.
    Json,
    /// One row per cell.
    Csv,
    /// For a pull request or an issue.
    Markdown,
    /// One self-contained page.
    Html,
}
