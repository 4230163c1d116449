//! Options of a page of histories.

/// Options of a page of histories.
#[derive(Clone, Debug)]
pub struct HistoryOptions {
    /// The common property of the series, such as the name of a stack; none if they are all series.
    pub of: Option<String>,
    /// The series that the page shows, in a sentence; may be empty.
    pub shown: String,
    /// A step of a count that is smaller than this is grey and not in the headline, as a share.
    pub negligible: f64,
    /// How many steps the table has; the plots have all.
    pub most_steps: usize,
    /// How many series the table of summaries has; the list has all.
    pub most_summaries: usize,
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self { of: None, shown: String::new(), negligible: 0.001, most_steps: 200, most_summaries: 400 }
    }
}
