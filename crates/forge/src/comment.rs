//! Finding one's own comment, and leaving it.

use crate::answer::well;
use crate::forge::Comment;
use crate::patience::{again, read};
use crate::{Forge, ForgeError, Transport};

/// Comments are looked through up to here; then a new one is made.
pub(crate) const MOST_PAGES: usize = 200;

/// The line, unseen by readers, by which a comment is found again.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark(String);

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// A new comment, with this number.
    Made(u64),
    /// It was edited.
    Edited(u64),
    /// The comment has this text already.
    Same(u64),
}

impl Mark {
    /// The mark of a name: letters, digits, `.`, `_` and `-`, up to 64.
    pub fn of(name: &str) -> Result<Self, ForgeError> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        // Two dashes would end the mark, or not, as readers differ.
        let is_good = (1..=64).contains(&name.len()) && name.chars().all(is_name) && !name.contains("--");
        if !is_good {
            let why = "use up to 64 letters, digits, dots, underscores and single dashes";
            return Err(ForgeError::Name { what: "name of the comment", text: name.to_owned(), why });
        }
        Ok(Self(format!("<!-- tlslab:{name} -->")))
    }

    /// A text below the mark.
    pub fn put_on(&self, text: &str) -> String {
        format!("{}\n{text}", self.0)
    }

    pub(crate) fn is_on(&self, text: &str) -> bool {
        text.lines().next().is_some_and(|line| line.trim_end() == self.0)
    }
}

/// The measured pull request.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'m> {
    /// The pull request's number.
    pub number: u64,
    /// The commit that was measured.
    pub commit: &'m str,
    /// The number of the repository that the commit came from, if it is known: two pull requests may have one
    /// commit.
    pub repository: Option<u64>,
}

/// Posts a text on a pull request that is at a commit: edits the comment that has the mark and the token's
/// author, or creates one. `author` is queried if it is `None`.
pub fn leave(
    transport: &mut dyn Transport,
    forge: &Forge,
    measured: Measured<'_>,
    mark: &Mark,
    text: &str,
    author: Option<&str>,
) -> Result<Left, ForgeError> {
    let Measured { number, commit, repository } = measured;
    let ask = forge.pull(number);
    let answer = well(&ask, read(transport, &ask)?, forge.need())?;
    let head =
        forge.head(&answer.body).ok_or(ForgeError::Incomplete { url: ask.url, what: "head commit" })?;
    if head != commit {
        // It comes from outside, and is put into a message.
        let head = head.chars().filter(char::is_ascii_hexdigit).take(64).collect();
        return Err(ForgeError::Moved { number, head, measured: commit.to_owned() });
    }
    if repository.is_some() && forge.origin(&answer.body) != repository {
        return Err(ForgeError::Elsewhere { number });
    }
    let author = match author {
        Some(author) => author.to_owned(),
        None => who(transport, forge)?,
    };
    let text = mark.put_on(text);
    let mut tried = 0;
    loop {
        // Searched for each time: a failed request may have succeeded nevertheless.
        let found = find(transport, forge, number, mark, &author)?;
        let ask = match &found {
            Some(found) if found.body == text => return Ok(Left::Same(found.id)),
            Some(found) => forge.edit(number, found.id, &text),
            None => forge.make(number, &text),
        };
        let answer = transport.send(&ask)?;
        if again(transport, &ask, &answer, &mut tried)? {
            continue;
        }
        let answer = well(&ask, answer, forge.need())?;
        return match found {
            Some(found) => Ok(Left::Edited(found.id)),
            None => {
                let id = answer.body.get("id").and_then(serde_json::Value::as_u64);
                Ok(Left::Made(id.ok_or(ForgeError::Incomplete { url: ask.url, what: "id of the comment" })?))
            }
        };
    }
}

/// The first comment with the mark that is the author's own.
fn find(
    transport: &mut dyn Transport,
    forge: &Forge,
    number: u64,
    mark: &Mark,
    author: &str,
) -> Result<Option<Comment>, ForgeError> {
    let mut before = None;
    for page in 1..=MOST_PAGES {
        let ask = forge.comments(number, page);
        let answer = well(&ask, read(transport, &ask)?, forge.need())?;
        let listed = forge.listed(&answer.body);
        let listed = listed.ok_or(ForgeError::Incomplete { url: ask.url, what: "list of comments" })?;
        // A forge may return fewer comments per page than requested, so only an empty page is the end. A
        // forge that ignores the page returns the same again.
        let first = listed.first().map(|comment| comment.id);
        if first.is_none() || first == before {
            return Ok(None);
        }
        before = first;
        let own = |comment: &Comment| comment.author == author && mark.is_on(&comment.body);
        if let Some(found) = listed.into_iter().find(own) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The account of the token.
fn who(transport: &mut dyn Transport, forge: &Forge) -> Result<String, ForgeError> {
    let ask = forge.who();
    let answer = read(transport, &ask)?;
    if let (403, Some(name)) = (answer.status, forge.nameless()) {
        return Ok(name.to_owned());
    }
    let answer = well(&ask, answer, forge.need())?;
    forge.name(&answer.body).ok_or(ForgeError::Incomplete { url: ask.url, what: "name" })
}
