//! The day of dependencies, which several verbs take.

use std::str::FromStr;

use clap::Args;
use tlslab_job::{Request, take_dependencies_as_of};
use tlslab_lab::Environment;
use tlslab_recipe::AsOf;

/// As of which day dependencies are taken.
#[derive(Args)]
pub(crate) struct AsOfArgs {
    /// For stacks in Rust: dependencies as they were published on the day of each release, or on a day such
    /// as 2023-08-28; today takes the newest ones. The same as +as-of-release or +as-of-2023-08-28 after a
    /// stack's name [default: today].
    #[arg(long, value_name = "release|today|DATE")]
    pub as_of: Option<DependencyDay>,
}

/// A day that was asked for.
#[derive(Clone, Copy)]
pub(crate) enum DependencyDay {
    /// The newest dependencies.
    Today,
    /// Those of a day.
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
    /// The request with the day in the names of its stacks.
    ///
    /// # Errors
    /// A request without a stack whose dependencies come from a registry of crates.
    pub(crate) fn put_in(&self, environment: &Environment, mut request: Request) -> anyhow::Result<Request> {
        if let Some(DependencyDay::Past(as_of)) = self.as_of {
            take_dependencies_as_of(&mut request, &environment.recipe_index()?, as_of)?;
        }
        Ok(request)
    }
}
