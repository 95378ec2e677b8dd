//! A report as Markdown: for a pull request, a wiki, or a reader without a browser.

use crate::document::{
    self, ColumnKind, ContentBlock, Document, List, MARKDOWN, Section, TableBlock, TablePart, Text, TextMark,
};
use crate::units::cell;
use record::outcome::Report;
use say::Language;
use std::fmt::Write;

/// `report.md`.
pub fn text(report: &Report, language: Language) -> String {
    write(&document::build(report, None, language, &MARKDOWN))
}

pub(crate) fn write(document: &Document) -> String {
    write_with_plots(document, "")
}

/// The document with its plots as images that are files with this prefix; without plots where it is empty.
pub(crate) fn write_with_plots(document: &Document, prefix: &str) -> String {
    let mut out = format!("# {}\n\n", document.title);
    for section in &document.sections {
        write_section(&mut out, section, prefix);
    }
    out
}

/// The plots as images for the end of the report, from the title and the path of each plot's file.
pub fn pictures<'a>(plots: impl Iterator<Item = (&'a str, String)>) -> String {
    plots.map(|(title, path)| format!("\n{}", picture(title, &path))).collect()
}

fn picture(title: &str, path: &str) -> String {
    format!("![{}]({path})\n", cell(title))
}

/// A section with its heading, if it has one.
pub(crate) fn write_section(out: &mut String, section: &Section, plots: &str) {
    if let Some(heading) = &section.heading {
        let _ = writeln!(out, "## {heading}\n");
    }
    for block in &section.blocks {
        write_block(out, block, plots);
    }
}

fn write_block(out: &mut String, block: &ContentBlock, plots: &str) {
    let _ = match block {
        ContentBlock::Answer(answer) => writeln!(out, "**{}**\n", answer.text),
        ContentBlock::Heading(heading) => writeln!(out, "### {heading}\n"),
        ContentBlock::Paragraph(paragraph) => writeln!(out, "{}\n", cell(&inline(&paragraph.text))),
        ContentBlock::List(list) => {
            write_list(out, list);
            Ok(())
        }
        ContentBlock::Table(table) => {
            table.parts.iter().for_each(|part| write_table(out, table, part));
            Ok(())
        }
        ContentBlock::Preformatted(text) => {
            writeln!(out, "```\n{}\n```\n", text.strip_suffix('\n').unwrap_or(text))
        }
        ContentBlock::Card(blocks) => {
            blocks.iter().for_each(|block| write_block(out, block, plots));
            Ok(())
        }
        ContentBlock::SideBySide(groups) => {
            groups.iter().flatten().for_each(|block| write_block(out, block, plots));
            Ok(())
        }
        ContentBlock::Fold(fold) => {
            let mut folded = String::new();
            fold.blocks.iter().for_each(|block| write_block(&mut folded, block, plots));
            let (summary, folded) = (&fold.summary, folded.trim_end());
            writeln!(out, "<details><summary>{summary}</summary>\n\n{folded}\n\n</details>\n")
        }
        ContentBlock::Figure(plot) if !plots.is_empty() => {
            writeln!(out, "{}", picture(plot.title(), &format!("{plots}{}.svg", plot.name)))
        }
        ContentBlock::Figure(_) | ContentBlock::Figures(_) | ContentBlock::Timeline(_) => Ok(()),
    };
}

fn write_list(out: &mut String, list: &List) {
    for item in &list.items {
        let _ = writeln!(out, "- {}", inline(&item.text));
        for line in &item.lines {
            let _ = writeln!(out, "  {}", inline(line));
        }
    }
    out.push('\n');
}

/// Writes a part of a table; Markdown has no tables of several parts.
fn write_table(out: &mut String, table: &TableBlock, part: &TablePart) {
    let mut headings = table.columns.iter().map(|column| column.heading.as_deref());
    let first = headings.next().flatten();
    let first = part.heading.as_deref().or(first);
    out.push('|');
    for heading in [first].into_iter().chain(headings) {
        match heading {
            Some(heading) => {
                let _ = write!(out, " {} |", cell(heading));
            }
            None => out.push_str(" |"),
        }
    }
    out.push_str("\n|");
    for column in &table.columns {
        out.push_str(match column.kind {
            ColumnKind::Number => "--:|",
            _ => "---|",
        });
    }
    for row in &part.rows {
        let cells = row.iter().map(|one| cell(&inline(&one.text)));
        let _ = write!(out, "\n| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    out.push_str("\n\n");
}

/// Text with its marks.
fn inline(text: &Text) -> String {
    let spans = text.spans.iter().map(|span| {
        let text = &span.text;
        match span.mark {
            TextMark::Plain => text.clone(),
            TextMark::Strong => format!("**{text}**"),
            TextMark::Emphasis => format!("*{text}*"),
            TextMark::Code => format!("`{text}`"),
            TextMark::Star => text.replace('*', "\\*"),
        }
    });
    spans.collect()
}
