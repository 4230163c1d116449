//! Two projects of one repository, their scopes, a bot's merge queue, and additional measurements by command.

use tlslab_queue::State;

use crate::REGRESSION;
use crate::world::{Pulled, World};

const UNCHANGED: &str = "nothing that is measured changed";

#[test]
#[ignore = "make test-forge: takes minutes"]
fn projects_of_one_repository_measure_what_is_theirs() {
    let world = World::start_with_two_projects();
    let documents = [("README.md".to_owned(), "Other words.\n".to_owned())];
    let commit = world.push_files("owner", &world.repository, "words", &documents, "words");
    let number = world.gitea.open_pull("owner", &world.repository, "words", "main", "words").unwrap();
    let words = Pulled { number, commit, branch: "words".to_owned() };
    for context in ["tlslab/tiny", "tlslab/headers"] {
        world.commit_has(&words.commit, context, "success", UNCHANGED);
    }
    let job = world.ended(&words);
    assert_eq!((job.state, job.attempts, job.runner.as_deref()), (State::Reported, 0, None));
    assert_eq!(world.status_of(&format!("/jobs/{}", job.id)), 200);
    // A fork's documents need no approval: nothing is built.
    let commit = world.push_files("contributor", "contributor/tiny", "typos", &documents, "typos");
    world.gitea.open_pull("contributor", &world.repository, "contributor:typos", "main", "typos").unwrap();
    world.commit_has(&commit, "tlslab/tiny", "success", UNCHANGED);

    // Code is measured by the project that it is of, and the first answer was no answer to a later head.
    let slower = world.push_again(&words, "owner", REGRESSION);
    world.status_is(&slower, "failure", "3 regressions");
    world.commit_has(&slower.commit, "tlslab/headers", "success", UNCHANGED);

    // An additional measurement does not change the status.
    let scenario = "scenario=primitive/hash/sha-256/64B";
    world.command(&slower, &format!("/tlslab compare project=tiny against=main {scenario}"));
    world.comment_has(&slower, "Also measured, against main");
    world.comment_has(&slower, "1 regression");
    world.status_is(&slower, "failure", "3 regressions");
    let comments = world.gitea.request(
        "owner",
        "GET",
        &format!("/repos/{}/issues/{}/comments", world.repository, slower.number),
        None,
    );
    let comments = comments.unwrap();
    let command =
        comments.as_array().unwrap().iter().find(|comment| comment["user"]["login"] == "maintainer");
    let path = format!("/repos/{}/issues/comments/{}/reactions", world.repository, command.unwrap()["id"]);
    let thumb = world.within_a_minute(|| {
        let found = world.gitea.request("owner", "GET", &path, None).ok()?;
        (found[0]["content"] == "+1").then_some(())
    });
    assert!(thumb.is_some(), "nobody said that the command was read");

    // A bot's branch is measured against its target branch.
    let staged = world.push_files("owner", &world.repository, "staging", &world.variant("no-op"), "staged");
    world.commit_has(&staged, "tlslab/tiny", "success", "identical binary");
    world.check_log();
}
