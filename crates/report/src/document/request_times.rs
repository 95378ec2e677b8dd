//! Where the time of a request goes, from its user's side: a sentence for each load, and a picture.

use super::shown_as::Diagnoses;
use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::plot;
use crate::units;
use record::outcome::ArmResult;
use record::request_time::{RequestTime, TimePart, TimePlace};
use say::{Language, Say, text};

pub(super) const ID: &str = "request-times";
pub(super) const PICTURE: &str = "request-times-picture";

/// Smallest share of the time that a sentence tells, except of what is unexplained.
const TOLD: f64 = 0.02;

/// The words around the parts.
#[derive(Say)]
enum TimeText<'a> {
    #[say(en = "where a request's time goes", zh = "请求的时间去向")]
    Heading,
    #[say(en = "Where a request's time goes", zh = "请求的时间去向")]
    PictureHeading,
    #[say(
        en = "{arm}, {load}: of the {all} of a request {parts:commas}",
        zh = "{arm}，{load}：请求用时 {all}，其中{parts:commas}"
    )]
    Line { arm: &'a str, load: &'a str, all: &'a str, parts: &'a [String] },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    // The terminal shows the highest load only.
    let is_brief = source.form.diagnoses == Diagnoses::Sentences;
    let of_arm = |arm: &ArmResult| -> Vec<String> {
        let times = arm.request_times.iter().map(|time| line(arm, time, language));
        let all: Vec<String> = times.collect();
        let from = if is_brief { all.len().saturating_sub(1) } else { 0 };
        all[from..].to_vec()
    };
    let lines = source.report.arms.iter().flat_map(of_arm);
    Content::unless_empty(source.say(&TimeText::Heading), lines.map(ContentBlock::paragraph).collect())
}

pub(super) fn picture(source: &SectionInput<'_>) -> Option<Content> {
    let plot = plot::request_times(source.report, source.language)?;
    Content::of(source.say(&TimeText::PictureHeading), [ContentBlock::Figure(plot)])
}

fn line(arm: &ArmResult, time: &RequestTime, language: Language) -> String {
    let is_told =
        |part: &&TimePart| part.place == TimePlace::Unexplained || part.seconds.0 >= TOLD * time.all.0;
    let told = time.parts.iter().filter(is_told);
    let parts: Vec<String> = told.map(|part| text(part, language)).collect();
    let (load, all) = (load_name(&time.level, language), units::seconds(time.all.0));
    text(&TimeText::Line { arm: &arm.name, load: &load, all: &all, parts: &parts }, language)
}
