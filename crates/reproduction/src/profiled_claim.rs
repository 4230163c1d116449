//! Claims on a function's share of another one's work, or of all.

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
    /// The functions whose inclusive instructions are the share: each by its name, the end of its path, or
    /// its part of the work.
    pub of: Vec<String>,
    /// The function that is the whole; all functions by default.
    #[serde(default)]
    pub over: Option<String>,
    /// Whether it is a ratio of the functions' costs here and in the table's other stack.
    #[serde(default)]
    pub over_before: bool,
}

impl ProfiledClaimOf {
    pub(crate) fn check(&self, has_before: bool) -> Result<(), String> {
        let wrong = |cause: &str| Err(format!("claim \"{}\": {cause}", self.said.says));
        match (self.of.is_empty(), self.over_before, has_before, self.over.is_some()) {
            (true, ..) => wrong("of names no function"),
            (_, true, false, _) => wrong("over_before is of a table with before"),
            (_, true, _, true) => wrong("over and over_before exclude each other"),
            _ if self.said.throughput.is_some() => {
                wrong("throughput is of a claim about times, and this one is of instructions")
            }
            _ => self.said.check(),
        }
    }

    /// Judges it. Counts are the same in every run, so a share is a point. `before` are another stack and its
    /// functions.
    pub(crate) fn claim(
        &self,
        stack: &str,
        side: &str,
        basis: &str,
        costs: &Result<Vec<FunctionCost>, String>,
        before: Option<(&str, &Result<Vec<FunctionCost>, String>)>,
    ) -> Claim {
        let costs = costs.as_ref().map(Vec::as_slice).map_err(Clone::clone);
        let of = self.of.join(" and ");
        let (value, of_what) = match before.filter(|_| self.over_before) {
            Some((other, before)) => {
                let before = before.as_ref().map_err(Clone::clone).and_then(|costs| self.total(costs));
                let ratio = costs.and_then(|costs| Ok(self.total(costs)? / before?));
                (ratio, format!("{stack} over {other}"))
            }
            None => {
                let over = self.over.as_deref().unwrap_or("all");
                (costs.and_then(|costs| self.share(costs)), format!("over those of {over}"))
            }
        };
        let found = match value {
            Ok(value) => Here::Figure(Figure::within(value, [value; 2])),
            Err(hole) => Here::Hole { hole },
        };
        let terms = Terms { share: !self.over_before, ..self.said.terms() };
        let judged = Judged::of(&terms, &found, 0.0);
        let case = Case::new(stack.to_owned(), self.said.group, found, judged);
        let ratio = format!("instructions of {of}, callees included, {of_what}; {side}");
        Claim { terms, ..self.said.claim(ratio, basis, vec![case]) }
    }

    fn total(&self, costs: &[FunctionCost]) -> Result<f64, String> {
        self.of.iter().map(|name| total(costs, name)).sum()
    }

    fn share(&self, costs: &[FunctionCost]) -> Result<f64, String> {
        let over = match &self.over {
            Some(name) => total(costs, name)?,
            None => costs.iter().map(|cost| cost.own).sum(),
        };
        Ok(self.total(costs)? / over)
    }
}

/// The inclusive cost of the functions of a name.
fn total(costs: &[FunctionCost], name: &str) -> Result<f64, String> {
    let meant = costs.iter().filter(|cost| is_meant(cost, name));
    match meant.clone().count() {
        0 => Err(format!("unsupported: no function is called {name} here")),
        _ => Ok(meant.map(|cost| cost.total).sum()),
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
        let counted = Ok(costs.to_vec());
        let claim = of.claim("one", "server", "fair", &counted, None);
        assert_eq!(claim.here[0].judged.verdict, Verdict::Holds);
        assert!(claim.terms.share);
        let whole = ProfiledClaimOf { over: None, ..of.clone() };
        assert_eq!(whole.share(&costs), Ok(410.0 / 32_000.0));
        let gone = ProfiledClaimOf { of: vec!["gone".to_owned()], ..of.clone() };
        assert_eq!(
            gone.claim("one", "server", "fair", &counted, None).here[0].judged.verdict,
            Verdict::NotApplicable
        );
        let failed = of.claim("one", "server", "fair", &Err("failed: no counter".to_owned()), None);
        assert_eq!(failed.here[0].judged.verdict, Verdict::NotMeasured);
    }
}
