//! The name of the run, and the program that made the report.

use super::{Content, ContentBlock, SectionInput, Text, TextMark};
use say::{Say, text};

pub(super) const ID: &str = "run";

/// The words of the section.
#[derive(Say)]
enum RunText<'a> {
    #[say(en = "Run", zh = "运行")]
    Run,
    #[say(en = "seed {seed}", zh = "随机种子 {seed}")]
    Seed { seed: u64 },
    #[say(
        en = "Made by prony {version}. This file needs no network and sends nothing.",
        zh = "由 prony {version} 生成。本文件无需网络，也不发送任何数据。"
    )]
    MadeBy { version: &'a str },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    if !source.form.signed {
        let run = Text::from(format!("{} ", text(&RunText::Run, language))).then(&report.run, TextMark::Code);
        return Content::of("", [ContentBlock::paragraph(run)]);
    }
    let seed = text(&RunText::Seed { seed: report.seed }, language);
    let version = report.fingerprint.get("prony").map_or("", String::as_str);
    Content::of(
        "",
        [
            ContentBlock::paragraph(format!("{} {} · {seed}", text(&RunText::Run, language), report.run)),
            ContentBlock::paragraph(text(&RunText::MadeBy { version }, language)),
        ],
    )
}
