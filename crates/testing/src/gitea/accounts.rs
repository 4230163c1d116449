//! Users and their tokens.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::gitea::error::GiteaError;

/// The name of the administrator.
pub(super) const ADMIN: &str = "scratch-admin";

/// The credentials of each user.
#[derive(Default)]
pub(super) struct Accounts {
    known: Mutex<BTreeMap<String, Account>>,
    tokens: std::sync::atomic::AtomicU32,
}

#[derive(Clone)]
pub(super) struct Account {
    /// The password, if the lab has chosen it.
    pub(super) password: Option<String>,
    /// A token with all of the user's permissions.
    pub token: String,
}

impl Accounts {
    pub(super) fn known(&self) -> MutexGuard<'_, BTreeMap<String, Account>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_admin(&self, token: &str) {
        self.known().insert(ADMIN.to_owned(), Account { password: None, token: token.to_owned() });
    }

    pub(super) fn find(&self, user: &str) -> Result<Account, GiteaError> {
        self.known().get(user).cloned().ok_or_else(|| GiteaError::Stranger(user.to_owned()))
    }

    pub(super) fn next_token(&self) -> u32 {
        self.tokens.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }
}

/// The value of the header `Authorization` for a name and a password or a token (RFC 7617).
pub(super) fn basic(user: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{secret}")))
}
