//! What `prony init` asks, and the file that it writes, in both languages.

use report::Lang;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What an experiment is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
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
pub(crate) struct Answers {
    pub(crate) subject: Subject,
    /// The path to request.
    pub(crate) path: String,
    /// The servers to compare; empty for a jar and a URL.
    pub(crate) servers: Vec<String>,
    /// The options of the JVM of a second variant of a jar; empty for none.
    pub(crate) jvm_options: String,
    pub(crate) connections: u32,
}

/// A file that is to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InitialFile<'a> {
    /// Its name.
    pub(crate) file: &'a Path,
    pub(crate) answers: &'a Answers,
}

/// A question to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// What is measured.
    Subject,
    /// Which path is requested.
    Path,
    /// Which servers are compared.
    Servers,
    /// Under which options of the JVM a second variant runs.
    Options,
    /// Under how many users.
    Connections,
}

impl Question {
    /// Returns the question with what an empty answer means.
    pub(crate) fn text(self, default: &str, lang: Lang) -> String {
        let question = match (lang, self) {
            (Lang::En, Self::Subject) => {
                "What do you want to measure: a WAR, an executable jar, or the URL of a server that runs here? \
                 (nothing: servers with an application of prony's)"
            }
            (Lang::Zh, Self::Subject) => {
                "要测量什么：WAR、可执行 jar，还是本机已运行服务器的 URL？（留空：用 prony 自带的应用比较服务器）"
            }
            (Lang::En, Self::Path) => "Which path is requested?",
            (Lang::Zh, Self::Path) => "请求哪个路径？",
            (Lang::En, Self::Servers) => "Which servers are compared? (the first is the baseline)",
            (Lang::Zh, Self::Servers) => "比较哪些服务器？（第一个为基准）",
            (Lang::En, Self::Options) => "With which options of the JVM is it compared with itself?",
            (Lang::Zh, Self::Options) => "用哪些 JVM 选项与其自身比较？",
            (Lang::En, Self::Connections) => "With up to how many users?",
            (Lang::Zh, Self::Connections) => "最多多少个用户？",
        };
        match default {
            "" => format!("{question} "),
            default => format!("{question} [{default}] "),
        }
    }
}

/// What is said when the file is written.
pub(crate) fn written(of: &InitialFile<'_>, lang: Lang) -> String {
    let file = of.file.display().to_string();
    let [done, check, quick, run] = match lang {
        Lang::En => ["wrote", "says what it would run", "takes a first look", "answers its question"],
        Lang::Zh => ["已写入", "说明将会运行什么", "先粗略看一眼", "给出答案"],
    };
    let mut out = format!("{done} {file}\n  prony check {file}        {check}\n");
    if is_comparison(of.answers) {
        let _ = writeln!(out, "  prony run {file} --quick  {quick}");
    }
    let _ = writeln!(out, "  prony run {file}          {run}");
    out
}

/// The comments of a file.
struct Comments {
    head: &'static str,
    editors: &'static str,
    war: &'static str,
    app: &'static str,
    path: &'static str,
    arms: &'static str,
    lines: &'static str,
    jar: &'static str,
    url: &'static str,
    more_keys: &'static str,
    connections: &'static str,
    budget: &'static str,
    quick: &'static str,
    require: &'static str,
}

const ENGLISH: Comments = Comments {
    head: "An experiment of prony. `prony check {file}` says what it would run, `prony run {file}` runs it.",
    editors: "Editors complete and check it after `prony catalog --schema > experiment.schema.json`, with this as the first line:\n\
              #:schema ./experiment.schema.json",
    war: "Your application, which every server deploys. Relative paths begin at this file.",
    app: "An application of prony's own; `prony catalog` lists all. `war = \"target/app.war\"` measures yours instead.",
    path: "The path that is requested. The first answer counts as right; expect = \"...\" says what is.",
    arms: "What is compared; the first is the baseline.",
    lines: "tomcat:10.1 stands for the newest 10.1; the first run writes which one that was into a .lock file beside this one.",
    jar: "Your application, started with `java -jar`. Relative paths begin at this file.",
    url: "A server that runs on this machine. One arm alone asks what limits it.",
    more_keys: "More settings of an arm, as `prony catalog` lists them: threads = \"virtual\", heap = \"512M\", jdk = 21, cpus = 2 ...",
    connections: "Users; each sends its next request when the previous one is answered. [8, 32, 128] compares at three numbers of users.",
    budget: "The servers are started again and again until the answer is certain, but not longer than this.",
    quick: "`prony run {file} --quick` takes a first look.",
    require: "What must hold, or else `prony run` exits with 4 or 5 and fails a build:\n\
              [require]\n\
              response_p99 = \"< 50ms\"\n\
              errors = \"< 0.1%\"",
};

const CHINESE: Comments = Comments {
    head: "prony 的实验文件。`prony check {file}` 说明将会运行什么，`prony run {file}` 运行它。",
    editors: "运行 `prony catalog --schema > experiment.schema.json` 并以下面一行为首行，编辑器即可补全和检查：\n\
              #:schema ./experiment.schema.json",
    war: "你的应用，每个服务器都会部署它。相对路径从本文件所在目录算起。",
    app: "prony 自带的应用；`prony catalog` 列出全部。写 `war = \"target/app.war\"` 则测量你自己的应用。",
    path: "请求的路径。第一个响应视为正确；expect = \"...\" 可指定正确的响应体。",
    arms: "要比较的变体；第一个为基准。",
    lines: "tomcat:10.1 代表 10.1 的最新版本；首次运行会把具体版本写入旁边的 .lock 文件。",
    jar: "你的应用，用 `java -jar` 启动。相对路径从本文件所在目录算起。",
    url: "本机已运行的服务器。只有一个变体时，问题是它的瓶颈在哪里。",
    more_keys: "变体的其他设置见 `prony catalog`：threads = \"virtual\"、heap = \"512M\"、jdk = 21、cpus = 2 等",
    connections: "用户数；每个用户收到响应后才发送下一个请求。[8, 32, 128] 在三种用户数下比较。",
    budget: "服务器会反复启动，直到答案确定，但不超过此时间。",
    quick: "`prony run {file} --quick` 先粗略看一眼。",
    require: "必须满足的要求；否则 `prony run` 以 4 或 5 退出，构建失败：\n\
              [require]\n\
              response_p99 = \"< 50ms\"\n\
              errors = \"< 0.1%\"",
};

/// Returns the text of the file.
pub(crate) fn file_text(of: &InitialFile<'_>, lang: Lang) -> String {
    let comments = match lang {
        Lang::En => &ENGLISH,
        Lang::Zh => &CHINESE,
    };
    let Answers { subject, path, connections, .. } = of.answers;
    let file = of.file.display().to_string();
    let mut out = String::new();
    let named = |comment: &str| comment.replace("{file}", &file);
    comment(&mut out, &named(comments.head));
    comment(&mut out, comments.editors);
    match subject {
        Subject::War(war) => setting(&mut out, comments.war, "war", &path_text(war, of.file)),
        Subject::BuiltIn => setting(&mut out, comments.app, "app", "hello"),
        Subject::Jar(_) | Subject::Url { .. } => {}
    }
    setting(&mut out, comments.path, "path", path);
    arms(&mut out, of, comments);
    let _ = writeln!(out, "\n[load]");
    comment(&mut out, comments.connections);
    let _ = writeln!(out, "connections = {connections}");
    if is_comparison(of.answers) {
        let _ = writeln!(out, "\n[design]");
        comment(&mut out, comments.budget);
        let _ = writeln!(out, "budget = \"10m\"\n\n[quick]");
        comment(&mut out, &named(comments.quick));
        let _ = writeln!(out, "budget = \"1m\"");
    }
    out.push('\n');
    comment(&mut out, comments.require);
    out
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
fn arms(out: &mut String, of: &InitialFile<'_>, comments: &Comments) {
    let answers = of.answers;
    out.push('\n');
    match &answers.subject {
        Subject::Url { origin, .. } => {
            comment(out, comments.url);
            let origin = quoted(origin);
            let _ =
                writeln!(out, "arms = [\n  {{ name = \"running\", server = \"url\", url = {origin} }},\n]");
            return;
        }
        Subject::Jar(jar) => {
            comment(out, comments.jar);
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
            comment(out, comments.arms);
            comment(out, comments.lines);
            let _ = writeln!(out, "arms = [");
            for server in &answers.servers {
                let name = server.replace(':', "-");
                let _ = writeln!(out, "  {{ name = {}, server = {} }},", quoted(&name), quoted(server));
            }
        }
    }
    let _ = writeln!(out, "]");
    comment(out, comments.more_keys);
}

/// Appends a comment, line by line.
fn comment(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "# {line}");
    }
}

/// Appends a key with a text, below a comment.
fn setting(out: &mut String, about: &str, key: &str, value: &str) {
    out.push('\n');
    comment(out, about);
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
