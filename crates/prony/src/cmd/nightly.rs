//! `prony nightly`: runs experiment files within the time of a night, spends it where the last nights were least certain, and tells of changes
//! for the worse. It is what a timer or a build server calls.

mod past;

use super::{Cli, SubCommand, history, run};
use crate::args::{LanguageArgs, SinkArgs};
use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::language;
use crate::message;
use crate::notifier::{News, Notifier};
use crate::output::print;
use ask::experiment::{Experiment, GATE_ALPHA};
use ask::values;
use clap::{Args, ValueEnum};
use judge::night::{Turn, Waiting, turn};
use model::units::{Nanos, Seconds};
use past::{Past, PastNights};
use report::progress::span;
use say::{Language, Say};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The environment variable with the webhook when the command line names none.
const WEBHOOK_VARIABLE: &str = "PRONY_WEBHOOK";
/// The exit codes in the order in which they are used when several apply.
const WORST_FIRST: [Code; 6] =
    [Code::Usage, Code::Internal, Code::Start, Code::Interrupted, Code::Invalid, Code::Regression];
/// The exit codes of a run that tell its verdict.
const VERDICTS: [Code; 4] = [Code::Threshold, Code::Regression, Code::Inconclusive, Code::Invalid];

/// An experiment file that has not run tonight.
struct WaitingFile<'a> {
    path: &'a Path,
    experiment: Experiment,
    /// What its history says of it.
    waiting: Waiting,
}

/// What a file gets of the night.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{file}: {starts?{} starts, at most {most}|the starts of its file, at most {most}, because no earlier night tells how many it needs}",
    zh = "{file}：{starts?{} 次启动，最多 {most}|按文件中的启动次数，最多 {most}，因为没有以前的夜间运行可说明需要多少次}",
    most = span(*most)
)]
struct Course<'a> {
    file: &'a Path,
    /// `None` leaves the starts to the file.
    starts: Option<u32>,
    /// The time after which no start begins.
    most: Nanos,
}

/// A file that does not run tonight.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{file}: not tonight, because {needs?it needs {} at least, and less time is left for it|no time is left}",
    zh = "{file}：今夜不运行，因为{needs?它至少需要 {}，而留给它的时间不够|没有剩余时间}",
    needs = needs.map(span)
)]
struct Skipped<'a> {
    file: &'a Path,
    /// How long the fewest starts of it would take, if that is known.
    needs: Option<Nanos>,
}

/// What all runs of a night share.
struct Night<'a> {
    args: &'a NightlyArgs,
    call: &'a Call,
    lang: Language,
    past: Past,
    notifier: Notifier,
}

/// Run experiment files within the time of a night, and tell of changes for the worse.
#[derive(Debug, Args)]
pub(crate) struct NightlyArgs {
    /// The experiment files.
    #[arg(value_name = "FILE", required = true, value_parser = parse_file)]
    files: Vec<PathBuf>,
    /// The time of the night, such as 2h or 45m. The files whose last nights were least certain get the most starts in it.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    budget: Nanos,
    /// Post a JSON message with a `text` there on the first night that shows a change for the worse [default: the value of PRONY_WEBHOOK]
    #[arg(long, value_name = "URL")]
    // It is parsed later, because clap would quote what it refuses.
    webhook: Option<String>,
    /// Mail it to this address, by the sendmail of this system.
    #[arg(long, value_name = "ADDRESS")]
    mail: Option<String>,
    /// Others that follow the runs.
    #[command(flatten)]
    sinks: SinkArgs,
    /// The language of progress, reports and messages.
    #[command(flatten)]
    language: LanguageArgs,
}

/// Takes every path except `-`, which stands for stdin.
fn parse_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("a night reads its files twice, so that stdin is none of them".to_owned()),
        path => Ok(path.into()),
    }
}

impl SubCommand for NightlyArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let end = Instant::now() + Duration::from(self.budget);
        let lang = language::chosen(&self.language);
        let hidden = std::env::var(WEBHOOK_VARIABLE).ok().filter(|url| !url.is_empty());
        let webhook = self.webhook.as_deref().or(hidden.as_deref());
        let night = Night {
            args: self,
            call,
            lang,
            past: Past::open()?,
            notifier: Notifier::new(webhook, self.mail.as_deref()).map_err(Failure::usage)?,
        };
        let files = self.files.iter().map(|file| night.waiting_file(file));
        // A mistake in the last file is told before the first one runs.
        let files = files.collect::<Result<Vec<_>, Failure>>()?;
        let worst = night.run_all(files, end);
        night.past.push_what_is_missing(lang);
        worst.map_or(Ok(()), |code| Err(Failure::reported(code)))
    }
}

impl Night<'_> {
    fn waiting_file<'a>(&self, path: &'a Path) -> Result<WaitingFile<'a>, Failure> {
        let experiment = run::parse_as_it_is(path, self.call.colour)?;
        let reports = self.past.of(&experiment.name)?.reports;
        Ok(WaitingFile {
            path,
            waiting: Waiting {
                outlook: judge::night::outlook(&reports),
                own_time: experiment.design.budget.map(Seconds::from),
            },
            experiment,
        })
    }

    /// Runs the files until all have run or no time is left for them; returns the exit code of the night.
    fn run_all(&self, mut files: Vec<WaitingFile<'_>>, end: Instant) -> Option<Code> {
        let mut ended: Vec<Option<Code>> = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let waiting: Vec<Waiting> = files.iter().map(|file| file.waiting.clone()).collect();
            let (place, starts, time) = match turn(&waiting, left.into()) {
                None => break,
                Some(Turn::Skip { place }) => {
                    let file = files.remove(place);
                    let outlook = file.waiting.outlook.as_ref();
                    let needs = outlook.map(|seen| Nanos::from(seen.shortest_time()));
                    message::tell(&Skipped { file: file.path, needs }, self.lang);
                    continue;
                }
                Some(Turn::Run { place, starts, time }) => (place, starts, time),
            };
            let file = files.remove(place);
            let course = Course { file: file.path, starts, most: time.into() };
            message::tell(&course, self.lang);
            let failure = self.run_file(&file, &course).err();
            if let Some(failure) = &failure {
                eprint!("{}", failure.text(self.lang));
            }
            let code = failure.map(|failure| failure.code);
            ended.push(code);
            if code == Some(Code::Interrupted) {
                break;
            }
        }
        match ended.as_slice() {
            // A night in which nothing was measured has no answer.
            [] => Some(Code::Invalid),
            codes => WORST_FIRST.into_iter().find(|code| codes.contains(&Some(*code))),
        }
    }

    /// Runs a file and tells what its history shows now.
    ///
    /// # Errors
    ///
    /// Why it did not run; else the exit code of its gate.
    fn run_file(&self, file: &WaitingFile<'_>, course: &Course<'_>) -> Result<(), Failure> {
        let name = &file.experiment.name;
        let before = self.past.newest_here(name)?;
        match self.measure(course) {
            // The verdict of one night is no news, because only the nights together show a change.
            Err(failure) if VERDICTS.contains(&failure.code) => eprint!("{}", failure.text(self.lang)),
            ended => ended?,
        }
        match self.past.newest_here(name)? {
            Some(run) if before.as_ref() != Some(&run) => self.judge(name, &run),
            // Why it could not be stored was told.
            _ => Err(Failure::reported(Code::Internal)),
        }
    }

    /// Prints the gate of an experiment and tells what is new in it.
    fn judge(&self, experiment: &str, run: &str) -> Result<(), Failure> {
        let PastNights { mut reports, decisions } = self.past.of(experiment)?;
        // Another machine of the same class may have pushed a run meanwhile.
        reports.retain(|report| report.run.as_str() <= run);
        let gate = judge::sequence(&reports, &decisions).gate;
        print(&report::history::gate_text(&gate, self.lang))?;
        let news = judge::news(&reports, &decisions);
        let told = match news.worse.is_empty() {
            true => Ok(()),
            false => self.notifier.tell(&News { experiment, run, gate: &news }, self.lang),
        };
        told.and(history::pass(&gate))
    }

    /// The command line of `prony run` for a file. The run is stored with it, so that it can be repeated, and nothing of the night's own, such as a
    /// webhook, is stored.
    fn command_line(&self, course: &Course<'_>) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["prony".into(), "run".into(), course.file.into()];
        let mut option = |name: &str, value: String| words.extend([name.into(), value.into()]);
        let seconds = course.most.as_secs_f64().round().max(1.0);
        option("--budget", format!("{seconds}s"));
        // Nobody looks at a night twice: what it calls different has to be so.
        option("--alpha", format!("{}%", 100.0 * GATE_ALPHA));
        if let Some(starts) = course.starts {
            option("--starts", starts.to_string());
        }
        for sink in &self.args.sinks.sinks {
            option("--sink", sink.clone());
        }
        // Without it, the locale decides for the run, too.
        if let Some(lang) = self.args.language.lang.and_then(|lang| lang.to_possible_value()) {
            option("--lang", lang.get_name().to_owned());
        }
        words
    }

    fn measure(&self, course: &Course<'_>) -> Result<(), Failure> {
        let (cli, typed) = Cli::read(self.command_line(course)).map_err(Failure::foreign)?;
        cli.command.run(&Call { typed, ..self.call.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{assert_golden, check_words};

    #[test]
    fn lines_of_a_night_say_the_same_in_both_languages() {
        let file = Path::new("Q4");
        for starts in [Some(14), None] {
            check_words(&Course { file, starts, most: Nanos::from_secs(2520) });
        }
        for needs in [Some(Nanos::from_secs(720)), None] {
            check_words(&Skipped { file, needs });
        }
        assert_golden("lines_of_a_night");
    }
}
