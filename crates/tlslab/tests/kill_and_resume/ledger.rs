//! The moments that were played before, in a file: a long series resumes where it ended.

use super::*;

/// One line for each moment: its kind, its number and whether it hit a run in progress. The first line has
/// the seed.
pub(crate) struct Ledger {
    kind: &'static str,
    path: Option<PathBuf>,
    lines: Vec<String>,
}

impl Ledger {
    /// The ledger of one kind of kills; empty if none is named.
    pub(crate) fn open(kind: &'static str) -> Self {
        let path = std::env::var_os("TLSLAB_KILL_LEDGER").map(PathBuf::from);
        let text = path.as_ref().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        Self { kind, path, lines: text.lines().map(str::to_owned).collect() }
    }

    /// The seed of the series, drawn when it begins.
    pub(crate) fn seed(&mut self, draw: impl FnOnce() -> u64) -> u64 {
        let mark = format!("{} seed ", self.kind);
        if let Some(seed) = self.lines.iter().find_map(|line| line.strip_prefix(&mark)?.parse().ok()) {
            return seed;
        }
        let seed = draw();
        self.write(format!("{mark}{seed}"));
        seed
    }

    /// Whether a moment was played, and then whether it hit.
    pub(crate) fn played(&self, moment: usize) -> Option<bool> {
        let mark = format!("{} {moment} ", self.kind);
        self.lines.iter().find_map(|line| Some(line.strip_prefix(&mark)? == "hit"))
    }

    /// Records a moment that was played successfully.
    pub(crate) fn add(&mut self, moment: usize, hit: bool) {
        self.write(format!("{} {moment} {}", self.kind, if hit { "hit" } else { "missed" }));
    }

    fn write(&mut self, line: String) {
        self.lines.push(line);
        if let Some(path) = &self.path {
            // Several kinds have one file.
            let others = fs::read_to_string(path).unwrap_or_default();
            let own = self.lines.last().map(String::as_str).unwrap_or_default();
            fs::write(path, format!("{others}{own}\n")).expect("the ledger can be written");
        }
    }
}
