//! Names with words in braces: what the words stand for in one name is put into another.

use std::collections::{BTreeMap, HashMap};

/// What each word stands for.
pub(super) type Parts<'t, 'n> = HashMap<&'t str, &'n str>;

/// The words in braces.
pub(super) fn words(template: &str) -> Result<Vec<&str>, String> {
    let mut words = Vec::new();
    let mut rest = template;
    while let Some((_, after)) = rest.split_once('{') {
        let (word, after) =
            after.split_once('}').ok_or_else(|| format!("\"{template}\" has a {{ without a }}"))?;
        words.push(word);
        rest = after;
    }
    Ok(words)
}

/// What the words of a template stand for in a name that fits it.
pub(super) fn captured<'t, 'n>(template: &'t str, name: &'n str) -> Option<Parts<'t, 'n>> {
    let (mut templates, mut names) = (template.split('/'), name.split('/'));
    let mut parts = HashMap::new();
    loop {
        match (templates.next(), names.next()) {
            (None, None) => return Some(parts),
            (Some(template), Some(name)) => {
                match template.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                    // A word that comes twice stands for the same part.
                    Some(word) if *parts.entry(word).or_insert(name) != name => return None,
                    Some(_) => {}
                    None if template != name => return None,
                    None => {}
                }
            }
            _ => return None,
        }
    }
}

/// A template with its words replaced by what they stand for, as `called` has it where it is called
/// otherwise.
pub(super) fn filled(template: &str, parts: &Parts<'_, '_>, called: &BTreeMap<String, String>) -> String {
    let mut name = template.to_owned();
    for (word, part) in parts {
        let called = called.get(*part).map_or(*part, String::as_str);
        name = name.replace(&format!("{{{word}}}"), called);
    }
    name
}
