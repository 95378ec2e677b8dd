//! `prony init`: writes a commented experiment file for an application. What the options do not say is asked on a terminal; elsewhere
//! it is the default.

mod file;
mod project;

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::available;
use crate::call::Call;
use crate::failure::Failure;
use crate::files::{refuse_existing, write_new};
use crate::language;
use crate::mistakes;
use crate::output::print;
use ask::deployment::Namespace;
use ask::experiment::{CONNECTIONS, Draft, Profile};
use clap::Args;
use file::{Answers, InitialFile, Subject, file_text, written};
use load::Url;
use project::Surroundings;
use say::{Language, Say};
use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

/// Write an experiment file for your application: answer three questions, or give their answers as options.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The file to write; one that exists is left alone.
    #[arg(value_name = "FILE", default_value = "experiment.toml")]
    file: PathBuf,
    /// The WAR of your application, which every server deploys.
    #[arg(long, value_name = "FILE", group = "subject")]
    war: Option<PathBuf>,
    /// The executable jar of your application; it is compared with itself under other options of the JVM.
    #[arg(long, value_name = "FILE", group = "subject")]
    jar: Option<PathBuf>,
    /// The address of a server that runs on this machine already; the experiment asks what limits it.
    #[arg(long, value_name = "URL", group = "subject")]
    url: Option<String>,
    /// The servers to compare, as tomcat:9,tomcat:10.1 [default: the newest Tomcats that deploy the WAR]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with_all = ["jar", "url"])]
    servers: Vec<String>,
    /// With a jar: options of the JVM of a second variant [default: another collector]; "" asks only what limits the first
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, conflicts_with_all = ["war", "url", "servers"])]
    jvm_options: Option<String>,
    /// The path to request [default: the path of --url, or /]
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Keep-alive connections; each sends its next request when the previous one is answered.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    connections: Option<u32>,
    /// The language of the questions and of the comments in the file.
    #[command(flatten)]
    language: LanguageArgs,
}

/// Why no file is written.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum InitComplaint {
    /// What should be measured is no WAR, no jar and no URL.
    #[say(
        en = "`{text}` is no WAR, no executable jar and no URL",
        zh = "`{text}` 不是 WAR、可执行 jar 或 URL",
        hint(
            en = "write for example target/app.war, target/app.jar or http://127.0.0.1:8080/",
            zh = "例如写 target/app.war、target/app.jar 或 http://127.0.0.1:8080/"
        )
    )]
    NoSubject {
        /// What was given.
        text: String,
    },
    /// The project has not built a WAR or an executable jar.
    #[say(
        en = "this project has no WAR and no executable jar yet{modules?; its modules are {:commas}}{others?; it has {:commas}, which Java cannot start}",
        zh = "该项目尚无 WAR 或可执行 jar{modules?；其模块有 {:commas}}{others?；已有 {:commas}，但 Java 无法启动}",
        hint(
            en = "build it by `{build}`, or name its file by --war or --jar",
            zh = "请用 `{build}` 构建，或用 --war 或 --jar 指定文件"
        )
    )]
    NotBuilt {
        /// The command that builds it.
        build: String,
        /// The folders of its modules.
        modules: Vec<String>,
        /// The jars that it has built and that Java cannot start.
        others: Vec<String>,
    },
    /// There is something in the folder, and it is no project of Maven or Gradle.
    #[say(
        en = "prony knows projects of Maven and Gradle, and this folder has neither, but {found:commas}",
        zh = "prony 只认识 Maven 与 Gradle 项目，而此目录中没有，只有 {found:commas}",
        hint(
            en = "name the file of your application by --war or --jar, or its address by --url; \
                  --servers tomcat:10.1,jetty:12.1 compares servers with an application of prony's",
            zh = "请用 --war 或 --jar 指定应用的文件，或用 --url 指定其地址；\
                  --servers tomcat:10.1,jetty:12.1 用 prony 自带的应用比较服务器"
        )
    )]
    NotUnderstood {
        /// What is in the folder: the first few names.
        found: Vec<String>,
    },
    /// A number of connections that is none.
    #[say(
        en = "`{text}` is no number of connections",
        zh = "`{text}` 不是连接数",
        hint(en = "write a number from 1 to 60000", zh = "请写 1 到 60000 之间的整数")
    )]
    NotANumber {
        /// What was given.
        text: String,
    },
}

/// Nobody can be asked which of several files is meant.
#[derive(Debug, Say)]
#[say(
    en = "taking {taken}; there is also {others:commas}: name it by --war or --jar",
    zh = "采用 {taken}；另有 {others:commas}：可用 --war 或 --jar 指定"
)]
struct AlsoBuilt {
    /// The file that the experiment is about.
    taken: String,
    others: Vec<String>,
}

/// A question to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
enum Question {
    /// What is measured.
    #[say(
        en = "What do you want to measure: a WAR, an executable jar, or the URL of a server that runs here? \
              (nothing: servers with an application of prony's)",
        zh = "要测量什么：WAR、可执行 jar，还是本机已运行服务器的 URL？（留空：用 prony 自带的应用比较服务器）"
    )]
    Subject,
    /// Which path is requested.
    #[say(en = "Which path is requested?", zh = "请求哪个路径？")]
    Path,
    /// Which servers are compared.
    #[say(
        en = "Which servers are compared? (the first is the baseline)",
        zh = "比较哪些服务器？（第一个为基准）"
    )]
    Servers,
    /// Under which options of the JVM a second variant runs.
    #[say(
        en = "With which options of the JVM is it compared with itself?",
        zh = "用哪些 JVM 选项与其自身比较？"
    )]
    Options,
    /// Under how many users.
    #[say(en = "With up to how many users?", zh = "最多多少个用户？")]
    Connections,
}

impl Question {
    /// Returns the question with what an empty answer means.
    fn text(self, default: &str, lang: Language) -> String {
        let question = say::text(&self, lang);
        match default {
            "" => format!("{question} "),
            default => format!("{question} [{default}] "),
        }
    }
}

impl SubCommand for InitArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let lang = language::chosen(&self.language);
        refuse_existing(&self.file)?;
        let asker = Asker { is_asked: stdin().is_terminal() && stdout().is_terminal(), lang };
        let answers = answers(self, &asker)?;
        let initial = InitialFile { file: &self.file, answers: &answers };
        let text = file_text(&initial, lang);
        check(&self.file, &text)?;
        write_new(&self.file, &text)?;
        print(&written(&initial, lang))
    }
}

/// Fails if prony itself would refuse the text: a server of `--servers` may be unknown, or unable to deploy the WAR.
fn check(file: &Path, text: &str) -> Result<(), Failure> {
    let refuse = |rejected| mistakes::in_file(file, text, false)(rejected);
    let mut known = available::in_catalog();
    let draft = Draft::parse(text, "experiment").map_err(refuse)?;
    let (mut experiment, drafts) = draft.read(&known, Profile::Full).map_err(refuse)?;
    let path = std::path::absolute(file)?;
    let folder = path.parent().unwrap_or(&path);
    available::look_into_files(&mut known, &experiment.arms, folder)?;
    drafts.resolve(&mut experiment.arms, &known).map_err(refuse)
}

/// Asks the user, or takes the default where nobody can answer.
struct Asker {
    is_asked: bool,
    lang: Language,
}

impl Asker {
    /// Returns the answer to a question, or its default where the user enters nothing.
    fn ask(&self, question: Question, default: &str) -> Result<String, Failure> {
        if !self.is_asked {
            return Ok(default.to_owned());
        }
        print(&question.text(default, self.lang))?;
        stdout().flush()?;
        let mut line = String::new();
        stdin().read_line(&mut line)?;
        let answer = line.trim();
        Ok(if answer.is_empty() { default } else { answer }.to_owned())
    }
}

/// Answers the three questions: by the options, else by the user, else by the project and defaults.
fn answers(args: &InitArgs, asker: &Asker) -> Result<Answers, Failure> {
    let subject = subject(args, asker)?;
    let default_path = match &subject {
        Subject::Url { path, .. } => path.clone(),
        Subject::BuiltIn => first_path(),
        Subject::War(_) | Subject::Jar(_) => "/".to_owned(),
    };
    let path = match &args.path {
        Some(path) => path.clone(),
        None => asker.ask(Question::Path, &default_path)?,
    };
    let path = match path.starts_with('/') {
        true => path,
        false => format!("/{path}"),
    };
    let servers = match &subject {
        Subject::War(_) | Subject::BuiltIn if !args.servers.is_empty() => args.servers.clone(),
        Subject::War(war) => listed(&asker.ask(Question::Servers, default_servers(war)?)?),
        Subject::BuiltIn => listed(&asker.ask(Question::Servers, JAKARTA)?),
        Subject::Jar(_) | Subject::Url { .. } => Vec::new(),
    };
    let options = match &subject {
        Subject::Jar(_) if args.jvm_options.is_none() => Some(asker.ask(Question::Options, COLLECTOR)?),
        _ => args.jvm_options.clone(),
    };
    let connections = match (args.connections, &subject) {
        (Some(connections), _) => connections,
        (None, Subject::Url { .. }) => connections(asker)?,
        (None, _) => CONNECTIONS as u32,
    };
    Ok(Answers { subject, path, servers, jvm_options: options.unwrap_or_default(), connections })
}

/// Returns the first path of prony's own application.
fn first_path() -> String {
    let known = available::in_catalog();
    let paths = known.apps.first().and_then(|(_, paths)| paths.first());
    paths.cloned().unwrap_or_default()
}

/// The newest Tomcats that run a jakarta WAR.
const JAKARTA: &str = "tomcat:10.1,tomcat:11.0";
/// Tomcats that run a javax WAR: as it is, and migrated.
const JAVAX: &str = "tomcat:9.0,tomcat:10.1";
/// What a jar is compared with by default: itself with another collector.
const COLLECTOR: &str = "-XX:+UseParallelGC";

/// Returns servers that deploy a WAR.
fn default_servers(war: &Path) -> Result<&'static str, Failure> {
    let namespace = sut::war::namespace(war).map_err(Failure::usage)?;
    Ok(match namespace {
        Some(Namespace::Javax) => JAVAX,
        Some(Namespace::Jakarta) | None => JAKARTA,
    })
}

fn listed(text: &str) -> Vec<String> {
    let items = text.split([',', ' ']).map(str::trim);
    items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn connections(asker: &Asker) -> Result<u32, Failure> {
    let text = asker.ask(Question::Connections, &CONNECTIONS.to_string())?;
    let number = text.parse().ok().filter(|number| (1..=60_000).contains(number));
    number.ok_or_else(|| Failure::usage(InitComplaint::NotANumber { text }))
}

/// Returns what is measured.
fn subject(args: &InitArgs, asker: &Asker) -> Result<Subject, Failure> {
    if let Some(war) = &args.war {
        return Ok(Subject::War(war.clone()));
    }
    if let Some(jar) = &args.jar {
        sut::jar::find_boot(jar).map_err(Failure::usage)?;
        return Ok(Subject::Jar(jar.clone()));
    }
    if let Some(url) = &args.url {
        return address(url);
    }
    if !args.servers.is_empty() {
        return Ok(Subject::BuiltIn);
    }
    let surroundings = Surroundings::here(&args.file);
    let built = surroundings.built();
    let default = built.first().map_or_else(String::new, |file| file.display().to_string());
    let answer = asker.ask(Question::Subject, &default)?;
    if !asker.is_asked && built.len() > 1 {
        let others = built[1..].iter().map(|file| file.display().to_string()).collect();
        eprintln!("{}", say::text(&AlsoBuilt { taken: default.clone(), others }, asker.lang));
    }
    if answer.contains("://") {
        return address(&answer);
    }
    let file = PathBuf::from(&answer);
    match file.extension().and_then(|end| end.to_str()) {
        Some("war") => Ok(Subject::War(file)),
        Some("jar") => {
            sut::jar::find_boot(&file).map_err(Failure::usage)?;
            Ok(Subject::Jar(file))
        }
        _ if !answer.is_empty() => Err(Failure::usage(InitComplaint::NoSubject { text: answer })),
        _ => match surroundings {
            Surroundings::Project(project) => Err(Failure::usage(project.not_built())),
            // Who leaves the question empty wants that.
            Surroundings::Other { found } if !asker.is_asked => {
                Err(Failure::usage(InitComplaint::NotUnderstood { found }))
            }
            Surroundings::Other { .. } | Surroundings::Nothing => Ok(Subject::BuiltIn),
        },
    }
}

/// Returns a server that runs already, by its address with the path to request.
fn address(text: &str) -> Result<Subject, Failure> {
    let no_url = || Failure::usage(InitComplaint::NoSubject { text: text.to_owned() });
    let url = Url::parse(text).map_err(|_| no_url())?;
    let origin = text.find("://").map_or(0, |at| at + 3);
    let origin = text[origin..].find(['/', '?']).map_or(text, |end| &text[..origin + end]);
    Ok(Subject::Url { origin: origin.to_owned(), path: url.path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{add_lines, assert_golden, check_lines, text};

    #[test]
    fn a_first_file_keeps_its_words() {
        let subjects = [
            Subject::War("Q1".into()),
            Subject::Jar("Q1".into()),
            Subject::Url { origin: text(1), path: text(2) },
            Subject::BuiltIn,
        ];
        for subject in subjects {
            let answers = Answers {
                subject,
                path: text(3),
                servers: vec!["tomcat:10.1".to_owned(), "jetty:12".to_owned()],
                jvm_options: text(4),
                connections: 12,
            };
            let of = InitialFile { file: Path::new("Q5"), answers: &answers };
            add_lines(|lang| file_text(&of, lang));
            add_lines(|lang| written(&of, lang));
        }
        for question in
            [Question::Subject, Question::Path, Question::Servers, Question::Options, Question::Connections]
        {
            check_lines(|lang| question.text("", lang));
            check_lines(|lang| question.text("Q1", lang));
        }
        assert_golden("a_first_file");
    }
}
