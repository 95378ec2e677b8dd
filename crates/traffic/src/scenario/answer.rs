//! [`Extractor`]: what is taken from an answer into a variable; [`AnswerCheck`]: what makes an answer right.

use super::{Comparison, Template};
use model::units::Nanos;
use say::Say;
use serde::{Deserialize, Serialize};

/// A part of an answer, or a text that is looked at in its place.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
pub enum AnswerPart {
    /// The body.
    #[say(en = "the body", zh = "正文")]
    Body,
    /// The body with the characters for which entities of HTML stand, see [`super::unescape_html`].
    #[say(en = "the body without entities", zh = "去除实体后的正文")]
    UnescapedBody,
    /// The status line and all headers, each with its line break.
    #[say(en = "the head", zh = "应答头")]
    Head,
    /// The value of a header; several of the same name are joined by `, `.
    #[say(en = "the header `{0}`", zh = "`{0}` 头")]
    Header(String),
    /// The status code, three digits.
    #[say(en = "the status", zh = "状态码")]
    Status,
    /// The reason phrase behind the status code.
    #[say(en = "the reason phrase", zh = "原因短语")]
    Reason,
    /// The URL of the request, without scheme and host.
    #[say(en = "the URL", zh = "URL")]
    Url,
    /// The method, line and headers of the request.
    #[say(en = "the head of the request", zh = "请求头")]
    RequestHead,
    /// The body of the request.
    #[say(en = "the body of the request", zh = "请求正文")]
    RequestBody,
    /// The value of a variable, by its slot.
    #[say(en = "the variable", zh = "变量")]
    Variable(usize),
}

/// Takes something from an answer into a variable or a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extractor {
    /// How it is found.
    pub from: ExtractFrom,
    /// Which of several matches.
    pub which: Which,
    /// Where it is put.
    pub into: Found,
    /// What happens if there is no such match.
    pub missing: IfMissing,
}

/// How something is found in an answer. A pattern without variables is compiled once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExtractFrom {
    /// By a JSONPath ([`super::JsonPath`]). A string is taken without its quotes, anything else as it is written in the answer.
    Json { part: AnswerPart, path: Template },
    /// By a regular expression.
    Regex {
        part: AnswerPart,
        pattern: Template,
        /// What is made of the groups of a match.
        text: Vec<GroupText>,
    },
    /// The value of a header.
    Header(String),
    /// The value of a cookie that the answer sets, or that the user has already.
    Cookie(String),
    /// What stands between two texts: each time the shortest.
    Between {
        part: AnswerPart,
        /// The text before it.
        left: Template,
        /// The text behind it.
        right: Template,
    },
    /// By an [`XPath`](super::XPath) in a document. The value of an element is the text with which it begins.
    XPath {
        part: AnswerPart,
        path: Template,
        form: DocumentForm,
        /// Whether the value of an element is its source.
        whole: bool,
    },
    /// By a [`CssSelector`](super::CssSelector) in an HTML page.
    Css {
        part: AnswerPart,
        selector: Template,
        /// The attribute whose value is taken, nothing where an element lacks it; `None` takes the text of the element.
        attribute: Option<Template>,
    },
    /// The images, scripts, style sheets and frames that an HTML page embeds from its own server: their paths, each once and in the
    /// order of the page. The regular expressions are compared with the whole URL.
    Resources {
        /// Only those that fit are taken; `None` takes all.
        only: Option<Template>,
        /// Those that fit are left out.
        never: Option<Template>,
    },
    /// The links and frames of an HTML page to its own server: their paths with their queries.
    Links {
        /// A regular expression that fits the whole path of a link without its query.
        path: Template,
        /// Regular expressions. Each of them is found in the decoded query.
        query: Vec<Template>,
    },
}

/// What a text has to be so that XPaths lead through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentForm {
    /// A well-formed XML document.
    Xml,
    /// Any HTML page, read about as Tidy reads it: elements are closed where HTML closes them, names are in lower case, and spaces of texts are
    /// single. A text that begins as XML is taken for XML.
    Tidied,
}

/// A part of a text that is made of the groups of a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupText {
    /// Fixed text.
    Literal(String),
    /// The group of this number; 0 is the whole match.
    Group(usize),
}

/// Which of several matches is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// The one of this number, from 1.
    Number(u32),
    /// A random one.
    Random,
    /// All of them; into a variable they are joined by commas.
    All,
}

/// Where something that was extracted is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// Into the variable of this slot.
    Variable(usize),
    /// Into the list of this slot among the lists.
    List(usize),
}

/// What happens if there is nothing to extract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum IfMissing {
    /// The step has failed, and the variable is unset.
    Fail,
    /// The variable keeps its value.
    Keep,
    /// The variable gets this value (a list becomes empty).
    Default(Template),
}

/// What makes an answer right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AnswerCheck {
    /// A text of the answer passes a test.
    Text {
        /// Which text. A header that is not there is an empty text.
        part: AnswerPart,
        test: TextTest,
        /// What the text is compared with.
        patterns: Vec<Template>,
        /// Whether it is enough that one of the patterns fits; otherwise all must.
        any: bool,
        /// Whether each pattern must not fit.
        not: bool,
    },
    /// The body is JSON, and a path in it has a value that passes the test.
    Json {
        path: Template,
        /// The test and what the value is compared with; `None` only asks for a value.
        expected: Option<(TextTest, Template)>,
        /// Whether the answer is right if this does not hold.
        not: bool,
    },
    /// The body is well-formed XML.
    Xml,
    /// A text is a document, and an [`XPath`](super::XPath) holds in it: it is true, or leads to something.
    XPath {
        part: AnswerPart,
        path: Template,
        form: DocumentForm,
        /// Whether the answer is right if this does not hold.
        not: bool,
    },
    /// The answer has a header, whatever its value.
    HasHeader(String),
    /// The size of a part in bytes compares so with this number.
    Size { of: AnswerSize, how: Comparison, bytes: Template },
    /// The answer is complete within this time after it was sent.
    Within(Nanos),
}

/// The part of an answer whose size is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
pub enum AnswerSize {
    #[say(en = "the body", zh = "正文")]
    Body,
    /// With the status line and the empty line.
    #[say(en = "the head", zh = "应答头")]
    Head,
    /// Head and body.
    #[say(en = "the answer", zh = "应答")]
    Whole,
}

/// How a text is compared with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextTest {
    /// Both are the same.
    Equals,
    /// The pattern occurs in the text.
    Contains,
    /// The whole text fits the pattern, a regular expression.
    Matches,
    /// A part of the text fits the pattern, a regular expression.
    Finds,
}
