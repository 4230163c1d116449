//! Tokens of an app's installation.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Client;
use super::installed::Installed;
use crate::answer::{number, well, words};
use crate::{Answer, Ask, ForgeError, Token};

/// A token is renewed so long before it ends, s.
const MARGIN_S: u64 = 300;

/// The permissions that an app needs to read a private repository.
const READING_NEED: &str = "the app needs the permission Contents (read), and must be installed in the repository and in those of `submodules`";

impl Client {
    /// The id of the app's installation on the repository. It is queried once, and again if it does not exist
    /// any more. A client without an app has none.
    pub fn installation(&mut self) -> Result<u64, ForgeError> {
        match &self.app {
            None => return Err(ForgeError::NotInstalled { repository: self.forge.path().to_owned() }),
            Some(Installed { installation: Some(id), .. }) => return Ok(*id),
            Some(_) => {}
        }
        let ask = self.as_app(Ask::get(self.forge.of_repository("installation")))?;
        let answer = self.send(&ask)?;
        if answer.status == 404 {
            return Err(ForgeError::NotInstalled { repository: self.forge.path().to_owned() });
        }
        let answer = well(&ask, answer, self.need())?;
        if words(&answer.body, "suspended_at").is_some() {
            return Err(ForgeError::Suspended { repository: self.forge.path().to_owned() });
        }
        let id = number(&answer.body, "id");
        let id = id.ok_or(ForgeError::Incomplete { url: ask.url, what: "id of the installation" })?;
        if let Some(app) = &mut self.app {
            app.installation = Some(id);
        }
        Ok(id)
    }

    /// The name that the app writes as.
    pub(super) fn app_name(&mut self) -> Result<String, ForgeError> {
        let ask = self.as_app(Ask::get(self.forge.of_api("app")))?;
        let answer = self.send(&ask)?;
        let answer = well(&ask, answer, self.need())?;
        let slug = words(&answer.body, "slug").filter(|slug| !slug.is_empty());
        let slug = slug.ok_or(ForgeError::Incomplete { url: ask.url.clone(), what: "slug of the app" })?;
        Ok(format!("{slug}[bot]"))
    }

    /// A token that is valid for a while, of the repository alone.
    pub(super) fn installation_token(&mut self) -> Result<Token, ForgeError> {
        let now = self.transport.now_unix_s();
        let known = self.app.as_ref().and_then(|app| app.token.as_ref());
        if let Some((token, end_unix_s)) = known
            && now.saturating_add(MARGIN_S) < *end_unix_s
        {
            return Ok(token.clone());
        }
        let name = self.forge.path().rsplit('/').next().unwrap_or_default();
        let (ask, answer) = self.ask_token(json!({ "repositories": [name] }))?;
        let repository = || self.forge.path().to_owned();
        match answer.status {
            404 => Err(ForgeError::NotInstalled { repository: repository() }),
            403 if answer.message().contains("suspended") => {
                Err(ForgeError::Suspended { repository: repository() })
            }
            _ => self.keep_token(&ask, well(&ask, answer, self.need())?),
        }
    }

    fn ask_token(&mut self, body: Value) -> Result<(Ask, Answer), ForgeError> {
        let is_known = self.app.as_ref().is_some_and(|app| app.installation.is_some());
        let asked = self.ask_token_once(body.clone())?;
        match asked.1.status {
            // The installation may have been deleted and created again.
            404 if is_known => {
                self.forget_installation();
                self.ask_token_once(body)
            }
            _ => Ok(asked),
        }
    }

    fn ask_token_once(&mut self, body: Value) -> Result<(Ask, Answer), ForgeError> {
        let id = self.installation()?;
        let url = self.forge.of_api(&format!("app/installations/{id}/access_tokens"));
        let ask = self.as_app(Ask::new("POST", url, body))?;
        let answer = self.send(&ask)?;
        Ok((ask, answer))
    }

    /// A new token that may only read the contents of the repository and of further ones of its owner
    /// (`OWNER/NAME`). It is valid for an hour. A client without an app has none.
    ///
    /// # Errors
    /// Fails if the installation is missing or suspended, or the answer has no token.
    pub fn reading_token(&mut self, further: &[String]) -> Result<Token, ForgeError> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let names: Vec<String> =
            [self.forge.path()].into_iter().chain(further.iter().map(String::as_str)).map(name).collect();
        let body = json!({ "repositories": names, "permissions": { "contents": "read" } });
        let (ask, answer) = self.ask_token(body)?;
        let answer = well(&ask, answer, READING_NEED)?;
        let token = words(&answer.body, "token");
        Token::new(token.ok_or(ForgeError::Incomplete { url: ask.url, what: "token" })?)
    }

    fn keep_token(&mut self, ask: &Ask, answer: Answer) -> Result<Token, ForgeError> {
        let incomplete = |what| ForgeError::Incomplete { url: ask.url.clone(), what };
        let token = words(&answer.body, "token").ok_or(incomplete("token"))?;
        let token = Token::new(token)?;
        let end: Option<Timestamp> = words(&answer.body, "expires_at").and_then(|text| text.parse().ok());
        let end =
            end.and_then(|end| u64::try_from(end.as_second()).ok()).ok_or(incomplete("time of expiry"))?;
        if let Some(app) = &mut self.app {
            app.token = Some((token.clone(), end));
        }
        Ok(token)
    }

    pub(super) fn forget_token(&mut self) {
        if let Some(app) = &mut self.app {
            app.token = None;
        }
    }

    fn forget_installation(&mut self) {
        if let Some(app) = &mut self.app {
            (app.installation, app.token) = (None, None);
        }
    }

    /// A request of the app itself.
    fn as_app(&self, ask: Ask) -> Result<Ask, ForgeError> {
        let now = self.transport.now_unix_s();
        let token = self.app.as_ref().map(|app| app.app.jwt(now)).transpose()?;
        Ok(Ask { token, ..ask })
    }
}
