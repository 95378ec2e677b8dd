//! [`Page`]: everything that viewers can see of a run, and what is new to each viewer.

use super::fault_rows::FaultRows;
use super::fleet_rows::FleetRows;
use super::news::{EndedRound, News, PageMessage, RoundStep, RunHeader, RunResults};
use super::step_rows::StepRows;
use model::units::{Nanos, Rate, Share};
use record::rounds::SliceRecord;
use serde::Serialize;
use std::collections::VecDeque;

/// The number of slices that are kept: half an hour of the shortest ones.
const MAX_SLICES: usize = 3600;
/// The number of remarks that are kept.
const MAX_REMARKS: usize = 20;

/// A run as viewers see it.
pub(super) struct Page {
    state: PageState,
    rounds: Vec<EndedRound>,
    slices: VecDeque<SlicePoint>,
    /// The number of slices that are no longer kept.
    gone: usize,
}

/// The part of the page that is sent as a whole with every update.
#[derive(Serialize)]
struct PageState {
    #[serde(flatten)]
    header: RunHeader,
    /// The question of the trial that runs at the moment, if any. Only the steps of a trial are shown.
    trial: Option<ask::question::Question>,
    phase: Phase,
    step: RoundStep,
    /// What is done outside rounds, such as fetching or building, or looking into servers.
    doing: PageMessage,
    /// While the run waits for the machine: the share of its CPU time that is idle.
    idle: Share,
    /// When the run began, in seconds since the epoch.
    began: f64,
    /// When the run ends at the latest, in seconds since the epoch; absent if nothing limits it.
    until: Option<f64>,
    /// How long the run takes on a quiet machine, in seconds.
    typically: Option<f64>,
    remarks: VecDeque<PageMessage>,
    /// The steps of sessions in the present start.
    #[serde(rename = "session_steps")]
    steps: StepRows,
    /// What went wrong.
    faults: FaultRows,
    /// How the machines do that make the load, if others make it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<FleetRows>,
    /// Whether the user has asked the run to stop.
    stopping: bool,
    results: Option<RunResults>,
}

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Phase {
    Preparing,
    Waiting,
    Measuring,
    Ended,
}

/// A slice as the plots show it.
#[derive(Serialize)]
struct SlicePoint {
    /// The middle of its counted part, in seconds since the epoch.
    at: f64,
    round: u32,
    arm: usize,
    /// The number of users of the closed loop; absent at a fixed rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<u64>,
    /// Requests at a fixed rate, or sessions where users play them.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<Rate>,
    /// Right answers per second.
    throughput: f64,
    /// Percentiles of the response time at a fixed rate, or of the service time in the closed loop, in seconds.
    p50: Option<f64>,
    p99: Option<f64>,
    faults: u64,
}

/// How much one viewer has received.
#[derive(Default)]
pub(super) struct ViewerPosition {
    begun: bool,
    rounds: usize,
    slices: usize,
}

/// What is sent to a viewer.
#[derive(Serialize)]
struct Update<'a> {
    /// Whether this is the first update of this connection, so that the viewer must forget what it has.
    fresh: bool,
    /// The server's time, to which `began` and `until` refer.
    now: f64,
    state: &'a PageState,
    rounds: &'a [EndedRound],
    slices: Vec<&'a SlicePoint>,
    /// The number of slices that are kept, and of older ones that are not.
    kept: usize,
    gone: usize,
}

impl Page {
    /// Returns the page of a run when only its begin is known, in seconds since the epoch.
    pub(super) fn new(began: f64) -> Self {
        Self {
            state: PageState {
                header: RunHeader::default(),
                trial: None,
                phase: Phase::Preparing,
                step: RoundStep::default(),
                doing: PageMessage::default(),
                idle: Share(0.0),
                began,
                until: None,
                typically: None,
                remarks: VecDeque::new(),
                steps: StepRows::default(),
                faults: FaultRows::default(),
                fleet: None,
                stopping: false,
                results: None,
            },
            rounds: Vec::new(),
            slices: VecDeque::new(),
            gone: 0,
        }
    }

    /// Whether the run is over.
    pub(super) fn has_ended(&self) -> bool {
        self.state.phase == Phase::Ended
    }

    /// Sets whether the user has asked the run to stop; returns whether this has changed.
    pub(super) fn set_stopping(&mut self, stopping: bool) -> bool {
        std::mem::replace(&mut self.state.stopping, stopping) != stopping
    }

    /// Adds an event; `now` is in seconds since the epoch.
    pub(super) fn add(&mut self, news: News, now: f64) {
        let state = &mut self.state;
        let in_trial = state.trial.is_some();
        match news {
            News::Begin(header) => self.begin(*header),
            News::Remark(_) | News::Slice(_) if in_trial => {}
            News::Preparing(text) => (state.phase, state.doing) = (Phase::Preparing, text),
            News::Inspecting { what, left } => {
                (state.phase, state.doing) = (Phase::Preparing, what);
                self.set_time_left(left, now);
            }
            News::Waiting { round, idle } => {
                (state.phase, state.step.round, state.idle) = (Phase::Waiting, round, idle);
            }
            News::Planned { at_most, typically } => {
                self.set_time_left(at_most, now);
                self.state.typically = Some(typically.as_secs_f64());
            }
            News::Step(step) => {
                let left = step.left;
                (state.phase, state.step) = (Phase::Measuring, step);
                self.set_time_left(left, now);
            }
            News::Remark(text) => push_limited(&mut state.remarks, text, MAX_REMARKS),
            News::Slice(slice) => self.add_slice(&slice),
            News::Fleet(status) => state.fleet = Some(status),
            News::Round(round) => {
                self.set_time_left(round.left, now);
                if !in_trial {
                    self.rounds.push(round);
                }
            }
            News::Results(results) => state.results = Some(results),
            News::Ended => {
                (state.phase, state.until) = (Phase::Ended, Some(now));
                if state.results.is_some() {
                    state.step.share = 1.0;
                }
            }
        }
    }

    /// Begins the run, or later a trial of what the run suggests. The figures of a trial are not part of the run.
    fn begin(&mut self, header: RunHeader) {
        let state = &mut self.state;
        if state.header.run.is_empty() {
            state.header = header;
        } else {
            state.trial = Some(header.question);
            (state.phase, state.doing) = (Phase::Preparing, PageMessage::default());
        }
    }

    fn set_time_left(&mut self, left: Option<Nanos>, now: f64) {
        self.state.until = left.map(|left| now + left.as_secs_f64());
    }

    fn add_slice(&mut self, slice: &SliceRecord) {
        self.state.steps.add(&self.state.header, slice);
        self.state.faults.add(slice);
        let [p50, p99] = judge::glimpse(slice, [0.5, 0.99]).map_or([None; 2], |times| times.map(Some));
        let elapsed = Nanos(slice.elapsed_ns).as_secs_f64();
        let middle = Nanos(slice.started_ns + slice.settle_ns).as_secs_f64() + elapsed / 2.0;
        let users = self.state.header.levels.get(slice.level).copied();
        let point = SlicePoint {
            // Rounded to a tenth, which is fine enough for a plot and short to send.
            at: (middle * 10.0).round() / 10.0,
            round: slice.round,
            arm: slice.arm,
            users: users.filter(|_| slice.rate.is_none()),
            rate: slice.rate,
            throughput: (slice.counts.ok as f64 / elapsed.max(1e-9)).round(),
            p50,
            p99,
            faults: slice.counts.faults.values().sum(),
        };
        self.gone += usize::from(self.slices.len() == MAX_SLICES);
        push_limited(&mut self.slices, point, MAX_SLICES);
    }

    /// Returns what is new to a viewer, as JSON; a new viewer gets everything.
    pub(super) fn update_for(&self, position: &mut ViewerPosition, now: f64) -> String {
        let known = position.slices.saturating_sub(self.gone);
        let update = Update {
            fresh: !position.begun,
            now,
            state: &self.state,
            rounds: &self.rounds[position.rounds..],
            slices: self.slices.iter().skip(known).collect(),
            kept: self.slices.len(),
            gone: self.gone,
        };
        *position =
            ViewerPosition { begun: true, rounds: self.rounds.len(), slices: self.gone + self.slices.len() };
        // This cannot fail: the update consists of strings, finite numbers and absent values.
        serde_json::to_string(&update).unwrap_or_default()
    }
}

/// Adds a value and drops the oldest one if there are `most` already.
fn push_limited<T>(all: &mut VecDeque<T>, value: T, most: usize) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::histogram::{SparseHistogram, new_histogram};
    use serde_json::Value;

    fn update(page: &Page, position: &mut ViewerPosition) -> Value {
        serde_json::from_str(&page.update_for(position, 100.0)).expect("JSON")
    }

    fn slice(ok: u64) -> News {
        let mut slice = SliceRecord {
            started_ns: 7_000_000_000,
            elapsed_ns: 500_000_000,
            level: 1,
            ..SliceRecord::default()
        };
        slice.counts.ok = ok;
        News::Slice(Box::new(slice))
    }

    fn page() -> Page {
        let mut page = Page::new(1.0);
        let header = RunHeader { levels: vec![10, 200], ..RunHeader::default() };
        page.add(News::Begin(Box::new(header)), 1.0);
        page
    }

    #[test]
    fn a_late_viewer_gets_everything_and_an_early_one_what_is_new() {
        let (mut page, mut early) = (page(), ViewerPosition::default());
        page.add(slice(500), 8.0);
        let first = update(&page, &mut early);
        assert_eq!((&first["fresh"], first["slices"].as_array().map(Vec::len)), (&true.into(), Some(1)));
        page.add(slice(600), 9.0);
        let next = update(&page, &mut early);
        assert_eq!((&next["fresh"], &next["slices"][0]["throughput"]), (&false.into(), &1200.0.into()));
        let late = update(&page, &mut ViewerPosition::default());
        let figures: Vec<&Value> =
            late["slices"].as_array().expect("slices").iter().map(|s| &s["throughput"]).collect();
        assert_eq!(figures, [&Value::from(1000.0), &Value::from(1200.0)]);
        assert_eq!((&late["slices"][0]["users"], &late["slices"][0]["at"]), (&200.into(), &7.3.into()));
    }

    fn begin(run: &str, text: &str) -> News {
        News::Begin(Box::new(RunHeader {
            run: run.to_owned(),
            question: text.into(),
            ..RunHeader::default()
        }))
    }

    fn ended(round: u32, left: Option<Nanos>) -> News {
        let mut ended = EndedRound::default();
        (ended.round, ended.left) = (round, left);
        News::Round(ended)
    }

    #[test]
    fn during_a_trial_the_page_still_shows_the_run() {
        let mut page = Page::new(1.0);
        page.add(begin("main", "Is it faster?"), 1.0);
        page.add(slice(500), 8.0);
        page.add(ended(1, None), 9.0);
        let before = update(&page, &mut ViewerPosition::default());
        assert_eq!(before["state"]["trial"], Value::Null);
        page.add(begin("trial", "Does it help?"), 10.0);
        let begun = update(&page, &mut ViewerPosition::default())["state"].clone();
        assert_eq!(
            (&begun["phase"], &begun["trial"]["question"]),
            (&"preparing".into(), &"Does it help?".into())
        );
        page.add(News::Step(RoundStep { round: 2, share: 0.3, ..RoundStep::default() }), 11.0);
        page.add(slice(900), 12.0);
        page.add(News::Remark(PageMessage::default()), 13.0);
        page.add(ended(2, Some(Nanos::from_secs(60))), 14.0);
        let during = update(&page, &mut ViewerPosition::default());
        for kept in ["rounds", "slices"] {
            assert_eq!(during[kept], before[kept], "{kept}");
        }
        let state = &during["state"];
        for kept in ["run", "question", "remarks"] {
            assert_eq!(state[kept], before["state"][kept], "{kept}");
        }
        assert_eq!(
            (&state["step"]["round"], &state["step"]["share"], &state["until"]),
            (&2.into(), &0.3.into(), &74.0.into()),
            "the progress of the trial"
        );
    }

    #[test]
    fn times_are_response_times_at_a_fixed_rate_and_service_times_in_the_closed_loop() {
        let times = |nanos: u64| {
            let mut times = new_histogram();
            times.record(nanos).expect("in bounds");
            Some(SparseHistogram::from(&times))
        };
        let mut page = page();
        for rate in [None, Some(100.0)] {
            page.add(
                News::Slice(Box::new(SliceRecord {
                    rate: rate.map(Rate),
                    response: times(8_000_000),
                    service: times(2_000_000),
                    ..SliceRecord::default()
                })),
                8.0,
            );
        }
        let slices = update(&page, &mut ViewerPosition::default())["slices"].clone();
        let median = |index: usize| slices[index]["p50"].as_f64().map(|p50| (p50 * 1e3).round());
        assert_eq!([median(0), median(1)], [Some(2.0), Some(8.0)]);
    }

    #[test]
    fn the_newest_slices_of_a_long_run_are_kept_and_none_is_sent_twice() {
        let (mut page, mut seen) = (page(), ViewerPosition::default());
        let count = |update: &Value| update["slices"].as_array().expect("slices").len();
        (0..MAX_SLICES as u64).for_each(|ok| page.add(slice(ok), 2.0));
        assert_eq!(count(&update(&page, &mut seen)), MAX_SLICES);
        (0..3).for_each(|_| page.add(slice(7), 3.0));
        let next = update(&page, &mut seen);
        assert_eq!(count(&next), 3);
        assert_eq!(
            (&next["kept"], &next["gone"]),
            (&MAX_SLICES.into(), &3.into()),
            "the page tells how many slices it no longer shows"
        );
        assert_eq!(count(&update(&page, &mut seen)), 0);
        assert_eq!(count(&update(&page, &mut ViewerPosition::default())), MAX_SLICES);
    }

    #[test]
    fn the_end_has_its_time_and_a_stop_is_new_only_once() {
        let mut page = page();
        let left = Some(Nanos::from_secs(60));
        page.add(News::Planned { at_most: left, typically: Nanos::from_secs(30) }, 10.0);
        assert_eq!(update(&page, &mut ViewerPosition::default())["state"]["until"], 70.0);
        assert!(page.set_stopping(true) && !page.set_stopping(true));
        page.add(News::Ended, 40.0);
        let state = update(&page, &mut ViewerPosition::default())["state"].clone();
        assert!(page.has_ended());
        assert_eq!((&state["phase"], &state["until"]), (&"ended".into(), &40.0.into()));
        assert_eq!((&state["stopping"], &state["step"]["share"]), (&true.into(), &0.0.into()));
    }
}
