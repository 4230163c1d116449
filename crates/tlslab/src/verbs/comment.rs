//! `tlslab comment`: a comparison as a comment on its pull request.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::Deserialize;
use tlslab_comparison::{CommentParts, MARKDOWN_LIMIT, markdown_within};
use tlslab_forge::{Forge, Kind, Left, Mark, Measured, Web, leave};
use tlslab_job::Status;
use tlslab_lab::{read_bounded, read_comparison};
use tlslab_text::markdown_code;

use crate::cli::values::{Values, parse_named};

/// A code host.
const FORGES: Values = &[("github", "GitHub, or a compatible code host"), ("gitlab", "GitLab")];

/// Arguments of `comment`. The token is in TLSLAB_TOKEN, or in GITHUB_TOKEN or GITLAB_TOKEN.
#[derive(Args)]
#[command(
    after_help = "The token is read from TLSLAB_TOKEN; if that is not set, from GITHUB_TOKEN or GITLAB_TOKEN."
)]
pub(crate) struct CommentArgs {
    /// A folder with comparison.json and about.json, as ci/measure writes it. Nothing in it is trusted.
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// The code host of the pull request.
    #[arg(long, value_parser = parse_named::<Kind>(FORGES))]
    pub forge: Kind,
    /// The repository: OWNER/NAME, on GitLab also its number [default: GITHUB_REPOSITORY or CI_PROJECT_ID].
    #[arg(long, value_name = "NAME")]
    pub repository: Option<String>,
    /// The URL of the code host's API [default: GITHUB_API_URL or CI_API_V4_URL].
    #[arg(long, value_name = "URL")]
    pub api: Option<String>,
    /// The pull request must have this number.
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
    /// The measured commit must be this one.
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// The number of the repository that the pull request must come from.
    #[arg(long, value_name = "ID")]
    pub head_repository: Option<u64>,
    /// The comment's name: the pull request has one comment per name.
    #[arg(long, value_name = "NAME", default_value = "tlslab")]
    pub name: String,
    /// The account that the token belongs to [default: queried from the code host].
    #[arg(long, value_name = "LOGIN")]
    pub author: Option<String>,
    /// A link to details, such as the page of the workflow's run.
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
    /// The name of the job's artifact that holds the folder, for readers.
    #[arg(long, value_name = "NAME")]
    pub artifact: Option<String>,
    /// Print the comment instead of posting it.
    #[arg(long)]
    pub dry_run: bool,
}

/// Room for the mark and for the text below the comparison.
const AROUND: usize = 1_024;

/// The most bytes of an `about.json`.
const LONGEST_ABOUT: u64 = 4_096;

/// The most characters of an address.
const LONGEST_LINK: usize = 500;

/// Characters of a branch's name.
const LONGEST_BRANCH: usize = 100;

/// `about.json`: what was measured. Anybody may have written it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// The pull request.
    number: u64,
    /// The measured commit.
    commit: String,
    /// Its branch.
    #[serde(default)]
    branch: Option<String>,
    /// The commit that it was compared with.
    #[serde(default)]
    base: Option<String>,
    /// The branch that it is merged into.
    #[serde(default)]
    base_branch: Option<String>,
}

/// Posts or edits the comment, and prints its number.
pub(crate) fn comment(args: &CommentArgs) -> anyhow::Result<Status> {
    let about = about(args)?;
    let text = text(args, &about)?;
    let mark = Mark::of(&args.name)?;
    if args.dry_run {
        out!("{}", mark.put_on(&text));
        return Ok(Status::Done);
    }
    let (kind, api, repository) = place(args)?;
    let forge = Forge::new(kind, &api, &repository)?;
    let mut web = Web::new(kind, &token(args.forge)?);
    let author = args.author.as_deref();
    let measured = Measured { number: about.number, commit: &about.commit, repository: args.head_repository };
    let left = leave(&mut web, &forge, measured, &mark, &text, author)?;
    let number = about.number;
    match left {
        Left::Made(id) => outln!("comment {id} created on {number}"),
        Left::Edited(id) => outln!("comment {id} edited on {number}"),
        Left::Same(id) => outln!("comment {id} on {number} is unchanged"),
    }
    Ok(Status::Done)
}

/// Reads `about.json` and compares it with the options.
fn about(args: &CommentArgs) -> anyhow::Result<About> {
    let file = args.from.join("about.json");
    let shown = file.display();
    let about: About = serde_json::from_str(&read_bounded(&file, LONGEST_ABOUT)?)
        .with_context(|| format!("{shown} must be {{\"number\": N, \"commit\": \"...\"}}"))?;
    ensure!(about.number > 0, "{shown}: 0 is not the number of a pull request");
    for commit in about.base.iter().chain([&about.commit]) {
        ensure!(is_commit(commit), "{shown}: the commit is not 40 hexadecimal digits");
    }
    if let Some(number) = args.number {
        ensure!(
            about.number == number,
            "{shown} belongs to pull request {}, but this job is for {number}; no comment is posted",
            about.number
        );
    }
    if let Some(commit) = &args.commit {
        ensure!(is_commit(commit), "--commit {commit}: it must be 40 hexadecimal digits");
        ensure!(
            about.commit == *commit,
            "{shown} belongs to commit {}, but the measured workflow ran {commit}; no comment is posted",
            about.commit
        );
    }
    Ok(about)
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// The comment, rendered from `comparison.json`.
fn text(args: &CommentArgs, about: &About) -> anyhow::Result<String> {
    let comparison = read_comparison(&args.from.join("comparison.json"))?;
    let place = match &args.artifact {
        Some(name) => format!("in the artifact {} of the job", markdown_code(name)),
        None => "in the artifacts of the job".to_owned(),
    };
    let parts = CommentParts { commits: commits(args, about)?, place, ..CommentParts::default() };
    let text = markdown_within(&comparison, MARKDOWN_LIMIT - AROUND, &parts);
    let length = text.chars().count();
    ensure!(
        length <= MARKDOWN_LIMIT - AROUND,
        "the comment would have {length} characters even without its tables, but at most {MARKDOWN_LIMIT} are allowed; \
         comparison.json was not written by the lab"
    );
    Ok(text)
}

/// Base and head by branch and commit, and the link.
fn commits(args: &CommentArgs, about: &About) -> anyhow::Result<String> {
    let place = |branch: &Option<String>, commit: &str| {
        let commit: String = commit.chars().take(8).collect();
        match branch {
            Some(branch) => {
                let branch: String = branch.chars().take(LONGEST_BRANCH).collect();
                format!("{} at {commit}", markdown_code(&branch))
            }
            None => commit,
        }
    };
    let head = place(&about.branch, &about.commit);
    let mut text = match &about.base {
        Some(base) => format!("Base {}, head {head}", place(&about.base_branch, base)),
        None => format!("Head {head}"),
    };
    if let Some(link) = &args.link {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:/?#%&=+,".contains(letter);
        ensure!(
            link.starts_with("https://") && link.len() <= LONGEST_LINK && link.chars().all(is_plain),
            "--link: write an address that begins with https://"
        );
        text += &format!(" · [every cell and every observation]({link})");
    }
    Ok(text)
}

/// The forge's API and the repository, from the options or the job's environment.
fn place(args: &CommentArgs) -> anyhow::Result<(Kind, String, String)> {
    let (api, repository) = match args.forge {
        Kind::Gitlab => ("CI_API_V4_URL", "CI_PROJECT_ID"),
        _ => ("GITHUB_API_URL", "GITHUB_REPOSITORY"),
    };
    let get = |said: &Option<String>, flag: &str, name: &str| {
        let known = said.clone().or_else(|| std::env::var(name).ok()).filter(|text| !text.is_empty());
        known.with_context(|| format!("{name} is not set; name it with {flag}"))
    };
    Ok((args.forge, get(&args.api, "--api", api)?, get(&args.repository, "--repository", repository)?))
}

/// From the environment only: every process can read a command line.
fn token(forge: Kind) -> anyhow::Result<String> {
    let own = if forge == Kind::Gitlab { "GITLAB_TOKEN" } else { "GITHUB_TOKEN" };
    let token = ["TLSLAB_TOKEN", own].iter().find_map(|name| {
        let token = std::env::var(name).ok()?;
        (!token.trim().is_empty()).then(|| token.trim().to_owned())
    });
    let Some(token) = token else { bail!("there is no token; set TLSLAB_TOKEN or {own}") };
    ensure!(
        token.bytes().all(|byte| byte.is_ascii_graphic()),
        "the token contains characters that are not allowed in a token"
    );
    Ok(token)
}
