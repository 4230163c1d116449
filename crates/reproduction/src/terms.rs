//! A claim's terms for a ratio: its direction, and its size.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A claim's terms, as the document has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    /// On which side of 1 the ratio lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The ratios that bear it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Band>,
    /// Whether the size is a threshold of the lab's own: the document names none.
    #[serde(default)]
    pub own_size: bool,
    /// The ratio of the published figures, if they are numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<f64>,
    /// The size as a ratio of throughputs, if the document uses these; the size of the time follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Band>,
    /// Whether the ratio is a part of a whole, which is shown in per cent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub share: bool,
    /// The document's quantifier over rows; with one, the ratio is the share of such rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantifier: Option<Quantifier>,
}

/// A document's quantifier over a claim's rows. Its meaning is this lab's reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantifier {
    /// At least a third.
    Many,
    /// More than half.
    Most,
}

impl Quantifier {
    /// The smallest share of the rows.
    pub(crate) fn least(self) -> f64 {
        match self {
            Self::Many => 1.0 / 3.0,
            Self::Most => 0.5_f64.next_up(),
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Many => "\"many\" is read as at least a third of the rows",
            Self::Most => "\"most\" is read as more than half of the rows",
        }
    }
}

/// On which side of 1 a ratio lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Above 1.
    More,
    /// Below 1.
    Less,
    /// Neither: the two are equal within the size.
    Equal,
}

/// A band of ratios, its ends included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The lowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// The highest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
}

impl Band {
    /// Of the inverse ratio: 0.95 to 0.97 times the throughput is 1.031 to 1.053 times the time.
    pub(crate) fn inverse(self) -> Self {
        Self { from: self.to.map(f64::recip), to: self.from.map(f64::recip) }
    }
}

/// To whom a verdict matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The document claims it, of these stacks and of its work.
    #[default]
    Document,
    /// No sentence claims it: the lab made the ratio of figures in the document's tables.
    Derived,
    /// The same claim for stacks or versions that are not in the document.
    Extension,
    /// The same claim where both do equal work.
    Correction,
}

impl Group {
    /// All, in the order in which they are shown.
    pub const ALL: [Group; 4] = [Group::Document, Group::Derived, Group::Extension, Group::Correction];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Group::Document => "the document's own claims",
            Group::Derived => "ratios that this lab made of the document's figures",
            Group::Extension => "extensions: the same of other stacks, versions or work",
            Group::Correction => "corrections: the same with equal work",
        }
    }

    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Group::Document => "The document's own claims",
            Group::Derived => "Ratios that this lab made of the document's figures",
            Group::Extension => "Extensions: the same of other stacks, versions or work",
            Group::Correction => "Corrections: the same with equal work",
        }
    }
}

impl Terms {
    /// Fails if they are invalid.
    pub(crate) fn check(&self) -> Result<(), String> {
        let said = |cause: &str| Err(cause.to_owned());
        if self.figure.is_some_and(|figure| !(figure > 0.0 && figure.is_finite())) {
            return said("figure is a ratio above 0");
        }
        let Some(Band { from, to }) = self.size else {
            return match self.direction {
                None => said(
                    "it says neither a direction nor a size; give it direction = \"more\", \"less\" or \"equal\", or size = { from, to }",
                ),
                Some(Direction::Equal) => {
                    said("direction = \"equal\" needs a size: which ratios count as equal")
                }
                Some(_) if self.own_size => said("own_size is of a size, and it has none"),
                Some(_) => Ok(()),
            };
        };
        let ends = [from, to].into_iter().flatten();
        if ends.clone().next().is_none() || ends.clone().any(|end| !(end > 0.0 && end.is_finite())) {
            return said("size needs from or to, which are ratios above 0");
        }
        if let Some(figure) = self.figure.filter(|_| !self.own_size)
            && (from.is_some_and(|from| figure < from) || to.is_some_and(|to| figure > to))
        {
            return Err(format!(
                "figure {figure} lies outside size; it is the ratio that the document's figures make"
            ));
        }
        match (self.direction, from, to) {
            (_, Some(from), Some(to)) if from > to => said("size: from is above to"),
            (Some(Direction::More), Some(from), _) if from < 1.0 => {
                said("direction = \"more\" is of ratios above 1, and size begins below")
            }
            (Some(Direction::More), _, Some(to)) if to <= 1.0 => {
                said("direction = \"more\" is of ratios above 1, and size ends below")
            }
            (Some(Direction::Less), _, Some(to)) if to > 1.0 => {
                said("direction = \"less\" is of ratios below 1, and size ends above")
            }
            (Some(Direction::Less), Some(from), _) if from >= 1.0 => {
                said("direction = \"less\" is of ratios below 1, and size begins above")
            }
            (Some(Direction::Equal), from, to)
                if from.is_none_or(|from| from > 1.0) || to.is_none_or(|to| to < 1.0) =>
            {
                said("direction = \"equal\" needs a size with both ends and 1 between them")
            }
            _ => Ok(()),
        }
    }

    /// The published range, from and to, for a picture: the size, else the figure.
    pub fn band(&self) -> Option<[f64; 2]> {
        match (self.size, self.figure) {
            (Some(Band { from, to }), figure) if !self.own_size || figure.is_none() => {
                // A bound without its counterpart reaches to the published figure, or is a line.
                let from = from.or(match self.direction {
                    Some(Direction::More) => Some(1.0),
                    None if figure.is_none() => to.map(|to| to / 4.0),
                    _ => figure.or(to),
                });
                let to = to.or(match self.direction {
                    Some(Direction::Less) => Some(1.0),
                    _ => figure.or(from),
                });
                from.zip(to).map(|(from, to)| [from.min(to), to.max(from)])
            }
            (_, figure) => figure.map(|figure| [figure; 2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(direction: Option<Direction>, from: Option<f64>, to: Option<f64>) -> Terms {
        let size = (from.is_some() || to.is_some()).then_some(Band { from, to });
        Terms { direction, size, ..Terms::default() }
    }

    #[test]
    fn terms_that_contradict_themselves_are_refused() {
        let (more, less, equal) = (Some(Direction::More), Some(Direction::Less), Some(Direction::Equal));
        assert!(terms(None, None, None).check().unwrap_err().contains("neither a direction nor a size"));
        assert!(terms(equal, None, None).check().unwrap_err().contains("needs a size"));
        assert!(terms(equal, Some(0.9), None).check().unwrap_err().contains("both ends"));
        assert!(terms(more, Some(0.9), Some(1.2)).check().unwrap_err().contains("begins below"));
        assert!(terms(less, Some(0.9), Some(1.2)).check().unwrap_err().contains("ends above"));
        assert!(terms(None, Some(1.2), Some(1.1)).check().unwrap_err().contains("above to"));
        assert!(terms(None, Some(-1.0), None).check().unwrap_err().contains("above 0"));
        for right in
            [terms(more, None, Some(1.21)), terms(equal, Some(0.99), Some(1.01)), terms(less, None, None)]
        {
            assert_eq!(right.check(), Ok(()));
        }
    }

    #[test]
    fn a_picture_shows_what_was_published() {
        let (more, less) = (Some(Direction::More), Some(Direction::Less));
        assert_eq!(terms(more, None, Some(1.21)).band(), Some([1.0, 1.21]));
        assert_eq!(terms(less, Some(0.8), None).band(), Some([0.8, 1.0]));
        assert_eq!(terms(more, Some(2.0), None).band(), Some([2.0, 2.0]));
        let with_figure = Terms { figure: Some(3.27), ..terms(more, Some(2.0), None) };
        assert_eq!(with_figure.band(), Some([2.0, 3.27]));
        assert_eq!(
            Terms { figure: Some(0.89), own_size: true, ..terms(None, Some(0.8), Some(1.25)) }.band(),
            Some([0.89; 2])
        );
        assert_eq!(terms(more, None, None).band(), None);
    }
}
