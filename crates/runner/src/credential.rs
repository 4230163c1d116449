//! Credentials of private repositories: from the service to git, on git's request. Each request gets a new
//! one, so that none is stored here, and an expired one is replaced by a further request.

use std::time::{Duration, Instant};

use tlslab_artifact::{CredentialAnswer, PrivateRepositories};
use tlslab_process::{Channel, Heard};

use crate::attempt::Attempt;
use crate::wire::{AskCredential, Credential};
use crate::work::Work;

/// The time limit of one answer of the service, which asks the code host.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);
/// For how long an unreachable service or code host is asked again.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause between two requests.
const AGAIN: Duration = Duration::from_secs(1);
/// The most characters of a refusal that are passed on.
const LONGEST: usize = 1_000;

impl Attempt<'_> {
    /// Answers the process of a step until it has ended.
    pub(crate) fn hand_credentials(&self, channel: &Channel, work: &Work) {
        PrivateRepositories::new(&work.private).answer(channel, |_| self.credential(channel));
    }

    /// A new credential. An unreachable service is asked again while git waits for the answer.
    fn credential(&self, channel: &Channel) -> CredentialAnswer {
        let ask = AskCredential { job: self.leased.job.clone(), token: self.leased.token };
        let until = Instant::now() + PATIENCE;
        loop {
            match self.client.post_within::<Credential>(ANSWERS_WITHIN, "/runner/v1/credential", &ask) {
                Ok(Some(Credential { username, password })) => {
                    return CredentialAnswer { username, password, ..CredentialAnswer::default() };
                }
                Ok(None) => return CredentialAnswer::refused("the service has no credential"),
                Err(error) if error.may_pass() && Instant::now() < until => {
                    (self.config.report)(&format!("no credential yet: {error}"));
                    if !matches!(channel.hear(AGAIN), Ok(Heard::Nothing)) {
                        return CredentialAnswer::refused("the job no longer waits for it");
                    }
                }
                Err(error) => {
                    let cause: String = error.to_string().chars().take(LONGEST).collect();
                    return CredentialAnswer::refused(cause);
                }
            }
        }
    }
}
