//! `prony calibrate`: whole experiments whose right answer is known, so that the measurer itself is measured.

use crate::args;
use crate::experiment::{self, Place};
use crate::failure::{Code, Failure};
use crate::output::{print, refused};
use crate::repeat;
use crate::run_id;
use crate::say::Line;
use crate::say::complaint::{CalibrationComplaint, OutAct};
use judge::calibration;
use model::arm::{Arm, Threads};
use model::available::Available;
use model::calibration::{CalibrationRun, Dose, Injected};
use model::experiment::{Design, Experiment, Explain, LoadProfile, Profile, Workload};
use model::outcome::Report;
use model::question::Question;
use std::io::Write;
use std::path::Path;
use sut::{Burn, WorkFolder};

/// The experiment of a server against itself.
const IDENTICAL: &str = "calibrate-aa";
/// Turns of the loop in the run that finds out what they do: so many that its starts, which spread by 1 to 2 %, show it to
/// within a tenth, and so few that the machine is not full of them. They burn 8 us, some 15 % of what a small JSON page takes
/// at a fixed rate; with 1,500 two starts said 3.3 %, and 31 later ones nearly 5 %.
const TRIAL_TURNS: u32 = 4_000;
/// Starts of that run.
const TRIAL_STARTS: u32 = 3;

pub(crate) fn run(args: &args::Calibrate, colour: bool, quiet: bool) -> Result<(), Failure> {
    let (flags, share) = match &args.known {
        args::KnownAnswer::Aa(flags) => (flags, None),
        args::KnownAnswer::Power { inject, flags } => (flags, Some(*inject)),
    };
    let arm = arm(flags, &experiment::known(), share, colour)?;
    let class = model::machine::class(&probe::host::fingerprint());
    let mut runs = earlier(flags)?;
    runs.retain(|run| {
        let same_share = run.injected.as_ref().map(|injected| injected.share) == share;
        same_share && run.class == class && run.server == server(&arm) && run.alpha == flags.alpha
    });
    let calibrator = Calibrator {
        flags,
        arm,
        place: Place::open(quiet)?,
    };
    let dose = runs.iter().rev().find_map(|run| run.injected.as_ref()?.dose());
    runs.extend(calibrator.runs(share, dose)?);
    let tally = calibration::tally(&runs, share, flags.alpha);
    let stored = calibrator.place.store.calibrations(&class)?;
    let standing = calibration::for_reports(&stored, flags.alpha);
    let lang = calibrator.place.lang();
    print(&report::calibration::tally(
        &tally,
        &class,
        standing.as_ref(),
        lang,
    ))
}

/// The server under calibration: one arm, as often as it takes.
fn arm(
    flags: &args::Calibration,
    known: &Available,
    share: Option<f64>,
    colour: bool,
) -> Result<Arm, Failure> {
    let spec = flags.server.clone().unwrap_or_else(|| newest(known));
    let arm = super::compare::arm(&spec, known, colour)?;
    if share.is_some() && arm.settings.threads == Some(Threads::Virtual) {
        return Err(Failure::usage(CalibrationComplaint::VirtualThreads));
    }
    Ok(arm)
}

/// The newest Tomcat of the series that most people run.
fn newest(known: &Available) -> String {
    let versions = known.servers.iter().filter(|(server, _)| server == "tomcat");
    let newest = versions
        .flat_map(|(_, versions)| versions)
        .rfind(|version| version.starts_with("10.1."));
    format!("tomcat:{}", newest.map_or("", String::as_str))
}

fn server(arm: &Arm) -> String {
    format!("{}:{}", arm.server, arm.version)
}

/// The runs that `--out` holds already.
fn earlier(flags: &args::Calibration) -> Result<Vec<CalibrationRun>, Failure> {
    let Some(path) = flags.out.as_deref().filter(|path| path.exists()) else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(path).map_err(refused(OutAct::Read, path))?;
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

/// What every run of one calibration shares.
struct Calibrator<'a> {
    flags: &'a args::Calibration,
    arm: Arm,
    place: Place,
}

impl Calibrator<'_> {
    /// All runs of this call, each told and kept as it ends. `dose` is what turns do, where earlier runs know it.
    fn runs(&self, share: Option<f64>, dose: Option<Dose>) -> Result<Vec<CalibrationRun>, Failure> {
        let mut runs = Vec::new();
        let base = self.flags.seed.map_or_else(run_id::seed, Ok)?;
        let dose = match (share, dose) {
            (Some(share), None) if self.flags.runs > 0 => Some(self.trial(share, base)?),
            _ => dose,
        };
        for number in 1..=self.flags.runs {
            if !self.place.quiet {
                let runs = self.flags.runs;
                Line::CalibrationRun { number, runs }.tell(self.place.lang());
            }
            let seed = base.wrapping_add(u64::from(number));
            let run = match share.zip(dose) {
                None => self.identical(seed)?,
                Some((share, dose)) => self.slowed(share, dose, seed)?,
            };
            self.place.store.store_calibration(&run)?;
            if let Some(path) = &self.flags.out {
                append(path, &run).map_err(refused(OutAct::Write, path))?;
            }
            print(&report::calibration::line(&run, self.place.lang()))?;
            runs.push(run);
        }
        Ok(runs)
    }

    /// One run of the server against itself.
    fn identical(&self, seed: u64) -> Result<CalibrationRun, Failure> {
        let arms = ["one", "two"].map(|name| self.named(name));
        let report = self.execute(IDENTICAL, arms, self.flags.starts, seed)?;
        self.judged(&report, None)
    }

    /// One run of the server against itself doing `share` more in every request.
    fn slowed(&self, share: f64, dose: Dose, seed: u64) -> Result<CalibrationRun, Failure> {
        let turns = dose.turns(share);
        let (report, burnt) = self.burning("calibrate-power", turns, self.flags.starts, seed)?;
        let injected = Injected {
            share,
            turns,
            burnt,
            truth: Some(dose.truth(turns)),
        };
        self.judged(&report, Some(injected))
    }

    /// What turns do to the measure that is compared, under the load of the runs.
    fn trial(&self, share: f64, seed: u64) -> Result<Dose, Failure> {
        if !self.place.quiet {
            Line::CalibrationTrial { share }.tell(self.place.lang());
        }
        let (report, _) = self.burning("calibrate-trial", TRIAL_TURNS, TRIAL_STARTS, seed)?;
        let ratio = calibration::headline_ratio(&report);
        let ratio = ratio.ok_or_else(|| Failure::invalid(CalibrationComplaint::ShortTrial))?;
        Dose::of(TRIAL_TURNS, ratio).ok_or_else(|| Failure::invalid(CalibrationComplaint::NoEffect))
    }

    /// A run of the server against itself burning `turns` of a loop in every request, and the CPU that this took by its own
    /// count, seconds per request.
    fn burning(
        &self,
        name: &str,
        turns: u32,
        starts: u32,
        seed: u64,
    ) -> Result<(Report, Option<f64>), Failure> {
        let folder = WorkFolder::create(&self.place.home.cache, seed)?;
        let burn = |arm: &str, turns| Burn {
            turns,
            count: folder.path().join(arm),
        };
        // File names of one length, as everything else that both arms are given.
        let burns = [burn("count-a", 0), burn("count-b", turns)];
        let arms = [("plain", &burns[0]), ("burning", &burns[1])].map(|(name, burn)| {
            let mut arm = self.named(name);
            arm.jvm_options.extend(burn.options());
            arm
        });
        let report = self.execute(name, arms, starts, seed)?;
        let [idle, burnt] = &burns;
        // What the same count says of an arm that burns nothing is its own error.
        let counted = burnt.counted()?.zip(idle.counted()?);
        Ok((report, counted.map(|(burnt, none)| burnt - none)))
    }

    fn named(&self, name: &str) -> Arm {
        Arm {
            name: name.to_owned(),
            ..self.arm.clone()
        }
    }

    /// Runs an experiment by the code that runs every experiment.
    fn execute(&self, name: &str, arms: [Arm; 2], starts: u32, seed: u64) -> Result<Report, Failure> {
        let known = experiment::known();
        let (app, paths) = known.apps[0].clone();
        let experiment = Experiment {
            name: name.to_owned(),
            question: Question::both(
                format!("Is {} told from {}?", arms[1].name, arms[0].name),
                format!("能区分 {} 与 {} 吗？", arms[1].name, arms[0].name),
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
                // The headline alone decides a calibration: the closed loop only tells the rate.
                pairs: 2,
                tune: false,
                aa: name == IDENTICAL,
                seed: Some(seed),
                ..Design::default()
            },
            profile: Profile::Full,
            reference: None,
            explain: Explain::Name,
            require: Vec::new(),
        };
        let executed = experiment::execute(&experiment, &repeat::command_line(), seed, None, &self.place)?;
        executed.stored?;
        let report = executed.report;
        if report.design.interrupted {
            return Err(Failure::said(Code::Interrupted));
        }
        Ok(report)
    }

    fn judged(&self, report: &Report, injected: Option<Injected>) -> Result<CalibrationRun, Failure> {
        let (rounds, _) = self.place.store.rounds(&report.run)?;
        Ok(calibration::judge_run(
            report,
            &rounds,
            &server(&self.arm),
            injected,
        ))
    }
}

fn append(path: &Path, run: &CalibrationRun) -> std::io::Result<()> {
    let mut line = serde_json::to_string(run)?;
    line.push('\n');
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(line.as_bytes())
}
