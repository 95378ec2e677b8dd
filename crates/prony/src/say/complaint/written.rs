//! Files that `prony init`, `prony import` and `prony record` cannot write.

use crate::say::{Message, hinted, plain};
use std::io;
use std::path::PathBuf;

/// Why a file is not written.
#[derive(Debug)]
pub(crate) enum WrittenComplaint {
    /// It is there already.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses it.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What should be measured is no WAR, no jar and no URL.
    NoSubject {
        /// What was given.
        text: String,
    },
    /// The project has not built a WAR or an executable jar.
    NotBuilt {
        /// The command that builds it.
        build: &'static str,
    },
    /// A number of connections that is none.
    NotANumber {
        /// What was given.
        text: String,
    },
    /// The format of what is to be imported is not known.
    UnknownFormat {
        /// What was given as the format; `None` if a file shows none.
        text: Option<String>,
    },
    /// The certificate authority of `prony record` cannot be used.
    Authority {
        /// Its folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No browser can be opened.
    NoBrowser {
        /// What the system says.
        source: io::Error,
    },
    /// A format was named, but no file.
    NoSource {
        /// The format.
        format: String,
    },
}

impl WrittenComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::Exists { path } => hinted(
                format!("{} is there already, and is left as it is", path.display()),
                "name another file, or remove this one",
            ),
            Self::Unwritable { path, source } => plain(format!("cannot write {}: {source}", path.display())),
            Self::NoSubject { text } => hinted(
                format!("`{text}` is no WAR, no executable jar and no URL"),
                "write for example target/app.war, target/app.jar or http://127.0.0.1:8080/",
            ),
            Self::NotBuilt { build } => hinted(
                "this project has no WAR and no executable jar yet",
                format!("build it by `{build}`, or name its file by --war or --jar"),
            ),
            Self::NotANumber { text } => hinted(
                format!("`{text}` is no number of connections"),
                "write a number from 1 to 60000",
            ),
            Self::UnknownFormat { text: Some(text) } => hinted(
                format!("`{text}` is no format that prony imports"),
                "formats: curl, har, openapi, vegeta; prony load --jmx FILE runs a plan of JMeter as it is",
            ),
            Self::UnknownFormat { text: None } => hinted(
                "the file is of no format that prony knows by itself",
                "name the format first: prony import curl FILE, or har, openapi, vegeta",
            ),
            Self::Authority { folder, source } => hinted(
                format!(
                    "the certificate authority in {} is of no use: {source}",
                    folder.display()
                ),
                "--ca DIR takes another folder, and makes one there",
            ),
            Self::NoBrowser { source } => hinted(
                format!("no browser can be opened: {source}"),
                "install Chromium, or leave --browser out and set the proxy in yours",
            ),
            Self::NoSource { format } => hinted(
                "no file is named",
                format!("prony import {format} FILE, or - for stdin"),
            ),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::Exists { path } => hinted(
                format!("{} 已存在，未作改动", path.display()),
                "请指定另一个文件，或删除该文件",
            ),
            Self::Unwritable { path, source } => plain(format!("无法写入 {}：{source}", path.display())),
            Self::NoSubject { text } => hinted(
                format!("`{text}` 不是 WAR、可执行 jar 或 URL"),
                "例如写 target/app.war、target/app.jar 或 http://127.0.0.1:8080/",
            ),
            Self::NotBuilt { build } => hinted(
                "该项目尚无 WAR 或可执行 jar",
                format!("请用 `{build}` 构建，或用 --war 或 --jar 指定文件"),
            ),
            Self::NotANumber { text } => hinted(format!("`{text}` 不是连接数"), "请写 1 到 60000 之间的整数"),
            Self::UnknownFormat { text: Some(text) } => hinted(
                format!("prony 不导入 `{text}` 这种格式"),
                "格式：curl、har、openapi、vegeta；prony load --jmx FILE 直接运行 JMeter 计划",
            ),
            Self::UnknownFormat { text: None } => hinted(
                "无法从文件看出格式",
                "请先写格式：prony import curl FILE，或 har、openapi、vegeta",
            ),
            Self::Authority { folder, source } => hinted(
                format!("无法使用 {} 中的证书颁发机构：{source}", folder.display()),
                "--ca DIR 使用另一个目录，首次使用时会在其中创建",
            ),
            Self::NoBrowser { source } => hinted(
                format!("无法打开浏览器：{source}"),
                "请安装 Chromium，或不用 --browser，自行在浏览器中设置代理",
            ),
            Self::NoSource { format } => hinted(
                "没有给出文件",
                format!("prony import {format} FILE，- 为标准输入"),
            ),
        }
    }
}
