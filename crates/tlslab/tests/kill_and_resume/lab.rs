//! A lab that runs as a child of the test, and is watched and killed.

use super::*;

pub(crate) enum Start {
    Anew(u64),
    Resumed,
}

/// The lab at work.
pub(crate) struct Lab {
    pub child: Child,
    pub started: Instant,
    /// How long it waited for other runs, and since when it waits now.
    pub waited: Duration,
    pub waits_since: Option<Instant>,
    pub lines: Receiver<(Instant, String)>,
    pub said: Vec<String>,
}

impl Lab {
    pub(crate) fn start(out: &Path, start: Start, in_sandbox: bool) -> Self {
        let mut command = support::tlslab();
        command.args(["--sandbox", if in_sandbox { "require" } else { "off" }, "run"]);
        match start {
            Start::Resumed => {
                command.arg("--resume");
            }
            Start::Anew(seed) => {
                for stack in STACKS {
                    command.args(["--stack", stack]);
                }
                command.args(["--suite", "smoke", "--budget", "2s", "--rounds", &ROUNDS.to_string()]);
                command.args(["--seed", &seed.to_string()]);
            }
        }
        command.arg("--out").arg(out).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().expect("the lab starts");
        let stderr = BufReader::new(child.stderr.take().expect("standard error is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            // Without a listener, the rest is not needed.
            stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send((Instant::now(), line)))
        });
        Self { child, started, waited: Duration::ZERO, waits_since: None, lines, said: vec![] }
    }

    /// The time since its start, except for waiting for other runs.
    pub(crate) fn lived(&mut self) -> Duration {
        while let Ok((when, line)) = self.lines.try_recv() {
            if let Some(since) = self.waits_since.take() {
                self.waited += when - since;
            }
            if line.contains(" is measuring on this host; waiting") {
                self.waits_since = Some(when);
            }
            self.said.push(line);
        }
        let waits = self.waits_since.map_or(Duration::ZERO, |since| since.elapsed());
        self.started.elapsed().saturating_sub(self.waited + waits)
    }

    /// Whether it still ran at that age.
    pub(crate) fn wait_until(&mut self, life: Duration) -> anyhow::Result<bool> {
        loop {
            if self.child.try_wait()?.is_some() {
                return Ok(false);
            }
            let lived = self.lived();
            if lived >= life {
                return Ok(true);
            }
            if lived > HANGS_AFTER {
                self.kill();
                bail!("the lab hangs; it said:\n{}", self.said.join("\n"));
            }
            thread::sleep((life - lived).min(Duration::from_millis(1)));
        }
    }

    /// Waits until this share of all visits is complete, or until it has ended.
    pub(crate) fn wait_for_visits(&mut self, database: &Path, share: f64) -> anyhow::Result<()> {
        let mut open = None;
        while self.wait_until(Duration::ZERO)? {
            if open.is_none() && self.said.iter().any(|line| line.starts_with("measure")) {
                open = Some(Connection::open(database)?);
            }
            if let Some(database) = &open {
                let all = "SELECT ?1 * json_array_length(plan, '$.scenarios'),
                           (SELECT count(*) FROM visit WHERE complete) FROM run";
                let (all, complete): (i64, i64) =
                    database.query_row(all, [ROUNDS], |row| Ok((row.get(0)?, row.get(1)?)))?;
                if complete as f64 >= share * all as f64 {
                    break;
                }
            }
            thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    pub(crate) fn until_it_ends(&mut self) -> anyhow::Result<ExitStatus> {
        self.wait_until(Duration::MAX)?;
        let status = self.child.wait()?;
        // Its last message may still be on its way.
        while let Ok((_, line)) = self.lines.recv_timeout(GONE_WITHIN) {
            self.said.push(line);
        }
        Ok(status)
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("the lab can be killed");
    }

    /// Kills one of its live drivers, or a process that belongs to it, after waiting for one if needed.
    /// Returns whose it was, and whether the run had begun; `None` if the lab ended before.
    pub(crate) fn kill_of_a_driver(
        &mut self,
        victim: Victim,
        drivers: &[(&'static str, PathBuf)],
        rng: &mut StdRng,
    ) -> anyhow::Result<Option<(&'static str, bool)>> {
        while self.wait_until(Duration::ZERO)? {
            let all: BTreeMap<u32, Process> =
                descendants(self.child.id()).map(|process| (process.id, process)).collect();
            let mut running: Vec<(i32, &'static str)> = all
                .values()
                .filter_map(|process| {
                    let stack =
                        drivers.iter().find(|(_, driver)| process.program.as_ref() == Some(driver))?;
                    Some((above(&all, process, victim, rng)? as i32, stack.0))
                })
                .collect();
            while !running.is_empty() {
                let (id, stack) = running.swap_remove(rng.random_range(0..running.len()));
                if stop_if_alive(id) {
                    self.lived();
                    let in_a_run = self.said.iter().any(|line| line.starts_with("run "));
                    send(id, libc::SIGKILL);
                    return Ok(Some((stack, in_a_run)));
                }
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(None)
    }

    /// The time, and the last message.
    pub(crate) fn moment(&mut self) -> String {
        let lived = self.lived();
        let doing = self.said.last().and_then(|line| line.split([':', ' ']).next()).unwrap_or("silence");
        format!("at {:.2} s ({doing})", lived.as_secs_f64())
    }
}

/// The process of a driver to kill: itself, or one between it and the lab.
fn above(all: &BTreeMap<u32, Process>, driver: &Process, victim: Victim, rng: &mut StdRng) -> Option<u32> {
    let ancestors = || std::iter::successors(all.get(&driver.parent), |process| all.get(&process.parent));
    let of_sandbox =
        |process: &&Process| process.program.as_ref().is_some_and(|path| path.ends_with("bwrap"));
    match victim {
        Victim::Lab => None,
        Victim::Driver => Some(driver.id),
        Victim::Keeper => ancestors().find(|process| process.is_keeper()).map(|process| process.id),
        Victim::Sandbox => {
            let between: Vec<u32> = ancestors().filter(of_sandbox).map(|process| process.id).collect();
            (!between.is_empty()).then(|| between[rng.random_range(0..between.len())])
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
