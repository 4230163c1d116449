//! A text as what a user types for a stack: what is taken says the same when its parts are put together again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_recipe::Spec;
use tlslab_recipe::{Dependency, Place};

fuzz_target!(|text: &str| match Spec::parse(text) {
    Ok(spec) => {
        assert_eq!(spec.text, text);
        let again = Spec::parse(&written(&spec)).expect("the parts make a stack");
        assert_eq!(Spec { text: spec.text.clone(), ..again }, spec);
    }
    Err(error) => assert!(error.to_string().contains("write NAME")),
});

fn written(spec: &Spec) -> String {
    let mut text = spec.name.clone();
    if let Some(version) = &spec.version {
        text += &format!("@{version}");
    }
    if let Some(source) = &spec.source {
        text += &format!("@{}", place(source));
    }
    for variant in &spec.variants {
        text += &format!("+{variant}");
    }
    if let Some(as_of) = &spec.as_of {
        text += &format!("+{}", as_of.word());
    }
    if let Some(processor) = &spec.processor {
        text += &format!("+cpu-{processor}");
    }
    for (package, from) in &spec.dependencies {
        let from = match from {
            Dependency::Version(version) => version.clone(),
            Dependency::Place(from) => place(from),
        };
        text += &format!(",{package}={from}");
    }
    text
}

fn place(place: &Place) -> String {
    match place {
        Place::Path(path) => format!("path:{path}"),
        Place::Git { repository, revision } => {
            format!("git:{}#{revision}", repository.as_deref().unwrap_or(""))
        }
        Place::Archive { location, sha256 } => format!("archive:{location}#{sha256}"),
        Place::Patch(file) => format!("patch:{file}"),
        Place::System => "system".to_owned(),
    }
}
