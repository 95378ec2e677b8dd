//! What `prony wrk` and `prony ab` share: the command line of another tool, taken as that tool takes it.

use crate::failure::Failure;
use crate::output;
use crate::say::complaint::{ForeignComplaint, Instead};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches};
use load::{Fault, Faults, Histogram, Slice};
use model::note::LoadNote;
use report::{Lang, say};
use std::ffi::OsString;
use std::process::ExitCode;

/// Faults without a connection.
pub(super) const CONNECT: [Fault; 5] = [
    Fault::ConnectRefused,
    Fault::ConnectTimeout,
    Fault::ConnectFailed,
    Fault::PortsExhausted,
    Fault::DescriptorsExhausted,
];

/// A flag of the other tool that is not supported: it is refused by name, never silently ignored.
pub(super) struct Refused {
    /// Its letter.
    pub(super) flag: &'static str,
    /// Whether a value follows.
    pub(super) value: bool,
    /// What to do instead.
    pub(super) instead: Instead,
}

/// The arguments behind `prony wrk` or `prony ab`. Help, version and mistakes have been printed when there are none; a
/// mistake ends with `usage`, the other tool's exit code.
pub(super) fn parse<T: CommandFactory + FromArgMatches>(
    words: &[OsString],
    refused: &'static [Refused],
    usage: u8,
) -> Result<T, ExitCode> {
    let command = T::command().args(refused.iter().map(|refused| {
        Arg::new(refused.flag)
            .short(refused.flag.chars().next())
            .action(match refused.value {
                true => ArgAction::Set,
                false => ArgAction::SetTrue,
            })
            .hide(true)
    }));
    let name = command.get_name().to_owned();
    let matches = command
        .try_get_matches_from(std::iter::once(OsString::from(name)).chain(words.iter().cloned()))
        .map_err(|error| tell(&error, usage))?;
    let given = |refused: &&Refused| matches.value_source(refused.flag) == Some(ValueSource::CommandLine);
    if let Some(Refused { flag, instead, .. }) = refused.iter().find(given) {
        Failure::usage(ForeignComplaint::Flag {
            flag,
            instead: *instead,
        })
        .report(output::of_locale());
        return Err(usage.into());
    }
    T::from_arg_matches(&matches).map_err(|error| tell(&error, usage))
}

fn tell(error: &clap::Error, usage: u8) -> ExitCode {
    // A reader that has gone away is no reason for another message.
    error.print().ok();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => usage.into(),
    }
}

/// How many of these kinds.
pub(super) fn count(faults: &Faults, kinds: &[Fault]) -> u64 {
    kinds.iter().map(|&kind| faults.count(kind)).sum()
}

/// The standard deviation of a sample, in seconds.
pub(super) fn stdev(histogram: &Histogram) -> f64 {
    let count = histogram.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    histogram.stdev() / 1e9 * (count / (count - 1.0)).sqrt()
}

/// What the other tool would not say of itself.
pub(super) fn notes(slice: &Slice) -> Vec<String> {
    let overloaded = slice
        .overloaded
        .then(|| say::note(&LoadNote::FellBehind.into(), Lang::En));
    let invalid = slice.why_invalid().map(|why| say::reason(&why, Lang::En));
    let notes = overloaded.into_iter().chain(invalid);
    notes.map(|note| format!("prony: {note}")).collect()
}
