//! `tlslab doctor`: this host's noise, the smallest detectable change, and what disturbs measurements.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::{ArgGroup, Args};
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::diagnosis_text;
use tlslab_lab::request::DoctorRequest;
use tlslab_record::Seconds;

use crate::cli::{Invocation, KeptArgs};
use crate::session::{Lab, carried_out, exit_status};

/// The default file of the settings' previous values.
pub(crate) const DOCTOR_STATE: &str = "/var/lib/tlslab/doctor.json";

/// Numbers of CPUs. The type has its own name so that clap does not take it for a repeatable option.
pub(crate) type CpuSet = BTreeSet<u32>;

/// Arguments of `doctor`.
#[derive(Args)]
#[command(group = ArgGroup::new("instead").args(["plan", "apply", "undo", "effects"]))]
pub(crate) struct DoctorArgs {
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
    /// Instead of measuring, compare two files of --save: noise and smallest detectable changes before and
    /// after.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"])]
    pub effects: Option<Vec<PathBuf>>,
    /// Instead of measuring, print this host's settings that add noise, with the values that --apply would
    /// give them.
    #[arg(long)]
    pub plan: bool,
    /// Instead of measuring, change these settings until --undo or a restart; as root.
    #[arg(long)]
    pub apply: bool,
    /// Instead of measuring, restore what --apply has changed; as root.
    #[arg(long)]
    pub undo: bool,
    /// With --plan and --apply: the CPUs for measuring, such as 3 or 4-7 [default: those of the last --apply,
    /// else the highest one].
    #[arg(long, value_name = "LIST", value_parser = parse_cpus, conflicts_with_all = ["undo", "effects"])]
    pub cpus: Option<CpuSet>,
    /// With --plan, --apply and --undo: the file with the previous values of settings.
    #[arg(long, value_name = "FILE", default_value = DOCTOR_STATE)]
    pub state: PathBuf,
    /// Where the outcome is kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl DoctorArgs {
    /// The request.
    pub(crate) fn request(&self) -> DoctorRequest {
        DoctorRequest {
            stack: self.stack.clone(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            budget_s: self.budget,
            budgets_s: self.budgets.clone(),
        }
    }

    /// Whether nothing is measured.
    pub(crate) fn measures_nothing(&self) -> bool {
        self.plan || self.apply || self.undo || self.effects.is_some()
    }
}

fn parse_cpus(text: &str) -> Result<CpuSet, String> {
    tlslab_tuning::parse_cpu_list(text)
        .ok_or_else(|| "write numbers and ranges of CPUs, such as 3 or 2,4-7".to_owned())
}

/// Compares a stack with itself in every arrangement, and prints its noise.
pub(crate) fn doctor(lab: &Lab, args: &DoctorArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), Request::Doctor(args.request()));
    let done = carried_out(lab, &results, &lab.new_job(), &request);
    exit_status(done, "interrupted", |outcome| {
        if let Outcome::Diagnosis(diagnosis) = &outcome {
            out!("{}", diagnosis_text(diagnosis));
        }
        if let Some(file) = &args.save {
            let json = serde_json::to_string_pretty(&outcome)? + "\n";
            std::fs::write(file, json).with_context(|| format!("cannot write {}", file.display()))?;
        }
        let settings =
            "`tlslab doctor --plan` prints which of this host's settings add noise and can be changed";
        outln!("\n{}", invocation.complete(settings));
        let counted = "instructions do not vary with a host's noise: `tlslab compare BASELINE CANDIDATE --metric count` counts them";
        outln!("{}", invocation.complete(counted));
        Ok(outcome.status())
    })
}
