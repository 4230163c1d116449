//! Common questions, each with the command that answers it and its output.

use askama::Template;

use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its subject; questions of one subject follow each other.
    pub subject: String,
    /// The question.
    pub question: String,
    /// How long the command takes, and other notes.
    pub notes: String,
    /// The command.
    pub command: String,
    /// The command's last output, the answer first; empty if it needs the reader's own sources.
    pub output: String,
}

#[derive(Template)]
#[template(path = "site/questions.html")]
struct Body {
    subjects: Vec<(String, Vec<Row>)>,
}

struct Row {
    question: Question,
    id: String,
    answer: Vec<String>,
}

/// The first paragraph, or the second if the first is the heading of a run.
fn answer(output: &str) -> Vec<String> {
    let mut paragraphs = output.split("\n\n").filter(|paragraph| !paragraph.starts_with(RUN));
    paragraphs.next().unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
}

/// The prefix of a run's heading.
const RUN: &str = "tlslab ";

/// The page.
#[must_use]
pub fn questions(questions: &[Question], links: &dyn Links) -> Page {
    let mut subjects: Vec<(String, Vec<Row>)> = Vec::new();
    for question in questions {
        let answer = answer(&question.output);
        let letters = question.question.to_lowercase();
        let words = letters.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let row = Row { question: question.clone(), id: words.collect::<Vec<_>>().join("-"), answer };
        match subjects.last_mut().filter(|(subject, _)| *subject == question.subject) {
            Some((_, rows)) => rows.push(row),
            None => subjects.push((question.subject.clone(), vec![row])),
        }
    }
    Page {
        title: "Questions".to_owned(),
        section: Some(Section::Questions),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none("Questions")],
        body: Html::of(&Body { subjects }),
        ..Page::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_stands_before_the_table() {
        assert_eq!(answer("A costs more.\nB, too.\n\n table\n"), ["A costs more.", "B, too."]);
        assert_eq!(
            answer("tlslab 0.1.0 · custom\nhost: h\n\nA is smallest: 1 MB,\n  B more.\n\ntable"),
            ["A is smallest: 1 MB,", "B more."]
        );
        assert!(answer("").is_empty());
    }
}
