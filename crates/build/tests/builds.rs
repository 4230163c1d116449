//! From recipe to driver in a lab's tree in miniature.

mod lab;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lab::{Lab, output};
use tlslab_build::{Builder, Event, Happening, Options, Stage};

const HERE: &str = "path = \"../library\"";

#[test]
fn a_library_becomes_a_driver_and_stays_one() {
    let lab = Lab::new();
    let recipe = lab.recipe("demo/first", HERE);
    let (built, made) = lab.build_seen(std::slice::from_ref(&recipe));
    let built = built.into_iter().next().unwrap().unwrap();
    assert_eq!(output(&built.driver), "the kit says 42\n");
    assert_eq!(built.driver_digest, lab::sha256(&built.driver));
    let first = ["driver: demo/first", "kit: demo/first", "prefix: demo/first", "source: demo/first"];
    assert_eq!(made, first);
    assert_eq!(built.identity.recipe, "demo/first");
    assert!(built.identity.flags.contains(&"make install 'PREFIX={prefix}'".to_owned()));
    assert!(built.identity.source.starts_with("checkout "));

    let product = built.driver.parent().unwrap();
    let identity = fs::read_to_string(product.join("identity.json")).unwrap();
    assert!(identity.contains("drivers/demo/main.c"), "{identity}");
    let log = fs::read_dir(lab.path("cache/log")).unwrap().flatten();
    let log =
        log.map(|log| log.path()).find(|log| log.to_str().unwrap().contains("demo-first-prefix-")).unwrap();
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("$ make install PREFIX=/") && log.contains("# exit status 0 after"), "{log}");
    assert_eq!(fs::read_dir(lab.path("cache/scratch")).unwrap().count(), 0, "scratch folders are removed");

    // Another name and the same content: the same program, and nothing is built.
    let (again, made) = lab.build_seen(&[recipe, lab.recipe("other", HERE)]);
    assert_eq!(made, [""; 0]);
    assert!(again.iter().all(|again| again.as_ref().unwrap().driver == built.driver));

    // An edit of the kit rebuilds only the kit and the driver.
    lab.edit("crates/driver-kit/src/lib.rs", "the kit says", "the new kit says");
    let (edited, made) = lab.build_seen(&[lab.recipe("demo", HERE)]);
    assert_eq!(made, ["driver: demo", "kit: demo"]);
    let edited = edited[0].as_ref().unwrap();
    assert_eq!(output(&edited.driver), "the new kit says 42\n");
    assert_eq!(edited.driver.as_os_str().len(), built.driver.as_os_str().len());

    // A driver that was modified is built again.
    fs::write(&edited.driver, "#!/bin/sh\n").unwrap();
    let (mended, made) = lab.build_seen(&[lab.recipe("demo", HERE)]);
    assert_eq!(made, ["driver: demo"]);
    assert_eq!(output(&mended[0].as_ref().unwrap().driver), "the new kit says 42\n");
}

#[test]
fn why_something_is_built_again_is_reported() {
    let lab = Lab::new();
    let steps = "[\"make\", \"install\", \"PREFIX={prefix}\"]]\n[link]\nargs = [\"-lanswer\"]";
    let recipe = |name: &str| {
        lab.parse(&format!(
            "name = \"{name}\"\ntitle = \"Demo\"\nlicence = \"MIT\"\ndriver = \"demo\"\ntools = [\"perl\"]\n\
         [source]\n{HERE}\n[build]\nsteps = [{steps}\n"
        ))
    };
    let whys = |name: &str, version: u32| {
        lab.write_tool("perl", &format!("echo perl {version}"));
        let whys = Mutex::new(Vec::new());
        let observer = |event: &Event| {
            if let Happening::Again(why) = &event.what {
                whys.lock().unwrap().push(format!("{}: {why}", event.task.stage));
            }
        };
        let recipes = [recipe(name)];
        let options = Options { jobs: 2, side_by_side: 2 };
        let outcomes = lab.builder_with_tools().build(&recipes, options, &observer, &AtomicBool::new(false));
        assert!(outcomes[0].1.is_ok(), "{outcomes:?}");
        whys.into_inner().unwrap()
    };
    assert_eq!(whys("a/demo", 1), [""; 0]);
    assert_eq!(whys("a/demo", 2), ["prefix: perl has changed", "driver: its library has changed"]);
    // The same library may have been built for another stack.
    assert_eq!(whys("other", 3), ["prefix: perl has changed"]);
}

#[test]
fn a_failure_is_a_value_and_no_other_stack_s() {
    let lab = Lab::new();
    let talks = r#"["sh", "-c", "for i in `seq 30`; do echo line $i; done; echo the end >&2; exit 3"]"#;
    let recipes = [
        lab.recipe_with_steps("breaks", HERE, talks),
        lab.recipe("works", HERE),
        lab.recipe("lost", "path = \"../nowhere\""),
        lab.recipe_with_steps("lazy", HERE, r#"["true"]"#),
    ];
    let outcomes = lab.build(&recipes);
    let failure = outcomes[0].as_ref().unwrap_err();
    assert_eq!((failure.stage, failure.last_lines.len()), (Stage::Prefix, 20));
    assert_eq!(failure.last_lines[18..], ["line 30", "the end"]);
    assert_eq!(failure.reason, "`sh` failed: exit status 3");
    let log = fs::read_to_string(failure.log.as_ref().unwrap()).unwrap();
    assert!(log.contains("line 1\n") && log.contains("# exit status 3 after"), "{log}");
    assert!(outcomes[1].is_ok());
    let lost = outcomes[2].as_ref().unwrap_err();
    assert_eq!(lost.stage, Stage::Plan);
    assert!(
        lost.reason.ends_with(
            "there is no such folder; correct `source.path`, which starts from the recipe's folder"
        )
    );
    let lazy = outcomes[3].as_ref().unwrap_err();
    assert!(lazy.reason.contains("neither include/ nor lib/"), "{lazy}");
}

#[test]
fn a_trusted_cache_is_used_and_never_written_to() {
    let lab = Lab::new();
    let recipe = lab.recipe("demo", HERE);
    let shared = lab.build_one(&recipe).unwrap();
    let content = || {
        let files = tlslab_artifact::files(&lab.path("cache"), &|_| true).unwrap();
        let digests = files.into_iter().map(|file| (lab::sha256(&lab.path("cache").join(&file)), file));
        digests.collect::<Vec<_>>()
    };
    let before = content();
    let builder = Builder::new(lab.folder.path(), &lab.path("own")).over(Some(&lab.path("cache")));
    let (built, made) = Lab::build_seen_by(&builder, std::slice::from_ref(&recipe));
    assert_eq!(made, [""; 0]);
    assert_eq!(built[0].as_ref().unwrap(), &shared);

    // A change is built from existing products, into its own cache.
    lab.edit("drivers/demo/main.c", "answer()", "answer() + 1");
    let (changed, made) = Lab::build_seen_by(&builder, std::slice::from_ref(&recipe));
    assert_eq!(made, ["driver: demo"]);
    let changed = changed[0].as_ref().unwrap();
    assert!(changed.driver.starts_with(lab.path("own")));
    assert_eq!(output(&changed.driver), "the kit says 43\n");
    assert_eq!(content(), before);

    // A product that was changed there is an error; it is not rebuilt.
    lab.edit("drivers/demo/main.c", "answer() + 1", "answer()");
    fs::write(&shared.driver, "#!/bin/sh\n").unwrap();
    let (refused, made) = Lab::build_seen_by(&builder, &[recipe]);
    assert_eq!(made, [""; 0]);
    let reason = &refused[0].as_ref().unwrap_err().reason;
    assert!(
        reason.contains("` in the trusted cache: it was changed after it was built; ask the cache's owner"),
        "{reason}"
    );
}

#[test]
fn a_build_that_was_stopped_is_done_again() {
    let lab = Lab::new();
    let go = lab.path("go");
    let wait =
        format!("mkdir -p {{prefix}}/lib; touch {{prefix}}/lib/stale; test -e {} || sleep 60", go.display());
    let install = "rm {prefix}/lib/stale; make install PREFIX={prefix}";
    let steps = format!(r#"["sh", "-c", "{wait}"], ["sh", "-c", "{install}"]"#);
    let recipe = lab.recipe_with_steps("slow", HERE, &steps);
    let cancel = AtomicBool::new(false);
    let stopped = std::thread::scope(|scope| {
        let recipes = std::slice::from_ref(&recipe);
        let building = scope.spawn(|| lab.builder().build(recipes, Options::default(), &|_: &_| {}, &cancel));
        let half_made = || fs::read_dir(lab.path("cache/prefix")).ok()?.flatten().next();
        while !half_made().is_some_and(|prefix| prefix.path().join("lib/stale").exists()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.store(true, Ordering::Relaxed);
        let since = Instant::now();
        let outcome = building.join().unwrap().remove(0).1;
        assert!(since.elapsed() < Duration::from_secs(10), "took {:?} to stop", since.elapsed());
        outcome
    });
    assert_eq!(stopped.unwrap_err().reason, "cancelled; finished products stay in the cache");

    // Leftovers of the stopped build are not taken for the product.
    let planned = lab.builder().plan(std::slice::from_ref(&recipe), &AtomicBool::new(false)).remove(0);
    let prefix = planned.stages.unwrap().into_iter().find(|stage| stage.stage == Stage::Prefix).unwrap();
    assert!(!prefix.is_cached);
    let place = lab.path("cache/prefix").join(prefix.key.unwrap().as_str());
    assert!(place.join("lib/stale").exists());
    fs::write(place.join("lib/left-behind"), "").unwrap();
    fs::write(go, "").unwrap();
    assert!(lab.build_one(&recipe).is_ok());
    assert!(place.join("lib/libanswer.a").exists() && !place.join("lib/left-behind").exists());
}

#[test]
fn leftovers_of_a_killed_build_go_first() {
    let lab = Lab::new();
    let recipe = lab.recipe("demo", HERE);
    let built = lab.build_one(&recipe).unwrap();
    let product = built.driver.parent().unwrap();
    fs::remove_file(product.join("identity.json")).unwrap();
    fs::write(product.join("left-behind"), "").unwrap();
    fs::write(&built.driver, "half").unwrap();
    assert_eq!(lab.build_one(&recipe).unwrap(), built);
    assert!(!product.join("left-behind").exists());
}

#[test]
fn two_labs_make_one_product_once() {
    let lab = Lab::new();
    let count = lab.path("count");
    let step = format!(
        r#"["sh", "-c", "echo x >> {}; sleep 0.5; make install PREFIX={{prefix}}"]"#,
        count.display()
    );
    let recipe = lab.recipe_with_steps("demo", HERE, &step);
    let waited = AtomicBool::new(false);
    let build = || {
        let observer = |event: &tlslab_build::Event| {
            waited.fetch_or(matches!(event.what, Happening::Waiting), Ordering::Relaxed);
        };
        let recipes = std::slice::from_ref(&recipe);
        lab.builder()
            .build(recipes, Options::default(), &observer, &AtomicBool::new(false))
            .remove(0)
            .1
            .unwrap()
    };
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(build);
        (build(), other.join().unwrap())
    });
    assert_eq!(one, other);
    assert_eq!(fs::read_to_string(count).unwrap(), "x\n");
    assert!(waited.into_inner(), "the second says that it waits");
}

#[test]
fn what_is_missing_is_said_at_once_and_fails_only_who_needs_it() {
    let lab = Lab::new();
    let needs = |name: &str, tools: &str| {
        let text = format!("name = \"{name}\"\ntools = {tools}\n{REST}");
        lab.parse(&text)
    };
    let recipes = [
        needs("a", "[\"no-such-tool\", \"ninja-of-old\"]"),
        needs("b", "[\"no-such-tool\"]"),
        needs("c", "[]"),
    ];
    let outcomes = lab.build(&recipes);
    assert!(outcomes[2].is_ok());
    let reasons: Vec<_> =
        outcomes[..2].iter().map(|outcome| outcome.as_ref().unwrap_err().reason.clone()).collect();
    assert_eq!(reasons[0], reasons[1]);
    insta::assert_snapshot!(reasons[0], @r"
    some programs that builds need are missing:
      ninja-of-old (for a)
      no-such-tool (for a, b)
    install by hand: ninja-of-old, no-such-tool
    ");
    let nothing = tlslab_build::missing_tools([&needs("d", "[\"ninja\", \"perl\"]")], "".as_ref());
    insta::assert_snapshot!(tlslab_build::MissingTools(nothing), @r"
    some programs that builds need are missing:
      cargo (for d)
      cc (for d)
      ninja (for d)
      perl (for d)
    install them with: apt-get install build-essential ninja-build perl
    install cargo and rustc with rustup: https://rustup.rs
    ");
}

const REST: &str = r#"
title = "Demo"
licence = "MIT"
driver = "demo"
[source]
path = "../library"
[build]
steps = [["make", "install", "PREFIX={prefix}"]]
[link]
args = ["-lanswer"]
"#;
