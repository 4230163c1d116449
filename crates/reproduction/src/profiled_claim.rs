//! Claims of what a function takes of another one's work, or of all.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::function_cost::{FunctionCost, is_meant};
use crate::judged::Judged;
use crate::model::{Case, Claim, Figure, Here};
use crate::said::Said;
use crate::terms::Terms;

/// A claim of a share of instructions.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfiledClaimOf {
    #[serde(flatten)]
    pub said: Said,
    /// The functions whose instructions, with all that they call, are the share: each by its name, the end of
    /// its path, or its part of the work.
    pub of: Vec<String>,
    /// The function of whose instructions it is a share; of all where none is named.
    #[serde(default)]
    pub over: Option<String>,
}

impl ProfiledClaimOf {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.of.is_empty() {
            return Err(format!("claim \"{}\": of names no function", self.said.says));
        }
        self.said.check()
    }

    /// What became of it. Counts are the same in every run, so a share is a point.
    pub(crate) fn claim(
        &self,
        stack: &str,
        side: &str,
        basis: &str,
        costs: Result<&[FunctionCost], &String>,
    ) -> Claim {
        let found = match costs.map_err(Clone::clone).and_then(|costs| self.share(costs)) {
            Ok(share) => Here::Figure(Figure { value: share, bounds: Some([share; 2]) }),
            Err(hole) => Here::Hole { hole },
        };
        let terms = Terms { share: true, ..self.said.terms() };
        let judged = Judged::of(&terms, &found, 0.0);
        let of = self.of.join(" and ");
        let over = self.over.as_deref().unwrap_or("all");
        let case = Case::new(stack.to_owned(), self.said.group, found, judged);
        let ratio = format!("instructions of {of} with all that it calls, over those of {over}; {side}");
        Claim { terms, ..self.said.claim(ratio, basis, vec![case]) }
    }

    fn share(&self, costs: &[FunctionCost]) -> Result<f64, String> {
        let total = |name: &str| {
            let meant = costs.iter().filter(|cost| is_meant(cost, name));
            let sum: f64 = meant.clone().map(|cost| cost.total).sum();
            match meant.count() {
                0 => Err(format!("unsupported: no function is called {name} here")),
                _ => Ok(sum),
            }
        };
        let of = self.of.iter().map(|name| total(name)).sum::<Result<f64, String>>()?;
        let over = match &self.over {
            Some(name) => total(name)?,
            None => costs.iter().map(|cost| cost.own).sum(),
        };
        Ok(of / over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judged::Verdict;

    fn cost(name: &str, own: f64, total: f64) -> FunctionCost {
        FunctionCost { name: name.to_owned(), part: String::new(), own, total }
    }

    #[test]
    fn a_share_is_of_a_function_or_of_all() {
        let text = r#"
says = "checks take 41 %"
published = "41 %"
size = { from = 0.405, to = 0.415 }
of = ["check"]
over = "parse"
"#;
        let of: ProfiledClaimOf = toml::from_str(text).unwrap();
        let costs = [
            cost("a::check", 100.0, 410.0),
            cost("a::parse", 590.0, 1000.0),
            cost("rest", 31_310.0, 31_310.0),
        ];
        let claim = of.claim("one", "server", "fair", Ok(&costs));
        assert_eq!(claim.here[0].judged.verdict, Verdict::Holds);
        assert!(claim.terms.share);
        let whole = ProfiledClaimOf { over: None, ..of.clone() };
        assert_eq!(whole.share(&costs), Ok(410.0 / 32_000.0));
        let gone = ProfiledClaimOf { of: vec!["gone".to_owned()], ..of.clone() };
        assert_eq!(
            gone.claim("one", "server", "fair", Ok(&costs)).here[0].judged.verdict,
            Verdict::NotApplicable
        );
        let failed = of.claim("one", "server", "fair", Err(&"failed: no counter".to_owned()));
        assert_eq!(failed.here[0].judged.verdict, Verdict::NotMeasured);
    }
}
