//! The date of dependencies, which several verbs take.

use std::str::FromStr;

use clap::Args;
use tlslab_job::{Request, take_dependencies_as_of};
use tlslab_lab::Environment;
use tlslab_recipe::AsOf;

/// The date up to which dependencies are taken.
#[derive(Args)]
pub(crate) struct AsOfArgs {
    /// For stacks in Rust: dependencies as published on the day of each release, or on a date such as
    /// 2023-08-28; today takes the newest ones. The same as +as-of-release or +as-of-2023-08-28 after a
    /// stack's name [default: today].
    #[arg(long, value_name = "release|today|DATE")]
    pub as_of: Option<DependencyDay>,
}

/// A requested date.
#[derive(Clone, Copy)]
pub(crate) enum DependencyDay {
    /// The newest dependencies.
    Today,
    /// The dependencies of a date.
    Past(AsOf),
}

impl FromStr for DependencyDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "today" => Ok(Self::Today),
            day => AsOf::parse(day)
                .map(Self::Past)
                .ok_or_else(|| "write release, today or a date such as 2023-08-28".to_owned()),
        }
    }
}

impl AsOfArgs {
    /// The request with the date in the names of its stacks.
    ///
    /// # Errors
    /// Fails if no stack of the request has dependencies from a registry of crates.
    pub(crate) fn put_in(&self, environment: &Environment, mut request: Request) -> anyhow::Result<Request> {
        if let Some(DependencyDay::Past(as_of)) = self.as_of {
            take_dependencies_as_of(&mut request, &environment.recipe_index()?, as_of)?;
        }
        Ok(request)
    }
}
