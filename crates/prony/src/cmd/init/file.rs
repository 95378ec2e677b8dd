//! The experiment file that `prony init` writes.

use ask::origin::Origin;
use load::Url;
use say::{Language, Say};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What an experiment is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A WAR of the user's.
    War(PathBuf),
    /// An executable jar of the user's.
    Jar(PathBuf),
    /// A server that runs already.
    Url {
        /// Its address without a path.
        origin: String,
        /// The path of the address that the user gave.
        path: String,
    },
    /// The servers themselves, with an application of prony's own.
    BuiltIn,
}

/// The answers that a file is made from.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) subject: Subject,
    pub(super) path: String,
    /// The servers to compare; empty for a jar and a URL.
    pub(super) servers: Vec<String>,
    /// The options of the JVM of a second variant of a jar; empty for none.
    pub(super) jvm_options: String,
    pub(super) connections: u32,
}

/// A file that is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct InitialFile<'a> {
    pub(super) file: &'a Path,
    pub(super) answers: &'a Answers,
}

/// A file that was written, with the commands that use it.
#[derive(Say)]
#[say(
    en = "wrote {file}\n  prony check {file}        says what it would run\n\
          {is_comparison?  prony run {file} --quick  takes a first look\n}  prony run {file}          answers its question\n",
    zh = "已写入 {file}\n  prony check {file}        说明将会运行什么\n\
          {is_comparison?  prony run {file} --quick  先粗略看一眼\n}  prony run {file}          给出答案\n"
)]
struct WrittenExperiment<'a> {
    file: &'a Path,
    is_comparison: bool,
}

/// Returns what is told when the file is written.
pub(super) fn written(of: &InitialFile<'_>, lang: Language) -> String {
    say::text(&WrittenExperiment { file: of.file, is_comparison: is_comparison(of.answers) }, lang)
}

/// The comments of a file.
#[derive(Clone, Copy, Say)]
enum Comment<'a> {
    #[say(
        en = "An experiment of prony. `prony check {file}` says what it would run, `prony run {file}` runs it.",
        zh = "prony 的实验文件。`prony check {file}` 说明将会运行什么，`prony run {file}` 运行它。"
    )]
    Head { file: &'a Path },
    #[say(
        en = "Editors complete and check it after `prony catalog --schema > experiment.schema.json`, with this as the first line:\n\
              #:schema ./experiment.schema.json",
        zh = "运行 `prony catalog --schema > experiment.schema.json` 并以下面一行为首行，编辑器即可补全和检查：\n\
              #:schema ./experiment.schema.json"
    )]
    Editors,
    #[say(
        en = "Your application, which every server deploys. Relative paths begin at this file.",
        zh = "你的应用，每个服务器都会部署它。相对路径从本文件所在目录算起。"
    )]
    War,
    #[say(
        en = "An application of prony's own; `prony catalog` lists all. `war = \"target/app.war\"` measures yours instead.",
        zh = "prony 自带的应用；`prony catalog` 列出全部。写 `war = \"target/app.war\"` 则测量你自己的应用。"
    )]
    App,
    #[say(
        en = "The path that is requested. The first answer counts as right; expect = \"...\" says what is.",
        zh = "请求的路径。第一个响应视为正确；expect = \"...\" 可指定正确的响应体。"
    )]
    Path,
    #[say(en = "What is compared; the first is the baseline.", zh = "要比较的变体；第一个为基准。")]
    Arms,
    #[say(
        en = "tomcat:10.1 stands for the newest 10.1; the first run writes which one that was into a .lock file beside this one.",
        zh = "tomcat:10.1 代表 10.1 的最新版本；首次运行会把具体版本写入旁边的 .lock 文件。"
    )]
    Lines,
    #[say(
        en = "Your application, started with `java -jar`. Relative paths begin at this file.",
        zh = "你的应用，用 `java -jar` 启动。相对路径从本文件所在目录算起。"
    )]
    Jar,
    #[say(
        en = "A server that runs already. One arm alone asks what limits it.",
        zh = "已运行的服务器。只有一个变体时，问题是它的瓶颈在哪里。"
    )]
    Url,
    #[say(
        en = "Hosts beyond this machine that may be loaded: ask those who run them first.",
        zh = "允许施加负载的其他主机：请先征得其运维人员的同意。"
    )]
    Allow,
    #[say(
        en = "More settings of an arm, as `prony catalog` lists them: threads = \"virtual\", heap = \"512M\", jdk = 21, cpus = 2 ...",
        zh = "变体的其他设置见 `prony catalog`：threads = \"virtual\"、heap = \"512M\"、jdk = 21、cpus = 2 等"
    )]
    MoreKeys,
    #[say(
        en = "Users; each sends its next request when the previous one is answered. [8, 32, 128] compares at three numbers of users.",
        zh = "用户数；每个用户收到响应后才发送下一个请求。[8, 32, 128] 在三种用户数下比较。"
    )]
    Connections,
    #[say(
        en = "The servers are started again and again until the answer is certain, but not longer than this.",
        zh = "服务器会反复启动，直到答案确定，但不超过此时间。"
    )]
    Budget,
    #[say(
        en = "`prony run {file} --quick` takes a first look.",
        zh = "`prony run {file} --quick` 先粗略看一眼。"
    )]
    Quick { file: &'a Path },
    #[say(
        en = "What must hold, or else `prony run` exits with 4 or 5 and fails a build:\n\
              [require]\n\
              response_p99 = \"< 50ms\"\n\
              errors = \"< 0.1%\"",
        zh = "必须满足的要求；否则 `prony run` 以 4 或 5 退出，构建失败：\n\
              [require]\n\
              response_p99 = \"< 50ms\"\n\
              errors = \"< 0.1%\""
    )]
    Require,
}

/// Returns the text of the file.
pub(super) fn file_text(of: &InitialFile<'_>, lang: Language) -> String {
    let Answers { subject, path, connections, .. } = of.answers;
    let file = of.file;
    let mut out = String::new();
    comment(&mut out, Comment::Head { file }, lang);
    comment(&mut out, Comment::Editors, lang);
    match subject {
        Subject::War(war) => setting(&mut out, Comment::War, "war", &path_text(war, of.file), lang),
        Subject::BuiltIn => setting(&mut out, Comment::App, "app", "hello", lang),
        Subject::Jar(_) | Subject::Url { .. } => {}
    }
    setting(&mut out, Comment::Path, "path", path, lang);
    arms(&mut out, of, lang);
    let _ = writeln!(out, "\n[load]");
    comment(&mut out, Comment::Connections, lang);
    let _ = writeln!(out, "connections = {connections}");
    if let Some(host) = host_elsewhere(&of.answers.subject) {
        comment(&mut out, Comment::Allow, lang);
        let _ = writeln!(out, "allow = [{}]", quoted(&host));
    }
    if is_comparison(of.answers) {
        let _ = writeln!(out, "\n[design]");
        comment(&mut out, Comment::Budget, lang);
        let _ = writeln!(out, "budget = \"10m\"\n\n[quick]");
        comment(&mut out, Comment::Quick { file }, lang);
        let _ = writeln!(out, "budget = \"1m\"");
    }
    out.push('\n');
    comment(&mut out, Comment::Require, lang);
    out
}

/// The host of a server that runs on another machine.
fn host_elsewhere(subject: &Subject) -> Option<String> {
    let Subject::Url { origin, .. } = subject else { return None };
    let url = Url::parse(origin).ok()?;
    (!Origin::from(url.clone()).is_here()).then_some(url.host)
}

/// Whether the file has several arms.
fn is_comparison(answers: &Answers) -> bool {
    match answers.subject {
        Subject::Url { .. } => false,
        Subject::Jar(_) => !answers.jvm_options.is_empty(),
        Subject::War(_) | Subject::BuiltIn => answers.servers.len() > 1,
    }
}

/// Appends the arms.
fn arms(out: &mut String, of: &InitialFile<'_>, lang: Language) {
    let answers = of.answers;
    out.push('\n');
    match &answers.subject {
        Subject::Url { origin, .. } => {
            comment(out, Comment::Url, lang);
            let origin = quoted(origin);
            let _ =
                writeln!(out, "arms = [\n  {{ name = \"running\", server = \"url\", url = {origin} }},\n]");
            return;
        }
        Subject::Jar(jar) => {
            comment(out, Comment::Jar, lang);
            let jar = quoted(&path_text(jar, of.file));
            let _ = writeln!(out, "arms = [\n  {{ name = \"as-it-is\", server = \"jar\", jar = {jar} }},");
            if !answers.jvm_options.is_empty() {
                let options = quoted(&answers.jvm_options);
                let _ = writeln!(
                    out,
                    "  {{ name = \"other-options\", server = \"jar\", jar = {jar}, jvm_options = {options} }},"
                );
            }
        }
        Subject::War(_) | Subject::BuiltIn => {
            comment(out, Comment::Arms, lang);
            comment(out, Comment::Lines, lang);
            let _ = writeln!(out, "arms = [");
            for server in &answers.servers {
                let name = server.replace(':', "-");
                let _ = writeln!(out, "  {{ name = {}, server = {} }},", quoted(&name), quoted(server));
            }
        }
    }
    let _ = writeln!(out, "]");
    comment(out, Comment::MoreKeys, lang);
}

/// Appends a comment, line by line.
fn comment(out: &mut String, comment: Comment<'_>, lang: Language) {
    for line in say::text(&comment, lang).lines() {
        let _ = writeln!(out, "# {line}");
    }
}

/// Appends a key with a text, below a comment.
fn setting(out: &mut String, about: Comment<'_>, key: &str, value: &str, lang: Language) {
    out.push('\n');
    comment(out, about, lang);
    let _ = writeln!(out, "{key} = {}", quoted(value));
}

/// Returns a text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Returns a path as a file in this place has to name it: paths in a file begin in its folder.
fn path_text(path: &Path, file: &Path) -> String {
    let is_beside = file.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    let path = match is_beside {
        true => path.to_owned(),
        false => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    };
    path.display().to_string()
}
