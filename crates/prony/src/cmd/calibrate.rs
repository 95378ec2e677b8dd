//! `prony calibrate`: runs whole experiments whose right answer is known, to measure how often prony is right.

use crate::args;
use crate::available;
use crate::execution::Execution;
use crate::failure::{Code, Failure};
use crate::output::{out_complaint, print};
use crate::repeat;
use crate::run_context::RunContext;
use crate::run_id;
use crate::say::StatusLine;
use crate::say::complaint::{CalibrationComplaint, OutAct};
use judge::calibration;
use model::arm::{Arm, Threads};
use model::available::Available;
use model::calibration::{CalibrationRun, Dose, Injected};
use model::experiment::{Design, Experiment, Explain, Headline, LoadProfile, Profile, Workload};
use model::measure::Measure;
use model::outcome::Report;
use model::question::Question;
use std::io::Write;
use std::path::Path;
use sut::{Burn, WorkFolder};

/// The name of the experiment that compares a server with itself.
const IDENTICAL: &str = "calibrate-aa";
/// Turns of the loop in the trial run, which measures the effect of the loop. Their effect is large enough to be measured to within
/// a tenth by starts that spread by 1 to 2 %, and small enough not to saturate the machine: they burn 8 us, about 15 % of what a
/// small JSON page takes at a fixed rate. (With 1,500 turns, two starts gave 3.3 %, and 31 later starts nearly 5 %.)
const TRIAL_TURNS: u32 = 4_000;
/// Starts of the trial run.
const TRIAL_STARTS: u32 = 3;

pub(crate) fn run(args: &args::CalibrateArgs, colour: bool, quiet: bool) -> Result<(), Failure> {
    let (flags, share) = match &args.known {
        args::KnownAnswer::Aa(flags) => (flags, None),
        args::KnownAnswer::Power { inject, flags } => (flags, Some(*inject)),
    };
    let arm = calibrated_arm(flags, &available::in_catalog(), share, colour)?;
    let class = model::machine::class(&probe::host::fingerprint());
    let mut runs = earlier_runs(flags)?;
    runs.retain(|run| {
        let same_share = run.injected.as_ref().map(|injected| injected.share) == share;
        same_share && run.class == class && run.server == server(&arm) && run.alpha == flags.alpha
    });
    let calibrator = Calibrator {
        flags,
        arm,
        context: RunContext::open(quiet)?,
    };
    let dose = runs.iter().rev().find_map(|run| run.injected.as_ref()?.dose());
    runs.extend(calibrator.runs(share, dose)?);
    let tally = calibration::tally(&runs, share, flags.alpha);
    let stored = calibrator.context.store.calibrations(&class)?;
    let standing = calibration::for_reports(&stored, flags.alpha);
    let lang = calibrator.context.lang();
    print(&report::calibration::tally(
        &tally,
        &class,
        standing.as_ref(),
        lang,
    ))
}

/// Returns the arm that is compared with itself.
fn calibrated_arm(
    flags: &args::CalibrationArgs,
    known: &Available,
    share: Option<f64>,
    colour: bool,
) -> Result<Arm, Failure> {
    let spec = flags.server.clone().unwrap_or_else(|| newest_tomcat(known));
    let arm = super::compare::parse_arm(&spec, known, colour)?;
    if share.is_some() && arm.settings.threads == Some(Threads::Virtual) {
        return Err(Failure::usage(CalibrationComplaint::VirtualThreads));
    }
    Ok(arm)
}

/// Returns the newest Tomcat 10.1, the series that most people run.
fn newest_tomcat(known: &Available) -> String {
    let versions = known.servers.iter().filter(|(server, _)| server == "tomcat");
    let newest = versions
        .flat_map(|(_, versions)| versions)
        .rfind(|version| version.starts_with("10.1."));
    format!("tomcat:{}", newest.map_or("", String::as_str))
}

fn server(arm: &Arm) -> String {
    format!("{}:{}", arm.server, arm.version)
}

/// Reads the runs that the file of `--out` holds already.
fn earlier_runs(flags: &args::CalibrationArgs) -> Result<Vec<CalibrationRun>, Failure> {
    let Some(path) = flags.out.as_deref().filter(|path| path.exists()) else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(path).map_err(out_complaint(OutAct::Read, path))?;
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|source| {
            Failure::usage(CalibrationComplaint::OtherFile {
                path: path.to_owned(),
                line: index + 1,
                source,
            })
        })
    };
    text.lines().enumerate().map(parse).collect()
}

/// What all runs of one calibration share.
struct Calibrator<'a> {
    flags: &'a args::CalibrationArgs,
    arm: Arm,
    context: RunContext,
}

impl Calibrator<'_> {
    /// Runs as often as asked, and prints and stores each run as it ends. `dose` is the effect of the loop if earlier runs have
    /// measured it.
    fn runs(&self, share: Option<f64>, dose: Option<Dose>) -> Result<Vec<CalibrationRun>, Failure> {
        let mut runs = Vec::new();
        let base = self.flags.seed.map_or_else(run_id::seed, Ok)?;
        let dose = match (share, dose) {
            (Some(share), None) if self.flags.runs > 0 => Some(self.measure_dose(share, base)?),
            _ => dose,
        };
        for number in 1..=self.flags.runs {
            if !self.context.quiet {
                let runs = self.flags.runs;
                StatusLine::CalibrationRun { number, runs }.tell(self.context.lang());
            }
            let seed = base.wrapping_add(u64::from(number));
            let run = match share.zip(dose) {
                None => self.run_identical(seed)?,
                Some((share, dose)) => self.run_slowed(share, dose, seed)?,
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

    /// Compares the server with itself while one of the two needs `share` more CPU in every request.
    fn run_slowed(&self, share: f64, dose: Dose, seed: u64) -> Result<CalibrationRun, Failure> {
        let turns = dose.turns(share);
        let (report, burnt) = self.run_burning("calibrate-power", turns, self.flags.starts, seed)?;
        let injected = Injected {
            share,
            turns,
            burnt,
            truth: Some(dose.truth(turns)),
        };
        self.judged(&report, Some(injected))
    }

    /// Measures the effect of the loop on the measure that is compared, under the load of the runs.
    fn measure_dose(&self, share: f64, seed: u64) -> Result<Dose, Failure> {
        if !self.context.quiet {
            StatusLine::CalibrationTrial { share }.tell(self.context.lang());
        }
        let (report, _) = self.run_burning("calibrate-trial", TRIAL_TURNS, TRIAL_STARTS, seed)?;
        let ratio = calibration::headline_ratio(&report);
        let ratio = ratio.ok_or_else(|| Failure::invalid(CalibrationComplaint::ShortTrial))?;
        Dose::of(TRIAL_TURNS, ratio).ok_or_else(|| Failure::invalid(CalibrationComplaint::NoEffect))
    }

    /// Compares the server with itself while one of the two runs `turns` of a loop in every request. Returns the report and the CPU
    /// that the loop took by the server's own count, in seconds per request.
    fn run_burning(
        &self,
        name: &str,
        turns: u32,
        starts: u32,
        seed: u64,
    ) -> Result<(Report, Option<f64>), Failure> {
        let folder = WorkFolder::create(&self.context.home.cache, seed)?;
        let burn = |arm: &str, turns| Burn {
            turns,
            count: folder.path().join(arm),
        };
        // Both file names have the same length, so that the two arms differ by the loop alone.
        let burns = [burn("count-a", 0), burn("count-b", turns)];
        let arms = [("plain", &burns[0]), ("burning", &burns[1])].map(|(name, burn)| {
            let mut arm = self.named(name);
            arm.jvm_options.extend(burn.options());
            arm
        });
        let report = self.execute(name, arms, starts, seed)?;
        let [plain, burning] = &burns;
        // What the count gives for the arm without turns is its error.
        let counted = burning.counted()?.zip(plain.counted()?);
        Ok((report, counted.map(|(burning, plain)| burning - plain)))
    }

    /// Returns the calibrated arm under another name.
    fn named(&self, name: &str) -> Arm {
        Arm {
            name: name.to_owned(),
            ..self.arm.clone()
        }
    }

    /// Runs an experiment with the same code as `prony run`.
    fn execute(&self, name: &str, arms: [Arm; 2], starts: u32, seed: u64) -> Result<Report, Failure> {
        let known = available::in_catalog();
        let (app, paths) = known.apps[0].clone();
        let experiment = Experiment {
            name: name.to_owned(),
            question: Question::both(
                format!("Does {} differ from {}?", arms[1].name, arms[0].name),
                format!("{} 与 {} 有差异吗？", arms[1].name, arms[0].name),
            ),
            services: model::experiment::services_of(&arms, &known),
            arms: arms.into(),
            workload: Workload {
                app,
                path: paths[0].clone(),
                mix: None,
                expect: None,
                unlike_answers: false,
            },
            load: LoadProfile::default(),
            link: None,
            design: Design {
                starts: Some(starts),
                tune_starts: false,
                alpha: self.flags.alpha,
                budget: Some(self.flags.budget),
                // The headline alone decides a calibration; the closed loop is only needed to choose the rate.
                pairs: 2,
                tune: false,
                aa: name == IDENTICAL,
                seed: Some(seed),
                headline: Headline::One(Measure::CpuPerRequest),
                ..Design::default()
            },
            profile: Profile::Full,
            reference: None,
            explain: Explain::Name,
            require: Vec::new(),
        };
        let execution = Execution {
            experiment: &experiment,
            source: &repeat::command_line(),
            seed,
            against: None,
            trial_of: None,
            keeps_rate: false,
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
        Ok(calibration::judge_run(
            report,
            &rounds,
            &server(&self.arm),
            injected,
        ))
    }
}

/// Appends a run to the file of `--out`, as a line of JSON.
fn append(path: &Path, run: &CalibrationRun) -> std::io::Result<()> {
    let mut line = serde_json::to_string(run)?;
    line.push('\n');
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(line.as_bytes())
}
