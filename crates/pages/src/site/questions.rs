//! The questions that people ask, each with the command that answers it and what it printed.

use askama::Template;

use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What it is about; questions of one subject follow each other.
    pub subject: String,
    /// The question.
    pub question: String,
    /// How long the command takes, and what else to know.
    pub notes: String,
    /// The command.
    pub command: String,
    /// What it printed when it was last run, the answer first; empty if it needs sources of the reader's own.
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

/// The page.
#[must_use]
pub fn questions(questions: &[Question], links: &dyn Links) -> Page {
    let mut subjects: Vec<(String, Vec<Row>)> = Vec::new();
    for question in questions {
        let answer = question.output.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect();
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
