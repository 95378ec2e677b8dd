//! `prony import`: turns traffic that others have written down into a scenario.

pub(crate) mod jmx;

use super::SubCommand;
use crate::args::ScenarioArgs;
use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::files::{Given, unreadable, write_new};
use crate::language;
use crate::message::{self, Message};
use crate::output::print;
use clap::{Args, ValueEnum};
use import::{Draft, Format, Imported, Obstacle, Options, OtherFormat, Recognized, Remark};
use say::{Language, Say};
use std::io::Read;
use std::path::Path;

/// Turn traffic that you have into a scenario: command lines of curl, a browser's HAR, a collection of Postman, a .http file, an OpenAPI
/// document, targets of vegeta, an access log.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The format, if it is not to be found out, and the file; `-` reads it from stdin.
    #[arg(value_names = ["FORMAT", "FILE"], num_args = 1..=2, required = true)]
    source: Vec<String>,
    /// Give a property of a JMeter plan a value, as in JMeter: -Jhost=staging; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE")]
    properties: Vec<String>,
    /// Give a variable of the source a value: of a script, of Postman, of a .http file; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// The environment whose values variables have: its name in http-client.env.json beside a .http file, or the file that Postman exports.
    #[arg(long, value_name = "NAME")]
    env: Option<String>,
    /// How a line of an access log is made, as AccessLogValve has it: '%h %l %u %t "%r" %s %b' [default: common or combined]
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<String>,
    /// Write what each client of an access log did at its times, instead of a mix with weights.
    #[arg(long)]
    replay: bool,
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
    /// Requests of the HTTP clients of editors.
    Http,
    /// A JMeter plan.
    Jmx,
    /// An access log.
    Log,
    /// An OpenAPI document.
    Openapi,
    /// A collection of Postman.
    Postman,
    /// Targets of vegeta.
    Vegeta,
}

/// Why nothing is imported.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ImportComplaint {
    /// The format of what is to be imported is not known.
    #[say(
        en = "{text?`{}` is no format that prony imports|the file is of no format that prony knows by itself}",
        zh = "{text?prony 不导入 `{}` 这种格式|无法从文件看出格式}",
        hint(
            en = "{text?formats: curl, har, http, jmx, log, openapi, postman, vegeta; prony load --jmx FILE runs a plan of JMeter as it is|name the format first: prony import curl FILE, or har, http, log, openapi, postman, vegeta}",
            zh = "{text?格式：curl、har、http、jmx、log、openapi、postman、vegeta；\
                  prony load --jmx FILE 直接运行 JMeter 计划|请先写格式：prony import curl FILE，或 har、http、log、\
                  openapi、postman、vegeta}"
        )
    )]
    UnknownFormat {
        /// What was given as the format; `None` if a file shows none.
        text: Option<String>,
    },
    /// The file is of another tool, and of no format that is imported.
    #[say(en = "{file}: {what}", zh = "{file}：{what}", hint(from = what))]
    OtherFormat { file: String, what: OtherFormat },
    /// A value of a variable without a name.
    #[say(
        en = "`{0}` gives no variable a value",
        zh = "`{0}` 没有给变量赋值",
        hint(en = "--set NAME=VALUE", zh = "--set NAME=VALUE")
    )]
    NoValue(String),
    /// A format was named, but no file.
    #[say(
        en = "no file is named",
        zh = "没有给出文件",
        hint(
            en = "prony import {format} FILE, or - for stdin",
            zh = "prony import {format} FILE，- 为标准输入"
        )
    )]
    NoSource { format: String },
}

/// What the first lines of a scenario tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    /// What was read.
    pub(crate) format: Format,
    /// The name of the source.
    pub(crate) source: &'a str,
    /// The file that is written; `None` for stdout.
    pub(crate) output: Option<&'a Path>,
    /// The server, where the source names it.
    pub(crate) origin: Option<&'a str>,
    /// The number of users of the source; 0 where it has none.
    pub(crate) users: u64,
    /// Whether it is a mix of single requests.
    pub(crate) is_mix: bool,
}

/// Where a scenario comes from, as its first line tells.
#[derive(Say)]
#[say(
    en = "{recorded?Recorded by `prony record` from {source}.|Made by `prony import {format}` from {source}.}",
    zh = "{recorded?由 `prony record` 从 {source} 录制。|由 `prony import {format}` 从 {source} 生成。}"
)]
struct MadeFrom<'a> {
    recorded: bool,
    format: &'static str,
    source: &'a str,
}

/// A scenario that was written into a file.
#[derive(Say)]
#[say(
    en = "wrote {file}: {steps} steps\n\
          {secrets?it takes secrets from these variables of the environment: {}\n}  {command}\n",
    zh = "已写入 {file}：{steps} 个步骤\n{secrets?其中的机密取自这些环境变量：{}\n}  {command}\n"
)]
struct WrittenScenario {
    file: String,
    steps: usize,
    /// The variables of the environment that it needs.
    secrets: Option<String>,
    /// The command that plays it.
    command: String,
}

/// How to import the rest of a source.
#[derive(Say)]
#[say(
    en = "--skip-unsupported imports the rest, and names in the file what it lacks",
    zh = "--skip-unsupported 导入其余部分，并在文件中写明缺少什么"
)]
struct SkipUnsupported;

impl Head<'_> {
    /// Returns the command that plays the scenario.
    fn command(&self) -> String {
        let file = self.output.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
        let origin = self.origin.unwrap_or("http://localhost:8080");
        let users = if self.users == 0 { 10 } else { self.users };
        let what = if self.is_mix { "mix" } else { "scenario" };
        format!("prony load --{what} {file} -c {users} -d 30s {origin}")
    }

    /// Returns the first lines of a scenario.
    pub(crate) fn lines(&self, lang: Language) -> Vec<String> {
        let (recorded, format) = (self.format == Format::Record, self.format.id());
        vec![say::text(&MadeFrom { recorded, format, source: self.source }, lang), self.command()]
    }

    /// Returns what is told when the scenario is written.
    pub(crate) fn written(&self, steps: usize, secrets: Option<String>, lang: Language) -> String {
        let file = self.output.map_or_else(String::new, |path| path.display().to_string());
        say::text(&WrittenScenario { file, steps, secrets, command: self.command() }, lang)
    }
}

/// The variables of the environment that a scenario takes secrets from, if there are any.
fn secrets(draft: &Draft) -> Option<String> {
    let secrets = draft.variables.iter().filter_map(|variable| match &variable.remark {
        Remark::Secret { environment } => Some(environment.as_str()),
        _ => None,
    });
    let secrets: Vec<&str> = secrets.collect();
    (!secrets.is_empty()).then(|| secrets.join(", "))
}

/// The most errors that one source gives.
const MOST_ERRORS: usize = 10;

/// Obstacles that are not told one by one.
#[derive(Say)]
#[say(en = "{source}: {count} more like this: {what}", zh = "{source}：另有 {count} 处同类问题：{what}")]
struct MoreLikeThis<'a> {
    source: &'a str,
    count: usize,
    what: &'a import::Unsupported,
}

/// Returns the obstacles in a source, each with its place, and what to do about it where that was not said before. Of many, each kind is told
/// once and those behind it are counted, so that no source gives more than ten errors.
pub(crate) fn obstacle_lines(all: &[Obstacle], source: &str, lang: Language) -> String {
    let kind = |obstacle: &Obstacle| obstacle.what.kind();
    let mut kinds: Vec<(&Obstacle, usize)> = Vec::new();
    for obstacle in all {
        match kinds.iter_mut().find(|(first, _)| kind(first) == kind(obstacle)) {
            Some((_, count)) => *count += 1,
            None => kinds.push((obstacle, 1)),
        }
    }
    let each_is_told = all.len() <= MOST_ERRORS;
    let told: Vec<&Obstacle> = match each_is_told {
        true => all.iter().collect(),
        false => kinds.iter().map(|(first, _)| *first).take(MOST_ERRORS).collect(),
    };
    let mut hints: Vec<String> = Vec::new();
    let mut out = String::new();
    for obstacle in told {
        let said = Message::of(obstacle, lang);
        let hint = said.hint.filter(|hint| !hints.contains(hint));
        hints.extend(hint.clone());
        out.push_str(&Message { message: format!("{source}: {}", said.message), hint }.as_error(&[], lang));
    }
    for (index, (first, count)) in kinds.iter().enumerate().filter(|_| !each_is_told) {
        let count = count - usize::from(index < MOST_ERRORS);
        if count > 0 {
            let more = MoreLikeThis { source, count, what: &first.what };
            out.push_str(&format!("{}\n", say::text(&more, lang)));
        }
    }
    out
}

/// Returns the line that tells how to import the rest.
fn skip_hint(lang: Language) -> String {
    format!("{}\n", message::hint(&say::text(&SkipUnsupported, lang), lang))
}

impl SubCommand for ImportArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let (format, file) = match self.source.as_slice() {
            [format, file] => {
                let named = ImportFormat::from_str(format, true);
                let unknown =
                    || Failure::usage(ImportComplaint::UnknownFormat { text: Some(format.clone()) });
                (Some(named.map_err(|_| unknown())?.into()), file)
            }
            sources => (None, &sources[0]),
        };
        if ImportFormat::from_str(file, true).is_ok() && format.is_none() && !Path::new(file).exists() {
            return Err(Failure::usage(ImportComplaint::NoSource { format: file.clone() }));
        }
        let text = read(file)?;
        let format = match format {
            Some(format) => format,
            None => recognized(&text, file)?,
        };
        if format == Format::Jmx {
            return jmx::run(self, file, &text);
        }
        let stem = match file.as_str() {
            "-" => format.id().into(),
            file => Path::new(file).file_stem().unwrap_or_default().to_string_lossy(),
        };
        let options = Options {
            environment: self.env.clone(),
            pattern: self.pattern.clone(),
            replays: self.replay,
            variables: variables(&self.set)?,
            ..options(&self.to, &stem)
        };
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        // What is named on the command line is looked for here, and what the source names, beside it.
        let read = |name: &str| {
            let beside = folder.join(name);
            let is_given = self.env.as_deref() == Some(name);
            std::fs::read_to_string(if is_given { Path::new(name) } else { &beside })
                .map_err(|error| error.to_string())
        };
        let imported = import::import(format, &text, &options, &read);
        deliver(imported, format, file, &self.to)
    }
}

/// Returns the format that a text has.
fn recognized(text: &str, file: &str) -> Result<Format, Failure> {
    match import::recognize(text, file) {
        Recognized::Readable(format) => Ok(format),
        Recognized::Other(what) => {
            Err(Failure::usage(ImportComplaint::OtherFormat { file: file.to_owned(), what }))
        }
        Recognized::Unknown => Err(Failure::usage(ImportComplaint::UnknownFormat { text: None })),
    }
}

/// Reads `NAME=VALUE`.
fn variables(written: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| {
        let (name, value) =
            text.split_once('=').ok_or_else(|| Failure::usage(ImportComplaint::NoValue(text.clone())))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    written.iter().map(pair).collect()
}

/// Returns how a source of this name is imported.
pub(super) fn options(args: &ScenarioArgs, name: &str) -> Options {
    Options {
        name: args.name.clone().unwrap_or_else(|| name.to_owned()),
        keeps_secrets: args.keep_secrets,
        leaves_static_out: args.no_static,
        ..Options::default()
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
    if draft.count() == 0 || !obstacles.is_empty() && !args.skip_unsupported {
        let count = obstacles.len();
        eprint!("{}", obstacle_lines(&obstacles, source, lang));
        if count > 0 && draft.count() > 0 {
            eprint!("{}", skip_hint(lang));
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
    eprint!("{}", obstacle_lines(&obstacles, "record", lang));
    if draft.count() == 0 {
        return Err(Failure::reported(Code::Usage));
    }
    draft.remarks.extend(obstacles.into_iter().map(Remark::Skipped));
    write(&draft, Format::Record, proxy, args)
}

fn write(draft: &Draft, format: Format, source: &str, args: &ScenarioArgs) -> Result<(), Failure> {
    let lang = language::chosen(&args.language);
    let head = Head {
        format,
        source,
        output: args.output.as_deref(),
        origin: draft.origin.as_deref(),
        users: draft.users.len() as u64,
        is_mix: !draft.mix.is_empty(),
    };
    let text = import::write(draft, &head.lines(lang), &|remark| say::text(remark, lang));
    match &args.output {
        None => print(&text),
        Some(path) => {
            write_new(path, &text)?;
            eprint!("{}", head.written(draft.count(), secrets(draft), lang));
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
    text.map_err(unreadable(Given::Other, Path::new(file)))
}

impl From<ImportFormat> for Format {
    fn from(format: ImportFormat) -> Self {
        match format {
            ImportFormat::Curl => Self::Curl,
            ImportFormat::Har => Self::Har,
            ImportFormat::Http => Self::Http,
            ImportFormat::Jmx => Self::Jmx,
            ImportFormat::Log => Self::AccessLog,
            ImportFormat::Postman => Self::Postman,
            ImportFormat::Openapi => Self::OpenApi,
            ImportFormat::Vegeta => Self::Vegeta,
        }
    }
}
