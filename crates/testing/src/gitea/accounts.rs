//! Users and their tokens.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::gitea::Gitea;
use crate::gitea::api::{Ask, text};
use crate::gitea::error::GiteaError;
use crate::gitea::programs::random_secret;

/// The name of the user who may do everything.
pub(super) const ADMIN: &str = "scratch-admin";

/// What each user shows the server.
#[derive(Default)]
pub(super) struct Accounts {
    known: Mutex<BTreeMap<String, Account>>,
    tokens: std::sync::atomic::AtomicU32,
}

#[derive(Clone)]
pub(super) struct Account {
    /// The password, if this value has chosen it.
    password: Option<String>,
    /// A token for everything that the user may do.
    pub token: String,
}

impl Accounts {
    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Account>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_admin(&self, token: &str) {
        self.known().insert(ADMIN.to_owned(), Account { password: None, token: token.to_owned() });
    }

    pub(super) fn of(&self, user: &str) -> Result<Account, GiteaError> {
        self.known().get(user).cloned().ok_or_else(|| GiteaError::Stranger(user.to_owned()))
    }

    fn next_token(&self) -> u32 {
        self.tokens.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }
}

impl Gitea {
    /// Creates a user who can do everything that users can.
    ///
    /// # Errors
    /// If the server refuses it, as it does for a name that is taken.
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

    /// Creates a token of a user, with scopes such as `write:repository`, `write:issue` or `read:user`.
    ///
    /// # Errors
    /// If the user is not one of this value's, or if the server refuses it.
    pub fn token(&self, user: &str, scopes: &[&str]) -> Result<String, GiteaError> {
        let password =
            self.accounts.of(user)?.password.ok_or_else(|| GiteaError::Stranger(user.to_owned()))?;
        self.create_token(user, &password, scopes)
    }

    /// Sends any request to the API as a user: `path` is what follows [`Gitea::api_url`].
    ///
    /// # Errors
    /// If the server refuses it.
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
        Ok(format!("token {}", self.accounts.of(user)?.token))
    }

    fn create_token(&self, user: &str, password: &str, scopes: &[&str]) -> Result<String, GiteaError> {
        let path = format!("/users/{user}/tokens");
        let body = json!({ "name": format!("scratch-{}", self.accounts.next_token()), "scopes": scopes });
        let authorization = basic(user, password);
        let ask = Ask { method: "POST", path: &path, body: Some(&body), authorization: Some(&authorization) };
        text(&self.api.send(ask)?, "/sha1", "POST", &path)
    }
}

/// The header's value for a name and a password or a token (RFC 7617).
pub(super) fn basic(user: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{secret}")))
}
