//! `tlslab doctor --plan`, `--apply`, `--undo` and `--effects`: settings of this host that add noise. They
//! are not requests of the engine: a job on a runner cannot change its machine.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_job::{Outcome, Status};
use tlslab_lab::{Diagnosis, Problem, effects_text};
use tlslab_text::number::counted;
use tlslab_tuning::{
    Error, Host, Plan, Setting, StateFile, Topic, apply, chosen_before, cpu_list_text, probe, undo,
};

use crate::verbs::doctor::{DOCTOR_STATE, DoctorArgs};

/// Prints, changes or restores settings, or compares two diagnoses.
pub(crate) fn tune(args: &DoctorArgs) -> anyhow::Result<Status> {
    match &args.effects {
        Some(files) => effects(files),
        None if args.undo => restored(args),
        None if args.apply => applied(args),
        None => planned(args),
    }
}

fn planned(args: &DoctorArgs) -> anyhow::Result<Status> {
    let plan = plan(args)?;
    out!("{}", plan.text());
    let number = match plan.changes().count() {
        0 => {
            outln!("\nno setting would change");
            return Ok(Status::Done);
        }
        number => counted(number, "setting"),
    };
    let (apply, undo) = (command("--apply", args), command("--undo", args));
    outln!("\n{number} would change: {apply} changes them, {undo} restores them");
    if !plan.is_root {
        outln!("this process does not run as root, so it was not checked whether root can change them");
    }
    Ok(Status::Done)
}

/// The plan for the CPUs of --cpus, or those of the last --apply. Only root can read the state file; other
/// users' plans do not need it.
fn plan(args: &DoctorArgs) -> anyhow::Result<Plan> {
    let machine = Host::this();
    let before = chosen_before(&machine, &StateFile::new(&args.state)).ok().flatten();
    probe(&machine, args.cpus.as_ref().or(before.as_ref())).map_err(explained)
}

fn applied(args: &DoctorArgs) -> anyhow::Result<Status> {
    let applied = match apply(&Host::this(), args.cpus.as_ref(), &StateFile::new(&args.state)) {
        Err(Error::NotRoot) => {
            out!("{}", plan(args)?.text());
            return Err(Error::NotRoot.into());
        }
        applied => applied.map_err(explained)?,
    };
    let (changed, failed) = (&applied.changed, &applied.failed);
    outln!("changed: {}", counts(changed));
    match applied.immovable.len() {
        0 => {}
        number => outln!("not moved: {}, kept on their CPUs by the kernel", counted(number, "interrupt")),
    }
    for (setting, reason) in failed {
        outln!("not changed: {}: {reason}", place(*setting));
    }
    if applied.plan.changes().count() > 0 {
        outln!(
            "the previous values are in {}; {} restores them",
            args.state.display(),
            command("--undo", args)
        );
    }
    if changed.iter().any(|setting| matches!(setting, Setting::Slice(_))) {
        let start = "`systemd-run --scope --slice=tlslab.slice COMMAND`";
        outln!(
            "services and sessions no longer run on the CPUs for measuring: start the lab in a slice of its own, {start}"
        );
    }
    Ok(if failed.is_empty() { Status::Done } else { Status::WithFailures })
}

fn restored(args: &DoctorArgs) -> anyhow::Result<Status> {
    let undone = undo(&Host::this(), &StateFile::new(&args.state))?;
    outln!("restored: {}", counts(&undone.restored));
    match undone.gone.len() {
        0 => {}
        number => outln!("not restored: {}, whose devices no longer exist", counted(number, "interrupt")),
    }
    for (setting, reason) in &undone.remaining {
        outln!("not restored: {}: {reason}", place(*setting));
    }
    if undone.remaining.is_empty() {
        return Ok(Status::Done);
    }
    outln!(
        "{} keeps the previous values of these: {} tries again",
        args.state.display(),
        command("--undo", args)
    );
    Ok(Status::WithFailures)
}

/// A command that can be run as printed.
fn command(option: &str, args: &DoctorArgs) -> String {
    let cpus = match &args.cpus {
        Some(cpus) if option == "--apply" => format!(" --cpus {}", cpu_list_text(cpus)),
        _ => String::new(),
    };
    let state = match args.state == Path::new(DOCTOR_STATE) {
        true => String::new(),
        false => format!(" --state {}", shlex::try_quote(&args.state.to_string_lossy()).unwrap_or_default()),
    };
    format!("`sudo tlslab doctor {option}{cpus}{state}`")
}

/// Errors in --cpus are errors in the command line.
fn explained(error: Error) -> anyhow::Error {
    match &error {
        Error::CpusNotOnline { .. } | Error::NoCpuForTheSystem { .. } | Error::OtherCpus { .. } => {
            Problem::invalid("cpus", "cpus", error.to_string(), "").into()
        }
        _ => error.into(),
    }
}

/// The number of settings in each group.
fn counts(settings: &[Setting]) -> String {
    let topics: BTreeSet<Topic> = settings.iter().map(|setting| setting.topic()).collect();
    let count = |topic: &Topic| settings.iter().filter(|setting| setting.topic() == *topic).count();
    let counts: Vec<String> =
        topics.iter().map(|topic| format!("{} {}", topic.title(), count(topic))).collect();
    if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
}

fn place(setting: Setting) -> String {
    setting.file().map_or_else(|| setting.to_string(), |file| format!("/{file}"))
}

fn effects(files: &[PathBuf]) -> anyhow::Result<Status> {
    let [before, after] = files else { anyhow::bail!("--effects takes two files") };
    out!("{}", effects_text(&diagnosis(before)?, &diagnosis(after)?)?);
    Ok(Status::Done)
}

/// The content of a file written by `--save`.
fn diagnosis(file: &Path) -> anyhow::Result<Diagnosis> {
    let refused = |cause: String| {
        let next = "name a file that `tlslab doctor --save FILE` has written";
        Problem::invalid("effects", file.display().to_string(), cause, next)
    };
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    read.with_context(|| format!("cannot read {}", file.display()))?;
    match serde_json::from_str(&text) {
        Ok(Outcome::Diagnosis(diagnosis)) => Ok(diagnosis),
        Ok(_) => Err(refused("it is the outcome of another verb".to_owned()).into()),
        Err(cause) => Err(refused(cause.to_string()).into()),
    }
}

/// An outcome with thousands of scenarios is smaller, bytes.
const LONGEST: u64 = 64 << 20;
