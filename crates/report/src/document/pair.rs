//! Two runs side by side as a document: the runs, the facts that differ, the ratios to an anchor, the values, and the verdicts.

use super::block::{
    Column, ColumnKind, ContentBlock, Document, List, ListItem, Region, Section, Spacing, TableBlock,
    TablePart, Text,
};
use crate::comparison::difference_text;
use crate::units;
use crate::words::pair::PairWords;
use crate::words::{self, Words, fill};
use model::load::Load;
use record::outcome::Estimate;
use record::pair::{ArmVerdict, ComparedRow, DifferingFact, NotComparable, Row, RowKey, RunPair, RunSummary};
use say::Language;

/// Most characters of a fact.
const FACT: usize = 160;
/// The names of the two runs in tables.
const SIDES: [&str; 2] = ["A", "B"];

/// What the sections are made from.
struct PairInput<'a> {
    pair: &'a RunPair,
    words: &'static Words,
    own: &'static PairWords,
}

/// The document.
pub(crate) fn pair_document(pair: &RunPair, lang: Language) -> Document {
    let input = PairInput { pair, words: words::of(lang), own: words::pair::of(lang) };
    let mut sections = vec![input.runs(), input.facts()];
    sections.extend(input.anchored());
    sections.extend(input.values());
    sections.extend(input.verdicts());
    Document { title: input.own.title.to_owned(), sections }
}

fn section(id: &'static str, heading: Option<String>, blocks: Vec<ContentBlock>) -> Section {
    Section {
        id,
        region: Region::Body,
        heading,
        blocks,
        spacing: Spacing { line_before: true, line_after: false, list_indent: 0 },
    }
}

impl PairInput<'_> {
    /// The two runs, and what is not compared whatever the measure.
    fn runs(&self) -> Section {
        let sides = SIDES.iter().zip(&self.pair.sides);
        let runs = ContentBlock::list(sides.map(|(side, run)| self.run(side, run)));
        let why_not = self.pair.why_not.iter().filter_map(|reason| match reason {
            NotComparable::SameRun => Some(self.own.same_run),
            NotComparable::MachineClass => Some(self.own.other_class),
            NotComparable::Method => Some(self.own.other_method),
            NotComparable::Workload => Some(self.own.other_workload),
            _ => None,
        });
        let lonely = !self.pair.values.iter().any(|row| is_in_both(&row.row));
        let lonely = lonely.then_some(self.own.no_common_arm);
        let reasons = why_not.chain(lonely).map(|text| ContentBlock::paragraph(Text::filled(text, &[])));
        section("pair-runs", None, [runs].into_iter().chain(reasons).collect())
    }

    fn run(&self, side: &str, run: &RunSummary) -> String {
        let minutes = format!("{:.1}", run.elapsed / 60.0);
        let text = fill(
            self.own.side,
            &[
                ("side", &side),
                ("run", &run.run),
                ("experiment", &run.experiment),
                ("starts", &run.starts),
                ("minutes", &minutes),
                ("machine", &run.machine),
            ],
        );
        match run.interrupted {
            true => format!("{text} {}", self.own.interrupted),
            false => text,
        }
    }

    fn facts(&self) -> Section {
        let alike = |text| ContentBlock::explanation(fill(text, &[("alike", &self.pair.alike)]));
        if self.pair.differ.is_empty() {
            return section("pair-facts", None, vec![alike(self.own.all_alike)]);
        }
        let items = self.pair.differ.iter().map(|fact| self.fact(fact)).collect();
        let differ = ContentBlock::List(List { items, faint: false });
        let blocks = vec![differ, alike(self.own.alike)];
        section("pair-facts", Some(self.own.differ.to_owned()), blocks)
    }

    fn fact(&self, fact: &DifferingFact) -> ListItem {
        let lines = SIDES.iter().zip(&fact.sides).map(|(side, value)| {
            let value = value.as_deref().unwrap_or(self.own.absent).replace('\n', " ");
            format!("{side}: {}", units::truncated(&value, FACT)).into()
        });
        ListItem { text: fact.name.as_str().into(), lines: lines.collect() }
    }

    /// The ratios to the anchor; a sentence if there is no anchor, and nothing for a run beside itself.
    fn anchored(&self) -> Vec<Section> {
        let Some(anchor) = &self.pair.anchor else {
            let why = ContentBlock::paragraph(Text::filled(self.own.no_anchor, &[]));
            return vec![section("pair-anchor", None, vec![why])];
        };
        let ratio = |_: &RowKey, value: &Estimate| format!("{:.3}", value.value);
        let mut sections: Vec<Section> = Vec::new();
        for (arm, rows) in by_arm(&self.pair.against_anchor) {
            let heading = fill(self.own.anchored, &[("arm", &arm), ("anchor", anchor)]);
            let mut blocks = vec![self.table(rows, ratio)];
            if sections.is_empty() {
                let how = Text::filled(self.own.anchored_how, &[("anchor", anchor)]);
                blocks.insert(0, ContentBlock::explanation(how));
            }
            sections.push(section("pair-anchor", Some(heading), blocks));
        }
        sections
    }

    fn values(&self) -> Vec<Section> {
        let value = |key: &RowKey, value: &Estimate| units::value(key.measure, value.value);
        let mut sections: Vec<Section> = Vec::new();
        for (arm, rows) in by_arm(&self.pair.values) {
            let heading = fill(self.own.values, &[("arm", &arm)]);
            let mut blocks = vec![self.table(rows, value)];
            if sections.is_empty() {
                let how = Text::filled(self.own.values_how, &[]);
                blocks.insert(0, ContentBlock::explanation(how));
            }
            sections.push(section("pair-values", Some(heading), blocks));
        }
        sections
    }

    /// The rows of an arm, in a part for each load.
    fn table(&self, rows: &[ComparedRow], figure: impl Fn(&RowKey, &Estimate) -> String) -> ContentBlock {
        let cells = |row: &ComparedRow| {
            let side = |at: usize| {
                let value = row.row.sides[at].as_ref();
                value.map_or_else(|| "–".to_owned(), |value| figure(&row.row.key, value))
            };
            let measure = self.words.measure(row.row.key.measure).to_owned();
            let difference =
                row.ratio.as_ref().map_or_else(|| "–".to_owned(), |ratio| self.difference(ratio));
            let why_not = row.why_not.map_or("", |reason| self.own.reason(reason)).to_owned();
            [measure, side(0), side(1), difference, why_not].map(super::block::Cell::from).into()
        };
        let parts = rows.chunk_by(|one, next| self.load(&one.row.key) == self.load(&next.row.key));
        let parts = parts.map(|rows| TablePart {
            heading: Some(self.load(&rows[0].row.key)),
            rows: rows.iter().map(cells).collect(),
        });
        ContentBlock::Table(TableBlock {
            columns: vec![
                Column::bare(ColumnKind::RowHeading),
                Column::new(ColumnKind::Number, SIDES[0]),
                Column::new(ColumnKind::Number, SIDES[1]),
                Column::new(ColumnKind::Difference, self.own.difference),
                Column::new(ColumnKind::Phrase, self.own.why_not),
            ],
            parts: parts.collect(),
            narrow: false,
        })
    }

    /// A difference with its interval; a value of an arm alone has none.
    fn difference(&self, ratio: &Estimate) -> String {
        match ratio.low {
            Some(_) => difference_text(ratio, self.words),
            None => format!("{} %", units::percent(ratio.value)),
        }
    }

    /// The name of the load of a row.
    fn load(&self, key: &RowKey) -> String {
        match (key.users, key.fixed) {
            (None, true) => self.own.fixed.to_owned(),
            (None, false) => self.own.once.to_owned(),
            (users, _) => crate::loads::load_name(&Load { users, ..Load::default() }, self.words),
        }
    }

    fn verdicts(&self) -> Option<Section> {
        let rows: Vec<Vec<String>> = self.pair.verdicts.iter().map(|row| self.verdict_row(row)).collect();
        let columns = vec![
            Column::bare(ColumnKind::RowHeading),
            Column::new(ColumnKind::Phrase, SIDES[0]),
            Column::new(ColumnKind::Phrase, SIDES[1]),
        ];
        let heading = Some(self.own.verdicts.to_owned());
        let table = (!rows.is_empty()).then(|| ContentBlock::table(columns, rows));
        table.map(|table| section("pair-verdicts", heading, vec![table]))
    }

    fn verdict_row(&self, row: &Row<ArmVerdict>) -> Vec<String> {
        let verdict = |side: &Option<ArmVerdict>| {
            let Some(side) = side else {
                return "–".to_owned();
            };
            let verdict = self.words.verdict(side.verdict);
            match side.ratio {
                Some(ratio) => format!("{} % {verdict}", units::percent(ratio.value)),
                None => verdict.to_owned(),
            }
        };
        let measure = self.words.measure(row.key.measure);
        let what = format!("{} · {measure} · {}", row.key.arm, self.load(&row.key));
        [what].into_iter().chain(row.sides.iter().map(verdict)).collect()
    }
}

/// Whether both runs have it.
fn is_in_both<T>(row: &Row<T>) -> bool {
    row.sides.iter().all(Option::is_some)
}

/// The rows of each arm, with its name.
fn by_arm(rows: &[ComparedRow]) -> impl Iterator<Item = (&str, &[ComparedRow])> {
    rows.chunk_by(|one, next| one.row.key.arm == next.row.key.arm)
        .map(|rows| (rows[0].row.key.arm.as_str(), rows))
}
