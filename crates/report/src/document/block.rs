//! What a document consists of: sections of paragraphs, lists, tables and figures, without a word about how they look.

use crate::plot::Plot;
use crate::words::fill;
use model::outcome::Verdict;
use serde::{Serialize, Serializer};
use std::fmt::Display;

/// A report as a reader sees it, ready to be formatted.
#[derive(Serialize)]
pub(crate) struct Document {
    /// The question that the experiment asks; empty where the form has no title.
    pub(crate) title: String,
    /// The sections that the form shows, in its order.
    pub(crate) sections: Vec<Section>,
}

/// A part of a document that is about one thing.
#[derive(Serialize)]
pub(crate) struct Section {
    /// Its name: the `ID` of its module. On the page it is the target of links.
    pub(crate) id: &'static str,
    /// Where it stands in forms that are divided.
    pub(crate) region: Region,
    /// What stands above it; a section without a heading continues the one before.
    pub(crate) heading: Option<String>,
    /// What it shows.
    pub(crate) blocks: Vec<Block>,
    /// How a terminal sets it apart.
    #[serde(skip)]
    pub(crate) spacing: Spacing,
}

/// A part of a form that is divided: the page has a header and a footer, a comment folds away all but its top.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Region {
    /// Before everything else.
    Top,
    /// The main part.
    Body,
    /// After everything else.
    End,
}

/// How a terminal, which has no other means, sets a section apart.
#[derive(Clone, Copy)]
pub(crate) struct Spacing {
    /// An empty line above it.
    pub(crate) line_before: bool,
    /// An empty line below it.
    pub(crate) line_after: bool,
    /// Columns before each item of its lists.
    pub(crate) list_indent: usize,
}

/// One thing that a form knows how to show. A form skips what it cannot show: a terminal has no figures.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Block {
    /// The answer to the question.
    Answer(AnswerSentence),
    /// A heading within a section.
    Heading(String),
    /// Text.
    Paragraph(Paragraph),
    /// Points below one another.
    List(List),
    /// Rows and columns.
    Table(Table),
    /// Text whose line ends and blanks count.
    Preformatted(String),
    /// Blocks that belong together, in a frame where the form has frames.
    Card(Vec<Block>),
    /// What most readers pass over.
    Fold(Fold),
    /// A plot.
    #[serde(serialize_with = "svg")]
    Figure(Plot),
    /// Small plots beside one another.
    #[serde(serialize_with = "svgs")]
    Figures(Vec<Plot>),
    /// The plot of the measured run over time, which a script draws from these data in JSON.
    Timeline(String),
}

impl Block {
    /// A paragraph.
    pub(crate) fn paragraph(text: impl Into<Text>) -> Self {
        let text = text.into();
        Self::Paragraph(Paragraph { text, faint: false })
    }

    /// A paragraph that explains another block.
    pub(crate) fn explanation(text: impl Into<Text>) -> Self {
        let text = text.into();
        Self::Paragraph(Paragraph { text, faint: true })
    }

    /// A list of points without anything below them.
    pub(crate) fn list(points: impl IntoIterator<Item = String>) -> Self {
        let items = points.into_iter().map(Item::from).collect();
        Self::List(List { items, faint: false })
    }

    /// A table whose rows are not divided, with these columns.
    pub(crate) fn table(columns: Vec<Column>, rows: Vec<Vec<String>>) -> Self {
        let cells = |row: Vec<String>| row.into_iter().map(Cell::from).collect();
        let rows = rows.into_iter().map(cells).collect();
        Self::Table(Table {
            columns,
            parts: vec![TablePart { heading: None, rows }],
            narrow: false,
        })
    }
}

/// The answer for one arm, in a sentence.
#[derive(Serialize)]
pub(crate) struct AnswerSentence {
    /// The verdict that the sentence is about.
    pub(crate) judged: Judged,
    /// The sentence.
    pub(crate) text: String,
    /// What the verdict leaves open.
    pub(crate) remark: Option<String>,
}

/// A verdict with its sign, so that a colour is never alone.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Judged {
    /// The verdict.
    pub(crate) verdict: Verdict,
    sign: char,
}

impl From<Verdict> for Judged {
    fn from(verdict: Verdict) -> Self {
        let sign = verdict_sign(verdict);
        Self { verdict, sign }
    }
}

/// The sign that stands for a verdict beside its colour.
pub(crate) fn verdict_sign(verdict: Verdict) -> char {
    match verdict {
        Verdict::Faster => '▲',
        Verdict::Slower => '▼',
        Verdict::Same => '=',
        Verdict::Inconclusive => '?',
        Verdict::Invalid => '✕',
    }
}

/// A paragraph.
#[derive(Serialize)]
pub(crate) struct Paragraph {
    /// What it says.
    pub(crate) text: Text,
    /// It explains another block, and stands back behind it.
    pub(crate) faint: bool,
}

/// Points below one another.
#[derive(Serialize)]
pub(crate) struct List {
    /// The points.
    pub(crate) items: Vec<Item>,
    /// They explain another block, and stand back behind it.
    pub(crate) faint: bool,
}

/// A point of a list.
#[derive(Serialize)]
pub(crate) struct Item {
    /// What it says.
    pub(crate) text: Text,
    /// Lines that belong to it and stand below it.
    pub(crate) lines: Vec<Text>,
}

impl From<String> for Item {
    fn from(text: String) -> Self {
        Self {
            text: text.into(),
            lines: Vec::new(),
        }
    }
}

/// A table.
#[derive(Serialize)]
pub(crate) struct Table {
    /// Its columns, from left to right.
    pub(crate) columns: Vec<Column>,
    /// Its rows, divided by what they have in common.
    pub(crate) parts: Vec<TablePart>,
    /// A narrow screen shows each row on several lines.
    pub(crate) narrow: bool,
}

/// Rows of a table that have something in common.
#[derive(Serialize)]
pub(crate) struct TablePart {
    /// What they have in common; it takes the place of the first column's heading where each part is a table of its own.
    pub(crate) heading: Option<String>,
    /// The rows; one may end before the last column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Serialize)]
pub(crate) struct Column {
    /// What stands above it.
    pub(crate) heading: Option<String>,
    /// What it holds.
    pub(crate) kind: ColumnKind,
    /// The arm whose figures these are, for forms that show a row on several lines.
    pub(crate) arm: Option<String>,
}

impl Column {
    /// A column of this kind and heading.
    pub(crate) fn new(kind: ColumnKind, heading: impl Into<String>) -> Self {
        Self {
            heading: Some(heading.into()),
            kind,
            arm: None,
        }
    }

    /// The figures of an arm.
    pub(crate) fn of_arm(arm: &str) -> Self {
        Self {
            arm: Some(arm.to_owned()),
            ..Self::new(ColumnKind::Number, arm)
        }
    }

    /// A column of this kind with nothing above it.
    pub(crate) fn bare(kind: ColumnKind) -> Self {
        Self {
            heading: None,
            kind,
            arm: None,
        }
    }
}

/// What a column holds; alignment, line breaks and colour follow from it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColumnKind {
    /// What the row is about.
    RowHeading,
    /// Text.
    Text,
    /// Text that is not broken into lines.
    Phrase,
    /// Figures, aligned to the right.
    Number,
    /// A difference with its interval.
    Difference,
    /// A verdict.
    Verdict,
}

/// A cell of a table.
#[derive(Serialize)]
pub(crate) struct Cell {
    /// What it says.
    pub(crate) text: Text,
    /// The verdict that it says, for its colour and sign.
    pub(crate) judged: Option<Judged>,
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            judged: None,
        }
    }
}

/// What most readers pass over, below a line that says what it is.
#[derive(Serialize)]
pub(crate) struct Fold {
    /// What it is.
    pub(crate) summary: String,
    /// What is folded away.
    pub(crate) blocks: Vec<Block>,
}

/// Text with marks.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Text {
    /// Its pieces, in order.
    pub(crate) spans: Vec<Span>,
}

/// A piece of text with one mark.
#[derive(Serialize)]
pub(crate) struct Span {
    /// What it says.
    pub(crate) text: String,
    /// How it is marked.
    pub(crate) mark: TextMark,
}

/// How a piece of text is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TextMark {
    /// Not at all.
    Plain,
    /// Important.
    Strong,
    /// Emphasised.
    Emphasis,
    /// What is typed, or a program's own name for something.
    Code,
    /// The star that marks the headline measure, and nothing else.
    Star,
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::marked(text, TextMark::Plain)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Text {
    /// Text with the same mark from its beginning to its end.
    pub(crate) fn marked(text: impl Into<String>, mark: TextMark) -> Self {
        Self {
            spans: vec![Span {
                text: text.into(),
                mark,
            }],
        }
    }

    /// With this behind it.
    pub(crate) fn then(mut self, text: impl Into<String>, mark: TextMark) -> Self {
        self.spans.extend(Self::marked(text, mark).spans);
        self
    }

    /// Text whose stars mark the headline measure.
    pub(crate) fn with_stars(text: &str) -> Self {
        let mut spans = Vec::new();
        for (index, piece) in text.split('*').enumerate() {
            let star = (index > 0).then_some(("*", TextMark::Star));
            let piece = (!piece.is_empty()).then_some((piece, TextMark::Plain));
            spans.extend(star.into_iter().chain(piece).map(|(text, mark)| Span {
                text: text.to_owned(),
                mark,
            }));
        }
        Self { spans }
    }

    /// A template that has its marks in it, as Markdown writes them (`**strong**`, `*emphasis*`, `` `code` ``), filled in.
    /// Values are never looked into for marks.
    pub(crate) fn filled(template: &str, values: &[(&str, &dyn Display)]) -> Self {
        let mut spans = Vec::new();
        let mut mark = TextMark::Plain;
        let mut rest = template;
        while !rest.is_empty() {
            let end = rest.find(['*', '`']).unwrap_or(rest.len());
            if end > 0 {
                let text = fill(&rest[..end], values);
                spans.push(Span { text, mark });
            }
            let (sign, toggled) = match &rest[end..] {
                at if at.starts_with("**") => ("**", TextMark::Strong),
                at if at.starts_with('*') => ("*", TextMark::Emphasis),
                at if at.starts_with('`') => ("`", TextMark::Code),
                _ => ("", mark),
            };
            mark = if mark == toggled { TextMark::Plain } else { toggled };
            rest = &rest[end + sign.len()..];
        }
        Self { spans }
    }

    /// Without its marks.
    pub(crate) fn plain(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// The drawing of a plot as a part of the page.
fn svg<S: Serializer>(plot: &Plot, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&plot.inline())
}

/// The drawings of plots as parts of the page.
fn svgs<S: Serializer>(plots: &[Plot], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(plots.iter().map(Plot::inline))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &Text) -> Vec<(&str, TextMark)> {
        let spans = text.spans.iter();
        spans.map(|span| (span.text.as_str(), span.mark)).collect()
    }

    #[test]
    fn a_template_has_its_marks_in_it_and_a_value_none() {
        let text = Text::filled(
            "**{arm}:** see `{run}`, *{arm}*.",
            &[("arm", &"a*b"), ("run", &"7")],
        );
        assert_eq!(
            spans(&text),
            [
                ("a*b:", TextMark::Strong),
                (" see ", TextMark::Plain),
                ("7", TextMark::Code),
                (", ", TextMark::Plain),
                ("a*b", TextMark::Emphasis),
                (".", TextMark::Plain),
            ]
        );
        assert_eq!(text.plain(), "a*b: see 7, a*b.");
    }

    #[test]
    fn a_star_marks_the_headline() {
        let text = Text::with_stars("throughput *");
        assert_eq!(
            spans(&text),
            [("throughput ", TextMark::Plain), ("*", TextMark::Star)]
        );
        assert_eq!(
            spans(&Text::with_stars("* headline")),
            [("*", TextMark::Star), (" headline", TextMark::Plain)]
        );
    }
}
