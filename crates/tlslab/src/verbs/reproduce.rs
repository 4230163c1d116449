//! `tlslab reproduce`: published documents, measured again.

use anyhow::bail;
use tlslab_report::Report;
use tlslab_reproduction::{Document, Measured, html, json, markdown, reproduce as held, terminal, texts};

use crate::Ended;
use crate::cli::{ReproduceArgs, ReproductionFormat};
use crate::house::House;
use crate::reproduce::{Made, Task, Times, check, is_wanted, share, total_s, write_files};
use crate::results::open_store;
use crate::signals::cancel_flag;

/// Measures a document again, or lists all.
pub fn reproduce(house: &House, args: &ReproduceArgs) -> anyhow::Result<Ended> {
    let documents = house.documents()?;
    let Some(name) = &args.document else {
        list(house, &documents)?;
        return Ok(Ended::Well);
    };
    let Some(document) = documents.iter().find(|document| document.name == *name) else {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        bail!("there is no document \"{name}\"; there are: {}", names.join(", "));
    };
    let document = &document.clone().with_stacks(&args.stacks).map_err(|cause| anyhow::anyhow!(cause))?;
    let runs = document.measurements.iter().map(|run| (run.basis, run.times.unwrap_or(1)));
    let runs = runs.chain(document.comparisons.iter().map(|of| (of.basis, 1)));
    let wanted: u32 = runs.filter(|(basis, _)| is_wanted(*basis, args)).map(|(_, times)| times).sum();
    if wanted == 0 {
        bail!("{name} has nothing of that kind; leave --as-published and --fair out");
    }
    check(house, document)?;
    let cancel = cancel_flag()?;
    let mut store = open_store(&args.kept)?;
    let folder = args.kept.out.join(if args.quick { QUICK_FOLDER } else { FOLDER });
    let total = total_s(&house.catalogue()?, document, share(args), |basis| is_wanted(basis, args))?;
    eprintln!(
        "{}: {wanted} runs, about {total:.0} s of timing; proofs, counts and confirmations take up to about as long again, and \
         what is not built yet is built first",
        document.title,
    );
    let (made, times) = (Made::load(&folder)?, Times::load(&folder)?);
    let mut task =
        Task { house, document, args, store: &mut *store, made, times, folder: folder.clone(), cancel };
    let Some(measured) = task.done()? else {
        eprintln!("interrupted; everything measured is kept. The same command goes on.");
        return Ok(Ended::Interrupted);
    };
    let reproduction = held(document, &measured);
    let page = write_files(&folder, &reproduction, &texts(document, &measured.last()))?;
    print!(
        "{}",
        match args.format {
            ReproductionFormat::Table => terminal(&reproduction),
            ReproductionFormat::Markdown => markdown(&reproduction),
            ReproductionFormat::Json => json(&reproduction),
            ReproductionFormat::Html => html(&reproduction),
        }
    );
    eprintln!(
        "page: {} (beside it: .md, .json; and claims.html, claims.md of all documents)",
        page.display()
    );
    Ok(if has_failures(&measured) { Ended::WithFailures } else { Ended::Well })
}

fn has_failures(measured: &Measured) -> bool {
    measured.reports.values().flatten().any(Report::has_failures)
        || measured.comparisons.values().any(|comparison| comparison.has_failures())
        || measured.profiles.values().any(Result::is_err)
}

fn list(house: &House, documents: &[Document]) -> anyhow::Result<()> {
    let catalogue = house.catalogue()?;
    for document in documents {
        check(house, document)?;
        let minutes = (total_s(&catalogue, document, 1.0, |_| true)? / 60.0).ceil();
        println!("{:10} {} ({}): {minutes} min of timing", document.name, document.title, document.by);
    }
    println!("\n`tlslab reproduce NAME` measures one again; --quick takes a tenth of the time.");
    Ok(())
}

const FOLDER: &str = "documents";
/// A taste does not take the place of what was measured in full.
const QUICK_FOLDER: &str = "documents/quick";
