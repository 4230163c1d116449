//! Errors of forges.

use thiserror::Error;

/// Why something could not be asked of a forge.
#[derive(Debug, Error)]
pub enum ForgeError {
    /// A name or an address that cannot be one.
    #[error("{what} \"{text}\": {why}")]
    Name {
        /// The expected value.
        what: &'static str,
        /// The actual text.
        text: String,
        /// The reason.
        why: &'static str,
    },
    /// Nobody answers.
    #[error("{method} {url}: {cause}; is the address right, and may this job reach it?")]
    Unreachable {
        /// The method.
        method: &'static str,
        /// Whom.
        url: String,
        /// The outcome.
        cause: String,
    },
    /// The token is invalid.
    #[error("{url}: the token is not accepted ({message}); {need}")]
    Unauthorised {
        /// Whom.
        url: String,
        /// The forge's message.
        message: String,
        /// The next step.
        need: &'static str,
    },
    /// The token may not do it.
    #[error("{method} {url}: the token may not do this ({message}); {need}")]
    Forbidden {
        /// The method.
        method: &'static str,
        /// Whom.
        url: String,
        /// The forge's message.
        message: String,
        /// The next step.
        need: &'static str,
    },
    /// The resource does not exist, or the token has no access.
    #[error("{url}: not found, or the token has no access ({message}); {need}")]
    NotFound {
        /// Whom.
        url: String,
        /// The forge's message.
        message: String,
        /// The next step.
        need: &'static str,
    },
    /// It was busy at every attempt.
    #[error("{method} {url}: status {status} ({message}), {tries} times; try this job again later")]
    TooBusy {
        /// The method.
        method: &'static str,
        /// Whom.
        url: String,
        /// The last status.
        status: u16,
        /// The forge's message.
        message: String,
        /// How often it was asked.
        tries: u32,
    },
    /// It demands a longer wait than allowed.
    #[error("{url}: no more requests for {wait_s} s; try this job again then")]
    Limited {
        /// Whom.
        url: String,
        /// For how long.
        wait_s: u64,
    },
    /// A limit, or a temporary failure. The client did not wait: call again after that time.
    #[error("{method} {url}: status {status} ({message}); ask again in {retry_after_s} s")]
    Busy {
        /// The method.
        method: &'static str,
        /// Whom.
        url: String,
        /// The status.
        status: u16,
        /// The forge's message.
        message: String,
        /// After how many seconds.
        retry_after_s: u64,
    },
    /// The repository has another name now.
    #[error("{url}: the repository was renamed or transferred (status {status}); register its new name")]
    Renamed {
        /// Whom.
        url: String,
        /// The status.
        status: u16,
    },
    /// The private key of an app is unusable.
    #[error(
        "the private key of the GitHub App cannot be used: {cause}; create a new one in the settings of the app and use the PEM file"
    )]
    Key {
        /// The cause.
        cause: String,
    },
    /// The app may not see the repository.
    #[error(
        "the GitHub App is not installed on {repository}; install it there, or add the repository to its installation"
    )]
    NotInstalled {
        /// The repository.
        repository: String,
    },
    /// The installation of the app is suspended.
    #[error(
        "the installation of the GitHub App on {repository} is suspended; resume it in the settings of its owner"
    )]
    Suspended {
        /// The repository.
        repository: String,
    },
    /// The pull request is not at the commit that was asked about.
    #[error("pull request {number} is at commit {head} and no longer at {asked}; ask again for its head")]
    OtherHead {
        /// Its number.
        number: u64,
        /// Where it is.
        head: String,
        /// The requested commit.
        asked: String,
    },
    /// Anything else.
    #[error("{method} {url}: status {status}: {message}")]
    Unexpected {
        /// The method.
        method: &'static str,
        /// Whom.
        url: String,
        /// The status.
        status: u16,
        /// The forge's message.
        message: String,
    },
    /// The answer lacks something.
    #[error("{url}: the answer has no {what}; is this the address of the forge's API?")]
    Incomplete {
        /// Whom.
        url: String,
        /// The missing part.
        what: &'static str,
    },
    /// The pull request is another repository's.
    #[error(
        "pull request {number} comes from another repository than the one that was measured; no comment is posted. Two pull requests may have \
         the same head commit"
    )]
    Elsewhere {
        /// Its number.
        number: u64,
    },
    /// The pull request is at another commit.
    #[error(
        "pull request {number} is at commit {head}, but commit {measured} was measured; no comment is posted. If a newer commit was pushed \
         meanwhile, its own run will comment"
    )]
    Moved {
        /// Its number.
        number: u64,
        /// Where it is.
        head: String,
        /// The measured commit.
        measured: String,
    },
}

impl ForgeError {
    /// After how many seconds to retry; `None` if somebody must change something first.
    pub fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::Busy { retry_after_s, .. } => Some(*retry_after_s),
            Self::Limited { wait_s, .. } => Some(*wait_s),
            Self::Unreachable { .. } | Self::TooBusy { .. } => Some(30),
            _ => None,
        }
    }
}
