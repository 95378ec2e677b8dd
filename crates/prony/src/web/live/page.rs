//! All that a viewer can see of a run, and what of it is new to one.

use super::news::{Found, News, Question, Round, Said, Step};
use model::record::SliceRecord;
use model::units::Nanos;
use serde::Serialize;
use std::collections::VecDeque;

/// Slices that are kept to be looked at: half an hour of the shortest.
const SLICES: usize = 3600;
/// Remarks that are kept.
const REMARKS: usize = 20;

/// A run as viewers see it.
pub(super) struct Page {
    state: State,
    rounds: Vec<Round>,
    slices: VecDeque<Point>,
    /// Slices that are no longer kept.
    gone: usize,
}

/// What is sent whole whenever anything of it has changed.
#[derive(Serialize)]
struct State {
    #[serde(flatten)]
    question: Question,
    /// What a trial asks, while a change that the run suggests is tried: its steps are shown, and nothing else of it.
    trial: Option<model::question::Question>,
    phase: Phase,
    step: Step,
    /// What goes on where there is no step: fetching, building.
    doing: Said,
    /// Of a machine that is waited for, so much is idle.
    idle: f64,
    /// When it began, seconds since the epoch.
    began: f64,
    /// When it ends at the latest, seconds since the epoch; unknown where nothing limits it.
    until: Option<f64>,
    /// How long it takes on a quiet machine, seconds.
    typically: Option<f64>,
    remarks: VecDeque<Said>,
    /// Somebody asked it to end.
    stopping: bool,
    found: Option<Found>,
}

/// What a run is at.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Phase {
    Preparing,
    Waiting,
    Measuring,
    Ended,
}

/// A slice as a plot shows it.
#[derive(Serialize)]
struct Point {
    /// The middle of its counted window, seconds since the epoch.
    at: f64,
    round: u32,
    arm: usize,
    /// Users of the closed loop, or requests per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    /// Right answers per second.
    throughput: f64,
    /// Response times at a fixed rate, service times in the closed loop, seconds.
    p50: Option<f64>,
    p99: Option<f64>,
    faults: u64,
}

/// What one viewer has been sent.
#[derive(Default)]
pub(super) struct Seen {
    begun: bool,
    rounds: usize,
    slices: usize,
}

/// What is sent to one viewer.
#[derive(Serialize)]
struct Update<'a> {
    /// The first that it gets: what it has from before is of no use.
    fresh: bool,
    /// By the server's clock, which `began` and `until` are told by.
    now: f64,
    state: &'a State,
    rounds: &'a [Round],
    slices: Vec<&'a Point>,
    /// Slices that it may show, the newest, and how many there were before them.
    kept: usize,
    gone: usize,
}

impl Page {
    /// Nothing is known but when it began.
    pub(super) fn new(began: f64) -> Self {
        Self {
            state: State {
                question: Question::default(),
                trial: None,
                phase: Phase::Preparing,
                step: Step::default(),
                doing: Said::default(),
                idle: 0.0,
                began,
                until: None,
                typically: None,
                remarks: VecDeque::new(),
                stopping: false,
                found: None,
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

    /// Notes whether somebody asked it to end; whether that is new.
    pub(super) fn stopping(&mut self, stopping: bool) -> bool {
        std::mem::replace(&mut self.state.stopping, stopping) != stopping
    }

    /// Something happened; `now` is seconds since the epoch.
    pub(super) fn learn(&mut self, news: News, now: f64) {
        let state = &mut self.state;
        let trying = state.trial.is_some();
        match news {
            News::Asked(question) => self.asked(*question),
            News::Remark(_) | News::Slice(_) if trying => {}
            News::Preparing(what) => (state.phase, state.doing) = (Phase::Preparing, what),
            News::Waiting { round, idle } => {
                (state.phase, state.step.round, state.idle) = (Phase::Waiting, round, idle);
            }
            News::Planned { at_most, typically } => {
                self.left(at_most, now);
                self.state.typically = Some(typically.as_secs_f64());
            }
            News::Step(step) => {
                let left = step.left;
                (state.phase, state.step) = (Phase::Measuring, step);
                self.left(left, now);
            }
            News::Remark(said) => keep(&mut state.remarks, said, REMARKS),
            News::Slice(slice) => self.slice(&slice),
            News::Round(round) => {
                self.left(round.left, now);
                if !trying {
                    self.rounds.push(round);
                }
            }
            News::Found(found) => state.found = Some(found),
            News::Ended => {
                (state.phase, state.until) = (Phase::Ended, Some(now));
                if state.found.is_some() {
                    state.step.share = 1.0;
                }
            }
        }
    }

    /// The first question is the run's own. What is asked later is asked by trials, whose figures are not the run's.
    fn asked(&mut self, question: Question) {
        let state = &mut self.state;
        if state.question.run.is_empty() {
            state.question = question;
        } else {
            state.trial = Some(question.question);
            (state.phase, state.doing) = (Phase::Preparing, Said::default());
        }
    }

    fn left(&mut self, left: Option<Nanos>, now: f64) {
        self.state.until = left.map(|left| now + left.as_secs_f64());
    }

    fn slice(&mut self, slice: &SliceRecord) {
        let [p50, p99] = judge::glimpse(slice).map_or([None; 2], |times| times.map(Some));
        let elapsed = Nanos(slice.elapsed_ns).as_secs_f64();
        let middle = Nanos(slice.started_ns + slice.settle_ns).as_secs_f64() + elapsed / 2.0;
        let users = self.state.question.levels.get(slice.level).copied();
        let point = Point {
            // A tenth is as fine as anybody sees, and shorter.
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
        self.gone += usize::from(self.slices.len() == SLICES);
        keep(&mut self.slices, point, SLICES);
    }

    /// What is new to a viewer, as JSON; all there is for a new one.
    pub(super) fn news_for(&self, seen: &mut Seen, now: f64) -> String {
        let known = seen.slices.saturating_sub(self.gone);
        let update = Update {
            fresh: !seen.begun,
            now,
            state: &self.state,
            rounds: &self.rounds[seen.rounds..],
            slices: self.slices.iter().skip(known).collect(),
            kept: self.slices.len(),
            gone: self.gone,
        };
        *seen = Seen {
            begun: true,
            rounds: self.rounds.len(),
            slices: self.gone + self.slices.len(),
        };
        // Strings, finite numbers and what is absent: there is always a JSON of it.
        serde_json::to_string(&update).unwrap_or_default()
    }
}

/// The newest `most`.
fn keep<T>(all: &mut VecDeque<T>, one: T, most: usize) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(one);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
    use serde_json::Value;

    fn told(page: &Page, seen: &mut Seen) -> Value {
        serde_json::from_str(&page.news_for(seen, 100.0)).expect("JSON")
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
        let question = Question {
            levels: vec![10, 200],
            ..Question::default()
        };
        page.learn(News::Asked(Box::new(question)), 1.0);
        page
    }

    #[test]
    fn a_late_viewer_sees_everything_and_an_early_one_what_is_new() {
        let (mut page, mut early) = (page(), Seen::default());
        page.learn(slice(500), 8.0);
        let first = told(&page, &mut early);
        assert_eq!(
            (&first["fresh"], first["slices"].as_array().map(Vec::len)),
            (&true.into(), Some(1))
        );
        page.learn(slice(600), 9.0);
        let next = told(&page, &mut early);
        assert_eq!(
            (&next["fresh"], &next["slices"][0]["throughput"]),
            (&false.into(), &1200.0.into())
        );
        let late = told(&page, &mut Seen::default());
        let figures: Vec<&Value> = late["slices"]
            .as_array()
            .expect("slices")
            .iter()
            .map(|s| &s["throughput"])
            .collect();
        assert_eq!(figures, [&Value::from(1000.0), &Value::from(1200.0)]);
        assert_eq!(
            (&late["slices"][0]["users"], &late["slices"][0]["at"]),
            (&200.into(), &7.3.into())
        );
    }

    fn asked(run: &str, text: &str) -> News {
        News::Asked(Box::new(Question {
            run: run.to_owned(),
            question: text.into(),
            ..Question::default()
        }))
    }

    fn ended(round: u32, left: Option<Nanos>) -> News {
        let mut ended = Round::default();
        (ended.round, ended.left) = (round, left);
        News::Round(ended)
    }

    #[test]
    fn while_a_suggestion_is_tried_the_page_stays_that_of_the_run() {
        let mut page = Page::new(1.0);
        page.learn(asked("main", "Is it faster?"), 1.0);
        page.learn(slice(500), 8.0);
        page.learn(ended(1, None), 9.0);
        let before = told(&page, &mut Seen::default());
        assert_eq!(before["state"]["trial"], Value::Null);
        page.learn(asked("trial", "Does it help?"), 10.0);
        let begun = told(&page, &mut Seen::default())["state"].clone();
        assert_eq!(
            (&begun["phase"], &begun["trial"]["question"]),
            (&"preparing".into(), &"Does it help?".into())
        );
        page.learn(
            News::Step(Step {
                round: 2,
                share: 0.3,
                ..Step::default()
            }),
            11.0,
        );
        page.learn(slice(900), 12.0);
        page.learn(News::Remark(Said::default()), 13.0);
        page.learn(ended(2, Some(Nanos::from_secs(60))), 14.0);
        let during = told(&page, &mut Seen::default());
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
            "how far the trial is"
        );
    }

    #[test]
    fn times_are_response_times_at_a_fixed_rate_and_service_times_in_the_closed_loop() {
        let times = |nanos: u64| {
            let mut times = Histogram::<u64>::new(3).expect("bounds");
            times.record(nanos).expect("in bounds");
            let mut bytes = Vec::new();
            V2DeflateSerializer::new()
                .serialize(&times, &mut bytes)
                .expect("memory");
            bytes
        };
        let mut page = page();
        for rate in [None, Some(100.0)] {
            page.learn(
                News::Slice(Box::new(SliceRecord {
                    rate,
                    response: times(8_000_000),
                    service: times(2_000_000),
                    ..SliceRecord::default()
                })),
                8.0,
            );
        }
        let slices = told(&page, &mut Seen::default())["slices"].clone();
        let median = |index: usize| slices[index]["p50"].as_f64().map(|p50| (p50 * 1e3).round());
        assert_eq!([median(0), median(1)], [Some(2.0), Some(8.0)]);
    }

    #[test]
    fn of_a_long_run_the_newest_slices_are_kept_and_none_is_sent_twice() {
        let (mut page, mut seen) = (page(), Seen::default());
        let count = |told: &Value| told["slices"].as_array().expect("slices").len();
        (0..SLICES as u64).for_each(|ok| page.learn(slice(ok), 2.0));
        assert_eq!(count(&told(&page, &mut seen)), SLICES);
        (0..3).for_each(|_| page.learn(slice(7), 3.0));
        let next = told(&page, &mut seen);
        assert_eq!(count(&next), 3);
        assert_eq!(
            (&next["kept"], &next["gone"]),
            (&SLICES.into(), &3.into()),
            "a page says what it no longer shows"
        );
        assert_eq!(count(&told(&page, &mut seen)), 0);
        assert_eq!(count(&told(&page, &mut Seen::default())), SLICES);
    }

    #[test]
    fn the_end_is_told_with_its_time_and_a_stop_once() {
        let mut page = page();
        let left = Some(Nanos::from_secs(60));
        page.learn(
            News::Planned {
                at_most: left,
                typically: Nanos::from_secs(30),
            },
            10.0,
        );
        assert_eq!(told(&page, &mut Seen::default())["state"]["until"], 70.0);
        assert!(page.stopping(true) && !page.stopping(true));
        page.learn(News::Ended, 40.0);
        let state = told(&page, &mut Seen::default())["state"].clone();
        assert!(page.has_ended());
        assert_eq!(
            (&state["phase"], &state["until"]),
            (&"ended".into(), &40.0.into())
        );
        assert_eq!(
            (&state["stopping"], &state["step"]["share"]),
            (&true.into(), &0.0.into())
        );
    }
}
