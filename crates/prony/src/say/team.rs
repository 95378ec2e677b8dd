//! [`TeamLine`]: what `push` and `pull` tell of a team's store.

use ::say::Say;
use store::{Moved, TeamAddress, TeamError};

/// A line about a team's store.
#[derive(Debug, Say)]
pub(crate) enum TeamLine<'a> {
    /// What became of a run.
    #[say(en = "{run}: {moved}", zh = "{run}: {moved}")]
    Moved { run: &'a str, moved: Moved },
    /// Decisions about changes were stored.
    #[say(
        en = "{stored} {stored|decision about a change|decisions about changes}: stored",
        zh = "已保存 {stored} 个关于变化的决定"
    )]
    DecisionsMoved { stored: usize },
    /// A run that ended is in the team's store now.
    #[say(en = "pushed to {at}", zh = "已推送到 {at}")]
    Pushed { at: &'a TeamAddress },
    /// A run that ended could not be pushed, and stays on this machine.
    #[say(
        en = "not pushed: {error}; the run is stored here, and the next `prony push` sends it",
        zh = "未推送：{error}；运行保存在本机，下次 `prony push` 会发送"
    )]
    NotPushed { error: &'a TeamError },
    /// The team has all runs.
    #[say(
        en = "nothing to push: the team has every run that ended on this machine, and every decision",
        zh = "没有可推送的内容：团队已有本机所有已结束的运行和决定"
    )]
    NothingToPush,
}
