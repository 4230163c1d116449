//! A table of a document's page.

/// A table of texts.
pub(super) struct Grid {
    pub id: String,
    pub title: String,
    pub basis: String,
    pub head: Vec<Cell>,
    pub rows: Vec<Vec<Cell>>,
    pub note: Option<String>,
    pub causes: Vec<String>,
    pub far: Vec<String>,
}

pub(super) struct Cell {
    pub text: String,
    pub is_figure: bool,
}
