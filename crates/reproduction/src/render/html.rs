//! One self-contained HTML page.

use std::fmt::Write;

use tlslab_comparison::page;
use tlslab_text::html as escaped;

use super::picture::{claims_svg, claims_svg_legend};
use super::plot::plot;
use super::terminal::{cells, head, is_figure};
use super::words::{here, summary, took};
use crate::model::{Claim, Reproduction, Table, Trial, Verdict};

/// A document.
pub fn html(reproduction: &Reproduction) -> String {
    let mut body = format!("<h1>{}</h1>\n", escaped(&reproduction.title));
    // Writing to a string cannot fail.
    let _ = writeln!(
        body,
        "<p>Published by {}, measured on {}. Here: {}.</p>",
        escaped(&reproduction.by),
        escaped(&reproduction.on),
        escaped(&reproduction.host.summary())
    );
    list(&mut body, &reproduction.flaws);
    for claim in &reproduction.claims {
        describe(&mut body, claim);
    }
    for of in &reproduction.tables {
        table(&mut body, of);
    }
    for trial in &reproduction.trials {
        tried(&mut body, trial);
    }
    runs(&mut body, reproduction);
    page(&format!("tlslab: {}", reproduction.title), &body)
}

/// The claims of several documents.
pub fn claims_html(reproductions: &[Reproduction]) -> String {
    let verdicts = reproductions.iter().flat_map(|one| &one.claims).flat_map(|claim| &claim.here);
    let mut body = "<h1>Published claims and results on this host</h1>\n".to_owned();
    let _ =
        writeln!(body, "<p>Claims, over stacks: {}.</p>", summary(verdicts.map(|(.., verdict)| *verdict)));
    let _ = writeln!(
        body,
        "<figure>{}</figure>\n<p class=\"faint\">{}</p>",
        claims_svg(reproductions),
        escaped(&claims_svg_legend())
    );
    for reproduction in reproductions.iter().filter(|one| !one.claims.is_empty()) {
        let _ = writeln!(body, "<h2>{}</h2>", escaped(&reproduction.title));
        let _ = writeln!(body, "<p>Here: {}.</p>", escaped(&reproduction.host.summary()));
        for claim in &reproduction.claims {
            describe(&mut body, claim);
        }
        runs(&mut body, reproduction);
    }
    page("tlslab: published claims", &body)
}

fn describe(body: &mut String, claim: &Claim) {
    let _ = writeln!(body, "<h3>{}</h3>", escaped(&claim.says));
    let published = escaped(&claim.published);
    let _ = writeln!(
        body,
        "<p>Published: {published}. Ratio: {} ({}).</p>",
        escaped(&claim.ratio),
        escaped(&claim.basis)
    );
    let _ = writeln!(body, "<figure>{}</figure>", plot(claim));
    body.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>of</th><th>here</th><th>verdict</th></tr></thead>\n<tbody>\n");
    for (stack, ratio, verdict) in &claim.here {
        let class = match verdict {
            Verdict::Holds => "better",
            Verdict::DoesNotHold => "worse",
            Verdict::Inconclusive => "",
        };
        let _ = writeln!(
            body,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"{class}\">{}</td></tr>",
            escaped(stack),
            escaped(&here(ratio)),
            verdict.words()
        );
    }
    body.push_str("</tbody>\n</table></div>\n");
    if let Some(because) = &claim.because {
        let _ = writeln!(body, "<p class=\"faint\">{}</p>", escaped(because));
    }
}

fn table(body: &mut String, of: &Table) {
    let _ = writeln!(body, "<h2>{} ({})</h2>", escaped(&of.title), escaped(&of.basis));
    body.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for title in head(of) {
        let _ = write!(body, "<th>{}</th>", escaped(&title));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for row in &of.rows {
        body.push_str("<tr>");
        for (at, text) in cells(of, row).iter().enumerate() {
            let class = if is_figure(of, at) { " class=\"number\"" } else { "" };
            let _ = write!(body, "<td{class}>{}</td>", escaped(text));
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody>\n</table></div>\n");
    if let Some(note) = &of.note {
        let _ = writeln!(body, "<p class=\"faint\">{}</p>", escaped(note));
    }
}

fn tried(body: &mut String, trial: &Trial) {
    let _ = writeln!(body, "<h2>{}</h2>", escaped(&trial.title));
    body.push_str("<div class=\"scroll\"><table>\n");
    for (at, line) in trial.lines().iter().enumerate() {
        let tag = if at == 0 { "th" } else { "td" };
        let cells = line.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
        let _ = writeln!(body, "<tr>{}</tr>", cells.collect::<String>());
    }
    body.push_str("</table></div>\n");
}

fn runs(body: &mut String, reproduction: &Reproduction) {
    body.push_str("<details><summary>Runs</summary>\n<ul>\n");
    for run in &reproduction.runs {
        let _ = writeln!(
            body,
            "<li>{} ({}): run {}, {:.0} s",
            escaped(&run.title),
            escaped(&run.basis),
            escaped(&run.run),
            run.measuring_s
        );
        list(body, &run.warnings);
        body.push_str("</li>\n");
    }
    if let Some(of) = &reproduction.took {
        let _ = writeln!(body, "<li>{}</li>", escaped(&took(of)));
    }
    body.push_str("</ul>\n</details>\n");
}

fn list(body: &mut String, items: &[String]) {
    if items.is_empty() {
        return;
    }
    body.push_str("<ul>\n");
    for item in items {
        let _ = writeln!(body, "<li>{}</li>", escaped(item));
    }
    body.push_str("</ul>\n");
}
