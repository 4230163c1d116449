//! `tlslab requests`: the conversation that reproduces a cell by hand.

use clap::Args;
use tlslab_job::Status;
use tlslab_lab::Environment;
use tlslab_protocol::{PROTOCOL_VERSION, Request, encode_line};

/// Arguments of `requests`.
#[derive(Args)]
pub(crate) struct RequestsArgs {
    /// The scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// The number of iterations to request.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub iterations: u64,
}

/// Prints the lines to feed to a driver's standard input.
pub(crate) fn requests(environment: &Environment, args: &RequestsArgs) -> anyhow::Result<Status> {
    let catalogue = environment.catalogue()?;
    let scenario = catalogue.named(&args.scenario)?;
    let pki =
        environment.pki(std::slice::from_ref(&scenario), &mut |_| std::ops::ControlFlow::Continue(()))?;
    let credentials = tlslab_measure::credentials(&pki, &scenario);
    for request in [
        Request::Hello { protocol: vec![PROTOCOL_VERSION], brief: false },
        Request::Calibrate {},
        Request::Prepare { scenario: Box::new(scenario.clone()), credentials: Box::new(credentials) },
        Request::Verify { tamper: None },
        Request::Measure { iterations: args.iterations, slices: 1, warm_up: None, seed: None },
        Request::Bye {},
    ] {
        out!("{}", encode_line(&request));
    }
    Ok(Status::Done)
}
