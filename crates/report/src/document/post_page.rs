//! The page about a comparison that somebody else published, from all runs that repeat it.

use super::block::{Column, Spacing};
use super::form::POST;
use super::{
    ColumnKind, ContentBlock, Document, Fold, List, ListItem, Region, Section, Text, TextMark, build,
    details, diagnoses, open, reference,
};
use crate::plot;
use crate::post_words::PostWords;
use crate::units;
use crate::words::Label;
use record::outcome::Report;
use say::{Language, Say, text};

/// The words of the page.
#[derive(Say)]
enum PostText {
    #[say(en = "The post's figures and ours", zh = "原文数据与我们的数据")]
    Figures,
    #[say(en = "Every run", zh = "各次运行")]
    Runs,
    #[say(en = "What this machine could not show", zh = "本机无法呈现的内容")]
    NotShown,
    #[say(en = "Where and when", zh = "地点与时间")]
    Where,
    #[say(en = "day", zh = "日期")]
    Day,
    #[say(en = "seed", zh = "种子")]
    Seed,
    #[say(en = "starts", zh = "启动次数")]
    Starts,
    #[say(en = "time", zh = "用时")]
    Time,
    #[say(en = "machine", zh = "机器")]
    Machine,
}

/// The machine of a run.
#[derive(Say)]
#[say(en = "{cpus} CPUs, {cpu}, {os}, kernel {kernel}", zh = "{cpus} 个 CPU，{cpu}，{os}，内核 {kernel}")]
struct MachineFacts<'a> {
    cpus: &'a str,
    cpu: &'a str,
    os: &'a str,
    kernel: &'a str,
}

/// A run, and the sections of its report in the form of a post.
struct RunPart<'a> {
    report: &'a Report,
    question: String,
    sections: Vec<Section>,
}

impl<'a> RunPart<'a> {
    fn of(report: &'a Report, language: Language) -> Self {
        let Document { title, sections } = build(report, None, language, &POST);
        Self { report, question: title, sections }
    }

    /// Takes the blocks of a section; without the section there are none.
    fn take(&mut self, id: &str) -> Vec<ContentBlock> {
        let place = self.sections.iter().position(|section| section.id == id);
        place.map_or_else(Vec::new, |place| self.sections.remove(place).blocks)
    }

    /// Takes all sections that are left, as what unfolds below the question of the run.
    fn fold(&mut self) -> ContentBlock {
        let mut blocks = Vec::new();
        for section in self.sections.drain(..) {
            blocks.extend(section.heading.map(ContentBlock::Heading));
            // What is folded away once need not be folded away within that.
            blocks.extend(section.blocks.into_iter().flat_map(|block| match block {
                ContentBlock::Fold(fold) if section.id == details::ID => fold.blocks,
                block => vec![block],
            }));
        }
        let summary = format!("{} (`{}`)", self.question, self.report.experiment);
        ContentBlock::Fold(Fold { summary, blocks })
    }
}

/// The page of these runs, which are in the order of the words.
pub(crate) fn post_document(words: &PostWords, runs: &[Report], language: Language) -> Document {
    let mut parts: Vec<RunPart<'_>> = runs.iter().map(|report| RunPart::of(report, language)).collect();
    let said = words.said.text_in(language);
    let said = (!said.is_empty()).then(|| ContentBlock::paragraph(said.replace('\n', " ")));
    let top = Section { region: Region::Top, ..section("said", None, said.into_iter().collect()) };
    let asked = section(open::ID, heading(&open::OpenHeading, language), answers(&mut parts, language));
    let figures = figures(words, &mut parts, language);
    let limits = limits(&mut parts);
    let folds = parts.iter_mut().map(RunPart::fold).collect();
    let not_shown = words.not_shown.iter().map(|one| one.text_in(language).to_owned());
    let not_shown = (!words.not_shown.is_empty()).then(|| ContentBlock::list(not_shown));
    let sections = [
        top,
        asked,
        section(reference::ID, heading(&PostText::Figures, language), figures),
        section(diagnoses::ID, heading(&diagnoses::Beginnings, language), limits),
        section("runs", heading(&PostText::Runs, language), folds),
        section("not_shown", heading(&PostText::NotShown, language), not_shown.into_iter().collect()),
        section("where", heading(&PostText::Where, language), vec![places(runs, language)]),
    ];
    let sections = sections.into_iter().filter(|section| !section.blocks.is_empty());
    Document { title: words.title.text_in(language).to_owned(), sections: sections.collect() }
}

fn heading(words: &impl Say, language: Language) -> Option<String> {
    Some(text(words, language))
}

fn section(id: &'static str, heading: Option<String>, blocks: Vec<ContentBlock>) -> Section {
    let spacing = Spacing { line_before: true, line_after: false, list_indent: 0 };
    Section { id, region: Region::Body, heading, blocks, spacing }
}

/// The questions that were left open, each with its answers. The answer of a further run to the same question names its experiment.
fn answers(parts: &mut [RunPart<'_>], language: Language) -> Vec<ContentBlock> {
    let mut asked: Vec<(String, Vec<Text>)> = Vec::new();
    for part in parts {
        part.take(open::ID);
        for (question, answer) in open::answered(part.report, language) {
            match asked.iter_mut().find(|(known, _)| *known == question) {
                Some((_, answers)) => {
                    let name =
                        Text::marked(&part.report.experiment, TextMark::Code).then(" ", TextMark::Plain);
                    answers.push(name.with(answer));
                }
                None => asked.push((question, vec![answer])),
            }
        }
    }
    let item = |(question, lines): (String, Vec<Text>)| ListItem {
        text: Text::marked(question, TextMark::Strong),
        lines,
    };
    let items: Vec<ListItem> = asked.into_iter().map(item).collect();
    let list = (!items.is_empty()).then_some(ContentBlock::List(List { items, faint: false }));
    list.into_iter().collect()
}

/// The published figures beside ours, and where a run has several levels the plot over them. Further tables are below the question of
/// their run.
fn figures(words: &PostWords, parts: &mut [RunPart<'_>], language: Language) -> Vec<ContentBlock> {
    let mut blocks = Vec::new();
    for part in parts {
        let table = part.take(reference::ID);
        if table.is_empty() || !words.tables.contains(&part.report.experiment) {
            continue;
        }
        if !blocks.is_empty() {
            blocks.push(ContentBlock::Heading(part.question.clone()));
        }
        let mut table = table.into_iter();
        // The explanation and the table of the most important figure come before the plot, and the other figures are folded away.
        blocks.extend(table.by_ref().take(2));
        if let Some(mut plot) = plot::over_users(part.report, language) {
            plot.name = format!("{}{}", part.report.experiment, language.choose("", ".zh"));
            blocks.push(ContentBlock::Figure(plot));
        }
        blocks.extend(table);
    }
    blocks
}

/// Where the limits of each run begin; with several runs each below its question.
fn limits(parts: &mut [RunPart<'_>]) -> Vec<ContentBlock> {
    let is_alone = parts.len() == 1;
    let of_part = |part: &mut RunPart<'_>| {
        let blocks = part.take(diagnoses::ID);
        let heading = ContentBlock::Heading(part.question.clone());
        let heading = (!is_alone && !blocks.is_empty()).then_some(heading);
        heading.into_iter().chain(blocks).collect::<Vec<_>>()
    };
    parts.iter_mut().flat_map(of_part).collect()
}

/// Where and when each run was made.
fn places(runs: &[Report], language: Language) -> ContentBlock {
    let words = |words: &dyn Say| text(words, language);
    let phrase = |heading: &dyn Say| Column::new(ColumnKind::Phrase, words(heading));
    let number = |heading: &dyn Say| Column::new(ColumnKind::Number, words(heading));
    let columns = vec![
        phrase(&Label::Experiment),
        phrase(&PostText::Day),
        number(&PostText::Seed),
        number(&PostText::Starts),
        number(&PostText::Time),
        Column::new(ColumnKind::Text, words(&PostText::Machine)),
        phrase(&Label::Run),
    ];
    let row = |report: &Report| {
        let fact = |name: &str| report.fingerprint.get(name).map_or("?", String::as_str);
        let machine =
            MachineFacts { cpus: fact("cpus"), cpu: fact("cpu"), os: fact("os"), kernel: fact("kernel") };
        vec![
            format!("`{}`", report.experiment),
            report.run.chars().take(DAY).collect(),
            report.seed.to_string(),
            report.design.starts.to_string(),
            units::minutes(report.design.elapsed.0, language),
            words(&machine),
            format!("`{}`", report.run),
        ]
    };
    ContentBlock::table(columns, runs.iter().map(row).collect())
}

/// The characters of the day with which the id of a run begins.
const DAY: usize = 10;
