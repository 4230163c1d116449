//! Documents that are measured, recorded, and rendered again from the record.

use std::path::PathBuf;

use tlslab_documents::{HostName, Reproduced, from_record, place_of_record};
use tlslab_job::Outcome;
use tlslab_lab::Error;
use tlslab_record::Fingerprint;
use tlslab_reproduction::{Document, markdown};

use super::{Place, read_job};
use crate::SCENARIO;

const DOCUMENT: &str = r#"
title = "Hashes of two kinds"
by = "somebody"
on = "another machine"

[published_versions]
"scripted+slow" = "Script 0.9"

[[measurements]]
name = "run"
title = "Hashes"
stacks = ["scripted", "scripted+slow"]
scenarios = ["primitive/hash/sha-256/64B"]
budget_s = 0.4
rounds = 8

[published.rates]
columns = ["size", "rate"]
rows = [["64B", 1000]]

[[tables]]
title = "Times"
measurement = "run"
published = "rates"
labels = ["size"]
each = { unit = "µs", scenario = "primitive/hash/sha-256/{size}", side = "client", over = "scripted" }

[[claims]]
says = "It takes longer."
published = "twice"
direction = "more"
size = { from = 1.5 }
figure = 2
measurement = "run"
ratio = "time, slow over plain"
of = { stack = "scripted+slow", scenario = "primitive/hash/sha-256/64B", side = "client" }
over = { stack = "scripted", scenario = "primitive/hash/sha-256/64B", side = "client" }
"#;

fn place() -> Place {
    let place = Place::new();
    assert!(DOCUMENT.contains(SCENARIO));
    std::fs::create_dir(place.folder.path().join("documents")).unwrap();
    std::fs::write(place.folder.path().join("documents/two.toml"), DOCUMENT).unwrap();
    place
}

fn measured(place: &Place, id: &str, more: serde_json::Value) -> Result<Reproduced, Error> {
    let mut request = serde_json::json!({ "kind": "reproduce", "document": "two" });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let outcome = place.done(&read_job(id, serde_json::from_value(request).unwrap()))?;
    let Outcome::Document(reproduced) = outcome else { panic!("it is a document") };
    Ok(*reproduced)
}

fn two(place: &Place) -> Document {
    tlslab_documents::find_documents(&place.environment).unwrap().named("two").unwrap()
}

fn record(place: &Place, folder: &str) -> PathBuf {
    place.out().join(folder).join("two.recorded.json.gz")
}

#[test]
fn a_record_makes_the_page_that_the_measurement_made() {
    let place = place();
    let reproduced = measured(&place, "whole", serde_json::json!({})).unwrap();
    let page = markdown(&reproduced.reproduction);
    let again = from_record(&place.environment, &two(&place), Some(&record(&place, "documents")))
        .unwrap()
        .reproduction;
    assert_eq!(markdown(&again), page);
    // A busy host and uncommitted changes may be named, a shorter time is not.
    assert!(!page.contains(" % of the time") && !page.contains("a tenth of the time"), "{page}");
    assert!(page.contains("| scripted+slow | Script 0.9 | "), "{page}");
    assert!(page.contains("- Load of the last minute: "), "{page}");
    let version = env!("CARGO_PKG_VERSION");
    assert!(page.contains(&format!("- Measured by: tlslab {version}")), "{page}");
    // Verdicts are computed when it is rendered.
    let text = std::fs::read_to_string(place.folder.path().join("documents/two.toml")).unwrap();
    let stricter = text.replace("from = 1.5", "from = 1000").replace("figure = 2\n", "");
    std::fs::write(place.folder.path().join("documents/two.toml"), stricter).unwrap();
    let other = from_record(&place.environment, &two(&place), Some(&record(&place, "documents")))
        .unwrap()
        .reproduction;
    assert!(markdown(&other).contains("direction holds, size differs"), "{}", markdown(&other));
    // The measurements are stored, with their record.
    let kept = measured(&place, "again", serde_json::json!({})).unwrap();
    assert_eq!(kept.reproduction.runs, reproduced.reproduction.runs);
    assert_eq!(kept.reproduction.provenance, reproduced.reproduction.provenance);
}

#[test]
fn a_record_goes_over_its_own_hosts_and_next_to_those_of_others() {
    let place = place();
    let reproduced = measured(&place, "whole", serde_json::json!({})).unwrap();
    let here = reproduced.reproduction.host;
    let to = |host: &Fingerprint, asked: Option<&str>| {
        let asked: Option<HostName> = asked.map(|name| name.parse().unwrap());
        let to = place_of_record(&place.environment, "two", host, asked.as_ref());
        to.map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
            .map_err(|error| error.to_string())
    };
    let named = |name: &str| Ok(format!("two.{name}recorded.json.gz"));
    assert_eq!(to(&here, None), named(""));
    let documents = place.folder.path().join("documents");
    let made = record(&place, "documents");
    std::fs::copy(&made, documents.join("two.recorded.json.gz")).unwrap();
    assert_eq!(to(&here, None), named(""));
    let mut other = here.clone();
    other.cpu.name = Some("Intel(R) Xeon(R) 9000 CPU @ 2.90GHz".to_owned());
    assert_eq!(to(&other, None), named("intel-xeon-9000."));
    assert_eq!(to(&other, Some("lab-2")), named("lab-2."));
    // This processor's record has a name already.
    std::fs::rename(documents.join("two.recorded.json.gz"), documents.join("two.first.recorded.json.gz"))
        .unwrap();
    assert_eq!(to(&here, None), named("first."));
    std::fs::rename(
        documents.join("two.first.recorded.json.gz"),
        documents.join("two.intel-xeon-9000.recorded.json.gz"),
    )
    .unwrap();
    let refused = to(&other, None).unwrap_err();
    assert!(refused.contains("another processor's record already has this name"), "{refused}");
}

#[test]
fn less_than_the_whole_time_makes_preliminary_pages_in_a_folder_of_their_own() {
    let place = place();
    for (id, more, folder, part) in [
        ("quick", serde_json::json!({ "quick": true }), "documents/quick", "a tenth"),
        ("budget", serde_json::json!({ "budget_s": 0.1 }), "documents/budget-0.1s", "25 %"),
    ] {
        let reproduced = measured(&place, id, more).unwrap();
        assert_eq!(reproduced.files.folder, folder);
        let page = markdown(&reproduced.reproduction);
        let first = page.lines().nth(2).unwrap();
        assert!(page.starts_with("# Hashes of two kinds\n\nPreliminary, measured on "), "{page}");
        assert!(first.contains(&format!(" in {part} of the time")), "{page}");
        let claims = std::fs::read_to_string(place.out().join(folder).join("claims.md")).unwrap();
        assert!(claims.contains("\n\nPreliminary, measured on "), "{claims}");
        assert!(record(&place, folder).is_file());
    }
    let error = measured(&place, "none", serde_json::json!({ "budget_s": 0 })).unwrap_err();
    assert!(error.to_string().contains("nothing can be measured in 0 s"), "{error}");
}

#[test]
fn a_record_that_is_missing_or_of_another_document_is_refused() {
    let place = place();
    let refused = |file: Option<PathBuf>| {
        from_record(&place.environment, &two(&place), file.as_deref()).map(|_| ()).unwrap_err().to_string()
    };
    let missing = refused(None);
    assert!(missing.contains("two.recorded.json.gz: no results are recorded there;"), "{missing}");
    assert!(missing.contains("`tlslab reproduce two --record`"), "{missing}");
    measured(&place, "whole", serde_json::json!({})).unwrap();
    let text = std::fs::read_to_string(place.folder.path().join("documents/two.toml")).unwrap();
    std::fs::write(place.folder.path().join("documents/three.toml"), text).unwrap();
    let three = tlslab_documents::find_documents(&place.environment).unwrap().named("three").unwrap();
    let error =
        from_record(&place.environment, &three, Some(&record(&place, "documents"))).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("it has the results of the document two, not of three"), "{error}");
}

#[test]
fn a_published_version_of_a_stack_that_is_not_measured_is_refused() {
    let place = place();
    let text = DOCUMENT.replace("\"scripted+slow\" = \"Script", "\"scripted+fast\" = \"Script");
    std::fs::write(place.folder.path().join("documents/two.toml"), text).unwrap();
    let error = measured(&place, "wrong", serde_json::json!({})).unwrap_err();
    assert!(error.to_string().contains("published_versions names the stack scripted+fast"), "{error}");
}
