//! The documents' sentences with claims, and the outcome of each over all its cells.

use crate::judged::Verdict;
use crate::model::{Case, Claim, Reproduction};
use crate::terms::Group;

/// The outcome of a sentence over the cells of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SentenceOutcome {
    /// It holds in all of them.
    All,
    /// It holds in some of them, in direction at least.
    Some,
    /// It holds in none.
    None,
    /// All of them are inconclusive.
    Undecided,
    /// There is no figure of any.
    NotMeasured,
    /// It is judged of other stacks, versions or work alone.
    OtherWork,
}

impl SentenceOutcome {
    /// All, in the order in which they are counted.
    pub const ALL: [Self; 6] =
        [Self::All, Self::Some, Self::None, Self::Undecided, Self::NotMeasured, Self::OtherWork];

    /// In words, of so many.
    pub fn words_of(self, count: usize) -> &'static str {
        let is_one = count == 1;
        match self {
            Self::All if is_one => "holds in all its cells",
            Self::All => "hold in all their cells",
            Self::Some if is_one => "holds in some",
            Self::Some => "hold in some",
            Self::None if is_one => "holds in none",
            Self::None => "hold in none",
            Self::Undecided if is_one => "is undecided",
            Self::Undecided => "are undecided",
            Self::NotMeasured if is_one => "has no figure",
            Self::NotMeasured => "have no figure",
            Self::OtherWork if is_one => "is judged of other versions or work only",
            Self::OtherWork => "are judged of other versions or work only",
        }
    }

    fn of(cases: &[&Case]) -> Self {
        let count = |wanted: &[Verdict]| {
            cases.iter().flat_map(|case| case.verdicts()).filter(|verdict| wanted.contains(verdict)).count()
        };
        let (holds, partly) = (count(&[Verdict::Holds]), count(&[Verdict::SizeDiffers]));
        let (fails, open) = (count(&[Verdict::DoesNotHold]), count(&[Verdict::Inconclusive]));
        match (holds + partly, fails + open) {
            _ if cases.is_empty() => Self::OtherWork,
            (0, 0) => Self::NotMeasured,
            (0, _) if fails == 0 => Self::Undecided,
            (0, _) => Self::None,
            (_, 0) if partly == 0 => Self::All,
            _ => Self::Some,
        }
    }
}

/// A sentence of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence, or its substitute.
    pub says: String,
    /// Its outcome.
    pub outcome: SentenceOutcome,
}

/// Every sentence of these documents with a claim, in the documents' order. A ratio that the lab made of a
/// document's figures is not a sentence, and neither is a correction.
pub fn sentences<'r>(reproductions: impl IntoIterator<Item = &'r Reproduction>) -> Vec<Sentence> {
    reproductions.into_iter().flat_map(|one| of_document(&one.claims)).collect()
}

fn of_document(claims: &[Claim]) -> Vec<Sentence> {
    let mut keys: Vec<&str> = Vec::new();
    let says = |claim: &Claim, group: Group| claim.here.iter().any(|case| case.group == group);
    let own = claims.iter().filter(|claim| says(claim, Group::Document));
    let extended = claims.iter().filter(|claim| says(claim, Group::Extension));
    for claim in own.chain(extended) {
        let key = claim.sentence();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let sentence = |key: &str| {
        let cases = claims.iter().filter(|claim| claim.sentence() == key);
        let cases: Vec<&Case> = cases.flat_map(|claim| claim.cases(Group::Document)).collect();
        Sentence { says: key.to_owned(), outcome: SentenceOutcome::of(&cases) }
    };
    keys.into_iter().map(sentence).collect()
}

impl Claim {
    /// The document's sentence that it is of.
    fn sentence(&self) -> &str {
        self.sentence.as_deref().unwrap_or(&self.published)
    }

    /// Its cases of a group.
    pub fn cases(&self, group: Group) -> Vec<&Case> {
        self.here.iter().filter(|case| case.group == group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judged::Judged;
    use crate::model::Here;

    fn claim(published: &str, sentence: Option<&str>, cases: &[(Group, Verdict)]) -> Claim {
        let case = |(group, verdict): &(Group, Verdict)| {
            let judged = Judged::because(*verdict, String::new());
            Case::new("one".to_owned(), *group, Here::Hole { hole: String::new() }, judged)
        };
        let text = r#"{ "says": "", "published": "", "ratio": "", "basis": "", "here": [] }"#;
        let read: Claim = serde_json::from_str(text).unwrap();
        Claim {
            published: published.to_owned(),
            sentence: sentence.map(str::to_owned),
            here: cases.iter().map(case).collect(),
            ..read
        }
    }

    fn outcomes(claims: &[Claim]) -> Vec<(String, SentenceOutcome)> {
        of_document(claims).into_iter().map(|one| (one.says, one.outcome)).collect()
    }

    #[test]
    fn a_sentence_is_counted_once_over_all_its_claims_and_cells() {
        use Group::{Correction, Derived, Document, Extension};
        use Verdict::{DoesNotHold, Holds, Inconclusive, NotApplicable, SizeDiffers};
        let claims = [
            claim("twice as fast; 2.3", Some("twice"), &[(Document, Holds), (Document, NotApplicable)]),
            claim("twice as fast; 2.9", Some("twice"), &[(Document, Holds), (Extension, DoesNotHold)]),
            claim("twice, with equal work", None, &[(Correction, DoesNotHold)]),
            claim("comparable", None, &[(Document, Holds), (Document, DoesNotHold)]),
            claim("slower", None, &[(Document, SizeDiffers)]),
            claim("faster", None, &[(Document, Inconclusive), (Document, DoesNotHold)]),
            claim("less", None, &[(Document, Inconclusive)]),
            claim("33 and 1,260", None, &[(Derived, Holds)]),
            claim("PR 1", None, &[(Extension, Holds)]),
        ];
        let expected = [
            ("twice", SentenceOutcome::All),
            ("comparable", SentenceOutcome::Some),
            ("slower", SentenceOutcome::Some),
            ("faster", SentenceOutcome::None),
            ("less", SentenceOutcome::Undecided),
            ("PR 1", SentenceOutcome::OtherWork),
        ];
        assert_eq!(outcomes(&claims), expected.map(|(says, outcome)| (says.to_owned(), outcome)));
    }
}
