//! `tlslab versions`: which versions of a stack can be built.

use clap::Args;
use serde_json::Value;
use tlslab_job::Status;
use tlslab_lab::Environment;
use tlslab_text::Listing;

use crate::cli::ListFormat;

/// Arguments of `versions`.
#[derive(Args)]
pub(crate) struct VersionsArgs {
    /// The stack, without a version.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Lists the versions that have tables in the recipe, and the releases of its registry.
pub(crate) fn versions(environment: &Environment, args: &VersionsArgs) -> anyhow::Result<Status> {
    let index = environment.recipe_index()?;
    let file = index.file(&args.stack)?;
    let package =
        file.releases.as_ref().map(|rule| format!("{} {}", rule.package.registry, rule.package.name));
    let mut rows: Vec<(String, String, Option<String>, bool)> =
        file.versions().map(|version| (version.to_owned(), "the recipe".to_owned(), None, false)).collect();
    for release in index.releases(&args.stack)?.unwrap_or_default() {
        if rows.iter().all(|(known, ..)| *known != release.name) {
            let from = format!("{} {}", package.as_deref().unwrap_or_default(), release.listed.version);
            rows.push((release.name, from, release.listed.published, release.listed.is_withdrawn));
        }
    }
    rows.sort_by(|a, b| tlslab_recipe::compare(&a.0, &b.0));
    let mut listing = Listing::new(["stack", "from", "published", "state"]);
    for (version, from, published, is_withdrawn) in rows {
        let state = is_withdrawn.then_some("yanked");
        let stack = Value::from(format!("{}@{version}", args.stack));
        listing.add([stack, from.into(), published.into(), state.into()]);
    }
    out!("{}", listing.text(args.format.into()));
    Ok(Status::Done)
}
