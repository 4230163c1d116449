//! `tlslab schema`: the JSON Schemas of what the lab reads and writes.

use crate::Ended;
use crate::cli::{SchemaArgs, WhichSchema};

/// Prints one.
pub fn schema(args: &SchemaArgs) -> anyhow::Result<Ended> {
    match args.which {
        WhichSchema::Protocol => out!("{}", tlslab_protocol::schema::protocol_schema()),
        WhichSchema::Results => out!("{}", tlslab_estimate::results_schema()),
    }
    Ok(Ended::Well)
}
