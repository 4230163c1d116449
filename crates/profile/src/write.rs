//! Files in the format of callgrind, written.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Profile;
use crate::function::UNKNOWN;

/// The self cost of each function, for programs that read callgrind's files, without calls and lines.
/// `command` takes the place of the command that callgrind ran.
pub fn write(profile: &Profile, command: &str) -> String {
    let numbers = |costs: &[u64]| costs.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let mut text = "# callgrind format\nversion: 1\ncreator: tlslab\n".to_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "cmd: {command}\npositions: line\nevents: {}", profile.events.join(" "));
    let _ = writeln!(text, "summary: {}", numbers(&profile.totals()));
    let [mut objects, mut files, mut functions] = [(); 3].map(|()| Names::default());
    for (function, costs) in &profile.functions {
        let _ = write!(
            text,
            "\nob={}\nfl={}\nfn={}\n0 {}\n",
            objects.name(&function.object),
            files.name(&function.file),
            functions.name(&function.name),
            numbers(costs)
        );
    }
    text
}

/// Names that have a number when they come again.
#[derive(Default)]
struct Names<'n>(BTreeMap<&'n str, usize>);

impl<'n> Names<'n> {
    fn name(&mut self, name: &'n str) -> String {
        let name = if name.is_empty() { UNKNOWN } else { name };
        if let Some(number) = self.0.get(name) {
            return format!("({number})");
        }
        let number = self.0.len() + 1;
        self.0.insert(name, number);
        format!("({number}) {name}")
    }
}
