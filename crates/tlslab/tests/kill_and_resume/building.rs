//! Kills of the lab and of its descendants during a build.

use super::*;

const STEPS: usize = 12;

/// A driver whose build takes a while, in steps with intermediate files.
const MAKEFILE: &str = "all:\n\tfor n in $$(seq STEPS); do sleep 0.05; echo $$n >>$(OUT)/part; done\n\t\
                        printf '#!/bin/sh\\n' >$(OUT)/driver\n\tchmod 755 $(OUT)/driver\n";

const RECIPE: &str = "name = \"slow\"\ntitle = \"Slow to make\"\nlicence = \"MIT\"\ndriver = \"slow\"\nversion = \"1\"\n\
                      [make]\nvariables = {}\n[versions.\"1\"]\n";

#[test]
#[ignore = "a long series: `make kills`"]
fn kill_9_while_building() {
    let mut ledger = Ledger::open("build");
    let moments: usize = from_environment("TLSLAB_KILLS").unwrap_or(3);
    let seed: u64 = ledger.seed(|| rand::rng().random());
    adopt_what_the_lab_leaves();
    // The parts that all drivers share are built once.
    support::driver(STACKS[0]);
    let mut rng = StdRng::seed_from_u64(seed);
    let mut failures = Vec::new();
    for moment in 0..moments {
        let mut own = StdRng::seed_from_u64(rng.random());
        let (after, of_lab, in_sandbox) = (own.random_range(0.0..1.2), own.random(), own.random());
        if ledger.played(moment).is_some() {
            continue;
        }
        let in_sandbox = in_sandbox && from_environment::<u8>("TLSLAB_KILL_SANDBOX").is_some_and(|on| on > 0);
        match play(Duration::from_secs_f64(after), of_lab, in_sandbox, &mut own) {
            Ok(what) => {
                eprintln!("build {moment}: {what}");
                ledger.add(moment, true);
            }
            Err(why) => {
                eprintln!("build {moment}: WRONG: {why:#}");
                failures.push(format!("build {moment}: {why:#}"));
            }
        }
    }
    eprintln!("kills: {moments} builds, {} wrong", failures.len());
    assert!(failures.is_empty(), "{} of {moments} builds:\n{}", failures.len(), failures.join("\n"));
}

fn play(after: Duration, of_lab: bool, in_sandbox: bool, rng: &mut StdRng) -> anyhow::Result<String> {
    let folder = tempfile::Builder::new().prefix("tlslab-kill-").tempdir()?;
    let (own, cache) = (folder.path().join("own"), folder.path().join("cache"));
    fs::create_dir_all(own.join("drivers/slow"))?;
    fs::create_dir_all(own.join("stacks"))?;
    fs::write(own.join("drivers/slow/Makefile"), MAKEFILE.replace("STEPS", &STEPS.to_string()))?;
    fs::write(own.join("stacks/slow.toml"), RECIPE)?;
    fs::write(own.join("tlslab.toml"), concat!("lab = \"", env!("CARGO_MANIFEST_DIR"), "/../..\"\n"))?;
    let build = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tlslab"));
        command.current_dir(&own).args(["--sandbox", if in_sandbox { "require" } else { "off" }]);
        command.arg("--cache").arg(&cache).arg("--trusted-cache").arg(shared_cache()).args(["build", "slow"]);
        command
    };
    let mut lab = build().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    thread::sleep(after);
    let mut what = "the lab killed".to_owned();
    if of_lab {
        lab.kill()?;
    } else {
        let running: Vec<Process> = descendants(lab.id()).collect();
        match running.len() {
            0 => "nothing to kill".clone_into(&mut what),
            count => {
                let victim = &running[rng.random_range(0..count)];
                what = format!("{victim} killed");
                send(victim.id as i32, libc::SIGKILL);
            }
        }
    }
    wait_or_kill(&mut lab)?;
    let deadline = Instant::now() + GONE_WITHIN;
    while !no_child_is_left() {
        ensure!(Instant::now() < deadline, "{what}: processes are left");
        thread::sleep(Duration::from_millis(5));
    }
    let again = build().output()?;
    let said = String::from_utf8_lossy(&again.stderr);
    ensure!(again.status.success(), "{what}, then built again: {}\n{said}", again.status);
    let parts = fs::read_dir(cache.join("driver"))?.flatten().map(|product| product.path().join("part"));
    for part in parts {
        let steps = fs::read_to_string(&part)?.lines().count();
        ensure!(steps == STEPS, "{what}: {} has {steps} of {STEPS} steps", part.display());
    }
    let scratch = fs::read_dir(cache.join("scratch")).map_or(0, |entries| entries.count());
    ensure!(scratch == 0, "{what}: {scratch} folders of work in progress are left");
    Ok(format!("{what} after {:.2} s", after.as_secs_f64()))
}

fn wait_or_kill(lab: &mut Child) -> anyhow::Result<()> {
    let deadline = Instant::now() + HANGS_AFTER;
    while lab.try_wait()?.is_none() {
        if Instant::now() > deadline {
            lab.kill()?;
            bail!("the lab hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The cache of all tests.
fn shared_cache() -> PathBuf {
    let driver = support::driver(STACKS[0]);
    driver.ancestors().nth(3).expect("a driver lies in its product in the cache").to_owned()
}
