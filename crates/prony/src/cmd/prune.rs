//! `prony prune`: removes old runs from this machine.

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::run_id;
use crate::user_config::UserConfig;
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use say::Say;
use std::collections::BTreeMap;
use store::{EndedRun, Store, Team, TeamAccess};

/// Remove old runs from this machine.
#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// What is kept: the newest N runs of each experiment, such as 30, or what is younger than a number of days, such as 90d.
    #[arg(long, value_name = "N|DAYS", value_parser = parse_keep)]
    keep: Keep,
    /// Remove the others; without this, they are only listed.
    #[arg(long)]
    yes: bool,
    /// The language of what is told.
    #[command(flatten)]
    language: LanguageArgs,
}

/// Which runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The newest of each experiment, at least 1.
    Newest(usize),
    /// Those that began less than this number of days ago.
    Days(u32),
}

fn parse_keep(text: &str) -> Result<Keep, String> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=100_000).contains(number));
    let parsed = match text.strip_suffix('d') {
        Some(days) => number(days).map(Keep::Days),
        None => number(text).map(|count| Keep::Newest(count as usize)),
    };
    parsed.ok_or_else(|| "write a number of runs, such as 30, or of days, such as 90d".to_owned())
}

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
struct Pruned<'a> {
    runs: &'a [EndedRun],
    /// How many runs there were that could have been removed.
    of: usize,
    /// How many are kept only because the team's store does not have them.
    not_pushed: usize,
    /// Whether they are gone.
    removed: bool,
}

fn lines(runs: &[EndedRun]) -> String {
    let line = |old: &EndedRun| format!("{}  {}\n", old.run, old.experiment);
    runs.iter().map(line).collect()
}

impl SubCommand for PruneArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let home = Home::find()?;
        let mut store = Store::open(&home.data)?;
        let ended = store.ended_runs()?;
        let old = old_runs(&ended, self.keep, Timestamp::now());
        let not_pushed = match UserConfig::read(&home)?.store {
            // Where runs are pushed, the only copy of one is not removed.
            Some(at) if !old.is_empty() => {
                let ids = old.iter().map(|old| old.run.clone()).collect();
                let team = Team::open(&at, TeamAccess::Write);
                team.and_then(|mut team| team.missing(ids)).map_err(Failure::of_team)?
            }
            _ => Vec::new(),
        };
        let removable: Vec<EndedRun> = old.into_iter().filter(|old| !not_pushed.contains(&old.run)).collect();
        if self.yes && !removable.is_empty() {
            let ids: Vec<String> = removable.iter().map(|old| old.run.clone()).collect();
            store.remove(&ids)?;
        }
        let pruned =
            Pruned { runs: &removable, of: ended.len(), not_pushed: not_pushed.len(), removed: self.yes };
        print(&say::text(&pruned, language::chosen(&self.language)))
    }
}

/// The runs that are not kept. `ended` begins with the newest.
fn old_runs(ended: &[EndedRun], keep: Keep, now: Timestamp) -> Vec<EndedRun> {
    let mut newer: BTreeMap<String, usize> = BTreeMap::new();
    let is_old = |run: &&EndedRun| match keep {
        Keep::Newest(count) => {
            let newer = newer.entry(run.experiment.clone()).or_default();
            *newer += 1;
            *newer > count
        }
        Keep::Days(days) => {
            let age = SignedDuration::from_hours(24 * i64::from(days));
            let oldest = now.checked_sub(age).unwrap_or(Timestamp::MIN);
            run.run < run_id::time(oldest)
        }
    };
    ended.iter().filter(is_old).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{assert_golden, check_words, text};

    #[test]
    fn the_newest_of_each_experiment_or_the_youngest_are_kept() {
        let run = |day: u32, experiment: &str| EndedRun {
            run: format!("2026-11-{day:02}T03:40:12Z-7f3a"),
            experiment: experiment.to_owned(),
        };
        let ended = [run(21, "a"), run(20, "b"), run(19, "a"), run(18, "a"), run(1, "b")];
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().expect("a time");
        assert_eq!(old_runs(&ended, Keep::Newest(2), now), [run(18, "a")]);
        assert_eq!(old_runs(&ended, Keep::Days(3), now), [run(18, "a"), run(1, "b")]);
        assert_eq!(old_runs(&ended, Keep::Days(100_000), now), []);
    }

    #[test]
    fn what_was_removed_is_told_in_both_languages() {
        let runs = [EndedRun { run: text(1), experiment: text(2) }];
        for (removed, not_pushed) in [(true, 0), (false, 3)] {
            check_words(&Pruned { runs: &runs, of: 40, not_pushed, removed });
        }
        assert_golden("removed_runs");
    }
}
