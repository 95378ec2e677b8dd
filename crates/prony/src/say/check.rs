//! What `prony check` says of a file without mistakes.

use lab::PlannedTime;
use model::arm::Arm;
use model::experiment::Experiment;
use model::measure::{Measure, MeasureUnit};
use model::note::LoadNote;
use model::require::{Bound, Requirement, Subject};
use model::scenario::Program;
use model::units::Bytes;
use report::Lang;
use report::progress;
use report::say::note;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a run has to find out, to make or to leave out before its first start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outstanding {
    /// Maven has to say which version is the newest of a line (`tomcat:10.1`).
    Newest { line: String },
    /// The WAR or jar of an arm has to be built. What is in it decides which keys the arm takes.
    Build { arm: String, file: PathBuf },
    /// An arm cannot run on this machine, and is left out.
    LeftOut { arm: String },
}

/// An experiment file without mistakes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckText<'a> {
    pub(crate) file: &'a Path,
    /// What is in it.
    pub(crate) experiment: &'a Experiment,
    /// What a run has to find out or to make before its first start.
    pub(crate) outstanding: &'a [Outstanding],
    /// How long a run takes.
    pub(crate) time: PlannedTime,
}

/// The words around names and values.
struct CheckWords {
    no_mistake: &'static str,
    arms: &'static str,
    baseline: &'static str,
    requests: &'static str,
    scenarios: &'static str,
    load: &'static str,
    link: &'static str,
    machine: &'static str,
    design: &'static str,
    requirements: &'static str,
    /// Before the arms of a requirement that names none.
    each_arm: &'static str,
    before_start: &'static str,
    /// Before the most starts of each arm.
    starts: &'static str,
    /// Before the time that a run takes.
    time: &'static str,
    /// Between the parts of a line.
    separator: &'static str,
}

const ENGLISH: CheckWords = CheckWords {
    no_mistake: "no mistake found",
    arms: "arms",
    baseline: "the baseline",
    requests: "requests",
    scenarios: "scenarios",
    load: "load",
    link: "link",
    machine: "machine",
    design: "design",
    requirements: "requirements",
    each_arm: "each arm",
    before_start: "before the first start",
    starts: "starts of each arm at most: ",
    time: "time: ",
    separator: ", ",
};

const CHINESE: CheckWords = CheckWords {
    no_mistake: "未发现错误",
    arms: "变体",
    baseline: "基准",
    requests: "请求",
    scenarios: "场景",
    load: "负载",
    link: "链路",
    machine: "机器",
    design: "设计",
    requirements: "要求",
    each_arm: "每个变体",
    before_start: "首次启动之前",
    starts: "每个变体最多启动次数：",
    time: "用时：",
    separator: "，",
};

const fn words(lang: Lang) -> &'static CheckWords {
    match lang {
        Lang::En => &ENGLISH,
        Lang::Zh => &CHINESE,
    }
}

/// Says what a file would run.
pub(crate) fn text(of: &CheckText<'_>, lang: Lang) -> String {
    let words = words(lang);
    let experiment = of.experiment;
    let question = match lang {
        Lang::En => experiment.question.text.as_str(),
        Lang::Zh => experiment.question.in_chinese(),
    };
    let mut out = format!("{}: {}\n", of.file.display(), words.no_mistake);
    let _ = writeln!(out, "{}: {question}", experiment.name);
    let asked = experiment.asked();
    let below = |prefix: &str| {
        let values = asked.iter();
        let values = values.filter_map(|(key, value)| Some((key.strip_prefix(prefix)?, value)));
        values.map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>()
    };
    let _ = writeln!(out, "\n{}", words.arms);
    for (index, arm) in experiment.arms.iter().enumerate() {
        let baseline = index == experiment.design.baseline && experiment.arms.len() > 1;
        arm_lines(&mut out, arm, baseline.then_some(words.baseline), words);
        settings(&mut out, 4, below(&format!("arm/{}/", arm.name)));
    }
    requests(&mut out, experiment, words, lang);
    for (title, prefix) in
        [(words.load, "load/"), (words.link, "link/"), (words.machine, "machine/"), (words.design, "design/")]
    {
        let values = below(prefix);
        if !values.is_empty() {
            let _ = writeln!(out, "\n{title}");
            settings(&mut out, 2, values);
        }
    }
    design_lines(&mut out, of, words, lang);
    before_start(&mut out, of.outstanding, words, lang);
    out
}

/// Appends the name of an arm and what it runs.
fn arm_lines(out: &mut String, arm: &Arm, baseline: Option<&str>, words: &CheckWords) {
    let server = match (arm.version.as_str(), &arm.origin, arm.users_file()) {
        (_, Some(origin), _) => origin.to_string(),
        ("", _, Some(file)) => format!("{} {}", arm.server, file.display()),
        ("", _, None) => arm.server.clone(),
        (version, _, Some(file)) => format!("{}:{version}, {}", arm.server, file.display()),
        (version, ..) => format!("{}:{version}", arm.server),
    };
    let baseline = baseline.map_or_else(String::new, |baseline| format!("{}{baseline}", words.separator));
    let _ = writeln!(out, "  {}: {server}{baseline}", arm.name);
    if let Some(command) = &arm.command {
        let _ = writeln!(out, "    {}", command.command.join(" "));
    }
    if let Some(image) = &arm.image {
        let _ = writeln!(out, "    {}", image.image);
    }
}

/// Says what a scenario of `prony load` does.
pub(crate) fn scenario_text(file: &Path, program: &Program, lang: Lang) -> String {
    let words = words(lang);
    let mut out = format!("{}: {}\n", file.display(), words.no_mistake);
    sessions(&mut out, program, words, lang);
    out
}

/// Appends the names of scenarios and of their requests, and what is done otherwise than their plan asks for.
fn sessions(out: &mut String, program: &Program, words: &CheckWords, lang: Lang) {
    let _ = writeln!(out, "\n{}", words.scenarios);
    for group in &program.groups {
        let _ = writeln!(out, "  {}", group.name);
    }
    let _ = writeln!(out, "\n{}", words.requests);
    for step in program.steps.iter().filter(|step| !step.transaction) {
        let _ = writeln!(out, "  {}", step.name);
    }
    for found in LoadNote::of_program(program) {
        let _ = writeln!(out, "\n{}", note(&found.into(), lang));
    }
}

fn requests(out: &mut String, experiment: &Experiment, words: &CheckWords, lang: Lang) {
    if let Some(program) = &experiment.workload.sessions {
        return sessions(out, program, words, lang);
    }
    let _ = writeln!(out, "\n{}", words.requests);
    match &experiment.workload.mix {
        None => {
            let _ = writeln!(out, "  GET {}", experiment.workload.path);
        }
        Some(mix) => {
            let weights = mix.weights.as_ref();
            for (index, ask) in mix.asks.iter().enumerate() {
                let weight = weights.map_or_else(String::new, |weights| format!(" × {}", weights[index]));
                let _ = writeln!(out, "  {} {}{weight}", ask.method, ask.path);
            }
        }
    }
}

/// Appends the measures, the most starts, the requirements and the time.
fn design_lines(out: &mut String, of: &CheckText<'_>, words: &CheckWords, lang: Lang) {
    let design = &of.experiment.design;
    if let Some(headline) = progress::headline(design, None, lang) {
        let _ = writeln!(out, "  {headline}");
    }
    if let Some(starts) = design.starts {
        let _ = writeln!(out, "  {}{starts}", words.starts);
    }
    let PlannedTime { at_most, typically } = of.time;
    let _ =
        writeln!(out, "  {}{}", words.time, progress::planned_time(at_most, typically, design.starts, lang));
    let gate = design.gate.zip(design.headline.one());
    let gate = gate.map(|(loss, measure)| Requirement {
        arm: None,
        step: None,
        subject: Subject::Measure(measure),
        bound: Bound::NotWorse(loss),
    });
    let required: Vec<Requirement> = gate.into_iter().chain(of.experiment.require.clone()).collect();
    if required.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", words.requirements);
    for requirement in &required {
        let arm = requirement.arm.as_deref().unwrap_or(words.each_arm);
        let _ = writeln!(out, "  {arm}: {}", required_as_in_files(requirement));
    }
}

/// Returns a requirement as a file writes it.
fn required_as_in_files(requirement: &Requirement) -> String {
    let subject = requirement.subject;
    let amount = |amount: f64| match subject.measure().map(Measure::unit) {
        None => format!("{}%", 100.0 * amount),
        Some(MeasureUnit::PerSecond) => format!("{amount}/s"),
        Some(MeasureUnit::Bytes) => Bytes(amount as u64).to_string(),
        Some(MeasureUnit::Seconds) => format!("{} ms", 1e3 * amount),
    };
    let step = requirement.step.iter();
    let step: String = step.map(|step| format!("step.{step:?}.")).collect();
    let asked = format!("{step}{}", subject.id());
    match requirement.bound {
        Bound::NotWorse(loss) => format!("{asked}: not worse than baseline by {}%", 100.0 * loss),
        Bound::Below(most) => format!("{asked} < {}", amount(most)),
        Bound::Above(least) => format!("{asked} > {}", amount(least)),
    }
}

fn before_start(out: &mut String, outstanding: &[Outstanding], words: &CheckWords, lang: Lang) {
    if outstanding.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", words.before_start);
    for one in outstanding {
        let _ = writeln!(out, "  {}", outstanding_text(one, lang));
    }
}

fn outstanding_text(one: &Outstanding, lang: Lang) -> String {
    match (lang, one) {
        (Lang::En, Outstanding::Newest { line }) => {
            format!("prony run asks Maven for the newest {line}, and writes it into the lock file")
        }
        (Lang::Zh, Outstanding::Newest { line }) => {
            format!("prony run 会向 Maven 询问 {line} 的最新版本，并写入锁定文件")
        }
        (Lang::En, Outstanding::Build { arm, file }) => {
            format!("prony run builds {} for {arm}; what is in it may still be refused then", file.display())
        }
        (Lang::Zh, Outstanding::Build { arm, file }) => {
            format!("prony run 会为 {arm} 构建 {}；其内容届时仍可能被拒绝", file.display())
        }
        (Lang::En, Outstanding::LeftOut { arm }) => {
            format!("{arm} is left out, because this machine has no native-image")
        }
        (Lang::Zh, Outstanding::LeftOut { arm }) => format!("{arm} 会被略去，因为本机没有 native-image"),
    }
}

/// Appends settings in lines of at most 100 characters.
fn settings(out: &mut String, indent: usize, values: Vec<String>) {
    const LONGEST: usize = 100;
    let mut line = String::new();
    for value in values {
        if !line.is_empty() && indent + line.len() + 2 + value.len() > LONGEST {
            let _ = writeln!(out, "{:indent$}{line}", "");
            line.clear();
        }
        let separator = if line.is_empty() { "" } else { ", " };
        line.push_str(&format!("{separator}{value}"));
    }
    if !line.is_empty() {
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
}
