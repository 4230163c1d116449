//! The site of a database as last read, and the pages made from it.
//!
//! Requests do not wait while newer results are read: until then, answers are from the earlier state.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tlslab_lab::Results;
use tlslab_pages::site::{ComparisonLine, Overview};
use tlslab_pages::{Asset, Links, Served, Target, with_account};
use tlslab_queue::QueueError;
use tlslab_record::Policy;
use tlslab_site::{Made, Options, Site, Source};

use crate::http::links::{LINKS, PRIVATE, policy};
use crate::log::log;
use crate::pushes::Pushes;

/// The shortest time between two checks for newer results.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// How long the request that starts a reading waits for it: a small database is read by then.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long requests wait for the first reading.
const FIRST: Duration = Duration::from_secs(10);
/// Pages and files that are kept, and their bytes together; beyond that all are made again.
const MOST_MADE: usize = 512;
const MOST_BYTES: usize = 64 << 20;

/// Where the database is, and at which address its site.
#[derive(Clone)]
pub(crate) struct Place {
    /// The database.
    pub results: Results,
    /// The address with a slash at its end; empty if it is not known.
    pub base: String,
    /// Reads the commits that were pushed.
    pub pushes: Arc<ReadPushes>,
}

/// Reads the commits that were pushed, oldest push first.
pub(crate) type ReadPushes = dyn Fn(&mut Pushes) -> Result<Vec<String>, QueueError> + Send + Sync;

/// The site as last read, and the pages made from it.
#[derive(Default)]
pub(crate) struct Cache(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    pushes: Mutex<Pushes>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    looked: Option<Instant>,
    is_reading: bool,
    read: Option<Arc<Read>>,
    problem: String,
}

struct Read {
    site: Mutex<Site>,
    overview: Overview,
    comparisons: Vec<ComparisonLine>,
    /// Lists with entries, of those that may be empty.
    filled: Vec<Target>,
    state: String,
    targets: BTreeMap<String, Target>,
    made: Mutex<MadeSoFar>,
}

#[derive(Default)]
struct MadeSoFar {
    answers: BTreeMap<String, Answer>,
    bytes: usize,
}

/// A page or a file that was made.
#[derive(Clone)]
pub(crate) struct Answer {
    kind: HeaderValue,
    policy: Option<HeaderValue>,
    text: Bytes,
}

/// The data is consistent at any time: values are replaced, never changed in part.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Read {
    /// The database's contents if they are newer than a state; else none.
    fn newer(place: &Place, pushes: &Mutex<Pushes>, than: Option<&str>) -> anyhow::Result<Option<Self>> {
        let source = Source::open(place.results.clone(), Policy::default().history)?;
        let state = source.state()?;
        if than == Some(&state) {
            return Ok(None);
        }
        let pushes = (place.pushes)(&mut locked(pushes))?;
        let site = Site::read(source, &Options { base: place.base.clone(), pushes, ..Options::default() })?;
        let lists = [Target::Choose, Target::Comparisons, Target::Claims];
        let targets = site.targets().into_iter().chain(lists);
        let targets = targets.map(|target| (Served::address(&target), target)).collect();
        let (overview, comparisons) = (site.overview().clone(), site.comparisons());
        let filled = [Target::Choose, Target::Claims, Target::Defaults]
            .into_iter()
            .filter(|list| site.is_filled(list))
            .collect();
        let (site, made) = (Mutex::new(site), Mutex::default());
        Ok(Some(Self { site, overview, comparisons, filled, state, targets, made }))
    }

    fn answer(&self, path: &str) -> anyhow::Result<Option<Answer>> {
        let known = || locked(&self.made).answers.get(path).cloned();
        if let Some(answer) = known() {
            return Ok(Some(answer));
        }
        let Some(target) = self.targets.get(path) else { return Ok(None) };
        let site = locked(&self.site);
        // Somebody may have made it while this one waited.
        if let Some(answer) = known() {
            return Ok(Some(answer));
        }
        let Some(made) = site.make(target, &LINKS)? else { return Ok(None) };
        let answer = match made {
            Made::Page(page) => Answer {
                kind: HeaderValue::from_static("text/html; charset=utf-8"),
                policy: policy(&page, &LINKS),
                text: page.html(&Menu(&site)).into(),
            },
            Made::File { kind, text } => {
                Answer { kind: HeaderValue::from_static(kind), policy: None, text: text.into() }
            }
        };
        let mut made = locked(&self.made);
        if made.answers.len() >= MOST_MADE || made.bytes + answer.text.len() > MOST_BYTES {
            *made = MadeSoFar::default();
        }
        made.bytes += answer.text.len();
        made.answers.insert(path.to_owned(), answer.clone());
        Ok(Some(answer))
    }
}

/// Links with a menu without empty pages.
struct Menu<'s>(&'s Site);

impl Links for Menu<'_> {
    fn to(&self, target: &Target) -> Option<String> {
        LINKS.to(target).filter(|_| self.0.is_filled(target))
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        LINKS.asset(asset)
    }
}

/// Reading has ended, however that was.
struct Ended<'s>(&'s Shared);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let mut state = locked(&self.0.state);
        state.looked = Some(Instant::now());
        state.is_reading = false;
        self.0.ended.notify_all();
    }
}

impl Shared {
    fn read_newer(&self, place: &Place) {
        let _ended = Ended(self);
        let before = locked(&self.state).read.clone();
        let found = Read::newer(place, &self.pushes, before.as_ref().map(|read| read.state.as_str()));
        let mut state = locked(&self.state);
        // A database that is unavailable comes back; until then the earlier state is served.
        let problem = match found {
            Ok(None) => String::new(),
            Ok(Some(newer)) => {
                state.read = Some(Arc::new(newer));
                String::new()
            }
            Err(cause) => format!("the site cannot be read: {cause:#}"),
        };
        if !problem.is_empty() && problem != state.problem {
            log(&problem);
        }
        state.problem = problem;
    }
}

impl Cache {
    /// The state read last. Starts reading newer results if that is due.
    fn read(&self, place: &Place) -> Option<Arc<Read>> {
        let mut state = locked(&self.0.state);
        let is_due = !state.is_reading && state.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY);
        if is_due {
            let (shared, place) = (self.0.clone(), place.clone());
            let reader = std::thread::Builder::new().name("site".to_owned());
            state.is_reading = reader.spawn(move || shared.read_newer(&place)).is_ok();
        }
        let patience = match state.read {
            None => FIRST,
            Some(_) if is_due => PATIENCE,
            Some(_) => return state.read.clone(),
        };
        let ended = self.0.ended.wait_timeout_while(state, patience, |state| state.is_reading);
        let (state, _) = ended.unwrap_or_else(PoisonError::into_inner);
        state.read.clone()
    }

    /// The database's part of the overview.
    pub(crate) fn overview(&self, place: &Place) -> Overview {
        self.read(place).map(|read| read.overview.clone()).unwrap_or_default()
    }

    /// The comparisons of the database, newest first.
    pub(crate) fn comparisons(&self, place: &Place) -> Vec<ComparisonLine> {
        self.read(place).map(|read| read.comparisons.clone()).unwrap_or_default()
    }

    /// Whether a list has entries in the state read last.
    pub(crate) fn is_filled(&self, target: &Target) -> bool {
        let is_list = matches!(target, Target::Choose | Target::Claims | Target::Defaults);
        !is_list || locked(&self.0.state).read.as_ref().is_some_and(|read| read.filled.contains(target))
    }

    /// Whether it has something at an address.
    pub(crate) fn has(&self, address: &str) -> bool {
        locked(&self.0.state).read.as_ref().is_some_and(|read| read.targets.contains_key(address))
    }

    /// The page at an address.
    ///
    /// # Errors
    /// Fails if the database cannot be read, or is being read for the first time.
    pub(crate) fn answer(&self, place: &Place, path: &str) -> anyhow::Result<Option<Answer>> {
        match self.read(place) {
            Some(read) => read.answer(path),
            None if locked(&self.0.state).is_reading => {
                anyhow::bail!("the results are being read for the first time; try again in a minute")
            }
            None => Ok(None),
        }
    }
}

impl Answer {
    /// The answer for a signed-in person, with that person's name.
    pub(crate) fn for_reader(self, name: &str) -> Response {
        if self.policy.is_none() {
            return self.into_response();
        }
        let text = with_account(&String::from_utf8_lossy(&self.text), name, &LINKS).into();
        let mut response = Self { text, ..self }.into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, PRIVATE);
        response
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
