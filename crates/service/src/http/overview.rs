//! What the service adds to the overview: pull requests, jobs and runners.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tlslab_pages::Target;
use tlslab_pages::site::{Alert, Level, Overview, Work};
use tlslab_queue::{Filter, JobRow, Phase, QueueError};
use tlslab_text::number::counted;

use crate::render::job_lists::{Outlook, runner_line};
use crate::render::pull_page::line_of_pull;
use crate::render::words::now_unix_ms;
use crate::service::Service;
use crate::subject::Subject;

/// Lines of each card.
const MOST: usize = 8;

/// The overview with what the service does.
pub(super) async fn of_service(service: &Arc<Service>, of_site: Overview) -> Result<Overview, QueueError> {
    let (open, ended, runners, troubles) = service
        .ask(|queue| {
            let of = |phase, most| Filter { phase, most, ..Filter::default() };
            let troubles = Troubles { given_up: queue.given_up()?, oldest_ms: queue.oldest_waiting_ms()?.0 };
            let jobs = (queue.list(&of(Phase::Open, 0))?, queue.list(&of(Phase::Ended, 200))?);
            Ok((jobs.0, jobs.1, queue.runners()?, troubles))
        })
        .await?;
    let unconfirmed = service.counters.unconfirmed.load(Ordering::Relaxed);
    let alerts = troubles.alerts(unconfirmed);
    let now = now_unix_ms();
    let lines = runners.iter().map(|runner| runner_line(runner, now, (&open, &ended), &[]));
    let runner_works = lines.map(|line| Work {
        detail: line.job.as_ref().map_or("no job", |(_, title)| title.as_str()).to_owned(),
        title: line.name,
        class: line.class.to_owned(),
        state: line.state.to_owned(),
        target: Some(Target::Runners),
    });
    let runner_works = runner_works.collect();
    let outlook = Outlook::new(now, runners, &ended);
    Ok(Overview {
        pulls: pulls(open.iter().chain(&ended)),
        jobs: jobs(&outlook, &open),
        runners: runner_works,
        is_served: true,
        alerts: alerts.into_iter().chain(of_site.alerts).collect(),
        ..of_site
    })
}

/// A job that waits so long for a runner needs somebody, ms.
const LONG_MS: u64 = 3_600_000;

/// What an operator has to look at.
struct Troubles {
    given_up: (u64, u64),
    oldest_ms: u64,
}

impl Troubles {
    fn alerts(&self, unconfirmed: u64) -> Vec<Alert> {
        let (deliveries, messages) = self.given_up;
        let hours = self.oldest_ms / LONG_MS;
        let of = |count: u64, text: String, target: Option<Target>| {
            (count > 0).then_some(Alert { level: Level::Warning, text, target })
        };
        let all = [
            of(
                deliveries,
                format!("Given up: {} of code hosts; the journal says why", counted(deliveries, "event")),
                None,
            ),
            of(
                messages,
                format!("Given up: {} to code hosts; the journal says why", counted(messages, "message")),
                None,
            ),
            of(
                unconfirmed,
                format!(
                    "{}: a code host took a message and did not show it; it is sent again",
                    counted(unconfirmed, "time")
                ),
                None,
            ),
            of(hours, format!("the oldest job has waited {hours} h for a runner"), Some(Target::Jobs)),
        ];
        all.into_iter().flatten().collect()
    }
}

/// The newest job of each pull request.
fn pulls<'j>(jobs: impl Iterator<Item = &'j JobRow>) -> Vec<Work> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<&JobRow> = jobs.collect();
    all.sort_by_key(|job| std::cmp::Reverse(job.key));
    let newest = all.into_iter().filter_map(|job| match Subject::of(job) {
        Some(Subject::Pull(pull)) if seen.insert((job.project.clone(), pull.number)) => Some((job, pull)),
        _ => None,
    });
    let lines = newest.take(MOST).map(|(job, pull)| line_of_pull(job, &pull));
    lines
        .map(|line| Work {
            title: format!("{} #{}", line.project, line.number),
            detail: line.why,
            class: line.class.to_owned(),
            state: line.state,
            target: Some(Target::PullRequest(line.project, line.number)),
        })
        .collect()
}

fn jobs(outlook: &Outlook, open: &[JobRow]) -> Vec<Work> {
    let mut open: Vec<&JobRow> = open.iter().collect();
    open.sort_by_key(|job| (!job.state.is_leased(), job.position.is_none(), job.position, job.key));
    let works = open.into_iter().take(MOST).map(|job| {
        let line = outlook.open(job);
        Work {
            title: line.title,
            detail: line.why,
            class: line.class.to_owned(),
            state: line.state,
            target: Some(Target::Job(line.id)),
        }
    });
    works.collect()
}
