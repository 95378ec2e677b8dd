//! What a night says: what runs for how long, what does not run, and what changed for the worse.

use crate::notifier::{News, NewsPlace};
use ::say::{Say, Writer};
use model::history::Gate;
use model::units::Nanos;
use report::history::gate_text;
use report::progress::span;
use std::path::Path;

/// What a file gets of the night.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{file}: {starts?{} starts, at most {most}|the starts of its file, at most {most}, because no earlier night tells how many it needs}",
    zh = "{file}：{starts?{} 次启动，最多 {most}|按文件中的启动次数，最多 {most}，因为没有以前的夜间运行可说明需要多少次}",
    most = span(*most)
)]
pub(crate) struct Course<'a> {
    pub(crate) file: &'a Path,
    /// `None` leaves the starts to the file.
    pub(crate) starts: Option<u32>,
    /// The time after which no start begins.
    pub(crate) most: Nanos,
}

/// A file that does not run tonight.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{file}: not tonight, because {needs?it needs {} at least, and less time is left for it|no time is left}",
    zh = "{file}：今夜不运行，因为{needs?它至少需要 {}，而留给它的时间不够|没有剩余时间}",
    needs = needs.map(span)
)]
pub(crate) struct Skipped<'a> {
    pub(crate) file: &'a Path,
    /// How long the fewest starts of it would take, if that is known.
    pub(crate) needs: Option<Nanos>,
}

/// The subject of news.
#[derive(Say)]
#[say(en = "prony: {name} got worse", zh = "prony：{name} 变差", name = _0.experiment)]
pub(crate) struct Subject<'a>(pub(crate) &'a News<'a>);

/// News as a message.
#[derive(Say)]
#[say(
    en = "{subject}\n\n{gate}\n`prony report {run}` shows the run, and `prony history {name}` the nights before it.\n",
    zh = "{subject}\n\n{gate}\n`prony report {run}` 显示该运行，`prony history {name}` 显示之前各夜。\n",
    subject = Subject(_0),
    gate = Changes(_0.gate),
    run = _0.run,
    name = _0.experiment
)]
pub(crate) struct NewsText<'a>(pub(crate) &'a News<'a>);

/// What a gate has found.
struct Changes<'a>(&'a Gate);

impl Say for Changes<'_> {
    fn say(&self, out: &mut Writer) {
        out.value(gate_text(self.0, out.language()).trim_end());
    }
}

/// That somebody was told.
#[derive(Say)]
#[say(en = "told {0:text} of the change for the worse", zh = "已将变差通知 {0:text}")]
pub(crate) struct Told<'a>(pub(crate) &'a NewsPlace);
