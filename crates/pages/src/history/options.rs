//! What a page of histories shows.

/// What a page of histories shows.
#[derive(Clone, Debug)]
pub struct HistoryOptions {
    /// What the series have in common, such as the name of a stack; none if they are all that there are.
    pub of: Option<String>,
    /// Which series the page shows, in a sentence; empty if there is nothing to say.
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
