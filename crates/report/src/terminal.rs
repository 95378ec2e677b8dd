//! A report for a terminal: at most 80 columns, and colour only if asked for.

use crate::document::{
    self, ColumnKind, ContentBlock, Document, List, Section, TERMINAL, TableBlock, TablePart, Tone,
};
use crate::units::{self, left, right, shortened};
use record::outcome::Report;
use say::Language;
use std::fmt::Write;

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// The report for a terminal: question, table of every arm, remarks, answers, notes and diagnoses.
pub fn text(report: &Report, colour: bool, language: Language) -> String {
    write(&document::build(report, None, language, &TERMINAL), colour)
}

pub(crate) fn write(document: &Document, colour: bool) -> String {
    let mut out = String::new();
    if !document.title.is_empty() {
        units::wrapped(&mut out, &document.title, 0, COLUMNS);
    }
    for section in &document.sections {
        write_section(&mut out, section, colour);
    }
    out
}

fn write_section(out: &mut String, section: &Section, colour: bool) {
    let spacing = section.spacing;
    if spacing.line_before {
        out.push('\n');
    }
    if let Some(heading) = &section.heading {
        let _ = writeln!(out, "{heading}");
    }
    for block in &section.blocks {
        write_block(out, block, spacing.list_indent, colour);
    }
    if spacing.line_after {
        out.push('\n');
    }
}

fn write_block(out: &mut String, block: &ContentBlock, list_indent: usize, colour: bool) {
    match block {
        ContentBlock::Answer(answer) => units::wrapped(out, &answer.text, 0, COLUMNS),
        ContentBlock::Heading(heading) => {
            let _ = writeln!(out, "\n{heading}");
        }
        ContentBlock::Paragraph(paragraph) => units::wrapped(out, &paragraph.text.plain(), 0, COLUMNS),
        ContentBlock::List(list) => write_list(out, list, list_indent),
        ContentBlock::Table(table)
            if table.columns.iter().any(|column| column.kind == ColumnKind::Difference) =>
        {
            write_comparisons(out, table, colour);
        }
        ContentBlock::Table(table) => write_table(out, table),
        ContentBlock::Preformatted(text) => out.push_str(text),
        ContentBlock::Card(blocks) => {
            for block in blocks {
                write_block(out, block, list_indent, colour);
            }
        }
        ContentBlock::SideBySide(groups) => {
            for block in groups.iter().flatten() {
                write_block(out, block, list_indent, colour);
            }
        }
        ContentBlock::Fold(fold) => {
            let _ = writeln!(out, "\n{}", fold.summary);
            for block in &fold.blocks {
                write_block(out, block, list_indent, colour);
            }
        }
        ContentBlock::Figure(_) | ContentBlock::Figures(_) | ContentBlock::Timeline(_) => {}
    }
}

fn write_list(out: &mut String, list: &List, indent: usize) {
    for item in &list.items {
        units::wrapped(out, &item.text.plain(), indent, COLUMNS);
        for line in &item.lines {
            units::wrapped(out, &line.plain(), indent + 2, COLUMNS);
        }
    }
}

/// Most columns of the first cell of a row.
const ROW_HEADING: usize = 44;
/// Fewest columns of a figure.
const NUMBER: usize = 14;

/// Writes a table whose columns are as wide as their contents: figures are aligned to the right, everything else to the left.
fn write_table(out: &mut String, table: &TableBlock) {
    let headings = table.columns.iter();
    let headings = headings.map(|column| column.heading.clone().unwrap_or_default());
    let mut rows: Vec<Vec<String>> = vec![headings.collect()];
    for part in &table.parts {
        let cells = part.rows.iter().map(|row| row.iter().map(|cell| cell.text.plain()));
        rows.extend(cells.map(Iterator::collect::<Vec<_>>));
    }
    for row in &mut rows {
        row[0] = shortened(&row[0], ROW_HEADING);
    }
    let widths = table.columns.iter().enumerate().map(|(index, column)| {
        let cells = rows.iter().filter_map(|row| row.get(index));
        let fewest = if column.kind == ColumnKind::Number { NUMBER } else { 0 };
        cells.map(|cell| units::width(cell)).fold(fewest, usize::max)
    });
    let widths: Vec<usize> = widths.collect();
    for row in rows {
        let cells = row.iter().zip(&table.columns).zip(&widths);
        let cells = cells.map(|((cell, column), width)| match column.kind {
            ColumnKind::Number => right(cell, *width),
            _ => left(cell, *width),
        });
        let _ = writeln!(out, "{}", cells.collect::<Vec<_>>().join(" ").trim_end());
    }
}

/// Columns of the name of a measure in a row of comparisons.
const MEASURE: usize = 17;
/// Columns of each of the two values in a row of comparisons.
const VALUE: usize = 11;
/// Columns of the difference in a row of comparisons.
const DIFFERENCE: usize = 21;

/// Writes the comparisons of one arm with the baseline: measure, both values, difference, verdict.
fn write_comparisons(out: &mut String, table: &TableBlock, colour: bool) {
    let headings = table.columns.iter().skip(1);
    let headings = headings.map(|column| column.heading.as_deref().unwrap_or_default());
    if let [baseline, arm, difference, verdict] = headings.collect::<Vec<_>>()[..] {
        let _ = writeln!(
            out,
            "\n{:MEASURE$}{} {}  {} {verdict}",
            "",
            right(&shortened(baseline, VALUE), VALUE),
            right(&shortened(arm, VALUE), VALUE),
            left(difference, DIFFERENCE),
        );
    }
    for TablePart { heading, rows } in &table.parts {
        if let Some(heading) = heading {
            let _ = writeln!(out, "{heading}");
        }
        for row in rows {
            let texts: Vec<String> = row.iter().map(|cell| cell.text.plain()).collect();
            if let [measure, baseline, arm, difference, verdict] = &texts[..] {
                let judged = row[4].judged.map(|judged| judged.tone);
                let comparison = ComparisonLine {
                    measure,
                    baseline,
                    arm,
                    difference,
                    verdict,
                    colour: judged.filter(|_| colour),
                };
                comparison.write(out);
            }
        }
    }
}

/// A row of comparisons.
struct ComparisonLine<'a> {
    measure: &'a str,
    baseline: &'a str,
    arm: &'a str,
    difference: &'a str,
    verdict: &'a str,
    /// The tone of the verdict, which gives its word a colour; `None` without colours.
    colour: Option<Tone>,
}

impl ComparisonLine<'_> {
    fn write(&self, out: &mut String) {
        // A line that is too long first loses the blanks before the difference, then those before the baseline's value.
        let difference = left(self.difference, DIFFERENCE);
        let before = MEASURE + VALUE + 1 + VALUE + 2;
        let end = before + units::width(&difference) + 1 + units::width(self.verdict);
        let over = end.saturating_sub(COLUMNS);
        let gap = 2 - over.min(1);
        let column = VALUE.saturating_sub(over.saturating_sub(1));
        let verdict = match self.colour {
            Some(tone) => painted(tone, self.verdict),
            None => self.verdict.to_owned(),
        };
        let _ = writeln!(
            out,
            "{}{} {}{:gap$}{difference} {verdict}",
            left(self.measure, MEASURE),
            right(self.baseline, column),
            right(self.arm, VALUE),
            "",
        );
    }
}

/// A word in the colour of its tone.
fn painted(tone: Tone, word: &str) -> String {
    let code = match tone {
        Tone::Better => 32,
        Tone::Worse | Tone::Invalid => 31,
        Tone::Same => 36,
        Tone::Mixed | Tone::Inconclusive => 33,
    };
    format!("\x1b[{code}m{word}\x1b[0m")
}
