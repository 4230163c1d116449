//! `tlslab schema`: the JSON Schemas of files and messages.

use clap::{Args, ValueEnum};
use tlslab_job::Status;

/// Arguments of `schema`.
#[derive(Args)]
pub(crate) struct SchemaArgs {
    /// The schema.
    #[arg(value_enum)]
    pub which: SchemaName,
}

/// The known schemas.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SchemaName {
    /// The messages between lab and driver.
    Protocol,
    /// results.json.
    Results,
    /// What `tlslab work` reads: a job with its request.
    Job,
    /// The lines that `tlslab work` writes while it carries out a job.
    Event,
    /// The last line that `tlslab work` writes: how the job ended.
    Outcome,
    /// A file of scenarios.
    Scenario,
    /// A suite's file.
    Suite,
    /// A recipe's file.
    Recipe,
    /// A published document's file.
    Document,
}

/// Prints one.
pub(crate) fn schema(args: &SchemaArgs) -> anyhow::Result<Status> {
    match args.which {
        SchemaName::Protocol => out!("{}", tlslab_protocol::schema::protocol_schema()),
        SchemaName::Job => out!("{}", tlslab_job::schema::job()),
        SchemaName::Event => out!("{}", tlslab_job::schema::event()),
        SchemaName::Outcome => out!("{}", tlslab_job::schema::outcome()),
        SchemaName::Scenario => file("scenario"),
        SchemaName::Suite => file("suite"),
        SchemaName::Recipe => file("recipe"),
        SchemaName::Document => file("document"),
        SchemaName::Results => out!("{}", tlslab_estimate::results_schema()),
    }
    Ok(Status::Done)
}

/// The schema of a file that users write.
fn file(name: &str) {
    out!("{}", tlslab_job::schema::file(name).unwrap_or_default());
}
