//! [`StepFailure`]: why a step has failed; [`FirstFailure`]: the first answer that was wrong.

use super::{AnswerPart, AnswerSize, TextTest};
use crate::grpc::{GrpcFlaw, named_status};
use crate::web_socket::WebSocketFlaw;
use model::units::Nanos;
use say::{Say, numbers};
use serde::{Deserialize, Serialize};

/// The most characters of an answer that a sentence quotes.
const EXCERPT: usize = 60;
/// The most characters of what an answer with another status says.
const LONGEST_SAID: usize = 120;

/// Why a step has failed.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
pub enum StepFailure {
    /// No complete answer came; the name of the fault.
    #[say(en = "no complete answer came ({0})", zh = "没有收到完整的应答（{0}）")]
    NoAnswer(String),
    /// No connection came about to this address, for this reason in the words of the system.
    #[say(en = "connecting to {address} failed: {why}", zh = "连接 {address} 失败：{why}")]
    NotConnected { address: String, why: String },
    /// No connection came about to this address in time.
    #[say(
        en = "no connection to {address} came about within {most}",
        zh = "{most} 内未能与 {address} 建立连接",
        most = numbers::fine_seconds(most.as_secs_f64())
    )]
    ConnectTooSlow {
        address: String,
        /// How long it may take.
        most: Nanos,
    },
    /// The connection to this address broke, for this reason in the words of the system.
    #[say(en = "the connection to {address} broke: {why}", zh = "与 {address} 的连接中断：{why}")]
    ConnectionLost { address: String, why: String },
    /// TLS failed, in its handshake or behind it, for this reason in the words of its library.
    #[say(en = "TLS failed: {0}", zh = "TLS 失败：{0}")]
    Tls(String),
    /// The answer had this status.
    #[say(en = "the status was {0}", zh = "状态码为 {0}")]
    Status(u16),
    /// The answer was not HTTP, or its head was too long.
    #[say(en = "the answer was not HTTP", zh = "应答不是合法的 HTTP")]
    NotHttp,
    /// Bytes came that no request had asked for, behind an answer whose body had this length.
    #[say(
        en = "more bytes came behind an answer that says it has {0} bytes",
        zh = "应答声明正文为 {0} 字节，其后却还有多余的字节"
    )]
    Surplus(u64),
    /// The body, of this length, was not the expected one.
    #[say(en = "the body of {0} bytes was not the expected one", zh = "{0} 字节的正文与预期不符")]
    Body(u64),
    /// An answer that streams ended after so many events.
    #[say(
        en = "the answer ended after {events} {events|event|events}{asked?, and not after {}}",
        zh = "应答在 {events} 个事件后结束{asked?，而应为 {} 个}"
    )]
    Events {
        events: u64,
        /// The number that was asked for; `None` is any number from one on.
        asked: Option<u64>,
    },
    /// The bytes of an answer of gRPC were not as they must be.
    #[say(transparent)]
    Grpc(GrpcFlaw),
    /// A call of gRPC ended with this status.
    #[say(
        en = "the status of gRPC was {status}{message?: {}}",
        zh = "gRPC 状态码为 {status}{message?：{}}",
        status = named_status(*status)
    )]
    GrpcStatus {
        status: u32,
        /// What the server says about it (`grpc-message`), if it says anything.
        message: Option<String>,
    },
    /// The server broke the protocol of WebSocket, or does not speak it.
    #[say(transparent)]
    WebSocket(WebSocketFlaw),
    /// The server closed a connection of WebSocket while a message was awaited.
    #[say(
        en = "the server closed the WebSocket{code? with the code {}}{reason?: {}}",
        zh = "服务器关闭了 WebSocket{code?，状态码 {}}{reason?：{}}"
    )]
    WebSocketClosed {
        /// The code, if it told one.
        code: Option<u16>,
        /// What it says about it, if it says anything.
        reason: Option<String>,
    },
    /// The awaited message did not come, and so many others did.
    #[say(
        en = "the awaited message did not come in time; {0} {0|other|others} did",
        zh = "等待的消息没有按时到达；收到了 {0} 条其他消息"
    )]
    OtherMessages(u64),
    /// Nothing was found for this variable.
    #[say(en = "the answer had nothing for the variable `{0}`", zh = "应答中没有变量 `{0}` 的内容")]
    NotExtracted(String),
    /// A text of the answer does not pass a test.
    #[say(
        en = "{part} {outcome} `{pattern}`",
        zh = "{part}{outcome} `{pattern}`",
        outcome = Outcome::of(*test, *not)
    )]
    Text {
        part: AnswerPart,
        test: TextTest,
        /// Whether it must not pass it.
        not: bool,
        /// What it was compared with.
        pattern: String,
    },
    /// What a JSONPath leads to is not what it should be.
    #[say(en = "`{path}` {found?is `{}`|leads to nothing}", zh = "`{path}` {found?为 `{}`|没有指向任何值}")]
    Json {
        path: String,
        /// What it leads to; `None` if it leads to nothing.
        found: Option<String>,
    },
    /// The answer lacks this header.
    #[say(en = "the answer has no header `{0}`", zh = "应答没有 `{0}` 头")]
    NoHeader(String),
    /// A part has so many bytes.
    #[say(en = "{of} has {bytes} bytes", zh = "{of}有 {bytes} 字节")]
    Size { of: AnswerSize, bytes: u64 },
    /// The answer took too long.
    #[say(
        en = "the answer took {took} and may take {most}",
        zh = "应答用了 {took}，上限为 {most}",
        took = numbers::fine_seconds(took.as_secs_f64()),
        most = numbers::fine_seconds(most.as_secs_f64())
    )]
    TooSlow {
        /// How long it took.
        took: Nanos,
        /// How long it may take.
        most: Nanos,
    },
    /// A script of the plan says that the answer is wrong, with this message.
    #[say(
        en = "a script of the plan failed it{message?: {}}",
        zh = "计划中的脚本判定其失败{message?：{}}",
        message = Some(_0).filter(|message| !message.is_empty())
    )]
    Script(String),
    /// It was redirected more often than the step follows.
    #[say(en = "it was redirected too often", zh = "重定向次数过多")]
    TooManyRedirects,
    /// It was redirected to another server, which is not loaded.
    #[say(
        en = "it was redirected to a server that no step names: {0}",
        zh = "被重定向到没有步骤指定的服务器：{0}"
    )]
    RedirectElsewhere(String),
    /// The URL of the request names another server, which is not loaded.
    #[say(
        en = "it was not sent: its URL names a server that the plan does not name: {0}",
        zh = "未发送：其 URL 指定了计划未指定的服务器：{0}"
    )]
    UrlElsewhere(String),
    /// The URL of the request has a character for which JMeter does not send it.
    #[say(
        en = "it was not sent: its URL has the character `{character}`, which JMeter cannot send: {url}",
        zh = "未发送：其 URL 含有 JMeter 无法发送的字符 `{character}`：{url}"
    )]
    IllegalUrl { url: String, character: char },
    /// The answer is no well-formed XML.
    #[say(en = "the answer is no XML: {0}", zh = "应答不是 XML：{0}")]
    NoXml(String),
    /// An XPath of the plan does not hold, or one that must not hold does.
    #[say(en = "the XPath `{path}` {not?holds|does not hold}", zh = "XPath `{path}` {not?成立|不成立}", not = (*not).then_some(""))]
    XPath {
        path: String,
        /// Whether it must not hold.
        not: bool,
    },
}

/// The first answer that was wrong, or where none was, the first connection that failed.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "`{request}`: {why}{shown?: `{}`}", zh = "`{request}`：{why}{shown?：`{}`}", shown = excerpt(why, answer))]
pub struct FirstFailure {
    pub why: StepFailure,
    /// The line of the request, shortened; of TLS that failed, the name of the server.
    pub request: String,
    /// The begin of the answer, with secrets masked; empty where none came.
    pub answer: String,
}

impl FirstFailure {
    /// Whether a connection failed, so that no answer shows what is wrong.
    pub const fn is_of_connection(&self) -> bool {
        matches!(
            self.why,
            StepFailure::NotConnected { .. }
                | StepFailure::ConnectTooSlow { .. }
                | StepFailure::ConnectionLost { .. }
        )
    }

    /// Whether it takes the place of what was kept before: a wrong answer tells more than a connection that failed.
    pub fn replaces(&self, kept: Option<&Self>) -> bool {
        kept.is_none_or(|kept| kept.is_of_connection() && !self.is_of_connection())
    }

    /// The first line of the answer, with its status, and the first one of what it says; `None` where no answer came.
    pub fn said(&self) -> Option<String> {
        if let StepFailure::GrpcStatus { status, message } = &self.why {
            let text = message.as_ref().map_or_else(String::new, |message| format!(": {message}"));
            return Some(format!("gRPC {}{text}", named_status(*status)));
        }
        let status = self.answer.lines().next().map(str::trim).filter(|line| !line.is_empty())?;
        Some(match first_line(&self.answer) {
            Some(line) => format!("{status}: {line}"),
            None => status.to_owned(),
        })
    }
}

/// The bytes that show what is wrong, on one line; `None` where `why` says it all.
fn excerpt(why: &StepFailure, answer: &str) -> Option<String> {
    let is_telling = matches!(
        why,
        StepFailure::NotHttp | StepFailure::Surplus(_) | StepFailure::Body(_) | StepFailure::OtherMessages(_)
    );
    let text: String = match why {
        StepFailure::Status(_) => return first_line(answer),
        _ => answer.chars().take(EXCERPT).flat_map(char::escape_default).collect(),
    };
    Some(text).filter(|text| is_telling && !text.is_empty())
}

/// The first line of the body of an answer that says something, without marks of HTML; of a page, its title. `None` where it says nothing.
fn first_line(answer: &str) -> Option<String> {
    let body = answer.split_once("\n\n").map(|(_, body)| body)?;
    let title = body.split_once("<title>").map(|(_, rest)| rest.split("</title>").next().unwrap_or(rest));
    let lines = title.unwrap_or(body).lines().map(|line| without_marks(line).trim().to_owned());
    let mut lines = lines.filter(|line| !line.is_empty());
    let first = lines.next()?;
    // The length of a chunk is no part of what is said.
    let is_size = first.chars().all(|c| c.is_ascii_hexdigit());
    let line = if is_size { lines.next().unwrap_or(first) } else { first };
    let mut short: String = line.chars().take(LONGEST_SAID).collect();
    if line.chars().nth(LONGEST_SAID).is_some() {
        short.push('…');
    }
    Some(short)
}

/// A line of HTML without its marks.
fn without_marks(line: &str) -> String {
    let mut is_within = false;
    let text = line.chars().filter(|c| {
        let is_text = !is_within && *c != '<';
        is_within = *c == '<' || is_within && *c != '>';
        is_text
    });
    text.collect()
}

/// What the test of a text has shown, which was not to be so.
#[derive(Say)]
enum Outcome {
    #[say(en = "is", zh = "等于")]
    Is,
    #[say(en = "is not", zh = "不等于")]
    IsNot,
    #[say(en = "contains", zh = "包含")]
    Contains,
    #[say(en = "does not contain", zh = "不包含")]
    ContainsNot,
    #[say(en = "matches", zh = "匹配")]
    Matches,
    #[say(en = "does not match", zh = "不匹配")]
    MatchesNot,
}

impl Outcome {
    /// The outcome of a failed test; `not` says that it must not be passed.
    const fn of(test: TextTest, not: bool) -> Self {
        match (test, not) {
            (TextTest::Equals, false) => Self::IsNot,
            (TextTest::Equals, true) => Self::Is,
            (TextTest::Contains, false) => Self::ContainsNot,
            (TextTest::Contains, true) => Self::Contains,
            (TextTest::Matches | TextTest::Finds, false) => Self::MatchesNot,
            (TextTest::Matches | TextTest::Finds, true) => Self::Matches,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use say::{Language, text};

    #[test]
    fn an_answer_with_another_status_is_quoted_by_its_first_line() {
        let said = |answer: &str| {
            let request = "GET /cart HTTP/1.1".to_owned();
            let first = FirstFailure { why: StepFailure::Status(500), request, answer: answer.to_owned() };
            text(&first, Language::En)
        };
        let head = "HTTP/1.1 500 \ncontent-length: 3\n\n";
        let begin = "`GET /cart HTTP/1.1`: the status was 500";
        assert_eq!(said(head), begin);
        assert_eq!(said("HTTP/1.1 500 "), begin);
        assert_eq!(said(&format!("{head}no connection\nat shop.Pool")), format!("{begin}: `no connection`"));
        assert_eq!(said(&format!("{head}1f4\n{{\"status\":500}}")), format!("{begin}: `{{\"status\":500}}`"));
        let page = "<!doctype html><html><head><title>HTTP Status 500 – Error</title><style>b {}</style>";
        assert_eq!(said(&format!("{head}{page}")), format!("{begin}: `HTTP Status 500 – Error`"));
        assert_eq!(
            said(&format!("{head}<html>\n<p>pool is <b>dry</b></p>")),
            format!("{begin}: `pool is dry`")
        );
        assert_eq!(said(&format!("{head}bad\n")), format!("{begin}: `bad`"));
        assert!(said(&format!("{head}{}", "x".repeat(500))).ends_with("x…`"));
        let first = |answer: &str| {
            let (why, request) = (StepFailure::Status(500), String::new());
            FirstFailure { why, request, answer: answer.to_owned() }.said()
        };
        assert_eq!(first(&format!("{head}pool is dry")).as_deref(), Some("HTTP/1.1 500: pool is dry"));
        assert_eq!((first(head).as_deref(), first("")), (Some("HTTP/1.1 500"), None));
    }

    #[test]
    fn a_call_of_grpc_that_fails_tells_its_status_and_the_message_of_the_server() {
        let first = |message: Option<&str>| FirstFailure {
            why: StepFailure::GrpcStatus { status: 14, message: message.map(str::to_owned) },
            request: "POST /shop.Orders/Place HTTP/1.1".to_owned(),
            answer: "grpc-status: 14\ngrpc-message: pool%20is%20dry\n\n".to_owned(),
        };
        let begin = "`POST /shop.Orders/Place HTTP/1.1`: the status of gRPC was 14 UNAVAILABLE";
        assert_eq!(text(&first(Some("pool is dry")), Language::En), format!("{begin}: pool is dry"));
        assert_eq!(text(&first(None), Language::En), begin);
        assert_eq!(first(Some("pool is dry")).said().as_deref(), Some("gRPC 14 UNAVAILABLE: pool is dry"));
    }
}
