//! Sources of every kind, from material that the test creates or that is on the machine.

mod lab;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use lab::{Lab, RUST_DRIVER, RUST_LOCK, commit, output, run, sha256};
use tlslab_artifact::Environment;
use tlslab_build::{Builder, Stage};
use tlslab_sandbox::Sandbox;

#[test]
fn git() {
    let lab = Lab::new();
    let repository = lab.path("library");
    run(&repository, "git", &["init", "--quiet", "--initial-branch=main"]);
    let first = commit(&repository, "first");
    run(&repository, "git", &["tag", "v1"]);
    lab.write_library("library", 43);
    commit(&repository, "second");
    lab.write_library("library", 44);

    let source = |revision: &str| format!("git = \"../library\"\nrevision = \"{revision}\"");
    let recipes = [
        lab.recipe("commit", &source(&first)),
        lab.recipe("tag", &source("v1")),
        lab.recipe("branch", &source("main")),
        lab.recipe("checkout", "path = \"../library\""),
        lab.recipe("nothing", &source("no-such-branch")),
    ];
    let (outcomes, made) = lab.build_seen(&recipes);
    let said: Vec<_> = outcomes[..4].iter().map(|built| output(&built.as_ref().unwrap().driver)).collect();
    assert_eq!(said, [42, 42, 43, 44].map(|answer| format!("the kit says {answer}\n")));
    assert!(made.contains(&"source: commit, tag".to_owned()), "{made:?}");
    let identity = &outcomes[1].as_ref().unwrap().identity;
    assert_eq!(identity.source_digest, first);
    assert!(identity.source.ends_with(&format!("v1 commit {first}")));
    let failure = outcomes[4].as_ref().unwrap_err();
    assert_eq!(failure.stage, Stage::Plan);
}

#[test]
fn submodules_come_along() {
    let lab = Lab::new();
    lab.write_library("part", 7);
    for folder in ["part", "library"] {
        run(&lab.path(folder), "git", &["init", "--quiet", "--initial-branch=main"]);
    }
    let part = commit(&lab.path("part"), "part");
    let repository = lab.path("library");
    fs::create_dir(repository.join("sub")).unwrap();
    lab.write("library/.gitmodules", "[submodule \"s\"]\n\tpath = sub\n\turl = ../part\n");
    run(&repository, "git", &["update-index", "--add", "--cacheinfo", &format!("160000,{part},sub")]);
    let whole = commit(&repository, "whole");
    let steps = r#"["make", "-C", "sub", "install", "PREFIX={prefix}"]"#;
    let recipe =
        lab.recipe_with_steps("demo", &format!("git = \"../library\"\nrevision = \"{whole}\""), steps);
    let built = lab.build_one(&recipe).unwrap();
    assert_eq!(output(&built.driver), "the kit says 7\n");
}

/// A server on the loopback address that answers by `answer`, and the paths of its requests.
fn serve(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
            while line.trim_end() != "" {
                line.clear();
                stream.read_line(&mut line).unwrap();
            }
            seen.lock().unwrap().push(path.clone());
            let _ = stream.get_mut().write_all(&answer(&path));
        }
    });
    (origin, asked)
}

fn response(status: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{header}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// A forge without TLS, for git only.
#[test]
fn untrusted_repositories_come_from_an_allowed_origin() {
    let lab = Lab::new();
    let repository = lab.path("library");
    run(&repository, "git", &["init", "--quiet", "--initial-branch=main"]);
    let first = commit(&repository, "first");
    run(&repository, "git", &["update-server-info"]);
    let files = repository.join(".git");
    let (forge, of_forge) = serve(move |path| {
        let file = files.join(path.trim_start_matches("/x.git/").split('?').next().unwrap_or_default());
        match fs::read(file) {
            Ok(bytes) => response("200 OK", "", &bytes),
            Err(_) => response("404 Not Found", "", b""),
        }
    });
    let target = forge.clone();
    let (astray, of_astray) =
        serve(move |path| response("302 Found", &format!("Location: {target}{path}\r\n"), b""));
    let sandbox = Arc::new(Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}")));
    let build = |allowed: &str, source: &str| {
        let recipe = lab.recipe("demo", source);
        let builder = Builder::new(lab.folder.path(), &lab.path("cache")).allowing(&[allowed.to_owned()]);
        Lab::build_seen_by(&builder.in_sandbox(Some(sandbox.clone())), &[recipe]).0.remove(0)
    };
    let git = |origin: &str| format!("git = \"{origin}/x.git\"\nrevision = \"main\"");

    for allowed in [&astray, "127.0.0.1", &forge.replace("http:", "https:")] {
        let said = build(allowed, &git(&forge)).unwrap_err().reason;
        let expected = format!(
            "a recipe fetches from \"{forge}/x.git\": {forge} is not an allowed origin; use a plain https://"
        );
        assert!(said.starts_with(&expected), "{allowed}: {said}");
    }
    let archive = format!("archive = \"{forge}/x.tar\"\nsha256 = \"{}\"", "0".repeat(64));
    let said = build(&forge, &archive).unwrap_err().reason;
    assert!(said.contains("it is not an https:// address"), "{said}");
    assert!(of_forge.lock().unwrap().is_empty(), "{of_forge:?}");

    // An allowed origin does not redirect to another one.
    assert!(build(&astray, &git(&astray)).is_err());
    assert!(of_forge.lock().unwrap().is_empty(), "{of_forge:?}");
    assert!(!of_astray.lock().unwrap().is_empty());

    let built = build(&forge, &git(&forge)).unwrap();
    assert_eq!(built.identity.source_digest, first);
    assert_eq!(output(&built.driver), "the kit says 42\n");
}

/// In a sandbox sources come only from known hosts. None of these addresses exists.
#[test]
fn untrusted_sources_come_from_allowed_hosts() {
    let lab = Lab::new();
    lab.write("stacks/known.toml", "# https://known.example/x\n");
    let sandbox = Arc::new(Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}")));
    let builder =
        || Builder::new(lab.folder.path(), &lab.path("cache")).allowing(&["allowed.example".to_owned()]);
    let refusal = |source: &str| {
        let recipe = lab.recipe("demo", source);
        let (outcomes, _) = Lab::build_seen_by(&builder().in_sandbox(Some(sandbox.clone())), &[recipe]);
        outcomes[0].as_ref().unwrap_err().reason.clone()
    };
    let archive =
        |host: &str| format!("archive = \"https://{host}/x.tar.gz\"\nsha256 = \"{}\"", "0".repeat(64));
    let said = refusal(&archive("other.example"));
    let expected =
        "a recipe fetches from \"https://other.example/x.tar.gz\": other.example is not an allowed host";
    assert!(said.starts_with(expected), "{said}");
    for host in ["known.example", "allowed.example"] {
        let said = refusal(&archive(host));
        assert!(said.starts_with("`curl` failed"), "{host}: {said}");
    }
    for address in [
        "https://other.example/x.git",
        "ssh://known.example/x",
        "http://known.example/x",
        "git://known.example/x",
    ] {
        let said = refusal(&format!("git = \"{address}\"\nrevision = \"main\""));
        assert!(said.starts_with(&format!("a recipe fetches from \"{address}\"")), "{said}");
    }

    // A repository of this machine whose submodules are elsewhere.
    let repository = lab.path("library");
    run(&repository, "git", &["init", "--quiet", "--initial-branch=main"]);
    fs::create_dir(repository.join("x")).unwrap();
    let link = format!("160000,{},x", "1".repeat(40));
    run(&repository, "git", &["update-index", "--add", "--cacheinfo", &link]);
    for address in ["https://other.example/x", "/", "../cache", "ext::true"] {
        lab.write("library/.gitmodules", &format!("[submodule \"x\"]\n\tpath = x\n\turl = {address}\n"));
        let commit = commit(&repository, address);
        let said = refusal(&format!("git = \"../library\"\nrevision = \"{commit}\""));
        assert!(said.starts_with(".gitmodules fetches from \""), "{address}: {said}");
    }
    run(&repository, "git", &["rm", "--quiet", "--cached", "x"]);
    fs::remove_dir(repository.join("x")).unwrap();

    // A committed folder that looks like a repository whose settings name a program.
    let mark = lab.path("mark");
    lab.write("library/.gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = https://known.example/x\n");
    for (name, text) in [("HEAD", "ref: refs/heads/main\n"), ("objects/kept", ""), ("refs/kept", "")] {
        lab.write(&format!("library/x/{name}"), text);
    }
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch {0}\"\n\
         [submodule \"y\"]\n\turl = https://known.example/y\n\tactive = true\n\tupdate = !touch {0}\n",
        mark.display()
    );
    lab.write("library/x/config", &config);
    lab.write("library/x/.gitmodules", "[submodule \"y\"]\n\tpath = y\n\turl = https://known.example/y\n");
    let looks = commit(&repository, "looks like a repository");
    let recipe = lab.recipe("demo", &format!("git = \"../library\"\nrevision = \"{looks}\""));
    let (built, _) = Lab::build_seen_by(&builder().in_sandbox(Some(sandbox.clone())), &[recipe]);
    assert!(built[0].is_ok() && !mark.exists(), "{built:?}");
    fs::remove_dir_all(repository.join("x")).unwrap();
    lab.write("library/.gitmodules", "");
    let last = commit(&repository, "none");
    let recipe = lab.recipe("demo", &format!("git = \"../library\"\nrevision = \"{last}\""));
    let (built, _) = Lab::build_seen_by(&builder().in_sandbox(Some(sandbox)), &[recipe]);
    assert!(built[0].is_ok(), "{built:?}");
}

/// Git starts programs that a repository's settings name when it looks for changes: with a sandbox, inside
/// it.
#[test]
fn in_a_sandbox_git_looks_at_a_checkout_from_within() {
    let lab = Lab::new();
    let repository = lab.path("library");
    run(&repository, "git", &["init", "--quiet", "--initial-branch=main"]);
    lab.write("library/.gitattributes", "* filter=x\n");
    lab.write("library/.gitignore", "*.o\n");
    let commit = commit(&repository, "x");
    run(&repository, "git", &["worktree", "add", "--quiet", "../beside"]);
    let mark = lab.path("mark");
    run(&repository, "git", &["config", "filter.x.clean", &format!("touch {}; cat", mark.display())]);
    let sandbox = Arc::new(Sandbox::find().unwrap_or_else(|reason| panic!("no sandbox: {reason}")));
    let builder = Builder::new(lab.folder.path(), &lab.path("cache")).in_sandbox(Some(sandbox));
    for folder in ["library", "beside"] {
        lab.write(&format!("{folder}/answer.o"), "no object");
        lab.write(&format!("{folder}/.gitignore"), "*.o\n*.x\n");
        let recipe = lab.recipe("demo", &format!("path = \"../{folder}\""));
        let (built, _) = Lab::build_seen_by(&builder, &[recipe]);
        let identity = &built[0].as_ref().unwrap_or_else(|failure| panic!("{failure}")).identity;
        let expected = format!("commit {commit} with uncommitted changes in 1 files");
        assert!(identity.source.contains(&expected), "{}", identity.source);
        assert!(!mark.exists(), "{folder}");
    }
}

#[test]
fn an_ignored_file_is_no_part_of_a_checkout() {
    let lab = Lab::new();
    run(&lab.path("library"), "git", &["init", "--quiet"]);
    lab.write("library/.gitignore", "*.o\n");
    let recipe = lab.recipe("demo", "path = \"../library\"");
    let before = lab.build_one(&recipe).unwrap().identity.source_digest;
    lab.write("library/answer.o", "no object");
    assert_eq!(lab.build_one(&recipe).unwrap().identity.source_digest, before);
    lab.write("library/answer.txt", "new");
    assert_ne!(lab.build_one(&recipe).unwrap().identity.source_digest, before);
}

#[test]
fn patches() {
    let lab = Lab::new();
    let repository = lab.path("library");
    run(&repository, "git", &["init", "--quiet", "--initial-branch=main"]);
    let first = commit(&repository, "first");
    lab.write_library("library", 43);
    let patch = run(&repository, "git", &["diff"]) + "\n";
    lab.write("more.patch", &patch);
    lab.write("none.patch", &patch.replace("42", "41"));
    run(&repository, "git", &["checkout", "--quiet", "."]);
    run(lab.folder.path(), "tar", &["czf", "library.tar.gz", "library"]);
    let packed = sha256(&lab.path("library.tar.gz"));

    // A patch may not know the folder that a package adds.
    run(
        lab.folder.path(),
        "tar",
        &["czf", "package.tar.gz", "--transform=s,^library,package/inner,", "library"],
    );
    let package = sha256(&lab.path("package.tar.gz"));
    let patches = "patches = [\"../more.patch\"]";
    let inner =
        format!("archive = \"../package.tar.gz\"\nsha256 = \"{package}\"\nfolder = \"inner\"\n{patches}");
    let archive = format!("archive = \"../library.tar.gz\"\nsha256 = \"{packed}\"");
    let recipes = [
        lab.recipe("git", &format!("git = \"../library\"\nrevision = \"{first}\"\n{patches}")),
        lab.recipe("checkout", &format!("path = \"../library\"\n{patches}")),
        lab.recipe("archive", &format!("{archive}\n{patches}")),
        lab.recipe("plain", &archive),
        lab.recipe("wrong", &format!("{archive}\npatches = [\"../none.patch\"]")),
        lab.recipe("missing", &format!("{archive}\npatches = [\"../no-such.patch\"]")),
        lab.recipe("inner", &inner),
    ];
    let outcomes = lab.build(&recipes);
    let said: Vec<_> = outcomes[..4].iter().map(|built| output(&built.as_ref().unwrap().driver)).collect();
    assert_eq!(said, [43, 43, 43, 42].map(|answer| format!("the kit says {answer}\n")));
    let identity = |at: usize| &outcomes[at].as_ref().unwrap().identity;
    assert!(identity(2).source.contains(" patched by more.patch sha256 "), "{}", identity(2).source);
    assert_ne!(identity(2).source_digest, identity(3).source_digest);
    let wrong = outcomes[4].as_ref().unwrap_err();
    assert_eq!(wrong.stage, Stage::Source);
    assert!(wrong.reason.starts_with("patch none.patch: it does not apply to this source: "), "{wrong}");
    assert!(wrong.reason.contains(": patch does not apply; ") && wrong.last_lines.is_empty(), "{wrong}");
    let missing = outcomes[5].as_ref().unwrap_err();
    assert!(missing.reason.contains("there is no such file"), "{missing}");
    assert_eq!(output(&outcomes[6].as_ref().unwrap().driver), "the kit says 43\n");
}

#[test]
fn a_checkout_without_its_submodules_is_refused() {
    let lab = Lab::new();
    lab.write_library("part", 7);
    for folder in ["part", "library"] {
        run(&lab.path(folder), "git", &["init", "--quiet", "--initial-branch=main"]);
    }
    commit(&lab.path("part"), "part");
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../part", "sub/part"];
    run(&lab.path("library"), "git", &add);
    commit(&lab.path("library"), "with a part");
    let recipe = lab.recipe("demo", "path = \"../library\"");
    assert!(lab.build_one(&recipe).is_ok());
    run(&lab.path("library"), "git", &["submodule", "--quiet", "deinit", "--all", "--force"]);
    let refused = lab.build_one(&recipe).unwrap_err().to_string();
    assert!(refused.contains("its submodule sub/part is not checked out; run `git -C "), "{refused}");
    run(&lab.path("library"), "git", &["config", "submodule.sub/part.update", "none"]);
    assert!(lab.build_one(&recipe).is_ok());
}

#[test]
fn archives() {
    let lab = Lab::new();
    let folder = lab.folder.path();
    run(folder, "tar", &["czf", "library.tar.gz", "library"]);
    run(folder, "tar", &["cf", "bare.tar", "-C", "library", "."]);
    let (packed, bare) = (sha256(&lab.path("library.tar.gz")), sha256(&lab.path("bare.tar")));
    let url = format!("file://{}", lab.path("bare.tar").display());
    let recipes = [
        lab.recipe("packed", &format!("archive = \"../library.tar.gz\"\nsha256 = \"{packed}\"")),
        lab.recipe("bare", &format!("archive = \"{url}\"\nsha256 = \"{bare}\"\nstrip = 0")),
        lab.recipe(
            "whole",
            &format!("archive = \"{url}\"\nsha256 = \"{bare}\"\nstrip = 0\nfolder = \"nowhere\""),
        ),
        lab.recipe("wrong", &format!("archive = \"../library.tar.gz\"\nsha256 = \"{bare}\"")),
    ];
    let outcomes = lab.build(&recipes);
    for built in &outcomes[..2] {
        assert_eq!(output(&built.as_ref().unwrap().driver), "the kit says 42\n");
    }
    assert_eq!(outcomes[2].as_ref().unwrap_err().stage, Stage::Prefix);
    let wrong = outcomes[3].as_ref().unwrap_err();
    assert_eq!(wrong.stage, Stage::Source);
    let expected = format!("its SHA-256 is {packed}, the recipe says {bare}");
    assert!(wrong.reason.contains(&expected), "{wrong}");
}

/// An index whose page has a relative link, as the standard allows.
#[test]
fn python_packages() {
    let lab = Lab::new();
    run(lab.folder.path(), "tar", &["czf", "demo_answer-1.0.tar.gz", "library"]);
    let archive = lab.path("demo_answer-1.0.tar.gz");
    let (packed, bytes) = (sha256(&archive), fs::read(&archive).unwrap());
    let (origin, asked) = serve(move |path| match path {
        "/simple/demo-answer/" => {
            let link = "<a href=\"../../files/demo_answer-1.0.tar.gz#sha256=0\">demo_answer-1.0.tar.gz</a>";
            response("200 OK", "", link.as_bytes())
        }
        "/files/demo_answer-1.0.tar.gz" => response("200 OK", "", &bytes),
        _ => response("404 Not Found", "", b""),
    });
    let source = |package: &str, file: &str, sha256: &str| {
        format!("pypi = \"{package}\"\nfile = \"{file}\"\nsha256 = \"{sha256}\"")
    };
    let recipes = [
        lab.recipe("right", &source("Demo.Answer", "demo_answer-1.0.tar.gz", &packed)),
        lab.recipe("other", &source("demo-answer", "demo_answer-2.0.tar.gz", &"0".repeat(64))),
    ];
    let index = ("TLSLAB_PYTHON_INDEX".into(), format!("{origin}/simple").into());
    let environment = Environment::choose(std::env::vars_os().chain([index]));
    let builder = Builder::new(lab.folder.path(), &lab.path("cache")).with_environment(environment);
    let (outcomes, _) = Lab::build_seen_by(&builder, &recipes);
    let built = outcomes[0].as_ref().unwrap();
    assert_eq!(output(&built.driver), "the kit says 42\n");
    let expected = format!("Python package Demo.Answer demo_answer-1.0.tar.gz sha256 {packed}");
    assert_eq!(built.identity.source, expected);
    let wrong = outcomes[1].as_ref().unwrap_err();
    assert!(wrong.reason.contains("/simple/demo-answer/ has no demo_answer-2.0.tar.gz"), "{wrong}");
    assert!(asked.lock().unwrap().iter().all(|path| !path.contains("2.0")), "{asked:?}");
}

/// A package that this workspace uses is on the machine.
#[test]
fn crates() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock: toml::Table = toml::from_str(&fs::read_to_string(root.join("Cargo.lock")).unwrap()).unwrap();
    let packages = lock["package"].as_array().unwrap();
    let hex = packages.iter().find(|package| package["name"].as_str() == Some("hex")).unwrap();
    let (version, checksum) = (hex["version"].as_str().unwrap(), hex["checksum"].as_str().unwrap());
    let lab = Lab::new();
    let steps =
        r#"["sh", "-c", "grep -q hex Cargo.toml && make -C ../../../library install PREFIX={prefix}"]"#;
    let source =
        |checksum: &str| format!("crate = \"hex\"\nversion = \"{version}\"\nsha256 = \"{checksum}\"");
    let recipes = [
        lab.recipe_with_steps("right", &source(checksum), steps),
        lab.recipe_with_steps("wrong", &source(&checksum.replace(|c: char| c.is_ascii_digit(), "0")), steps),
    ];
    let outcomes = lab.build(&recipes);
    let built = outcomes[0].as_ref().unwrap();
    assert_eq!(built.identity.source, format!("crate hex {version} sha256 {checksum}"));
    let wrong = outcomes[1].as_ref().unwrap_err();
    assert!(wrong.reason.contains(&format!("its checksum is {checksum}")), "{wrong}");
}

/// A driver in Rust with the registry's package, and with a checkout instead.
#[test]
fn a_checkout_stands_in_for_a_package() {
    let lab = Lab::new();
    lab.write("drivers/rust/Cargo.toml", RUST_DRIVER);
    lab.write("drivers/rust/Cargo.lock", RUST_LOCK);
    lab.write("drivers/rust/src/main.rs", "fn main() { tlslab_driver_kit::serve(answer::ANSWER) }\n");
    let library = |version: &str, answer: &str| {
        let manifest = format!("[package]\nname = \"answer\"\nversion = \"{version}\"\nedition = \"2024\"\n");
        lab.write("checkout/answer/Cargo.toml", &manifest);
        lab.write("checkout/answer/src/lib.rs", &format!("pub const ANSWER: &str = \"{answer}\";\n"));
    };
    let recipe = lab.parse(
        "name = \"r\"\ntitle = \"R\"\nlicence = \"MIT\"\ndriver = \"rust\"\n\
         [source]\npath = \"../checkout\"\nfolder = \"answer\"\n[cargo]\npackage = \"answer\"\n",
    );
    library("1.0.0", "first");
    let (built, made) = lab.build_seen(std::slice::from_ref(&recipe));
    let built = built[0].as_ref().unwrap();
    assert_eq!(output(&built.driver), "the kit serves first\n");
    assert_eq!(made, ["driver: r", "source: r", "versions: r"]);
    assert!(built.identity.lock_digest.is_some());
    library("1.0.1", "second");
    let again = lab.build_one(&recipe).unwrap();
    assert_eq!(output(&again.driver), "the kit serves second\n");
    assert_ne!(again.identity.lock_digest, built.identity.lock_digest);
    library("2.0.0", "third");
    let failure = lab.build_one(&recipe).unwrap_err();
    assert_eq!(failure.stage, Stage::Versions);
}
