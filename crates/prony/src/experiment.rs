//! What `prony run` and `prony compare` share: they run an experiment, or continue a stored run, deliver its results and choose
//! the exit code.

use crate::against;
use crate::args::{DesignArgs, ExecutionArgs};
use crate::builds;
use crate::call::Call;
use crate::execution::{self, Executed, Execution};
use crate::failure::{Code, Failure};
use crate::lock_file::LockFile;
use crate::message;
use crate::output;
use crate::proof;
use crate::run_context::RunContext;
use crate::run_id;
use crate::sinks::Delivery;
use crate::stored_run::{self, ARM_FACTS, Difference, Fingerprint, StoredComplaint, host_facts};
use crate::team;
use ask::arm::Telemetry;
use ask::experiment::{Experiment, Explain};
use ask::require::Bound;
use ask::slip::DesignSlip;
use lab::Course;
use model::isolation::NotSeparated;
use model::units::Rate;
use record::cpu_profile::PROFILED_STARTS;
use record::outcome::{GateVerdict, Report, Verdict};
use record::rounds::RunRecord;
use report::progress;
use say::{Language, Say};
use std::collections::BTreeSet;
use std::path::Path;
use store::Store;

/// The options of the command line that both sub-commands have.
#[derive(Clone, Copy)]
pub(crate) struct RunOptions<'a> {
    pub(crate) args: &'a ExecutionArgs,
    pub(crate) call: &'a Call,
    /// The lock file of the experiment; `None` where there is no experiment file.
    pub(crate) lock: Option<&'a LockFile>,
}

/// Why a stored run cannot be continued here.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ResumeComplaint {
    /// The machine or the servers are not what they were when the run began.
    #[say(
        en = "run {run} cannot go on here: {differences:semicolons}",
        zh = "运行 {run} 无法在此继续：{differences:semicolons}",
        hint(
            en = "start a new run: starts under unlike conditions are not one experiment",
            zh = "请另起一次运行：条件不同的启动不属于同一个实验"
        )
    )]
    OtherConditions {
        run: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// A variable of the environment that it needs is not set.
    #[say(
        en = "run {run} needs the variable `{variable}` of the environment, which is not set",
        zh = "运行 {run} 需要环境变量 `{variable}`，但它没有设置",
        hint(en = "set it as it was when the run began", zh = "请将其设置为运行开始时的值")
    )]
    NoEnvironment {
        run: String,
        /// The name of the variable.
        variable: String,
    },
}

/// Both a gate and a margin of the headline are given.
#[derive(Debug, Say)]
#[say(
    error,
    en = "{slip}",
    zh = "{slip}",
    hint(
        en = "give either a gate or a margin of the headline",
        zh = "请只给出门限（gate）或主指标的等效界限（margin）之一"
    ),
    slip = DesignSlip::TwoMargins
)]
pub(crate) struct TwoMargins;

/// How much load servers on other machines will get at most, before they get any.
#[derive(Debug, Say)]
#[say(
    en = "{hosts:commas}: at most {connections} connections at a time to each; {rate?{} requests/s where times are measured, and }as many \
          requests as each answers where throughput is",
    zh = "{hosts:commas}：每个至多同时 {connections} 个连接；{rate?测量时间时为 {} 请求/秒，}测量吞吐量时则其应答多少就发送多少"
)]
pub(crate) struct MostLoad {
    pub(crate) hosts: Vec<String>,
    pub(crate) connections: usize,
    /// The fixed rate, where the file gives one.
    pub(crate) rate: Option<Rate>,
}

fn tell_most(experiment: &Experiment, lang: Language) {
    let elsewhere = experiment.arms.iter().filter(|arm| arm.loaded_elsewhere().is_some());
    let mut hosts: Vec<String> = elsewhere.filter_map(|arm| Some(arm.origin.as_ref()?.authority())).collect();
    hosts.dedup();
    let connections = experiment.load.connections.iter().max().copied().unwrap_or(0);
    if !hosts.is_empty() {
        message::tell(&MostLoad { hosts, connections, rate: experiment.design.latency_rate }, lang);
    }
}

/// A line about the result of a run.
#[derive(Debug, Say)]
pub(crate) enum ResultLine<'a> {
    /// A run that was gone on with had nothing left to do.
    #[say(
        en = "nothing was added: the headline is decided, or all starts were made",
        zh = "没有新增启动：主指标已有结论，或已达到启动次数上限"
    )]
    NothingAdded,
    /// The run ended well and could not be stored.
    #[say(
        en = "the results above are complete, but the run is not stored; \
              {out?they are in {}|use --out to keep those of the next}",
        zh = "以上结果完整，但本次运行未能保存；{out?结果位于 {}|下次可用 --out 保留结果}"
    )]
    NotStored {
        /// The folder where its results are nevertheless.
        out: Option<&'a Path>,
    },
}

/// Runs an experiment until its verdict. `source` is stored with the run: the text of the file, or the command line.
pub(crate) fn run(mut experiment: Experiment, source: &str, options: RunOptions<'_>) -> Result<(), Failure> {
    output::check_out_folder(&options.args.output)?;
    override_design(&mut experiment, &options.args.design)?;
    let load = &options.args.machine.load;
    load.override_machines(&mut experiment.load.machines).map_err(Failure::usage)?;
    let shared_cpus = &mut experiment.load.shared_cpus;
    let cpus = &options.args.machine;
    cpus.override_cpus(&mut experiment.machine, shared_cpus);
    cpus.locate_arms(&mut experiment.arms).map_err(Failure::usage)?;
    cpus.check_allowed(&experiment).map_err(Failure::usage)?;
    let seed = experiment.design.seed.map_or_else(run_id::seed, Ok)?;
    let mut context = RunContext::open_for(&options.args.output, options.call)?.with_viewers(options.args)?;
    context.lock = options.lock.cloned();
    if !options.call.quiet {
        tell_most(&experiment, context.lang());
    }
    let against = match &options.args.design.against {
        Some(wanted) => Some(against::set_baseline(&mut experiment, wanted, &context.store)?),
        None => None,
    };
    let execution = Execution {
        experiment: &experiment,
        source,
        seed,
        against: against.as_ref(),
        trial_of: None,
        keeps_rate: !options.args.design.new_rate,
    };
    let executed = execution.execute(&context)?;
    let mut executed = proof::try_suggestions(executed, &context)?;
    if let Some(error) = context.store_error.take() {
        executed.stored = Err(error);
    }
    deliver(executed, options, context)
}

/// Continues a stored run under the same id, with the same experiment and seed. The machine must be the same, too.
pub(crate) fn resume(run: &str, options: RunOptions<'_>) -> Result<(), Failure> {
    output::check_out_folder(&options.args.output)?;
    let context = RunContext::open(options.call)?.with_viewers(options.args)?;
    let earlier_report = stored_run::find(&context.store, run)?.report?;
    let mut record = stored_run::find_record(&context.store, run)?;
    recall_secrets(&mut record)?;
    let flags = &options.args.design;
    if flags.prove {
        record.experiment.explain = Explain::Prove;
    }
    let only_profile = flags.profile && !record.interrupted;
    if flags.profile {
        record.experiment.design.profiled_starts = PROFILED_STARTS;
    }
    check_same_facts(&record, &host_facts(), |key| !key.starts_with(ARM_FACTS))?;
    let (rounds, next) = context.store.rounds(&record.run)?;
    let part = context.store.unfinished_round(&record.run)?;
    let part = part.filter(|_| !only_profile).map(Box::new);
    let mut progress = context.progress(&record.run, &record.experiment);
    progress.show_earlier(&record.experiment, &rounds);
    builds::restore(&mut record.experiment, &context)?;
    let bench = execution::prepare(&record.experiment, &context, &mut progress)?;
    check_same_facts(&record, &bench.facts(), |key| key.starts_with(ARM_FACTS))?;
    let course = Course {
        // A profile of a run that has ended is no reason to measure more.
        max_rounds: only_profile.then_some(0),
        budget: flags.budget.or(record.experiment.design.budget.filter(|_| !only_profile)),
        rounds,
        next: part.as_ref().map_or(next, |part| part.round),
        part,
    };
    let earlier = EarlierPart { rounds: course.rounds.len(), record: record.clone(), report: earlier_report };
    if !record.interrupted && !only_profile {
        record.continued_at.push(earlier.rounds);
        record.experiment =
            judge::planning::with_continued_starts(record.experiment, course.budget, &course.rounds);
    }
    record.interrupted = true;
    if flags.profile {
        record.cpu_profiles.clear();
    }
    context.store.reopen(&record)?;
    if let Some(part) = &course.part {
        context.store.drop_incomplete_levels(&record.run, part)?;
    }
    let source = context.store.source(&record.run)?.unwrap_or_default();
    let executed = execution::run_rounds(&mut record, &source, course, &bench, progress, &context)
        .and_then(|executed| proof::try_suggestions(executed, &context))
        .inspect_err(|_| earlier.restore(&context.store))?;
    let is_profiled = flags.profile && !executed.record.cpu_profiles.is_empty();
    if executed.rounds.len() == earlier.rounds && !is_profiled && !executed.report.design.interrupted {
        message::tell(&ResultLine::NothingAdded, context.lang());
    }
    deliver(executed, options, context)
}

/// Gives the sessions of a stored run the values of their environment variables, because only the names of the
/// variables were stored.
fn recall_secrets(record: &mut RunRecord) -> Result<(), Failure> {
    if record.experiment.lacks_secrets() {
        let run = record.run.clone();
        return Err(Failure::usage(StoredComplaint::WithoutSecrets { run }));
    }
    let Some(sessions) = &mut record.experiment.workload.sessions else {
        return Ok(());
    };
    let recalled = sessions.recall_environment(&|name| std::env::var(name).ok());
    recalled.map_err(|variable| {
        let run = record.run.clone();
        Failure::usage(ResumeComplaint::NoEnvironment { run, variable })
    })
}

/// A stored run as it was before it was continued.
struct EarlierPart {
    record: RunRecord,
    report: Option<Report>,
    /// How many rounds it had.
    rounds: usize,
}

impl EarlierPart {
    /// Stores the earlier result again after the run could not be continued, unless a round was added meanwhile. If that fails,
    /// nothing is lost: the report can be computed again from the slices.
    fn restore(&self, store: &Store) {
        let unchanged = store.rounds(&self.record.run).is_ok_and(|(rounds, _)| rounds.len() == self.rounds);
        if let Some(report) = self.report.as_ref().filter(|_| unchanged) {
            let _ = store.finish(&self.record, report);
        }
    }
}

/// Fails with the facts that have changed since the run began. Only facts whose name `is_compared` accepts are compared.
fn check_same_facts(
    record: &RunRecord,
    now: &Fingerprint,
    is_compared: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    // It says why CPUs were not divided; how they were divided is compared.
    let is_reason = |key: &str| key.ends_with(&format!("/{}", NotSeparated::FACT));
    // Whether any CPU time was ever stolen since boot says nothing about the machine.
    let is_compared = |key: &&String| *key != "steal_seen" && !is_reason(key) && is_compared(key.as_str());
    let keys: BTreeSet<&String> = record.fingerprint.keys().chain(now.keys()).collect();
    let shown = |facts: &Fingerprint, key: &str| facts.get(key).cloned();
    let differences: Vec<Difference> = keys
        .into_iter()
        .filter(is_compared)
        .map(|key| Difference {
            fact: key.clone(),
            was: shown(&record.fingerprint, key),
            is: shown(now, key),
        })
        .filter(|difference| difference.was != difference.is)
        .collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(ResumeComplaint::OtherConditions { run: record.run.clone(), differences }))
}

/// Shows the results, writes the files of `--out`, and returns the failure that decides the exit code.
fn deliver(executed: Executed, options: RunOptions<'_>, mut context: RunContext) -> Result<(), Failure> {
    let Executed { report, record, rounds, stored } = executed;
    context.show_results(&report);
    let output = &options.args.output;
    let series = || judge::series(&record, &rounds);
    let tells = !options.call.quiet && !output.json;
    let tell_stored = || {
        let line = progress::stored(&report.run, report.design.interrupted, context.lang());
        if tells && stored.is_ok() {
            eprintln!("{line}");
        }
    };
    // The report of one arm ends with its paragraph, which is to be the last thing that is seen.
    let ends_with_report = report.is_of_one_arm() && !report.design.interrupted;
    if ends_with_report {
        tell_stored();
    }
    output::deliver(&report, series, None, output, options.call.colour.stdout)?;
    if !ends_with_report {
        tell_stored();
    }
    match stored {
        Err(error) => {
            Failure::new(Code::Internal, error).report(context.lang());
            let out = output.out.as_deref();
            message::tell(&ResultLine::NotStored { out }, context.lang());
        }
        Ok(()) => team::at_the_end(&record, &context, tells),
    }
    let deliveries = std::mem::take(&mut context.sinks).end(&report, Some((&record, &rounds)));
    tell_deliveries(&deliveries, context.lang(), tells);
    check_verdicts(&report, options.args.design.fail_inconclusive)
}

/// Tells what the sinks got: always, if they did not get everything.
pub(crate) fn tell_deliveries(deliveries: &[Delivery], lang: Language, tells: bool) {
    for delivery in deliveries {
        if tells || delivery.lost > 0 {
            message::tell(delivery, lang);
        }
    }
}

/// Fails with the exit code that comes first among those that apply. A proven loss is a regression even if the verdict on another
/// arm is still open.
pub(crate) fn check_verdicts(report: &Report, fail_inconclusive: bool) -> Result<(), Failure> {
    let failed = |against_baseline: bool| {
        let mut failed = report.required.iter().filter(|required| required.verdict == GateVerdict::Fail);
        failed.any(|required| matches!(required.bound, Bound::NotWorse(_)) == against_baseline)
    };
    let mut required = report.required.iter();
    let is_open = required.any(|required| required.verdict == GateVerdict::Inconclusive)
        || is_headline_inconclusive(report);
    let results = [
        (Code::Threshold, failed(false)),
        (Code::Regression, failed(true)),
        (Code::Inconclusive, is_open && fail_inconclusive),
        (Code::Invalid, !report.is_valid()),
        (Code::Interrupted, report.design.interrupted),
    ];
    let codes = results.into_iter().filter_map(|(code, applies)| applies.then_some(code));
    Code::first(codes).map_or(Ok(()), |code| Err(Failure::reported(code)))
}

/// Whether a verdict on a measure of the headline is inconclusive. Where a gate replaces that verdict, the gate counts instead.
fn is_headline_inconclusive(report: &Report) -> bool {
    let mut headlines = report.comparisons.iter().filter(|comparison| report.is_headline(comparison));
    headlines.any(|headline| headline.gate.is_none() && headline.verdict == Verdict::Inconclusive)
}

/// Applies the flags of the command line, which override the design of the file.
fn override_design(experiment: &mut Experiment, flags: &DesignArgs) -> Result<(), Failure> {
    if flags.jfr {
        let arms = experiment.arms.iter_mut();
        arms.for_each(|arm| arm.telemetry = Telemetry::Jfr);
    }
    let design = &mut experiment.design;
    design.budget = flags.budget.or(design.budget);
    design.seed = flags.seed.or(design.seed);
    if flags.until_sure {
        design.starts = None;
    }
    if flags.starts.is_some() {
        (design.starts, design.tune_starts) = (flags.starts, false);
    }
    if let Some(loss) = flags.gate {
        design.set_gate(loss);
    }
    design.alpha = flags.alpha.unwrap_or(design.alpha);
    if flags.prove {
        experiment.explain = Explain::Prove;
    }
    if flags.profile {
        design.profiled_starts = PROFILED_STARTS;
    }
    for (measure, margin) in &flags.margins {
        let of_headline = measure.is_none_or(|measure| design.headline.one() == Some(measure));
        if design.gate.is_some() && of_headline {
            return Err(Failure::usage(TwoMargins));
        }
        match measure {
            Some(measure) => design.margins[*measure] = *margin,
            None => design.set_headline_margin(*margin),
        }
    }
    Ok(())
}
