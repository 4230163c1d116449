//! Credentials for private repositories, for git only.
//!
//! The lab stores no credential: when a code host demands one, git asks its helper, the helper asks the lab
//! over a socket, and the lab asks its parent process. A credential is never in a variable, an argument or a
//! file.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tlslab_process::{Channel, ChannelEnd, Heard};

use crate::hosts::origin;
use crate::log::quoted;

/// The time limit of an answer: it needs a code host.
const PATIENCE: Duration = Duration::from_secs(90);
/// The interval of checks of a silent socket.
const LOOKS_EVERY: Duration = Duration::from_secs(60);

/// The action of `tlslab` that git starts as its helper.
pub const HELPER: &str = "git-credential";

/// A request for a credential.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialAsk {
    /// The same number is in the answer.
    #[serde(default)]
    pub number: u64,
    /// The address of the repository, in git's form.
    pub url: String,
}

/// The answer: a credential, or the reason of a refusal.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialAnswer {
    /// The number of the question.
    #[serde(default)]
    pub number: u64,
    /// The name that the code host expects.
    #[serde(default)]
    pub username: String,
    /// The token.
    #[serde(default)]
    pub password: String,
    /// The reason of a refusal; empty with a credential.
    #[serde(default)]
    pub refusal: String,
}

impl CredentialAnswer {
    /// No credential, for this reason.
    pub fn refused(refusal: impl Into<String>) -> Self {
        Self { refusal: refusal.into(), ..Self::default() }
    }
}

impl std::fmt::Debug for CredentialAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CredentialAnswer")
            .field("number", &self.number)
            .field("refusal", &self.refusal)
            .finish_non_exhaustive()
    }
}

/// Repositories that need a credential.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivateRepositories(Vec<(String, String)>);

impl PrivateRepositories {
    /// The repositories at these addresses; a text that is not a plain address names none.
    pub fn new(addresses: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self(addresses.into_iter().filter_map(|address| place(address.as_ref())).collect())
    }

    /// Whether no repository needs a credential.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this address is that of one of them: the same scheme, host, port and path.
    pub fn contain(&self, address: &str) -> bool {
        place(address).is_some_and(|place| self.0.contains(&place))
    }

    /// Answers questions for credentials until the other end is closed: for an address of one of them by
    /// `credential`, for others by a refusal.
    pub fn answer(&self, channel: &Channel, credential: impl Fn(&str) -> CredentialAnswer) {
        loop {
            let asked = match channel.hear(LOOKS_EVERY) {
                Ok(Heard::Message(asked)) => asked,
                Ok(Heard::Nothing) => continue,
                Ok(Heard::End) | Err(_) => return,
            };
            let Ok(ask) = serde_json::from_slice::<CredentialAsk>(&asked) else { continue };
            let answer = match self.contain(&ask.url) {
                true => credential(&ask.url),
                false => CredentialAnswer::refused("it is not one of the job's private repositories"),
            };
            let answer = CredentialAnswer { number: ask.number, ..answer };
            let _ = channel.send(&serde_json::to_vec(&answer).unwrap_or_default());
        }
    }

    /// Whether this address is on a code host of one of them.
    pub fn share_origin(&self, address: &str) -> bool {
        origin(address).is_ok_and(|origin| self.0.iter().any(|(known, _)| *known == origin))
    }
}

/// The origin of a repository and its path, as code hosts compare them: without regard to case or `.git`.
fn place(address: &str) -> Option<(String, String)> {
    let origin = origin(address).ok()?;
    let path = address.split_once("://")?.1.split_once('/')?.1;
    let path = path.trim_end_matches('/').to_ascii_lowercase();
    let path = path.strip_suffix(".git").unwrap_or(&path);
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.bytes().all(|letter| letter == b'.')
            && part.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"._-".contains(&letter))
    };
    path.split('/').all(is_part).then(|| (origin, path.to_owned()))
}

/// Provides git with the credentials of private repositories.
#[derive(Clone, Debug)]
pub struct Credentials {
    repositories: PrivateRepositories,
    helper: String,
    relay: Arc<Mutex<Relay>>,
}

/// The socket to the process that has the credentials.
#[derive(Debug)]
struct Relay {
    channel: Channel,
    asked: u64,
}

/// The resources of one git process.
pub struct Lent {
    /// The program's end of its socket.
    pub end: ChannelEnd,
    /// The helper, as git's setting `credential.helper` takes it.
    pub helper: String,
}

impl Credentials {
    /// For these repositories, queried over a channel. `program` is the lab's own, which is git's helper.
    pub fn new(repositories: PrivateRepositories, program: &Path, channel: Channel) -> Self {
        let helper = format!("!{} {HELPER}", quoted(&program.to_string_lossy()));
        Self { repositories, helper, relay: Arc::new(Mutex::new(Relay { channel, asked: 0 })) }
    }

    /// The same over the channel that this process was started with.
    ///
    /// # Errors
    /// Fails if it was started without one.
    pub fn inherited(repositories: PrivateRepositories, program: &Path) -> io::Result<Self> {
        Ok(Self::new(repositories, program, Channel::inherited()?))
    }

    /// The repositories.
    pub fn repositories(&self) -> &PrivateRepositories {
        &self.repositories
    }

    /// The resources for git to fetch from an address; `None` if that is not a private repository. They end
    /// with the git process.
    ///
    /// # Errors
    /// Fails if no socket or thread can be created.
    pub fn lend(&self, address: &str) -> io::Result<Option<Lent>> {
        if !self.repositories.contain(address) {
            return Ok(None);
        }
        let (channel, end) = Channel::pair()?;
        let own = self.clone();
        std::thread::Builder::new().name("git-credential".to_owned()).spawn(move || own.serve(&channel))?;
        Ok(Some(Lent { end, helper: self.helper.clone() }))
    }

    /// Answers the helpers of one program of git until it has ended.
    fn serve(&self, helper: &Channel) {
        self.repositories
            .answer(helper, |url| self.relay.lock().unwrap_or_else(PoisonError::into_inner).ask(url));
    }
}

impl Relay {
    fn ask(&mut self, url: &str) -> CredentialAnswer {
        self.asked += 1;
        let ask = CredentialAsk { number: self.asked, url: url.to_owned() };
        let sent = self.channel.send(&serde_json::to_vec(&ask).unwrap_or_default());
        if let Err(cause) = sent {
            return CredentialAnswer::refused(format!("the runner does not answer: {cause}"));
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.channel.hear(deadline.saturating_duration_since(Instant::now())) {
                Ok(Heard::Message(text)) => match serde_json::from_slice::<CredentialAnswer>(&text) {
                    Ok(answer) if answer.number == self.asked => return answer,
                    // The answer to an abandoned question.
                    _ => {}
                },
                Ok(Heard::Nothing) => return CredentialAnswer::refused("the runner did not answer in time"),
                Ok(Heard::End) => return CredentialAnswer::refused("the runner has ended"),
                Err(cause) => {
                    return CredentialAnswer::refused(format!("the runner does not answer: {cause}"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tlslab_process::{Input, Output, Program};

    use super::*;

    #[test]
    fn only_the_exact_scheme_host_port_and_path_match() {
        let private = PrivateRepositories::new([
            "https://code.example/o/n.git",
            "http://127.0.0.1:3000/o/sub",
            "https://host.example/gitlab/group/sub-group/n.git",
        ]);
        for address in [
            "https://code.example/o/n",
            "https://CODE.example:443/O/N.git/",
            "http://127.0.0.1:3000/o/sub.git",
            "https://host.example/gitlab/group/sub-group/n.git",
        ] {
            assert!(private.contain(address), "{address}");
        }
        for address in [
            "http://code.example/o/n.git",
            "https://code.example:8443/o/n.git",
            "https://code.example.evil.example/o/n.git",
            "https://evil.example/o/n.git",
            "https://code.example@evil.example/o/n.git",
            "https://user:word@code.example/o/n.git",
            "https://code.example/o/other.git",
            "https://code.example/o/n/../other.git",
            "https://code.example/o/n.git/..",
            "https://code.example/o//n.git",
            "https://code.example/o/n.git?x",
            "https://code.example/o/%6e.git",
            "https://code.example/o",
            "https://code.example",
            "http://127.0.0.1:3001/o/sub.git",
            "https://127.0.0.1:3000/o/sub.git",
            "https://host.example/group/sub-group/n.git",
            "git@code.example:o/n.git",
            "ssh://code.example/o/n.git",
            "file:///o/n.git",
            "",
        ] {
            assert!(!private.contain(address), "{address}");
        }
        assert!(private.share_origin("https://code.example/o/other"));
        assert!(!private.share_origin("https://code.example:8443/o/n"));
        assert!(PrivateRepositories::new(["ssh://a/b", "https://a", "https://a/b?c"]).is_empty());
    }

    #[test]
    fn an_answer_does_not_show_its_secret() {
        let answer = CredentialAnswer { password: "hush".to_owned(), ..CredentialAnswer::default() };
        assert!(!format!("{answer:?}").contains("hush"));
    }

    /// The helper's message; the shell plays the helper.
    fn helped(credentials: &Credentials, address: &str, asked: &str) -> String {
        let lent = credentials.lend(address).unwrap().unwrap();
        let script = format!(
            "printf '%s' '{{\"url\":\"{asked}\"}}' >&900; sleep 1; dd bs=4096 count=1 <&900 2>/dev/null"
        );
        let program = Program::new("/bin/bash").args(["-c", &script]).env("PATH", "/usr/bin:/bin");
        let mut running = program.stdin(Input::Null).stdout(Output::Piped).channel(lent.end).spawn().unwrap();
        let mut text = String::new();
        io::Read::read_to_string(running.stdout.as_mut().unwrap(), &mut text).unwrap();
        running.wait().unwrap();
        text
    }

    #[test]
    fn a_question_is_passed_on_and_its_own_answer_comes_back() {
        let (supervisor, theirs) = Channel::pair().unwrap();
        // The other end, as a child process has it.
        let channel = Channel::from(theirs);
        let private = PrivateRepositories::new(["https://code.example/o/n.git"]);
        let credentials = Credentials::new(private, Path::new("/lab's/tlslab"), channel);
        assert!(credentials.lend("https://code.example/o/other").unwrap().is_none());
        assert_eq!(credentials.helper, r"!'/lab'\''s/tlslab' git-credential");
        let runner = std::thread::spawn(move || {
            let Heard::Message(text) = supervisor.hear(Duration::from_secs(20)).unwrap() else {
                panic!("no question")
            };
            let ask: CredentialAsk = serde_json::from_slice(&text).unwrap();
            let answer = |number, password: &str| {
                let password = password.to_owned();
                let answer = CredentialAnswer { number, password, ..CredentialAnswer::default() };
                supervisor.send(&serde_json::to_vec(&answer).unwrap()).unwrap();
            };
            answer(ask.number + 7, "stale");
            answer(ask.number, "right");
            ask.url
        });
        let address = "https://code.example/o/n";
        let text = helped(&credentials, address, "https://code.example/o/n.git");
        assert!(text.contains("right"), "{text}");
        assert_eq!(runner.join().unwrap(), "https://code.example/o/n.git");
        // Another repository is refused here, and a closed end of the runner is an answer.
        let text = helped(&credentials, address, "https://evil.example/o/n.git");
        assert!(text.contains("not one of the job's private repositories"), "{text}");
        let text = helped(&credentials, address, address);
        assert!(text.contains("the runner"), "{text}");
    }
}
