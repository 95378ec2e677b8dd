//! Who follows a load while it lasts: its user, its live page, its sinks, and the requirements that may end it.

use super::required::FailFast;
use super::ticker::Ticker;
use crate::args::LiveArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::message;
use crate::run_context::ContextLine;
use crate::sinks::{SinkSender, Sinks};
use crate::user_config::UserConfig;
use crate::web::Address;
use crate::web::live::{LivePage, PageSender, RunHeader};
use lab::event::Event;
use load::{Interval, StepSlice, Window};
use model::load::Load;
use model::units::Nanos;
use record::outcome::Counts;
use record::rounds::SliceRecord;
use record::step::Step;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

/// Everyone who follows a load. Each second is told once, with what all event loops measured in it.
pub(super) struct LoadViewers<'a> {
    /// The progress on stderr; `None` when the load has ended.
    pub(super) ticker: Option<Ticker>,
    pub(super) fail_fast: Option<FailFast<'a>>,
    page: Option<PageSender>,
    sinks: SinkSender,
    header: &'a RunHeader,
    load: &'a Load,
    window: Window,
    /// When what counts began.
    began: SystemTime,
    /// The second that is under way.
    second: Option<Interval>,
}

/// The live page and the sinks of a load, which last longer than it.
pub(super) struct LoadAudience {
    pub(super) page: Option<LivePage>,
    pub(super) sinks: Sinks,
}

impl LoadAudience {
    /// Opens the page and the sinks that the command line and the user's configuration ask for.
    pub(super) fn open(
        args: &LiveArgs,
        call: &Call,
        stop: &Arc<AtomicBool>,
        lang: &crate::args::LanguageArgs,
    ) -> Result<Self, Failure> {
        let home = Home::find();
        let config = home.as_ref().map_or_else(|_| Ok(UserConfig::default()), UserConfig::read)?;
        let sinks = Sinks::start(&args.sinks.sinks, &config.sinks)?;
        let page = match args.live {
            false => None,
            true => {
                let address = Address { listen: args.listen, lang: language::for_pages(lang) };
                let page = LivePage::start(address, call.patience, Arc::clone(stop), home?.data)?;
                // Even with --quiet, because nobody could guess the address.
                message::tell(&ContextLine::PageServed { url: page.url() }, language::chosen(lang));
                Some(page)
            }
        };
        Ok(Self { page, sinks })
    }
}

impl<'a> LoadViewers<'a> {
    pub(super) fn new(
        audience: &LoadAudience,
        ticker: Ticker,
        fail_fast: Option<FailFast<'a>>,
        header: &'a RunHeader,
        load: &'a Load,
        window: Window,
    ) -> Self {
        let page = audience.page.as_ref().map(|page| page.sender(header.clone()));
        let sinks = audience.sinks.sender_of_load(header, load);
        let now = SystemTime::now();
        Self { ticker: Some(ticker), fail_fast, page, sinks, header, load, window, began: now, second: None }
    }

    /// Notes when the load began, with the part that does not count.
    pub(super) fn begin(&mut self, at: SystemTime) {
        self.began = at + std::time::Duration::from(self.window.settle);
        self.tell_step(Nanos(0));
    }

    /// Adds a second of an event loop or of an agent.
    pub(super) fn add_second(&mut self, interval: &Interval, stop: &AtomicBool) {
        if let Some(ticker) = &mut self.ticker {
            ticker.add_second(interval);
        }
        if let Some(fail_fast) = &mut self.fail_fast {
            fail_fast.add_second(interval, stop);
        }
        let half = Nanos::from_millis(500);
        match &mut self.second {
            Some(second) if interval.start.since(second.start) <= half => merge(second, interval),
            second => {
                let over = second.replace(interval.clone());
                over.iter().for_each(|over| self.tell_second(over));
            }
        }
    }

    /// Tells the rest, and ends the progress on stderr.
    pub(super) fn end(&mut self) {
        self.ticker = None;
        let last = self.second.take();
        last.iter().for_each(|last| self.tell_second(last));
    }

    fn tell_second(&mut self, second: &Interval) {
        let slice = slice_record(second, self.load, self.began);
        self.sinks.send(&slice);
        if let Some(page) = &self.page {
            page.send(&Event::Slice(&slice));
        }
        self.tell_step(second.start + second.elapsed);
    }

    fn tell_step(&self, lasted: Nanos) {
        let Some(page) = &self.page else { return };
        let ends = self.window.counted < super::plan::PATIENCE;
        let left = ends.then(|| self.window.counted.since(lasted));
        let share = match ends {
            true => lasted.as_secs_f64() / self.window.counted.as_secs_f64(),
            false => 0.0,
        };
        let step = Step::Loading { url: self.header.arms.concat() };
        page.send(&Event::Inspecting { step, share, left });
    }
}

fn merge(second: &mut Interval, other: &Interval) {
    second.elapsed = second.elapsed.max(other.elapsed);
    second.requests += other.requests;
    second.ok += other.ok;
    second.bytes += other.bytes;
    second.body_bytes += other.body_bytes;
    second.faults.merge(&other.faults);
    second.connects += other.connects;
    second.response.add(&other.response);
    second.service.add(&other.service);
    second.steps.resize_with(other.steps.len().max(second.steps.len()), StepSlice::default);
    second.steps.iter_mut().zip(&other.steps).for_each(|(sum, step)| sum.merge(step.clone()));
}

/// A second of a load as a slice of its only start.
fn slice_record(second: &Interval, load: &Load, began: SystemTime) -> SliceRecord {
    let since = began.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    SliceRecord {
        round: 1,
        rate: load.rate,
        started_ns: since + second.start.0,
        elapsed_ns: second.elapsed.0,
        counts: Counts {
            requests: second.requests,
            ok: second.ok,
            faults: second.faults.iter().map(|(fault, count)| (fault.id().to_owned(), count)).collect(),
            connects: second.connects,
            bytes: second.bytes,
            body_bytes: second.body_bytes,
            ..Counts::default()
        },
        lag_p99_ns: second.lag_p99.0,
        response: Some(second.response.clone()),
        service: Some(second.service.clone()),
        steps: lab::step_records(&second.steps),
        ..SliceRecord::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Rate;

    #[test]
    fn a_second_of_several_event_loops_is_one_slice_at_its_time() {
        let interval = |shard: usize| Interval {
            shard,
            start: Nanos::from_secs(3),
            elapsed: Nanos::from_secs(1),
            requests: 10,
            ok: 9,
            steps: vec![StepSlice { ended: 4, ok: 3, ..StepSlice::default() }],
            ..Interval::default()
        };
        let mut second = interval(0);
        merge(&mut second, &interval(1));
        let load = Load { rate: Some(Rate(20.0)), ..Load::default() };
        let slice = slice_record(&second, &load, UNIX_EPOCH + std::time::Duration::from_secs(100));
        assert_eq!((slice.counts.requests, slice.counts.ok), (20, 18));
        assert_eq!((slice.started_ns, slice.elapsed_ns), (103_000_000_000, 1_000_000_000));
        assert_eq!((slice.rate, slice.round), (Some(Rate(20.0)), 1));
        assert_eq!((slice.steps[0].ended, slice.steps[0].ok), (8, 6));
    }
}
