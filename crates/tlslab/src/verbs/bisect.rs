//! `tlslab bisect`: the revision with which a cell changed.

use std::fmt::Write as _;

use tlslab_lab::{Bisection, Culprit, Environment, Found, Looked, bisect as search};

use crate::Ended;
use crate::cli::BisectArgs;
use crate::session::{CachedBuilds, ended_by, in_session};

/// Looks for the revision and prints what was found.
pub fn bisect(environment: &Environment, args: &BisectArgs) -> anyhow::Result<Ended> {
    let done = in_session(environment, CachedBuilds::Hidden, |session| search(session, &args.request()));
    ended_by(done, "interrupted; the same command resumes", |bisection| Ok(print(&bisection)))
}

fn print(bisection: &Bisection) -> Ended {
    let Some((name, measured)) = &bisection.cell else {
        outln!("{}", tlslab_comparison::sentence(&bisection.whole));
        outln!("no change was found between the two revisions, so there is nothing to bisect");
        return Ended::Well;
    };
    outln!("{name}: {:+.3} % from the good to the bad revision", 100.0 * (measured.ratio - 1.0));
    for looked in &bisection.looked {
        outln!("{}: {}", looked.title, text(looked));
    }
    let ended = match &bisection.culprit {
        Some(Culprit::Revision { title, is_sure, comparison }) => {
            let words = if *is_sure { "caused by" } else { "not certain; probably caused by" };
            outln!("\n{words} {title}");
            out!("{}", tlslab_comparison::terminal(comparison, true));
            if *is_sure { Ended::Well } else { Ended::WithFailures }
        }
        Some(Culprit::OneOf(revisions)) => {
            outln!(
                "\nnot certain: one of these caused it; the others could not be measured or are inconclusive:"
            );
            for (title, why) in revisions {
                let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                outln!("  {title}{why}");
            }
            Ended::WithFailures
        }
        None => Ended::Well,
    };
    errln!("{:.0} s in all", bisection.took_s);
    ended
}

fn text(looked: &Looked) -> String {
    let mut text = String::new();
    match &looked.found {
        Found::Unable(why) => text.push_str(&format!("skipped: {why}")),
        Found::Measured(measured) => {
            let percent = |ratio: f64| 100.0 * (ratio - 1.0);
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{:+.3} % [{:+.3}, {:+.3}] against the good one: ",
                percent(measured.ratio),
                percent(measured.lower),
                percent(measured.upper)
            );
            text.push_str(match looked.is_bad {
                Some(true) => "bad",
                Some(false) => "good",
                None => "inconclusive, skipped",
            });
        }
    }
    text
}
