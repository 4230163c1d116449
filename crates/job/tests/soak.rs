//! One process that runs a suite again and again: neither its memory nor its descriptors grow, and no process
//! is left.
//!
//! `TLSLAB_SOAK_MINUTES` is the duration. It prints a line for each run and the figures at the end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tlslab_job::{Request, run};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{Cancel, Conditions, Environment, Event, Results};

/// Runs before the first that counts: caches of the process fill.
const FIRST: usize = 3;
/// How much more memory the last third of runs may use than the first, KiB: the allocator keeps some.
const GROWTH_KIB: u64 = 8 << 10;

/// The file that all labs of a host lock while they measure; it stays.
const HOST_LOCK: &str = "tlslab-measure.lock";

/// A process's resources at a moment.
#[derive(Clone, Copy, Debug)]
struct Seen {
    resident_kib: u64,
    descriptors: usize,
    children: usize,
    leftovers: usize,
}

impl Seen {
    fn now(cache: &Path) -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let resident =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        let count = |folder: &Path, is_counted: &dyn Fn(&str) -> bool| {
            let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
            names.filter(|name| name.to_str().is_some_and(is_counted)).count()
        };
        // Folders of this process's measurements; other labs of the host may share the cache.
        let own = format!("-{:07}-", std::process::id());
        let children = fs::read_dir("/proc/self/task").unwrap().flatten();
        let children = children.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        Self {
            resident_kib: resident.unwrap().trim().parse().unwrap(),
            descriptors: count(Path::new("/proc/self/fd"), &|_| true),
            children: children.map(|list| list.split_whitespace().count()).sum(),
            leftovers: count(cache, &|name| name.contains(&own))
                + count(&std::env::temp_dir(), &|name| name.starts_with("tlslab-") && name != HOST_LOCK),
        }
    }
}

#[test]
#[ignore = "minutes: `make soak`"]
fn a_process_that_measures_for_long_does_not_grow() {
    let minutes: f64 = std::env::var("TLSLAB_SOAK_MINUTES").map_or(1.0, |text| text.parse().unwrap());
    let (temporary, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The lab's own files in the folder of temporary files. SAFETY: no other thread of this process reads or
    // sets a variable at this moment.
    unsafe { std::env::set_var("TMPDIR", temporary.path()) };
    let request = Request::Run(Box::new(RunRequest {
        suite: Some("smoke".to_owned()),
        stacks: vec!["rustls/ring".to_owned(), "openssl".to_owned()],
        budget_s: Some("2s".parse().unwrap()),
        rounds: Some("2".parse().unwrap()),
        ..RunRequest::default()
    }));
    let results = Results::of(out.path().to_owned());
    let environment = Environment::find(None, None).unwrap();
    let cache = environment.cache.clone();
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let mut seen = Vec::new();
    while Instant::now() < end || seen.len() < FIRST + 3 {
        let started = Instant::now();
        let conditions = Conditions::own();
        run(&request, &environment, &results, &conditions, &mut |_: &Event| {}, &Cancel::new()).unwrap();
        let now = Seen::now(&cache);
        let Seen { resident_kib, descriptors, children, leftovers } = now;
        eprintln!(
            "run {}: {:.1} s, {resident_kib} KiB resident, {descriptors} descriptors, {children} children, {leftovers} leftovers",
            seen.len() + 1,
            started.elapsed().as_secs_f64()
        );
        seen.push(now);
    }
    let counted = &seen[FIRST..];
    let third = counted.len().div_ceil(3);
    let most = |seen: &[Seen], of: fn(&Seen) -> u64| seen.iter().map(of).max().unwrap();
    let (first, last) = (&counted[..third], &counted[counted.len() - third..]);
    let memory = [first, last].map(|part| most(part, |seen| seen.resident_kib));
    let descriptors = [first, last].map(|part| most(part, |seen| seen.descriptors as u64));
    eprintln!(
        "soak: {} runs in {minutes} min; memory {} → {} KiB, descriptors {} → {}",
        seen.len(),
        memory[0],
        memory[1],
        descriptors[0],
        descriptors[1]
    );
    assert!(seen.iter().all(|seen| seen.children == 0 && seen.leftovers == 0), "{seen:?}");
    assert!(descriptors[1] <= descriptors[0], "{seen:?}");
    assert!(memory[1] <= memory[0] + GROWTH_KIB, "{seen:?}");
}
