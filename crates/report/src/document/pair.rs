//! Two runs side by side as a document: the runs, the facts that differ, the ratios to an anchor, the values, and the verdicts.

use super::block::{
    Column, ColumnKind, ContentBlock, Document, List, ListItem, Region, Section, Spacing, TableBlock,
    TablePart, Text,
};
use crate::comparison::difference_text;
use crate::units;
use crate::words::Label;
use model::load::Load;
use record::outcome::Estimate;
use record::pair::{ArmVerdict, ComparedRow, DifferingFact, NotComparable, Row, RowKey, RunPair, RunSummary};
use say::{Language, Say, text};

/// The words of two runs side by side.
/// Explanations have marks as in Markdown.
#[derive(Say)]
enum PairText<'a> {
    #[say(en = "Two runs side by side", zh = "两次运行对照")]
    Title,
    #[say(
        en = "{side} is {run} ({experiment}), measured for {minutes} min (starts: {starts}) on {machine}.{interrupted? Its user ended it early.}",
        zh = "{side} 为 {run}（{experiment}）：{starts} 次启动，用时 {minutes} 分钟，机器：{machine}。{interrupted? 该运行被用户提前结束。}"
    )]
    Side {
        side: &'a str,
        run: &'a str,
        experiment: &'a str,
        minutes: &'a str,
        starts: u32,
        machine: &'a str,
        interrupted: bool,
    },
    #[say(
        en = "Both are the same run, so that there is nothing to compare.",
        zh = "两者是同一次运行，没有可比较的内容。"
    )]
    SameRun,
    #[say(
        en = "The machines are of different classes. No figures are compared, because a difference may come from the machine.",
        zh = "两台机器不属于同一类别。差异可能来自机器，因此不比较任何数值。"
    )]
    OtherClass,
    #[say(
        en = "The versions of prony differ, and may measure in different ways. No figures are compared; `prony report \
              --recompute` judges stored slices anew, but does not measure them anew.",
        zh = "两次运行的 prony 版本不同，测量方法可能不同，因此不比较任何数值；`prony report --recompute` 只重新判定已保存的数据，并不重新测量。"
    )]
    OtherMethod,
    #[say(
        en = "The requests or the load differ, so that only start-up times are compared.",
        zh = "请求或负载不同，因此只比较启动时间。"
    )]
    OtherWorkload,
    #[say(en = "No arm has the same name in both runs.", zh = "两次运行中没有同名的对象。")]
    NoCommonArm,
    #[say(en = "Facts that differ", zh = "不同的事实")]
    Differ,
    #[say(
        en = "{alike} other facts of machine, arms and design are the same.",
        zh = "机器、对象与设计的其余 {alike} 项事实相同。"
    )]
    Alike { alike: usize },
    #[say(
        en = "No fact of machine, arms and design differs ({alike} are the same).",
        zh = "机器、对象与设计的事实没有不同（共 {alike} 项相同）。"
    )]
    AllAlike { alike: usize },
    #[say(en = "{arm} against {anchor}, in both runs", zh = "{arm} 相对于 {anchor}（两次运行）")]
    Anchored { arm: &'a str, anchor: &'a str },
    #[say(
        en = "{anchor} is the same in both runs, as far as their facts tell. The figures are ratios to it: inside a run both \
              arms met the same noise, so that the drift of the machine between the runs cancels. Intervals are 95 % each \
              (Welch, over the starts of both runs), and are not corrected for their number or for the moment at which a run \
              ended.",
        zh = "就已记录的事实而言，{anchor} 在两次运行中相同。下列数值是与它的比值：同一次运行中的两个对象处于相同的噪声之下，因此机器在两次运行之间的漂移被抵消。每个区间的置信度为 95 %\
              （Welch 方法，基于两次运行的各次启动），未对区间的数量或运行结束的时刻作校正。"
    )]
    AnchoredExplained { anchor: &'a str },
    #[say(
        en = "No baseline of these runs is the same arm in both, so that nothing cancels the drift of the machine between \
              them. To compare with an anchor, keep one arm unchanged in both runs and make it the baseline, or measure the \
              arms in one run: `prony run FILE --against RUN`.",
        zh = "两次运行的基线都不是同一个对象，因此无法抵消机器在两次运行之间的漂移。若要借助锚点比较，请在两次运行中保留一个不变的对象作为基线，或在同一次运行中测量它们：`prony run FILE --against RUN`。"
    )]
    NoAnchor,
    #[say(en = "{arm}: values of each run", zh = "{arm}：各次运行的测量值")]
    Values { arm: &'a str },
    #[say(
        en = "These runs were not interleaved, so that the drift of the machine between them is contained in these \
              differences. They have no interval, because starts of one run do not show that drift. For the anchor, the \
              difference *is* the drift.",
        zh = "这两次运行并非交替进行，因此下列差异包含机器在两次运行之间的漂移。它们没有区间，因为同一次运行的各次启动无法体现这种漂移。对锚点而言，差异*就是*漂移。"
    )]
    ValuesExplained,
    #[say(en = "difference B to A", zh = "B 相对于 A 的差异")]
    Difference,
    #[say(en = "not compared", zh = "不可比的原因")]
    WhyNot,
    #[say(en = "Verdicts of each run, against its own baseline", zh = "各次运行相对于自身基线的结论")]
    Verdicts,
    #[say(en = "at the fixed rate", zh = "固定速率下")]
    FixedRate,
    #[say(en = "of each start", zh = "每次启动")]
    EachStart,
}

/// Most characters of a fact.
const FACT: usize = 160;
/// The names of the two runs in tables.
const SIDES: [&str; 2] = ["A", "B"];

/// What the sections are made from.
struct PairInput<'a> {
    pair: &'a RunPair,
    language: Language,
}

/// The document.
pub(crate) fn pair_document(pair: &RunPair, language: Language) -> Document {
    let input = PairInput { pair, language };
    let mut sections = vec![input.runs(), input.facts()];
    sections.extend(input.anchored());
    sections.extend(input.values());
    sections.extend(input.verdicts());
    Document { title: text(&PairText::Title, language), sections }
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
    fn say(&self, words: &impl Say) -> String {
        text(words, self.language)
    }

    fn explained(&self, words: &PairText<'_>) -> Text {
        Text::with_marks(words, self.language)
    }

    /// The two runs, and what is not compared whatever the measure.
    fn runs(&self) -> Section {
        let sides = SIDES.iter().zip(&self.pair.sides);
        let runs = ContentBlock::list(sides.map(|(side, run)| self.run(side, run)));
        let why_not = self.pair.why_not.iter().filter_map(|reason| match reason {
            NotComparable::SameRun => Some(PairText::SameRun),
            NotComparable::MachineClass => Some(PairText::OtherClass),
            NotComparable::Method => Some(PairText::OtherMethod),
            NotComparable::Workload => Some(PairText::OtherWorkload),
            _ => None,
        });
        let lonely = !self.pair.values.iter().any(|row| is_in_both(&row.row));
        let lonely = lonely.then_some(PairText::NoCommonArm);
        let reasons =
            why_not.chain(lonely).map(|reason| self.explained(&reason)).map(ContentBlock::paragraph);
        section("pair-runs", None, [runs].into_iter().chain(reasons).collect())
    }

    fn run(&self, side: &str, run: &RunSummary) -> String {
        let minutes = format!("{:.1}", run.elapsed / 60.0);
        let side = PairText::Side {
            side,
            run: &run.run,
            experiment: &run.experiment,
            minutes: &minutes,
            starts: run.starts,
            machine: &run.machine,
            interrupted: run.interrupted,
        };
        self.say(&side)
    }

    fn facts(&self) -> Section {
        let alike = self.pair.alike;
        if self.pair.differ.is_empty() {
            let all = ContentBlock::explanation(self.say(&PairText::AllAlike { alike }));
            return section("pair-facts", None, vec![all]);
        }
        let items = self.pair.differ.iter().map(|fact| self.fact(fact)).collect();
        let differ = ContentBlock::List(List { items, faint: false });
        let blocks = vec![differ, ContentBlock::explanation(self.say(&PairText::Alike { alike }))];
        section("pair-facts", Some(self.say(&PairText::Differ)), blocks)
    }

    fn fact(&self, fact: &DifferingFact) -> ListItem {
        let lines = SIDES.iter().zip(&fact.sides).map(|(side, value)| {
            let value = value.clone().unwrap_or_else(|| self.say(&Label::Absent));
            format!("{side}: {}", units::truncated(&value.replace('\n', " "), FACT)).into()
        });
        ListItem { text: fact.name.as_str().into(), lines: lines.collect() }
    }

    /// The ratios to the anchor; a sentence if there is no anchor, and nothing for a run beside itself.
    fn anchored(&self) -> Vec<Section> {
        let Some(anchor) = &self.pair.anchor else {
            let why = ContentBlock::paragraph(self.explained(&PairText::NoAnchor));
            return vec![section("pair-anchor", None, vec![why])];
        };
        let ratio = |_: &RowKey, value: &Estimate| format!("{:.3}", value.value);
        let mut sections: Vec<Section> = Vec::new();
        for (arm, rows) in by_arm(&self.pair.against_anchor) {
            let heading = self.say(&PairText::Anchored { arm, anchor });
            let mut blocks = vec![self.table(rows, ratio)];
            if sections.is_empty() {
                let how = self.explained(&PairText::AnchoredExplained { anchor });
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
            let heading = self.say(&PairText::Values { arm });
            let mut blocks = vec![self.table(rows, value)];
            if sections.is_empty() {
                let how = self.explained(&PairText::ValuesExplained);
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
            let measure = self.say(&row.row.key.measure);
            let difference =
                row.ratio.as_ref().map_or_else(|| "–".to_owned(), |ratio| self.difference(ratio));
            let why_not = self.say(&row.why_not);
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
                Column::new(ColumnKind::Difference, self.say(&PairText::Difference)),
                Column::new(ColumnKind::Phrase, self.say(&PairText::WhyNot)),
            ],
            parts: parts.collect(),
            narrow: false,
        })
    }

    /// A difference with its interval; a value of an arm alone has none.
    fn difference(&self, ratio: &Estimate) -> String {
        match ratio.low {
            Some(_) => difference_text(ratio, self.language),
            None => format!("{} %", units::percent(ratio.value)),
        }
    }

    /// The name of the load of a row.
    fn load(&self, key: &RowKey) -> String {
        match (key.users, key.fixed) {
            (None, true) => self.say(&PairText::FixedRate),
            (None, false) => self.say(&PairText::EachStart),
            (users, _) => crate::loads::load_name(&Load { users, ..Load::default() }, self.language),
        }
    }

    fn verdicts(&self) -> Option<Section> {
        let rows: Vec<Vec<String>> = self.pair.verdicts.iter().map(|row| self.verdict_row(row)).collect();
        let columns = vec![
            Column::bare(ColumnKind::RowHeading),
            Column::new(ColumnKind::Phrase, SIDES[0]),
            Column::new(ColumnKind::Phrase, SIDES[1]),
        ];
        let heading = Some(self.say(&PairText::Verdicts));
        let table = (!rows.is_empty()).then(|| ContentBlock::table(columns, rows));
        table.map(|table| section("pair-verdicts", heading, vec![table]))
    }

    fn verdict_row(&self, row: &Row<ArmVerdict>) -> Vec<String> {
        let verdict = |side: &Option<ArmVerdict>| {
            let Some(side) = side else {
                return "–".to_owned();
            };
            let verdict = self.say(&side.verdict);
            match side.ratio {
                Some(ratio) => format!("{} % {verdict}", units::percent(ratio.value)),
                None => verdict,
            }
        };
        let measure = row.key.measure.name(self.language);
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
