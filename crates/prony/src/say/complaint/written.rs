//! Files that `prony init`, `prony import` and `prony record` cannot write.

use ::say::Say;
use std::io;
use std::path::PathBuf;

/// Why a file is not written.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum WrittenComplaint {
    /// It is there already.
    #[say(
        en = "{path} is there already, and is left as it is",
        zh = "{path} 已存在，未作改动",
        hint(en = "name another file, or remove this one", zh = "请指定另一个文件，或删除该文件")
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses it.
    #[say(en = "cannot write {path}: {source}", zh = "无法写入 {path}：{source}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
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
        en = "this project has no WAR and no executable jar yet",
        zh = "该项目尚无 WAR 或可执行 jar",
        hint(
            en = "build it by `{build}`, or name its file by --war or --jar",
            zh = "请用 `{build}` 构建，或用 --war 或 --jar 指定文件"
        )
    )]
    NotBuilt {
        /// The command that builds it.
        build: &'static str,
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
    /// The format of what is to be imported is not known.
    #[say(
        en = "{text?`{}` is no format that prony imports|the file is of no format that prony knows by itself}",
        zh = "{text?prony 不导入 `{}` 这种格式|无法从文件看出格式}",
        hint(
            en = "{text?formats: curl, har, openapi, vegeta; prony load --jmx FILE runs a plan of JMeter as it is|name the format first: prony import curl FILE, or har, openapi, vegeta}",
            zh = "{text?格式：curl、har、openapi、vegeta；\
                  prony load --jmx FILE 直接运行 JMeter 计划|请先写格式：prony import curl FILE，或 har、\
                  openapi、vegeta}"
        )
    )]
    UnknownFormat {
        /// What was given as the format; `None` if a file shows none.
        text: Option<String>,
    },
    /// The certificate authority of `prony record` cannot be used.
    #[say(
        en = "the certificate authority in {folder} is of no use: {source}",
        zh = "无法使用 {folder} 中的证书颁发机构：{source}",
        hint(
            en = "--ca DIR takes another folder, and makes one there",
            zh = "--ca DIR 使用另一个目录，首次使用时会在其中创建"
        )
    )]
    Authority {
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No browser can be opened.
    #[say(
        en = "no browser can be opened: {source}",
        zh = "无法打开浏览器：{source}",
        hint(
            en = "install Chromium, or leave --browser out and set the proxy in yours",
            zh = "请安装 Chromium，或不用 --browser，自行在浏览器中设置代理"
        )
    )]
    NoBrowser {
        /// What the system says.
        source: io::Error,
    },
    /// A format was named, but no file.
    #[say(
        en = "no file is named",
        zh = "没有给出文件",
        hint(
            en = "prony import {format} FILE, or - for stdin",
            zh = "prony import {format} FILE，- 为标准输入"
        )
    )]
    NoSource { format: String },
}
