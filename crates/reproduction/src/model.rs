//! The model of a document that was measured again.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use tlslab_record::{Fingerprint, tolerant};

pub use crate::here::{Figure, Here};
use crate::judged::{Judged, Verdict};
use crate::provenance::{Provenance, StackVersion};
use crate::standing::Standing;
use crate::terms::{Group, Terms};

/// A document, measured again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// The document's short name.
    pub document: String,
    /// Its title.
    pub title: String,
    /// Its author.
    pub by: String,
    /// The host that it was measured on.
    pub on: String,
    /// Flaws of the published figures.
    pub flaws: Vec<String>,
    /// The tables of figures that another kind of processor made, which this host is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The runs that the figures here are from: name, title, run.
    pub runs: Vec<RunNote>,
    /// How long all of it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Took>,
    /// How all of it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// When it was measured, and its deficiencies.
    #[serde(default)]
    pub standing: Standing,
    /// The version of each stack, published and measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<StackVersion>,
    /// The host's fingerprint.
    #[serde(default, deserialize_with = "tolerant")]
    pub host: Fingerprint,
    /// Every host, this one first, where results of several are shown next to each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostOf>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The claims.
    pub claims: Vec<Claim>,
    /// Tested features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
}

/// A host among several on which a document was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostOf {
    /// The name of its columns.
    pub name: String,
    /// Its fingerprint.
    #[serde(default, deserialize_with = "tolerant")]
    pub host: Fingerprint,
    /// When it was measured there, and its deficiencies.
    #[serde(default)]
    pub standing: Standing,
    /// How it was measured there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The runs there.
    pub runs: Vec<RunNote>,
    /// How long that took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Took>,
}

/// A run, or several of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunNote {
    /// Its name in the document's file.
    pub measurement: String,
    /// A few words.
    pub title: String,
    /// `as published` or `fair`.
    pub basis: String,
    /// The run, or all with commas between.
    pub run: String,
    /// How long it measured, s; the sum of all.
    pub measuring_s: f64,
    /// Disturbances.
    pub warnings: Vec<String>,
}

/// How long something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Took {
    /// Sources fetched and programs built that no cache had, s.
    pub builds_s: f64,
    /// All other time, s: measurements, counts, confirmations and trials.
    pub measuring_s: f64,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Its title.
    pub title: String,
    /// `as published` or `fair`.
    pub basis: String,
    /// The titles of a row's labels.
    pub labels: Vec<String>,
    /// The columns, ratios last.
    pub columns: Vec<Column>,
    /// The hosts that have a figure in each column, if the page has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Notes on a row, after its figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Limits of its figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Causes of rows that differ from the published ones, if a change of the cause confirmed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Its figures that are far from the published ones, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far: Option<Far>,
    /// The same of further hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub far_elsewhere: Vec<Far>,
}

/// The reason for figures that differ from the published ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The part that it explains: `suite a or b` of a table's rows, or the cases of a claim; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
    /// The cause.
    pub says: String,
}

/// Ratios and counts that differ from the published ones by more than a factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Far {
    /// The host, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The factor.
    pub factor: f64,
    /// How many differ by more.
    pub figures: usize,
    /// Of how many that were published and measured.
    pub of: usize,
    /// The largest difference, as a ratio of here over published.
    pub most: f64,
    /// Where that is: the row's labels, the column's title.
    pub place: String,
    /// Where those are that no cause explains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// Tables that a page omits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The architecture of this host.
    pub host: String,
    /// Their titles, each once.
    pub tables: Vec<String>,
    /// The file that has their published figures.
    pub file: String,
}

/// A column, which has a figure that was published and one that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// The unit of both.
    pub unit: String,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Its labels, as the document has them.
    pub labels: Vec<String>,
    /// Its entries, one for each column.
    pub entries: Vec<Entry>,
    /// Its notes, one for each of the table's words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

/// One figure, published and here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The published value, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<f64>,
    /// As it was measured.
    pub here: Here,
    /// The same on further hosts, in the order of the table's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Here>,
}

impl Entry {
    /// A figure of one host.
    pub fn new(published: Option<f64>, here: Here) -> Self {
        Self { published, here, elsewhere: vec![] }
    }
}

/// A claim, for one stack or pair of stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The claim.
    pub says: String,
    /// As it was published, in the document's words.
    pub published: String,
    /// The document's sentence; by default the published text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// Its terms for the ratio.
    #[serde(default)]
    pub terms: Terms,
    /// The ratio in words.
    pub ratio: String,
    /// `as published` or `fair`.
    pub basis: String,
    /// Why it is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Why some of its cases differ from the published ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Its outcome, by stack, pair or cell.
    #[serde(deserialize_with = "read_cases")]
    pub here: Vec<Case>,
    /// For a claim about many or most of some rows, each row. Rows are not claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Case>,
}

/// A claim's outcome for one stack, pair or cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// The stack, the pair or the cell.
    pub of: String,
    /// Whether it is the document's own claim.
    pub group: Group,
    /// The published ratio, if each case has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<f64>,
    /// The ratio here.
    pub found: Here,
    /// The verdict.
    pub judged: Judged,
    /// The same on further hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
}

/// A claim's outcome on a further host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Elsewhere {
    /// The host.
    pub host: String,
    /// The ratio there.
    pub found: Here,
    /// The verdict.
    pub judged: Judged,
}

impl Case {
    /// One of a single host.
    pub fn new(of: String, group: Group, found: Here, judged: Judged) -> Self {
        Self { of, group, figure: None, found, judged, elsewhere: vec![] }
    }

    /// Its verdict on every host.
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        [self.judged.verdict].into_iter().chain(self.elsewhere.iter().map(|of| of.judged.verdict))
    }
}

/// Earlier versions of the lab kept three values for each: name, ratio and verdict.
fn read_cases<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Case>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Kept {
        Case(Case),
        Triple(String, Here, Verdict),
    }
    let cases = Vec::<Kept>::deserialize(from)?;
    let case = |kept| match kept {
        Kept::Case(case) => case,
        Kept::Triple(of, found, verdict) => {
            let reason =
                "this version of the lab judges in other terms; reproduce the document again".to_owned();
            let judged = Judged::because(verdict, reason);
            Case::new(of, Group::default(), found, judged)
        }
    };
    Ok(cases.into_iter().map(case).collect())
}

/// A program that tests features, by stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// A few words.
    pub title: String,
    /// Its outcomes.
    pub stacks: Vec<TrialOfStack>,
}

/// The tested features of one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialOfStack {
    /// The stack.
    pub stack: String,
    /// By part.
    pub outcomes: Vec<Outcome>,
    /// The reason for missing parts, after `failed: `.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hole: Option<String>,
}

/// How many of a part's cases passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The part.
    pub part: String,
    /// Cases that passed.
    pub passed: u32,
    /// Cases that did not.
    pub failed: u32,
    /// Cases that were not tried, as the program decided.
    pub skipped: u32,
    /// Those that did not pass.
    #[serde(default)]
    pub failures: Vec<String>,
}
