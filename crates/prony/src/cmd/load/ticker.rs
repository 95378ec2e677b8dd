//! The progress of `prony load` on stderr: on a terminal a line that is redrawn each second, elsewhere a new line every ten seconds.

use indicatif::{ProgressBar, ProgressStyle};
use load::{Interval, Window};
use model::units::Nanos;
use report::progress::span;
use say::{Language, Say};
use std::io::IsTerminal;
use std::time::Duration;

/// The time between two lines where stderr is no terminal.
const EVERY: Nanos = Nanos::from_secs(10);

/// A line about the progress of a load.
#[derive(Debug, Say)]
pub(crate) enum LoadLine {
    /// A load begins with what does not count.
    #[say(
        en = "ramp-up and warm-up: {span} that do not count",
        zh = "爬升与预热：{span}，不计入结果",
        span = span(*time)
    )]
    Settling {
        /// How long.
        time: Nanos,
    },
    /// A second of a load.
    #[say(
        en = "{rate:.0} right answers/s, {faults} faults{span?, {} left}",
        zh = "每秒正确应答 {rate:.0} 个，故障 {faults} 次{span?，还剩 {}}",
        span = left.map(span)
    )]
    Loading {
        /// Right answers per second.
        rate: f64,
        /// What went wrong.
        faults: u64,
        /// How long it still takes, where time ends it.
        left: Option<Nanos>,
    },
}

/// Shows the progress of a load.
pub(super) struct Ticker {
    /// The line that is redrawn, on a terminal.
    bar: Option<ProgressBar>,
    /// Whether new lines are printed instead.
    lines: bool,
    /// How long the measurement lasts.
    counted: Nanos,
    next_line: Nanos,
    /// The begin of the second that is shown; the following fields are its totals over all shards.
    start: Nanos,
    elapsed: Nanos,
    ok: u64,
    faults: u64,
    lang: Language,
}

impl Ticker {
    pub(super) fn new(window: Window, quiet: bool, lang: Language) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let ticker = Self {
            bar: (!quiet && terminal).then(ProgressBar::new_spinner),
            lines: !quiet && !terminal,
            counted: window.counted,
            next_line: EVERY,
            start: Nanos(0),
            elapsed: Nanos(0),
            ok: 0,
            faults: 0,
            lang,
        };
        if window.settle >= Nanos::from_secs(1) {
            ticker.announce(window.settle);
        }
        ticker
    }

    fn announce(&self, settle: Nanos) {
        let before = say::text(&LoadLine::Settling { time: settle }, self.lang);
        if let Some(bar) = &self.bar {
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
                bar.set_style(style);
            }
            bar.set_message(before);
            bar.enable_steady_tick(Duration::from_millis(200));
        } else if self.lines {
            eprintln!("{before}");
        }
    }

    /// Adds a second of one event loop and shows the totals. A new line is printed when the next second begins, because all loops and all
    /// machines have told of the last one by then.
    pub(super) fn add_second(&mut self, interval: &Interval) {
        let half = Nanos::from_millis(500);
        if interval.start.since(self.start) > half {
            if self.lines && self.start + half >= self.next_line {
                self.next_line = self.next_line + EVERY;
                eprintln!("{}", self.line());
            }
            (self.ok, self.faults) = (0, 0);
        }
        (self.start, self.elapsed) = (interval.start, interval.elapsed);
        self.ok += interval.ok;
        self.faults += interval.faults.total();
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.set_style(ProgressStyle::default_spinner());
            bar.set_message(self.line());
            bar.tick();
        }
    }

    fn line(&self) -> String {
        let rate = self.ok as f64 / self.elapsed.as_secs_f64().max(1e-9);
        let ends_by_time = self.counted < super::plan::PATIENCE;
        let faults = self.faults;
        let left = ends_by_time.then(|| self.counted.since(self.start + self.elapsed));
        say::text(&LoadLine::Loading { rate, faults, left }, self.lang)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
