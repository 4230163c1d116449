//! Who sends work: deliveries of a forge, jobs through the API and jobs in the queue itself. It repeats each until it was accepted.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tlslab_queue::{Change, NewJob};
use tlslab_store::Address;
use ureq::Agent;

use crate::dice::Dice;
use crate::forge::{Forge, event};
use crate::support::{SECRET, agent, sign};
use crate::world::World;

/// How often something is repeated until it must have been accepted.
const TRIES: u32 = 600;

/// Sends work.
pub(crate) struct Author {
    dice: Dice,
    agent: Agent,
    forge: Forge,
    address: Address,
    service: String,
    token: String,
    submitted: Vec<String>,
    /// Deliveries that were accepted.
    pub deliveries: BTreeSet<String>,
    /// Deliveries that were sent again on purpose.
    pub repeated: usize,
    /// Jobs that were to be cancelled.
    pub cancelled: usize,
}

impl Author {
    /// One that sends the same for the same seed.
    pub(crate) fn new(world: &World, forge: &Forge, seed: u64) -> Self {
        let token = std::fs::read_to_string(world.folder.join("service/token")).unwrap();
        Self {
            dice: Dice(seed),
            agent: agent(Duration::from_secs(10)),
            forge: forge.clone(),
            address: world.address.clone(),
            service: world.service.url(""),
            token: token.trim().to_owned(),
            submitted: Vec::new(),
            deliveries: BTreeSet::new(),
            repeated: 0,
            cancelled: 0,
        }
    }

    /// Sends as many jobs, with pauses of so many milliseconds on average.
    pub(crate) fn send(&mut self, jobs: usize, pause_ms: u64) {
        for number in 0..jobs {
            match self.dice.roll(10) {
                0..3 => self.submit(number),
                3..5 => self.enqueue(number),
                5..7 => self.open_pull(),
                _ => self.move_head(),
            }
            match self.dice.roll(8) {
                0 => self.cancel(),
                1 => self.close_pull(),
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(self.dice.roll(2 * pause_ms)));
        }
    }

    /// Jobs that were submitted.
    pub(crate) fn submitted(&self) -> &[String] {
        &self.submitted
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> u16 {
        let mut last = String::new();
        for _ in 0..TRIES {
            let mut request = self.agent.post(format!("{}{path}", self.service));
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            match request.send(body).map(|answer| answer.status().as_u16()) {
                Ok(status) if status != 429 && status < 500 => return status,
                Ok(status) => last = format!("status {status}"),
                Err(error) => last = error.to_string(),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{path} was never accepted: {last}");
    }

    fn submit(&mut self, number: usize) {
        let id = format!("submitted-{number}");
        let request = json!({"kind": "compare", "pairs": [["a", "b"]], "metrics": ["count"]});
        let body = json!({"job": {"id": id, "trust": "candidate", "request": request}}).to_string();
        let status = self.post("/api/v1/jobs", &[("Authorization", &self.bearer())], body.as_bytes());
        assert!(matches!(status, 200 | 201), "{id}: status {status}");
        self.submitted.push(id);
    }

    /// A job that needs no sandbox.
    fn enqueue(&mut self, number: usize) {
        let id = format!("enqueued-{number}");
        let step = json!({"job": {"id": id}, "cache": "shared", "state": "proving", "fault": "lab"});
        let job = NewJob {
            id: id.clone(),
            project: "none".to_owned(),
            subject: json!({"kind": "submitted", "by": "test", "title": "t"}),
            body: json!({"steps": [step], "keeps_runs": World::KEEPS_RUNS}),
            labels: Vec::new(),
            needs_sandbox: false,
            is_timed: false,
            only_runner: None,
            priority: 40,
            dedup: None,
            supersedes: None,
            approval: tlslab_queue::Approval::NotNeeded,
            head: None,
            most_attempts: 3,
            delay_ms: 0,
            is_answered: false,
            cause: "sent by the test".to_owned(),
        };
        let change = [Change::Enqueue(Box::new(job))];
        World::with_queue(&self.address, |queue| queue.apply(&change));
        self.submitted.push(id);
    }

    fn cancel(&mut self) {
        let Some(id) = self.submitted.last().cloned() else { return };
        let status =
            self.post(&format!("/api/v1/jobs/{id}/cancel"), &[("Authorization", &self.bearer())], b"");
        assert_eq!(status, 200, "{id}");
        self.cancelled += 1;
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    fn head(&mut self) -> String {
        (0..5).map(|_| format!("{:08x}", self.dice.roll(1 << 31))).collect()
    }

    fn open_pull(&mut self) {
        let about = (self.head(), true);
        let number = {
            let mut kept = self.forge.kept();
            let number = kept.pulls.len() as u64 + 1;
            kept.pulls.insert(number, about.clone());
            number
        };
        self.deliver(&event("opened", number, &about));
    }

    fn an_open_pull(&mut self) -> Option<u64> {
        let open: Vec<u64> =
            self.forge.kept().pulls.iter().filter(|(_, (_, open))| *open).map(|(n, _)| *n).collect();
        (!open.is_empty()).then(|| open[self.dice.roll(open.len() as u64) as usize])
    }

    fn move_head(&mut self) {
        let Some(number) = self.an_open_pull() else { return self.open_pull() };
        let about = (self.head(), true);
        self.forge.kept().pulls.insert(number, about.clone());
        self.deliver(&event("synchronized", number, &about));
    }

    fn close_pull(&mut self) {
        let Some(number) = self.an_open_pull() else { return };
        let about = (self.head(), false);
        self.forge.kept().pulls.insert(number, about.clone());
        self.deliver(&event("closed", number, &about));
    }

    fn deliver(&mut self, event: &Value) {
        let (id, body) = (format!("delivery-{}", self.deliveries.len()), event.to_string());
        let signature = sign(SECRET, body.as_bytes());
        let headers = [
            ("X-Gitea-Delivery", id.as_str()),
            ("X-Gitea-Event", "pull_request"),
            ("X-Gitea-Signature", &signature),
        ];
        let status = self.post("/hooks/gitea", &headers, body.as_bytes());
        assert!(matches!(status, 200 | 202), "{id}: status {status}");
        if self.dice.roll(4) == 0 {
            self.repeated += 1;
            let status = self.post("/hooks/gitea", &headers, body.as_bytes());
            assert_eq!(status, 200, "{id}: it was accepted before");
        }
        self.deliveries.insert(id);
    }
}
