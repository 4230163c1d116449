//! The report at the terminal.

use tlslab_estimate::{CrossPair, CrossTable, Report};
use tlslab_text::number::{counted, significant};
use tlslab_text::{clean, first_line, shortened, width, wrapped};

use super::cold;
use super::cross::{self, failures, rows, short, stacks, unsupported};
use super::further::{Further, with_version};
use super::shares;
use super::steps;
use super::table::ExactTable;
use super::table::{Row, SideWords, Table, Tone, all_of, headline};
use super::together;

/// How many warnings are shown at the terminal, the weightiest first.
const MOST_WARNINGS: usize = 3;

/// The report in lines of at most `columns` columns, down to 40. `colour` adds ANSI colours.
pub fn terminal(report: &Report, further: &Further, columns: usize, colour: bool) -> String {
    let columns = columns.clamp(40, 160);
    let mut page = Page { text: String::new(), columns, colour };
    page.head(report);
    for mut table in Table::all(report) {
        for row in table.scenarios.iter_mut().flat_map(|(_, rows)| rows) {
            row.stack = with_version(report, &row.stack);
        }
        page.table(&table);
    }
    for mut table in ExactTable::all(report) {
        let rows = table
            .groups
            .iter_mut()
            .flat_map(|(group, rows)| std::iter::once(group).chain(rows.iter_mut().map(|row| &mut row.name)));
        rows.for_each(|name| *name = with_version(report, name));
        page.exact(&table);
    }
    page.notes_of_stacks(report);
    for table in cross::tables(report) {
        page.cross(&table);
    }
    page.together(report);
    page.sides(steps::TITLE, steps::NOTE, steps::lines(report));
    page.sides(shares::TITLE, shares::NOTE, shares::lines(report));
    page.sides(cold::TITLE, &cold::note(report), cold::lines(report));
    page.warnings(report);
    page.foot(report, further);
    page.text
}

struct Page {
    text: String,
    columns: usize,
    colour: bool,
}

#[derive(Clone, Copy)]
enum Ink {
    Plain,
    Bold,
    Dim,
    Yellow,
    Red,
    Green,
}

impl Page {
    fn head(&mut self, report: &Report) {
        let run = &report.run;
        let timed = match (run.samples, run.rounds) {
            (0, _) => "nothing timed".to_owned(),
            (_, rounds) => format!("{} · {} s", counted(rounds, "round"), significant(run.measuring_s, 3)),
        };
        let (version, suite, id) = (clean(&run.lab_version), clean(&run.suite), clean(&run.id));
        let baseline = match report.participants().count() {
            0 | 1 => String::new(),
            _ => format!(" · baseline {}", clean(&run.baseline)),
        };
        let cut = if run.complete { "" } else { " · not complete" };
        let title = format!("tlslab {version} · {suite} · {id} · {timed}{baseline}{cut}");
        self.paragraph(&title, 2, Ink::Bold);
        self.paragraph(&format!("host: {}", clean(&report.host.summary())), 2, Ink::Plain);
        let headlines: Vec<String> = super::answers(report)
            .chain(report.headlines.iter().filter_map(|line| headline(report, line)))
            .collect();
        if !headlines.is_empty() {
            self.text.push('\n');
        }
        for headline in headlines {
            self.paragraph(&headline, 2, Ink::Plain);
        }
    }

    fn table(&mut self, table: &Table) {
        self.text.push('\n');
        let fitting = [Layout::Wide, Layout::Medium].map(|layout| (layout, Columns::of(table, layout)));
        let fitting = fitting.into_iter().find(|(_, columns)| columns.width() <= self.columns);
        let (layout, columns) = fitting.unwrap_or((Layout::Narrow, Columns::of(table, Layout::Narrow)));
        if layout == Layout::Narrow {
            self.line(&[(table.family.title(), Ink::Bold)]);
        } else {
            self.titles(table, &columns, layout);
        }
        for (scenario, rows) in &table.scenarios {
            self.paragraph(scenario, 2, Ink::Bold);
            for row in rows {
                match (&row.content, layout) {
                    (Err(_), _) => self.hole(row, columns.name),
                    (Ok(sides), Layout::Narrow) => self.narrow(table, row, sides),
                    (Ok(sides), _) => self.row(row, sides, &columns, layout),
                }
                if let Some(mark) = &row.mark {
                    self.paragraph(&format!("    {mark}"), 6, Ink::Yellow);
                }
            }
        }
        for reason in &table.reasons {
            let ink = if reason.starts_with("failed") { Ink::Red } else { Ink::Dim };
            self.paragraph(reason, 2, ink);
        }
        for note in &table.notes {
            self.paragraph(&format!("note: {note}"), 2, Ink::Dim);
        }
    }

    /// What figures of stacks must not stand without, where no table of times has it below.
    fn notes_of_stacks(&mut self, report: &Report) {
        let notes = if report.run.samples == 0 { report.table_notes() } else { Vec::new() };
        for (stack, note) in notes {
            self.paragraph(&format!("note: {}: {}", clean(stack), clean(note)), 2, Ink::Dim);
        }
    }

    /// Clients by servers: a matrix if it fits, else a line per client.
    fn cross(&mut self, table: &CrossTable) {
        self.text.push('\n');
        self.paragraph(
            &format!("Clients by servers, client/server µs: {}", clean(&table.scenario)),
            2,
            Ink::Bold,
        );
        let servers: Vec<String> = stacks(table).into_iter().map(clean).collect();
        let rows = rows(table);
        let name = servers.iter().map(|server| width(server)).max().unwrap_or_default();
        let of_column =
            |at: usize| rows.iter().map(|(_, pairs)| width(&short(pairs[at]))).max().unwrap_or_default();
        let widths: Vec<usize> =
            servers.iter().enumerate().map(|(at, server)| width(server).max(of_column(at))).collect();
        if 2 + name + widths.iter().map(|column| column + 2).sum::<usize>() <= self.columns {
            let mut titles = " ".repeat(name + 2);
            for (server, column) in servers.iter().zip(&widths) {
                titles.push_str(&format!("  {}", pad_left(server, *column)));
            }
            self.line(&[(&titles, Ink::Bold)]);
            for (client, pairs) in &rows {
                let mut parts = vec![(format!("  {}", pad_right(&clean(client), name)), Ink::Plain)];
                for (pair, column) in pairs.iter().zip(&widths) {
                    let failed = pair.outcome.hole().is_some_and(|(kind, _)| kind == "failed");
                    let ink = if failed { Ink::Red } else { Ink::Plain };
                    parts.push((format!("  {}", pad_left(&short(pair), *column)), ink));
                }
                let parts: Vec<(&str, Ink)> = parts.iter().map(|(text, ink)| (text.as_str(), *ink)).collect();
                self.line(&parts);
            }
        } else {
            for (client, pairs) in &rows {
                self.paragraph(&format!("  {}: {}", clean(client), of_client(pairs)), 4, Ink::Plain);
            }
        }
        for row in failures(table) {
            let peer = if row.peer == "–" { String::new() } else { format!("; its peer: {}", row.peer) };
            let how = match row.ended_by.as_str() {
                "–" => String::new(),
                ended_by => format!("ended by {ended_by}, alert {}: ", row.alert),
            };
            let text = format!("failed: {} → {}: {how}{}{peer}", row.clients, row.servers, row.error);
            self.paragraph(&text, 2, Ink::Red);
        }
        for line in unsupported(table) {
            self.paragraph(&line, 2, Ink::Dim);
        }
        for line in &table.summary {
            self.paragraph(&clean(line), 2, Ink::Plain);
        }
    }

    /// A figure of each side in words, per scenario and stack.
    fn sides(&mut self, title: &str, note: &str, lines: Vec<(String, Vec<shares::Row>)>) {
        if lines.is_empty() {
            return;
        }
        self.text.push('\n');
        self.paragraph(title, 2, Ink::Bold);
        for (scenario, rows) in lines {
            self.paragraph(&scenario, 2, Ink::Bold);
            for row in rows {
                self.paragraph(&format!("  {}  {}", row.stack, row.words()), 4, Ink::Plain);
            }
        }
        self.paragraph(note, 2, Ink::Dim);
    }

    /// Scenarios of one visit over each other.
    fn together(&mut self, report: &Report) {
        let lines = together::lines(report);
        if lines.is_empty() {
            return;
        }
        self.text.push('\n');
        self.paragraph(together::TITLE, 2, Ink::Bold);
        for group in lines {
            self.paragraph(&format!("{} over {}", group.scenario, group.over), 2, Ink::Bold);
            for row in group.rows {
                let line = format!("  {}  {}  {}", row.stack, row.side, row.words);
                self.paragraph(&line, 4, Ink::Plain);
            }
        }
        self.paragraph(together::NOTE, 2, Ink::Dim);
    }

    fn titles(&mut self, table: &Table, columns: &Columns, layout: Layout) {
        let mut line = pad_right(table.family.title(), columns.name + 2);
        for (title, column) in Columns::titles(table, layout).iter().zip(&columns.widths) {
            line.push_str(&format!("  {}", pad_left(title, *column)));
        }
        self.line(&[(&line, Ink::Bold)]);
    }

    fn row(&mut self, row: &Row, sides: &[SideWords], columns: &Columns, layout: Layout) {
        let mut parts = vec![(format!("  {}", pad_right(&row.stack, columns.name)), Ink::Plain)];
        let figures = figures(sides, layout);
        for ((figure, ink), column) in figures.iter().zip(&columns.widths) {
            parts.push((format!("  {}", pad_left(figure, *column)), *ink));
        }
        let parts: Vec<(&str, Ink)> = parts.iter().map(|(text, ink)| (text.as_str(), *ink)).collect();
        self.line(&parts);
    }

    fn hole(&mut self, row: &Row, name: usize) {
        let Err(hole) = &row.content else { return };
        let name = format!("  {}  ", pad_right(&row.stack, name.min(self.columns / 2)));
        let left = self.columns.saturating_sub(width(&name)).max(12);
        let words = shortened(&format!("{}: {}", hole.kind, hole.reason), left);
        let ink = if hole.kind == "failed" { Ink::Red } else { Ink::Dim };
        self.line(&[(&name, Ink::Plain), (&words, ink)]);
    }

    fn narrow(&mut self, table: &Table, row: &Row, sides: &[SideWords]) {
        self.paragraph(&format!("  {}", row.stack), 4, Ink::Plain);
        let side_width = table.sides.iter().map(|side| width(side)).max().unwrap_or_default();
        for (name, side) in table.sides.iter().zip(sides) {
            let unit = if table.speed_unit.starts_with('/') { "" } else { " " };
            let figures = format!(
                "    {}  {} {}  {}{unit}{}  {}",
                pad_right(name, side_width),
                side.time,
                table.time_unit,
                side.speed,
                table.speed_unit,
                side.ratio
            );
            let figures = figures.replace(" speed  ", "  ");
            self.paragraph(&figures, 6, Ink::Plain);
        }
    }

    /// Columns if they fit, else a line for each figure.
    fn exact(&mut self, table: &ExactTable) {
        self.text.push('\n');
        let rows = || table.groups.iter().flat_map(|(_, rows)| rows);
        let name = rows().map(|row| width(&row.name)).max().unwrap_or_default();
        let mut widths: Vec<usize> = table.columns.iter().map(|title| width(title)).collect();
        for figures in rows().filter_map(|row| row.content.as_ref().ok()) {
            for (column, figure) in widths.iter_mut().zip(figures) {
                *column = (*column).max(width(figure));
            }
        }
        let fits = 2 + name + widths.iter().map(|column| column + 2).sum::<usize>() <= self.columns;
        self.paragraph(table.title, 2, Ink::Bold);
        if fits {
            let titles = table.columns.iter().zip(&widths);
            let titles: String =
                titles.map(|(title, column)| format!("  {}", pad_left(title, *column))).collect();
            self.line(&[(&format!("{}{titles}", pad_right("", name + 2)), Ink::Bold)]);
        }
        for (group, rows) in &table.groups {
            self.paragraph(group, 2, Ink::Bold);
            for row in rows {
                match &row.content {
                    Err(hole) => {
                        let row = Row { stack: row.name.clone(), content: Err(hole.clone()), mark: None };
                        self.hole(&row, name);
                    }
                    Ok(figures) if fits => {
                        let figures = figures.iter().zip(&widths);
                        let figures: String = figures
                            .map(|(figure, column)| format!("  {}", pad_left(figure, *column)))
                            .collect();
                        self.line(&[(&format!("  {}{figures}", pad_right(&row.name, name)), Ink::Plain)]);
                    }
                    Ok(figures) => {
                        self.paragraph(&format!("  {}", row.name), 4, Ink::Plain);
                        for (title, figure) in table.columns.iter().zip(figures) {
                            self.paragraph(&format!("    {title}: {figure}"), 6, Ink::Plain);
                        }
                    }
                }
            }
        }
        for reason in &table.reasons {
            self.paragraph(reason, 2, if reason.starts_with("failed") { Ink::Red } else { Ink::Dim });
        }
    }

    /// Failures and disturbances, a line for each cause.
    fn warnings(&mut self, report: &Report) {
        if report.has_failures() || !report.causes.is_empty() {
            self.text.push('\n');
        }
        for stack in &report.stacks {
            if let Some(reason) = stack.failure() {
                let whose = all_of(report, &clean(&stack.name));
                let line = format!("failed: {whose}: {}", clean(first_line(reason)));
                self.paragraph(&line, 2, Ink::Red);
            }
        }
        for cause in report.causes.iter().take(MOST_WARNINGS) {
            self.paragraph(&format!("warning: {}", clean(&cause.summary)), 2, Ink::Yellow);
        }
        let more = report.causes.len().saturating_sub(MOST_WARNINGS);
        if more > 0 {
            let line = format!(
                "and {}: `tlslab report {} --format markdown`",
                counted(more, "more warning"),
                clean(&report.run.id)
            );
            self.paragraph(&line, 2, Ink::Yellow);
        }
    }

    /// Lines that are copied as a whole.
    fn foot(&mut self, report: &Report, further: &Further) {
        self.text.push('\n');
        for line in further.lines(report) {
            self.line(&[(&line, Ink::Plain)]);
        }
    }

    fn paragraph(&mut self, text: &str, hang: usize, ink: Ink) {
        for line in wrapped(text, self.columns, hang) {
            self.line(&[(&line, ink)]);
        }
    }

    fn line(&mut self, parts: &[(&str, Ink)]) {
        let mut line = String::new();
        for (text, ink) in parts {
            match (self.colour, ink) {
                (false, _) | (true, Ink::Plain) => line.push_str(text),
                (true, ink) => line.push_str(&format!("\u{1b}[{}m{text}\u{1b}[0m", ink.code())),
            }
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

impl Ink {
    fn code(self) -> u8 {
        match self {
            Ink::Plain => 0,
            Ink::Bold => 1,
            Ink::Dim => 2,
            Ink::Red => 31,
            Ink::Green => 32,
            Ink::Yellow => 33,
        }
    }
}

/// How many columns fit side by side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Times, speeds and ratios.
    Wide,
    /// Times and ratios, set tightly: fits 80 columns with most names.
    Medium,
    /// A line per side.
    Narrow,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Time,
    Speed,
    Ratio,
}

impl Layout {
    fn kinds(self) -> impl Iterator<Item = Kind> {
        let all = [Kind::Time, Kind::Speed, Kind::Ratio].into_iter();
        all.filter(move |kind| self != Layout::Medium || *kind != Kind::Speed)
    }

    fn set(self, figure: &str) -> String {
        if self == Layout::Medium { figure.replace(" ± ", "±") } else { figure.to_owned() }
    }
}

/// The figures of a row in the order of the columns.
fn figures(sides: &[SideWords], layout: Layout) -> Vec<(String, Ink)> {
    let ink = |side: &SideWords| match side.tone {
        Tone::Plain if side.ratio == "baseline" => Ink::Dim,
        Tone::Plain => Ink::Plain,
        Tone::Faster => Ink::Green,
        Tone::Slower => Ink::Red,
    };
    let of_kind = |kind| {
        sides.iter().map(move |side| match kind {
            Kind::Time => (&side.time, Ink::Plain),
            Kind::Speed => (&side.speed, Ink::Plain),
            Kind::Ratio if layout == Layout::Medium => (&side.tight_ratio, ink(side)),
            Kind::Ratio => (&side.ratio, ink(side)),
        })
    };
    let shown = layout.kinds().flat_map(of_kind);
    shown.map(|(figure, ink)| (layout.set(figure), ink)).collect()
}

/// Widths that hold for a whole table.
struct Columns {
    name: usize,
    widths: Vec<usize>,
}

impl Columns {
    fn titles(table: &Table, layout: Layout) -> Vec<String> {
        let space = if table.speed_unit.starts_with('/') { "" } else { " " };
        let of_kind = |kind| {
            table.sides.iter().map(move |side| match kind {
                Kind::Time => format!("{side} {}", table.time_unit),
                Kind::Speed => format!("{side}{space}{}", table.speed_unit),
                Kind::Ratio if layout == Layout::Medium => format!("{side} vs base"),
                Kind::Ratio => format!("{side} time vs baseline"),
            })
        };
        layout.kinds().flat_map(of_kind).collect()
    }

    fn of(table: &Table, layout: Layout) -> Self {
        let titles = Self::titles(table, layout);
        let mut widths: Vec<usize> = titles.iter().map(|title| width(title)).collect();
        // The title of the table is above the names, which are indented by two.
        let mut name = width(table.family.title()).saturating_sub(2);
        for row in table.scenarios.iter().flat_map(|(_, rows)| rows) {
            name = name.max(width(&row.stack));
            let Ok(sides) = &row.content else { continue };
            for (column, (figure, _)) in widths.iter_mut().zip(figures(sides, layout)) {
                *column = (*column).max(width(&figure));
            }
        }
        Self { name, widths }
    }

    fn width(&self) -> usize {
        2 + self.name + self.widths.iter().map(|column| column + 2).sum::<usize>()
    }
}

fn pad_left(text: &str, columns: usize) -> String {
    format!("{text:>columns$}")
}

fn pad_right(text: &str, columns: usize) -> String {
    format!("{text:<columns$}")
}

/// A client's row in one line: how many servers it met, and between which times.
fn of_client(pairs: &[&CrossPair]) -> String {
    let mut measured: Vec<(&CrossPair, f64)> = pairs
        .iter()
        .filter_map(|pair| pair.outcome.measured().map(|times| (*pair, times.sum_us.value)))
        .collect();
    measured.sort_by(|a, b| a.1.total_cmp(&b.1));
    let count = |wanted| {
        pairs.iter().filter(|pair| pair.outcome.hole().is_some_and(|(kind, _)| kind == wanted)).count()
    };
    let mut words = vec![format!("{} servers", measured.len())];
    for kind in ["failed", "unsupported"] {
        if count(kind) > 0 {
            words.push(format!("{} {kind}", count(kind)));
        }
    }
    for (title, end) in [("fastest", measured.first()), ("slowest", measured.last())] {
        if let Some((pair, _)) = end {
            words.push(format!("{title} {} {}", clean(&pair.server), short(pair)));
        }
    }
    words.join(", ")
}
