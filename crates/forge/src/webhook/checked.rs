//! Values from outside, checked and bounded.

use serde::de::DeserializeOwned;

use super::incoming::{Person, Repository};
use super::unreadable::Unreadable;

/// Bytes of a branch's name that git and the forges allow.
const LONGEST_BRANCH: usize = 255;
/// Bytes of a repository's path: GitLab has nested groups.
const LONGEST_PATH: usize = 500;
/// Bytes of an address.
const LONGEST_URL: usize = 1_000;
/// Bytes of the name of an account.
const LONGEST_LOGIN: usize = 255;

/// Whether it is an id of a commit as git prints it, by SHA-1 or SHA-256.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// A time as a forge writes it: RFC 3339, or as GitLab's events have it, `2026-11-27 18:00:00 UTC`.
pub(crate) fn unix_s(text: &str) -> Option<u64> {
    let text = match text.strip_suffix(" UTC") {
        Some(time) => format!("{}Z", time.replacen(' ', "T", 1)),
        None => text.to_owned(),
    };
    let at: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(at.as_second()).ok()
}

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(body).map_err(|error| {
        // It quotes values.
        let cause = error.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect();
        Unreadable::Json { cause }
    })
}

pub(super) fn need<T>(value: Option<T>, what: &'static str) -> Result<T, Unreadable> {
    value.ok_or(Unreadable::Missing { what })
}

/// An id or a number: positive, as a database can store it.
pub(super) fn id(value: Option<i64>, what: &'static str) -> Result<u64, Unreadable> {
    let id = u64::try_from(need(value, what)?).unwrap_or(0);
    if id == 0 { Err(Unreadable::Invalid { what, why: "it is not positive" }) } else { Ok(id) }
}

/// A commit; none if the text is empty or all zeros.
pub(super) fn commit(text: Option<String>, what: &'static str) -> Result<Option<String>, Unreadable> {
    let is_none = |text: &String| text.bytes().all(|digit| digit == b'0');
    match text.filter(|text| !is_none(text)) {
        Some(text) if is_commit(&text) => Ok(Some(text)),
        Some(_) => Err(Unreadable::Invalid { what, why: "it is not 40 or 64 hexadecimal digits" }),
        None => Ok(None),
    }
}

/// A branch's name by git's rules for references.
pub(super) fn branch(name: String, what: &'static str) -> Result<String, Unreadable> {
    let is_letter =
        |letter: char| !letter.is_control() && !letter.is_whitespace() && !"~^:?*[\\".contains(letter);
    let is_good = (1..=LONGEST_BRANCH).contains(&name.len())
        && name.chars().all(is_letter)
        && !name.starts_with(['-', '/'])
        && !name.ends_with(['/', '.'])
        && ["..", "//", "@{"].iter().all(|wrong| !name.contains(wrong));
    if is_good {
        Ok(name)
    } else {
        Err(Unreadable::Invalid { what, why: "git does not allow this branch name" })
    }
}

pub(crate) fn repository(
    id: u64,
    path: Option<String>,
    default_branch: Option<String>,
    clone_url: Option<String>,
) -> Result<Repository, Unreadable> {
    let path = need(path, "path of the repository")?;
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.bytes().all(|letter| letter == b'.')
            && part.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"._-".contains(&letter))
    };
    if path.len() > LONGEST_PATH || !path.contains('/') || !path.split('/').all(is_part) {
        return Err(Unreadable::Invalid { what: "path of the repository", why: "it is not OWNER/NAME" });
    }
    let clone_url = need(clone_url, "clone address of the repository")?;
    let is_web = clone_url.starts_with("https://") || clone_url.starts_with("http://");
    if !is_web || clone_url.len() > LONGEST_URL || !clone_url.bytes().all(|byte| byte.is_ascii_graphic()) {
        let what = "clone address of the repository";
        return Err(Unreadable::Invalid { what, why: "it is not an address that begins with https://" });
    }
    // A repository without commits has none, and some forges then send an empty one.
    let default_branch = default_branch.filter(|name| !name.is_empty());
    let default_branch = default_branch.map(|name| branch(name, "default branch")).transpose()?;
    Ok(Repository { id, path, default_branch, clone_url })
}

/// An account; without an id it has no rights.
pub(crate) fn person(login: Option<String>, id: Option<i64>, is_bot: bool) -> Result<Person, Unreadable> {
    let login = login.unwrap_or_default();
    if login.len() > LONGEST_LOGIN || !login.bytes().all(|letter| letter.is_ascii_graphic()) {
        let why = "it is not up to 255 printable ASCII characters";
        return Err(Unreadable::Invalid { what: "name of an account", why });
    }
    // Gitea counts its own accounts below zero.
    let is_bot = is_bot || id.is_some_and(|id| id < 0) || login.ends_with("[bot]");
    let id = id.and_then(|id| u64::try_from(id).ok()).unwrap_or(0);
    Ok(Person { login, id, is_bot })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_what_git_prints() {
        let sha1 = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_commit(sha1) && is_commit(&"a".repeat(64)));
        for wrong in ["", "abc", &sha1.to_uppercase(), &"a".repeat(41), &"g".repeat(40), &"ä".repeat(20)] {
            assert!(!is_commit(wrong), "{wrong}");
        }
        assert_eq!(commit(Some("0".repeat(40)), "x"), Ok(None));
        assert_eq!(commit(Some(String::new()), "x"), Ok(None));
        assert!(commit(Some("--upload-pack=x".to_owned()), "x").is_err());
    }

    #[test]
    fn times_are_read_as_forges_write_them() {
        for text in ["2026-01-01T00:00:10Z", "2026-01-01T01:00:10+01:00", "2026-01-01 00:00:10 UTC"] {
            assert_eq!(unix_s(text), Some(1_767_225_610), "{text}");
        }
        assert!(unix_s("yesterday").is_none() && unix_s("1969-01-01T00:00:00Z").is_none());
    }

    #[test]
    fn a_branch_is_what_git_allows() {
        for good in ["main", "feature/x.y", "größe", "a@b"] {
            assert_eq!(branch(good.to_owned(), "x").as_deref(), Ok(good));
        }
        for wrong in
            ["", "-x", "a b", "a..b", "a//b", "/a", "a/", "a\n", "a~1", "a:b", "@{", &"a".repeat(256)]
        {
            assert!(branch(wrong.to_owned(), "x").is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_path_cannot_lead_elsewhere() {
        let of = |path: &str, url: &str| repository(1, Some(path.to_owned()), None, Some(url.to_owned()));
        assert!(of("a/b/c", "https://forge.example/a/b/c.git").is_ok());
        for wrong in ["a", "../b", "a/..", "a//b", "a/b?c", "/a/b", "a/b/"] {
            assert!(of(wrong, "https://forge.example/a/b.git").is_err(), "{wrong}");
        }
        for wrong in ["", "ssh://x", "file:///etc", "-x", "https://a b", "ext::sh"] {
            assert!(of("a/b", wrong).is_err(), "{wrong}");
        }
    }
}
