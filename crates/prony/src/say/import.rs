//! What `prony import` and `prony record` say: the comments of a scenario, and what keeps it from being written.

mod obstacle;
mod plan;

pub(crate) use obstacle::{obstacles, skip_hint};

use import::{Draft, Format, Place, Remark};
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
        let file = self
            .output
            .map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
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
    let secrets = draft
        .variables
        .iter()
        .filter_map(|variable| match &variable.remark {
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
    let file = of
        .output
        .map_or_else(String::new, |path| path.display().to_string());
    match lang {
        Lang::En => format!("wrote {file}: {steps} steps\n"),
        Lang::Zh => format!("已写入 {file}：{steps} 个步骤\n"),
    }
}

/// Returns what is told when the scenario of a plan is written.
pub(crate) fn written_plan(of: &Head<'_>, steps: usize, lang: Lang) -> String {
    format!("{}  {}\n", written_steps(of, steps, lang), of.command())
}

fn place(place: Place, lang: Lang) -> String {
    match (lang, place) {
        (Lang::En, Place::Line(line)) => format!("line {line}"),
        (Lang::Zh, Place::Line(line)) => format!("第 {line} 行"),
        (Lang::En, Place::Entry(entry)) => format!("entry {entry}"),
        (Lang::Zh, Place::Entry(entry)) => format!("第 {entry} 条"),
    }
}

/// Returns a remark in words.
pub(crate) fn remark(remark: &Remark, lang: Lang) -> String {
    match lang {
        Lang::En => english(remark),
        Lang::Zh => chinese(remark),
    }
}

fn english(remark: &Remark) -> String {
    match remark {
        Remark::From(at) => place(*at, Lang::En),
        Remark::Says(text) => text.clone(),
        Remark::StaticLeftOut { count } => {
            format!("{count} requests for files that do not change were left out (--no-static).")
        }
        Remark::OthersLeftOut { hosts } => {
            format!("Requests to other servers were left out: {}.", counted(hosts))
        }
        Remark::Unanswered { count } => format!("{count} requests that had no answer were left out."),
        Remark::Preflights { count } => {
            format!("{count} requests by which browsers ask for permission (OPTIONS) were left out.")
        }
        Remark::HeadersLeftOut { names } => format!(
            "Headers that a client sets by itself were left out: {}. Cookies are kept as answers set them.",
            names.join(", ")
        ),
        Remark::CookiesBefore { names } => format!(
            "These cookies were sent though no answer here had set them, and are left out: {}.",
            names.join(", ")
        ),
        Remark::Redirected { to } => format!("follows a redirect to {to}"),
        Remark::Varies { variable, step } => {
            format!("${{{variable}}} is taken from the answer to step {step}")
        }
        Remark::Secret { environment } => {
            format!("a secret: set the variable {environment} of the environment")
        }
        Remark::Files { names } => format!("put these files beside this one: {}", names.join(", ")),
        Remark::Parameter => "a parameter of a path".to_owned(),
        Remark::Insecure => "any certificate was accepted: give prony load --insecure".to_owned(),
        Remark::Authorities(file) => format!("give prony load --cacert {file}"),
        Remark::OptionLeftOut(option) => format!("left out: {option}"),
        Remark::Sample => "the body is a sample made from its schema".to_owned(),
        Remark::Deprecated => "deprecated".to_owned(),
        Remark::Skipped(obstacle) => format!("Left out: {}", obstacle::text(obstacle, Lang::En).message),
        Remark::Plan(of) => plan::remark(of, Lang::En),
    }
}

fn chinese(remark: &Remark) -> String {
    match remark {
        Remark::From(at) => place(*at, Lang::Zh),
        Remark::Says(text) => text.clone(),
        Remark::StaticLeftOut { count } => format!("略去了 {count} 个对不变文件的请求（--no-static）。"),
        Remark::OthersLeftOut { hosts } => format!("略去了对其他服务器的请求：{}。", counted(hosts)),
        Remark::Unanswered { count } => format!("略去了 {count} 个没有响应的请求。"),
        Remark::Preflights { count } => format!("略去了 {count} 个浏览器自行发出的预检请求（OPTIONS）。"),
        Remark::HeadersLeftOut { names } => {
            format!(
                "略去了客户端自行设置的请求头：{}。Cookie 按响应的设置保存。",
                names.join("、")
            )
        }
        Remark::CookiesBefore { names } => {
            format!(
                "以下 Cookie 已发送，但此处没有响应设置过，故略去：{}。",
                names.join("、")
            )
        }
        Remark::Redirected { to } => format!("跟随重定向到 {to}"),
        Remark::Varies { variable, step } => format!("${{{variable}}} 取自第 {step} 步的响应"),
        Remark::Secret { environment } => format!("机密：请设置环境变量 {environment}"),
        Remark::Files { names } => format!("请将这些文件放在本文件旁边：{}", names.join("、")),
        Remark::Parameter => "路径参数".to_owned(),
        Remark::Insecure => "当时接受任何证书：请为 prony load 加上 --insecure".to_owned(),
        Remark::Authorities(file) => format!("请为 prony load 加上 --cacert {file}"),
        Remark::OptionLeftOut(option) => format!("略去：{option}"),
        Remark::Sample => "请求体是根据其 schema 生成的样例".to_owned(),
        Remark::Deprecated => "已弃用".to_owned(),
        Remark::Skipped(obstacle) => format!("略去：{}", obstacle::text(obstacle, Lang::Zh).message),
        Remark::Plan(of) => plan::remark(of, Lang::Zh),
    }
}

fn counted(hosts: &[(String, usize)]) -> String {
    let hosts: Vec<String> = hosts
        .iter()
        .map(|(host, count)| format!("{host} ({count})"))
        .collect();
    hosts.join(", ")
}
