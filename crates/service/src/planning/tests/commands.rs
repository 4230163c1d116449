//! Commands that ask for something else, for another project, or once more.

use super::*;

#[test]
fn what_is_measured_besides_leaves_the_status_as_it_is() {
    let asked = plan(&mut own(), command("maintainer", "/tlslab compare against=v1.0 scenario=handshake/*"));
    let beside = job(&asked);
    assert_eq!((beside.head.as_deref(), beside.supersedes.as_deref()), (None, Some("pull:p:7:aside")));
    assert_eq!(beside.subject["baseline"], OTHER);
    assert_eq!(beside.subject["aside"], "against v1.0 of handshake/*");
    assert!(beside.body.to_string().contains("\"scenarios\":[\"handshake/*\"]"));
    assert!(
        !beside.body.to_string().contains("\"shared\""),
        "the named commit is built where no other job looks"
    );
    assert!(asked.reply.unwrap().1.contains("status does not change"));
    let unknown = plan(&mut own(), command("maintainer", "/tlslab compare against=v9"));
    assert!(acts(&unknown).is_empty() && unknown.reply.unwrap().1.contains("v9"));
    let guest = plan(&mut own(), command("stranger", "/tlslab compare against=v1.0"));
    assert!(guest.changes.is_empty());
}

#[test]
fn a_retry_is_of_what_failed() {
    let of = |jobs| {
        let known = Remembered { jobs, ..Remembered::default() };
        plan_with(&mut own(), &known, command("maintainer", "/tlslab retry"))
    };
    for state in [State::Cancelled, State::Superseded, State::Failed] {
        assert_eq!(job(&of(vec![ended(1, HEAD, state)])).head.as_deref(), Some(HEAD));
    }
    let reported = of(vec![ended(1, HEAD, State::Reported)]);
    assert!(acts(&reported).is_empty() && reported.reply.unwrap().1.contains("Nothing failed"));
}

#[test]
fn a_check_is_run_again_for_somebody_who_may_write_and_only_its_own() {
    let pull = PullRow {
        project: "p".to_owned(),
        number: 7,
        head: HEAD.to_owned(),
        is_open: true,
        ..PullRow::default()
    };
    let known =
        Remembered { jobs: vec![ended(1, HEAD, State::Reported)], pull: Some(pull), ..Remembered::default() };
    let again = |commit: &str, context: Option<&str>, login: &str| {
        let (commit, context) = (commit.to_owned(), context.map(str::to_owned));
        let incoming = Incoming::Again { repository: repository(), commit, context, by: person(login) };
        plan_with(&mut fork(), &known, incoming)
    };
    for context in [None, Some("tlslab/p")] {
        let plan = again(HEAD, context, "maintainer");
        assert_eq!((job(&plan).approval, job(&plan).head.as_deref()), (Approval::Given, Some(HEAD)));
    }
    for (commit, context, login) in
        [(HEAD, None, "stranger"), (HEAD, Some("tlslab/q"), "maintainer"), (OTHER, None, "maintainer")]
    {
        assert!(acts(&again(commit, context, login)).is_empty(), "{commit} {context:?} {login}");
    }
}

#[test]
fn projects_of_one_repository_each_do_their_own() {
    let named = |name: &str, stack: &str| {
        let (mut project, from) = (project(), project());
        project.name = toml::Spanned::new(from.name.span(), name.to_owned());
        project.stacks = vec![stack.to_owned()];
        project
    };
    let (p, q) = (named("p", "tls"), named("q", "hash"));
    let all = [&p, &q];
    let of = |text: &str| {
        all.map(|project| {
            let known = Remembered::default();
            let incoming = command("maintainer", text);
            let plan =
                Planner { project, all: &all, asked: &mut own(), known: &known }.plan(incoming).unwrap();
            let enqueued = plan.changes.iter().any(|change| matches!(change, Change::Enqueue(_)));
            (enqueued, plan.reply.is_some(), plan.changes.iter().any(is_courtesy))
        })
    };
    assert_eq!(of("/tlslab compare"), [(true, false, true), (true, false, true)]);
    assert_eq!(of("/tlslab compare hash"), [(false, false, false), (true, false, true)]);
    assert_eq!(of("/tlslab compare project=p"), [(true, false, true), (false, false, false)]);
    assert_eq!(of("/tlslab destroy"), [(false, true, true), (false, false, false)]);
    assert_eq!(of("/tlslab help"), [(false, true, true), (false, false, false)]);
}
