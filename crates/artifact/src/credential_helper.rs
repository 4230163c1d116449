//! The helper that git starts when a code host demands a credential, as gitcredentials(7) describes it.

use std::time::Duration;

use tlslab_process::{Channel, Heard};

use crate::credentials::{CredentialAnswer, CredentialAsk};

/// Longer than the lab waits for the supervisor's answer.
const PATIENCE: Duration = Duration::from_secs(100);

/// The helper's answer to an action of git and git's input. Storing or erasing a credential does nothing:
/// git's next question gets a new one.
///
/// # Errors
/// Returns why there is no credential, in a sentence; git then gives up.
pub fn answer_git(action: &str, asked: &str) -> Result<String, String> {
    if action != "get" {
        return Ok(String::new());
    }
    let url = address(asked).ok_or("git names no repository")?;
    let channel =
        Channel::inherited().map_err(|cause| format!("descriptor {} of git: {cause}", Channel::NUMBER))?;
    let refused = |cause: String| format!("no credential for {url}: {cause}");
    let ask = CredentialAsk { number: 0, url: url.clone() };
    channel
        .send(&serde_json::to_vec(&ask).unwrap_or_default())
        .map_err(|cause| refused(cause.to_string()))?;
    match channel.hear(PATIENCE) {
        Ok(Heard::Message(text)) => {
            let answer = serde_json::from_slice(&text).map_err(|cause| refused(cause.to_string()))?;
            lines(&answer).map_err(refused)
        }
        Ok(Heard::Nothing) => Err(refused("the lab did not answer in time".to_owned())),
        Ok(Heard::End) => Err(refused("the lab has ended".to_owned())),
        Err(cause) => Err(refused(cause.to_string())),
    }
}

/// The address in git's question. An address without a path is rejected: a credential belongs to a
/// repository.
fn address(asked: &str) -> Option<String> {
    let field = |name: &str| {
        asked
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .filter(|text| !text.is_empty())
    };
    let (protocol, host, path) = (field("protocol")?, field("host")?, field("path")?);
    Some(format!("{protocol}://{host}/{path}"))
}

/// A credential as git reads it.
fn lines(answer: &CredentialAnswer) -> Result<String, String> {
    let CredentialAnswer { username, password, refusal, .. } = answer;
    if !refusal.is_empty() {
        return Err(refusal.clone());
    }
    let is_line = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_graphic());
    match is_line(username) && is_line(password) {
        true => Ok(format!("username={username}\npassword={password}\n")),
        false => Err("it is not printable ASCII".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_the_one_that_git_names() {
        let asked = "protocol=https\nhost=code.example:8443\npath=o/n.git\nwwwauth[]=Basic realm=\"x\"\n";
        assert_eq!(address(asked).as_deref(), Some("https://code.example:8443/o/n.git"));
        for wrong in [
            "",
            "protocol=https\nhost=code.example\n",
            "protocol=https\nhost=\npath=o/n\n",
            "host=a\npath=b\n",
        ] {
            assert_eq!(address(wrong), None, "{wrong}");
        }
        assert_eq!(answer_git("store", asked), Ok(String::new()));
        assert_eq!(answer_git("erase", asked), Ok(String::new()));
        assert!(answer_git("get", "").is_err());
        // This process has no socket of the lab.
        assert!(answer_git("get", asked).unwrap_err().contains("900"));
    }

    #[test]
    fn a_credential_cannot_add_lines() {
        let answer = |password: &str| CredentialAnswer {
            username: "x".to_owned(),
            password: password.to_owned(),
            ..CredentialAnswer::default()
        };
        assert_eq!(lines(&answer("y")).unwrap(), "username=x\npassword=y\n");
        for wrong in ["", "y\nhost=evil.example", "y z", "\u{fc}"] {
            assert!(lines(&answer(wrong)).is_err(), "{wrong:?}");
        }
        assert_eq!(lines(&CredentialAnswer::refused("why")), Err("why".to_owned()));
    }
}
