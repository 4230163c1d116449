//! Requests beyond a recipe's name: versions, sources of one's own, variants, and needs.

mod lab;

use lab::{Lab, output, run, sha256};

const STACK: &str = r#"title = "Demo"
driver = "demo"
version = "1"

[upstream]
git = "../repository"

[options]
install = ["install"]

[build]
steps = [["make", "{install}", "PREFIX={prefix}", "CC={cc} {cflags}"]]

[link]
args = ["-lanswer"]

[versions.1]
source = { path = "../library" }

[versions.2]
source = { path = "../second" }

[variants.loud]
title = "louder"
link = { cflags = ["-DLOUD"] }
run = { env = { VOLUME = "11" } }
"#;

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write_library("second", 43);
    lab.shelve("demo", STACK);
    lab
}

fn answer(lab: &Lab, spec: &str) -> String {
    let built = lab.build_one(&lab.named(spec)).unwrap_or_else(|failure| panic!("{spec}: {failure}"));
    output(&built.driver)
}

#[test]
fn a_version_is_asked_for_by_its_name() {
    let lab = lab();
    assert_eq!(answer(&lab, "demo"), "the kit says 42\n");
    assert_eq!(answer(&lab, "demo@2"), "the kit says 43\n");
    let error = lab.try_named("demo@3").unwrap_err().to_string();
    assert!(error.contains("there are 1, 2"), "{error}");
    let all: Vec<_> = lab.builder().recipe_index().unwrap().every_edition().unwrap();
    assert_eq!(all.iter().map(|recipe| recipe.name.as_str()).collect::<Vec<_>>(), ["demo@1", "demo@2"]);
}

#[test]
fn a_source_of_ones_own_needs_no_recipe() {
    let lab = lab();
    lab.write_library("mine", 7);
    let path = lab.path("mine").display().to_string();
    assert_eq!(answer(&lab, &format!("demo@path:{path}")), "the kit says 7\n");

    run(&lab.path("mine"), "git", &["init", "--quiet", "--initial-branch=main"]);
    run(&lab.path("mine"), "git", &["add", "."]);
    let commit = ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--message=x"];
    run(&lab.path("mine"), "git", &commit);
    assert_eq!(answer(&lab, &format!("demo@git:{path}#main")), "the kit says 7\n");

    // An uncommitted change is built, and the identity notes that there is one.
    lab.write("mine/answer.c", "int answer(void) { return 8; }\n");
    let changed = lab.build_one(&lab.named(&format!("demo@2@path:{path}"))).unwrap();
    assert_eq!(output(&changed.driver), "the kit says 8\n");
    let source = &changed.identity.source;
    assert!(source.contains("with uncommitted changes in 1 files"), "{source}");
    assert_eq!(answer(&lab, &format!("demo@git:{path}#main")), "the kit says 7\n");

    run(lab.folder.path(), "tar", &["czf", "mine.tar.gz", "mine"]);
    let digest = sha256(&lab.path("mine.tar.gz"));
    let archive = format!("demo@archive:{path}.tar.gz#{digest}");
    assert_eq!(answer(&lab, &archive), "the kit says 8\n");
    let wrong = lab.build_one(&lab.named(&format!("demo@archive:{path}.tar.gz#{}", "0".repeat(64))));
    assert!(wrong.unwrap_err().reason.contains("its SHA-256 is"));
}

#[test]
fn upstream_is_known_to_the_recipe() {
    let lab = lab();
    lab.write_library("repository", 9);
    run(&lab.path("repository"), "git", &["init", "--quiet", "--initial-branch=main"]);
    run(&lab.path("repository"), "git", &["add", "."]);
    let commit = ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--message=x"];
    run(&lab.path("repository"), "git", &commit);
    assert_eq!(answer(&lab, "demo@git:#main"), "the kit says 9\n");
    let error = lab.try_named("demo@system").unwrap_err().to_string();
    assert!(error.contains("no name as a library of the system"), "{error}");
}

#[test]
fn a_variant_is_laid_over_and_is_part_of_the_identity() {
    let lab = lab();
    lab.edit("drivers/demo/main.c", "return", "\n#ifdef LOUD\n  puts(\"LOUD\");\n#endif\n  return");
    lab.write("variants/small.toml", "title = \"smaller\"\ncompiler = { cflags = [\"-Os\"] }\n");
    let loud = lab.build_one(&lab.named("demo+loud")).unwrap();
    assert!(output(&loud.driver).contains("LOUD"));
    assert_eq!(loud.environment["VOLUME"], "11");
    assert!(loud.identity.flags.contains(&"run with VOLUME=11".to_owned()));
    let both = lab.named("demo@2+small+loud");
    assert_eq!(both.title, "Demo, smaller, louder");
    let both = lab.build_one(&both).unwrap();
    assert!(both.identity.flags.contains(&"compilers: cc and c++ -Os".to_owned()));
    let error = lab.try_named("demo+quiet").unwrap_err().to_string();
    assert!(error.contains("there are: loud, small"), "{error}");
}

#[test]
fn what_a_recipe_needs_is_built_first_and_once() {
    let lab = lab();
    lab.shelve(
        "base",
        "title = \"Base\"\n[source]\npath = \"../second\"\n[build]\n\
         steps = [[\"make\", \"install\", \"PREFIX={prefix}\"]]\n",
    );
    let needs = |name: &str| {
        let text = "title = \"T\"\ndriver = \"demo\"\nneeds = [\"base\"]\n[source]\npath = \"../library\"\n[build]\n\
                    steps = [[\"cp\", \"-r\", \"{base}\", \"{prefix}/lib\"], [\"cp\", \"-r\", \"{base}/include\", \
                    \"{prefix}/include\"]]\n[link]\nargs = [\"-L{base}/lib\", \"-lanswer\"]\n";
        lab.shelve(name, text);
        lab.named(name)
    };
    let (built, made) = lab.build_seen(&[needs("top"), needs("tip")]);
    for built in built {
        assert_eq!(output(&built.unwrap().driver), "the kit says 43\n");
    }
    assert_eq!(made.iter().filter(|line| line.starts_with("prefix: ")).count(), 2, "{made:?}");
    assert!(
        lab.builder().recipe_index().unwrap().every_edition().unwrap().iter().all(|it| it.name != "base")
    );
    // The way of compiling C applies to needs, too.
    lab.write("variants/small.toml", "title = \"smaller\"\ncompiler = { cflags = [\"-Os\"] }\n");
    let small = lab.named("top+small");
    assert_eq!(small.needs[0].recipe.name, "base+small");
    assert_eq!(small.needs[0].recipe.compiler.cflags, ["-Os"]);
    // Another build of a need is another stack.
    lab.write_library("second", 44);
    assert_eq!(answer(&lab, "top"), "the kit says 44\n");
}

#[test]
fn needs_that_lead_nowhere_are_errors() {
    let lab = lab();
    let needing = |name: &str, need: &str| {
        let text = format!(
            "title = \"T\"\nneeds = [\"{need}\"]\n[source]\npath = \"..\"\n[build]\nsteps = [[\"true\"]]\n"
        );
        lab.shelve(name, &text);
    };
    needing("one", "two");
    needing("two", "one");
    needing("lost", "nowhere");
    let said = |name: &str| lab.try_named(name).unwrap_err().to_string();
    assert!(said("one").contains("one needs itself"), "{}", said("one"));
    assert!(said("lost").contains("no stack is called \"nowhere\""), "{}", said("lost"));
}

#[test]
fn a_driver_may_bring_its_own_makefile() {
    let lab = lab();
    lab.write(
        "drivers/script/Makefile",
        "$(OUT)/driver: ; printf '#!/bin/sh\\necho %s\\n' '$(WORD)' > $@ && test -f $(KIT) && chmod +x $@\n",
    );
    let text = "title = \"S\"\ndriver = \"script\"\n[make]\nvariables = { WORD = \"hello\" }\nprobe = [[\"uname\", \"-s\"]]\n";
    lab.shelve("script", text);
    let built = lab.build_one(&lab.named("script")).unwrap();
    assert_eq!(output(&built.driver), "hello\n");
    assert_eq!(built.identity.source, "installed: Linux");
    assert!(built.identity.flags.contains(&"WORD=hello".to_owned()));

    lab.write("drivers/script/Makefile", "nothing: ;\n");
    let failure = lab.build_one(&lab.named("script")).unwrap_err();
    assert!(failure.reason.contains("without creating $(OUT)/driver"), "{}", failure.reason);
}

#[test]
fn a_user_s_own_folder_is_read_beside_the_lab_s() {
    let lab = lab();
    lab.write(
        "own/stacks/mine.toml",
        &format!(
            "name = \"mine\"\nlicence = \"MIT\"\n{}",
            STACK.replace("\"demo\"", "\"ours\"").replace("../", "../../")
        ),
    );
    lab.write("own/drivers/ours/main.c", &std::fs::read_to_string(lab.path("drivers/demo/main.c")).unwrap());
    let builder = lab.builder().with_own(&lab.path("own"));
    let recipe = builder.recipe_index().unwrap().named("mine@2").unwrap();
    let never = std::sync::atomic::AtomicBool::new(false);
    let built =
        builder.build(&[recipe], tlslab_build::Options::default(), &|_: &tlslab_build::Event| {}, &never);
    assert_eq!(output(&built[0].1.as_ref().unwrap().driver), "the kit says 43\n");
}
