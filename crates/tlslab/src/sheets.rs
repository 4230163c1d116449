//! Tables of functions.

use tlslab_pages::{Alone, functions};
use tlslab_profile::{Sheet, markdown, text};

use crate::cli::SheetFormat;

/// A table of functions in a format.
pub(crate) fn shown(sheet: &Sheet, format: SheetFormat, callers: bool) -> anyhow::Result<String> {
    Ok(match format {
        SheetFormat::Table => text(sheet, callers),
        SheetFormat::Markdown => markdown(sheet),
        SheetFormat::Json => serde_json::to_string_pretty(sheet)? + "\n",
        SheetFormat::Html => functions(sheet, &Alone).html(&Alone),
    })
}
