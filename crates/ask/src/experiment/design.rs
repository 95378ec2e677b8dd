//! `[design]`: how the verdict is reached.

pub(super) mod file;

use super::error_rate::{ALPHA, GATE_ALPHA};
use super::{Find, Headline, KeptRate, LearntPrior, Margins, Pacing};
use crate::arm::Arm;
use crate::slip::{Advice, Hint, NotMeasured};
use model::measure::{Measure, MeasureScope};
use model::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};

/// Counted part of a slice of the closed loop where the service is quick and [`PAIRS`] or more are asked for. Machines change
/// their speed within a second or two, and a pair of slices differs as much at 500 ms as at 200 ms (13.8 and 13.7 %), so shorter slices
/// show more in the same time.
const SLICE: Nanos = Nanos::from_millis(100);
/// The longest counted part that such a slice gets where the file asks for fewer than [`PAIRS`] pairs. It grows so that an arm is
/// loaded for as long as by [`PAIRS`] slices of [`SLICE`].
const LONGEST_SLICE: Nanos = Nanos::from_millis(500);
/// Uncounted part of a slice, which comes first, where the service is quick. A slice ends with an answer, so that a pause of a server is in
/// it whole, however short this part is.
pub const SETTLE: Nanos = Nanos::from_millis(20);
/// Uncounted part of a slice at a fixed rate with the arms in turn. It is as long as most pauses of a JVM, so that as much of a pause reaches
/// into the counted part as is lost behind it, where no more requests are due.
pub const LATENCY_SETTLE: Nanos = Nanos::from_millis(100);
/// Pairs of slices in a start, at each level of the closed loop.
const PAIRS: u32 = 22;
/// Windows of all arms at once in a start, in a mixed stage at a fixed rate.
const WINDOWS: u32 = 20;
/// Pairs of slices, and windows of all arms at once, in a session with servers that run already. A session has half of what a start has,
/// because more sessions say more than longer ones.
const SESSION_PAIRS: u32 = 12;
const SESSION_WINDOWS: u32 = 10;
/// The most pairs of slices at a fixed rate in such a session, where the file does not set them.
const SESSION_LATENCY_PAIRS: u32 = 10;
/// Counted part of a slice at the fixed rate, where the service is quick.
const LATENCY_SLICE: Nanos = Nanos::from_millis(200);
/// Counted part of a slice that tests whether a rate keeps an objective.
const PROBE: Nanos = Nanos::from_secs(1);

/// How the verdict is reached; all of it is fixed before the first start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Index of the arm the others are compared with.
    pub baseline: usize,
    /// What decides when to stop.
    pub headline: Headline,
    /// The largest number of rounds; each round starts every arm afresh. `None` goes on until the run is sure, by
    /// intervals that hold at every look without a cap.
    pub starts: Option<u32>,
    /// Whether prony may lower `starts` to what fits into the budget; false where the file or a flag sets it.
    pub tune_starts: bool,
    /// Gate: the loss of the headline that is allowed. `None` asks which arm is better, or whether they are the same within
    /// the margin.
    pub gate: Option<f64>,
    /// All arms are the same on purpose, to see what the measurement itself does.
    pub aa: bool,
    /// Pairs of slices per round: an even number, because two pairs make a quad, or 1 for a row without its mirror image, where
    /// slices take many seconds.
    pub pairs: u32,
    /// Whether prony may choose `pairs` anew, once, when four starts have shown how much slices vary; false where the file
    /// sets it.
    pub tune: bool,
    /// Counted part of a slice; `None`: [`Design::shortest_slice`], or as long as a slow service needs.
    pub slice: Option<Nanos>,
    /// Uncounted part of a slice, which comes first; `None`: [`SETTLE`], at a fixed rate [`LATENCY_SETTLE`], or as long as a slow service
    /// needs.
    pub settle: Option<Nanos>,
    /// Pairs of slices per round at a fixed rate, for response times and CPU per request; even; 0 leaves the stage out, and
    /// CPU per request then comes from the closed loop.
    pub latency_pairs: u32,
    /// Whether prony may choose `latency_pairs` anew, as with `tune`.
    pub tune_latency: bool,
    /// Windows of all arms at once per round in a mixed stage, where the file does not set `latency_pairs`; even. 0 is as
    /// many as there are pairs.
    pub windows: u32,
    /// How the arms are loaded at the fixed rate. The rate belongs to the pacing: it is the rate of each arm.
    #[serde(default, skip_serializing_if = "Pacing::is_in_turn")]
    pub pacing: Pacing,
    /// Counted part of a slice at a fixed rate.
    pub latency_slice: Nanos,
    /// The fixed rate that the file gives; `None` takes `kept_rate`, or a share of the throughput that the slower arm reaches in
    /// the first round.
    pub latency_rate: Option<Rate>,
    /// The fixed rate of an earlier run of the same question on a machine of the same class. It is never read from a file, and
    /// is ignored where the file gives a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_rate: Option<KeptRate>,
    /// What earlier runs on machines of the same class have shown of how starts differ, by measure; empty where nothing but the usual is
    /// known. It is never read from a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnt_priors: Vec<LearntPrior>,
    /// Whether each start also measures one point of a curve over rates, at 20, 40, 60 or 80 % of the capacity. `None`: if the
    /// budget has room for it beside the most starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<bool>,
    /// Starts of each arm in a round that are made for their time alone, before those that are loaded. Slow starts are not
    /// repeated.
    pub startup_cycles: u32,
    /// Shortest warm-up of the arms, which are loaded at once.
    pub warmup: Nanos,
    /// Longest warm-up, however busy compilers still are.
    pub warmup_cap: Nanos,
    /// Error rate of `faster` and `slower` over all looks, two-sided.
    pub alpha: f64,
    /// The search that `find` in `[load]` asks for; `None` compares the arms at the given loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find: Option<Find>,
    /// An arm runs where its process cannot be seen, so that nobody knows its CPU.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// Every arm runs already, so that rounds start nothing and are short sessions. False in a search.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_sessions: bool,
    /// Answers stream, so that their events have times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub streams: bool,
    /// Measures in which arms are compared only because the file names them here ([`Measure::on_request`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Measure>,
    /// Largest relative differences that count as the same.
    pub margins: Margins,
    /// No new round begins when it would end later than this.
    pub budget: Option<Nanos>,
    /// Seed of everything random; `None` draws one and records it.
    pub seed: Option<u64>,
    /// Starts of each arm after all measured ones, in which its CPU time is profiled by method; 0 profiles nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub profiled_starts: u32,
}

/// Whether a number is left out of what is stored.
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Default for Design {
    fn default() -> Self {
        Self {
            baseline: 0,
            headline: Headline::Overall,
            starts: Some(30),
            tune_starts: true,
            gate: None,
            aa: false,
            pairs: PAIRS,
            tune: true,
            slice: None,
            settle: None,
            latency_pairs: Pacing::InTurn.default_pairs(),
            tune_latency: true,
            windows: WINDOWS,
            pacing: Pacing::InTurn,
            latency_slice: LATENCY_SLICE,
            latency_rate: None,
            kept_rate: None,
            learnt_priors: Vec::new(),
            curve: None,
            startup_cycles: 0,
            warmup: Nanos::from_secs(3),
            warmup_cap: Nanos::from_secs(20),
            alpha: ALPHA,
            find: None,
            unseen: false,
            in_sessions: false,
            streams: false,
            also: Vec::new(),
            margins: Margins::default(),
            budget: None,
            seed: None,
            profiled_starts: 0,
        }
    }
}

impl Design {
    /// Returns the counted part of a slice of the closed loop where the service is quick and the file does not set it.
    pub fn shortest_slice(&self) -> Nanos {
        let usual = if self.in_sessions { SESSION_PAIRS } else { PAIRS };
        let fitting = Nanos(SLICE.0 * u64::from(usual) / u64::from(self.pairs.max(1)));
        fitting.clamp(SLICE, LONGEST_SLICE)
    }

    /// Returns the length of a slice of the closed loop where the service is quick.
    pub fn quick_slice(&self) -> Nanos {
        self.settle.unwrap_or(SETTLE) + self.slice.unwrap_or(self.shortest_slice())
    }

    /// Returns the number of windows of all arms at once in a mixed stage.
    pub const fn windows_at_once(&self) -> u32 {
        match self.tune_latency && self.windows > 0 {
            true => self.windows,
            false => self.latency_pairs,
        }
    }

    /// Returns the length of a slice at the fixed rate where the service is quick.
    pub fn quick_latency_slice(&self) -> Nanos {
        let settle = self.settle.unwrap_or(LATENCY_SETTLE);
        let counted = match self.tune_latency {
            true => self.latency_slice.max(settle),
            false => self.latency_slice,
        };
        settle + counted
    }

    /// Adapts a design to a search: its measure is the headline, and there is no stage at a fixed rate. Its rounds are as long as those of
    /// servers that are started.
    pub(super) fn searching(self, find: Find) -> Self {
        Self {
            find: Some(find),
            headline: Headline::One(find.measure()),
            latency_pairs: 0,
            tune_latency: false,
            latency_slice: PROBE,
            in_sessions: false,
            ..self
        }
    }

    /// Returns the design of a file that says nothing of it. Two arms share the fixed rate while CPU per request is measured; more arms
    /// take turns, because each would have too small a part of the rate.
    pub fn for_arms(arms: usize) -> Self {
        let pacing = match arms {
            2 => Pacing::Mixed,
            _ => Pacing::InTurn,
        };
        Self { pacing, latency_pairs: pacing.default_pairs(), ..Self::default() }
    }

    /// Returns the design for these arms, of a file that says nothing of it. If all of them run already, rounds are short sessions. If one
    /// cannot be seen, no CPU is read, so that the arms need not share the fixed rate. A search stays as it is.
    #[must_use]
    pub fn adapted_to(mut self, arms: &[Arm]) -> Self {
        self.unseen = arms.iter().any(Arm::is_unseen);
        if self.find.is_some() {
            return self;
        }
        if self.unseen {
            self.pacing = Pacing::InTurn;
        }
        self.in_sessions = !arms.is_empty() && arms.iter().all(|arm| arm.origin.is_some());
        if self.in_sessions {
            (self.pairs, self.windows) = (SESSION_PAIRS, SESSION_WINDOWS);
        }
        self.latency_pairs = self.usual_latency_pairs();
        self
    }

    /// Returns the pairs of slices per round at the fixed rate where the file does not set them.
    fn usual_latency_pairs(&self) -> u32 {
        let pairs = self.pacing.default_pairs();
        if self.in_sessions { pairs.min(SESSION_LATENCY_PAIRS) } else { pairs }
    }

    /// Returns the design for requests whose answers stream, or do not.
    #[must_use]
    pub fn streaming(self, streams: bool) -> Self {
        Self { streams, ..self }
    }

    /// Whether `measure` is measured, and so compared. A search for a capacity visits many levels, but does not compare the
    /// arms at each of them.
    pub fn measures(&self, measure: Measure) -> bool {
        match measure.scope() {
            MeasureScope::Search => self.find.is_some_and(|find| find.measure() == measure),
            MeasureScope::Rate(_) => self.latency_pairs > 0,
            MeasureScope::Level => !self.climbs() && !self.lacks(measure),
            MeasureScope::Events(..) => !self.climbs() && self.streams,
            MeasureScope::Start => true,
        }
    }

    /// Whether it is the CPU of an arm that cannot be seen.
    fn lacks(&self, measure: Measure) -> bool {
        self.unseen && measure == Measure::CpuPerRequest
    }

    /// Returns why `measure` is not measured, and what to do about it; `None` where it is.
    pub(crate) fn why_not_measured(&self, measure: Measure) -> Option<(NotMeasured, Hint)> {
        if self.measures(measure) {
            return None;
        }
        if self.lacks(measure) {
            let hint = Hint::AskForInstead(Measure::Throughput.id());
            return Some((NotMeasured::OfAnUnseenArm(measure), hint));
        }
        Some(match (measure.scope(), self.find) {
            (MeasureScope::Search, _) => {
                let find = measure.id().replace('_', "-");
                let hint = Hint::WriteIn { key: format!("find = \"{find}\""), table: "[load]" };
                (NotMeasured::WithoutFind { find, measure }, hint)
            }
            (MeasureScope::Events(..), _) if !self.streams => {
                let hint = Hint::WriteIn { key: "stream = \"events\"".to_owned(), table: "[[request]]" };
                (NotMeasured::WithoutStreams(measure), hint)
            }
            (_, Some(goal)) => {
                let find = goal.id();
                let hint = Hint::AskForInstead(goal.measure().id());
                (NotMeasured::WithFind { find, measure }, hint)
            }
            _ => (NotMeasured::WithoutFixedRate(measure), Advice::AtLeastTwoPairs.into()),
        })
    }

    /// Whether the number of users is raised step by step, in a search for a capacity.
    pub const fn climbs(&self) -> bool {
        matches!(self.find, Some(Find::Capacity(_)))
    }

    /// Whether `measure` is compared at the fixed rate.
    pub fn compares_at_a_rate(&self, measure: Measure) -> bool {
        self.latency_pairs > 0
            && (measure.at_a_rate() || measure == Measure::CpuPerRequest && !self.lacks(measure))
    }

    /// Whether `measure` is compared at every level of the closed loop. A measure that is compared neither there nor at the
    /// fixed rate has one value in each start.
    pub fn compares_by_level(&self, measure: Measure) -> bool {
        measure.by_level() && self.measures(measure) && !self.compares_at_a_rate(measure)
    }

    /// Asks only whether the headline is worse by more than `loss`, at [`GATE_ALPHA`] where the file sets no other error rate. A gate has one
    /// headline; where none is named, it is CPU per request ([`Headline::OF_A_GATE`]).
    pub fn set_gate(&mut self, loss: f64) {
        self.gate = Some(loss);
        if self.alpha == ALPHA {
            self.alpha = GATE_ALPHA;
        }
        if self.headline == Headline::Overall {
            self.headline = match self.unseen {
                true => Headline::One(Measure::Throughput),
                false => Headline::OF_A_GATE,
            };
        }
    }

    /// Sets the largest difference that counts as the same for the headline. For a headline of three measures it sets
    /// the margin of throughput and CPU per request, whose usual margins are equal; the percentile keeps its own
    /// margin.
    pub fn set_headline_margin(&mut self, margin: f64) {
        let of = match self.headline {
            Headline::One(measure) => vec![measure],
            Headline::Overall => vec![Measure::Throughput, Measure::CpuPerRequest],
        };
        of.into_iter().for_each(|measure| self.margins[measure] = margin);
    }

    /// Returns the loss of `measure` that "not slower than baseline" allows: the margin that the file sets, or the usual loss.
    pub(crate) fn allowed_loss(&self, measure: Measure) -> f64 {
        let margin = self.margins[measure];
        if margin == measure.default_margin() { measure.usual_loss() } else { margin }
    }

    /// Returns the largest difference that counts as the same for `measure`; for the headline of a gate the loss that it
    /// allows.
    pub fn margin(&self, measure: Measure) -> f64 {
        match self.gate {
            Some(loss) if self.headline.one() == Some(measure) => loss,
            _ => self.margins[measure],
        }
    }
}
