//! [`ConfigurationChange`]: what prony changes in the user's own configuration of a server.

use say::Say;
use serde::{Deserialize, Serialize};

/// A change of the user's own configuration. Ports and folders are as the user writes them.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum ConfigurationChange {
    /// The connector that is loaded listens on the port of the start.
    #[say(en = "port {port} is loaded, on a port of prony's", zh = "加载端口 {port}，改用 prony 指定的端口")]
    LoadedPort { port: String },
    /// Another connector listens on a port that the kernel chooses.
    #[say(en = "port {port} ({what}) is another free port", zh = "端口 {port}（{what}）改为其他空闲端口")]
    OtherPort {
        port: String,
        /// What it speaks: `AJP`, `HTTPS`.
        what: String,
    },
    /// The certificate is not compared with the name of the request, which is that of this machine.
    #[say(
        en = "the check of the certificate's name (sniHostCheck) is off",
        zh = "证书名称检查（sniHostCheck）已停用"
    )]
    NameCheck,
    /// Nothing waits for the command to shut down.
    #[say(en = "the shutdown port {port} is off", zh = "关闭用的端口 {port} 已停用")]
    ShutdownPort { port: String },
    /// Applications are deployed from a folder of the start.
    #[say(
        en = "the folder of applications {folder} is one of prony's",
        zh = "应用目录 {folder} 改为 prony 的目录"
    )]
    AppBase { folder: String },
    /// Logs are written in a folder of the start.
    #[say(en = "the folder of logs {folder} is one of prony's", zh = "日志目录 {folder} 改为 prony 的目录")]
    LogFolder { folder: String },
    /// The application of a context is the one of the arm.
    #[say(
        en = "{path} serves the application of the arm{was?, in the place of {}}",
        zh = "{path} 提供对象的应用{was?，替代 {}}"
    )]
    Application {
        /// The path of the context.
        path: String,
        /// What was there.
        was: Option<String>,
    },
}
