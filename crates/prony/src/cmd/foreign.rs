//! What `prony wrk` and `prony ab` share: they parse the command line as the tool that they replace does.

use crate::failure::Failure;
use crate::language;
use crate::say::complaint::{ForeignComplaint, Instead};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches};
use load::{Fault, Faults, Histogram, Slice};
use model::note::LoadNote;
use report::Lang;
use std::ffi::OsString;
use std::process::ExitCode;

/// The faults that mean that no connection was made.
pub(super) const CONNECT: [Fault; 5] = [
    Fault::ConnectRefused,
    Fault::ConnectTimeout,
    Fault::ConnectFailed,
    Fault::PortsExhausted,
    Fault::DescriptorsExhausted,
];

/// A flag of the other tool that prony does not support. It is refused by its name and never silently ignored.
pub(super) struct UnsupportedFlag {
    /// The letter of the flag.
    pub(super) flag: &'static str,
    /// Whether the flag takes a value.
    pub(super) takes_value: bool,
    /// What to do instead.
    pub(super) instead: Instead,
}

/// Parses the arguments of `prony wrk` or `prony ab`. In the case of help, version or a mistake, it prints the text and returns the
/// exit code; that of a mistake is `usage`, which the other tool uses.
pub(super) fn parse<T: CommandFactory + FromArgMatches>(
    words: &[OsString],
    unsupported: &'static [UnsupportedFlag],
    usage: u8,
) -> Result<T, ExitCode> {
    let command = T::command().args(unsupported.iter().map(|flag| {
        Arg::new(flag.flag)
            .short(flag.flag.chars().next())
            .action(match flag.takes_value {
                true => ArgAction::Set,
                false => ArgAction::SetTrue,
            })
            .hide(true)
    }));
    let name = command.get_name().to_owned();
    let matches = command
        .try_get_matches_from(std::iter::once(OsString::from(name)).chain(words.iter().cloned()))
        .map_err(|error| print_error(&error, usage))?;
    let is_given = |unsupported: &&UnsupportedFlag| {
        matches.value_source(unsupported.flag) == Some(ValueSource::CommandLine)
    };
    if let Some(UnsupportedFlag { flag, instead, .. }) = unsupported.iter().find(is_given) {
        Failure::usage(ForeignComplaint::Flag { flag, instead: *instead }).report(language::from_locale());
        return Err(usage.into());
    }
    T::from_arg_matches(&matches).map_err(|error| print_error(&error, usage))
}

/// Prints what clap says and returns the exit code.
fn print_error(error: &clap::Error, usage: u8) -> ExitCode {
    // A reader that has closed the pipe needs no message.
    error.print().ok();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => usage.into(),
    }
}

/// Returns the number of faults of these kinds.
pub(super) fn count(faults: &Faults, kinds: &[Fault]) -> u64 {
    kinds.iter().map(|&kind| faults.count(kind)).sum()
}

/// Returns the standard deviation of the recorded times as a sample (divided by n - 1), in seconds.
pub(super) fn stdev(histogram: &Histogram) -> f64 {
    let count = histogram.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    histogram.stdev() / 1e9 * (count / (count - 1.0)).sqrt()
}

/// Returns warnings that the other tool does not have: the generator was the limit, or the figures are invalid.
pub(super) fn notes(slice: &Slice) -> Vec<String> {
    let overloaded = slice.overloaded.then(|| ::say::text(&LoadNote::FellBehind, Lang::En));
    let invalid = slice.why_invalid().map(|why| ::say::text(&why, Lang::En));
    let notes = overloaded.into_iter().chain(invalid);
    notes.map(|note| format!("prony: {note}")).collect()
}
