//! The entries of packages in cargo's index, for downgrades to a day.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tame_index::IndexVersion;
use tame_index::krate::DependencyKind;
use tlslab_artifact::{Context, Halt};

use crate::as_of::Entry;
use crate::cargo_index::{bring_up_to_date, index_versions};

/// Packages that were read, each once.
pub(crate) struct Published<'a> {
    context: Context<'a>,
    known: RefCell<BTreeMap<String, Rc<Vec<Entry>>>>,
}

impl<'a> Published<'a> {
    /// Nothing is read yet.
    pub(crate) fn new(context: Context<'a>) -> Self {
        Self { context, known: RefCell::default() }
    }

    /// Every version of a package.
    ///
    /// # Errors
    /// Fails if the index cannot be read.
    pub(crate) fn entries(&self, name: &str) -> Result<Rc<Vec<Entry>>, Halt> {
        if let Some(known) = self.known.borrow().get(name) {
            return Ok(known.clone());
        }
        let mut entries = read(name)?;
        // Cargo may have an index without days of publication.
        if entries.is_empty() || entries.iter().any(|entry| entry.published.is_none()) {
            bring_up_to_date(name, self.context)?;
            entries = read(name)?;
        }
        let entries = Rc::new(entries);
        self.known.borrow_mut().insert(name.to_owned(), entries.clone());
        Ok(entries)
    }
}

fn read(name: &str) -> Result<Vec<Entry>, Halt> {
    Ok(index_versions(name)?.iter().filter_map(entry).collect())
}

/// A version in another form is one that cargo could not use.
fn entry(version: &IndexVersion) -> Option<Entry> {
    let needs = version.dependencies().iter().filter(|need| need.kind() != DependencyKind::Dev);
    let needs = needs.filter_map(|need| Some((need.crate_name().to_owned(), need.req.parse().ok()?)));
    Some(Entry {
        version: version.version.parse().ok()?,
        published: version.pubtime.as_deref().and_then(day),
        is_withdrawn: version.yanked,
        needs: needs.collect(),
    })
}

/// The day of a moment, in UTC.
fn day(moment: &str) -> Option<Date> {
    let moment: Timestamp = moment.parse().ok()?;
    Some(moment.to_zoned(TimeZone::UTC).date())
}
