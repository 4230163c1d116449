//! Commands on runners, and the use of their reports.

use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Subcommand;
use serde_json::Value;
use tlslab_queue::{Duty, NewRunner, Origin, QuietHours, Runner, hash_key};

use crate::config::{ARCHITECTURE, CLASS, LABEL_HELP, is_label, is_measured_label, is_name};
use crate::local::new_secret;
use crate::pool::Pool;

/// Commands about runners.
#[derive(Subcommand)]
pub(crate) enum RunnerVerb {
    /// List runners with their duties.
    List,
    /// Add a runner and print its key, which is kept as a hash alone.
    Add {
        /// Its name.
        name: String,
        /// Its labels.
        #[arg(long = "label", value_name = "LABEL")]
        labels: Vec<String>,
        /// Hours in which it takes no job, in UTC: `08:00-18:00` or `mon-fri 08:00-18:00`.
        #[arg(long, value_name = "HOURS", default_value = "")]
        quiet: QuietHours,
    },
    /// Give a runner a new key and print it; the one before it is good for a while.
    Rotate {
        /// Its name.
        name: String,
        /// For how many minutes the old key is good; 0 if it was stolen.
        #[arg(long, value_name = "MINUTES", default_value_t = 60)]
        overlap: u32,
    },
    /// Remove a runner and invalidate its key.
    Remove {
        /// Its name.
        name: String,
    },
    /// Let a runner end its job and take no other.
    Drain {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Let a runner give its job back and take no other.
    Pause {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Let a runner take jobs again.
    Resume {
        /// Its name.
        name: String,
        /// The machine has changed, as after a new kernel: discard its earlier canaries as reference.
        #[arg(long)]
        discard_reference: bool,
    },
}

/// Carries a command out.
///
/// # Errors
/// Fails if the runner does not exist, or is in the configuration.
pub(crate) fn carry_out(pool: &Pool, verb: &RunnerVerb) -> anyhow::Result<()> {
    match verb {
        RunnerVerb::List => {
            for runner in pool.with(|queue| queue.runners())? {
                let labels = labels_of(&runner).join(", ");
                println!("{}\t{}\t{}\t{}", runner.name, runner.duty.name(), labels, runner.duty_cause);
            }
            Ok(())
        }
        RunnerVerb::Add { name, labels, quiet } => {
            ensure!(is_name(name), "\"{name}\": write 1 to 32 lowercase letters, digits and hyphens");
            for label in labels {
                ensure!(is_label(label), "label \"{label}\": {LABEL_HELP}");
                ensure!(!is_measured_label(label), "label \"{label}\": runners report these themselves");
            }
            let known = pool.with(|queue| queue.runners())?;
            ensure!(
                known.iter().all(|runner| runner.name != *name),
                "there is a runner {name} already; `runner rotate {name}` gives it a new key"
            );
            let key = new_secret();
            let runner = NewRunner {
                name: name.clone(),
                key_hash: hash_key(&key),
                labels: labels.clone(),
                quiet: quiet.clone(),
                origin: Origin::Command,
            };
            pool.with(|queue| queue.register_runner(&runner))?;
            println!("{key}");
            Ok(())
        }
        RunnerVerb::Rotate { name, overlap } => {
            by_command(pool, name, "its key is in a file that the configuration names: change that file")?;
            let key = new_secret();
            let overlap_ms = u64::from(*overlap) * Duration::from_secs(60).as_millis() as u64;
            pool.with(|queue| queue.change_key(name, &hash_key(&key), overlap_ms))?;
            println!("{key}");
            Ok(())
        }
        RunnerVerb::Remove { name } => {
            by_command(pool, name, "the configuration has it: remove it there, and start the service again")?;
            pool.with(|queue| queue.remove_runner(name))?;
            Ok(())
        }
        RunnerVerb::Drain { name, why } => rest(pool, name, Duty::Drains, why.as_deref()),
        RunnerVerb::Pause { name, why } => rest(pool, name, Duty::Paused, why.as_deref()),
        RunnerVerb::Resume { name, discard_reference } => {
            let changed =
                pool.with(|queue| queue.set_duty(name, Duty::Works, "by a command", *discard_reference))?;
            changed.map(drop).with_context(|| none(name))
        }
    }
}

fn rest(pool: &Pool, name: &str, duty: Duty, why: Option<&str>) -> anyhow::Result<()> {
    let why = tlslab_text::clean(why.unwrap_or("by a command"));
    pool.with(|queue| queue.set_duty(name, duty, &why, false))?.map(drop).with_context(|| none(name))
}

fn by_command(pool: &Pool, name: &str, otherwise: &str) -> anyhow::Result<()> {
    let known = pool.with(|queue| queue.runners())?;
    let runner = known.iter().find(|runner| runner.name == name).with_context(|| none(name))?;
    // Local runners of former services have no owner.
    let is_local = runner.origin == Origin::Local || name.starts_with("local-");
    ensure!(runner.origin == Origin::Command || is_local, "runner {name}: {otherwise}");
    Ok(())
}

fn none(name: &str) -> String {
    format!("there is no runner \"{}\"; `runner list` lists all", tlslab_text::clean(name))
}

/// A runner's labels: assigned ones, and those that it measures.
pub(crate) fn labels_of(runner: &Runner) -> Vec<String> {
    let fact = |name: &str| runner.facts.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let of = |start: &str, text: &str| format!("{start}{}", as_label(text));
    let measured = [("architecture", ARCHITECTURE), ("class", CLASS)];
    let measured = measured.into_iter().filter_map(|(name, start)| Some(of(start, fact(name)?)));
    runner.labels.iter().cloned().chain(measured).collect()
}

/// A text as a part of a label: small letters and digits, with hyphens between.
fn as_label(text: &str) -> String {
    let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let joined = parts.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    joined.chars().take(90).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;
    use tlslab_store::Address;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(subcommand)]
        verb: RunnerVerb,
    }

    fn pool() -> (tempfile::TempDir, Pool) {
        let folder = tempfile::tempdir().unwrap();
        let pool = Pool::new(Address::Sqlite(folder.path().join("queue.sqlite")), None);
        (folder, pool)
    }

    fn run(pool: &Pool, words: &str) -> Result<(), String> {
        let verb = Cli::try_parse_from(["runner"].into_iter().chain(words.split(' '))).unwrap().verb;
        carry_out(pool, &verb).map_err(|cause| cause.to_string())
    }

    fn one(pool: &Pool) -> Runner {
        pool.with(|queue| queue.runners()).unwrap().remove(0)
    }

    #[test]
    fn a_runner_is_added_rests_and_is_removed() {
        let (_folder, pool) = pool();
        run(&pool, "add one --label fast --quiet 08:00-18:00").unwrap();
        assert_eq!((one(&pool).duty, &*one(&pool).quiet), (Duty::Works, "08:00-18:00"));
        assert!(run(&pool, "add one").unwrap_err().contains("rotate one"));
        run(&pool, "drain one --why upgrade").unwrap();
        assert_eq!((one(&pool).duty, &*one(&pool).duty_cause), (Duty::Drains, "upgrade"));
        run(&pool, "pause one").unwrap();
        run(&pool, "resume one --discard-reference").unwrap();
        assert_eq!(one(&pool).duty, Duty::Works);
        run(&pool, "rotate one --overlap 0").unwrap();
        run(&pool, "remove one").unwrap();
        for verb in ["drain one", "resume one", "remove one", "rotate one"] {
            assert!(run(&pool, verb).unwrap_err().contains("runner list"), "{verb}");
        }
    }

    #[test]
    fn what_the_configuration_has_is_changed_there() {
        let (_folder, pool) = pool();
        let runner = NewRunner {
            name: "one".to_owned(),
            key_hash: hash_key("k"),
            labels: Vec::new(),
            quiet: QuietHours::default(),
            origin: Origin::Configuration,
        };
        pool.with(|queue| queue.register_runner(&runner)).unwrap();
        assert!(run(&pool, "remove one").unwrap_err().contains("configuration"));
        assert!(run(&pool, "rotate one").unwrap_err().contains("file"));
        run(&pool, "pause one").unwrap();
    }

    #[test]
    fn labels_are_those_that_were_given_and_those_of_the_machine() {
        let (_folder, pool) = pool();
        run(&pool, "add one --label fast").unwrap();
        let facts =
            json!({"architecture": "x86_64", "class": "AMD EPYC (family 26), 2 cores, virtual machine"});
        pool.with(|queue| queue.runner_seen("one", "b", Some(&facts))).unwrap();
        let class = "class:amd-epyc-family-26-2-cores-virtual-machine";
        assert_eq!(labels_of(&one(&pool)), ["fast", "arch:x86-64", class]);
        assert!(labels_of(&one(&pool)).iter().all(|label| is_label(label)));
        for wrong in ["add two --label arch:arm", "add two --label a,b", "add Two"] {
            assert!(run(&pool, wrong).is_err(), "{wrong}");
        }
    }
}
