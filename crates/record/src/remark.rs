//! [`Remark`]: what a reader should know besides a verdict.

use crate::estimate::Estimate;
use crate::outcome::HeldBack;
use model::reason::Reason;
use model::units::{Seconds, Share};
use say::{Say, numbers};
use serde::{Deserialize, Serialize};

/// A remark on a verdict: what it leaves open, how much time would decide it, how far the starts agree. Differences are
/// fractions (0.03 = 3 %).
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Remark {
    /// Sessions are like their neighbours, so that they count for fewer.
    #[say(
        en = "neighbouring sessions are alike (autocorrelation {correlation:.2}), so that these {sessions} say as much as fewer would: the \
              interval is wider for it; sessions further apart, or more of them, would help",
        zh = "相邻会话彼此相似（自相关 {correlation:.2}），这 {sessions} 次会话的信息量少于同样多次独立会话，区间已相应加宽；拉开间隔或增加会话会有帮助"
    )]
    SessionsAlike {
        /// The autocorrelation of lag 1 beyond its standard error.
        correlation: f64,
        sessions: usize,
    },
    /// Too few sessions for `same`.
    #[say(
        en = "`same` takes at least {needed} sessions with a server that prony cannot restart (these are {sessions})",
        zh = "对于 prony 无法重启的服务器，判定为“相同”至少需要 {needed} 次会话（目前 {sessions} 次）"
    )]
    FewSessions { needed: usize, sessions: usize },
    /// The measure is 0 for one of the two only.
    #[say(
        en = "it is 0 for one of the two, so that there is no ratio of both",
        zh = "其中一个为 0，因此两者没有比值"
    )]
    OneIsZero,
    /// The gate passes although a loss was shown: it is smaller than what the gate allows.
    #[say(
        en = "a loss was shown, but it lies within {percent:tenths} %",
        zh = "已证明存在损失，但在 {percent:tenths} % 以内",
        percent = 100.0 * margin
    )]
    LossWithinMargin {
        /// What the gate allows.
        margin: f64,
    },
    /// A difference was shown, and the whole of its interval lies within the margin.
    #[say(
        en = "the difference is shown, and smaller than {percent:tenths} %",
        zh = "差异已被证明，且小于 {percent:tenths} %",
        percent = 100.0 * margin
    )]
    DifferenceWithinMargin {
        /// The margin of equivalence.
        margin: f64,
    },
    /// The arms are the same within the margin; this is what is known beyond that.
    #[say(
        en = "they differ by less than {percent:tenths} %; what happens in fewer than {mode:percent_of} % of all starts may not be \
              among these {starts}",
        zh = "两者相差小于 {percent:tenths} %；在不到 {mode:percent_of} % 的启动中才会出现的情况，可能不在这 {starts} 次启动之中",
        percent = 100.0 * bound
    )]
    DiffersByLess {
        /// The relative difference that is excluded, at 5 % on either side.
        bound: f64,
        /// Starts that there were.
        starts: usize,
        /// A mode in this share of all starts, or in fewer, may not have been in any of these.
        mode: Share,
    },
    /// The interval of equivalence lies within the margin, but there were too few starts to call the arms the same; in reports of early
    /// pronies.
    #[say(
        en = "the interval lies within {percent:tenths} %, but `same` takes at least {needed} starts (this run has {starts})",
        zh = "区间在 {percent:tenths} % 以内，但判定为“相同”至少需要 {needed} 次启动（本次运行只有 {starts} 次）",
        percent = 100.0 * margin
    )]
    TooFewForSame {
        /// The margin of equivalence.
        margin: f64,
        /// Starts that `same` took.
        needed: usize,
        /// Starts that there were.
        starts: usize,
    },
    /// There were too few starts for an interval.
    #[say(
        en = "an interval needs {needed} starts, and there were {starts}",
        zh = "计算区间需要 {needed} 次启动，只有 {starts} 次"
    )]
    TooFewStarts {
        /// Starts that an interval needs.
        needed: usize,
        /// Starts that there were.
        starts: usize,
    },
    /// The run would reach a verdict if it went on.
    #[say(
        en = "{longer} would be needed to {goal}",
        zh = "{longer}才能{goal}",
        longer = Longer::of(*seconds)
    )]
    MoreTime {
        /// How much longer.
        seconds: Seconds,
        /// What that would show.
        goal: Goal,
    },
    /// The run has spent its error rate; a new and longer run would reach a verdict.
    #[say(
        en = "a new run of about {starts} starts ({minutes:.0} min) would be needed to {goal}",
        zh = "需要重新运行约 {starts} 次启动（{minutes:.0} 分钟）才能{goal}",
        minutes = minutes(*seconds)
    )]
    NewRun {
        /// Starts of the new run.
        starts: usize,
        /// How long it would take.
        seconds: Seconds,
        /// What that would show.
        goal: Goal,
    },
    /// More than a day would be needed.
    #[say(en = "this machine is too noisy to {goal}", zh = "这台机器噪声太大，无法{goal}")]
    TooNoisy {
        /// What cannot be shown here.
        goal: Goal,
    },
    /// The comparison was decided before the run ended, and keeps that verdict.
    #[say(
        en = "it was decided after {starts} of {all} starts",
        zh = "在 {all} 次启动中的第 {starts} 次后即已判定"
    )]
    DecidedEarly {
        /// Starts when it was decided.
        starts: usize,
        /// Starts in all.
        all: usize,
    },
    /// Not all starts counted for this measure.
    #[say(
        en = "{counted} of {all} starts counted for this measure",
        zh = "{all} 次启动中有 {counted} 次计入该指标"
    )]
    StartsMissing {
        /// Starts that counted for it.
        counted: usize,
        /// Starts that counted for anything.
        all: usize,
    },
    /// Rare slices make up much of the difference: pauses of a server, or of the machine.
    #[say(
        en = "rare slices weigh: without them the difference would be {percent} %",
        zh = "少数切片影响很大：不计它们时差异为 {percent} %",
        percent = numbers::difference(1.0 + change)
    )]
    RareSlicesWeigh {
        /// By how much the arm's value would differ from the baseline's without them: -0.02 = 2 % less.
        change: f64,
    },
    /// The generator held one of the arms back, and the verdict is the same however much it took.
    #[say(transparent)]
    HeldBack(HeldBack),
    /// One of the arms stood still more often than the other.
    #[say(transparent)]
    Pauses(Pauses),
    /// Many starts point the other way than the mean.
    #[say(
        en = "the difference is small against the variation between starts: {opposite} of {all} starts point the other way",
        zh = "相对于启动之间的波动，差异较小：{all} 次启动中有 {opposite} 次方向相反"
    )]
    StartsDisagree {
        /// Starts that point the other way.
        opposite: usize,
        /// Starts in all.
        all: usize,
    },
    /// The starts differ more than the windows within them explain, so that their interval is Student's.
    #[say(
        en = "starts differ more than their windows explain (F = {ratio:.1}), so the interval is wider",
        zh = "各次启动之间的差异超出了启动内窗口所能解释的范围（方差比 {ratio:.1}），因此区间更宽"
    )]
    StartsDifferMore {
        /// The variance of starts over the one that windows explain (F).
        ratio: f64,
    },
    /// The sign-flip test and the t test disagree: a few wild starts decide the mean.
    #[say(
        en = "a few starts dominate the mean (p = {sign_flip:.2} by the sign-flip test, {t:.2} by the t test); see every start",
        zh = "均值由少数几次启动决定（符号翻转检验 p = {sign_flip:.2}，t 检验 p = {t:.2}）；请查看每次启动的差异"
    )]
    FewStartsDominate {
        /// p of the sign-flip test.
        sign_flip: f64,
        /// p of the t test.
        t: f64,
    },
    /// There is no verdict, because too little was recorded of one of the arms to estimate the percentile.
    #[say(
        en = "this percentile cannot be estimated, so it was not judged: each arm needs about {load:.0} s of load at the fixed rate, \
              and there were {seconds:.0} s",
        zh = "该百分位数无法估计，因此不作判定：每个对象在固定速率下约需 {load:.0} 秒负载，实际只有 {seconds:.0} 秒",
        load = needed.0.ceil()
    )]
    NotEstimable {
        /// Load of the arm that the percentile needs in all.
        needed: Seconds,
        /// Load of the arm that there was.
        seconds: Seconds,
    },
    /// There is no verdict, because too many warm-ups of the two arms ended before the arm was warm.
    #[say(
        en = "{unsteady} of {all} warm-ups ended before the server was warm, so this was not judged: set a `warmup_cap` longer than \
              {least:text} s",
        zh = "{all} 次预热中有 {unsteady} 次结束时服务器尚未热身完毕，因此不作判定：请把 `warmup_cap` 设为 {least:text} 秒以上",
        least = cap.0
    )]
    NotWarm {
        /// Warm-ups that did.
        unsteady: usize,
        /// Warm-ups in all.
        all: usize,
        /// The longest that a warm-up may be.
        cap: Seconds,
    },
    /// Compilers of one of the two arms were still busy when some warm-ups ended, so the figures show in part what the
    /// compilers took.
    #[say(transparent)]
    StillCompiling(StillCompiling),
    /// There is no verdict, because the measurements for it are void.
    #[say(transparent)]
    Invalid(Reason),
}

/// How often two arms stood still while they were loaded.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{arm} stood still {times} in {seconds:.0} s ({each:tenths} s each, {of_time} of the time), {other} {other_times} in \
          {other_seconds:.0} s{opens?, so they are not called the same}",
    zh = "{arm} 在 {seconds:.0} s 内停顿 {times}（每次 {each:tenths} s，占时间的 {of_time}），{other} 在 {other_seconds:.0} s 内停顿 \
          {other_times}{opens?，因此不判定为“相同”}",
    times = Times::of(*count),
    of_time = percent(*share),
    other_times = Times::of(*other_count)
)]
pub struct Pauses {
    /// The arm that stood still more often.
    pub arm: String,
    pub count: u64,
    /// In how much load.
    pub seconds: Seconds,
    /// How long a pause was, mean.
    pub each: Seconds,
    /// The share of the time that they took, with the interval by their number.
    pub share: Estimate,
    /// The other arm.
    pub other: String,
    /// How often that one stood still.
    pub other_count: u64,
    /// In how much load.
    pub other_seconds: Seconds,
    /// Whether the arms would have been called the same without it.
    pub opens: bool,
}

/// What compilers took when warm-ups of two arms ended.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{unsteady} of {all} warm-ups ended before compilers were idle: those of {arm} took {percent:.1} % of its CPU time then, \
          those of the other arm {other:.1} %{is_much?, so this was not judged: set a longer `warmup_cap`|; a longer `warmup_cap` would \
          tell it apart}",
    zh = "{all} 次预热中有 {unsteady} 次结束时编译器仍在工作：{arm} 的编译器当时占其 CPU 时间的 {percent:.1} %，另一对象为 \
          {other:.1} %{is_much?，因此不作判定：请加长 `warmup_cap`|；加长 `warmup_cap` 可以区分二者}",
    percent = share.as_percent(),
    other = other_share.as_percent()
)]
pub struct StillCompiling {
    /// The arm whose compilers took more.
    pub arm: String,
    /// The share of the arm's CPU time that its compilers took when its warm-ups ended, mean over all starts.
    pub share: Share,
    /// The same share of the other arm.
    pub other_share: Share,
    /// Warm-ups of the two arms that ended before the arm was warm.
    pub unsteady: usize,
    /// Warm-ups in all.
    pub all: usize,
    /// Whether the shares differ by more than the margin and by enough to turn the verdict, so that there is none.
    pub is_much: bool,
}

/// What more starts should show.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Goal {
    /// They should show that the loss is no larger than the gate allows, provided that there is no loss.
    #[say(en = "settle the gate if nothing was lost", zh = "在没有损失时判定门限")]
    SettleGate,
    /// They should detect a difference of this size.
    #[say(
        en = "detect a {percent:tenths} % difference",
        zh = "检测出 {percent:tenths} % 的差异",
        percent = 100.0 * effect
    )]
    Detect {
        /// Relative difference.
        effect: f64,
    },
    /// They should confirm the difference that was seen, which is larger than the one that the run was planned for.
    #[say(
        en = "confirm the {percent:tenths} % difference that was seen",
        zh = "证实已观察到的 {percent:tenths} % 的差异",
        percent = 100.0 * effect
    )]
    Confirm {
        /// Relative difference of the arm's value to the baseline's.
        effect: f64,
    },
    /// They should show that the arms are the same within the margin; in reports of early pronies.
    #[say(en = "show that they are the same", zh = "证明两者相同")]
    ShowSame,
}

/// All remarks on one verdict, in one line.
#[derive(Clone, Copy, Debug, Say)]
#[say(en = "{0:semicolons}", zh = "{0:semicolons}")]
pub struct Remarks<'a>(pub &'a [Remark]);

impl<'a> Remarks<'a> {
    /// What it would take to decide an open question, by the first remark that says so.
    pub fn effort(self) -> Option<Effort<'a>> {
        self.0.iter().find_map(Remark::effort)
    }
}

/// What it would take to decide an open question, in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Say)]
pub enum Effort<'a> {
    /// The arms would be called the same, if one of them had not stood still more often.
    #[say(
        en = "{arm} stood still {times}, {other} {other_times}",
        zh = "{arm} 停顿 {times}，{other} 停顿 {other_times}",
        arm = &_0.arm,
        times = Times::of(_0.count),
        other = &_0.other,
        other_times = Times::of(_0.other_count)
    )]
    Pauses(&'a Pauses),
    /// An interval needs so many starts.
    #[say(en = "an interval needs {0} starts", zh = "区间至少需要 {0} 次启动")]
    Starts(usize),
    /// The run has to go on.
    #[say(transparent)]
    Longer(Longer),
    /// A new run is needed.
    #[say(
        en = "a new run of about {starts} starts, {minutes:.0} min",
        zh = "需要约 {starts} 次启动的新运行，{minutes:.0} 分钟"
    )]
    NewRun {
        starts: usize,
        /// How long it would take, in minutes.
        minutes: f64,
    },
    /// More than a day is needed.
    #[say(en = "more than a day on this machine", zh = "在这台机器上需要一天以上")]
    TooLong,
    /// Each arm needs so much load.
    #[say(en = "needs about {0:.0} s of load at the fixed rate", zh = "需要约 {0:.0} s 固定速率负载")]
    Load(Seconds),
}

/// How much longer a run has to go on.
#[derive(Clone, Copy, Debug, PartialEq, Say)]
pub enum Longer {
    /// Less than a minute.
    #[say(en = "less than a minute more", zh = "还需不到一分钟")]
    Moment,
    /// So many minutes.
    #[say(en = "about {0:.0} more min", zh = "约再需 {0:.0} 分钟")]
    Minutes(f64),
    /// So many hours.
    #[say(en = "about {0:.0} more hours", zh = "约再需 {0:.0} 小时")]
    Hours(f64),
}

impl Longer {
    fn of(time: Seconds) -> Self {
        match time.0 {
            s if s < 60.0 => Self::Moment,
            s if s < 5400.0 => Self::Minutes(s / 60.0),
            s => Self::Hours(s / 3600.0),
        }
    }
}

impl Remark {
    /// What it would take to decide the question that it leaves open; `None` where it does not say so.
    pub fn effort(&self) -> Option<Effort<'_>> {
        match self {
            Self::Pauses(pauses) if pauses.opens => Some(Effort::Pauses(pauses)),
            Self::TooFewStarts { needed, .. } => Some(Effort::Starts(*needed)),
            Self::MoreTime { seconds, .. } => Some(Effort::Longer(Longer::of(*seconds))),
            Self::NewRun { starts, seconds, .. } => {
                Some(Effort::NewRun { starts: *starts, minutes: minutes(*seconds) })
            }
            Self::TooNoisy { .. } => Some(Effort::TooLong),
            Self::NotEstimable { needed, .. } => Some(Effort::Load(Seconds(needed.0.ceil()))),
            _ => None,
        }
    }
}

/// How often something happened.
#[derive(Say)]
enum Times {
    #[say(en = "never", zh = "0 次")]
    Never,
    #[say(en = "once", zh = "1 次")]
    Once,
    #[say(en = "twice", zh = "2 次")]
    Twice,
    #[say(en = "{0} times", zh = "{0} 次")]
    More(u64),
}

impl Times {
    const fn of(count: u64) -> Self {
        match count {
            0 => Self::Never,
            1 => Self::Once,
            2 => Self::Twice,
            count => Self::More(count),
        }
    }
}

/// A duration in minutes, at least one.
fn minutes(time: Seconds) -> f64 {
    (time.0 / 60.0).max(1.0)
}

/// A share in per cent with its interval: `5.3 % [3.1, 8.8]`.
fn percent(share: Estimate) -> String {
    let percent = |share: f64| numbers::tenths(100.0 * share);
    let interval = share.low.zip(share.high);
    let interval = interval.map(|(low, high)| format!(" [{}, {}]", percent(low), percent(high)));
    format!("{} %{}", percent(share.value), interval.unwrap_or_default())
}
