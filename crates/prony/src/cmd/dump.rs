//! `prony dump`: prints everything that is stored of all runs but secrets, as JSON Lines.

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::print;
use crate::team;
use ask::hidden::hidden_in_file;
use clap::Args;
use model::foreign::ForeignRun;
use record::calibration::CalibrationRun;
use record::decision::Decision;
use record::outcome::Report;
use record::rounds::{RoundRecord, RunRecord, SliceRecord};
use serde::Serialize;
use store::{Store, StoredRun, TeamAccess};

/// The version of a line: it changes when the meaning of a field does.
const VERSION: u32 = 1;

/// A line of the dump.
#[derive(Serialize)]
struct DumpedRun {
    dump_version: u32,
    run: String,
    experiment: String,
    /// The text of the experiment file, or the command line.
    source: String,
    /// `None` for a run without an end.
    report: Option<Report>,
    /// `None` for a load.
    record: Option<RunRecord>,
    /// With their telemetry, without their slices.
    rounds: Vec<RoundRecord>,
    /// All slices, also the slices of a round that was cut short.
    slices: Vec<SliceRecord>,
    /// What was decided about a change that begins with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    /// What the run adds to the calibration of machines of its class.
    calibration: Option<CalibrationRun>,
}

/// A line of figures of another tool.
#[derive(Serialize)]
struct DumpedForeign {
    dump_version: u32,
    experiment: String,
    foreign: ForeignRun,
}

/// Print everything that is stored of all runs, as JSON Lines.
#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// Dump the runs of the team's store instead: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The language of errors.
    #[command(flatten)]
    language: LanguageArgs,
}

impl SubCommand for DumpArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let Some(url) = &self.store else {
            let store = Store::open(&Home::find()?.data)?;
            every_run(&store, |run| dump(&store, run))?;
            return dump_foreign(&store);
        };
        let mut team = team::open(url, TeamAccess::Read)?;
        let listing = team.listing(None, u32::MAX)?;
        // One at a time, because all of them may not fit into memory.
        every_run(&listing, |run| dump(&team.copy(&[&run.run])?, run))?;
        dump_foreign(&listing)
    }
}

/// Prints what other tools have measured, a line for each of their files.
fn dump_foreign(store: &Store) -> Result<(), Failure> {
    for (experiment, foreign) in store.foreign(None)? {
        let dumped = DumpedForeign { dump_version: VERSION, experiment, foreign };
        print(&format!("{}\n", serde_json::to_string(&dumped).map_err(Failure::foreign)?))?;
    }
    Ok(())
}

/// Does something with every run, the oldest first.
fn every_run(store: &Store, mut act: impl FnMut(StoredRun) -> Result<(), Failure>) -> Result<(), Failure> {
    let runs = store.runs(None, u32::MAX)?;
    runs.into_iter().rev().try_for_each(&mut act)
}

fn dump(store: &Store, stored: StoredRun) -> Result<(), Failure> {
    let run = stored.run;
    let record = store.record(&run)?.map(RunRecord::without_secrets);
    let mut rounds = store.rounds(&run)?.0;
    rounds.iter_mut().for_each(|round| round.slices.clear());
    let class = record.as_ref().map(|record| model::machine::class(&record.fingerprint));
    let calibrations = class.map_or_else(|| Ok(Vec::new()), |class| store.calibrations(&class))?;
    let dumped = DumpedRun {
        dump_version: VERSION,
        decision: store.decision(&run)?,
        experiment: stored.experiment,
        source: hidden_in_file(&store.source(&run)?.unwrap_or_default()),
        report: stored.report?,
        record,
        rounds,
        slices: store.slices(&run)?,
        calibration: calibrations.into_iter().find(|calibration| calibration.run == run),
        run,
    };
    print(&format!("{}\n", serde_json::to_string(&dumped).map_err(Failure::foreign)?))
}
