//! [`RunNote`]: what a reader has to know about the starts of a run.

use crate::estimate::{DifferenceOf, Estimate};
use crate::verdict::Verdict;
use ask::earlier::LearntPrior;
use model::isolation::NotSeparated;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// What a plan answered about an arm in a measure.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{arm}: {measure}{users? at {} users} {verdict}{difference?, {}}",
    zh = "{arm}：{measure}{users?（{} 个用户）}{verdict}{difference?，{}}",
    difference = ratio.map(DifferenceOf)
)]
pub struct PlanAnswer {
    pub arm: String,
    pub measure: Measure,
    /// Users of the closed loop, where the run has several numbers of them.
    pub users: Option<u64>,
    pub verdict: Verdict,
    /// The arm by the baseline.
    pub ratio: Option<Estimate>,
}

/// What a reader has to know about the starts of a run. Relative changes are fractions (0.03 = 3 %). "Start" is the number of a round, from 1.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum RunNote {
    /// A start, or a part of it, did not count.
    #[say(en = "{what}: {reason}", zh = "{what}：{reason}", what = Uncounted::of(*start, *part))]
    NotCounted {
        start: u32,
        /// Which part of it.
        part: Part,
        /// Why.
        reason: Reason,
    },
    /// A percentile of the response times did not count in some starts, because the generator was late by too large a part of it.
    #[say(
        en = "{measure} did not count in {starts} of {all} starts, because requests were sent late; the last: {last}",
        zh = "因请求发送得晚，{all} 次启动中有 {starts} 次的{measure}未计入；最后一次的原因：{last}"
    )]
    LatePercentile {
        /// The percentile.
        measure: Measure,
        /// Starts in which it did not count.
        starts: usize,
        /// Starts in all.
        all: usize,
        /// Why, in the last of them.
        last: Reason,
    },
    /// Groups of slices were measured again, because the hypervisor took too much of the CPU time; in runs of early pronies also because
    /// compilers took too much of a server's.
    #[say(
        en = "{repeated} of {all} groups of slices were measured again, because the hypervisor had taken more than 10 % of the CPU \
              time, or compilers more than 10 % of a server's",
        zh = "{all} 组切片中有 {repeated} 组重新测量，因为其间虚拟机管理程序占用了超过 10 % 的 CPU 时间，或编译器占用了某服务器超过 10 % 的 \
              CPU 时间"
    )]
    SlicesRepeated {
        /// Groups that were measured again.
        repeated: usize,
        /// Groups in all.
        all: usize,
    },
    /// Compilers of a server were busy in groups of slices, which count.
    #[say(
        en = "in {compiled} of {all} groups of slices, of {starts} {starts|start|starts}, compilers took more than 10 % of a server's \
              CPU time; they count, and later starts warmed up for longer",
        zh = "{all} 组切片中有 {compiled} 组（属于 {starts} 次启动）的编译器占用了某服务器超过 10 % 的 CPU 时间；这些切片照常计入，后续启动的预热更长"
    )]
    CompilersBusy {
        /// Groups in which they were.
        compiled: usize,
        /// Groups in all.
        all: usize,
        /// Starts in which this happened.
        starts: usize,
    },
    /// Arms were started at once, because starting them one after the other took too much of a start.
    #[say(
        en = "the arms were started at once in {starts} of {all} starts, because one after the other took {in_turn:.0} s of a start; \
              start-up was timed with each arm alone, for {timed} of them all{open?; a verdict needs {needed}, and timing the rest takes \
              {lacks:.0} s, for which the budget had no room}",
        zh = "{all} 次启动中有 {starts} 次同时启动所有对象，因为逐个启动要占去一次启动的 {in_turn:.0} s；启动时间在每个对象单独启动时测得，共 \
              {timed} 次{open?；结论需要 {needed} 次，测得其余的需要 {lacks:.0} s，时间预算不足}",
        open = timed < needed && all >= needed
    )]
    StartedAtOnce {
        /// Starts in which they were.
        starts: usize,
        /// Starts in all.
        all: usize,
        /// What starting them one after the other took.
        in_turn: Seconds,
        /// Starts for which start-up was timed with each arm alone.
        timed: usize,
        /// Starts that a verdict on start-up needs.
        needed: usize,
        /// What timing those that lack would take; 0 where none do.
        lacks: Seconds,
    },
    /// Earlier runs on such machines have shown another prior of how starts differ than the usual one.
    #[say(
        en = "intervals allow for what {runs} earlier runs on such machines have shown of how starts differ beyond their windows: \
              {0:semicolons}",
        zh = "区间按此类机器上以往 {runs} 次运行所显示的、超出启动内窗口所能解释的启动间差异计算：{0:semicolons}",
        runs = _0.iter().map(|change| change.learnt.runs).min().unwrap_or(0)
    )]
    LearntPriors(Vec<PriorChange>),
    /// Later starts had another number of pairs of slices than the first ones.
    #[say(
        en = "the first {starts} starts had {before} pairs of slices each, the later ones {after}: the first ones showed that this \
              gives the most precise result in the same time",
        zh = "前 {starts} 次启动各 {before} 对切片，之后各 {after} 对：前几次启动表明，这样在同样时间内结果最精确"
    )]
    PairsChanged {
        /// Pairs in each of the first starts.
        before: u32,
        /// How many starts these were.
        starts: usize,
        /// Pairs in each of the later starts.
        after: u32,
    },
    /// Later starts gave some of the time of the closed loop to the stage at a fixed rate, or the other way round; numbers are
    /// pairs of slices.
    #[say(
        en = "the first {starts} starts had {closed_before} pairs of slices in the closed loop and {stage_before} at the fixed rate, \
              the later ones {closed_after} and {stage_after}: the first ones showed that this gives the most precise result in the same \
              time",
        zh = "前 {starts} 次启动各有闭环切片 {closed_before} 对、固定速率切片 {stage_before} 对，之后各为 {closed_after} 对和 {stage_after} \
              对：前几次启动表明，这样在同样时间内结果最精确"
    )]
    TimeMoved {
        /// How many starts had the numbers of before.
        starts: usize,
        /// Pairs in the closed loop in each of the first starts.
        closed_before: u32,
        /// Pairs in the closed loop in each of the later starts.
        closed_after: u32,
        /// Pairs at the fixed rate in each of the first starts.
        stage_before: u32,
        /// Pairs at the fixed rate in each of the later starts.
        stage_after: u32,
    },
    /// Starts began although other work used the machine.
    #[say(
        en = "{busy} of {all} starts began while other work used the machine: at worst {idle:percent_of} % of it was idle (60 % is \
              wanted), although prony waited {waited:.0} s in all",
        zh = "{all} 次启动中有 {busy} 次开始时机器正被其他工作占用：最差时仅 {idle:percent_of} % 空闲（要求 60 %），共等待 {waited:.0} s"
    )]
    MachineBusy {
        /// Starts that did.
        busy: usize,
        /// Starts in all.
        all: usize,
        /// Least share of the machine that was idle when one of them began.
        idle: Share,
        /// How long the run waited for a quieter machine in all.
        waited: Seconds,
    },
    /// The generator and the servers shared cores.
    #[say(transparent)]
    SharedCores(NotSeparated),
    /// A start was continued after the run had been interrupted in it.
    #[say(
        en = "start {start} was continued after an interruption: {levels} of its levels were measured before, with servers that were \
              started earlier than those of the others",
        zh = "第 {start} 次启动在中断后继续：其中 {levels} 个级别在中断前测得，所用的服务器比其余级别启动得更早"
    )]
    StartContinued {
        start: u32,
        /// How many of its levels were measured before.
        levels: u64,
    },
    /// A plan of the run had ended before the run was continued; later starts are judged by themselves.
    #[say(
        en = "starts {first} to {last} were a plan of their own, whose verdicts stand: {answers:semicolons}",
        zh = "第 {first} 至 {last} 次启动是一个独立的计划，其判定仍然有效：{answers:semicolons}"
    )]
    PlanBefore {
        /// Its first start.
        first: u32,
        /// Its last start.
        last: u32,
        /// What it answered in the measures of the headline.
        answers: Vec<PlanAnswer>,
    },
    /// Warm-ups ended at their cap.
    #[say(
        en = "{unsteady} of {all} warm-ups reached their cap before the server was steady; all arms were cut by the same rule, but the \
              figures vary more from start to start; a longer `warmup_cap` may help",
        zh = "{all} 次预热中有 {unsteady} 次到达上限时尚未稳定；各对象按同一规则截止，但各次启动之间的数值波动更大；加长 `warmup_cap` 或有帮助"
    )]
    WarmupUnsteady {
        /// Warm-ups that did.
        unsteady: usize,
        /// Warm-ups in all.
        all: usize,
    },
    /// An arm changed against the baseline while it was measured, so one of the two was still warming up.
    #[say(
        en = "{gained?{arm} gained {percent:.1} % on {baseline}|{arm} lost {percent:.1} % against {baseline}} from the first to the \
              last pair of a start, so one of the two was still warming up; double `warmup` and `warmup_cap`",
        zh = "从一次启动的第一对切片到最后一对，{arm} 相对 {baseline} {gained?提高|下降}了 {percent:.1} %：二者之一仍在预热；请将 `warmup` 与 \
              `warmup_cap` 加倍",
        gained = *gain > 0.0,
        percent = 100.0 * gain.abs()
    )]
    WarmupDrift {
        arm: String,
        baseline: String,
        /// How much better the arm became from the first to the last pair of a start; negative where it became worse.
        gain: f64,
    },
    /// The user ended the run early.
    #[say(
        en = "the run ended before its time, after {starts} complete {starts|start|starts}; `prony run --resume {run}` continues it",
        zh = "运行提前结束，已完成 {starts} 次启动；`prony run --resume {run}` 可继续"
    )]
    Interrupted {
        /// Starts that were complete.
        starts: usize,
        /// The run's id.
        run: String,
    },
    /// The budget is shorter than what is finished in any case.
    #[say(
        en = "the budget of {budget:.0} s cannot be kept: one start takes about {start:.0} s{looks?, and looking into the servers after \
              it about {:.0} s (`explain = \"off\"` leaves that out)}",
        zh = "无法遵守 {budget:.0} s 的时间预算：一次启动约需 {start:.0} s{looks?，其后查看服务器内部约需 {:.0} s（`explain = \"off\"` \
              可省去后者）}",
        budget = budget.0.round(),
        start = start.0.round(),
        looks = (inspections.0 > 0.0).then(|| inspections.0.round())
    )]
    BudgetTooShort {
        budget: Seconds,
        /// What one start takes.
        start: Seconds,
        /// What looking into the servers takes after it; 0 where that is not done.
        inspections: Seconds,
    },
    /// The planned time is not enough to detect the difference that the run looks for.
    #[say(transparent)]
    Forecast(Forecast),
}

/// A part of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Part {
    /// All of it; the start was repeated.
    Whole,
    /// All of it; it was the last start of the run, and so was not repeated.
    LastStart,
    /// All that was measured at a level of the closed loop.
    Level {
        /// Users of the level.
        users: usize,
    },
    /// CPU per request at a level of the closed loop.
    CpuPerRequest {
        /// Users of the level.
        users: usize,
    },
    /// What was measured of one arm at a level of the closed loop; the other arms' slices counted.
    OneArm {
        /// Users of the level.
        users: usize,
    },
    /// All that was measured at the fixed rate.
    FixedRate,
    /// Response times at the fixed rate.
    ResponseTimes,
}

/// A prior that was learnt, beside the usual one.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{measure} by {deviation:tenths} % (usually {usual:tenths} %){lighter?, with the weight of {weight:tenths} starts (usually \
          {usual_weight:text})}",
    zh = "{measure} {deviation:tenths} %（通常为 {usual:tenths} %）{lighter?，权重相当于 {weight:tenths} 次启动（通常为 {usual_weight:text}）}",
    measure = learnt.measure,
    deviation = 100.0 * learnt.deviation,
    usual = 100.0 * usual_deviation,
    lighter = learnt.weight < *usual_weight,
    weight = learnt.weight
)]
pub struct PriorChange {
    /// What was learnt.
    pub learnt: LearntPrior,
    /// The usual standard deviation of `D` from start to start.
    pub usual_deviation: f64,
    /// How many starts the usual prior counts as.
    pub usual_weight: f64,
}

/// What the first starts predict for the headline.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "after {starts} starts: {measure} needs about {time} in all to detect a {percent:.1} % difference{planned?; the planned time \
          can detect one of {:.0} %}{steadier?; {}}",
    zh = "{starts} 次启动之后：{measure}共约需 {time}才能检测出 {percent:.1} % 的差异{planned?；计划的时间能检测出 {:.0} % \
          的差异}{steadier?；{}}",
    time = ForecastTime::of(*needed),
    percent = 100.0 * effect,
    planned = planned_effect.map(|effect| 100.0 * effect)
)]
pub struct Forecast {
    /// Starts that it is based on.
    pub starts: usize,
    /// The headline.
    pub measure: Measure,
    /// Time that the whole run would need.
    pub needed: Seconds,
    /// The relative difference that is to be detected.
    pub effect: f64,
    /// The relative difference that the planned time can detect; absent where that cannot be predicted.
    pub planned_effect: Option<f64>,
    /// Another measure that varies less from start to start.
    pub steadier: Option<Steadier>,
}

/// A measure that varies less from start to start than the headline; both as standard deviations on the log scale.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{measure} varies less from start to start ({own:.1} % against {headline:.1} %)",
    zh = "{measure}在各次启动之间波动较小（{own:.1} % 对 {headline:.1} %）",
    own = 100.0 * deviation,
    headline = 100.0 * headline_deviation
)]
pub struct Steadier {
    pub measure: Measure,
    /// Its own standard deviation.
    pub deviation: f64,
    /// The headline's.
    pub headline_deviation: f64,
}

/// A part of a start that did not count.
#[derive(Say)]
enum Uncounted {
    #[say(en = "start {0} did not count and was repeated", zh = "第 {0} 次启动未计入，已重做")]
    Whole(u32),
    #[say(en = "start {0} did not count and was not repeated", zh = "第 {0} 次启动未计入，也未重做")]
    LastStart(u32),
    #[say(
        en = "start {start} did not count at {users} connections",
        zh = "第 {start} 次启动在 {users} 个连接下未计入"
    )]
    Level { start: u32, users: usize },
    #[say(
        en = "CPU per request of start {start} did not count at {users} connections",
        zh = "第 {start} 次启动在 {users} 个连接下的每请求 CPU 未计入"
    )]
    CpuPerRequest { start: u32, users: usize },
    #[say(
        en = "start {start} counted at {users} connections, but for one arm",
        zh = "第 {start} 次启动在 {users} 个连接下计入，但有一个对象除外"
    )]
    OneArm { start: u32, users: usize },
    #[say(en = "start {0} did not count at the fixed rate", zh = "第 {0} 次启动在固定速率下未计入")]
    FixedRate(u32),
    #[say(en = "response times of start {0} did not count", zh = "第 {0} 次启动的响应时间未计入")]
    ResponseTimes(u32),
}

impl Uncounted {
    const fn of(start: u32, part: Part) -> Self {
        match part {
            Part::Whole => Self::Whole(start),
            Part::LastStart => Self::LastStart(start),
            Part::Level { users } => Self::Level { start, users },
            Part::CpuPerRequest { users } => Self::CpuPerRequest { start, users },
            Part::OneArm { users } => Self::OneArm { start, users },
            Part::FixedRate => Self::FixedRate(start),
            Part::ResponseTimes => Self::ResponseTimes(start),
        }
    }
}

/// How long a run would have to be: in minutes up to an hour and a half, in hours up to two days.
#[derive(Say)]
enum ForecastTime {
    #[say(en = "{0:.0} min", zh = "{0:.0} 分钟")]
    Minutes(f64),
    #[say(en = "{0:.0} hours", zh = "{0:.0} 小时")]
    Hours(f64),
    #[say(en = "several days", zh = "数天")]
    Days,
}

impl ForecastTime {
    fn of(time: Seconds) -> Self {
        match time.0 {
            s if s < 5400.0 => Self::Minutes((s / 60.0).max(1.0)),
            s if s < 172_800.0 => Self::Hours(s / 3600.0),
            _ => Self::Days,
        }
    }
}
