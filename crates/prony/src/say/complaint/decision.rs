//! What cannot be decided about a history.

use crate::say::{Message, hinted, plain};
use model::decision::LONGEST_COMMENT;

/// Why nothing was decided.
#[derive(Debug)]
pub(crate) enum DecisionComplaint {
    /// The history shows no change that begins with this run.
    NoChange {
        /// The run.
        run: String,
        /// The experiment.
        experiment: String,
        /// The first runs of the changes that it shows.
        changes: Vec<String>,
    },
    /// There is no decision that could be taken back.
    NothingDecided {
        /// The run.
        run: String,
        /// The experiment.
        experiment: String,
    },
    /// The comment has more than [`LONGEST_COMMENT`] characters.
    LongComment,
}

impl DecisionComplaint {
    pub(in crate::say) fn english(&self) -> Message {
        match self {
            Self::NoChange {
                run,
                experiment,
                changes,
            } => {
                let message =
                    format!("the history of `{experiment}` shows no change that begins with run {run}");
                match changes.as_slice() {
                    [] => hinted(
                        message,
                        format!("it shows no change at all: `prony history {experiment}`"),
                    ),
                    changes => hinted(message, format!("its changes begin with {}", changes.join(", "))),
                }
            }
            Self::NothingDecided { run, experiment } => hinted(
                format!("nothing was decided about run {run} of `{experiment}`"),
                format!("`prony history {experiment}` shows what was decided"),
            ),
            Self::LongComment => plain(format!("the comment has more than {LONGEST_COMMENT} characters")),
        }
    }

    pub(in crate::say) fn chinese(&self) -> Message {
        match self {
            Self::NoChange {
                run,
                experiment,
                changes,
            } => {
                let message = format!("`{experiment}` 的历史中没有从运行 {run} 开始的变化");
                match changes.as_slice() {
                    [] => hinted(message, format!("其中没有任何变化：`prony history {experiment}`")),
                    changes => hinted(message, format!("其中的变化始于：{}", changes.join("、"))),
                }
            }
            Self::NothingDecided { run, experiment } => hinted(
                format!("没有关于 `{experiment}` 的运行 {run} 的决定"),
                format!("`prony history {experiment}` 显示已作的决定"),
            ),
            Self::LongComment => plain(format!("备注超过 {LONGEST_COMMENT} 个字符")),
        }
    }
}
