//! What a run does now and how long it still takes, on stderr: a line that is redrawn on a terminal, a quiet log elsewhere.

use crate::web::live::Teller;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::event::{Event, Observer};
use model::experiment::Experiment;
use model::measure::Measure;
use model::record::RoundRecord;
use report::progress::{self, EndedStart, StartNumber};
use report::{Lang, say};
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
    lang: Lang,
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
        (quiet, lang): (bool, Lang),
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
            lang,
            page,
            trouble: None,
        }
    }

    /// The run goes on: its page begins with the rounds that there are.
    pub(crate) fn earlier(&self, experiment: &Experiment, rounds: &[RoundRecord]) {
        if let Some(page) = &self.page {
            page.earlier(experiment, rounds);
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
            Event::Preparing { step } => {
                let what = say::step(step, self.lang);
                self.log(&what);
                self.show(what, 0.0);
            }
            Event::Planned { at_most, typically } => {
                self.log(&progress::planned(at_most, typically, self.lang));
            }
            Event::Note(note) => self.log(&say::note(note, self.lang)),
            Event::Waiting { round, idle } => self.log(&progress::waiting(round, idle, self.lang)),
            Event::Step {
                round,
                cap,
                step,
                share,
                left,
            } => {
                let start = StartNumber {
                    number: round,
                    most: cap,
                };
                self.show(progress::step(start, &step, left, self.lang), share);
            }
            Event::Slice(slice) => {
                self.store(|store, run| store.store_slice(run, slice));
            }
            Event::RoundEnded {
                record,
                verdicts,
                left,
            } => {
                self.store(|store, run| store.store_round(run, record));
                let standing = || progress::standing(verdicts, self.headline, self.several, self.lang);
                let state = record.void.as_ref().map_or_else(|| Ok(standing()), Err);
                let start = EndedStart {
                    number: record.round,
                    seconds: record.elapsed,
                    state,
                };
                self.log(&progress::ended(start, left, self.lang));
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
