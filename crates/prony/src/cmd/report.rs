//! `prony report RUN`: prints a stored run in any format.

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::files::{Given, unreadable};
use crate::home::Home;
use crate::language;
use crate::message;
use crate::output::{print, print_parts};
use crate::stored_run::{self, series};
use clap::{Args, ValueEnum};
use record::outcome::Report;
use report::post::{self, PostWords};
use report::slices::{StoredSlices, csv, hlog, jsonl, jtl};
use report::{comment, html, junit, markdown, plot, terminal};
use say::{Language, Say};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use store::Store;

/// The number of lines from which on a JTL is larger than a gigabyte.
const MANY_LINES: u64 = 10_000_000;

/// Show a stored run again.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run: its id, the beginning of its id, or `latest`.
    #[arg(default_value = "latest")]
    run: String,
    /// The format to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Compute the report again from the stored slices. This is always done for a run that was not finished.
    #[arg(long)]
    recompute: bool,
    /// jtl: print one request in N; without this, there is a line for each request.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// post, post-html: the file with the words of the page, which also names its other experiments (docs/posts/posts.toml).
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// The language of everything except report.json.
    #[command(flatten)]
    language: LanguageArgs,
}

/// A format of `prony report`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The text that a run prints on the terminal.
    Text,
    /// One self-contained page.
    Html,
    /// Markdown.
    Md,
    /// Short Markdown, for a comment on a pull request.
    Comment,
    /// Markdown: a page about a comparison that somebody else published, with the run's figures beside theirs.
    Post,
    /// The same as one self-contained page.
    PostHtml,
    /// report.json.
    Json,
    /// The plot of the verdict.
    Svg,
    /// The plot of throughput and times over users, with the figures of others beside them.
    SvgLevels,
    /// JUnit XML with a test case for every question of the run.
    Junit,
    /// One line per slice.
    Csv,
    /// One JSON object per slice, as it is stored, with its histograms.
    Jsonl,
    /// One line per request, rebuilt from the histograms, for JMeter's dashboard generator.
    Jtl,
    /// A histogram log with one line per slice, for the HdrHistogram tools.
    Hlog,
    /// The experiment file that the run came from.
    Toml,
}

/// Why a stored run has no such format.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ReportComplaint {
    /// It came from a command line.
    #[say(
        en = "run {run} came from no file",
        zh = "运行 {run} 并非来自文件",
        hint(en = "it came from: {origin}", zh = "其来源是：{origin}")
    )]
    FromNoFile {
        run: String,
        /// What it came from.
        origin: String,
    },
    /// A load of a URL has no slices.
    #[say(
        en = "run {run} is a single load and has no slices",
        zh = "运行 {run} 是单次压测，没有切片",
        hint(
            en = "`prony load URL --out DIR` writes its histograms into DIR/load.hlog",
            zh = "`prony load URL --out DIR` 会将直方图写入 DIR/load.hlog"
        )
    )]
    SingleLoad { run: String },
    /// The file with the words of pages is none.
    #[say(
        en = "{path} line {line}: {what}",
        zh = "{path} 第 {line} 行：{what}",
        hint(
            en = "docs/posts/posts.toml has a `[[post]]` for each page",
            zh = "docs/posts/posts.toml 中每个页面有一个 `[[post]]`"
        )
    )]
    Words {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        what: String,
    },
    /// No page is about the experiment of the run.
    #[say(
        en = "no page of {path} is about the experiment {experiment}",
        zh = "{path} 中没有关于实验 {experiment} 的页面",
        hint(
            en = "add {experiment} to `experiments` of a `[[post]]`",
            zh = "请将 {experiment} 加入某个 `[[post]]` 的 `experiments`"
        )
    )]
    NoPage { path: PathBuf, experiment: String },
    /// There is nothing to draw over.
    #[say(
        en = "run {run} has figures at fewer than two levels",
        zh = "运行 {run} 有数据的档位少于两个",
        hint(en = "`--format svg` draws its verdict", zh = "`--format svg` 绘制其判定")
    )]
    OneLevel { run: String },
}

/// A line about the report of a stored run.
#[derive(Debug, Say)]
pub(crate) enum ReportLine<'a> {
    /// The report belongs to a run without an end.
    #[say(
        en = "run {run} was killed or is still running: this is what there is of it, {starts} whole \
              {starts|start|starts}",
        zh = "运行 {run} 被终止或仍在进行：以下为已有的内容，共 {starts} 次完整的启动",
        hint(en = "`prony run --resume {run}` goes on with it", zh = "`prony run --resume {run}` 可继续")
    )]
    Unfinished {
        run: &'a str,
        /// Starts that are whole.
        starts: u32,
    },
    /// More lines than most programs can read.
    #[say(
        en = "{millions} million lines follow",
        zh = "接下来将输出 {millions} 百万行",
        hint(en = "--every 10 keeps one request in ten", zh = "--every 10 每十个请求保留一个"),
        millions = lines / 1_000_000
    )]
    ManyLines {
        /// How many.
        lines: u64,
    },
}

impl SubCommand for ReportArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let store = Store::open(&Home::find()?.data)?;
        let whole = |form: &dyn Fn(&Report) -> String| print(&form(&load_report(&store, self)?));
        let lang = language::chosen(&self.language);
        match self.format {
            Format::Text => whole(&|report| terminal::text(report, call.colour.stdout, lang)),
            Format::Html => {
                let report = load_report(&store, self)?;
                print(&html::text(&report, &series(&store, &report.run)?, lang))
            }
            Format::Md => whole(&|report| markdown::text(report, lang)),
            Format::Post => print_post(&store, self, |words, runs| post::markdown(words, runs, lang)),
            Format::PostHtml => print_post(&store, self, |words, runs| post::html(words, runs, lang)),
            Format::Comment => whole(&|report| comment::text(report, lang)),
            Format::Json => whole(&report::json),
            Format::Svg => whole(&|report| plot::verdict(report, lang).file()),
            Format::SvgLevels => {
                let report = load_report(&store, self)?;
                let plot = plot::over_users(&report, lang);
                let one_level = || Failure::usage(ReportComplaint::OneLevel { run: report.run.clone() });
                print(&plot.ok_or_else(one_level)?.file())
            }
            Format::Junit => {
                whole(&|report| junit::text(report, language::for_build_servers(&self.language)))
            }
            Format::Csv => by_slice(&store, &self.run, &|stored| print(&csv::text(stored))),
            Format::Jsonl => by_slice(&store, &self.run, &|stored| print(&jsonl::text(stored))),
            Format::Hlog => by_slice(&store, &self.run, &|stored| print(&hlog::text(stored))),
            Format::Jtl => by_slice(&store, &self.run, &|stored| print_requests(stored, self.every, lang)),
            Format::Toml => print(&experiment_file(&store, &self.run)?),
        }
    }
}

/// Returns the stored report. For a run that was not finished, or with `--recompute`, it is computed from the stored slices.
fn load_report(store: &Store, args: &ReportArgs) -> Result<Report, Failure> {
    let entry = stored_run::find(store, &args.run)?;
    match entry.report? {
        Some(report) if !args.recompute => Ok(report),
        finished => {
            let record = stored_run::find_record(store, &args.run)?;
            let report = judge::report(&record, &store.rounds(&record.run)?.0);
            if finished.is_none() {
                let unfinished = ReportLine::Unfinished { run: &record.run, starts: report.design.starts };
                message::tell(&unfinished, language::chosen(&args.language));
            }
            Ok(report)
        }
    }
}

/// The words of the pages about published comparisons.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostFile {
    post: Vec<PostWords>,
}

/// Prints the page about a published comparison: of the run alone, or with the newest runs of the other experiments of its page.
fn print_post(
    store: &Store,
    args: &ReportArgs,
    form: impl Fn(&PostWords, &[Report]) -> String,
) -> Result<(), Failure> {
    let report = load_report(store, args)?;
    let Some(path) = &args.words else {
        return print(&form(&PostWords::of(&report), &[report]));
    };
    let words = words_about(path, &report.experiment)?;
    let mut runs = Vec::new();
    for experiment in &words.experiments {
        match *experiment == report.experiment {
            true => runs.push(report.clone()),
            false => runs.extend(newest_report(store, experiment)?),
        }
    }
    print(&form(&words, &runs))
}

/// Returns the words of the page that is about an experiment.
fn words_about(path: &Path, experiment: &str) -> Result<PostWords, Failure> {
    let text = fs::read_to_string(path).map_err(unreadable(Given::Other, path))?;
    let file: PostFile = toml::from_str(&text).map_err(|mistake| {
        let begin = mistake.span().map_or(0, |span| span.start.min(text.len()));
        Failure::usage(ReportComplaint::Words {
            path: path.to_owned(),
            line: text.as_bytes()[..begin].iter().filter(|byte| **byte == b'\n').count() + 1,
            what: mistake.message().to_owned(),
        })
    })?;
    let is_about = |words: &PostWords| words.experiments.iter().any(|name| name == experiment);
    let no_page = || ReportComplaint::NoPage { path: path.to_owned(), experiment: experiment.to_owned() };
    file.post.into_iter().find(is_about).ok_or_else(|| Failure::usage(no_page()))
}

/// The most runs of an experiment among which one that has ended is looked for.
const LATEST: u32 = 20;

/// Returns the report of the newest run of an experiment that has ended; `None` where there is none.
fn newest_report(store: &Store, experiment: &str) -> Result<Option<Report>, Failure> {
    for entry in store.runs(Some(experiment), LATEST)? {
        if let Some(report) = entry.report? {
            return Ok(Some(report));
        }
    }
    Ok(None)
}

/// How the stored source of a run begins that came from no file: with the command line of `compare`, `load` or `calibrate`, or with
/// the diagnosis that a trial tested. No TOML file can begin like this.
const NO_FILE: [&str; 2] = ["prony ", "to prove "];

/// Returns the text of the experiment file as it was when the run began.
fn experiment_file(store: &Store, run: &str) -> Result<String, Failure> {
    let run = stored_run::find(store, run)?.run;
    let source = store.source(&run)?.unwrap_or_default();
    if !NO_FILE.iter().any(|begin| source.starts_with(begin)) {
        return Ok(source);
    }
    Err(Failure::usage(ReportComplaint::FromNoFile { run, origin: source }))
}

/// Prints a format that shows every slice of a run.
fn by_slice(
    store: &Store,
    run: &str,
    form: &dyn Fn(StoredSlices<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let entry = stored_run::find(store, run)?;
    // A load of a URL has no baseline and no stored slices.
    if entry.report?.is_some_and(|report| report.design.baseline.is_empty()) {
        return Err(Failure::usage(ReportComplaint::SingleLoad { run: entry.run }));
    }
    let record = stored_run::find_record(store, run)?;
    form(StoredSlices {
        run: &record,
        rounds: &store.rounds_without_slices(&record.run)?,
        slices: &store.slices(&record.run)?,
    })
}

/// Prints one line per request, and a warning first if there are very many.
fn print_requests(stored: StoredSlices<'_>, every: u64, lang: Language) -> Result<(), Failure> {
    let lines = jtl::count_lines(stored, every);
    if lines > MANY_LINES {
        message::tell(&ReportLine::ManyLines { lines }, lang);
    }
    print_parts(jtl::parts(stored, every))
}
