//! What `prony import` and `prony record` say: the comments of a scenario, and what keeps it from being written.

mod obstacle;

pub(crate) use obstacle::{obstacles, skip_hint};

use import::{Draft, Format, Remark};
use report::Lang;
use std::path::Path;

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
}

impl Head<'_> {
    /// Returns the command that plays the scenario.
    fn command(&self) -> String {
        let file = self.output.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
        let origin = self.origin.unwrap_or("http://localhost:8080");
        let users = if self.users == 0 { 10 } else { self.users };
        format!("prony load --scenario {file} -c {users} -d 30s {origin}")
    }
}

/// Returns the first lines of a scenario.
pub(crate) fn head(of: &Head<'_>, lang: Lang) -> Vec<String> {
    let (format, source) = (of.format.id(), of.source);
    let first = match (lang, of.format) {
        (Lang::En, Format::Record) => format!("Recorded by `prony record` from {source}."),
        (Lang::Zh, Format::Record) => format!("由 `prony record` 从 {source} 录制。"),
        (Lang::En, _) => format!("Made by `prony import {format}` from {source}."),
        (Lang::Zh, _) => format!("由 `prony import {format}` 从 {source} 生成。"),
    };
    vec![first, of.command()]
}

/// Returns what is told when a file is written.
pub(crate) fn written(of: &Head<'_>, draft: &Draft, lang: Lang) -> String {
    let secrets = draft.variables.iter().filter_map(|variable| match &variable.remark {
        Remark::Secret { environment } => Some(environment.as_str()),
        _ => None,
    });
    let secrets: Vec<&str> = secrets.collect();
    let mut out = written_steps(of, draft.steps.len(), lang);
    if !secrets.is_empty() {
        let names = secrets.join(", ");
        out.push_str(&match lang {
            Lang::En => format!("it takes secrets from these variables of the environment: {names}\n"),
            Lang::Zh => format!("其中的机密取自这些环境变量：{names}\n"),
        });
    }
    out.push_str(&format!("  {}\n", of.command()));
    out
}

/// Returns which file was written with how many steps.
fn written_steps(of: &Head<'_>, steps: usize, lang: Lang) -> String {
    let file = of.output.map_or_else(String::new, |path| path.display().to_string());
    match lang {
        Lang::En => format!("wrote {file}: {steps} steps\n"),
        Lang::Zh => format!("已写入 {file}：{steps} 个步骤\n"),
    }
}

/// Returns what is told when the scenario of a plan is written.
pub(crate) fn written_plan(of: &Head<'_>, steps: usize, lang: Lang) -> String {
    format!("{}  {}\n", written_steps(of, steps, lang), of.command())
}
