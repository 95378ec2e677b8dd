//! `prony init`: writes a commented experiment file for an application. What the options do not say is asked on a terminal; elsewhere
//! it is the default.

mod project;

use crate::args::InitArgs;
use crate::available;
use crate::failure::{Code, Failure};
use crate::language;
use crate::output::print;
use crate::say::Mistakes;
use crate::say::complaint::WrittenComplaint;
use crate::say::init::{Answers, InitialFile, Question, Subject, file_text, written};
use load::Url;
use model::deployment::Namespace;
use model::experiment::{CONNECTIONS, Draft, Profile};
use report::Lang;
use std::fs::OpenOptions;
use std::io::{ErrorKind, IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &InitArgs) -> Result<(), Failure> {
    let lang = language::chosen(&args.language);
    refuse_existing(&args.file)?;
    let asker = Asker { is_asked: stdin().is_terminal() && stdout().is_terminal(), lang };
    let answers = answers(args, &asker)?;
    let initial = InitialFile { file: &args.file, answers: &answers };
    let text = file_text(&initial, lang);
    check(&args.file, &text)?;
    write_new(&args.file, &text)?;
    print(&written(&initial, lang))
}

/// Fails if a file exists.
pub(super) fn refuse_existing(file: &Path) -> Result<(), Failure> {
    match file.exists() {
        true => Err(exists(file)),
        false => Ok(()),
    }
}

fn exists(file: &Path) -> Failure {
    Failure::usage(WrittenComplaint::Exists { path: file.to_owned() })
}

/// Fails if prony itself would refuse the text: a server of `--servers` may be unknown, or unable to deploy the WAR.
fn check(file: &Path, text: &str) -> Result<(), Failure> {
    let refuse = |rejected| {
        Failure::usage(Mistakes {
            rejected,
            name: file.display().to_string(),
            text: text.to_owned(),
            colour: false,
        })
    };
    let mut known = available::in_catalog();
    let draft = Draft::parse(text, "experiment").map_err(refuse)?;
    let (mut experiment, drafts) = draft.read(&known, Profile::Full).map_err(refuse)?;
    let path = std::path::absolute(file)?;
    let folder = path.parent().unwrap_or(&path);
    available::look_into_files(&mut known, &experiment.arms, folder)?;
    drafts.resolve(&mut experiment.arms, &known).map_err(refuse)
}

/// Writes a file that must not exist.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::usage(WrittenComplaint::Unwritable { path: path.to_owned(), source }),
    })
}

/// Asks the user, or takes the default where nobody can answer.
struct Asker {
    is_asked: bool,
    lang: Lang,
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
    let namespace = sut::war::namespace(war).map_err(mistake)?;
    Ok(match namespace {
        Some(Namespace::Javax) => JAVAX,
        Some(Namespace::Jakarta) | None => JAKARTA,
    })
}

/// A file that is no WAR or jar is a mistake of the user.
fn mistake(error: sut::Error) -> Failure {
    Failure::new(Code::Usage, error)
}

fn listed(text: &str) -> Vec<String> {
    let items = text.split([',', ' ']).map(str::trim);
    items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn connections(asker: &Asker) -> Result<u32, Failure> {
    let text = asker.ask(Question::Connections, &CONNECTIONS.to_string())?;
    let number = text.parse().ok().filter(|number| (1..=60_000).contains(number));
    number.ok_or_else(|| Failure::usage(WrittenComplaint::NotANumber { text }))
}

/// Returns what is measured.
fn subject(args: &InitArgs, asker: &Asker) -> Result<Subject, Failure> {
    if let Some(war) = &args.war {
        return Ok(Subject::War(war.clone()));
    }
    if let Some(jar) = &args.jar {
        sut::jar::find_boot(jar).map_err(mistake)?;
        return Ok(Subject::Jar(jar.clone()));
    }
    if let Some(url) = &args.url {
        return address(url);
    }
    if !args.servers.is_empty() {
        return Ok(Subject::BuiltIn);
    }
    let project = project::Project::here();
    let found = project.as_ref().and_then(|project| project.built.first());
    let default = found.map_or_else(String::new, |file| file.display().to_string());
    let answer = asker.ask(Question::Subject, &default)?;
    if answer.contains("://") {
        return address(&answer);
    }
    let file = PathBuf::from(&answer);
    match file.extension().and_then(|end| end.to_str()) {
        Some("war") => Ok(Subject::War(file)),
        Some("jar") => {
            sut::jar::find_boot(&file).map_err(mistake)?;
            Ok(Subject::Jar(file))
        }
        _ if !answer.is_empty() => Err(Failure::usage(WrittenComplaint::NoSubject { text: answer })),
        _ => match project {
            Some(project) => Err(Failure::usage(WrittenComplaint::NotBuilt { build: project.build_command })),
            None => Ok(Subject::BuiltIn),
        },
    }
}

/// Returns a server that runs already, by its address with the path to request.
fn address(text: &str) -> Result<Subject, Failure> {
    let no_url = || Failure::usage(WrittenComplaint::NoSubject { text: text.to_owned() });
    let url = Url::parse(text).map_err(|_| no_url())?;
    let origin = text.find("://").map_or(0, |at| at + 3);
    let origin = text[origin..].find(['/', '?']).map_or(text, |end| &text[..origin + end]);
    Ok(Subject::Url { origin: origin.to_owned(), path: url.path })
}
