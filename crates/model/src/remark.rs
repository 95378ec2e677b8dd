//! [`Remark`]: what a reader should know besides a verdict.

use crate::estimate::Estimate;
use crate::reason::Reason;
use serde::{Deserialize, Serialize};

/// A remark on a verdict: what it leaves open, how much time would decide it, how far the starts agree. Times are in seconds,
/// differences are fractions (0.03 = 3 %).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum Remark {
    /// The gate passes although a loss was shown: it is smaller than what the gate allows.
    LossWithinMargin {
        /// What the gate allows.
        margin: f64,
    },
    /// A difference was shown, and the whole of its interval lies within the margin.
    DifferenceWithinMargin {
        /// The margin of equivalence.
        margin: f64,
    },
    /// The arms are the same within the margin; this is what is known beyond that.
    DiffersByLess {
        /// The relative difference that is excluded, at 5 % on either side.
        bound: f64,
        /// Starts that there were.
        starts: usize,
        /// A mode in this share of all starts, or in fewer, may not have been in any of these; fraction.
        mode: f64,
    },
    /// The interval of equivalence lies within the margin, but there were too few starts to call the arms the same; in reports of early
    /// pronies.
    TooFewForSame {
        /// The margin of equivalence.
        margin: f64,
        /// Starts that `same` took.
        needed: usize,
        /// Starts that there were.
        starts: usize,
    },
    /// The interval of equivalence lies within the margin, but one start differs too much to call the arms the same; in reports of early
    /// pronies.
    StartFarOff {
        /// The start, counted from 1 in the order of the ratios of every start.
        start: usize,
        /// By how much the arm's value differs in it from the baseline's: 0.08 = 8 % more or less.
        difference: f64,
        /// The margin of equivalence.
        margin: f64,
        /// How many margins a start might differ by.
        margins: f64,
    },
    /// There were too few starts for an interval.
    TooFewStarts {
        /// Starts that an interval needs.
        needed: usize,
        /// Starts that there were.
        starts: usize,
    },
    /// The run would reach a verdict if it went on.
    MoreTime {
        /// How much longer.
        seconds: f64,
        /// What that would show.
        goal: Goal,
    },
    /// The run has spent its error rate; a new and longer run would reach a verdict.
    NewRun {
        /// Starts of the new run.
        starts: usize,
        /// How long it would take.
        seconds: f64,
        /// What that would show.
        goal: Goal,
    },
    /// More than a day would be needed.
    TooNoisy {
        /// What cannot be shown here.
        goal: Goal,
    },
    /// The comparison was decided before the run ended, and keeps that verdict.
    DecidedEarly {
        /// Starts when it was decided.
        starts: usize,
        /// Starts in all.
        all: usize,
    },
    /// Not all starts counted for this measure.
    StartsMissing {
        /// Starts that counted for it.
        counted: usize,
        /// Starts that counted for anything.
        all: usize,
    },
    /// Rare slices make up much of the difference: pauses of a server, or of the machine.
    RareSlicesWeigh {
        /// By how much the arm's value would differ from the baseline's without them: -0.02 = 2 % less.
        change: f64,
    },
    /// One of the arms stood still more often than the other.
    Pauses(Pauses),
    /// Many starts point the other way than the mean.
    StartsDisagree {
        /// Starts that point the other way.
        opposite: usize,
        /// Starts in all.
        all: usize,
    },
    /// The starts differ more than the windows within them explain, so that their interval is that of Student's t.
    StartsDifferMore {
        /// The variance of starts over the one that windows explain (F).
        ratio: f64,
    },
    /// The sign-flip test and the t test disagree: a few wild starts decide the mean.
    FewStartsDominate {
        /// p of the sign-flip test.
        sign_flip: f64,
        /// p of the t test.
        t: f64,
    },
    /// There is no verdict, because too little was recorded of one of the arms to estimate the percentile.
    NotEstimable {
        /// Seconds of load of the arm that the percentile needs in all.
        needed: f64,
        /// Seconds of load of the arm that there were.
        seconds: f64,
    },
    /// There is no verdict, because too many warm-ups of the two arms ended before the arm was warm.
    NotWarm {
        /// Warm-ups that did.
        unsteady: usize,
        /// Warm-ups in all.
        all: usize,
        /// The longest that a warm-up may be, in seconds.
        cap: f64,
    },
    /// Compilers of one of the two arms were still busy when some warm-ups ended, so what was measured is in part what they took.
    StillCompiling(StillCompiling),
    /// There is no verdict, because the measurements for it are void.
    Invalid(Reason),
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

/// How often two arms stood still while they were loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pauses {
    /// The arm that stood still more often.
    pub arm: String,
    pub count: u64,
    /// In how many seconds of load.
    pub seconds: f64,
    /// How long a pause was, mean in seconds.
    pub each: f64,
    /// The share of the time that they took, with the interval by their number.
    pub share: Estimate,
    /// The other arm.
    pub other: String,
    /// How often that one stood still.
    pub other_count: u64,
    /// In how many seconds of load.
    pub other_seconds: f64,
    /// Whether the arms would have been called the same without it.
    pub opens: bool,
}

/// What compilers took when warm-ups of two arms ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StillCompiling {
    /// The arm whose compilers took more.
    pub arm: String,
    /// The share of its CPU time that they took when its warm-ups ended, mean over all starts.
    pub share: f64,
    /// The same of the other arm.
    pub other_share: f64,
    /// Warm-ups of the two arms that ended before the arm was warm.
    pub unsteady: usize,
    /// Warm-ups in all.
    pub all: usize,
    /// Whether the shares differ by more than the margin, so that there is no verdict.
    pub is_much: bool,
}

/// What more starts should show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Goal {
    /// They should show that the loss is no larger than the gate allows, provided that there is no loss.
    SettleGate,
    /// They should detect a difference of this size.
    Detect {
        /// Relative difference.
        effect: f64,
    },
    /// They should confirm the difference that was seen, which is larger than the one that the run was planned for.
    Confirm {
        /// Relative difference of the arm's value to the baseline's.
        effect: f64,
    },
    /// They should show that the arms are the same within the margin; in reports of early pronies.
    ShowSame,
}
