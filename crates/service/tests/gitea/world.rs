//! A forge, a service and what happens on them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tlslab_queue::{Filter, JobRow, Phase, Queue, State};
use tlslab_store::Address;
use tlslab_testing::gitea::{Gitea, Issue};
use tlslab_testing::variant_files;

use crate::support::{SECRET, Service, forge_and_project, free_port, write_secret};

/// How long one job may take, with its builds.
const JOB: Duration = Duration::from_secs(300);
/// How long an event may take until it is seen.
const EVENT: Duration = Duration::from_secs(30);

const EVENTS: [&str; 6] = [
    "push",
    "pull_request",
    "pull_request_sync",
    "pull_request_review_approved",
    "issue_comment",
    "pull_request_comment",
];

/// Common files of a forge's tests: `tests/forge`.
fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forge").join(name).canonicalize().unwrap()
}

/// A pull request at a commit.
pub(crate) struct Pulled {
    pub number: u64,
    pub commit: String,
    pub branch: String,
}

/// The purpose of a world.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Private,
    Several,
}

pub(crate) struct World {
    pub gitea: Gitea,
    pub repository: String,
    service: Service,
    queue: Box<dyn Queue>,
    folder: tempfile::TempDir,
    port: u16,
}

impl Drop for World {
    fn drop(&mut self) {
        // Its runner ends with it, and what that runs.
        self.service.end(Duration::from_secs(60));
        if std::thread::panicking() {
            let text = fs::read_to_string(self.folder.path().join("service/runner.log")).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(60).collect();
            lines.iter().rev().for_each(|line| eprintln!("{line}"));
        }
    }
}

impl World {
    pub(crate) fn start() -> Self {
        Self::start_as(Kind::Plain)
    }

    /// The same with a second project of the repository, `headers`, for which only `include` counts, with documents that count for neither,
    /// and with the branch `staging` of a bot's merge queue.
    pub(crate) fn start_with_two_projects() -> Self {
        Self::start_as(Kind::Several)
    }

    /// The same with a private repository, which the account `reader` may read, and with a private submodule in
    /// `dependency/`.
    pub(crate) fn start_private() -> Self {
        Self::start_as(Kind::Private)
    }

    fn start_as(kind: Kind) -> Self {
        let is_private = kind == Kind::Private;
        let folder = tempfile::tempdir().unwrap();
        // The server's user passes through here.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let gitea = Gitea::start(folder.path().join("forge")).unwrap();
        for user in ["owner", "maintainer", "contributor", "guest", "stranger", "lab-bot", "reader"] {
            gitea.create_user(user).unwrap();
        }
        let create = if is_private { Gitea::create_private_repository } else { Gitea::create_repository };
        let repository = create(&gitea, "owner", "tiny").unwrap();
        gitea.push_folder("owner", &repository, "main", &shared("tiny"), "The library").unwrap();
        gitea.add_collaborator(&repository, "maintainer", "write").unwrap();
        // Whom it asks for rights must be an administrator of the repository.
        gitea.add_collaborator(&repository, "lab-bot", "admin").unwrap();
        for user in ["contributor", "guest"].into_iter().filter(|_| !is_private) {
            gitea.fork(&repository, user).unwrap();
        }
        let port = free_port();
        let token = gitea.token("lab-bot", &["write:repository", "write:issue", "read:user"]).unwrap();
        let more = if is_private { private_lines(&gitea, &repository, folder.path()) } else { String::new() };
        configure(folder.path(), &gitea.api_url(), &repository, &token, (port, &more));
        if kind == Kind::Several {
            add_project(folder.path(), &repository);
        }
        let service = start_service(folder.path(), port);
        service.wait();
        let hook = format!("http://127.0.0.1:{port}/hooks/gitea");
        gitea.add_hook(&repository, &hook, SECRET, &EVENTS).unwrap();
        let database = folder.path().join("service/tlslab.sqlite");
        let queue = tlslab_queue::open(&Address::Sqlite(database), tlslab_queue::LEASE).unwrap();
        Self { gitea, repository, service, queue, folder, port }
    }

    /// A branch of the repository with the files of a variant, and its pull request.
    pub(crate) fn own_pull(&self, branch: &str, variant: &str) -> Pulled {
        let commit = self.push("owner", &self.repository, branch, variant);
        let number = self.gitea.open_pull("owner", &self.repository, branch, "main", branch).unwrap();
        Pulled { number, commit, branch: branch.to_owned() }
    }

    /// The same from another user's repository.
    pub(crate) fn fork_pull(&self, branch: &str, variant: &str) -> Pulled {
        self.pull_of("contributor", branch, variant)
    }

    /// The same from the fork of a user.
    pub(crate) fn pull_of(&self, user: &str, branch: &str, variant: &str) -> Pulled {
        let commit = self.push(user, &format!("{user}/tiny"), branch, variant);
        let head = format!("{user}:{branch}");
        let number = self.gitea.open_pull(user, &self.repository, &head, "main", branch).unwrap();
        Pulled { number, commit, branch: branch.to_owned() }
    }

    /// A draft of a branch of the repository, by its title.
    pub(crate) fn draft(&self, branch: &str, variant: &str) -> Pulled {
        let commit = self.push("owner", &self.repository, branch, variant);
        let title = format!("WIP: {branch}");
        let number = self.gitea.open_pull("owner", &self.repository, branch, "main", &title).unwrap();
        Pulled { number, commit, branch: branch.to_owned() }
    }

    /// The newest job of a pull request, when it has ended and no job waits.
    pub(crate) fn newest_ended(&self, pull: &Pulled) -> JobRow {
        wait_for(&format!("the end of the newest job of {}", pull.branch), JOB, || {
            let newest = self.jobs_of(pull).into_iter().next()?;
            (newest.state.is_ended() && self.queue.unhandled(1).unwrap().is_empty()).then_some(newest)
        })
    }

    /// Another commit on the same branch.
    pub(crate) fn push_again(&self, pull: &Pulled, user: &str, variant: &str) -> Pulled {
        let repository = if user == "owner" { self.repository.clone() } else { format!("{user}/tiny") };
        // Files that the previous variant changed return to their first version.
        let mut files = files(&shared("tiny"));
        files.extend(self.variant(variant));
        let commit = self.push_files(user, &repository, &pull.branch, &files, variant);
        Pulled { number: pull.number, commit, branch: pull.branch.clone() }
    }

    pub(crate) fn push_main(&self, variant: &str) -> String {
        self.push("owner", &self.repository, "main", variant)
    }

    /// Three commits that reach the branch at once: the second one is slower.
    pub(crate) fn push_three(&self) -> [String; 3] {
        let text = |text: &str| vec![("NOTES".to_owned(), text.to_owned())];
        let first = self.push_files("owner", &self.repository, "next", &text("1"), "first");
        let second =
            self.push_files("owner", &self.repository, "next", &self.variant("regression"), "second");
        let third = self.push_files("owner", &self.repository, "next", &text("3"), "third");
        let body = serde_json::json!({"title": "next", "head": "next", "base": "main"});
        let path = format!("/repos/{}/pulls", self.repository);
        let pull =
            self.gitea.request("owner", "POST", &path, Some(&body)).unwrap()["number"].as_u64().unwrap();
        let merge = serde_json::json!({"Do": "fast-forward-only"});
        let path = format!("/repos/{}/pulls/{pull}/merge", self.repository);
        let deadline = Instant::now() + EVENT;
        while let Err(cause) = self.gitea.request("owner", "POST", &path, Some(&merge)) {
            assert!(Instant::now() < deadline, "{cause}");
            std::thread::sleep(Duration::from_millis(500));
        }
        [first, second, third]
    }

    fn push(&self, user: &str, repository: &str, branch: &str, variant: &str) -> String {
        self.push_files(user, repository, branch, &self.variant(variant), variant)
    }

    pub(crate) fn push_files(
        &self,
        user: &str,
        repository: &str,
        branch: &str,
        files: &[(String, String)],
        why: &str,
    ) -> String {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        self.gitea.push(user, repository, branch, &files, why).unwrap()
    }

    pub(crate) fn variant(&self, name: &str) -> Vec<(String, String)> {
        let home = self.folder.path().display().to_string();
        let filled = |text: String| text.replace("@HOME@", &home).replace("@PORT@", &self.port.to_string());
        variant_files(name).into_iter().map(|(path, text)| (path, filled(text))).collect()
    }

    /// Jobs of a pull request, the newest first.
    pub(crate) fn jobs_of(&self, pull: &Pulled) -> Vec<JobRow> {
        let group = Some(format!("pull:tiny:{}", pull.number));
        self.queue.list(&Filter { group, ..Filter::default() }).unwrap()
    }

    fn job(&self, pull: &Pulled) -> Option<JobRow> {
        self.jobs_of(pull).into_iter().find(|job| job.subject["commit"] == *pull.commit)
    }

    pub(crate) fn state_is(&self, pull: &Pulled, state: State) {
        wait_for(&format!("job of {} is {state}", pull.branch), EVENT, || {
            self.job(pull).filter(|job| job.state == state).map(drop)
        });
    }

    /// Waits until there is a job of the commit, in whatever state.
    pub(crate) fn has_job(&self, pull: &Pulled) {
        wait_for(&format!("a job of {}", pull.branch), EVENT, || self.job(pull).map(drop));
    }

    /// The job of a pull request's commit, as it stands.
    pub(crate) fn ended_or_not(&self, pull: &Pulled) -> JobRow {
        self.job(pull).unwrap()
    }

    /// A comment of a maintainer. Commands count from the second after the head was pushed.
    pub(crate) fn command(&self, pull: &Pulled, text: &str) {
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        self.gitea.comment("maintainer", &self.repository, pull.number, text).unwrap();
    }

    /// What comes within a minute.
    pub(crate) fn within_a_minute<T>(&self, look: impl FnMut() -> Option<T>) -> Option<T> {
        within(Duration::from_secs(60), look)
    }

    /// The job of a pull request's commit, when it has ended.
    pub(crate) fn ended(&self, pull: &Pulled) -> JobRow {
        wait_for(&format!("the end of the job of {}", pull.branch), JOB, || {
            self.job(pull).filter(|job| job.state.is_ended())
        })
    }

    pub(crate) fn ended_commit(&self, commit: &str) -> JobRow {
        wait_for("the end of a job of the branch", JOB, || {
            let ended = self.queue.list(&Filter { phase: Phase::Ended, ..Filter::default() }).unwrap();
            let is_it = |job: &JobRow| job.subject["kind"] == "push" && job.subject["commit"] == *commit;
            ended.into_iter().find(is_it)
        })
    }

    /// The newest status of the commit, when it has this state and a title with this text.
    pub(crate) fn status_is(&self, pull: &Pulled, state: &str, text: &str) {
        let mut seen = String::new();
        let found = within(JOB, || {
            let statuses = self.gitea.statuses(&self.repository, &pull.commit).unwrap();
            let newest = statuses.into_iter().find(|status| status.context == "tlslab/tiny")?;
            seen = format!("{}: {}", newest.state, newest.description);
            let is_it = (state.is_empty() || newest.state == state) && newest.description.contains(text);
            is_it.then(|| assert!(newest.target_url.contains("/jobs/"), "{}", newest.target_url))
        });
        assert!(found.is_some(), "{}: status {state} with \"{text}\" expected, {seen}", pull.branch);
    }

    /// The newest status of a commit with this name, when it has this state and a title with this text.
    pub(crate) fn commit_has(&self, commit: &str, context: &str, state: &str, text: &str) {
        wait_for(&format!("status {state} of {context} with \"{text}\""), JOB, || {
            let statuses = self.gitea.statuses(&self.repository, commit).unwrap();
            let newest = statuses.into_iter().find(|status| status.context == context)?;
            (newest.state == state && newest.description.contains(text)).then_some(())
        });
    }

    /// The one comment of the service.
    pub(crate) fn comment(&self, pull: &Pulled) -> String {
        wait_for("no more messages", EVENT, || (self.queue.messages_waiting().unwrap().0 == 0).then_some(()));
        let mut own = self.own_comments(pull.number);
        assert_eq!(own.len(), 1, "{own:?}");
        own.remove(0)
    }

    pub(crate) fn comment_has(&self, pull: &Pulled, text: &str) {
        let found = within(JOB, || {
            self.own_comments(pull.number).iter().any(|comment| comment.contains(text)).then_some(())
        });
        assert!(found.is_some(), "no comment with \"{text}\": {:?}", self.own_comments(pull.number));
    }

    fn own_comments(&self, number: u64) -> Vec<String> {
        let comments = self.gitea.comments(&self.repository, number).unwrap();
        comments
            .into_iter()
            .filter(|comment| comment.author == "lab-bot")
            .map(|comment| comment.body)
            .collect()
    }

    /// One comment for each pull request that has a job, and no message that waits.
    pub(crate) fn check_comments(&self) {
        self.check_comments_at_least(12);
    }

    /// The same for at least so many pull requests.
    pub(crate) fn check_comments_at_least(&self, least: usize) {
        self.settle();
        let jobs = self.queue.list(&Filter::default()).unwrap();
        let numbers: std::collections::BTreeSet<u64> =
            jobs.iter().filter_map(|job| job.subject["number"].as_u64()).collect();
        assert!(numbers.len() >= least, "{numbers:?}");
        for number in numbers {
            assert_eq!(self.own_comments(number).len(), 1, "pull request {number}");
        }
        for job in jobs {
            let steps = self.queue.transitions(&job.id).unwrap();
            let ends = steps.iter().filter(|step| step.to.is_ended()).count();
            assert_eq!(ends, usize::from(job.state.is_ended()), "{}", job.id);
        }
    }

    /// The status of the answer to somebody without a token.
    pub(crate) fn status_of(&self, path: &str) -> u16 {
        let agent = crate::support::agent(EVENT);
        agent.get(self.service.url(path)).call().unwrap().status().as_u16()
    }

    /// Where the service, its runner and its cache have their files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// No secret is in a log or in the database.
    pub(crate) fn check_log(&self) {
        let key = fs::read_to_string(self.folder.path().join("service/runner.key")).unwrap();
        let secrets = ["hook-secret", key.trim()];
        for name in
            ["service.log", "service/runner.log", "service/tlslab.sqlite", "service/tlslab.sqlite-wal"]
        {
            let bytes = fs::read(self.folder.path().join(name)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            for secret in secrets {
                assert!(!text.contains(secret), "{name} has a secret");
            }
        }
    }

    /// All events are handled, announced and sent, and no job runs.
    pub(crate) fn settle(&self) {
        let is_still = || {
            let is_empty = self.queue.unhandled(1).unwrap().is_empty()
                && self.queue.unannounced(1).unwrap().is_empty()
                && self.queue.messages_waiting().unwrap().0 == 0;
            is_empty.then_some(())
        };
        // Events that the forge has just sent are on their way.
        std::thread::sleep(Duration::from_secs(3));
        wait_for("quiet", EVENT, is_still);
    }

    pub(crate) fn issue(&self) -> Issue {
        wait_for("an issue", JOB, || self.gitea.issues(&self.repository).unwrap().into_iter().next())
    }

    pub(crate) fn has_run_in_history(&self, commit: &str) -> bool {
        let job = self.ended_commit(commit);
        let database = self.folder.path().join("service/tlslab.sqlite");
        let store = tlslab_store::open_existing(&Address::Sqlite(database)).unwrap();
        store.runs().unwrap().iter().any(|run| run.id == job.id && run.complete)
    }
}

/// Further lines of a project with a private repository, and the files that they name.
fn private_lines(gitea: &Gitea, repository: &str, folder: &Path) -> String {
    let dependency = gitea.create_private_repository("owner", "dependency").unwrap();
    let commit = gitea.push("owner", &dependency, "main", &[("present", "yes\n")], "A dependency").unwrap();
    let module = ["dependency", &*gitea.clone_url(&dependency), &*commit];
    gitea.push_submodule("owner", repository, "main", module, &[]).unwrap();
    for readable in [repository, &dependency] {
        gitea.add_collaborator(readable, "reader", "read").unwrap();
    }
    write_secret(&folder.join("reader"), &gitea.token("reader", &["read:repository"]).unwrap());
    format!("private = true\nfetch_token = {{ file = \"reader\" }}\nsubmodules = [\"{dependency}\"]\n")
}

fn configure(folder: &Path, api: &str, repository: &str, token: &str, (port, private): (u16, &str)) {
    write_secret(&folder.join("token"), token);
    write_secret(&folder.join("hook"), SECRET);
    let more = r#"
        stacks = ["tiny"]
        compare = { suite = "tiny", metrics = ["count"] }
        run = { suite = "tiny", metrics = ["count"] }
    "#;
    let text = format!(
        "listen = \"127.0.0.1:{port}\"\nfolder = \"{}/service\"\npublic_reading = {}\n",
        folder.display(),
        private.is_empty()
    );
    let more = format!("{private}{more}");
    let text = text + &forge_and_project(["gitea", "gitea", api], ["tiny", repository], &more);
    fs::write(folder.join("service.toml"), text).unwrap();
}

fn add_project(folder: &Path, repository: &str) {
    let file = folder.join("service.toml");
    let text = fs::read_to_string(&file).unwrap();
    let more = format!(
        r#"
        merge_branches = ["staging"]
        [project.pulls]
        ignore = ["**/*.md"]
        [[project]]
        name = "headers"
        forge = "gitea"
        repository = "{repository}"
        stacks = ["tiny"]
        compare = {{ suite = "tiny", metrics = ["count"] }}
        [project.pulls]
        paths = ["include/**"]
        "#
    );
    fs::write(&file, text + &more).unwrap();
}

fn start_service(folder: &Path, port: u16) -> Service {
    let lab = Path::new(env!("CARGO_BIN_EXE_tlslab-service")).with_file_name("tlslab");
    assert!(lab.is_file(), "build the lab first: cargo build -p tlslab");
    let cache = vec![("TLSLAB_CACHE".to_owned(), folder.join("cache"))];
    Service::with_lab(folder, port, &lab, &shared("lab"), cache)
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

fn within<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + time;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() > deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn wait_for<T>(what: &str, time: Duration, look: impl FnMut() -> Option<T>) -> T {
    within(time, look).unwrap_or_else(|| panic!("{what}: not within {time:?}"))
}
