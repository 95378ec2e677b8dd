//! What `prony check` says of a file without mistakes.

use ask::arm::Arm;
use ask::experiment::Experiment;
use ask::require::{Bound, Requirement, Subject};
use lab::{Doubt, PlannedTime};
use model::measure::{Measure, MeasureUnit};
use model::secret;
use model::units::Bytes;
use record::configuration::ConfigurationChange;
use record::note::Unavailable;
use report::progress;
use say::{Language, Say};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use traffic::load_note::LoadNote;
use traffic::scenario::Program;

/// What a run has to find out, to make or to leave out before its first start.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub(super) enum Outstanding {
    /// Maven has to say which version is the newest of a line (`tomcat:10.1`).
    #[say(
        en = "prony run asks Maven for the newest {line}, and writes it into the lock file",
        zh = "prony run 会向 Maven 询问 {line} 的最新版本，并写入锁定文件"
    )]
    Newest { line: String },
    /// The WAR or jar of an arm has to be built. What is in it decides which keys the arm takes.
    #[say(
        en = "prony run builds {file} for {arm}; what is in it may still be refused then",
        zh = "prony run 会为 {arm} 构建 {file}；其内容届时仍可能被拒绝"
    )]
    Build { arm: String, file: PathBuf },
    /// A server starts with the user's own configuration.
    #[say(
        en = "{arm}: of your configuration, {changes:semicolons}; everything else is as you wrote it",
        zh = "{arm}：您的配置中，{changes:semicolons}；其余保持原样"
    )]
    Configuration { arm: String, changes: Vec<ConfigurationChange> },
    /// An arm cannot run on this machine, and is left out.
    #[say(en = "{arm} is left out: {why}", zh = "{arm} 会被略去：{why}")]
    LeftOut { arm: String, why: Unavailable },
}

/// An experiment file without mistakes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckText<'a> {
    pub(super) file: &'a Path,
    /// What is in it.
    pub(super) experiment: &'a Experiment,
    /// What a run has to find out or to make before its first start.
    pub(super) outstanding: &'a [Outstanding],
    /// What may not do what its user means, with the name of its arm.
    pub(super) doubts: &'a [(String, Doubt)],
    /// How long a run takes.
    pub(super) time: PlannedTime,
}

/// The words around names and values.
#[derive(Clone, Copy, Say)]
enum CheckWord {
    #[say(en = "no mistake found", zh = "未发现错误")]
    NoMistake,
    #[say(en = "arms", zh = "变体")]
    Arms,
    #[say(en = "the baseline", zh = "基准")]
    Baseline,
    #[say(en = "requests", zh = "请求")]
    Requests,
    #[say(en = "scenarios", zh = "场景")]
    Scenarios,
    #[say(en = "load", zh = "负载")]
    Load,
    #[say(en = "link", zh = "链路")]
    Link,
    #[say(en = "machine", zh = "机器")]
    Machine,
    #[say(en = "design", zh = "设计")]
    Design,
    #[say(en = "requirements", zh = "要求")]
    Requirements,
    /// Before the arms of a requirement that names none.
    #[say(en = "each arm", zh = "每个变体")]
    EachArm,
    #[say(en = "before the first start", zh = "首次启动之前")]
    BeforeStart,
    #[say(en = "worth a second look", zh = "请再确认")]
    Doubts,
    /// Before the most starts of each arm.
    #[say(en = "starts of each arm at most: ", zh = "每个变体最多启动次数：")]
    Starts,
    /// Before the time that a run takes.
    #[say(en = "time: ", zh = "用时：")]
    Time,
    /// Between the parts of a line.
    #[say(en = ", ", zh = "，")]
    Separator,
}

/// Returns words in a language.
fn word(word: CheckWord, lang: Language) -> String {
    say::text(&word, lang)
}

/// Says what a file would run.
pub(super) fn text(of: &CheckText<'_>, lang: Language) -> String {
    let experiment = of.experiment;
    let question = say::text(&experiment.question, lang);
    let mut out = format!("{}: {}\n", of.file.display(), word(CheckWord::NoMistake, lang));
    let _ = writeln!(out, "{}: {question}", experiment.name);
    let asked = experiment.asked();
    let below = |prefix: &str| {
        let values = asked.iter();
        let values = values.filter_map(|(key, value)| Some((key.strip_prefix(prefix)?, value)));
        values.map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>()
    };
    let _ = writeln!(out, "\n{}", word(CheckWord::Arms, lang));
    for (index, arm) in experiment.arms.iter().enumerate() {
        let baseline = index == experiment.design.baseline && experiment.arms.len() > 1;
        arm_lines(&mut out, arm, baseline, lang);
        let mut values = below(&format!("arm/{}/", arm.name));
        values.extend(further(arm));
        settings(&mut out, 4, values);
    }
    requests(&mut out, experiment, lang);
    for (title, prefix) in [
        (CheckWord::Load, "load/"),
        (CheckWord::Link, "link/"),
        (CheckWord::Machine, "machine/"),
        (CheckWord::Design, "design/"),
    ] {
        let values = below(prefix);
        if !values.is_empty() {
            let _ = writeln!(out, "\n{}", word(title, lang));
            settings(&mut out, 2, values);
        }
    }
    design_lines(&mut out, of, lang);
    if !of.doubts.is_empty() {
        let _ = writeln!(out, "\n{}", word(CheckWord::Doubts, lang));
        for (arm, doubt) in of.doubts {
            let _ = writeln!(out, "  {arm}: {}", say::text(doubt, lang));
        }
    }
    before_start(&mut out, of.outstanding, lang);
    out
}

/// Appends the name of an arm and what it runs.
fn arm_lines(out: &mut String, arm: &Arm, is_baseline: bool, lang: Language) {
    let server = match (arm.version.as_str(), &arm.origin, arm.users_file()) {
        (_, Some(origin), _) => origin.to_string(),
        ("", _, Some(file)) => format!("{} {}", arm.server, file.display()),
        ("", _, None) => arm.server.clone(),
        (version, _, Some(file)) => format!("{}:{version}, {}", arm.server, file.display()),
        (version, ..) => format!("{}:{version}", arm.server),
    };
    let _ = write!(out, "  {}: {server}", arm.name);
    if is_baseline {
        out.push_str(&word(CheckWord::Separator, lang));
        out.push_str(&word(CheckWord::Baseline, lang));
    }
    out.push('\n');
    if let Some(command) = &arm.command {
        let _ = writeln!(out, "    {}", command.command.join(" "));
    }
    if let Some(image) = &arm.image {
        let _ = writeln!(out, "    {}", image.image);
    }
}

/// Returns the settings of an arm that reports show among the facts of what ran.
fn further(arm: &Arm) -> Vec<String> {
    let around = &arm.surroundings;
    let listed = |words: &[String]| (!words.is_empty()).then(|| words.join(" "));
    let jar = arm.jar.as_ref();
    let image = arm.image.as_ref();
    let values = [
        ("jvm_options", listed(&arm.jvm_options)),
        ("arguments", jar.and_then(|jar| listed(&jar.arguments))),
        ("volumes", image.and_then(|image| listed(&image.volumes))),
        ("port", arm.port.map(|port| port.to_string())),
        ("container", around.container.then(|| "true".to_owned())),
        ("memory", around.limits.memory.map(|memory| memory.to_string())),
        ("cpus", around.limits.cpus.map(|cpus| cpus.to_string())),
        ("open_files", around.open_files.map(|files| files.to_string())),
        ("services", listed(&around.services)),
    ];
    let variables = around.environment.iter();
    let variables =
        variables.map(|(name, value)| format!("environment.{name} = {}", secret::redacted(name, value)));
    let values = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let values = values.map(|(key, value)| format!("{key} = {}", secret::without_secrets(&value)));
    values.chain(variables).collect()
}

/// Says what a scenario of `prony load` does.
pub(super) fn scenario_text(file: &Path, program: &Program, lang: Language) -> String {
    let mut out = format!("{}: {}\n", file.display(), word(CheckWord::NoMistake, lang));
    sessions(&mut out, program, lang);
    out
}

/// Appends the names of scenarios and of their requests, and what is done otherwise than their plan asks for.
fn sessions(out: &mut String, program: &Program, lang: Language) {
    let _ = writeln!(out, "\n{}", word(CheckWord::Scenarios, lang));
    for group in &program.groups {
        let _ = writeln!(out, "  {}", group.name);
    }
    let _ = writeln!(out, "\n{}", word(CheckWord::Requests, lang));
    for step in program.steps.iter().filter(|step| !step.transaction) {
        let _ = writeln!(out, "  {}", step.name);
    }
    for found in LoadNote::of_program(program) {
        let _ = writeln!(out, "\n{}", say::text(&found, lang));
    }
}

fn requests(out: &mut String, experiment: &Experiment, lang: Language) {
    if let Some(program) = &experiment.workload.sessions {
        return sessions(out, program, lang);
    }
    let _ = writeln!(out, "\n{}", word(CheckWord::Requests, lang));
    match &experiment.workload.mix {
        None => {
            let _ = writeln!(out, "  GET {}", experiment.workload.path);
        }
        Some(mix) => {
            let weights = mix.weights.as_ref();
            for (index, ask) in mix.asks.iter().enumerate() {
                let weight = weights.map_or_else(String::new, |weights| format!(" × {}", weights[index]));
                let _ = writeln!(out, "  {}{weight}", ask.title());
            }
        }
    }
}

/// Appends the measures, the most starts, the requirements and the time.
fn design_lines(out: &mut String, of: &CheckText<'_>, lang: Language) {
    let design = &of.experiment.design;
    if let Some(headline) = progress::headline(design, None, lang) {
        let _ = writeln!(out, "  {headline}");
    }
    if let Some(starts) = design.starts {
        let _ = writeln!(out, "  {}{starts}", word(CheckWord::Starts, lang));
    }
    let PlannedTime { at_most, typically } = of.time;
    let _ = writeln!(
        out,
        "  {}{}",
        word(CheckWord::Time, lang),
        progress::planned_time(at_most, typically, design.starts, lang)
    );
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
    let _ = writeln!(out, "\n{}", word(CheckWord::Requirements, lang));
    for requirement in &required {
        let arm = requirement.arm.clone().unwrap_or_else(|| word(CheckWord::EachArm, lang));
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

fn before_start(out: &mut String, outstanding: &[Outstanding], lang: Language) {
    if outstanding.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", word(CheckWord::BeforeStart, lang));
    for one in outstanding {
        let _ = writeln!(out, "  {}", say::text(one, lang));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{assert_golden, check_words, text};

    #[test]
    fn what_is_open_and_what_is_doubtful_keeps_its_words() {
        let changes = vec![ConfigurationChange::ShutdownPort { port: "8005".to_owned() }];
        for outstanding in [
            Outstanding::Newest { line: text(1) },
            Outstanding::Build { arm: text(1), file: text(2).into() },
            Outstanding::Configuration { arm: text(1), changes },
            Outstanding::LeftOut { arm: text(1), why: Unavailable::NativeImageMissing },
            Outstanding::LeftOut { arm: text(1), why: Unavailable::HostNotGiven { host: text(2) } },
        ] {
            check_words(&outstanding);
        }
        for doubt in [
            Doubt::Unexpanded(text(1)),
            Doubt::ListensElsewhere(text(1)),
            Doubt::HeapShare(text(1)),
            Doubt::OtherJdk(text(1).into()),
            Doubt::SharedPort { option: text(1), arms: vec![text(2), text(3)] },
            Doubt::HeapFillsMemory { option: text(1), memory: Bytes(1 << 30) },
        ] {
            check_words(&doubt);
        }
        assert_golden("what_is_open_before_a_run");
    }
}
