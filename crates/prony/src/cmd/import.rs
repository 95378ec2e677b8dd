//! `prony import`: turns traffic that others have written down into a scenario.

mod jmx;

use super::SubCommand;
use crate::args::ScenarioArgs;
use crate::call::Call;
use crate::cmd::init::write_new;
use crate::failure::{Code, Failure};
use crate::language;
use crate::output::print;
use crate::say::complaint::{FileComplaint, Given, WrittenComplaint};
use crate::say::import::{self as words, Head};
use clap::{Args, ValueEnum};
use import::{Draft, Format, Imported, Options, Remark};
use std::io::Read;
use std::path::Path;

/// Turn traffic that you have into a scenario: command lines of curl, a browser's HAR, an OpenAPI document, targets of vegeta.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The format, if it is not to be found out, and the file; `-` reads it from stdin.
    #[arg(value_names = ["FORMAT", "FILE"], num_args = 1..=2, required = true)]
    source: Vec<String>,
    /// Give a property of a JMeter plan a value, as in JMeter: -Jhost=staging; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE")]
    properties: Vec<String>,
    /// How the scenario is written.
    #[command(flatten)]
    to: ScenarioArgs,
}

/// A format of `prony import`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Command lines of curl.
    Curl,
    /// An HTTP Archive of a browser.
    Har,
    /// A JMeter plan.
    Jmx,
    /// An OpenAPI document.
    Openapi,
    /// Targets of vegeta.
    Vegeta,
}

impl SubCommand for ImportArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let (format, file) = match self.source.as_slice() {
            [format, file] => {
                let named = ImportFormat::from_str(format, true);
                let unknown =
                    || Failure::usage(WrittenComplaint::UnknownFormat { text: Some(format.clone()) });
                (Some(named.map_err(|_| unknown())?.into()), file)
            }
            sources => (None, &sources[0]),
        };
        if ImportFormat::from_str(file, true).is_ok() && format.is_none() && !Path::new(file).exists() {
            return Err(Failure::usage(WrittenComplaint::NoSource { format: file.clone() }));
        }
        let text = read(file)?;
        let found = format.or_else(|| import::format_of(&text));
        let format = found.ok_or_else(|| Failure::usage(WrittenComplaint::UnknownFormat { text: None }))?;
        let stem = match file.as_str() {
            "-" => format.id().into(),
            file => Path::new(file).file_stem().unwrap_or_default().to_string_lossy(),
        };
        let options = options(&self.to, &stem);
        let imported = match format {
            Format::Jmx => return jmx::run(self, file, &text),
            Format::Curl => import::curl(&text, &options),
            Format::Vegeta => import::vegeta(&text, &options),
            Format::OpenApi => import::openapi(&text, &options),
            Format::Har | Format::Record => import::har(&text, &options),
        };
        deliver(imported, format, file, &self.to)
    }
}

/// Returns how a source of this name is imported.
pub(super) fn options(args: &ScenarioArgs, name: &str) -> Options {
    Options {
        name: args.name.clone().unwrap_or_else(|| name.to_owned()),
        keeps_secrets: args.keep_secrets,
        leaves_static_out: args.no_static,
    }
}

/// Writes a scenario, or tells everything that keeps it from being written. `source` is what it was made of.
pub(super) fn deliver(
    imported: Imported,
    format: Format,
    source: &str,
    args: &ScenarioArgs,
) -> Result<(), Failure> {
    let lang = language::chosen(&args.language);
    let Imported { mut draft, obstacles } = imported;
    if draft.steps.is_empty() || !obstacles.is_empty() && !args.skip_unsupported {
        let count = obstacles.len();
        eprint!("{}", words::obstacles(&obstacles, source, lang));
        if count > 0 && !draft.steps.is_empty() {
            eprint!("{}", words::skip_hint(lang));
        }
        return Err(Failure::reported(Code::Usage));
    }
    draft.remarks.extend(obstacles.into_iter().map(Remark::Skipped));
    write(&draft, format, source, args)
}

/// Writes a scenario that was recorded. Nobody wants to record it again, so what is not supported is only told.
pub(super) fn deliver_recorded(imported: Imported, proxy: &str, args: &ScenarioArgs) -> Result<(), Failure> {
    let lang = language::chosen(&args.language);
    let Imported { mut draft, obstacles } = imported;
    eprint!("{}", words::obstacles(&obstacles, "record", lang));
    if draft.steps.is_empty() {
        return Err(Failure::reported(Code::Usage));
    }
    draft.remarks.extend(obstacles.into_iter().map(Remark::Skipped));
    write(&draft, Format::Record, proxy, args)
}

fn write(draft: &Draft, format: Format, source: &str, args: &ScenarioArgs) -> Result<(), Failure> {
    let lang = language::chosen(&args.language);
    let head =
        Head { format, source, output: args.output.as_deref(), origin: draft.origin.as_deref(), users: 0 };
    let text = import::write(draft, &words::head(&head, lang), &|remark| ::say::text(remark, lang));
    match &args.output {
        None => print(&text),
        Some(path) => {
            write_new(path, &text)?;
            eprint!("{}", words::written(&head, draft, lang));
            Ok(())
        }
    }
}

/// Reads a file, or stdin for `-`.
fn read(file: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().read_to_end(&mut bytes),
        file => std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    let text = read.and_then(|_| String::from_utf8(bytes).map_err(std::io::Error::other));
    text.map_err(|source| {
        Failure::usage(FileComplaint::Unreadable { given: Given::Other, path: file.into(), source })
    })
}

impl From<ImportFormat> for Format {
    fn from(format: ImportFormat) -> Self {
        match format {
            ImportFormat::Curl => Self::Curl,
            ImportFormat::Har => Self::Har,
            ImportFormat::Jmx => Self::Jmx,
            ImportFormat::Openapi => Self::OpenApi,
            ImportFormat::Vegeta => Self::Vegeta,
        }
    }
}
