//! What `prony prune` has removed, or would remove.

use ::say::Say;
use store::EndedRun;

/// The runs that are not kept: a line for each, and their number.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{lines}{removed?removed {count} of {of} runs|{count} of {of} runs would be removed; --yes removes them}\n\
          {kept?kept {} that the team's store does not have; `prony push` sends them\n}",
    zh = "{lines}{removed?已删除 {of} 个运行中的 {count} 个|将删除 {of} 个运行中的 {count} 个；加 --yes 执行删除}\n\
          {kept?保留团队存储中尚没有的 {} 个；`prony push` 可发送它们\n}",
    lines = lines(runs),
    count = runs.len(),
    kept = (*not_pushed > 0).then_some(not_pushed)
)]
pub(crate) struct Pruned<'a> {
    pub(crate) runs: &'a [EndedRun],
    /// How many runs there were that could have been removed.
    pub(crate) of: usize,
    /// How many are kept only because the team's store does not have them.
    pub(crate) not_pushed: usize,
    /// Whether they are gone.
    pub(crate) removed: bool,
}

fn lines(runs: &[EndedRun]) -> String {
    let line = |old: &EndedRun| format!("{}  {}\n", old.run, old.experiment);
    runs.iter().map(line).collect()
}
