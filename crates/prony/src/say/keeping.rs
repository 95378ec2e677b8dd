//! What `prony prune` has removed, or would remove.

use report::Lang;
use store::EndedRun;

/// The runs that are not kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pruned<'a> {
    pub(crate) runs: &'a [EndedRun],
    /// How many runs there were that could have been removed.
    pub(crate) of: usize,
    /// How many are kept only because the team's store does not have them.
    pub(crate) not_pushed: usize,
    /// Whether they are gone.
    pub(crate) removed: bool,
}

impl Pruned<'_> {
    /// In a language: a line for each run, and their number.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let lines = self
            .runs
            .iter()
            .map(|old| format!("{}  {}\n", old.run, old.experiment));
        let (count, of) = (self.runs.len(), self.of);
        let total = match (self.removed, lang) {
            (true, Lang::En) => format!("removed {count} of {of} runs\n"),
            (true, Lang::Zh) => format!("已删除 {of} 个运行中的 {count} 个\n"),
            (false, Lang::En) => format!("{count} of {of} runs would be removed; --yes removes them\n"),
            (false, Lang::Zh) => format!("将删除 {of} 个运行中的 {count} 个；加 --yes 执行删除\n"),
        };
        let kept = match (self.not_pushed, lang) {
            (0, _) => String::new(),
            (kept, Lang::En) => {
                format!("kept {kept} that the team's store does not have; `prony push` sends them\n")
            }
            (kept, Lang::Zh) => format!("保留团队存储中尚没有的 {kept} 个；`prony push` 可发送它们\n"),
        };
        lines.collect::<String>() + &total + &kept
    }
}
