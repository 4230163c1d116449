//! The questions of the documentation, with the command and the answer of each.

use tlslab_pages::site::Question;

/// The page of the documentation. A test runs its commands and compares their output.
const PAGE: &str = include_str!("../../../docs/questions.md");

/// The questions in the order of the page.
pub(crate) fn questions() -> Vec<Question> {
    read(PAGE)
}

/// A heading of the second level is a subject, one of the third a question; the first block of code below it
/// has the command.
fn read(page: &str) -> Vec<Question> {
    let (mut found, mut subject): (Vec<Question>, String) = (Vec::new(), String::new());
    let mut is_code = false;
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            title.clone_into(&mut subject);
        } else if let Some(title) = line.strip_prefix("### ") {
            found.push(Question {
                subject: subject.clone(),
                question: title.to_owned(),
                notes: String::new(),
                command: String::new(),
                output: String::new(),
            });
        } else if line.starts_with("```") {
            is_code = !is_code;
        } else if let Some(question) = found.last_mut() {
            match line.strip_prefix("$ ") {
                _ if !is_code && question.command.is_empty() && !line.starts_with("<!--") => {
                    question.notes += &format!("{} ", plain(line));
                }
                Some(command) if is_code => command.clone_into(&mut question.command),
                None if is_code && question.command.is_empty() => line.clone_into(&mut question.command),
                None if is_code => question.output += &format!("{line}\n"),
                _ => {}
            }
        }
    }
    for question in &mut found {
        question.notes = question.notes.trim().to_owned();
        question.output = question.output.trim_end().to_owned();
    }
    found
}

/// Text without the links and marks of Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain += before;
        match link.split_once("](").and_then(|(name, end)| Some((name, end.split_once(')')?.1))) {
            Some((name, after)) => {
                plain += name;
                rest = after;
            }
            None => {
                plain.push('[');
                rest = link;
            }
        }
    }
    (plain + rest).replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_its_notes_its_command_and_what_it_prints() {
        let page = "# Q\n\nText.\n\n## A\n\n### Why?\n\n1 minute. See [there](x.md), `so`.\n\n<!-- builds -->\n```console\n$ tlslab a\nthis\n\nthat\n```\n\n\
             More.\n\n## B\n\n### How?\n\nLong.\n\n```\ntlslab b\n```\n";
        let found = read(page);
        let [one, other] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&*one.subject, &*one.question, &*one.command), ("A", "Why?", "tlslab a"));
        assert_eq!((&*one.notes, &*one.output), ("1 minute. See there, so.", "this\n\nthat"));
        assert_eq!((&*other.command, &*other.output), ("tlslab b", ""));
    }

    #[test]
    fn every_question_has_a_command() {
        let found = questions();
        assert!(found.len() >= 15);
        for question in found {
            assert!(question.command.starts_with("tlslab "), "{}", question.question);
            assert!(!question.notes.is_empty(), "{}: how long?", question.question);
        }
    }
}
