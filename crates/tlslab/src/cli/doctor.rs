//! The arguments of `doctor`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use tlslab_lab::request::DoctorRequest;
use tlslab_record::Seconds;

use super::KeptArgs;

/// Arguments of `doctor`.
#[derive(Args)]
#[command(group = ArgGroup::new("instead").args(["plan", "apply", "undo", "effects"]))]
pub struct DoctorArgs {
    /// The stack that is compared with itself.
    #[arg(long, value_name = "STACK", default_value = "rustls/ring")]
    pub stack: String,
    /// The suite whose scenarios are tried.
    #[arg(long, value_name = "NAME", default_value = "compare")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// How long measuring may take.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub budget: Seconds,
    /// Budgets of one timed cell for which the smallest detectable change is computed.
    #[arg(long, value_name = "TIME", value_delimiter = ',', default_value = "2s,10s,60s")]
    pub budgets: Vec<Seconds>,
    /// Write the outcome to this file, too, for --effects.
    #[arg(long, value_name = "FILE", conflicts_with = "instead")]
    pub save: Option<PathBuf>,
    /// Instead of measuring, compare two files of --save: noise and smallest detectable changes before and after.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"])]
    pub effects: Option<Vec<PathBuf>>,
    /// Instead of measuring, print this host's settings that add noise, with the values that --apply would give them.
    #[arg(long)]
    pub plan: bool,
    /// Instead of measuring, change these settings until --undo or a restart; as root.
    #[arg(long)]
    pub apply: bool,
    /// Instead of measuring, restore what --apply has changed; as root.
    #[arg(long)]
    pub undo: bool,
    /// With --plan and --apply: the CPUs for measuring, such as 3 or 4-7 [default: those of the last --apply, else the highest one].
    #[arg(long, value_name = "LIST", value_parser = parse_cpus, conflicts_with_all = ["undo", "effects"])]
    pub cpus: Option<CpuSet>,
    /// With --plan, --apply and --undo: the file with the previous values of settings.
    #[arg(long, value_name = "FILE", default_value = DOCTOR_STATE)]
    pub state: PathBuf,
    /// Where the outcome is kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Where the previous values of settings are, unless another file is named.
pub const DOCTOR_STATE: &str = "/var/lib/tlslab/doctor.json";

/// Numbers of CPUs. A name of its own: an option that holds a set is not one that may be repeated.
pub type CpuSet = BTreeSet<u32>;

impl DoctorArgs {
    /// What is asked for.
    pub fn request(&self) -> DoctorRequest {
        DoctorRequest {
            stack: self.stack.clone(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            budget_s: self.budget,
            budgets_s: self.budgets.clone(),
        }
    }

    /// Whether nothing is measured.
    pub fn measures_nothing(&self) -> bool {
        self.plan || self.apply || self.undo || self.effects.is_some()
    }
}

fn parse_cpus(text: &str) -> Result<CpuSet, String> {
    tlslab_tuning::parse_cpu_list(text)
        .ok_or_else(|| "write numbers and ranges of CPUs, such as 3 or 2,4-7".to_owned())
}
