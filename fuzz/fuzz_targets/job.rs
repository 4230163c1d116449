//! A text as a job: it is refused with a field and a sentence, or it is the same when it is read again, and its sources are admitted or
//! refused at each level of trust.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tlslab_job::{Job, admit};
use tlslab_lab::Trust;

fuzz_target!(|text: &[u8]| match Job::read(text) {
    Ok(job) => {
        let again = serde_json::to_vec(&job).expect("jobs serialise");
        assert_eq!(Job::read(&again).expect("it was a job"), job);
        assert!(!job.request.title().is_empty() || !job.request.kind().is_empty());
        for trust in [Trust::Owner, Trust::Reviewed, Trust::Candidate] {
            if let Err(problem) = admit(&job.request, trust, Path::new("/nowhere")) {
                assert!(!problem.to_string().is_empty());
            }
        }
    }
    Err(problem) => assert!(problem.field.is_some() && !problem.to_string().is_empty()),
});
