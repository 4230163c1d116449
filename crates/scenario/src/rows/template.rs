//! Names with words in braces: values captured from one name are inserted into another.

use std::collections::{BTreeMap, HashMap};

/// The value of each word.
pub(super) type Parts<'t, 'n> = HashMap<&'t str, &'n str>;

/// The words in braces, in order.
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

/// The values of a template's words in a name that matches it.
pub(super) fn captured<'t, 'n>(template: &'t str, name: &'n str) -> Option<Parts<'t, 'n>> {
    let (mut templates, mut names) = (template.split('/'), name.split('/'));
    let mut parts = HashMap::new();
    loop {
        match (templates.next(), names.next()) {
            (None, None) => return Some(parts),
            (Some(template), Some(name)) => {
                match template.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                    // A repeated word matches the same part.
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

/// A template with its words replaced by their values, or by the replacement in `called`.
pub(super) fn filled(template: &str, parts: &Parts<'_, '_>, called: &BTreeMap<String, String>) -> String {
    let mut name = template.to_owned();
    for (word, part) in parts {
        let called = called.get(*part).map_or(*part, String::as_str);
        name = name.replace(&format!("{{{word}}}"), called);
    }
    name
}
