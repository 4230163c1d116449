//! The common part of all claims.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Case, Claim};
use crate::terms::{Band, Direction, Group, Terms};

/// A claim's words, and its terms for a ratio.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub(crate) struct Said {
    /// The claim.
    pub says: String,
    /// As it was published, in the document's words.
    pub published: String,
    /// The document's sentence, if several claims belong to one; by default the published text. Sentences are
    /// counted by it.
    #[serde(default)]
    pub sentence: Option<String>,
    /// Whether it is the document's own claim, on stacks and work as it had them.
    #[serde(default)]
    pub group: Group,
    /// On which side of 1 the ratio lies.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// The distance from 1; for a share of instructions, the share.
    #[serde(default)]
    pub size: Option<Band>,
    /// The size of a time in terms of throughput, as the document has it: `{ from = 0.95, to = 0.97 }` is 3
    /// to 5 % less throughput. In the place of `size`.
    #[serde(default)]
    pub throughput: Option<Band>,
    /// Whether the size is a threshold of the lab's own.
    #[serde(default)]
    pub own_size: bool,
    /// The ratio of the published figures.
    #[serde(default)]
    pub figure: Option<f64>,
    /// Why it is so.
    #[serde(default)]
    pub because: Option<String>,
}

impl Said {
    /// Its terms for the ratio.
    pub(crate) fn terms(&self) -> Terms {
        let &Self { direction, size, throughput, own_size, figure, .. } = self;
        let size = size.or_else(|| throughput.map(Band::inverse));
        Terms { direction, size, own_size, figure, throughput, ..Terms::default() }
    }

    /// Fails if its terms are invalid.
    pub(crate) fn check(&self) -> Result<(), String> {
        let named = |cause: String| format!("claim \"{}\": {cause}", self.says);
        if self.size.is_some() && self.throughput.is_some() {
            return Err(named("it has both size and throughput; give it one of the two".to_owned()));
        }
        self.terms().check().map_err(named)
    }

    /// The claim with its outcome.
    pub(crate) fn claim(&self, ratio: String, basis: &str, here: Vec<Case>) -> Claim {
        Claim {
            says: self.says.clone(),
            published: self.published.clone(),
            sentence: self.sentence.clone(),
            terms: self.terms(),
            ratio,
            basis: basis.to_owned(),
            because: self.because.clone(),
            causes: vec![],
            here,
            rows: vec![],
        }
    }
}
