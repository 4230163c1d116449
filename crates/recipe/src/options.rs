//! A recipe's own placeholders: lists of arguments that versions and variants change without repeating the
//! steps.

use std::collections::BTreeMap;

use crate::written::Written;

type Options = BTreeMap<String, Vec<String>>;

/// Replaces the options wherever a recipe may use them.
pub(crate) fn put_in(written: &mut Written) {
    let options = std::mem::take(&mut written.options);
    if options.is_empty() {
        return;
    }
    if let Some(build) = &mut written.build {
        for step in &mut build.steps {
            *step = words(step, &options);
        }
        texts(&mut build.env, &options);
    }
    if let Some(link) = &mut written.link {
        link.cflags = words(&link.cflags, &options);
        link.args = words(&link.args, &options);
    }
    if let Some(make) = &mut written.make {
        texts(&mut make.variables, &options);
    }
    if let Some(cargo) = &mut written.cargo {
        texts(&mut cargo.env, &options);
    }
}

/// An argument that consists only of an option becomes as many arguments as the option has.
fn words(written: &[String], options: &Options) -> Vec<String> {
    let mut filled = Vec::new();
    for word in written {
        let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
        match name.and_then(|name| options.get(name)) {
            Some(option) => filled.extend(option.iter().cloned()),
            None => filled.push(text(word, options)),
        }
    }
    filled
}

fn texts(written: &mut BTreeMap<String, String>, options: &Options) {
    for value in written.values_mut() {
        *value = text(value, options);
    }
}

fn text(written: &str, options: &Options) -> String {
    options.iter().fold(written.to_owned(), |text, (name, option)| {
        text.replace(&format!("{{{name}}}"), &option.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_as_many_arguments_as_it_has() {
        let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let options = Options::from([("no".into(), list(&[])), ("two".into(), list(&["-a", "-b"]))]);
        let filled = words(&list(&["{no}", "{two}", "x={two}", "{three}"]), &options);
        assert_eq!(filled, ["-a", "-b", "x=-a -b", "{three}"]);
    }
}
