//! The common part of all claims.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Case, Claim};
use crate::render::band_of;
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
    /// The ratios that bear it out: `{ from = 1.2, to = 1.3 }` is 20 to 30 % more, `{ from = 0.7, to = 0.8 }`
    /// 20 to 30 % less; of a share of instructions, the share. Either end may be missing.
    #[serde(default)]
    pub size: Option<Band>,
    /// The size of a time in terms of throughput, as the document has it: `{ from = 0.95, to = 0.97 }` is 3
    /// to 5 % less throughput. In the place of `size`; the claim's ratio is one of times, and so is
    /// `direction`.
    #[serde(default)]
    pub throughput: Option<Band>,
    /// Whether the size is a threshold of the lab's own.
    #[serde(default)]
    pub own_size: bool,
    /// The ratio of the published figures; of throughputs where `throughput` is given.
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
        let figure = figure.map(|figure| if throughput.is_some() { figure.recip() } else { figure });
        Terms { direction, size, own_size, figure, throughput, ..Terms::default() }
    }

    /// Fails if its terms are invalid.
    pub(crate) fn check(&self) -> Result<(), String> {
        let named = |cause: String| format!("claim \"{}\": {cause}", self.says);
        if self.size.is_some() && self.throughput.is_some() {
            return Err(named("it has both size and throughput; give it one of the two".to_owned()));
        }
        if let Some(throughput) = self.throughput {
            return self.check_throughput(throughput).map_err(named);
        }
        self.terms().check().map_err(named)
    }

    /// What is wrong with a size in terms of throughput. The ratio and its direction are of times.
    fn check_throughput(&self, throughput: Band) -> Result<(), String> {
        let of_speed = Terms { size: Some(throughput), figure: self.figure, ..Terms::default() };
        of_speed.check().map_err(|cause| cause.replace("size", "throughput"))?;
        self.terms().check().map_err(|_| {
            let words = |band: Band| band_of(band).unwrap_or_default();
            format!(
                "direction is of the time: a throughput {} is a time {}; turn direction around, or give the band as size",
                words(throughput),
                words(throughput.inverse())
            )
        })
    }

    /// The claim with what became of it.
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
