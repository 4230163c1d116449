//! Whether a claim holds here: its direction and its size held against an interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::here::{Figure, Here, is_zero};
use crate::terms::{Band, Direction, Terms};

/// The outcome for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval supports the claim.
    Holds,
    /// The whole interval lies on the claim's side of 1, and outside its size.
    SizeDiffers,
    /// The whole interval is against it.
    DoesNotHold,
    /// The interval has both.
    #[serde(alias = "cannot-tell")]
    Inconclusive,
    /// The stack cannot do it.
    NotApplicable,
    /// There is no figure, because something failed.
    NotMeasured,
}

impl Verdict {
    /// All, in the order in which they are counted.
    pub const ALL: [Verdict; 6] = [
        Verdict::Holds,
        Verdict::SizeDiffers,
        Verdict::DoesNotHold,
        Verdict::Inconclusive,
        Verdict::NotApplicable,
        Verdict::NotMeasured,
    ];

    /// In words, of so many.
    pub fn words_of(self, count: usize) -> &'static str {
        match self {
            _ if count == 1 => self.words(),
            Verdict::Holds => "hold",
            Verdict::SizeDiffers => "hold in direction, not in size",
            Verdict::DoesNotHold => "do not hold",
            Verdict::Inconclusive | Verdict::NotApplicable | Verdict::NotMeasured => self.words(),
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::SizeDiffers => "direction holds, size differs",
            Verdict::DoesNotHold => "does not hold",
            Verdict::Inconclusive => "inconclusive",
            Verdict::NotApplicable => "not applicable",
            Verdict::NotMeasured => "not measured",
        }
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the direction holds, if the claim has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Answer>,
    /// Whether the size holds, if the claim has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Answer>,
    /// The precision that would decide it, if it is inconclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// Further reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a part of a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The whole interval bears it out.
    Holds,
    /// The whole interval is against it.
    Fails,
    /// The interval has both.
    Open,
}

/// The precision that would decide a claim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Needs {
    /// Half the interval's width now, %.
    pub has_percent: f64,
    /// Half the width that would decide if the estimate stayed the same, %.
    pub needs_percent: f64,
    /// The part of the width now that a longer measurement does not narrow: the variance between runs, %.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub between_percent: f64,
    /// How long the document would have to be measured for that, s, as the rest of the width shrinks with the
    /// square root of time; none if a day would not suffice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<f64>,
}

const A_DAY_S: f64 = 86_400.0;
/// An estimate moves within its interval, so more than the rule's minimum is required.
const RESERVE: f64 = 1.2;

impl Judged {
    fn plain(verdict: Verdict) -> Self {
        Self { verdict, direction: None, size: None, needs: None, reason: None }
    }

    /// A verdict that something else than the interval decided.
    pub(crate) fn because(verdict: Verdict, reason: String) -> Self {
        Self { reason: Some(reason), ..Self::plain(verdict) }
    }

    /// Judges a claim with these terms. `measured_s` is how long the document was measured.
    pub fn of(terms: &Terms, here: &Here, measured_s: f64) -> Self {
        let figure = match here {
            Here::Figure(figure) => figure,
            Here::Hole { hole } => {
                return match hole.strip_prefix("unsupported: ") {
                    Some(reason) => Self::because(Verdict::NotApplicable, reason.to_owned()),
                    None => Self::because(
                        Verdict::NotMeasured,
                        hole.strip_prefix("failed: ").unwrap_or(hole).to_owned(),
                    ),
                };
            }
        };
        let Some(bounds) = figure.bounds else {
            return Self::because(Verdict::NotMeasured, "the figure has no interval".to_owned());
        };
        let direction = terms.direction.and_then(|direction| direction_holds(direction, bounds));
        let size = terms.size.map(|size| size_holds(size, bounds));
        let verdict = verdict(direction, size);
        let needs = (verdict == Verdict::Inconclusive)
            .then(|| needs(terms, figure, bounds, [direction, size], measured_s));
        Self { verdict, direction, size, needs, reason: None }
    }
}

/// Both parts together. A size that is excluded refutes a claim whose direction is open.
fn verdict(direction: Option<Answer>, size: Option<Answer>) -> Verdict {
    use Answer::{Fails, Holds, Open};
    match (direction, size) {
        (Some(Fails), _) | (None | Some(Open), Some(Fails)) => Verdict::DoesNotHold,
        (Some(Holds), Some(Fails)) => Verdict::SizeDiffers,
        (Some(Holds), None | Some(Holds)) | (None, Some(Holds)) => Verdict::Holds,
        (Some(Open), _) | (_, Some(Open)) | (None, None) => Verdict::Inconclusive,
    }
}

/// `None` if the claim is that there is no direction: then only its size counts.
fn direction_holds(direction: Direction, [lower, upper]: [f64; 2]) -> Option<Answer> {
    let (is_so, is_not) = match direction {
        Direction::More => (lower > 1.0, upper <= 1.0),
        Direction::Less => (upper < 1.0, lower >= 1.0),
        Direction::Equal => return None,
    };
    Some(answer(is_so, is_not))
}

fn size_holds(size: Band, [lower, upper]: [f64; 2]) -> Answer {
    let (from, to) = (size.from.unwrap_or(0.0), size.to.unwrap_or(f64::INFINITY));
    answer(lower >= from && upper <= to, upper < from || lower > to)
}

fn answer(is_so: bool, is_not: bool) -> Answer {
    match (is_so, is_not) {
        (true, _) => Answer::Holds,
        (_, true) => Answer::Fails,
        _ => Answer::Open,
    }
}

/// The distance of the estimate to the nearest ratio at which an open part changes, against the interval's
/// width.
fn needs(
    terms: &Terms,
    figure: &Figure,
    [lower, upper]: [f64; 2],
    [direction, size]: [Option<Answer>; 2],
    measured_s: f64,
) -> Needs {
    let of_direction = (direction == Some(Answer::Open)).then_some(1.0);
    let of_size = terms.size.filter(|_| size == Some(Answer::Open));
    let of_size = of_size.into_iter().flat_map(|size| [size.from, size.to]).flatten();
    let far = |limit: f64| (figure.value / limit).ln().abs();
    let needs = of_direction.into_iter().chain(of_size).map(far).fold(f64::INFINITY, f64::min);
    let has = (upper / figure.value).ln().max((figure.value / lower).ln());
    let own = |half: f64| (half.powi(2) - figure.between.powi(2)).max(0.0);
    let budget_s = measured_s * own(has) / own(needs) * RESERVE;
    Needs {
        has_percent: 100.0 * has,
        needs_percent: 100.0 * needs,
        between_percent: 100.0 * figure.between,
        budget_s: (budget_s > 0.0 && budget_s <= A_DAY_S).then(|| round_up(budget_s)),
    }
}

/// To two digits.
fn round_up(seconds: f64) -> f64 {
    let unit = 10_f64.powf(seconds.log10().floor() - 1.0);
    (seconds / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(terms: &Terms, lower: f64, upper: f64) -> Judged {
        let value = (lower * upper).sqrt();
        Judged::of(terms, &Here::Figure(Figure::within(value, [lower, upper])), 100.0)
    }

    fn terms(direction: Option<Direction>, from: Option<f64>, to: Option<f64>) -> Terms {
        let size = (from.is_some() || to.is_some()).then_some(Band { from, to });
        Terms { direction, size, ..Terms::default() }
    }

    #[test]
    fn the_published_band_decides() {
        let up_to = terms(Some(Direction::More), None, Some(1.21));
        let verdict = |lower, upper| judged(&up_to, lower, upper).verdict;
        assert_eq!(verdict(1.05, 1.06), Verdict::Holds);
        assert_eq!(verdict(1.37, 1.39), Verdict::SizeDiffers);
        assert_eq!(verdict(0.9, 0.99), Verdict::DoesNotHold);
        assert_eq!(verdict(0.99, 1.02), Verdict::Inconclusive);
        assert_eq!(verdict(1.19, 1.23), Verdict::Inconclusive);
        let slower = terms(Some(Direction::More), Some(1.03), Some(1.05));
        assert_eq!(judged(&slower, 4.5, 4.6).verdict, Verdict::SizeDiffers);
        assert_eq!(judged(&slower, 0.99, 1.02).verdict, Verdict::DoesNotHold);
        let twice = terms(Some(Direction::More), Some(2.0), None);
        assert_eq!(judged(&twice, 0.89, 1.14).verdict, Verdict::DoesNotHold);
        assert_eq!(judged(&twice, 1.37, 1.65).verdict, Verdict::SizeDiffers);
    }

    #[test]
    fn what_is_said_to_be_alike_is_judged_by_its_size_alone() {
        let alike = terms(Some(Direction::Equal), Some(0.998), Some(1.002));
        assert_eq!(judged(&alike, 0.999, 1.001).verdict, Verdict::Holds);
        assert_eq!(judged(&alike, 1.003, 1.004).verdict, Verdict::DoesNotHold);
        assert_eq!(judged(&alike, 1.001, 1.004).verdict, Verdict::Inconclusive);
    }

    #[test]
    fn an_open_claim_says_what_would_decide_it() {
        let slower = terms(Some(Direction::More), None, None);
        let needs = judged(&slower, 0.99, 1.03).needs.unwrap();
        // The estimate lies 0.98 % from 1, the interval reaches 1.98 % to each side: four times the time, and the reserve.
        assert!(
            (needs.needs_percent - 0.975).abs() < 0.01 && (needs.has_percent - 1.98).abs() < 0.01,
            "{needs:?}"
        );
        assert_eq!(needs.budget_s, Some(500.0));
        let never = judged(&slower, 0.98, 1.0206).needs.unwrap();
        assert_eq!(never.budget_s, None, "{never:?}");
        let open_size = terms(Some(Direction::More), Some(1.2), None);
        let judged = judged(&open_size, 1.15, 1.3);
        assert_eq!((judged.direction, judged.size), (Some(Answer::Holds), Some(Answer::Open)));
    }

    #[test]
    fn no_time_narrows_what_differs_between_runs() {
        let slower = terms(Some(Direction::More), None, None);
        let needs = |between| {
            // Half the width is 0.05, and the estimate lies 0.04 from 1.
            let [value, lower, upper] = [0.04_f64, -0.01, 0.09].map(f64::exp);
            let figure = Figure { between, ..Figure::within(value, [lower, upper]) };
            Judged::of(&slower, &Here::Figure(figure), 100.0).needs.unwrap()
        };
        // 100 s · (0.05² − 0.03²) / (0.04² − 0.03²) · 1.2
        let of_both = needs(0.03);
        assert_eq!(of_both.budget_s, Some(280.0), "{of_both:?}");
        assert!((of_both.between_percent - 3.0).abs() < 1e-12, "{of_both:?}");
        assert_eq!(needs(0.0).budget_s, Some(190.0));
        assert_eq!(needs(0.041).budget_s, None);
    }

    #[test]
    fn a_stack_that_cannot_do_it_is_no_open_claim() {
        let hole = |text: &str| Here::Hole { hole: text.to_owned() };
        let slower = terms(Some(Direction::More), None, None);
        let unsupported = Judged::of(&slower, &hole("unsupported: no such suite"), 100.0);
        assert_eq!(unsupported, Judged::because(Verdict::NotApplicable, "no such suite".to_owned()));
        let failed = Judged::of(&slower, &hole("failed: it crashed"), 100.0);
        assert_eq!(failed, Judged::because(Verdict::NotMeasured, "it crashed".to_owned()));
    }

    #[test]
    fn budgets_are_rounded_up() {
        assert_eq!([471.2, 1234.0, 99.1].map(round_up), [480.0, 1300.0, 100.0]);
    }
}
