//! The targets of links, and their paths within a site.

use std::fmt::Write;

/// A thing that has a page, or a file of the site.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// The overview.
    Overview,
    /// Questions that people ask, each with the command that answers it.
    Questions,
    /// Pull requests that were measured.
    PullRequests,
    /// One of them: the project's name and the number.
    PullRequest(String, u64),
    /// Everything of a project of a service, by its name.
    Project(String),
    /// Comparisons.
    Comparisons,
    /// One of them, by the identifier of its job or run.
    Comparison(String),
    /// Series over versions and time, all of them.
    History,
    /// The series of a stack, whichever version is named.
    HistoryOf(String),
    /// Ranks stacks for a mix of work.
    Choose,
    /// Runs.
    Runs,
    /// A run, by its identifier.
    Run(String),
    /// The proof of a scenario of a run, if it is not on the run's page: the run and the scenario.
    Proof(String, String),
    /// The functions of one side of a cell of a run, by the profile's name.
    Profile(String),
    /// Published documents and their claims.
    Claims,
    /// A document, by its name.
    Document(String),
    /// How reliable verdicts are on a host.
    Validation,
    /// Stacks.
    Stacks,
    /// Capabilities of each stack.
    Capabilities,
    /// What each library does if nothing is configured.
    Defaults,
    /// A stack; its versions share a page, so `rustls/ring@0.23.46` leads where `rustls/ring` does.
    Stack(String),
    /// Scenarios.
    Scenarios,
    /// A scenario by its name.
    Scenario(String),
    /// Jobs of a service.
    Jobs,
    /// A job.
    Job(String),
    /// Runners of a service.
    Runners,
    /// Signs in at a service, and out.
    SignIn,
    /// Finds stacks, scenarios and runs.
    Search,
    /// A file that programs read, by its path within the site.
    File(String),
}

/// An entry of the navigation that all pages share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The overview.
    Overview,
    /// Questions.
    Questions,
    /// Pull requests.
    PullRequests,
    /// Comparisons.
    Comparisons,
    /// History.
    History,
    /// Chooser.
    Choose,
    /// Runs.
    Runs,
    /// Stacks.
    Stacks,
    /// Scenarios.
    Scenarios,
    /// Published claims.
    Claims,
    /// Jobs.
    Jobs,
    /// Runners.
    Runners,
}

impl Section {
    /// All of them, in the order of the navigation.
    pub const ALL: [Self; 12] = [
        Self::Overview,
        Self::Questions,
        Self::PullRequests,
        Self::History,
        Self::Comparisons,
        Self::Choose,
        Self::Runs,
        Self::Stacks,
        Self::Scenarios,
        Self::Claims,
        Self::Jobs,
        Self::Runners,
    ];

    /// The entries of the navigation.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Questions => "Questions",
            Self::PullRequests => "Pull requests",
            Self::Comparisons => "Comparisons",
            Self::History => "History",
            Self::Choose => "Choose",
            Self::Runs => "Runs",
            Self::Stacks => "Stacks",
            Self::Scenarios => "Scenarios",
            Self::Claims => "Claims",
            Self::Jobs => "Jobs",
            Self::Runners => "Runners",
        }
    }

    /// Where it leads.
    #[must_use]
    pub fn target(self) -> Target {
        match self {
            Self::Overview => Target::Overview,
            Self::Questions => Target::Questions,
            Self::PullRequests => Target::PullRequests,
            Self::Comparisons => Target::Comparisons,
            Self::History => Target::History,
            Self::Choose => Target::Choose,
            Self::Runs => Target::Runs,
            Self::Stacks => Target::Stacks,
            Self::Scenarios => Target::Scenarios,
            Self::Claims => Target::Claims,
            Self::Jobs => Target::Jobs,
            Self::Runners => Target::Runners,
        }
    }
}

impl Target {
    /// Its path within a site, without a leading slash and without an ending such as `.html`;
    /// [`Target::File`] has its own ending.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Overview => "index".to_owned(),
            Self::Questions => "questions".to_owned(),
            Self::PullRequests => "pulls/index".to_owned(),
            Self::PullRequest(project, number) => format!("pulls/{}/{number}", slug(project)),
            Self::Project(name) => format!("projects/{}", slug(name)),
            Self::Comparisons => "comparisons/index".to_owned(),
            Self::Comparison(id) => format!("comparisons/{}", slug(id)),
            Self::History => "history/index".to_owned(),
            Self::HistoryOf(stack) => format!("history/{}", slug(&without_version(stack))),
            Self::Choose => "choose".to_owned(),
            Self::Runs => "runs/index".to_owned(),
            Self::Run(id) => format!("runs/{}", slug(id)),
            Self::Proof(run, scenario) => format!("runs/{}/{}", slug(run), slug(scenario)),
            Self::Profile(name) => format!("profiles/{}", slug(name)),
            Self::Claims => "claims/index".to_owned(),
            Self::Document(name) => format!("claims/{}", slug(name)),
            Self::Validation => "validation".to_owned(),
            Self::Stacks => "stacks/index".to_owned(),
            Self::Capabilities => "capabilities".to_owned(),
            Self::Defaults => "defaults".to_owned(),
            Self::Stack(name) => format!("stacks/{}", slug(&without_version(name))),
            Self::Scenarios => "scenarios/index".to_owned(),
            Self::Scenario(name) => format!("scenarios/{}", slug(name)),
            Self::Jobs => "jobs/index".to_owned(),
            Self::Job(id) => format!("jobs/{}", slug(id)),
            Self::Runners => "runners".to_owned(),
            Self::SignIn => "sign-in".to_owned(),
            Self::Search => "search".to_owned(),
            Self::File(path) => path.clone(),
        }
    }
}

/// A stack's name without its version: the part between `@` and a variant or option.
#[must_use]
pub fn without_version(stack: &str) -> String {
    match stack.split_once('@') {
        Some((name, rest)) => format!("{name}{}", rest.find(['+', ',']).map_or("", |at| &rest[at..])),
        None => stack.to_owned(),
    }
}

/// The longest name of a file that a slug becomes, without its ending.
const LONGEST: usize = 150;

/// A name as one part of a path: letters, digits and `._-@+` stay, `/` becomes `~`, and every other byte `=`
/// and its two hexadecimal digits. Different names have different slugs, and none is `.`, `..` or `index`.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'.' if at == 0 => slug.push_str("=2E"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'@' | b'+' => {
                slug.push(byte.into())
            }
            b'/' => slug.push('~'),
            // Writing to a string cannot fail.
            _ => _ = write!(slug, "={byte:02X}"),
        }
    }
    if slug.is_empty() || slug == "index" {
        slug.insert(0, '=');
    }
    if slug.len() > LONGEST {
        let digest = crate::asset::digest(name.as_bytes());
        slug.truncate(LONGEST - 18);
        // Cut within the two digits of a byte, it is still a name.
        slug = format!("{slug}=={}", &digest[..16]);
    }
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_become_parts_of_a_path() {
        assert_eq!(Target::Stack("rustls/aws-lc-rs@0.23.46".to_owned()).path(), "stacks/rustls~aws-lc-rs");
        assert_eq!(without_version("openssl@3.5.5+lto"), "openssl+lto");
        assert_eq!(slug("../x y"), "=2E.~x=20y");
        assert_eq!(slug("index"), "=index");
        assert_eq!(slug(""), "=");
        assert!(slug(&"x".repeat(999)).len() <= LONGEST);
    }

    proptest! {
        #[test]
        fn different_names_have_different_slugs(one in ".{0,300}", other in ".{0,300}") {
            prop_assert_eq!(one == other, slug(&one) == slug(&other));
            let slug = slug(&one);
            prop_assert!(!slug.is_empty() && slug.len() <= LONGEST && slug != "." && slug != "..");
            prop_assert!(slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@+~=".contains(&byte)));
        }
    }
}
