//! The store of a team: what `push` and `pull` tell.

use report::Lang;
use store::{Moved, TeamAddress, TeamError};

/// What became of a run.
pub(crate) fn moved(run: &str, moved: Moved, lang: Lang) -> String {
    let what = match (moved, lang) {
        (Moved::Added, Lang::En) => "stored",
        (Moved::Completed, Lang::En) => "completed: it was there in part",
        (Moved::Known, Lang::En) => "is there already",
        (Moved::Added, Lang::Zh) => "已保存",
        (Moved::Completed, Lang::Zh) => "已补全：那里此前只有一部分",
        (Moved::Known, Lang::Zh) => "已存在",
    };
    format!("{run}: {what}")
}

/// Says how many decisions about changes were stored.
pub(crate) fn decisions_moved(stored: usize, lang: Lang) -> String {
    match (stored, lang) {
        (1, Lang::En) => "1 decision about a change: stored".to_owned(),
        (_, Lang::En) => format!("{stored} decisions about changes: stored"),
        (_, Lang::Zh) => format!("已保存 {stored} 个关于变化的决定"),
    }
}

/// Says that a run that ended is in the team's store now.
pub(crate) fn pushed(at: &TeamAddress, lang: Lang) -> String {
    match lang {
        Lang::En => format!("pushed to {at}"),
        Lang::Zh => format!("已推送到 {at}"),
    }
}

/// Says in one line that a run that ended could not be pushed, and stays on this machine.
pub(crate) fn not_pushed(error: &TeamError, lang: Lang) -> String {
    match lang {
        Lang::En => {
            format!("not pushed: {error}; the run is stored here, and the next `prony push` sends it")
        }
        Lang::Zh => format!(
            "未推送：{}；运行保存在本机，下次 `prony push` 会发送",
            ::say::text(error, lang)
        ),
    }
}

/// Says that the team has all runs.
pub(crate) const fn nothing_to_push(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "nothing to push: the team has every run that ended on this machine, and every decision",
        Lang::Zh => "没有可推送的内容：团队已有本机所有已结束的运行和决定",
    }
}
