//! The parts of a document: sections of paragraphs, lists, tables and figures, independent of how a form shows them.

use crate::plot::Plot;
use crate::words::Label;
use record::answer::Overall;
use record::outcome::{Direction, Verdict};
use say::{Language, Say, TextPart, text};
use serde::{Serialize, Serializer};

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
    /// The part of the form in which it is shown.
    pub(crate) region: Region,
    /// Its heading; a section without one continues the section before.
    pub(crate) heading: Option<String>,
    pub(crate) blocks: Vec<ContentBlock>,
    /// How a terminal sets it apart.
    #[serde(skip)]
    pub(crate) spacing: Spacing,
}

/// A part of a form: the page has a header and a footer, and a comment folds away everything but its top.
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

/// How a terminal separates a section from the others.
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
pub(crate) enum ContentBlock {
    /// The answer to the question.
    Answer(AnswerSentence),
    /// A heading within a section.
    Heading(String),
    /// Text.
    Paragraph(Paragraph),
    /// Points below one another.
    List(List),
    /// Rows and columns.
    Table(TableBlock),
    /// Text whose line ends and blanks count.
    Preformatted(String),
    /// Blocks that belong together, in a frame where the form has frames.
    Card(Vec<ContentBlock>),
    /// Groups of blocks, each in a frame, that stand side by side where there is room.
    SideBySide(Vec<Vec<ContentBlock>>),
    /// Blocks that most readers skip.
    Fold(Fold),
    /// A plot.
    #[serde(serialize_with = "svg")]
    Figure(Plot),
    /// Small plots side by side.
    #[serde(serialize_with = "svgs")]
    Figures(Vec<Plot>),
    /// The plot of the measured run over time, which a script draws from these data in JSON.
    Timeline(String),
}

impl ContentBlock {
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
        let items = points.into_iter().map(ListItem::from).collect();
        Self::List(List { items, faint: false })
    }

    /// A table that compares an arm with the baseline: measure, both values, difference and verdict.
    pub(crate) fn comparison(baseline: &str, arm: &str, parts: Vec<TablePart>, language: Language) -> Self {
        Self::Table(TableBlock {
            columns: vec![
                Column::new(ColumnKind::Phrase, text(&Label::Measure, language)),
                Column::of_arm(baseline),
                Column::of_arm(arm),
                Column::new(ColumnKind::Difference, text(&Label::Difference, language)),
                Column::new(ColumnKind::Verdict, text(&Label::Verdict, language)),
            ],
            parts,
            narrow: true,
        })
    }

    /// A table whose rows are not divided, with these columns.
    pub(crate) fn table(columns: Vec<Column>, rows: Vec<Vec<String>>) -> Self {
        let cells = |row: Vec<String>| row.into_iter().map(Cell::from).collect();
        let rows = rows.into_iter().map(cells).collect();
        Self::Table(TableBlock { columns, parts: vec![TablePart { heading: None, rows }], narrow: false })
    }
}

/// The answer for one arm, in a sentence.
#[derive(Serialize)]
pub(crate) struct AnswerSentence {
    /// What the sentence says, as a colour and a sign.
    pub(crate) judged: Judged,
    /// The sentence.
    pub(crate) text: String,
    /// The remarks on the verdict.
    pub(crate) remark: Option<String>,
}

/// The tone of a verdict or an answer with its sign, so that colour is never its only mark.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Judged {
    pub(crate) tone: Tone,
    sign: char,
}

impl<T: Into<Tone>> From<T> for Judged {
    fn from(said: T) -> Self {
        let tone: Tone = said.into();
        Self { tone, sign: tone.sign() }
    }
}

/// What a verdict or an answer says, as far as its colour and its sign depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tone {
    /// The arm is better.
    Better,
    /// The arm is worse.
    Worse,
    /// The arms are the same.
    Same,
    /// The arm is better in one measure and worse in another.
    Mixed,
    /// Something is open.
    Inconclusive,
    /// Nothing was measured.
    Invalid,
}

impl Tone {
    /// The sign, which is shown in addition to the colour.
    pub(crate) const fn sign(self) -> char {
        match self {
            Self::Better => '▲',
            Self::Worse => '▼',
            Self::Same => '=',
            Self::Mixed => '±',
            Self::Inconclusive => '?',
            Self::Invalid => '✕',
        }
    }

    /// Its class in style sheets.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Mixed => "mixed",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}

impl From<Verdict> for Tone {
    fn from(verdict: Verdict) -> Self {
        match (verdict.direction(), verdict) {
            (Some(Direction::Better), _) => Self::Better,
            (Some(Direction::Worse), _) => Self::Worse,
            (None, Verdict::Same) => Self::Same,
            (None, Verdict::Invalid) => Self::Invalid,
            (None, _) => Self::Inconclusive,
        }
    }
}

impl From<Overall> for Tone {
    fn from(overall: Overall) -> Self {
        match overall {
            Overall::Better => Self::Better,
            Overall::Worse => Self::Worse,
            Overall::Same => Self::Same,
            Overall::Mixed => Self::Mixed,
            Overall::BetterInPart | Overall::WorseInPart | Overall::Open => Self::Inconclusive,
            Overall::Invalid => Self::Invalid,
        }
    }
}

/// A paragraph.
#[derive(Serialize)]
pub(crate) struct Paragraph {
    pub(crate) text: Text,
    /// It explains another block, and is shown less prominently.
    pub(crate) faint: bool,
}

/// Points below one another.
#[derive(Serialize)]
pub(crate) struct List {
    /// The points.
    pub(crate) items: Vec<ListItem>,
    /// They explain another block, and are shown less prominently.
    pub(crate) faint: bool,
}

/// A point of a list.
#[derive(Serialize)]
pub(crate) struct ListItem {
    pub(crate) text: Text,
    /// Further lines of the point, below its text.
    pub(crate) lines: Vec<Text>,
}

impl From<String> for ListItem {
    fn from(text: String) -> Self {
        Self { text: text.into(), lines: Vec::new() }
    }
}

/// A table.
#[derive(Serialize)]
pub(crate) struct TableBlock {
    /// Its columns, from left to right.
    pub(crate) columns: Vec<Column>,
    /// Its rows, in parts whose rows have something in common.
    pub(crate) parts: Vec<TablePart>,
    /// On a narrow screen, each row is shown on several lines.
    pub(crate) narrow: bool,
}

/// Rows of a table that have something in common.
#[derive(Serialize)]
pub(crate) struct TablePart {
    /// What they have in common. In forms that show each part as a separate table, it replaces the heading of the first column.
    pub(crate) heading: Option<String>,
    /// The rows; a row may end before the last column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Serialize)]
pub(crate) struct Column {
    pub(crate) heading: Option<String>,
    pub(crate) kind: ColumnKind,
    /// The arm whose figures these are, for forms that show a row on several lines.
    pub(crate) arm: Option<String>,
}

impl Column {
    /// A column of this kind with a heading.
    pub(crate) fn new(kind: ColumnKind, heading: impl Into<String>) -> Self {
        Self { heading: Some(heading.into()), kind, arm: None }
    }

    /// The column with the figures of an arm.
    pub(crate) fn of_arm(arm: &str) -> Self {
        Self { arm: Some(arm.to_owned()), ..Self::new(ColumnKind::Number, arm) }
    }

    /// A column of this kind without a heading.
    pub(crate) fn bare(kind: ColumnKind) -> Self {
        Self { heading: None, kind, arm: None }
    }
}

/// What a column contains; alignment, line breaks and colour follow from it.
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
    Verdict,
}

/// A cell of a table.
#[derive(Serialize)]
pub(crate) struct Cell {
    pub(crate) text: Text,
    /// The verdict in the cell, for its colour and sign.
    pub(crate) judged: Option<Judged>,
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), judged: None }
    }
}

/// Blocks that most readers skip, below a line that says what they are.
#[derive(Serialize)]
pub(crate) struct Fold {
    /// The line.
    pub(crate) summary: String,
    /// The blocks that are folded away.
    pub(crate) blocks: Vec<ContentBlock>,
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
    /// Text with one mark.
    pub(crate) fn marked(text: impl Into<String>, mark: TextMark) -> Self {
        Self { spans: vec![Span { text: text.into(), mark }] }
    }

    /// Adds text with a mark at the end.
    pub(crate) fn then(mut self, text: impl Into<String>, mark: TextMark) -> Self {
        self.spans.extend(Self::marked(text, mark).spans);
        self
    }

    /// Adds another text at the end.
    pub(crate) fn with(mut self, next: Self) -> Self {
        self.spans.extend(next.spans);
        self
    }

    /// Text whose stars mark the headline measure.
    pub(crate) fn with_stars(text: &str) -> Self {
        let mut spans = Vec::new();
        for (index, piece) in text.split('*').enumerate() {
            let star = (index > 0).then_some(("*", TextMark::Star));
            let piece = (!piece.is_empty()).then_some((piece, TextMark::Plain));
            spans.extend(
                star.into_iter().chain(piece).map(|(text, mark)| Span { text: text.to_owned(), mark }),
            );
        }
        Self { spans }
    }

    /// Words in which marks are written as in Markdown (`**strong**`, `*emphasis*`, `` `code` ``). The values in them have no
    /// marks, whatever characters they contain.
    pub(crate) fn with_marks(words: &impl Say, language: Language) -> Self {
        let mut text = Self { spans: Vec::new() };
        let mut mark = TextMark::Plain;
        for part in say::parts(words, language) {
            match part {
                TextPart::Value(value) => text.add(&value, mark),
                TextPart::Words(words) => mark = text.add_marked(&words, mark),
            }
        }
        text
    }

    /// Adds words with marks behind a text that ends with `mark`; returns the mark with which it ends now.
    fn add_marked(&mut self, words: &str, mut mark: TextMark) -> TextMark {
        let mut rest = words;
        while !rest.is_empty() {
            let end = rest.find(['*', '`']).unwrap_or(rest.len());
            self.add(&rest[..end], mark);
            let (sign, toggled) = match &rest[end..] {
                at if at.starts_with("**") => ("**", TextMark::Strong),
                at if at.starts_with('*') => ("*", TextMark::Emphasis),
                at if at.starts_with('`') => ("`", TextMark::Code),
                _ => ("", mark),
            };
            if !sign.is_empty() {
                mark = if mark == toggled { TextMark::Plain } else { toggled };
            }
            rest = &rest[end + sign.len()..];
        }
        mark
    }

    /// Adds a piece with a mark.
    fn add(&mut self, piece: &str, mark: TextMark) {
        match self.spans.last_mut().filter(|span| span.mark == mark) {
            Some(span) => span.text.push_str(piece),
            None if piece.is_empty() => {}
            None => self.spans.push(Span { text: piece.to_owned(), mark }),
        }
    }

    /// The text without its marks.
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
    fn marks_in_words_count_and_those_in_a_value_do_not() {
        #[derive(Say)]
        #[say(en = "**{arm}:** see `{run}`, *{arm}*.", zh = "**{arm}：** 见 `{run}`，*{arm}*。")]
        struct Marked {
            arm: &'static str,
            run: u8,
        }
        let text = Text::with_marks(&Marked { arm: "a*b", run: 7 }, Language::En);
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
        assert_eq!(spans(&text), [("throughput ", TextMark::Plain), ("*", TextMark::Star)]);
        assert_eq!(
            spans(&Text::with_stars("* headline")),
            [("*", TextMark::Star), (" headline", TextMark::Plain)]
        );
    }
}
