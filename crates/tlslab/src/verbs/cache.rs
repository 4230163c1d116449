//! `tlslab cache`: contents and sizes of the build cache, and their removal.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use indicatif::HumanBytes;
use serde_json::Value;
use tlslab_build::Holding;
use tlslab_job::Status;
use tlslab_lab::{BuildPlace, Cancel, Environment, Removal, is_unused, mark_frozen, remove_artifacts};
use tlslab_text::Listing;
use tlslab_text::number::counted;

use crate::cli::{Invocation, ListFormat};
use crate::session::Lab;

/// Arguments of `cache`.
#[derive(Args)]
pub(crate) struct CacheArgs {
    /// List every artifact, not only the largest.
    #[arg(long)]
    pub all: bool,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// What to do [default: list].
    #[command(subcommand)]
    pub verb: Option<CacheVerb>,
}

/// What can be done with the cache.
#[derive(Subcommand)]
pub(crate) enum CacheVerb {
    /// Remove artifacts; they are rebuilt when they are needed.
    Remove(RemoveArgs),
}

/// What is removed.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct RemoveArgs {
    /// Artifacts that no recipe uses any longer: former versions, drivers before an edit.
    #[arg(long)]
    pub unused: bool,
    /// Artifacts that only this stack uses; may be repeated. NAME means all its versions, NAME@VERSION one.
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Everything that was fetched and built. The lab's keys are kept.
    #[arg(long)]
    pub everything: bool,
}

impl RemoveArgs {
    /// The same for the lab.
    pub(crate) fn removal(&self) -> Removal {
        Removal { unused: self.unused, stacks: self.stacks.clone(), everything: self.everything }
    }
}

/// How many of the largest are listed unless all are asked for.
const SHOWN: usize = 20;

/// Lists or removes.
pub(crate) fn cache(lab: &Lab, args: &CacheArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let environment = &lab.environment;
    let cancel = Cancel::new();
    let recipes = environment.recipe_index()?.every_edition()?;
    let place = BuildPlace::decide(environment, &recipes, &lab.isolation)?;
    let mut holdings = place.builder(environment).holdings(&recipes, cancel.flag());
    mark_frozen(environment, &mut holdings);
    match &args.verb {
        None => list(environment, &holdings, args, invocation),
        Some(CacheVerb::Remove(which)) => {
            let removed = remove_artifacts(environment, &which.removal(), &holdings, &recipes, &cancel)?;
            outln!("removed {}, {}", counted(removed.folders, "folder"), HumanBytes(removed.bytes));
        }
    }
    Ok(Status::Done)
}

fn list(environment: &Environment, holdings: &[Holding], args: &CacheArgs, invocation: &Invocation) {
    let is_json = args.format == ListFormat::Json;
    let mut listing = Listing::new([if is_json { "bytes" } else { "size" }, "what", "used by"]);
    let shown = if args.all || args.format != ListFormat::Table { holdings.len() } else { SHOWN };
    for holding in &holdings[..shown.min(holdings.len())] {
        let what = format!("{}/{}", holding.part, holding.key);
        let size = match is_json {
            true => Value::from(holding.bytes),
            false => Value::from(HumanBytes(holding.bytes).to_string()),
        };
        listing.add([size, what.into(), users(holding).into()]);
    }
    if args.format != ListFormat::Table {
        out!("{}", listing.text(args.format.into()));
        return;
    }
    let mut parts: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for holding in holdings {
        let (count, bytes) = parts.entry(&holding.part).or_default();
        *count += 1;
        *bytes += holding.bytes;
    }
    outln!("{}", environment.cache.display());
    for (part, (count, bytes)) in &parts {
        outln!("{:>12}  {part} ({count})", HumanBytes(*bytes).to_string());
    }
    let unused = holdings.iter().filter(|holding| is_unused(holding));
    outln!(
        "{:>12}  in total, of which",
        HumanBytes(holdings.iter().map(|holding| holding.bytes).sum()).to_string()
    );
    outln!(
        "{:>12}  no current recipe uses ({})\n",
        HumanBytes(unused.map(|it| it.bytes).sum()),
        invocation.complete("`tlslab cache remove --unused`")
    );
    out!("{}", listing.text(args.format.into()));
    if holdings.len() > shown {
        let all = invocation.complete("`tlslab cache --all`");
        outln!("and {} smaller ones ({all})", holdings.len() - shown);
    }
}

fn users(holding: &Holding) -> String {
    match (&holding.used_by[..], holding.part.as_str()) {
        ([], "work") => "cargo's data between builds".to_owned(),
        ([], _) => "nothing".to_owned(),
        (users, _) if users.len() > 3 => format!("{} and {} more", users[..2].join(", "), users.len() - 2),
        (users, _) => users.join(", "),
    }
}
