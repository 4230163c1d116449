//! Where runs are kept.

use std::path::PathBuf;

use clap::Args;
use tlslab_lab::Results;
use tlslab_store::Address;

/// Where runs are kept.
#[derive(Clone, Args)]
pub(crate) struct KeptArgs {
    /// The folder of reports, and of the database if no other is named.
    #[arg(long, value_name = "DIR", default_value = "tlslab-results")]
    pub out: PathBuf,
    /// The database of runs: sqlite:PATH or postgres://USER@HOST/DATABASE [default: tlslab.sqlite in --out].
    #[arg(long, value_name = "URL", env = "TLSLAB_STORE", hide_env_values = true)]
    pub store: Option<Address>,
}

impl KeptArgs {
    /// The same for the engine.
    pub(crate) fn results(&self) -> Results {
        Results { out: self.out.clone(), store: self.store.clone(), history: None }
    }
}
