//! `tlslab versions`: which versions of a stack can be built.

use serde_json::Value;
use tlslab_lab::Environment;

use crate::Ended;
use crate::cli::VersionsArgs;
use crate::listing::Listing;

/// Lists the versions that have tables in the recipe, and the releases of its registry.
pub fn versions(environment: &Environment, args: &VersionsArgs) -> anyhow::Result<Ended> {
    let index = environment.recipe_index()?;
    let file = index.file(&args.stack)?;
    let mut listing = Listing::new(["stack", "from", "published"]);
    let own: Vec<String> = file.versions().map(str::to_owned).collect();
    let releases = index.releases(&args.stack)?.unwrap_or_default();
    let mut rows: Vec<(String, String, Value)> =
        own.iter().map(|version| (version.clone(), "the recipe".to_owned(), Value::Null)).collect();
    for release in releases.iter().filter(|release| !own.contains(&release.name)) {
        let package = file.releases.as_ref().map(|rule| &rule.package);
        let from = package
            .map(|package| format!("{} {} {}", package.registry, package.name, release.listed.version));
        rows.push((
            release.name.clone(),
            from.unwrap_or_default(),
            Value::from(release.listed.published.clone()),
        ));
    }
    rows.sort_by(|a, b| tlslab_recipe::compare(&a.0, &b.0));
    for (version, from, published) in rows {
        listing.add([Value::from(format!("{}@{version}", args.stack)), Value::from(from), published]);
    }
    print!("{}", listing.text(args.format));
    Ok(Ended::Well)
}
