//! The service's part of the overview: pull requests, jobs and runners.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tlslab_pages::Target;
use tlslab_pages::site::{Alert, Level, Overview, Work};
use tlslab_queue::{Filter, JobRow, Phase, QueueError};
use tlslab_text::number::counted;

use super::pulls::newest_of_pulls;
use crate::pull_names::PullNames;
use crate::render::job_lists::{Outlook, runner_line};
use crate::render::pull_page::line_of_pull;
use crate::render::words::now_unix_ms;
use crate::service::Service;

/// Lines of each card.
const MOST: usize = 8;

/// The overview with the service's part.
pub(super) async fn of_service(service: &Arc<Service>, of_site: Overview) -> Result<Overview, QueueError> {
    let (open, ended, runners, (troubles, names)) = service
        .ask(|queue| {
            let of = |phase, most| Filter { phase, most, ..Filter::default() };
            let troubles = Troubles { given_up: queue.given_up()?, oldest_ms: queue.oldest_waiting_ms()?.0 };
            let (open, ended) = (queue.list(&of(Phase::Open, 0))?, queue.list(&of(Phase::Ended, 200))?);
            let names = PullNames::of_jobs(queue, open.iter().chain(&ended))?;
            Ok((open, ended, queue.runners()?, (troubles, names)))
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
    let pulls = pulls(&open, &ended, &names);
    let outlook = Outlook::new(now, runners, &ended, names);
    Ok(Overview {
        pulls,
        waits: outlook.oldest_wait(&open),
        jobs: jobs(&outlook, &open),
        runners: runner_works,
        is_served: true,
        alerts: alerts.into_iter().chain(of_site.alerts).collect(),
        ..of_site
    })
}

/// A job that waits so long for a runner needs somebody, ms.
const LONG_MS: u64 = 3_600_000;

/// Problems for an operator.
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
fn pulls(open: &[JobRow], ended: &[JobRow], names: &PullNames) -> Vec<Work> {
    let newest = newest_of_pulls([open, ended].concat()).into_iter().take(MOST);
    let works = newest.map(|(job, pull)| {
        let line = line_of_pull(&job, &pull, names);
        let from = if line.branch.is_empty() { String::new() } else { format!("{} ", line.branch) };
        Work {
            title: format!("{} #{} {}", line.project, line.number, line.title).trim_end().to_owned(),
            detail: format!("{from}by {}: {}", line.author, line.why),
            class: line.class.to_owned(),
            state: line.state,
            target: Some(Target::PullRequest(line.project, line.number)),
        }
    });
    works.collect()
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
