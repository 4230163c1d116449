//! `tlslab-service check`: whether each code host grants the service its rights, and reaches it.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tlslab_forge::webhook::Person;
use tlslab_forge::{Client, Hook, Kind, needed_events};

use crate::config::ProjectConfig;
use crate::private::addresses;
use crate::service::Service;

/// How long a test of a webhook may take until the running service has it.
const DELIVERED_WITHIN: Duration = Duration::from_secs(20);

/// Asks the code host of each project, and prints a line for each answer.
///
/// # Errors
/// Fails if a requirement is missing.
pub(crate) fn code_hosts(service: &Service) -> anyhow::Result<()> {
    let mut missing = 0;
    for project in &service.config.projects {
        let name = project.name.get_ref();
        let client = service.client(project)?;
        let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
        for (what, answer) in answers(service, project, &mut client) {
            match answer {
                Ok(answer) => println!("{name}: {what}: {answer}"),
                Err(cause) => {
                    missing += 1;
                    println!("{name}: {what}: MISSING: {cause:#}");
                }
            }
        }
    }
    ensure!(
        missing == 0,
        "{missing} requirements are missing; fix them, then run `tlslab-service check` again"
    );
    Ok(())
}

type Answer = anyhow::Result<String>;

fn answers(service: &Service, project: &ProjectConfig, client: &mut Client) -> Vec<(&'static str, Answer)> {
    let account = client.who().map_err(anyhow::Error::from);
    if account.is_err() {
        return vec![("account", account)];
    }
    vec![
        ("account", account),
        ("rights", rights(client)),
        (
            "pull requests",
            client.open_pulls().map(|open| format!("{} are open", open.len())).map_err(Into::into),
        ),
        ("webhook", webhook(service, project, client)),
        ("privacy", privacy(service, project, client)),
    ]
}

/// Whether the configuration agrees with the code host on privacy, and an App grants a token for git.
fn privacy(service: &Service, project: &ProjectConfig, client: &mut Client) -> Answer {
    let is_private = client.is_private()?;
    ensure!(
        project.private || !is_private,
        "the repository is private, and git has no credential for it; add `private = true` to [[project]], and `public_reading = false` if \
         it is not there"
    );
    if !project.private {
        return Ok("anybody can read the repository".to_owned());
    }
    let clone_url = client.repository()?.clone_url;
    let addresses = addresses(project, &clone_url).map_err(anyhow::Error::msg)?.join(", ");
    if service.fetch_tokens.contains_key(project.name.get_ref()) {
        return Ok(format!("git shows the token of the configuration to {addresses}"));
    }
    client.reading_token(&project.submodules).context("the App gives git no token")?;
    Ok(format!("git shows a token of the App to {addresses}"))
}

/// Whether the account may query the rights of others, as it must for each pull request.
fn rights(client: &mut Client) -> Answer {
    let repository = client.repository()?;
    let somebody = repository.path.split('/').next().unwrap_or_default().to_owned();
    // Only the existence of an answer matters.
    client
        .may_write(&Person { login: somebody, id: 1, is_bot: false })
        .context("the account cannot ask for the rights of others")?;
    Ok(format!("it may ask who may write to {}", repository.path))
}

fn webhook(service: &Service, project: &ProjectConfig, client: &mut Client) -> Answer {
    let forge = project.forge.get_ref();
    let address = format!("{}/hooks/{forge}", service.config.base());
    if service.config.forges.iter().any(|known| known.name.get_ref() == forge && known.app.is_some()) {
        return Ok(format!(
            "the App's webhook must point to {address}; the App's settings list its deliveries"
        ));
    }
    let hooks = client.hooks().context("the account cannot list the webhooks of the repository")?;
    let found: Vec<&Hook> = hooks.iter().filter(|hook| hook.url.trim_end_matches('/') == address).collect();
    let hook = *found.first().with_context(|| {
        let others: Vec<&str> = hooks.iter().map(|hook| hook.url.as_str()).collect();
        let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
        format!("the repository has no webhook for {address} (it has: {others}); add it in its settings")
    })?;
    ensure!(hook.is_active, "the webhook for {address} is switched off");
    let kind = client.forge().kind();
    let events: Vec<&str> = needed_events(kind)
        .iter()
        .filter(|event| !hook.events.iter().any(|has| has == *event))
        .copied()
        .collect();
    ensure!(events.is_empty(), "the webhook for {address} does not send: {}", events.join(", "));
    delivered(service, client, hook.id, kind)
}

/// Has the code host send a test, and looks for it in the database of the service that runs.
fn delivered(service: &Service, client: &mut Client, hook: u64, kind: Kind) -> Answer {
    let received = || service.queue(|queue| queue.deliveries());
    let before = received()?;
    client.test_hook(hook).context("the code host does not send a test")?;
    let deadline = Instant::now() + DELIVERED_WITHIN;
    while Instant::now() < deadline {
        if received()? > before {
            return Ok("a test arrived".to_owned());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let why = match kind {
        Kind::Gitea => {
            "Gitea calls only what ALLOWED_HOST_LIST in its [webhook] permits, and its log says what it refused"
        }
        Kind::Gitlab => "GitLab calls addresses of its own network only if an administrator allows it",
        Kind::Github => "the webhook's settings list deliveries and responses",
    };
    anyhow::bail!(
        "a test of the webhook did not arrive within {} s: is the service running at {}, and is the secret the same? {why}",
        DELIVERED_WITHIN.as_secs(),
        service.config.base()
    )
}
