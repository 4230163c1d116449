//! Arguments of `choose`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use tlslab_choice::PROFILE_NAMES;
use tlslab_record::Seconds;

use super::{KeptArgs, ListFormat};

/// Arguments of `choose`.
#[derive(Args)]
pub struct ChooseArgs {
    /// What connections do.
    #[arg(long, value_name = "NAME", default_value = "web-server", value_parser = PossibleValuesParser::new(PROFILE_NAMES))]
    pub profile: String,
    /// A file with a mix of one's own instead of a profile: side, key, group, mutual, resumed_percent, kib_per_connection, direction.
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    pub mix: Option<PathBuf>,
    /// A stack to choose from; may be repeated [default: stacks in [run] of tlslab.toml].
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// What decides. Instructions compare versions and builds of one library; they do not rank libraries.
    #[arg(long, value_enum, default_value_t = ChosenBy::Time)]
    pub by: ChosenBy,
    /// How long measuring may take, such as 45s, 10m, 1h [default: 5 s for each scenario].
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// Measure all stacks, also those whose costs on such a machine are known.
    #[arg(long, conflicts_with_all = ["recorded", "no_measuring"])]
    pub again: bool,
    /// Measure nothing: choose by what was recorded, on whatever machine.
    #[arg(long)]
    pub no_measuring: bool,
    /// A database that was packed by zstd, instead of the one with the runs; nothing is measured.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// What decides.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ChosenBy {
    /// Time.
    Time,
    /// Instructions, of versions and builds of one library.
    Instructions,
}

impl ChosenBy {
    /// The metric.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Instructions => "count.instructions",
        }
    }
}
