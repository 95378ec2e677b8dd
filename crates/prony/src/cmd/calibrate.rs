//! `prony calibrate`: runs whole experiments whose right answer is known, to measure how often prony is right.

use super::SubCommand;
use crate::available::{self, Audience};
use crate::call::Call;
use crate::execution::Execution;
use crate::failure::{Code, Failure};
use crate::language;
use crate::message;
use crate::output::{OutAct, out_complaint, print};
use crate::run_context::RunContext;
use crate::run_id;
use ask::arm::{Arm, Threads};
use ask::available::Available;
use ask::experiment::{Design, Experiment, Explain, LoadProfile};
use ask::question::Question;
use ask::values;
use clap::{Args, Subcommand, ValueEnum};
use judge::calibration;
use model::units::{Nanos, Share};
use record::calibration::{BAD_STARTS, CalibrationRun, Dose, DoseKind, Injected, STALL_EVERY};
use record::outcome::Report;
use say::Say;
use std::io::Write;
use std::path::{Path, PathBuf};
use sut::{Slowness, StartCount, WorkFolder};

/// The name of the experiment that compares a server with itself.
const IDENTICAL: &str = "calibrate-aa";
/// Turns of the loop in the trial run, which shows what the amounts of a dose cost here: large enough to be counted well, and small
/// enough not to saturate the machine. They burn 8 us, about 15 % of what a small JSON page takes at a fixed rate.
const TRIAL_TURNS: u32 = 4_000;
/// Bytes of garbage per request in the trial run.
const TRIAL_BYTES: u32 = 16_384;
/// Starts of the trial run.
const TRIAL_STARTS: u32 = 3;
/// Largest share of time in which all requests may wait.
const MOST_STALLED: Share = Share(0.5);

/// What a run injects, as it was asked for.
#[derive(Clone, Copy)]
struct Wanted {
    dose: DoseKind,
    share: Share,
}

/// Check prony itself with whole experiments whose right answer is known.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// The kind of experiment, whose right answer is known.
    #[command(subcommand)]
    known: KnownAnswer,
}

/// An experiment whose right answer is known.
#[derive(Debug, Subcommand)]
pub(crate) enum KnownAnswer {
    /// Compare a server with itself: every verdict that calls one better or worse is wrong.
    Aa(CalibrationArgs),
    /// Compare a server with itself while one of the two is slowed by a dose that the application counts: it has to be called worse.
    Power {
        /// What makes it slower.
        #[arg(long, value_name = "KIND", default_value = "cpu")]
        dose: DoseArg,
        /// How much slower: extra CPU per request, as a share of the CPU that the server needs without it (for bimodal on average
        /// over the starts), or for stall the share of time.
        #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = values::share)]
        inject: f64,
        /// Options that both kinds take.
        #[command(flatten)]
        flags: CalibrationArgs,
    },
}

/// `--dose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DoseArg {
    /// Every request burns CPU.
    Cpu,
    /// All requests wait during a stall, about every five seconds.
    Stall,
    /// Every request allocates garbage that the collector has to copy.
    Gc,
    /// A random quarter of the starts burns four times the CPU, the others none.
    Bimodal,
}

/// Options of a calibration.
#[derive(Debug, Args)]
pub(crate) struct CalibrationArgs {
    /// The server as SERVER:VERSION[,key=value...] [default: the newest Tomcat 10.1]
    server: Option<String>,
    /// Number of runs, each a whole experiment with its own seed; 0 only shows the tally of the file of --out.
    #[arg(long, value_name = "N", default_value_t = 10)]
    runs: u32,
    /// Time limit of each run: no start begins that would end later.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = values::duration)]
    budget: Nanos,
    /// Maximum number of fresh starts of both servers in a run, 3 to 40 [default: as many as the time has room for, as in `prony run`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=40))]
    starts: Option<u32>,
    /// Error rate that a run promises: 1%, 5% or 10%.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = values::alpha)]
    alpha: f64,
    /// Seed of the first run; each later run adds one [default: drawn, and recorded with the run]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Append a line of JSON for every run to this file; the tally counts all runs in it.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What is wrong with a calibration.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum CalibrationComplaint {
    /// The CPU of virtual threads is not counted by thread.
    #[say(
        en = "the CPU of virtual threads cannot be counted",
        zh = "无法统计虚拟线程的 CPU 用量",
        hint(
            en = "calibrate with a pool of threads (leave out `threads=virtual`), or with --dose stall",
            zh = "请使用线程池校准（去掉 `threads=virtual`），或改用 --dose stall"
        )
    )]
    VirtualThreads,
    /// The server runs no servlets, and the application injects by filters of servlets.
    #[say(
        en = "`{server}` runs no servlets, and the application is slowed by a filter of servlets",
        zh = "`{server}` 不支持 servlet，而应用由 servlet 过滤器减速",
        hint(
            en = "calibrate another server, or with `prony calibrate aa`",
            zh = "请校准其他服务器，或使用 `prony calibrate aa`"
        )
    )]
    NoServlets { server: String },
    /// The server would stand still most of the time.
    #[say(
        en = "a server that stalls {share:percent_of} % of the time is not measured",
        zh = "服务器有 {share:percent_of} % 的时间停顿，无法测量",
        hint(
            en = "--inject takes at most {most:percent_of}% with --dose stall",
            zh = "使用 --dose stall 时，--inject 最大为 {most:percent_of}%"
        )
    )]
    StallsTooLong {
        /// Share of time that was asked for.
        share: Share,
        /// The largest that is possible.
        most: Share,
    },
    /// `--out` holds something else.
    #[say(
        en = "{path}:{line}: {source:text}",
        zh = "{path}:{line}：{source:text}",
        hint(
            en = "--out takes a file that `prony calibrate` wrote, or a new one",
            zh = "--out 须为 `prony calibrate` 写出的文件，或一个新文件"
        )
    )]
    OtherFile {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The trial that finds out how large the dose has to be had too few starts that count.
    #[say(
        en = "too few starts counted to calibrate by",
        zh = "有效启动次数太少，无法据此校准",
        hint(
            en = "`prony report latest` shows the run that was to find out how large the dose has to be",
            zh = "`prony report latest` 显示用来确定剂量的那次运行"
        )
    )]
    ShortTrial,
    /// In that trial the application counted no cost of its dose.
    #[say(
        en = "the application counted nothing that would slow it",
        zh = "应用程序自身没有统计到任何会使其变慢的消耗",
        hint(
            en = "`prony report latest` shows the run that was to find out how large the dose has to be",
            zh = "`prony report latest` 显示用来确定剂量的那次运行"
        )
    )]
    NoEffect,
}

/// A line about the progress of a calibration.
#[derive(Debug, Say)]
pub(crate) enum CalibrationLine {
    /// A run of a calibration begins.
    #[say(en = "run {number} of {runs}", zh = "第 {number} 次运行，共 {runs} 次")]
    Run {
        /// Its number, from 1.
        number: u32,
        /// How many there are.
        runs: u32,
    },
    /// A run begins that finds out how large a dose has to be.
    #[say(
        en = "finding out how large the dose has to be for {percent:.1} %",
        zh = "正在确定达到 {percent:.1} % 需要多大的剂量",
        percent = share.as_percent()
    )]
    Trial {
        /// For this share.
        share: Share,
    },
}

impl SubCommand for CalibrateArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let (flags, wanted) = match &self.known {
            KnownAnswer::Aa(flags) => (flags, None),
            KnownAnswer::Power { dose, inject, flags } => (flags, Some(wanted(*dose, Share(*inject))?)),
        };
        let audience =
            Audience { colour: call.colour.stderr, quiet: call.quiet, lang: language::from_locale() };
        let arm = calibrated_arm(flags, &available::in_catalog(), wanted, audience)?;
        let class = model::machine::class(&probe::host::fingerprint());
        let injected = wanted.map(|wanted| (wanted.dose, wanted.share));
        let mut runs = earlier_runs(flags)?;
        runs.retain(|run| {
            let same = run.injected.as_ref().map(|was| (was.dose, was.share)) == injected;
            same && run.class == class && run.server == server(&arm) && run.alpha == flags.alpha
        });
        let calibrator = Calibrator { flags, arm, context: RunContext::open(call)? };
        let dose = runs.iter().rev().find_map(|run| run.injected.as_ref()?.dose());
        runs.extend(calibrator.runs(wanted, dose)?);
        let tally = calibration::tally(&runs, injected, flags.alpha);
        let stored = calibrator.context.store.calibrations(&class)?;
        let standing = calibration::for_reports(&stored, flags.alpha);
        let lang = calibrator.context.lang();
        print(&report::calibration::tally(&tally, &class, standing.as_ref(), lang))
    }
}

/// Returns what is to be injected. Refuses a server that stands still most of the time.
fn wanted(dose: DoseArg, share: Share) -> Result<Wanted, Failure> {
    let dose = match dose {
        DoseArg::Cpu => DoseKind::Cpu,
        DoseArg::Stall => DoseKind::Stall,
        DoseArg::Gc => DoseKind::Gc,
        DoseArg::Bimodal => DoseKind::Bimodal,
    };
    if dose == DoseKind::Stall && share > MOST_STALLED {
        let most = MOST_STALLED;
        return Err(Failure::usage(CalibrationComplaint::StallsTooLong { share, most }));
    }
    Ok(Wanted { dose, share })
}

/// Returns the arm that is compared with itself.
fn calibrated_arm(
    flags: &CalibrationArgs,
    known: &Available,
    wanted: Option<Wanted>,
    audience: Audience,
) -> Result<Arm, Failure> {
    let newest = || available::newest_tomcat(known, "10.1");
    let spec = flags.server.clone().unwrap_or_else(newest);
    let arm = super::compare::parse_arm(&spec, known, audience)?;
    let runs_servlets = known.kind(&arm.server).is_none_or(|kind| kind.facts().runs_servlets);
    if wanted.is_some() && !runs_servlets {
        let server = arm.server;
        return Err(Failure::usage(CalibrationComplaint::NoServlets { server }));
    }
    let by_thread = wanted.is_some_and(|wanted| wanted.dose != DoseKind::Stall);
    if by_thread && arm.settings.threads == Some(Threads::Virtual) {
        return Err(Failure::usage(CalibrationComplaint::VirtualThreads));
    }
    Ok(arm)
}

fn server(arm: &Arm) -> String {
    format!("{}:{}", arm.server, arm.version)
}

/// Reads the runs that the file of `--out` holds already.
fn earlier_runs(flags: &CalibrationArgs) -> Result<Vec<CalibrationRun>, Failure> {
    let Some(path) = flags.out.as_deref().filter(|path| path.exists()) else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(path).map_err(out_complaint(OutAct::Read, path))?;
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|source| {
            Failure::usage(CalibrationComplaint::OtherFile { path: path.to_owned(), line: index + 1, source })
        })
    };
    text.lines().enumerate().map(parse).collect()
}

/// What all runs of one calibration share.
struct Calibrator<'a> {
    flags: &'a CalibrationArgs,
    arm: Arm,
    context: RunContext,
}

impl Calibrator<'_> {
    /// Runs as often as asked, and prints and stores each run as it ends. `dose` is what amounts cost if earlier runs have
    /// counted it.
    fn runs(&self, wanted: Option<Wanted>, dose: Option<Dose>) -> Result<Vec<CalibrationRun>, Failure> {
        let mut runs = Vec::new();
        let base = self.flags.seed.map_or_else(run_id::seed, Ok)?;
        let amount = match wanted {
            Some(wanted) if self.flags.runs > 0 => Some((wanted, self.amount(wanted, dose, base)?)),
            _ => None,
        };
        for number in 1..=self.flags.runs {
            if !self.context.quiet {
                let runs = self.flags.runs;
                message::tell(&CalibrationLine::Run { number, runs }, self.context.lang());
            }
            let seed = base.wrapping_add(u64::from(number));
            let run = match amount {
                None => self.run_identical(seed)?,
                Some((wanted, amount)) => self.run_slowed(wanted, amount, seed)?,
            };
            self.context.store.store_calibration(&run)?;
            if let Some(path) = &self.flags.out {
                append(path, &run).map_err(out_complaint(OutAct::Write, path))?;
            }
            print(&report::calibration::line(&run, self.context.lang()))?;
            runs.push(run);
        }
        Ok(runs)
    }

    /// Compares the server with itself.
    fn run_identical(&self, seed: u64) -> Result<CalibrationRun, Failure> {
        let arms = ["one", "two"].map(|name| self.named(name));
        let report = self.execute(IDENTICAL, arms, self.flags.starts, seed)?;
        self.judged(&report, None)
    }

    /// Compares the server with itself while one of the two gets so much of a dose.
    fn run_slowed(&self, wanted: Wanted, amount: u32, seed: u64) -> Result<CalibrationRun, Failure> {
        let Wanted { dose, share } = wanted;
        let (report, counted) = self.run_dosed("calibrate-power", dose, amount, self.flags.starts, seed)?;
        let truth = counted.and_then(|counted| true_ratio(dose, counted, &report));
        // In a run in which no start happened to be bad, the amount costs what the trial counted.
        let aimed = (dose == DoseKind::Bimodal).then(|| (1.0 + share.0 / BAD_STARTS.0).powf(BAD_STARTS.0));
        let truth = truth.or(aimed);
        let injected = Injected { dose, share, amount, counted, truth };
        self.judged(&report, Some(injected))
    }

    /// How much of a dose makes the wanted share. A trial run shows what it costs on this machine, unless earlier runs did; how
    /// long a stall is follows from the share alone.
    fn amount(&self, wanted: Wanted, dose: Option<Dose>, seed: u64) -> Result<u32, Failure> {
        let Wanted { dose: kind, share } = wanted;
        let trial = match kind {
            DoseKind::Stall => return Ok(share.of(STALL_EVERY).as_micros().round() as u32),
            DoseKind::Gc => (DoseKind::Gc, TRIAL_BYTES),
            // All starts of the trial burn, because what a bad start costs is to be counted.
            DoseKind::Cpu | DoseKind::Bimodal => (DoseKind::Cpu, TRIAL_TURNS),
        };
        let dose = match dose {
            Some(dose) => dose,
            None => self.count_dose(trial.0, trial.1, share, seed)?,
        };
        let in_slow_starts = match kind {
            DoseKind::Bimodal => Share(share.0 / BAD_STARTS.0),
            _ => share,
        };
        Ok(dose.amount(in_slow_starts))
    }

    /// Counts what an amount costs, under the load of the runs.
    fn count_dose(&self, kind: DoseKind, amount: u32, share: Share, seed: u64) -> Result<Dose, Failure> {
        if !self.context.quiet {
            message::tell(&CalibrationLine::Trial { share }, self.context.lang());
        }
        let (report, counted) = self.run_dosed("calibrate-trial", kind, amount, Some(TRIAL_STARTS), seed)?;
        let ratio = counted.and_then(|counted| true_ratio(kind, counted, &report));
        let ratio = ratio.ok_or_else(|| Failure::invalid(CalibrationComplaint::ShortTrial))?;
        Dose::of(amount, ratio).ok_or_else(|| Failure::invalid(CalibrationComplaint::NoEffect))
    }

    /// Compares the server with itself while one of the two gets so much of a dose. Returns the report and what the dose took by
    /// the application's own count in the starts that had it: CPU seconds per request, or for stalls the share of time.
    fn run_dosed(
        &self,
        name: &str,
        kind: DoseKind,
        amount: u32,
        starts: Option<u32>,
        seed: u64,
    ) -> Result<(Report, Option<f64>), Failure> {
        let folder = WorkFolder::create(&self.context.home.cache, seed)?;
        let slowness = |arm: &str, amount| Slowness { kind, amount, seed, count: folder.path().join(arm) };
        // Both file names have the same length, so that the two arms differ by the dose alone.
        let both = [slowness("count-a", 0), slowness("count-b", amount)];
        let arms = [("plain", &both[0]), ("slowed", &both[1])].map(|(name, slowness)| {
            let mut arm = self.named(name);
            arm.jvm_options.extend(slowness.options());
            arm
        });
        let report = self.execute(name, arms, starts, seed)?;
        let [plain, slowed] = &both;
        // What the count gives for the arm without a dose is its error, or what it costs anyway.
        let counted = mean_cost(&slowed.counted()?, true).zip(mean_cost(&plain.counted()?, false));
        Ok((report, counted.map(|(slowed, plain)| slowed - plain)))
    }

    /// Returns the calibrated arm under another name.
    fn named(&self, name: &str) -> Arm {
        Arm { name: name.to_owned(), ..self.arm.clone() }
    }

    /// Runs an experiment with the same code as `prony run`.
    fn execute(&self, name: &str, arms: [Arm; 2], starts: Option<u32>, seed: u64) -> Result<Report, Failure> {
        let known = available::in_catalog();
        let (app, paths) = known.apps[0].clone();
        let usual = Design::for_arms(arms.len());
        let question = Question::both(
            format!("Does {} differ from {}?", arms[1].name, arms[0].name),
            format!("{} 与 {} 有差异吗？", arms[1].name, arms[0].name),
        );
        let workload = super::compare::one_request(&app, paths[0].clone());
        let experiment = Experiment {
            question,
            design: Design {
                // Without a number of starts, a run plans them as `prony run` does.
                starts: starts.or(usual.starts),
                tune_starts: starts.is_none(),
                alpha: self.flags.alpha,
                budget: Some(self.flags.budget),
                aa: name == IDENTICAL,
                seed: Some(seed),
                ..usual
            },
            explain: Explain::Off,
            ..Experiment::without_file(name, &known, arms.into(), workload, LoadProfile::default())
        };
        let execution = Execution {
            experiment: &experiment,
            source: &self.context.typed.command(),
            seed,
            against: None,
            trial_of: None,
            keeps_rate: true,
        };
        let executed = execution.execute(&self.context)?;
        executed.stored?;
        let report = executed.report;
        if report.design.interrupted {
            return Err(Failure::reported(Code::Interrupted));
        }
        Ok(report)
    }

    fn judged(&self, report: &Report, injected: Option<Injected>) -> Result<CalibrationRun, Failure> {
        let (rounds, _) = self.context.store.rounds(&report.run)?;
        Ok(calibration::judge_run(report, &rounds, &server(&self.arm), injected))
    }
}

/// The mean of what starts have counted: of those with a dose, or of those without one. `None` where none has counted anything.
fn mean_cost(starts: &[StartCount], dosed: bool) -> Option<f64> {
    let costs = starts.iter().filter(|start| (start.amount > 0.0) == dosed).map(|start| start.cost);
    let (n, sum) = costs.fold((0.0, 0.0), |(n, sum), cost| (n + 1.0, sum + cost));
    (n > 0.0).then_some(sum / n)
}

/// The true ratio of the arms in the measure of a dose, from what the application has counted of it. `None` where the arm without
/// a dose has no value to compare the count with.
fn true_ratio(kind: DoseKind, counted: f64, report: &Report) -> Option<f64> {
    if kind == DoseKind::Stall {
        return Some(1.0 - counted);
    }
    let in_slow_starts = 1.0 + counted / calibration::undosed(report, kind.measure())?;
    Some(match kind {
        DoseKind::Bimodal => in_slow_starts.powf(BAD_STARTS.0),
        _ => in_slow_starts,
    })
}

/// Appends a run to the file of `--out`, as a line of JSON.
fn append(path: &Path, run: &CalibrationRun) -> std::io::Result<()> {
    let mut line = serde_json::to_string(run)?;
    line.push('\n');
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(line.as_bytes())
}
