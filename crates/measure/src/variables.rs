//! The variables that a driver is started with, beyond those of every driver.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::count_folder::CountFolder;
use crate::placement::MemoryPlacement;

/// A driver's own variables, those of its memory placement, and the library to preload before its own: the
/// given one, or that of a counter.
pub(crate) fn variables_of(
    environment: &BTreeMap<String, String>,
    placement: Option<MemoryPlacement>,
    preload: Option<&Path>,
    is_counted: bool,
) -> BTreeMap<String, OsString> {
    const LOADED_FIRST: &str = "LD_PRELOAD";
    let own = environment.clone().into_iter();
    let placed = placement.map(MemoryPlacement::variables).unwrap_or_default();
    let mut all: BTreeMap<String, OsString> =
        own.chain(placed).map(|(name, value)| (name, OsString::from(value))).collect();
    let preload = preload.or(is_counted.then(|| Path::new(CountFolder::PRELOAD)));
    if let Some(library) = preload {
        let first = all.entry(LOADED_FIRST.to_owned()).or_default();
        let mut list = library.as_os_str().to_owned();
        if !first.is_empty() {
            list.push(":");
            list.push(&*first);
        }
        *first = list;
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tlslab_record::Placement;

    use super::*;
    use crate::schedule::Schedule;

    #[test]
    fn the_environment_varies_in_length_where_placement_is_drawn_and_nowhere_else() {
        let environment = BTreeMap::from([("OWN".to_owned(), "1".to_owned())]);
        let own: BTreeMap<String, OsString> = [("OWN".to_owned(), "1".into())].into();
        assert_eq!(variables_of(&environment, None, None, false), own);
        let length = |variables: &BTreeMap<String, OsString>| -> usize {
            variables.iter().map(|(name, value)| name.len() + value.len()).sum()
        };
        let drawn = |round| {
            let placement = Schedule::new(7).placement(Placement::Randomised, round, 0);
            variables_of(&environment, placement, None, false)
        };
        assert_eq!(drawn(0), drawn(0));
        assert_eq!(drawn(0)["OWN"], "1");
        let lengths: HashSet<usize> = (0..200).map(|round| length(&drawn(round))).collect();
        assert!(lengths.len() > 100, "{}", lengths.len());
        // The stack begins at multiples of 16: all lengths differ by those.
        let least = lengths.iter().min().unwrap();
        assert!(lengths.iter().all(|length| (length - least).is_multiple_of(16) && length - least < 4096));
    }
}
