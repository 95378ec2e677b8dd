//! What a run does now and how long it still takes, on stderr: a line that is redrawn on a terminal, a quiet log elsewhere.

use crate::web::live::Teller;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::event::{Event, Observer};
use model::measure::Measure;
use model::outcome::Comparison;
use model::units::Nanos;
use std::io::IsTerminal;
use std::time::Duration;
use store::Store;

/// Shows a run and stores it slice by slice.
pub(crate) struct Progress<'a> {
    store: &'a Store,
    run: String,
    headline: Measure,
    /// There are several levels, so that each has to be named.
    several: bool,
    line: Line,
    /// Who tells the page of the run, where there is one.
    page: Option<Teller>,
    /// The first slice that could not be stored; the run goes on without its history.
    pub(crate) trouble: Option<store::Error>,
}

enum Line {
    Silent,
    Log,
    Bar(ProgressBar),
}

impl<'a> Progress<'a> {
    /// Shows on stderr, unless `quiet`.
    pub(crate) fn new(
        store: &'a Store,
        run: &str,
        (headline, several): (Measure, bool),
        quiet: bool,
        page: Option<Teller>,
    ) -> Self {
        let animated = std::io::stderr().is_terminal() && !crate::output::env_set("CI");
        let line = match (quiet, animated) {
            (true, _) => Line::Silent,
            (false, false) => Line::Log,
            (false, true) => Line::Bar(bar()),
        };
        Self {
            store,
            run: run.to_owned(),
            headline,
            several,
            line,
            page,
            trouble: None,
        }
    }

    fn log(&self, text: &str) {
        match &self.line {
            Line::Silent => {}
            Line::Log => eprintln!("{text}"),
            Line::Bar(bar) => bar.println(text),
        }
    }

    /// A message of the moment: shown on a terminal only.
    fn show(&self, text: String, share: f64) {
        if let Line::Bar(bar) = &self.line {
            bar.set_position((share * 100.0) as u64);
            bar.set_message(text);
        }
    }

    /// Stores something, unless something could not be stored before: a full disk or a lock that somebody holds would make
    /// every slice wait, and the run is stored again as a whole when it has ended.
    fn store(&mut self, store: impl FnOnce(&Store, &str) -> Result<(), store::Error>) {
        if self.trouble.is_none() {
            self.trouble = store(self.store, &self.run).err();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr_with_hz(4));
    if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:20}] {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(page) = &self.page {
            page.tell(&event);
        }
        match event {
            Event::Preparing { what } => {
                self.log(what);
                self.show(what.to_owned(), 0.0);
            }
            Event::Planned { at_most, typically } => {
                let limit = at_most.map_or_else(
                    || "until sure, without a limit".to_owned(),
                    |most| format!("{} at most", span(most)),
                );
                // More than there is time for is no help before the first start has shown how long one takes.
                let usual = match at_most {
                    Some(most) if typically >= most => String::new(),
                    _ => format!(", about {} on a quiet machine", span(typically)),
                };
                self.log(&format!("measuring; {limit}{usual}"));
            }
            Event::Forecast(said) => self.log(said),
            Event::Waiting { round, idle } => self.log(&format!(
                "start {round} waits: other work uses the machine, {:.0} % of it is idle",
                100.0 * idle
            )),
            Event::Step {
                round,
                cap,
                what,
                share,
                left,
            } => {
                let of = cap.map_or_else(String::new, |cap| format!(" of {cap}"));
                self.show(format!("start {round}{of}{}: {what}", still(", ", left)), share);
            }
            Event::Slice(slice) => {
                self.store(|store, run| store.slice(run, slice));
            }
            Event::RoundEnded {
                record,
                verdicts,
                left,
            } => {
                self.store(|store, run| store.round(run, record));
                let state = match &record.void {
                    Some(why) => format!("does not count: {why}"),
                    None => standing(verdicts, self.headline, self.several),
                };
                self.log(&format!(
                    "start {} ({:.0} s): {state}{}",
                    record.round,
                    record.elapsed,
                    still("; ", left)
                ));
            }
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Line::Bar(bar) = &self.line {
            bar.finish_and_clear();
        }
    }
}

/// The headline measure as it stands.
fn standing(verdicts: &[Comparison], headline: Measure, several: bool) -> String {
    let of_headline = verdicts
        .iter()
        .filter(|comparison| comparison.measure == headline.id());
    let said: Vec<String> = of_headline
        .filter_map(|comparison| {
            let ratio = comparison.ratio?;
            let percent = |ratio: f64| 100.0 * (ratio - 1.0);
            let interval = match (ratio.low, ratio.high) {
                (Some(low), Some(high)) => format!(" [{:+.1}, {:+.1}]", percent(low), percent(high)),
                _ => String::new(),
            };
            let users = comparison.level.as_ref().and_then(|level| level.users);
            let at = users.filter(|_| several);
            let at = at.map_or_else(String::new, |users| format!(" at {users}"));
            Some(format!(
                "{} {}{at} {:+.1} %{interval}",
                comparison.arm,
                headline.title(),
                percent(ratio.value)
            ))
        })
        .collect();
    if said.is_empty() {
        "measured".to_owned()
    } else {
        said.join(", ")
    }
}

/// `; 1m20s left at most`, where anything limits it.
fn still(before: &str, left: Option<Nanos>) -> String {
    left.map_or_else(String::new, |left| format!("{before}{} left at most", span(left)))
}

/// A span of time as people say it: `1m20s`.
pub(crate) fn span(nanos: Nanos) -> String {
    let seconds = nanos.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, s) => format!("{s}s"),
        (m, 0) => format!("{m}m"),
        (m, s) => format!("{m}m{s}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_as_people_say_them() {
        assert_eq!(
            ["5s", "1m", "3m30s"],
            [5, 60, 210]
                .map(|s| span(Nanos::from_secs(s)))
                .each_ref()
                .map(|s| &**s)
        );
    }
}
