//! [`SessionRequest`]: a request of a session, and what is done with its answer.

use super::{AnswerCheck, Extractor, Snippet, Template};
use crate::streaming::Streaming;
use crate::web_socket::WebSocketStep;
use model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A request of a session, and what is done with its answer. Make one with [`SessionRequest::new`] and change what differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRequest {
    /// The index of its step.
    pub step: usize,
    /// The number of the server that gets it: 0 is the server that is loaded, and any other number `n` is `n - 1` in
    /// [`super::Program::servers`].
    #[serde(default, skip_serializing_if = "is_loaded")]
    pub server: usize,
    pub method: Template,
    /// Path and query; what must be percent-encoded in them is encoded by [`super::Function::Percent`]. Empty is `/`.
    pub path: Template,
    /// Whether the path may be rendered as a whole URL.
    #[serde(default, skip_serializing_if = "UrlInPath::is_never")]
    pub url_in_path: UrlInPath,
    /// Whether the URL is sent as JMeter's client sends it ([`super::java_path`]). One with a character that Java takes for no part of a URL is not
    /// sent: the step has failed, and what it extracts is missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub strict_url: bool,
    /// Headers beside those that are always sent: `Host`, `User-Agent`, `Accept`, `Content-Length` and `Cookie`. One of the same
    /// name replaces such a header. A header whose value is rendered as nothing is sent with an empty value.
    pub headers: Vec<(Template, Template)>,
    pub body: RequestBody,
    /// The most redirects that are followed, all within this one step; 0 takes a redirect for the answer. 301, 302 and 303 are
    /// followed by GET (HEAD stays HEAD), 307 and 308 by the same method and body.
    pub redirects: u32,
    /// Whether 307 and 308 are followed for methods other than GET and HEAD, too, which sends the body again.
    pub repeats_bodies: bool,
    /// A failure when the answer is not complete after this time; `None` is what the plan says.
    pub timeout: Option<Nanos>,
    /// How an answer that comes as a row of events is taken apart; `None` takes it as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<Streaming>,
    /// What it does on the user's connection of WebSocket. A user has one at a time. To open it, the request is sent as it is, with the
    /// headers that ask for it; a message that is sent is the `body`, and its answer is the message that is awaited, with the status 101.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_socket: Option<WebSocketStep<Template>>,
    /// A timeout in milliseconds that is computed for each request, in the place of `timeout`; 0 and what is no number are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_timeout: Option<Template>,
    /// Who answers a challenge for digest authentication (status 401), within the step; `None` takes it for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestUser>,
    /// Whether the connection is kept after the answer.
    pub keep_alive: bool,
    /// Statuses of a right answer; any other is a failure. After redirects, the status of the last answer counts.
    pub statuses: Vec<RangeInclusive<u16>>,
    /// What else makes an answer right.
    pub checks: Vec<AnswerCheck>,
    /// What is taken from the answer into variables. This is done whether or not the answer is right, as in JMeter, and
    /// before `checks`.
    pub extract: Vec<Extractor>,
    /// Scripts that run behind `extract` and before `checks`, in this order.
    pub scripts: Vec<Snippet>,
}

impl SessionRequest {
    /// A request without body that follows no redirects, for which every status from 200 to 399 is right.
    pub fn new(step: usize, method: &str, path: Template) -> Self {
        Self {
            step,
            server: 0,
            method: Template::literal(method),
            path,
            url_in_path: UrlInPath::Never,
            strict_url: false,
            headers: Vec::new(),
            body: RequestBody::Nothing,
            redirects: 0,
            repeats_bodies: true,
            timeout: None,
            streaming: None,
            web_socket: None,
            computed_timeout: None,
            digest: None,
            keep_alive: true,
            statuses: vec![200..=399],
            checks: Vec::new(),
            extract: Vec::new(),
            scripts: Vec::new(),
        }
    }
}

/// A user who proves by a digest that it knows its password.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DigestUser {
    pub name: Template,
    pub password: Template,
}

/// Whether the path of a request may be rendered as a whole URL, and what its server then means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlInPath {
    /// A path is a path.
    #[default]
    Never,
    /// The request goes to the server of the URL. One that the program does not name is not asked: the step has failed.
    Named,
    /// The request goes to the server that is loaded, whatever the URL names.
    Loaded,
}

impl UrlInPath {
    /// Whether a path is always a path.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    const fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(is: &bool) -> bool {
    !*is
}

/// Whether a request goes to the server that is loaded.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_loaded(server: &usize) -> bool {
    *server == 0
}

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// None.
    #[default]
    Nothing,
    /// A text. A form is one too: its values are encoded by [`super::Function::Form`].
    Text(Template),
    /// Bytes as they are, from a file.
    Bytes(Vec<u8>),
    /// `multipart/form-data`. The header `Content-Type` is added.
    Multipart(Vec<BodyPart>),
}

/// A part of a multipart body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyPart {
    /// The name of the field.
    pub name: Template,
    /// The name of the file; `None` for a field that is no file.
    pub file_name: Option<Template>,
    /// Its `Content-Type`; `None` sends none.
    pub content_type: Option<Template>,
    /// Its content: [`RequestBody::Text`] or [`RequestBody::Bytes`].
    pub content: RequestBody,
}
