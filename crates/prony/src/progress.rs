//! Shows on stderr what a run is doing and how long it will still take: a line that is redrawn on a terminal, a short log elsewhere.

use crate::sinks::SinkSender;
use crate::web::live::PageSender;
use ask::experiment::{Design, Experiment};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::event::{Event, Observer};
use load::FleetStatus;
use model::units::{Nanos, Rate};
use record::rounds::RoundRecord;
use report::progress::{self, EndedStart, StartNumber};
use say::Language;
use std::io::IsTerminal;
use std::time::Duration;
use store::Store;

/// Observes a run: shows its progress and stores it slice by slice.
pub(crate) struct RunProgress<'a> {
    store: &'a Store,
    run: String,
    design: Design,
    /// Whether it was said what the answer is about, with the percentile that the first rate decides.
    headline_said: bool,
    /// Whether the run has several levels, so that lines have to name theirs.
    has_levels: bool,
    /// How many machines make the load, and that in words; where others make it.
    fleet: Option<(u64, String)>,
    display: Display,
    lang: Language,
    viewers: Viewers,
    /// Why the run could not be stored, from the first error on. The run itself goes on.
    pub(crate) store_error: Option<store::Error>,
}

/// Who follows a run besides its user.
pub(crate) struct Viewers {
    /// Sends events to the live page, if the run has one.
    pub(crate) page: Option<PageSender>,
    /// Sends slices to the sinks.
    pub(crate) sinks: SinkSender,
}

/// How progress is shown on stderr.
enum Display {
    /// Not at all.
    Silent,
    /// As lines that stay.
    Log,
    /// As a line that is redrawn.
    Bar(ProgressBar),
}

impl<'a> RunProgress<'a> {
    /// Shows progress on stderr, unless `quiet`.
    pub(crate) fn new(
        store: &'a Store,
        run: &str,
        experiment: &Experiment,
        quiet: bool,
        lang: Language,
        viewers: Viewers,
    ) -> Self {
        let animated = std::io::stderr().is_terminal() && !crate::output::is_env_set("CI");
        let display = match (quiet, animated) {
            (true, _) => Display::Silent,
            (false, false) => Display::Log,
            (false, true) => Display::Bar(bar()),
        };
        Self {
            store,
            run: run.to_owned(),
            design: experiment.design.clone(),
            headline_said: false,
            has_levels: experiment.load.connections.len() > 1,
            fleet: None,
            display,
            lang,
            viewers,
            store_error: None,
        }
    }

    /// Shows on the live page the rounds of the earlier part of a run that is continued.
    pub(crate) fn show_earlier(&self, experiment: &Experiment, rounds: &[RoundRecord]) {
        if let Some(page) = &self.viewers.page {
            page.send_earlier(experiment, rounds);
        }
    }

    /// Says what the answer will be about, once before the first start, and again when a start has chosen the rate if the
    /// percentile depends on that.
    fn say_headline(&mut self, rate: Option<Rate>) {
        let said = self.headline_said;
        let text = progress::headline(&self.design, rate, self.lang).filter(|_| !said);
        if let Some(text) = text {
            self.log(&text);
        }
        self.headline_said = rate.is_some() || !self.design.tail_is_open();
    }

    fn log(&self, text: &str) {
        match &self.display {
            Display::Silent => {}
            Display::Log => eprintln!("{text}"),
            Display::Bar(bar) => bar.println(text),
        }
    }

    /// Shows what happens at the moment, on a terminal only. `share` is the part of the run that is done, 0 to 1.
    fn show(&self, text: String, share: f64) {
        if let Display::Bar(bar) = &self.display {
            bar.set_position((share * 100.0) as u64);
            let fleet = self.fleet.as_ref().map(|(_, fleet)| format!(" · {fleet}"));
            bar.set_message(text + &fleet.unwrap_or_default());
        }
    }

    /// Notes how the machines do that make the load. It is shown with each step on a terminal; elsewhere when their number changes.
    fn note_fleet(&mut self, status: &FleetStatus) {
        let there = status.there;
        let text = progress::fleet(there, status.of, status.start_spread, self.lang);
        let before = self.fleet.replace((there, text.clone()));
        if matches!(self.display, Display::Log) && before.is_none_or(|(before, _)| before != there) {
            self.log(&text);
        }
    }

    /// Stores something, unless storing has failed before: a full disk or a lock that another process holds would delay every
    /// slice. The run is stored again as a whole when it has ended.
    fn store(&mut self, store: impl FnOnce(&Store, &str) -> Result<(), store::Error>) {
        if self.store_error.is_none() {
            self.store_error = store(self.store, &self.run).err();
        }
    }

    /// Stores a round that has ended, and says how it ended.
    fn end_round(&mut self, record: &RoundRecord, standing: String, left: Option<Nanos>) {
        self.store(|store, run| store.store_round(run, record));
        let start = EndedStart {
            number: record.round,
            took: record.elapsed,
            state: record.void.as_ref().map_or(Ok(standing), Err),
        };
        self.log(&progress::ended(start, left, self.lang));
        let mut at_a_rate = record.open().filter(|_| record.void.is_none());
        if let Some(rate) = at_a_rate.find_map(|slice| slice.rate) {
            self.say_headline(Some(rate));
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

impl Observer for RunProgress<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(page) = &self.viewers.page {
            page.send(&event);
        }
        match event {
            Event::Preparing { step } => {
                let text = say::text(step, self.lang);
                self.log(&text);
                self.show(text, 0.0);
            }
            Event::Planned { at_most, typically, cap } => {
                self.log(&progress::planned(at_most, typically, cap, self.lang));
                self.say_headline(None);
            }
            Event::Note(note) => self.log(&say::text(note, self.lang)),
            Event::Waiting { round, idle } => self.log(&progress::waiting(round, idle, self.lang)),
            Event::Step { round, cap, step, share, left } => {
                let start = StartNumber { number: round, most: cap };
                self.show(progress::step(start, &step, left, self.lang), share);
            }
            Event::InspectionsBegin { takes } => self.log(&progress::inspections(takes, self.lang)),
            Event::StartupsBegin { cycles, takes } => {
                self.log(&progress::startups(cycles, takes, self.lang));
            }
            Event::ProfilesBegin { starts, takes } => {
                self.log(&progress::profiles(starts, takes, self.lang));
            }
            Event::Inspecting { step, share, left } => {
                self.show(progress::inspecting(&step, left, self.lang), share);
            }
            Event::Inspected(seen) => self.store(|store, run| store.store_inspection(run, seen)),
            Event::Fleet(status) => self.note_fleet(&status),
            Event::LevelEnded(part) | Event::StartupTimed(part) => {
                self.store(|store, run| store.store_round(run, part))
            }
            Event::Slice(slice) => {
                self.viewers.sinks.send(slice);
                self.store(|store, run| store.store_slice(run, slice));
            }
            Event::RoundEnded { record, verdicts, headline, left } => {
                let standing = progress::standing(verdicts, headline, self.has_levels, self.lang);
                self.end_round(record, standing, left);
            }
        }
    }
}

impl Drop for RunProgress<'_> {
    fn drop(&mut self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}
