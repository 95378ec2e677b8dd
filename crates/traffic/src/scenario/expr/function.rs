//! [`Function`]: what an expression can ask for and do.

use super::{Conversion, NumberKind};
use crate::scenario::TimePart;
use serde::{Deserialize, Serialize};

/// A function. The arguments are rendered or computed first, in order. Random numbers come from the seed of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Function {
    /// The number of the user within its group, from 1, unique over all load machines.
    UserNumber,
    /// The number of the user's present iteration, from 1.
    Iteration,
    /// The number of the present iteration among the iterations of all users, from 0, unique over all load machines.
    Session,
    /// The name of the user's group.
    GroupName,
    /// Whether the last request got a right answer.
    Succeeded,
    /// A part of the last answer. Where no script follows an answer, only its status is known.
    Response(ResponsePart),
    /// Whether the variable of this slot is set.
    IsSet(usize),
    /// The next number of a counter.
    Next {
        /// Its index in [`Program::counters`](crate::scenario::Program::counters).
        counter: usize,
        /// The least number of digits; shorter numbers begin with zeros.
        digits: u8,
    },
    /// Takes the next row of a data source, see [`Action::NextRow`](crate::scenario::Action::NextRow); nothing.
    NextRow(usize),
    /// The value, which is put into the variable of this slot, too.
    Keep(usize),
    /// The value of a variable of the user: name.
    Variable,
    /// Gives a variable of the user a value: name, value.
    PutVariable,
    /// Removes a variable of the user: name.
    RemoveVariable,
    /// A property, which all users share: name, and optionally a default.
    Property,
    /// Gives a property a value: name, value.
    PutProperty,
    /// Sets whether the last request succeeded.
    SetSucceeded,
    /// Fails the last request: message.
    Fail,
    /// Pauses the user: milliseconds.
    Sleep,
    /// Does nothing, such as a line for the log.
    Nothing,
    /// The present time, with so many milliseconds added to it, which may be left out. It is written so; no parts are a number of
    /// milliseconds since 1970.
    Time(Vec<TimePart>),
    /// A time as text: Java's pattern, milliseconds since 1970.
    FormatTime,
    /// A random integer: the least and the most, both included.
    RandomInteger {
        /// The least number of digits; shorter numbers begin with zeros.
        digits: u8,
    },
    /// A random whole number, from the first argument up to but without the second.
    RandomBetween,
    /// A random number from 0 up to 1.
    Random,
    /// Random characters: how many, and from which they are drawn; none takes ASCII letters and digits.
    RandomText,
    /// One of the arguments, drawn.
    Pick,
    /// A random UUID (version 4).
    Uuid,
    /// Percent-encoded for a path or a query: all but letters, digits and `-._~` (RFC 3986).
    Percent,
    /// Encoded for a form: as [`Function::Percent`], with `+` for spaces, and `*` as it is.
    Form,
    /// What was percent-encoded, decoded.
    Decode,
    /// Base64 with padding.
    Base64,
    /// Base64, decoded; nothing where it is wrong.
    Base64Decode,
    /// The digest of a text in UTF-8, in hexadecimal digits with small letters.
    Digest(DigestAlgorithm),
    /// With `&`, `<`, `>`, `"` and `'` as the entities that XML has for them; control characters that XML does not allow are dropped.
    XmlText,
    /// With the entities that HTML 4 has for its characters, see [`crate::scenario::escape_html`].
    HtmlText,
    /// With the characters for which entities of HTML 4 stand, see [`crate::scenario::unescape_html`].
    UnescapeHtml,
    /// With `\`, `"`, control characters and line breaks escaped as in a JSON string.
    JsonText,
    Upper,
    Lower,
    /// Whether two texts are equal.
    Equals,
    EqualsIgnoreCase,
    StartsWith,
    EndsWith,
    IsEmpty,
    Length,
    Trim,
    ToInteger,
    ToFloat,
    ToText,
    /// The characters of a text from one number up to but without another: text, from, to. The last one may be left out.
    Substring,
    /// The number of the character from which on the second text stands in the first, from 0; -1 where it does not.
    IndexOf,
    /// The text with each occurrence of the second text replaced by the third.
    Replace,
    /// The text with what a regular expression fits replaced by a text: text, expression, text.
    ReplaceMatches {
        /// Whether each place is replaced; otherwise the first one.
        all: bool,
    },
    /// The text from its end to its begin.
    Reverse,
    /// The text with a large first letter.
    Capitalize,
    /// The text with spaces, or with the third argument, before it, so that it has so many characters: text, number.
    PadLeft,
    /// The text with spaces, or with the third argument, behind it, so that it has so many characters: text, number.
    PadRight,
    /// A text by a pattern of Java's `String.format`: pattern, values. The pattern has `%d`, `%s` and widths only.
    Format,
    /// The number of the character from which on the second text stands in the first for the last time; -1 where it does not.
    LastIndexOf,
    /// The parts of the text between the occurrences of the second text.
    Split,
    /// The parts of the text that are not empty and have no character of the second text.
    Tokenize,
    /// The items of a list as one text, with the second argument between them if it is there.
    Join,
    /// The whole numbers or characters from the first argument to the second, upwards or downwards.
    Range {
        /// Whether the second argument belongs to them.
        includes_end: bool,
    },
    /// The value as a number of this kind.
    Number(Conversion, NumberKind),
    /// Whether the value is true by the rules of the language.
    ToBool,
    /// The value to which a JSONPath leads in a JSON text: text, path. Null where it leads to nothing; what is no JSON fails, and so does a
    /// value that has others within it, but for a list of simple ones.
    Json,
    /// The kind of the value to which a JSONPath leads in a JSON text, see [`super::ExprHost::json_kind`]: text, path. What is no JSON fails.
    JsonKind,
    /// The sum of integers; what is no integer counts as 0.
    Sum,
    /// The largest whole number that is not larger.
    Floor,
    /// The nearest whole number.
    Round,
    /// The smallest whole number that is not smaller.
    Ceiling,
    /// The number without its sign.
    Absolute,
    /// The smaller number.
    Minimum,
    /// The larger number.
    Maximum,
}

/// How a digest is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DigestAlgorithm {
    /// MD5 (RFC 1321).
    Md5,
    /// SHA-1 (FIPS 180-4).
    Sha1,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
}

impl DigestAlgorithm {
    /// Returns the algorithm of this name in Java; `None` for one that is not known here.
    pub fn of_java(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "MD5" => Self::Md5,
            "SHA" | "SHA1" | "SHA-1" => Self::Sha1,
            "SHA-256" => Self::Sha256,
            "SHA-384" => Self::Sha384,
            "SHA-512" => Self::Sha512,
            _ => return None,
        })
    }
}

/// A part of the last answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponsePart {
    /// The status, such as `200`.
    Status,
    /// The reason phrase, such as `OK`.
    Reason,
    /// The body as text.
    Body,
    /// The head of the answer.
    Head,
    /// The time that it took, in milliseconds.
    Milliseconds,
    /// The whole URL of its request.
    Url,
}

impl Function {
    /// Whether its value is a text that is written piece by piece, so that nothing has to be allocated for it.
    pub(super) fn is_written(&self) -> bool {
        match self {
            Self::Time(format) => !format.is_empty(),
            Self::RandomInteger { .. }
            | Self::RandomText
            | Self::Pick
            | Self::Uuid
            | Self::Next { .. }
            | Self::GroupName
            | Self::Keep(_)
            | Self::Percent
            | Self::Form
            | Self::Decode
            | Self::Base64
            | Self::Base64Decode
            | Self::Digest(_)
            | Self::XmlText
            | Self::HtmlText
            | Self::UnescapeHtml
            | Self::JsonText => true,
            _ => false,
        }
    }
}
