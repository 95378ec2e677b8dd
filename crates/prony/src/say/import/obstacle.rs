//! What keeps a source from becoming a scenario.

use super::{place, plan};
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
    Message {
        message: english_message(what),
        hint: english_hint(what).map(str::to_owned),
    }
}

fn english_message(what: &Unsupported) -> String {
    match what {
        Unsupported::Unreadable(why) => format!("cannot be read: {why}"),
        Unsupported::Nothing => "there is no request in it".to_owned(),
        Unsupported::UnknownOption(option) => format!("curl's option {option} is not known"),
        Unsupported::Option(option) => format!("prony cannot do what curl's option {option} asks for"),
        Unsupported::NoValue(option) => format!("curl's option {option} has no value"),
        Unsupported::Shell(text) => format!("`{text}` is for a shell, which an import does not run"),
        Unsupported::OpenQuote => "a quote does not end".to_owned(),
        Unsupported::CmdQuotes => "this command line was copied for cmd.exe".to_owned(),
        Unsupported::Command(program) => format!("`{program}` is not curl"),
        Unsupported::NoAddress(text) => format!("`{text}` names no address"),
        Unsupported::Scheme(scheme) => format!("prony speaks http and https, and not {scheme}"),
        Unsupported::OtherServer { server, first } => {
            format!("the request goes to {server}, and the first one to {first}")
        }
        Unsupported::Globbing(url) => format!("`{url}` stands for several addresses"),
        Unsupported::Method(method) => format!("scenarios have no method {method}"),
        Unsupported::Stdin => "the body comes from stdin".to_owned(),
        Unsupported::FieldFromFile(field) => format!("the field `{field}` has its value from a file"),
        Unsupported::BinaryBody => "the body is no text".to_owned(),
        Unsupported::RepeatedPart(name) => format!("the form has several parts `{name}`"),
        Unsupported::TargetLine(line) => format!("`{line}` is no part of a target"),
        Unsupported::Version(version) => format!("{version} is not read"),
        Unsupported::Reference(reference) => format!("`{reference}` is not in this document"),
        Unsupported::MediaType(kind) => format!("no sample can be made of {kind}"),
        Unsupported::Plan(part) => plan::part(*part, Lang::En).to_owned(),
    }
}

const fn english_hint(what: &Unsupported) -> Option<&'static str> {
    Some(match what {
        Unsupported::UnknownOption(_) => "leave it out, or write the step by hand",
        Unsupported::Option(_) => "leave it out, if the server does not need it",
        Unsupported::Shell(_) => "write its result into the command line",
        Unsupported::CmdQuotes => "copy it in the browser as cURL (bash)",
        Unsupported::Command(_) => "keep only command lines that begin with curl",
        Unsupported::NoAddress(_) => "write for example http://localhost:8080/path",
        Unsupported::OtherServer { .. } => {
            "import the requests to each server by themselves: a scenario has one"
        }
        Unsupported::Globbing(_) => {
            "write one command line for each, or -g if the brackets are a part of the address"
        }
        Unsupported::Stdin => "put it into a file, and write -d @FILE",
        Unsupported::FieldFromFile(_) => "write the value into the command line",
        Unsupported::BinaryBody => "put it into a file, and name it in the scenario by body_file",
        Unsupported::TargetLine(_) => {
            "a target is a line as GET http://localhost:8080/, then headers, then @FILE"
        }
        Unsupported::Version(_) => "OpenAPI 3.0 and 3.1 are; converters make one of them from Swagger 2.0",
        Unsupported::Reference(_) => "bundle the documents into one",
        Unsupported::Plan(_) => plan::hint(Lang::En),
        Unsupported::Unreadable(_)
        | Unsupported::Nothing
        | Unsupported::NoValue(_)
        | Unsupported::OpenQuote
        | Unsupported::Scheme(_)
        | Unsupported::Method(_)
        | Unsupported::RepeatedPart(_)
        | Unsupported::MediaType(_) => return None,
    })
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
        Unsupported::Plan(part) => hinted(plan::part(*part, Lang::Zh), plan::hint(Lang::Zh)),
    }
}
