//! The site of a database as it was read last, and what was made of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tlslab_lab::Results;
use tlslab_pages::site::Overview;
use tlslab_pages::{Served, Target};
use tlslab_record::Policy;
use tlslab_site::{Made, Site, Source};

use crate::http::shown::{LINKS, policy};
use crate::log::log;

/// The database is asked for newer results at most so often.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// Pages and files that are kept, and their bytes together; beyond that all are made again.
const MOST_MADE: usize = 512;
const MOST_BYTES: usize = 64 << 20;

/// Where the database is, and at which address its site.
pub struct Place {
    /// The database.
    pub results: Results,
    /// The address with a slash at its end; empty if it is not known.
    pub base: String,
}

/// The site as it was read last, and what was made of it.
#[derive(Default)]
pub struct Cache(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    looked: Option<Instant>,
    read: Option<Read>,
    problem: String,
    made: BTreeMap<String, Answer>,
    bytes: usize,
}

struct Read {
    site: Site,
    state: String,
    targets: BTreeMap<String, Target>,
}

/// A page or a file that was made.
#[derive(Clone)]
pub struct Answer {
    kind: HeaderValue,
    policy: Option<HeaderValue>,
    text: Bytes,
}

impl Inner {
    /// Reads the database again if it has something newer.
    fn look(&mut self, place: &Place) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return;
        }
        let done = self.read_newer(place);
        self.looked = Some(Instant::now());
        // A database that is away comes back; until then there is what was read before.
        let problem =
            done.err().map(|cause| format!("the site cannot be read: {cause:#}")).unwrap_or_default();
        if !problem.is_empty() && problem != self.problem {
            log(&problem);
        }
        self.problem = problem;
    }

    fn read_newer(&mut self, place: &Place) -> anyhow::Result<()> {
        let source = Source::open(place.results.clone(), Policy::default().history)?;
        let state = source.state()?;
        if self.read.as_ref().is_some_and(|read| read.state == state) {
            return Ok(());
        }
        let site = Site::read(source, &place.base)?;
        let lists = [Target::Choose, Target::Comparisons, Target::Claims];
        let targets = site.targets().into_iter().chain(lists);
        let targets = targets.map(|target| (Served::address(&target), target)).collect();
        self.read = Some(Read { site, state, targets });
        self.made.clear();
        self.bytes = 0;
        Ok(())
    }

    fn answer(&mut self, path: &str) -> anyhow::Result<Option<Answer>> {
        if let Some(answer) = self.made.get(path) {
            return Ok(Some(answer.clone()));
        }
        let Some(read) = &self.read else { return Ok(None) };
        let Some(target) = read.targets.get(path) else { return Ok(None) };
        let Some(made) = read.site.make(target, &LINKS)? else { return Ok(None) };
        let answer = match made {
            Made::Page(page) => Answer {
                kind: HeaderValue::from_static("text/html; charset=utf-8"),
                policy: policy(&page, &LINKS),
                text: page.html(&LINKS).into(),
            },
            Made::File { kind, text } => {
                Answer { kind: HeaderValue::from_static(kind), policy: None, text: text.into() }
            }
        };
        if self.made.len() >= MOST_MADE || self.bytes + answer.text.len() > MOST_BYTES {
            self.made.clear();
            self.bytes = 0;
        }
        self.bytes += answer.text.len();
        self.made.insert(path.to_owned(), answer.clone());
        Ok(Some(answer))
    }
}

impl Cache {
    /// What the overview shows of the database.
    pub fn overview(&self, place: &Place) -> Overview {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.look(place);
        inner.read.as_ref().map(|read| read.site.overview().clone()).unwrap_or_default()
    }

    /// Whether it has something at an address.
    pub fn has(&self, address: &str) -> bool {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.read.as_ref().is_some_and(|read| read.targets.contains_key(address))
    }

    /// What is at an address.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn answer(&self, place: &Place, path: &str) -> anyhow::Result<Option<Answer>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.look(place);
        inner.answer(path)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = self.text.into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, self.kind);
        if let Some(policy) = self.policy {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}
