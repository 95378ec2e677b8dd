//! Why a step of a session has failed.

use super::Lang;
use crate::units;
use model::scenario::{AnswerPart, StepFailure, TextTest};

/// The sentence for a failure.
pub fn step_failure(failure: &StepFailure, lang: Lang) -> String {
    match lang {
        Lang::En => english(failure),
        Lang::Zh => chinese(failure),
    }
}

fn english(failure: &StepFailure) -> String {
    match failure {
        StepFailure::NoAnswer(fault) => format!("no complete answer came ({fault})"),
        StepFailure::Status(status) => format!("the status was {status}"),
        StepFailure::NotExtracted(name) => format!("the answer had nothing for the variable `{name}`"),
        StepFailure::Text { part, test, not, pattern } => {
            let verb = match (test, not) {
                (TextTest::Equals, false) => "is not",
                (TextTest::Equals, true) => "is",
                (TextTest::Contains, false) => "does not contain",
                (TextTest::Contains, true) => "contains",
                (TextTest::Matches | TextTest::Finds, false) => "does not match",
                (TextTest::Matches | TextTest::Finds, true) => "matches",
            };
            format!("{} {verb} `{pattern}`", english_part(part))
        }
        StepFailure::Json { path, found: Some(found) } => format!("`{path}` is `{found}`"),
        StepFailure::Json { path, found: None } => format!("`{path}` leads to nothing"),
        StepFailure::NoHeader(name) => format!("the answer has no header `{name}`"),
        StepFailure::Size(size) => format!("the body has {size} bytes"),
        StepFailure::TooSlow { took, most } => format!(
            "the answer took {} and may take {}",
            units::seconds(took.as_secs_f64()),
            units::seconds(most.as_secs_f64())
        ),
        StepFailure::TooManyRedirects => "it was redirected too often".to_owned(),
        StepFailure::RedirectElsewhere(location) => {
            format!("it was redirected to a server that no step names: {location}")
        }
        StepFailure::Script(message) if message.is_empty() => "a script of the plan failed it".to_owned(),
        StepFailure::Script(message) => format!("a script of the plan failed it: {message}"),
    }
}

fn english_part(part: &AnswerPart) -> String {
    match part {
        AnswerPart::Body => "the body".to_owned(),
        AnswerPart::Head => "the head".to_owned(),
        AnswerPart::Header(name) => format!("the header `{name}`"),
        AnswerPart::Status => "the status".to_owned(),
        AnswerPart::Reason => "the reason phrase".to_owned(),
        AnswerPart::Url => "the URL".to_owned(),
        AnswerPart::RequestHead => "the head of the request".to_owned(),
        AnswerPart::RequestBody => "the body of the request".to_owned(),
        AnswerPart::Variable(_) => "the variable".to_owned(),
    }
}

fn chinese(failure: &StepFailure) -> String {
    match failure {
        StepFailure::NoAnswer(fault) => format!("没有收到完整的应答（{fault}）"),
        StepFailure::Status(status) => format!("状态码为 {status}"),
        StepFailure::NotExtracted(name) => format!("应答中没有变量 `{name}` 的内容"),
        StepFailure::Text { part, test, not, pattern } => {
            let verb = match (test, not) {
                (TextTest::Equals, false) => "不等于",
                (TextTest::Equals, true) => "等于",
                (TextTest::Contains, false) => "不包含",
                (TextTest::Contains, true) => "包含",
                (TextTest::Matches | TextTest::Finds, false) => "不匹配",
                (TextTest::Matches | TextTest::Finds, true) => "匹配",
            };
            format!("{}{verb} `{pattern}`", chinese_part(part))
        }
        StepFailure::Json { path, found: Some(found) } => format!("`{path}` 为 `{found}`"),
        StepFailure::Json { path, found: None } => format!("`{path}` 没有指向任何值"),
        StepFailure::NoHeader(name) => format!("应答没有 `{name}` 头"),
        StepFailure::Size(size) => format!("正文有 {size} 字节"),
        StepFailure::TooSlow { took, most } => format!(
            "应答用了 {}，上限为 {}",
            units::seconds(took.as_secs_f64()),
            units::seconds(most.as_secs_f64())
        ),
        StepFailure::TooManyRedirects => "重定向次数过多".to_owned(),
        StepFailure::RedirectElsewhere(location) => format!("被重定向到没有步骤指定的服务器：{location}"),
        StepFailure::Script(message) if message.is_empty() => "计划中的脚本判定其失败".to_owned(),
        StepFailure::Script(message) => format!("计划中的脚本判定其失败：{message}"),
    }
}

fn chinese_part(part: &AnswerPart) -> String {
    match part {
        AnswerPart::Body => "正文".to_owned(),
        AnswerPart::Head => "应答头".to_owned(),
        AnswerPart::Header(name) => format!("`{name}` 头"),
        AnswerPart::Status => "状态码".to_owned(),
        AnswerPart::Reason => "原因短语".to_owned(),
        AnswerPart::Url => "URL".to_owned(),
        AnswerPart::RequestHead => "请求头".to_owned(),
        AnswerPart::RequestBody => "请求正文".to_owned(),
        AnswerPart::Variable(_) => "变量".to_owned(),
    }
}
