//! A service's requests to a forge.

mod app;
mod approval;
mod check_run;
mod comment;
mod commits;
mod files;
mod hook;
mod installation;
mod installed;
mod issue;
mod pull;
mod repository;
mod status;
mod text;

use serde_json::Value;

use crate::answer::well;
use crate::patience::busy_s;
use crate::webhook::Person;
use crate::{Answer, Ask, Forge, ForgeError, Kind, Transport};
use installed::Installed;

pub use app::App;
pub use hook::{Hook, needed_events};
pub use pull::Pull;
pub use status::{CommitStatus, StatusState};

/// Entries of a list per request. Gitea returns at most 50.
const PAGE: usize = 50;

/// One repository of a forge, for a service.
///
/// It never waits: if a forge has a limit or cannot answer, the method returns [`ForgeError::Busy`] with the
/// time after which it may be called again. Every method may be called again after an error: an action whose
/// answer was lost is found, not repeated.
pub struct Client {
    forge: Forge,
    transport: Box<dyn Transport + Send>,
    app: Option<Installed>,
    own_name: Option<String>,
}

impl Client {
    /// Asks with the transport's own token.
    pub fn new(forge: Forge, transport: Box<dyn Transport + Send>) -> Self {
        Self { forge, transport, app: None, own_name: None }
    }

    /// Asks as a GitHub App, with tokens of its installation on the repository; the transport needs none.
    pub fn with_app(forge: Forge, transport: Box<dyn Transport + Send>, app: App) -> Self {
        Self { app: Some(Installed::new(app)), ..Self::new(forge, transport) }
    }

    /// The repository.
    pub fn forge(&self) -> &Forge {
        &self.forge
    }

    /// The name of the account that the client writes as, so that a service can ignore its own comments. It
    /// is queried once.
    pub fn who(&mut self) -> Result<String, ForgeError> {
        if let Some(name) = &self.own_name {
            return Ok(name.clone());
        }
        let name = if self.app.is_some() { self.app_name()? } else { self.token_name()? };
        self.own_name = Some(name.clone());
        Ok(name)
    }

    /// Whether the person is the account that the client writes as.
    pub fn is_own(&mut self, person: &Person) -> Result<bool, ForgeError> {
        Ok(self.who()? == person.login)
    }

    fn token_name(&mut self) -> Result<String, ForgeError> {
        let ask = self.forge.who();
        // A refusal may be temporary: unlike with a job's token, the client's account stays the same.
        let answer = self.ask_well(&ask)?;
        self.forge.name(&answer.body).ok_or(ForgeError::Incomplete { url: ask.url, what: "name" })
    }

    /// The answer, whatever its status, unless that means that the forge has no time. An app's token is
    /// renewed once if it is not accepted.
    fn ask(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        if self.app.is_none() {
            return self.send(ask);
        }
        let asked = Ask { token: Some(self.installation_token()?), ..ask.clone() };
        let answer = self.send(&asked)?;
        if answer.status != 401 {
            return Ok(answer);
        }
        self.forget_token();
        let again = Ask { token: Some(self.installation_token()?), ..asked };
        self.send(&again)
    }

    fn send(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        let answer = self.transport.send(ask)?;
        match busy_s(&answer, self.transport.now_unix_s()) {
            None => Ok(answer),
            Some(retry_after_s) => Err(busy(ask, &answer, retry_after_s)),
        }
    }

    /// An answer that is one.
    fn ask_well(&mut self, ask: &Ask) -> Result<Answer, ForgeError> {
        let answer = self.ask(ask)?;
        well(ask, answer, self.need())
    }

    /// A successful answer; none if the resource does not exist.
    fn ask_if_any(&mut self, ask: &Ask) -> Result<Option<Answer>, ForgeError> {
        let answer = self.ask(ask)?;
        // Gitea answers 204 for a comment that is not an ordinary one.
        if matches!(answer.status, 204 | 404 | 410) {
            return Ok(None);
        }
        well(ask, answer, self.need()).map(Some)
    }

    /// The entries of a page, as an array.
    fn ask_list(&mut self, ask: &Ask, what: &'static str) -> Result<Vec<Value>, ForgeError> {
        match self.ask_well(ask)?.body {
            Value::Array(list) => Ok(list),
            _ => Err(ForgeError::Incomplete { url: ask.url.clone(), what }),
        }
    }

    /// The permissions that the token needs.
    fn need(&self) -> &'static str {
        match self.forge.kind() {
            Kind::Github if self.app.is_some() => {
                "the app needs the permissions Checks, Issues and Pull requests (write) and Contents and Metadata (read), and the owner of \
                 the installation must accept them"
            }
            Kind::Github => {
                "the token needs the permissions Commit statuses, Issues and Pull requests (write) and Contents and Metadata (read) for this \
                 repository"
            }
            Kind::Gitlab => {
                "it must be an access token of the project or of its group with the scope api and at least the role Developer"
            }
            Kind::Gitea => {
                "it must be an access token of an account that administers the repository, with the scopes write:issue, write:repository and \
                 read:user"
            }
        }
    }
}

fn busy(ask: &Ask, answer: &Answer, retry_after_s: u64) -> ForgeError {
    ForgeError::Busy {
        method: ask.method,
        url: ask.url.clone(),
        status: answer.status,
        message: answer.message(),
        retry_after_s,
    }
}
