//! The pages of published documents: published and measured values side by side, and a verdict on each claim.

mod claim;
mod grid;
mod provenance;

use askama::Template;
use tlslab_reproduction::{
    Reproduction, StandingLine, Table, cells, document_notes, far, head, here_on, is_figure,
    provenance_facts, runs_of, standing, table_causes, took_lines,
};

use self::claim::{Answer, GroupOf, answer, groups};
use self::grid::{Cell, Grid};
use self::provenance::versions;
use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

pub(crate) const STYLE: Asset =
    Asset { name: "document.css", text: include_str!("../../assets/document.css") };

#[derive(Template)]
#[template(path = "document.html")]
struct Body {
    title: String,
    answer: Answer,
    by: String,
    on: String,
    here: String,
    standing: Vec<StandingLine>,
    provenance: Vec<(&'static str, String)>,
    versions: Option<Grid>,
    claims_page: Option<Link>,
    flaws: Vec<String>,
    groups: Vec<GroupOf>,
    tables: Vec<Grid>,
    trials: Vec<Grid>,
    runs: Vec<Run>,
    took: Vec<String>,
}

struct Run {
    title: String,
    basis: String,
    runs: Vec<Link>,
    seconds: String,
    warnings: Vec<String>,
}

#[derive(Template)]
#[template(path = "claims.html")]
struct Claims {
    answer: Answer,
    standing: Vec<StandingLine>,
    documents: Vec<DocumentOf>,
}

/// A document among others, with its claims.
struct DocumentOf {
    id: String,
    title: Link,
    answer: Answer,
    by: String,
    here: String,
    groups: Vec<GroupOf>,
}

/// The page of a document that was measured again.
#[must_use]
pub fn document(reproduction: &Reproduction, links: &dyn Links) -> Page {
    let claims_page = Link::new(links, &Target::Claims, "Claims of all documents");
    let grid = |(at, table): (usize, &Table)| of_figures(at, table);
    let body = Body {
        title: reproduction.title.clone(),
        answer: answer([reproduction]),
        by: reproduction.by.clone(),
        on: reproduction.on.clone(),
        here: here_on(reproduction),
        standing: standing([reproduction]),
        provenance: provenance_facts(reproduction),
        versions: versions(reproduction),
        claims_page: claims_page.href.is_some().then_some(claims_page),
        flaws: document_notes(reproduction),
        groups: groups("", reproduction),
        tables: reproduction.tables.iter().enumerate().map(grid).collect(),
        trials: reproduction.trials.iter().enumerate().map(|(at, trial)| of_texts(at, trial)).collect(),
        runs: runs(reproduction, links),
        took: took_lines(reproduction),
    };
    let part = |id, title| Part { id, title, needs_script: false };
    let mut parts = vec![];
    if !body.groups.is_empty() {
        parts.push(part("claims", "Claims"));
    }
    if body.versions.is_some() {
        parts.push(part("versions", "Versions"));
    }
    if !body.tables.is_empty() {
        parts.push(part("tables", "Tables"));
    }
    if !body.trials.is_empty() {
        parts.push(part("trials", "What works"));
    }
    parts.push(part("runs", "Runs"));
    Page {
        title: reproduction.title.clone(),
        section: Some(Section::Claims),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Claims, "Claims"),
            Link::none(&*reproduction.title),
        ],
        parts,
        assets: vec![STYLE],
        body: Html::of(&body),
        ..Page::default()
    }
}

/// The page of the claims of all documents.
#[must_use]
pub fn claims(reproductions: &[Reproduction], links: &dyn Links) -> Page {
    let documents = reproductions.iter().filter(|one| !one.claims.is_empty()).map(|one| DocumentOf {
        id: one.document.clone(),
        title: Link::new(links, &Target::Document(one.document.clone()), &*one.title),
        answer: answer([one]),
        by: one.by.clone(),
        here: here_on(one),
        groups: groups(&one.document, one),
    });
    let body = Claims {
        answer: answer(reproductions),
        standing: standing(reproductions),
        documents: documents.collect(),
    };
    Page {
        title: "Published claims".to_owned(),
        section: Some(Section::Claims),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none("Claims")],
        assets: vec![STYLE],
        body: Html::of(&body),
        ..Page::default()
    }
}

fn of_figures(at: usize, table: &Table) -> Grid {
    let cell = |at: usize, text: &String| Cell { text: text.clone(), is_figure: is_figure(table, at) };
    let line = |line: &[String]| line.iter().enumerate().map(|(at, text)| cell(at, text)).collect();
    Grid {
        id: format!("table-{at}"),
        title: table.title.clone(),
        basis: table.basis.clone(),
        head: line(&head(table)),
        rows: table.rows.iter().map(|row| line(&cells(table, row))).collect(),
        note: table.note.clone(),
        causes: table_causes(table),
        far: far(table),
    }
}

fn of_texts(at: usize, trial: &tlslab_reproduction::Trial) -> Grid {
    let line = |line: &Vec<String>| {
        line.iter().map(|text| Cell { text: text.clone(), is_figure: false }).collect::<Vec<_>>()
    };
    let lines = trial.lines();
    let (head, rows) = lines
        .split_first()
        .map_or((vec![], vec![]), |(head, rows)| (line(head), rows.iter().map(line).collect()));
    Grid {
        id: format!("trial-{at}"),
        title: trial.title.clone(),
        basis: String::new(),
        head,
        rows,
        note: None,
        causes: vec![],
        far: vec![],
    }
}

fn runs(reproduction: &Reproduction, links: &dyn Links) -> Vec<Run> {
    let run = |(host, run): (Option<&str>, &tlslab_reproduction::RunNote)| Run {
        title: host.map_or_else(|| run.title.clone(), |host| format!("{host}: {}", run.title)),
        basis: run.basis.clone(),
        runs: run
            .run
            .split(',')
            .map(|id| Link::new(links, &Target::Run(id.trim().to_owned()), id.trim()))
            .collect(),
        seconds: format!("{:.0} s", run.measuring_s),
        warnings: run.warnings.clone(),
    };
    runs_of(reproduction).into_iter().map(run).collect()
}
