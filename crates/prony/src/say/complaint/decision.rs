//! What cannot be decided about a history.

use ::say::Say;
use model::decision::LONGEST_COMMENT;

/// Why nothing was decided.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum DecisionComplaint {
    /// The history shows no change that begins with this run.
    #[say(
        en = "the history of `{experiment}` shows no change that begins with run {run}",
        zh = "`{experiment}` 的历史中没有从运行 {run} 开始的变化",
        hint(
            en = "{changes?its changes begin with {:commas}|it shows no change at all: `prony history {experiment}`}",
            zh = "{changes?其中的变化始于：{:commas}|其中没有任何变化：`prony history {experiment}`}"
        )
    )]
    NoChange {
        run: String,
        experiment: String,
        /// The first runs of the changes that it shows.
        changes: Vec<String>,
    },
    /// There is no decision that could be taken back.
    #[say(
        en = "nothing was decided about run {run} of `{experiment}`",
        zh = "没有关于 `{experiment}` 的运行 {run} 的决定",
        hint(
            en = "`prony history {experiment}` shows what was decided",
            zh = "`prony history {experiment}` 显示已作的决定"
        )
    )]
    NothingDecided { run: String, experiment: String },
    /// The comment has more than [`LONGEST_COMMENT`] characters.
    #[say(
        en = "the comment has more than {most} characters",
        zh = "备注超过 {most} 个字符",
        most = LONGEST_COMMENT
    )]
    LongComment,
}
