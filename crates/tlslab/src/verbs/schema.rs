//! `tlslab schema`: the JSON Schemas of what the lab reads and writes.

use crate::cli::{SchemaArgs, WhichSchema};
use tlslab_lab::Status;

/// Prints one.
pub(crate) fn schema(args: &SchemaArgs) -> anyhow::Result<Status> {
    match args.which {
        WhichSchema::Protocol => out!("{}", tlslab_protocol::schema::protocol_schema()),
        WhichSchema::Job => out!("{}", tlslab_lab::schema::job()),
        WhichSchema::Event => out!("{}", tlslab_lab::schema::event()),
        WhichSchema::Outcome => out!("{}", tlslab_lab::schema::outcome()),
        WhichSchema::Scenario => file("scenario"),
        WhichSchema::Suite => file("suite"),
        WhichSchema::Recipe => file("recipe"),
        WhichSchema::Document => file("document"),
        WhichSchema::Results => out!("{}", tlslab_estimate::results_schema()),
    }
    Ok(Status::Done)
}

/// That of a file that users write.
fn file(name: &str) {
    out!("{}", tlslab_lab::schema::file(name).unwrap_or_default());
}
