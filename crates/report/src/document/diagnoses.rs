//! What limited the arms. Each cause is shown once for each arm, with all loads at which it was at work.

use super::block::{Column, Text};
use super::shown_as::Diagnoses;
use super::{ColumnKind, Content, ContentBlock, List, ListItem, SectionInput, TextMark};
use crate::loads::{joined_load_names, load_name};
use crate::words::Label;
use record::finding::{Cause, Rank, Remedy};
use record::outcome::{ArmResult, Diagnosis, Evidence, FoundCause, Report};
use say::{Language, Say, text};

pub(super) const ID: &str = "diagnoses";

/// The words around causes.
#[derive(Say)]
enum DiagnosisText<'a> {
    #[say(en = "why", zh = "原因")]
    Why,
    #[say(en = "Why", zh = "原因")]
    Heading,
    /// Where a cause begins that is at work at all higher levels, too.
    #[say(en = "from {users} connections on", zh = "从 {users} 个连接起")]
    FromUsers { users: u64 },
    #[say(en = "What limited the servers", zh = "瓶颈所在")]
    CardsHeading,
    #[say(
        en = "Causes that were found, each with the figures behind it.",
        zh = "已查明的原因，及其数据依据。"
    )]
    CardsExplained,
    #[say(en = "{arm}, {at}: {also?also }{cause}: {says}", zh = "{arm}，{at}：{also?另有 }{cause}：{says}")]
    Line { arm: &'a str, at: &'a str, also: bool, cause: &'a str, says: &'a Diagnosis },
    #[say(
        en = "**{arm}, {at}: {also?also }{cause}.** {says}. *Try:* {change}.",
        zh = "**{arm}，{at}：{also?另有 }{cause}。** {says}。*建议：* {change}。"
    )]
    Marked { arm: &'a str, at: &'a str, also: bool, cause: &'a str, says: &'a str, change: &'a str },
    /// A trial of the change was in vain.
    #[say(
        en = "**{arm}, {at}: {also?also }{cause}.** {says}. *{result}.*",
        zh = "**{arm}，{at}：{also?另有 }{cause}。** {says}。*{result}。*"
    )]
    MarkedInVain { arm: &'a str, at: &'a str, also: bool, cause: &'a str, says: &'a str, result: &'a str },
    /// What stands between the arm and the cause on a card.
    #[say(en = " · {at} · {also?also }", zh = " · {at} · {also?另有 }")]
    CardPlace { at: &'a str, also: bool },
    #[say(en = "try: {0}", zh = "建议：{0}")]
    Try(&'a Remedy),
    #[say(en = "Try: {0}", zh = "建议：{0}")]
    CardTry(&'a Remedy),
    #[say(
        en = "trial: with {change:clauses} throughput is {times} times as high{ends}",
        zh = "已试验：设 {change:clauses} 后，吞吐量为原来的 {times} 倍{ends}"
    )]
    Tried { change: &'a [String], times: &'a str, ends: &'a str },
    #[say(
        en = "do not change it for this: in a trial with {change:clauses} throughput was {times} times as high{ends}, so \
              something else limits it",
        zh = "不必为此改动：试验中设 {change:clauses} 后，吞吐量为原来的 {times} 倍{ends}，说明另有瓶颈"
    )]
    InVain { change: &'a [String], times: &'a str, ends: &'a str },
    #[say(
        en = "nothing is wrong, a load that asks as fast as it is answered always meets a limit: {0:semicolons}",
        zh = "没有问题，收到应答即再次请求的负载总会遇到某个限制：{0:semicolons}"
    )]
    Expected(&'a [ExpectedLimit<'a>]),
    #[say(
        en = "{arm}, {at}: not the server was measured: {why}",
        zh = "{arm}，{at}：测到的不是服务器：{why}"
    )]
    NotMeasured { arm: &'a str, at: &'a str, why: &'a str },
    #[say(en = "Evidence", zh = "依据")]
    Evidence,
}

/// The heading above the causes of a table with many levels.
#[derive(Say)]
#[say(en = "Where limits begin", zh = "瓶颈从何处开始")]
pub(super) struct Beginnings;

/// An arm with a limit that is expected of it.
#[derive(Say)]
#[say(en = "{arm} ({finding})", zh = "{arm}（{finding}）")]
struct ExpectedLimit<'a> {
    arm: &'a str,
    finding: FoundCause<'a>,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let of_arm = |arm| {
        let mut causes = causes_of_arm(arm, language);
        match source.form.diagnoses {
            Diagnoses::FirstOfEachArm => causes.truncate(1),
            Diagnoses::Beginnings => causes.retain(|cause| cause.comes_first),
            _ => (),
        }
        causes
    };
    let causes: Vec<LimitingCause<'_>> = report.arms.iter().flat_map(of_arm).collect();
    let has_line = |arm: &ArmResult| causes.iter().any(|cause| cause.arm.name == arm.name);
    let at_full_cpu =
        report.arms.iter().filter(|arm| source.form.diagnoses != Diagnoses::FirstOfEachArm || !has_line(arm));
    let expected = expected(at_full_cpu, language);
    let not_measured: Vec<String> = report
        .arms
        .iter()
        .filter(|arm| !report.searched() && !has_line(arm))
        .flat_map(|arm| not_measured(arm, language))
        .collect();
    if causes.is_empty() && expected.is_none() && not_measured.is_empty() {
        return None;
    }
    let list = |item: fn(&LimitingCause<'_>, Language) -> ListItem| {
        let items = causes.iter().map(|cause| item(cause, language));
        let others = not_measured.iter().cloned().chain(expected.clone());
        let items = items.chain(others.map(ListItem::from)).collect();
        vec![ContentBlock::List(List { items, faint: false })]
    };
    match source.form.diagnoses {
        Diagnoses::Sentences => Content::of(text(&DiagnosisText::Why, language), list(sentence)),
        Diagnoses::Beginnings => Content::of(text(&Beginnings, language), list(sentence)),
        Diagnoses::Points => Content::of(text(&DiagnosisText::Heading, language), list(point)),
        Diagnoses::FirstOfEachArm => Content::of(text(&DiagnosisText::Heading, language), list(line)),
        Diagnoses::Cards => {
            let explanation = (!causes.is_empty())
                .then(|| ContentBlock::explanation(text(&DiagnosisText::CardsExplained, language)));
            let cards = causes.iter().map(|cause| card(cause, language));
            let blocks = explanation.into_iter().chain(cards);
            let others = not_measured.iter().cloned().chain(expected.clone());
            let blocks = blocks.chain(others.map(ContentBlock::paragraph));
            Content::of(text(&DiagnosisText::CardsHeading, language), blocks.collect::<Vec<_>>())
        }
    }
}

/// The beginning of a sentence that names a cause.
#[derive(Say)]
#[say(en = "{arm}, {at}: {cause}.", zh = "{arm}，{at}：{cause}。")]
struct NamedCause<'a> {
    arm: &'a str,
    at: &'a str,
    cause: &'a str,
}

/// The numbers of a cause, as a sentence.
#[derive(Say)]
#[say(en = " {says}.", zh = "{says}。")]
struct CauseNumbers<'a> {
    says: &'a Diagnosis,
}

impl LimitingCause<'_> {
    /// A sentence that names the cause, without what to try.
    fn named(&self, language: Language) -> Text {
        let cause = self.diagnosis.cause();
        let named = NamedCause { arm: &self.arm.name, at: &self.at, cause: cause.id() };
        let numbers = CauseNumbers { says: self.diagnosis };
        Text::marked(text(&named, language), TextMark::Strong).then(text(&numbers, language), TextMark::Plain)
    }
}

/// The cause that limited each arm most, then the arms that a full CPU limits as expected, and what was not measured.
pub(super) fn first_of_each_arm(report: &Report, language: Language) -> Vec<Text> {
    let has_cause = |arm: &ArmResult| !causes_of_arm(arm, language).is_empty();
    let first = |arm: &ArmResult| Some(causes_of_arm(arm, language).first()?.named(language));
    let full = expected(report.arms.iter().filter(|arm| !has_cause(arm)), language);
    let not_measured = |arm: &ArmResult| not_measured(arm, language);
    let unmeasured =
        report.arms.iter().filter(|arm| !report.searched() && !has_cause(arm)).flat_map(not_measured);
    let others = full.into_iter().chain(unmeasured).map(Text::from);
    report.arms.iter().filter_map(first).chain(others).collect()
}

/// An arm as it was at this number of users; with all its levels where none is given.
fn at_users(arm: &ArmResult, users: Option<u64>) -> ArmResult {
    let mut arm = arm.clone();
    if users.is_some() {
        arm.diagnoses.retain(|diagnosis| diagnosis.level.users == users);
        arm.levels.retain(|level| level.load.users == users);
    }
    arm
}

/// What was measured in the place of an arm at this number of users or anywhere; `None` where nothing is known.
pub(super) fn measured_instead(arm: &ArmResult, users: Option<u64>, language: Language) -> Option<Text> {
    let arm = at_users(arm, users);
    let causes = causes_of_arm(&arm, language);
    let voids = |cause: &&LimitingCause<'_>| cause.diagnosis.cause().rank() == Rank::Voids;
    causes.iter().find(voids).map(|cause| cause.named(language))
}

/// What limited one arm most, at this number of users or anywhere; `None` where nothing is known.
pub(super) fn first_of_arm(arm: &ArmResult, users: Option<u64>, language: Language) -> Option<Text> {
    let arm = at_users(arm, users);
    let limiter = causes_of_arm(&arm, language).first().map(|cause| cause.named(language));
    let others = || expected([&arm].into_iter(), language).into_iter().chain(not_measured(&arm, language));
    limiter.or_else(|| others().next().map(Text::from))
}

/// A sentence on the cause, below it what to try and the result of the trial.
fn sentence(cause: &LimitingCause<'_>, language: Language) -> ListItem {
    let diagnosis = cause.diagnosis;
    let line = DiagnosisText::Line {
        arm: &cause.arm.name,
        at: &cause.at,
        also: !cause.comes_first,
        cause: diagnosis.cause().id(),
        says: diagnosis,
    };
    let advice = advice(diagnosis).map(|remedy| text(&DiagnosisText::Try(remedy), language));
    let lines = advice.into_iter().chain(trial_result(diagnosis, language));
    ListItem { text: text(&line, language).into(), lines: lines.map(Text::from).collect() }
}

/// The cause with what to try, below it the result of the trial and the evidence.
fn point(cause: &LimitingCause<'_>, language: Language) -> ListItem {
    let diagnosis = cause.diagnosis;
    // Where a trial was in vain, its result takes the place of the advice.
    let result = trial_result(diagnosis, language).filter(|_| !diagnosis.is_refuted());
    let result = result.map(|result| Text::marked(format!("{result}."), TextMark::Emphasis));
    let evidence = diagnosis.evidence.iter();
    let evidence = evidence.map(|figure| {
        let what = text(&figure.what, language);
        format!("{what} {}", figure_text(figure.value))
    });
    let evidence = format!("({})", evidence.collect::<Vec<_>>().join("; "));
    ListItem { lines: result.into_iter().chain([evidence.into()]).collect(), ..line(cause, language) }
}

/// The cause with what to try, or with the trial that was in vain, in one line.
fn line(cause: &LimitingCause<'_>, language: Language) -> ListItem {
    let diagnosis = cause.diagnosis;
    let (arm, at, also) = (&cause.arm.name, &cause.at, !cause.comes_first);
    let (cause, says) = (diagnosis.cause().id(), &text(diagnosis, language));
    let text = match advice(diagnosis) {
        Some(remedy) => {
            let change = &text(remedy, language);
            Text::with_marks(&DiagnosisText::Marked { arm, at, also, cause, says, change }, language)
        }
        None => {
            let result = &trial_result(diagnosis, language).unwrap_or_default();
            Text::with_marks(&DiagnosisText::MarkedInVain { arm, at, also, cause, says, result }, language)
        }
    };
    ListItem { text, lines: Vec::new() }
}

/// What to try; `None` where a trial has shown that it brings nothing.
fn advice(diagnosis: &Diagnosis) -> Option<&Remedy> {
    (!diagnosis.is_refuted()).then_some(&diagnosis.remedy)
}

/// A card with the cause, the evidence as a table, what to try and the result of the trial.
fn card(cause: &LimitingCause<'_>, language: Language) -> ContentBlock {
    let diagnosis = cause.diagnosis;
    let place = DiagnosisText::CardPlace { at: &cause.at, also: !cause.comes_first };
    let heading = Text::marked(&cause.arm.name, TextMark::Strong)
        .then(text(&place, language), TextMark::Plain)
        .then(diagnosis.cause().id(), TextMark::Code);
    let evidence = (!diagnosis.evidence.is_empty()).then(|| evidence_table(&diagnosis.evidence, language));
    let remedy = advice(diagnosis).map(|remedy| text(&DiagnosisText::CardTry(remedy), language));
    let texts = [ContentBlock::paragraph(heading), ContentBlock::paragraph(text(diagnosis, language))];
    let result = trial_result(diagnosis, language).map(ContentBlock::paragraph);
    let blocks = texts.into_iter().chain(evidence);
    ContentBlock::Card(blocks.chain(remedy.map(ContentBlock::paragraph)).chain(result).collect())
}

fn evidence_table(evidence: &[Evidence], language: Language) -> ContentBlock {
    let columns = vec![
        Column::new(ColumnKind::Text, text(&DiagnosisText::Evidence, language)),
        Column::new(ColumnKind::Number, text(&Label::Value, language)),
    ];
    let row = |figure: &Evidence| vec![text(&figure.what, language), figure_text(figure.value)];
    ContentBlock::table(columns, evidence.iter().map(row).collect())
}

/// A cause that was at work in an arm.
struct LimitingCause<'a> {
    arm: &'a ArmResult,
    /// The diagnosis at the last of these loads, or at the last one where a trial tested it.
    diagnosis: &'a Diagnosis,
    /// The loads at which the cause was at work: `500 and 1000 connections`, or `from 500 connections on`.
    at: String,
    /// It is the first cause at one or more of these loads.
    comes_first: bool,
}

/// The causes at work in an arm without those that are expected ([`expected`]). Causes that are the first at some load come
/// before the others.
fn causes_of_arm<'a>(arm: &'a ArmResult, language: Language) -> Vec<LimitingCause<'a>> {
    let mut causes: Vec<Cause> = Vec::new();
    for diagnosis in arm.diagnoses_at_highest_load().chain(&arm.diagnoses) {
        if !causes.contains(&diagnosis.cause()) {
            causes.push(diagnosis.cause());
        }
    }
    let causes = causes.into_iter();
    let causes = causes.filter_map(|cause| limiting_cause(arm, cause, language));
    let mut causes: Vec<LimitingCause<'_>> = causes.collect();
    let limits = arm.diagnoses_at_highest_load().next().map(Diagnosis::cause);
    causes.sort_by_key(|cause| (Some(cause.diagnosis.cause()) != limits, !cause.comes_first));
    causes
}

fn limiting_cause<'a>(arm: &'a ArmResult, cause: Cause, language: Language) -> Option<LimitingCause<'a>> {
    let all = arm.diagnoses.iter().filter(|one| one.cause() == cause && !one.expected);
    let all: Vec<&Diagnosis> = all.collect();
    let comes_first = |one: &&Diagnosis| {
        let first = arm.diagnoses.iter().find(|other| other.level == one.level);
        first.is_some_and(|first| first.cause() == one.cause())
    };
    let loads: Vec<String> = all.iter().map(|one| load_name(&one.level, language)).collect();
    // A diagnosis that a trial tested is preferred, because it has a result.
    let shown = all.iter().rfind(|one| one.proved.is_some()).or(all.last())?;
    Some(LimitingCause {
        arm,
        diagnosis: shown,
        at: beginning(arm, &all, language).unwrap_or_else(|| joined_load_names(&loads, language)),
        comes_first: all.iter().any(comes_first),
    })
}

/// Where a cause begins, if it was at work at that level and at all higher levels, at least one.
fn beginning(arm: &ArmResult, at_work: &[&Diagnosis], language: Language) -> Option<String> {
    let users: Vec<u64> = at_work.iter().map(|one| one.level.users).collect::<Option<_>>()?;
    let least = users.iter().copied().min()?;
    let closed = arm.levels.iter().filter_map(|level| level.load.users);
    let higher: Vec<u64> = closed.filter(|level| *level >= least).collect();
    let everywhere = higher.len() > 1 && higher.iter().all(|level| users.contains(level));
    everywhere.then(|| text(&DiagnosisText::FromUsers { users: least }, language))
}

/// A sentence on the arms that were limited as is expected under their load, by a full CPU or by a quick service; `None` if there are no such
/// arms.
fn expected<'a>(arms: impl Iterator<Item = &'a ArmResult>, language: Language) -> Option<String> {
    // Each arm has its figures, because its CPU time per request is why it answers fewer requests than another.
    let limit = |arm: &'a ArmResult| {
        let last = arm.diagnoses.iter().rfind(|diagnosis| diagnosis.expected)?;
        Some(ExpectedLimit { arm: &arm.name, finding: last.found() })
    };
    let arms: Vec<ExpectedLimit<'_>> = arms.filter_map(limit).collect();
    (!arms.is_empty()).then(|| text(&DiagnosisText::Expected(&arms), language))
}

/// The result of the trial that tested a diagnosis; `None` without a trial.
fn trial_result(diagnosis: &Diagnosis, language: Language) -> Option<String> {
    let [times, ends] = &diagnosis.proved?.as_factor();
    let change = &tried_changes(diagnosis);
    let result = match diagnosis.is_refuted() {
        true => DiagnosisText::InVain { change, times, ends },
        false => DiagnosisText::Tried { change, times, ends },
    };
    Some(text(&result, language))
}

/// What a trial changed: `threads = 400`.
pub(super) fn tried_changes(diagnosis: &Diagnosis) -> Vec<String> {
    let changes = diagnosis.change.iter();
    changes.map(|change| format!("{} = {}", change.key, change.value)).collect()
}

/// Why an arm without any cause was not measured at some loads: a comparison that is invalid for that reason needs one beside the
/// arm.
fn not_measured(arm: &ArmResult, language: Language) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for level in &arm.levels {
        let Some(why) = &level.why_invalid else { continue };
        let (why, load) = (text(why, language), load_name(&level.load, language));
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, loads)) => loads.push(load),
            None => reasons.push((why, vec![load])),
        }
    }
    let line = |(why, loads): (String, Vec<String>)| {
        let at = joined_load_names(&loads, language);
        text(&DiagnosisText::NotMeasured { arm: &arm.name, at: &at, why: &why }, language)
    };
    reasons.into_iter().map(line).collect()
}

/// A number of the evidence with about four digits.
fn figure_text(value: f64) -> String {
    match value.abs() {
        v if v == v.trunc() && v < 1e15 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}
