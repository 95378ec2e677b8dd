//! What a night says: what runs for how long, what does not run, and what changed for the worse.

use crate::notifier::{News, NewsPlace};
use model::units::Nanos;
use report::Lang;
use report::history::gate_text;
use report::progress::span;
use std::path::Path;

/// What a file gets of the night.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course<'a> {
    pub(crate) file: &'a Path,
    /// `None` leaves the starts to the file.
    pub(crate) starts: Option<u32>,
    /// The time after which no start begins.
    pub(crate) most: Nanos,
}

impl Course<'_> {
    /// In a language, in one line.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let (file, most) = (self.file.display(), span(self.most));
        match (self.starts, lang) {
            (Some(starts), Lang::En) => format!("{file}: {starts} starts, at most {most}"),
            (Some(starts), Lang::Zh) => format!("{file}：{starts} 次启动，最多 {most}"),
            (None, Lang::En) => {
                format!(
                    "{file}: the starts of its file, at most {most}, because no earlier night tells how many it needs"
                )
            }
            (None, Lang::Zh) => {
                format!("{file}：按文件中的启动次数，最多 {most}，因为没有以前的夜间运行可说明需要多少次")
            }
        }
    }
}

/// Says that a file does not run tonight, and how long the fewest starts of it would take, if that is known.
pub(crate) fn skipped(file: &Path, needs: Option<Nanos>, lang: Lang) -> String {
    let file = file.display();
    match (needs.map(span), lang) {
        (Some(needs), Lang::En) => {
            format!("{file}: not tonight, because it needs {needs} at least, and less time is left for it")
        }
        (Some(needs), Lang::Zh) => format!("{file}：今夜不运行，因为它至少需要 {needs}，而留给它的时间不够"),
        (None, Lang::En) => format!("{file}: not tonight, because no time is left"),
        (None, Lang::Zh) => format!("{file}：今夜不运行，因为没有剩余时间"),
    }
}

/// The subject of news.
pub(crate) fn subject(news: &News<'_>, lang: Lang) -> String {
    match lang {
        Lang::En => format!("prony: {} got worse", news.experiment),
        Lang::Zh => format!("prony：{} 变差", news.experiment),
    }
}

/// News as a message.
pub(crate) fn news(news: &News<'_>, lang: Lang) -> String {
    let more = match lang {
        Lang::En => format!(
            "`prony report {}` shows the run, and `prony history {}` the nights before it.",
            news.run, news.experiment
        ),
        Lang::Zh => format!(
            "`prony report {}` 显示该运行，`prony history {}` 显示之前各夜。",
            news.run, news.experiment
        ),
    };
    format!(
        "{}\n\n{}\n{more}\n",
        subject(news, lang),
        gate_text(news.gate, lang).trim_end()
    )
}

/// Says who was told.
pub(crate) fn told(place: &NewsPlace, lang: Lang) -> String {
    match lang {
        Lang::En => format!("told {place} of the change for the worse"),
        Lang::Zh => format!("已将变差通知 {place}"),
    }
}
