//! The same requests in the form of each forge.

use serde_json::{Value, json};

use crate::{Ask, ForgeError, Kind};

/// Comments per request.
pub(crate) const PAGE: usize = 100;

/// A repository of a forge.
#[derive(Clone, Debug)]
pub struct Forge {
    kind: Kind,
    /// `owner/name`, or a number on GitLab.
    path: String,
    /// The address of the API and of the repository in it.
    repository: String,
    api: String,
}

/// An existing comment.
#[derive(Debug, PartialEq)]
pub(crate) struct Comment {
    pub id: u64,
    pub author: String,
    pub body: String,
}

impl Forge {
    /// A repository, as `owner/name` or, on GitLab, also its number. The API is asked over TLS, or on this
    /// machine.
    pub fn new(kind: Kind, api: &str, repository: &str) -> Result<Self, ForgeError> {
        let local = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"];
        Self::over(kind, api, repository, &local)
    }

    /// The same, but the operator permits that the API is asked without TLS: everybody between here and the
    /// forge can read the token then.
    pub fn new_plain(kind: Kind, api: &str, repository: &str) -> Result<Self, ForgeError> {
        Self::over(kind, api, repository, &["http://"])
    }

    fn over(kind: Kind, api: &str, repository: &str, plain: &[&str]) -> Result<Self, ForgeError> {
        let api = api.trim_end_matches('/');
        let refused = |what, text: &str, why| ForgeError::Name { what, text: text.to_owned(), why };
        let is_printable =
            api.chars().all(|letter| letter.is_ascii_graphic()) && !api.contains(['?', '#', '@']);
        let is_allowed = api.starts_with("https://") || plain.iter().any(|start| api.starts_with(start));
        if !is_printable || !is_allowed {
            return Err(refused("API", api, "it must begin with https://, as the token goes there"));
        }
        let is_part = |part: &str| {
            !part.is_empty()
                && !part.chars().all(|letter| letter == '.')
                && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
        };
        let parts: Vec<&str> = repository.split('/').collect();
        let enough = match kind {
            Kind::Github | Kind::Gitea => parts.len() == 2,
            Kind::Gitlab => parts.len() > 1 || repository.bytes().all(|digit| digit.is_ascii_digit()),
        };
        if !enough || !parts.iter().all(|part| is_part(part)) {
            return Err(refused("repository", repository, "write OWNER/NAME"));
        }
        let path = repository.to_owned();
        let repository = match kind {
            Kind::Github | Kind::Gitea => format!("{api}/repos/{repository}"),
            Kind::Gitlab => format!("{api}/projects/{}", parts.join("%2F")),
        };
        Ok(Self { kind, path, repository, api: api.to_owned() })
    }

    /// Which forge.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The repository's path as given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// An address within the API.
    pub(crate) fn of_api(&self, rest: &str) -> String {
        format!("{}/{rest}", self.api)
    }

    /// The repository's own address.
    pub(crate) fn here(&self) -> String {
        self.repository.clone()
    }

    /// An address below the repository's.
    pub(crate) fn of_repository(&self, rest: &str) -> String {
        format!("{}/{rest}", self.repository)
    }

    /// The request for the token's account.
    pub(crate) fn who(&self) -> Ask {
        Ask::get(format!("{}/user", self.api))
    }

    /// The name in the answer.
    pub(crate) fn name(&self, answer: &Value) -> Option<String> {
        let name = match self.kind {
            Kind::Github | Kind::Gitea => "login",
            Kind::Gitlab => "username",
        };
        Some(answer.get(name)?.as_str()?.to_owned())
    }

    /// The author of a token that may not query its account: on GitHub that of a job.
    pub(crate) fn nameless(&self) -> Option<&'static str> {
        (self.kind == Kind::Github).then_some("github-actions[bot]")
    }

    /// A pull request.
    pub(crate) fn pull(&self, number: u64) -> Ask {
        Ask::get(match self.kind {
            Kind::Github | Kind::Gitea => format!("{}/pulls/{number}", self.repository),
            Kind::Gitlab => format!("{}/merge_requests/{number}", self.repository),
        })
    }

    /// The commit that it is at, in the answer.
    pub(crate) fn head(&self, answer: &Value) -> Option<String> {
        let commit = match self.kind {
            Kind::Github | Kind::Gitea => answer.get("head")?.get("sha")?,
            Kind::Gitlab => answer.get("sha")?,
        };
        Some(commit.as_str()?.to_owned())
    }

    /// The number of the repository that contains its commits, in the answer; none if that was deleted.
    pub(crate) fn origin(&self, answer: &Value) -> Option<u64> {
        match self.kind {
            Kind::Github | Kind::Gitea => answer.get("head")?.get("repo")?.get("id")?.as_u64(),
            Kind::Gitlab => answer.get("source_project_id")?.as_u64(),
        }
    }

    /// Its comments, the oldest first, so many at once.
    pub(crate) fn comments(&self, number: u64, page: usize) -> Ask {
        let list = self.list(number);
        Ask::get(match self.kind {
            Kind::Github => format!("{list}?per_page={PAGE}&page={page}"),
            Kind::Gitlab => format!("{list}?per_page={PAGE}&page={page}&sort=asc&order_by=created_at"),
            // It returns all of them, whatever page is requested.
            Kind::Gitea => format!("{list}?limit={PAGE}&page={page}"),
        })
    }

    /// The comments in the answer; those without an author have no owner.
    pub(crate) fn listed(&self, answer: &Value) -> Option<Vec<Comment>> {
        answer.as_array()?.iter().map(|comment| self.one(comment)).collect()
    }

    /// A comment in an answer.
    pub(crate) fn one(&self, comment: &Value) -> Option<Comment> {
        let author = match self.kind {
            Kind::Github | Kind::Gitea => "user",
            Kind::Gitlab => "author",
        };
        Some(Comment {
            id: comment.get("id")?.as_u64()?,
            author: comment.get(author).and_then(|author| self.name(author)).unwrap_or_default(),
            body: comment.get("body").and_then(Value::as_str).unwrap_or_default().to_owned(),
        })
    }

    /// One comment.
    pub(crate) fn comment(&self, number: u64, id: u64) -> Ask {
        Ask::get(match self.kind {
            Kind::Github | Kind::Gitea => format!("{}/issues/comments/{id}", self.repository),
            Kind::Gitlab => format!("{}/{id}", self.list(number)),
        })
    }

    /// A new comment.
    pub(crate) fn make(&self, number: u64, text: &str) -> Ask {
        Ask::new("POST", self.list(number), json!({ "body": text }))
    }

    /// Another text for a comment.
    pub(crate) fn edit(&self, number: u64, id: u64, text: &str) -> Ask {
        let body = json!({ "body": text });
        match self.kind {
            Kind::Github | Kind::Gitea => {
                Ask::new("PATCH", format!("{}/issues/comments/{id}", self.repository), body)
            }
            Kind::Gitlab => Ask::new("PUT", format!("{}/{id}", self.list(number)), body),
        }
    }

    /// The permissions that a token needs to comment.
    pub(crate) fn need(&self) -> &'static str {
        match self.kind {
            Kind::Github => {
                "the job needs `permissions: pull-requests: write`, and a run for a pull request from a fork never has it: comment \
                 from a second workflow, as ci/examples/github/comment.yml does"
            }
            Kind::Gitlab => {
                "it must be a project's or a group's access token with the scope api and at least the role Reporter; a job's own \
                 token cannot comment"
            }
            Kind::Gitea => {
                "it must be an access token of an account that can write to the repository, with the scopes write:issue, \
                 write:repository and read:user"
            }
        }
    }

    fn list(&self, number: u64) -> String {
        match self.kind {
            Kind::Github | Kind::Gitea => format!("{}/issues/{number}/comments", self.repository),
            Kind::Gitlab => format!("{}/merge_requests/{number}/notes", self.repository),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_lead_elsewhere() {
        for wrong in ["a", "a/b/c", "../b", "a/..", "a/b?c", "a/b#", "a/ b", "", "a/", "a/b%2f"] {
            assert!(Forge::new(Kind::Github, "https://api.example", wrong).is_err(), "{wrong}");
        }
        assert!(Forge::new(Kind::Gitlab, "https://api.example", "12").is_ok());
        let deep = Forge::new(Kind::Gitlab, "https://api.example/v4/", "a/b/c").unwrap();
        assert_eq!(deep.pull(3).url, "https://api.example/v4/projects/a%2Fb%2Fc/merge_requests/3");
        for wrong in
            ["http://api.example", "ftp://a", "https://a@b", "https://a b", "", "http://127.0.0.1.example"]
        {
            assert!(Forge::new(Kind::Github, wrong, "a/b").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_forge_without_tls_is_the_operators_choice() {
        let api = "http://forge.internal:3000/api/v1";
        assert!(Forge::new(Kind::Gitea, api, "a/b").is_err());
        let forge = Forge::new_plain(Kind::Gitea, api, "a/b").unwrap();
        assert_eq!(forge.pull(3).url, "http://forge.internal:3000/api/v1/repos/a/b/pulls/3");
        assert!(Forge::new_plain(Kind::Gitea, "ftp://forge.internal", "a/b").is_err());
        assert!(Forge::new(Kind::Gitea, "http://127.0.0.1:3000/api/v1", "a/b").is_ok());
    }
}
