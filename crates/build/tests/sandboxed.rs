//! The view of a build in the sandbox, and the programs that run outside for it.

mod lab;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use lab::{Lab, output};
use tlslab_build::Builder;
use tlslab_sandbox::Sandbox;

fn sandboxed(lab: &Lab) -> Builder {
    let sandbox = Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}"));
    lab.builder().in_sandbox(Some(Arc::new(sandbox)))
}

#[test]
fn a_build_sees_the_products_that_it_is_made_of_and_no_others() {
    let lab = Lab::new();
    let builder = sandboxed(&lab);
    let first = lab.recipe("first", "path = \"../library\"");
    Lab::build_seen_by(&builder, &[first]).0.remove(0).unwrap();
    lab.write_library("other", 43);
    let seen = lab.path("cache").display().to_string();
    let steps = format!(
        r#"["sh", "-c", "make install PREFIX={{prefix}}; ls -d {seen}/*/* > {{prefix}}/include/seen"]"#
    );
    let second = lab.recipe_with_steps("second", "path = \"../other\"", &steps);
    let built = Lab::build_seen_by(&builder, &[second]).0.remove(0).unwrap();
    assert_eq!(output(&built.driver), "the kit says 43\n");
    let prefixes = fs::read_dir(lab.path("cache/prefix")).unwrap().flatten();
    let seen = prefixes.map(|prefix| prefix.path().join("include/seen")).find(|file| file.is_file());
    let seen = fs::read_to_string(seen.expect("the build says what it saw")).unwrap();
    let count = |stage: &str| seen.lines().filter(|line| line.contains(&format!("/cache/{stage}/"))).count();
    // Its own source, its own prefix and its own scratch folder; there are two sources, two prefixes, a kit and a driver.
    assert_eq!(
        [count("source"), count("prefix"), count("scratch"), seen.lines().count()],
        [1, 1, 1, 3],
        "{seen}"
    );
}

/// Cargo reads settings from the folder where it is started, and from those above.
#[test]
fn settings_around_the_cache_have_nothing_started_outside() {
    let lab = Lab::new();
    let mark = lab.path("mark");
    let script = format!("#!/bin/sh\ntouch '{}'\nexec rustc \"$@\"\n", mark.display());
    lab.write("evil.sh", &script);
    fs::set_permissions(lab.path("evil.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!("[build]\nrustc = {:?}\n", lab.path("evil.sh"));
    lab.write(".cargo/config.toml", &settings);
    lab.write("cache/.cargo/config.toml", &settings);
    let recipe = lab.recipe("demo", "path = \"../library\"");
    Lab::build_seen_by(&sandboxed(&lab), &[recipe]).0.remove(0).unwrap();
    assert!(!mark.exists(), "the settings were obeyed");
}
