//! What keeps a source from becoming a scenario.

use super::place;
use crate::say::{Message, hint, hinted, labels, plain};
use import::{Obstacle, Unsupported};
use report::Lang;

/// Returns all obstacles in a source, each with its place and what to do about it.
pub(crate) fn obstacles(all: &[Obstacle], source: &str, lang: Lang) -> String {
    let mut out = String::new();
    for obstacle in all {
        let Message {
            message,
            hint: advice,
        } = text(obstacle, lang);
        out.push_str(&format!("{}{source}: {message}\n", labels(lang).error));
        if let Some(advice) = advice {
            out.push_str(&format!("{}\n", hint(&advice, lang)));
        }
    }
    out
}

/// Returns the line that tells how to import the rest.
pub(crate) fn skip_hint(lang: Lang) -> String {
    let text = match lang {
        Lang::En => "--skip-unsupported imports the rest, and names in the file what it lacks",
        Lang::Zh => "--skip-unsupported 导入其余部分，并在文件中写明缺少什么",
    };
    format!("{}\n", hint(text, lang))
}

/// Returns an obstacle with its place.
pub(super) fn text(obstacle: &Obstacle, lang: Lang) -> Message {
    let Message { message, hint } = match lang {
        Lang::En => english(&obstacle.what),
        Lang::Zh => chinese(&obstacle.what),
    };
    let message = match (obstacle.place, lang) {
        (None, _) => message,
        (Some(at), Lang::En) => format!("{}: {message}", place(at, lang)),
        (Some(at), Lang::Zh) => format!("{}：{message}", place(at, lang)),
    };
    Message { message, hint }
}

fn english(what: &Unsupported) -> Message {
    match what {
        Unsupported::Unreadable(why) => plain(format!("cannot be read: {why}")),
        Unsupported::Nothing => plain("there is no request in it"),
        Unsupported::UnknownOption(option) => hinted(
            format!("curl's option {option} is not known"),
            "leave it out, or write the step by hand",
        ),
        Unsupported::Option(option) => hinted(
            format!("prony cannot do what curl's option {option} asks for"),
            "leave it out, if the server does not need it",
        ),
        Unsupported::NoValue(option) => plain(format!("curl's option {option} has no value")),
        Unsupported::Shell(text) => hinted(
            format!("`{text}` is for a shell, which an import does not run"),
            "write its result into the command line",
        ),
        Unsupported::OpenQuote => plain("a quote does not end"),
        Unsupported::CmdQuotes => hinted(
            "this command line was copied for cmd.exe",
            "copy it in the browser as cURL (bash)",
        ),
        Unsupported::Command(program) => hinted(
            format!("`{program}` is not curl"),
            "keep only command lines that begin with curl",
        ),
        Unsupported::NoAddress(text) => hinted(
            format!("`{text}` names no address"),
            "write for example http://localhost:8080/path",
        ),
        Unsupported::Scheme(scheme) => plain(format!("prony speaks http and https, and not {scheme}")),
        Unsupported::OtherServer { server, first } => hinted(
            format!("the request goes to {server}, and the first one to {first}"),
            "import the requests to each server by themselves: a scenario has one",
        ),
        Unsupported::Globbing(url) => hinted(
            format!("`{url}` stands for several addresses"),
            "write one command line for each, or -g if the brackets are a part of the address",
        ),
        Unsupported::Method(method) => plain(format!("scenarios have no method {method}")),
        Unsupported::Stdin => hinted(
            "the body comes from stdin",
            "put it into a file, and write -d @FILE",
        ),
        Unsupported::FieldFromFile(field) => hinted(
            format!("the field `{field}` has its value from a file"),
            "write the value into the command line",
        ),
        Unsupported::BinaryBody => hinted(
            "the body is no text",
            "put it into a file, and name it in the scenario by body_file",
        ),
        Unsupported::RepeatedPart(name) => plain(format!("the form has several parts `{name}`")),
        Unsupported::TargetLine(line) => hinted(
            format!("`{line}` is no part of a target"),
            "a target is a line as GET http://localhost:8080/, then headers, then @FILE",
        ),
        Unsupported::Version(version) => hinted(
            format!("{version} is not read"),
            "OpenAPI 3.0 and 3.1 are; converters make one of them from Swagger 2.0",
        ),
        Unsupported::Reference(reference) => hinted(
            format!("`{reference}` is not in this document"),
            "bundle the documents into one",
        ),
        Unsupported::MediaType(kind) => plain(format!("no sample can be made of {kind}")),
    }
}

fn chinese(what: &Unsupported) -> Message {
    match what {
        Unsupported::Unreadable(why) => plain(format!("无法读取：{why}")),
        Unsupported::Nothing => plain("其中没有请求"),
        Unsupported::UnknownOption(option) => {
            hinted(format!("未知的 curl 选项 {option}"), "请去掉它，或手写该步骤")
        }
        Unsupported::Option(option) => hinted(
            format!("prony 无法做到 curl 选项 {option} 的要求"),
            "若服务器不需要，请去掉它",
        ),
        Unsupported::NoValue(option) => plain(format!("curl 选项 {option} 没有值")),
        Unsupported::Shell(text) => hinted(
            format!("`{text}` 需要 shell，而导入不运行 shell"),
            "请把其结果写进命令行",
        ),
        Unsupported::OpenQuote => plain("引号没有结束"),
        Unsupported::CmdQuotes => hinted("该命令行是为 cmd.exe 复制的", "请在浏览器中复制为 cURL（bash）"),
        Unsupported::Command(program) => {
            hinted(format!("`{program}` 不是 curl"), "请只保留以 curl 开头的命令行")
        }
        Unsupported::NoAddress(text) => hinted(
            format!("`{text}` 没有给出地址"),
            "例如写 http://localhost:8080/path",
        ),
        Unsupported::Scheme(scheme) => plain(format!("prony 使用 http 和 https，不支持 {scheme}")),
        Unsupported::OtherServer { server, first } => hinted(
            format!("该请求发往 {server}，而第一个请求发往 {first}"),
            "一个场景只有一个服务器：请分别导入发往各服务器的请求",
        ),
        Unsupported::Globbing(url) => hinted(
            format!("`{url}` 代表多个地址"),
            "请为每个地址写一条命令行；若括号是地址的一部分，请加 -g",
        ),
        Unsupported::Method(method) => plain(format!("场景没有 {method} 方法")),
        Unsupported::Stdin => hinted("请求体来自标准输入", "请放入文件并写 -d @FILE"),
        Unsupported::FieldFromFile(field) => {
            hinted(format!("字段 `{field}` 的值来自文件"), "请把值写进命令行")
        }
        Unsupported::BinaryBody => hinted("请求体不是文本", "请放入文件，并在场景中用 body_file 指定"),
        Unsupported::RepeatedPart(name) => plain(format!("表单有多个名为 `{name}` 的部分")),
        Unsupported::TargetLine(line) => hinted(
            format!("`{line}` 不是目标的一部分"),
            "目标由 GET http://localhost:8080/ 这样的一行、请求头和 @FILE 组成",
        ),
        Unsupported::Version(version) => hinted(
            format!("不读取 {version}"),
            "支持 OpenAPI 3.0 和 3.1；Swagger 2.0 可用转换器转换",
        ),
        Unsupported::Reference(reference) => {
            hinted(format!("`{reference}` 不在该文档中"), "请把各文档合并为一个")
        }
        Unsupported::MediaType(kind) => plain(format!("无法为 {kind} 生成样例")),
    }
}
