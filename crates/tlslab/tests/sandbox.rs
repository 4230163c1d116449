//! Secrets are planted in all places where the lab or its user may have some; a hostile build and a hostile
//! driver try every route to them. `tests/routes/routes.pl` has the routes. Inside the sandbox none succeeds;
//! successes outside are printed next to it.

mod support;

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use support::tlslab;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

/// A machine full of secrets, for its lifetime.
struct Planted {
    folder: tempfile::TempDir,
    secret: String,
    places: Vec<(&'static str, String)>,
    litter: Vec<PathBuf>,
    shared: [i32; 2],
}

impl Planted {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = format!("canary-{:016x}", rand::random::<u64>());
        let at = |name: &str| folder.path().join(name);
        let write = |path: PathBuf| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &secret).unwrap();
        };
        let of_home = [
            "secret",
            ".ssh/id_ed25519",
            ".netrc",
            ".git-credentials",
            ".cargo/credentials.toml",
            ".config/gh/hosts.yml",
            ".docker/config.json",
            ".npmrc",
            ".aws/credentials",
            ".pypirc",
            ".bashrc",
        ];
        of_home.iter().for_each(|name| write(at("home").join(name)));
        ["results/run/report.json", "results/tlslab.sqlite", "other/secret", "own/.env", "temporary/canary"]
            .iter()
            .for_each(|name| write(at(name)));
        let litter = ["/tmp", "/var/tmp", "/dev/shm"]
            .map(|place| PathBuf::from(place).join(format!("x-canary-{}", std::process::id())));
        litter.iter().cloned().for_each(write);

        let agent = at("agent");
        tells(UnixListener::bind(&agent).unwrap(), &secret);
        let name = format!("tlslab-{}", std::process::id());
        let abstract_name = SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
        tells(UnixListener::bind_addr(&abstract_name).unwrap(), &secret);
        let port = says(TcpListener::bind("127.0.0.1:0").unwrap(), &secret);
        let port6 = TcpListener::bind("[::1]:0").map_or(port, |listener| says(listener, &secret));
        let shared = shared(&secret);

        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let places = vec![
            ("home", text(at("home"))),
            ("database", text(at("results/tlslab.sqlite"))),
            ("results", text(at("results"))),
            ("other", text(at("other"))),
            ("own", text(at("own"))),
            ("temporary", text(at("temporary"))),
            ("agent", text(agent)),
            ("abstract", name),
            ("port", port.to_string()),
            ("port6", port6.to_string()),
            ("memory", format!("{}", std::process::id())),
            ("queue", format!("{}", std::process::id())),
            ("processes", std::process::id().to_string()),
            ("program", env!("CARGO_BIN_EXE_tlslab").to_owned()),
            ("product", text(support::driver("rustls/ring"))),
            ("tree", text(root.canonicalize().unwrap())),
            ("scratch", "/tmp".to_owned()),
        ];
        Self { folder, secret, places, litter: litter.to_vec(), shared }
    }

    /// A folder of the user's own with one stack, whose build and whose driver try the routes.
    fn own_folder(&self, mode: &str) -> PathBuf {
        let own = self.folder.path().join("own");
        let write = |name: &str, text: String| {
            let file = own.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let routes = fs::read_to_string(root.join("tests/routes/routes.pl")).unwrap();
        let places: Vec<String> = self.places.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let script = format!("#!/usr/bin/perl\n@ARGV = qw({});\n{routes}", places.join(" "));
        write("tlslab.toml", format!("lab = {:?}\n", root));
        // A recipe's queries of the machine run while a build is planned.
        let asks = format!(
            "probe = [[\"sh\", \"-c\", \"cat {}; echo asked\"]]\n",
            own.with_file_name("home/secret").display()
        );
        write("stacks/hostile.toml", RECIPE.to_owned() + &asks);
        write("library/routes.pl", script.replace("print \"routes", "print STDOUT \"routes") + "\n# " + mode);
        write("drivers/hostile/Makefile", MAKEFILE.to_owned());
        write(
            "drivers/hostile/driver.pl",
            script.replace("print \"routes", "print STDERR \"routes") + "\n# " + mode,
        );
        own
    }

    fn lab(&self, mode: &str, arguments: &[&str]) -> Output {
        let own = self.own_folder(mode);
        let mut lab = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        lab.arg("--root").arg(own).args(["--sandbox", mode]).args(arguments);
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        let real =
            |name: &str, below: &str| std::env::var_os(name).map_or_else(|| home.join(below), PathBuf::from);
        lab.env("CARGO_HOME", real("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", real("RUSTUP_HOME", ".rustup"));
        let cache = tlslab_build::default_cache(|name| std::env::var_os(name)).unwrap();
        lab.env("TLSLAB_CACHE", cache).env("HOME", self.folder.path().join("home"));
        lab.env("SSH_AUTH_SOCK", self.folder.path().join("agent"));
        lab.env("TLSLAB_TOKEN", &self.secret).env("AWS_SECRET_ACCESS_KEY", &self.secret);
        lab.env("PIP_INDEX_URL", format!("http://user:{}@localhost:9/", self.secret));
        lab.output().unwrap()
    }

    /// The successful routes, of the build and of the driver.
    fn found(&self, mode: &str) -> [BTreeSet<String>; 2] {
        let built = self.lab(mode, &["build", "hostile"]);
        let text = |output: &Output| {
            String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
        };
        let driver = text(&built);
        let driver = driver
            .lines()
            .find_map(|line| line.strip_prefix("hostile: "))
            .unwrap_or_else(|| panic!("{mode}: {driver}"));
        // The driver's product is next to that of its library.
        let driver = PathBuf::from(driver.split(" (").next().unwrap());
        let identity = fs::read_to_string(driver.with_file_name("identity.json")).unwrap();
        assert!(identity.contains("asked"), "{identity}");
        let prefixes = driver.ancestors().nth(3).unwrap().join("prefix");
        let newest =
            fs::read_dir(prefixes).unwrap().flatten().map(|entry| entry.path().join("include/found"));
        let newest = newest
            .filter(|file| file.is_file())
            .max_by_key(|file| file.metadata().unwrap().modified().unwrap());
        let of_build = fs::read_to_string(newest.expect("the build says what it found")).unwrap();
        let results = self.folder.path().join(mode);
        let ran = self.lab(
            mode,
            &["run", "--stack", "hostile", "--scenario", SCENARIO, "--out", results.to_str().unwrap()],
        );
        let of_driver = text(&ran);
        let listed = text(&self.lab(mode, &["stacks", "hostile"]));
        let routes = |text: &str| -> BTreeSet<String> {
            let found = text.split_once("routes: ").and_then(|(_, rest)| Some(rest.split_once(":end")?.0));
            let found = found.unwrap_or_else(|| panic!("{mode}: {text}"));
            found.split_whitespace().map(str::to_owned).collect()
        };
        let mut of_build = routes(&of_build);
        if identity.contains(&self.secret) {
            of_build.insert("probe".to_owned());
        }
        let mut of_driver = routes(&of_driver.replace("\n", " "));
        // A table is as wide as its longest cell.
        let of_list = routes(&listed.split_whitespace().collect::<Vec<_>>().join(" "));
        of_driver.extend(of_list.into_iter().map(|route| format!("stacks: {route}")));
        [of_build, of_driver]
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        self.litter.iter().for_each(|file| _ = fs::remove_file(file));
        // SAFETY: both were made here.
        unsafe {
            libc::shmctl(self.shared[0], libc::IPC_RMID, std::ptr::null_mut());
            libc::msgctl(self.shared[1], libc::IPC_RMID, std::ptr::null_mut());
        }
    }
}

const RECIPE: &str = r#"
name = "hostile"
title = "Hostile"
licence = "MIT"
driver = "hostile"

[source]
path = "../library"

[build]
steps = [["sh", "-c", "mkdir -p {prefix}/include && perl routes.pl > {prefix}/include/found"]]

[make]
"#;

const MAKEFILE: &str = "all:\n\tmkdir -p $(OUT)\n\tcp driver.pl $(OUT)/driver\n\tchmod 755 $(OUT)/driver\n";

/// Every client that connects gets the secret.
fn tells(listener: UnixListener, secret: &str) {
    let secret = secret.to_owned();
    thread::spawn(move || {
        listener.incoming().flatten().for_each(|mut peer| _ = peer.write_all(secret.as_bytes()))
    });
}

fn says(listener: TcpListener, secret: &str) -> u16 {
    let (port, secret) = (listener.local_addr().unwrap().port(), secret.to_owned());
    thread::spawn(move || {
        listener.incoming().flatten().for_each(|mut peer| _ = peer.write_all(secret.as_bytes()))
    });
    port
}

/// Shared memory and a queue of System V with the secret, and a key of the kernel's.
fn shared(secret: &str) -> [i32; 2] {
    let key = std::process::id() as i32;
    let text = CString::new(secret).unwrap();
    // SAFETY: sizes and pointers describe their arguments.
    unsafe {
        let memory = libc::shmget(key, 64, libc::IPC_CREAT | 0o666);
        let place = libc::shmat(memory, std::ptr::null(), 0);
        std::ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), text.as_bytes_with_nul().len());
        libc::shmdt(place);
        let queue = libc::msgget(key, libc::IPC_CREAT | 0o666);
        let message = [&1_i64.to_ne_bytes()[..], text.as_bytes_with_nul()].concat();
        libc::msgsnd(queue, message.as_ptr().cast(), message.len() - 8, 0);
        let (kind, name) = (c"user", c"tlslab-canary");
        libc::syscall(
            libc::SYS_add_key,
            kind.as_ptr(),
            name.as_ptr(),
            text.as_ptr(),
            text.as_bytes().len(),
            -3,
        );
        [memory, queue]
    }
}

#[test]
fn no_route_leads_out_of_the_sandbox() {
    let planted = Planted::new();
    let outside = planted.found("off");
    let inside = planted.found("require");
    let _ = planted.lab("off", &["cache", "remove", "--stack", "hostile"]);
    for (who, outside) in ["build", "driver"].iter().zip(&outside) {
        println!(
            "{who}: {} routes succeed outside: {}",
            outside.len(),
            outside.iter().cloned().collect::<Vec<_>>().join(" ")
        );
        // Otherwise the routes are not the intended ones.
        for route in [
            "parent-environ",
            "home/secret",
            "database",
            "agent-socket",
            "abstract-socket",
            "metadata",
            "system-v-memory",
            "signal-others",
            "file-as-owner",
            "memory-file",
            "memory-by-key",
        ] {
            assert!(outside.contains(route), "{who}: {route} does not succeed outside");
        }
    }
    assert!(outside[0].contains("probe") && outside[1].iter().any(|route| route.starts_with("stacks: ")));
    for (who, inside) in ["build", "driver"].iter().zip(&inside) {
        assert!(inside.is_empty(), "{who}: {inside:?} succeed inside");
    }
    let database = fs::read_to_string(planted.folder.path().join("results/tlslab.sqlite")).unwrap();
    assert_eq!(database, planted.secret, "it was changed");
}

#[test]
fn a_stack_is_built_measured_and_counted_in_the_sandbox_as_outside() {
    let counts = |mode: &str| {
        let out = tempfile::tempdir().unwrap();
        let mut lab = tlslab();
        lab.args([
            "--sandbox",
            mode,
            "run",
            "--stack",
            "rustls/ring",
            "--stack",
            "openssl",
            "--scenario",
            SCENARIO,
        ]);
        lab.args(["--metric", "time,count", "--budget", "4s", "--rounds", "8", "--format", "csv", "--out"]);
        let output = lab.arg(out.path()).output().unwrap();
        let cells = support::stdout(&output);
        let counted = cells.lines().filter(|line| line.split(',').nth(3) == Some("count.instructions"));
        let counted: Vec<String> = counted.map(str::to_owned).collect();
        assert!(cells.contains(",time,"), "{cells}");
        counted
    };
    let (outside, inside) = (counts("off"), counts("require"));
    assert!(outside.len() >= 4, "{outside:?}");
    assert_eq!(inside, outside);
}
