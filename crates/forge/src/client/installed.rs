//! An app on a repository.

use super::app::App;
use crate::Token;

/// An app on a repository, with the known data of its installation.
pub(super) struct Installed {
    pub(super) app: App,
    pub(super) installation: Option<u64>,
    pub(super) token: Option<(Token, u64)>,
}

impl Installed {
    pub(super) fn new(app: App) -> Self {
        Self { app, installation: None, token: None }
    }

    pub(super) fn app_id(&self) -> u64 {
        self.app.id()
    }
}
