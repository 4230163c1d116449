//! A driver's folder.

/// The heading in a driver's README above the choices that affect results.
pub const CHOICES: &str = "Choices that affect results";

/// A driver's folder, read.
pub struct DriverFolder {
    /// Its name below `drivers/`.
    pub name: String,
    /// Its README, or that of the folder whose code it shares.
    pub readme: String,
    /// Each text file except its README, its lock file and generated files: the path within the folder, and
    /// the text.
    pub files: Vec<(String, String)>,
    /// The folders whose sources are compiled with its own.
    pub shares: Vec<String>,
}

impl DriverFolder {
    /// The lines of all its files.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.files.iter().map(|(_, text)| text.lines().count()).sum()
    }

    /// The README's text below the heading of choices; `None` if it has no such heading.
    #[must_use]
    pub fn choices(&self) -> &str {
        let heading = format!("## {CHOICES}\n");
        let Some((_, after)) = self.readme.split_once(&heading) else { return "" };
        after.split("\n## ").next().unwrap_or(after).trim()
    }

    /// The README's text before its first subheading, without the title.
    pub(super) fn introduction(&self) -> &str {
        let text = self.readme.split("\n## ").next().unwrap_or_default();
        text.split_once('\n').map_or("", |(_, after)| after).trim()
    }
}
