//! Actions of users through the API.

use serde_json::{Value, json};

use crate::gitea::Gitea;
use crate::gitea::accounts::{ADMIN, Account, basic};
use crate::gitea::api::{Ask, text};
use crate::gitea::error::GiteaError;
use crate::gitea::programs::random_secret;

impl Gitea {
    /// Creates a user with all ordinary permissions.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does; the server refuses a name that is taken.
    pub fn create_user(&self, name: &str) -> Result<(), GiteaError> {
        let password = random_secret()?;
        let body = json!({
            "username": name,
            "email": format!("{name}@scratch.example"),
            "password": &password,
            "must_change_password": false,
        });
        self.request(ADMIN, "POST", "/admin/users", Some(&body))?;
        let token = self.create_token(name, &password, &["all"])?;
        self.accounts.known().insert(name.to_owned(), Account { password: Some(password), token });
        Ok(())
    }

    /// Creates a token of a user, with scopes such as `write:repository`, `write:issue` or `read:user`, and
    /// returns it.
    ///
    /// # Errors
    /// Fails as [`Gitea::request`] does.
    pub fn token(&self, user: &str, scopes: &[&str]) -> Result<String, GiteaError> {
        let password =
            self.accounts.find(user)?.password.ok_or_else(|| GiteaError::Stranger(user.to_owned()))?;
        self.create_token(user, &password, scopes)
    }

    /// Sends any request to the API as a user. `path` is relative to [`Gitea::api_url`].
    ///
    /// # Errors
    /// Fails with [`GiteaError::Stranger`] for an unknown user, with [`GiteaError::Refused`] if the server
    /// refuses the request, with [`GiteaError::Silent`] if it does not answer, and with
    /// [`GiteaError::Answer`] if a field is missing.
    pub fn request(
        &self,
        as_user: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, GiteaError> {
        let authorization = self.authorization(as_user)?;
        self.api.send(Ask { method, path, body, authorization: Some(&authorization) })
    }

    pub(crate) fn authorization(&self, user: &str) -> Result<String, GiteaError> {
        Ok(format!("token {}", self.accounts.find(user)?.token))
    }

    fn create_token(&self, user: &str, password: &str, scopes: &[&str]) -> Result<String, GiteaError> {
        let path = format!("/users/{user}/tokens");
        let body = json!({ "name": format!("scratch-{}", self.accounts.next_token()), "scopes": scopes });
        let authorization = basic(user, password);
        let ask = Ask { method: "POST", path: &path, body: Some(&body), authorization: Some(&authorization) };
        text(&self.api.send(ask)?, "/sha1", "POST", &path)
    }
}
