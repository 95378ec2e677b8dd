//! [`ConfigurationError`]: why a server cannot be started with the user's own configuration.

use say::Say;
use std::path::PathBuf;

/// Why a server cannot be started with the user's own configuration.
#[derive(Debug, Say)]
#[say(error)]
pub enum ConfigurationError {
    /// A file or folder cannot be read.
    #[say(
        en = "cannot read {path}: {why}",
        zh = "无法读取 {path}：{why}",
        hint(
            en = "paths begin at the experiment file; `conf` is the folder with server.xml",
            zh = "路径从实验文件所在目录算起；`conf` 是含有 server.xml 的目录"
        )
    )]
    Unreadable { path: PathBuf, why: String },
    /// A file is no XML.
    #[say(
        en = "{path} is no XML that prony can read: {why}",
        zh = "{path} 不是 prony 能读取的 XML：{why}",
        hint(
            en = "files that it includes by entities have to be written in it",
            zh = "通过实体引入的文件须直接写入其中"
        )
    )]
    NotXml { path: PathBuf, why: String },
    /// Nothing serves HTTP or HTTPS.
    #[say(
        en = "{path} has nothing that serves HTTP or HTTPS",
        zh = "{path} 中没有提供 HTTP 或 HTTPS 的连接器",
        hint(en = "add one for the measurement", zh = "请为测量添加一个")
    )]
    NoHttp { path: PathBuf },
    /// There is no host for applications.
    #[say(
        en = "{path} has no Engine with a Host for applications",
        zh = "{path} 中没有带 Host 的 Engine 来部署应用"
    )]
    NoHost { path: PathBuf },
    /// Several applications are configured, and it is not known which is the arm's.
    #[say(
        en = "{path} has several applications: {contexts:commas}",
        zh = "{path} 中有多个应用：{contexts:commas}",
        hint(
            en = "say which is the one of the arm: context_path = \"{first}\"",
            zh = "请写明哪一个是对象的应用：context_path = \"{first}\""
        ),
        first = contexts.first().map(String::as_str).unwrap_or_default()
    )]
    SeveralContexts { path: PathBuf, contexts: Vec<String> },
    /// The Connector of this version of Tomcat has no such attribute, and would ignore it.
    #[say(
        en = "the Connector of {server} has no attribute `{attribute}`, and would ignore it",
        zh = "{server} 的 Connector 没有属性 `{attribute}`，会将其忽略",
        hint(
            en = "{nearest?did you mean `{}`?|take it out: its documentation and its classes do not know it}",
            zh = "{nearest?是否想写 `{}`？|请去掉它：其文档与类中都没有该属性}"
        )
    )]
    NoAttribute { server: String, attribute: String, nearest: Option<String> },
    /// The script that sets the options of the JVM fails.
    #[say(
        en = "{path} fails: {why}",
        zh = "{path} 执行失败：{why}",
        hint(
            en = "catalina.sh reads it by `sh`; see what it says: sh -c '. {path}'",
            zh = "catalina.sh 用 `sh` 读取它；可查看其输出：sh -c '. {path}'"
        )
    )]
    Setenv { path: PathBuf, why: String },
    /// An agent of the JVM is not there.
    #[say(
        en = "the agent {path} is not there",
        zh = "没有代理 {path}",
        hint(en = "paths begin at the experiment file", zh = "路径从实验文件所在目录算起")
    )]
    NoAgent { path: PathBuf },
    /// A line makes Jetty start another JVM.
    #[say(
        en = "`{line}` in {path} makes Jetty start a second JVM",
        zh = "{path} 中的 `{line}` 会让 Jetty 再启动一个 JVM",
        hint(
            en = "write the options of the JVM as `jvm_options`, and leave such lines out",
            zh = "请将 JVM 选项写在 `jvm_options` 中，并去掉这些行"
        )
    )]
    SecondJvm { path: PathBuf, line: String },
}
