//! [`Call`]: what one command line of curl asks for.

use super::flags::{self, BodyFlag, Flag};
use super::form;
use crate::address::{encoded, form_encoded};
use crate::marks::has_variable;
use crate::multipart::SentPart;
use crate::remark::{Place, Remark, Unsupported};
use crate::request::StepMaker;

/// What one command line asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    pub(super) urls: Vec<String>,
    pub(super) method: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    /// Names of headers that curl would send, and that the call takes away.
    pub(super) taken: Vec<String>,
    /// The data of all options together.
    pub(super) data: Option<String>,
    /// A file that is the whole data, and whether its line breaks are left out.
    pub(super) file: Option<(String, bool)>,
    /// A file that is uploaded.
    pub(super) upload: Option<String>,
    pub(super) form: Vec<SentPart>,
    /// What `--url-query` adds to the query.
    pub(super) query: Vec<String>,
    /// What stands for path and query.
    pub(super) target: Option<String>,
    pub(super) user: Option<String>,
    pub(super) bearer: Option<String>,
    pub(super) cookies: Vec<String>,
    /// Whether cookies of answers are sent back, because a file keeps them.
    pub(super) keeps_cookies: bool,
    pub(super) timeout: Option<f64>,
    pub(super) redirects: Option<u32>,
    pub(super) follows: bool,
    pub(super) is_get: bool,
    pub(super) is_head: bool,
    pub(super) is_json: bool,
    pub(super) has_globbing: bool,
    pub(super) keeps_dots: bool,
    /// What the command reads from its standard input.
    pub(super) stdin: Option<String>,
    pub(super) remarks: Vec<Remark>,
}

/// Reads the options of a call; what is not supported is added to the obstacles.
pub(super) fn read(words: &[String], stdin: Option<&str>, place: Place, maker: &mut StepMaker) -> Call {
    let stdin = stdin.map(str::to_owned);
    let mut reader = Reader { call: Call { has_globbing: true, stdin, ..Call::default() }, place, maker };
    reader.words(words);
    reader.call
}

struct Reader<'a> {
    call: Call,
    place: Place,
    maker: &'a mut StepMaker,
}

impl Reader<'_> {
    fn refuse(&mut self, what: Unsupported) {
        self.maker.refuse(self.place, what);
    }

    fn words(&mut self, words: &[String]) {
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if let Some(name) = word.strip_prefix("--").filter(|name| !name.is_empty()) {
                let (name, given) = match name.split_once('=') {
                    Some((name, value)) if flags::long(name).is_some() => (name, Some(value)),
                    _ => (name, None),
                };
                let plain = name.strip_prefix("no-");
                let Some(known) = flags::long(name).or_else(|| flags::long(plain?)) else {
                    self.refuse(Unsupported::UnknownOption(word.to_owned()));
                    continue;
                };
                let value = match known.has_value {
                    true => given.or_else(|| words.next()),
                    false => Some(""),
                };
                self.apply(known.flag, word, value);
            } else if word.starts_with('-') && word.len() > 1 {
                self.letters(word, &mut words);
            } else {
                self.call.urls.push(word.to_owned());
            }
        }
    }

    /// Reads options of one letter, which may stand together: `-sSXPOST`.
    fn letters<'a>(&mut self, word: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        let mut rest = &word[1..];
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            let option = format!("-{c}");
            let Some(known) = flags::short(c) else {
                return self.refuse(Unsupported::UnknownOption(option));
            };
            if !known.has_value {
                self.apply(known.flag, &option, Some(""));
                continue;
            }
            let value = match rest.is_empty() {
                true => words.next(),
                false => Some(rest),
            };
            return self.apply(known.flag, &option, value);
        }
    }

    /// Applies an option.
    fn apply(&mut self, flag: Flag, option: &str, value: Option<&str>) {
        let Some(value) = value else {
            return self.refuse(Unsupported::NoValue(option.to_owned()));
        };
        let owned = || value.to_owned();
        let call = &mut self.call;
        let mut add = |name: &str, value: &str| call.headers.push((name.to_owned(), value.to_owned()));
        match flag {
            Flag::Nothing | Flag::Next => {}
            Flag::LeftOut => call.remarks.push(Remark::OptionLeftOut(option.to_owned())),
            Flag::Unsupported => self.refuse(Unsupported::Option(option.to_owned())),
            Flag::Method => call.method = Some(owned()),
            Flag::Header => self.header(value),
            Flag::Body(flag) => self.body(flag, value),
            Flag::User => call.user = Some(owned()),
            Flag::Bearer => call.bearer = Some(owned()),
            Flag::Cookie if value.contains('=') => call.cookies.push(owned()),
            // A file of cookies: the scenario keeps cookies that answers set.
            Flag::Cookie => {
                call.keeps_cookies = true;
                call.remarks.push(Remark::OptionLeftOut(format!("{option} {value}")));
            }
            Flag::Agent if value.is_empty() => call.taken.push("User-Agent".to_owned()),
            Flag::Agent => add("User-Agent", value),
            Flag::Referer => add("Referer", value.split(";auto").next().unwrap_or_default()),
            Flag::Range => {
                let end = if value.contains('-') { "" } else { "-" };
                add("Range", &format!("bytes={value}{end}"));
            }
            Flag::Compressed => add("Accept-Encoding", "deflate, gzip"),
            Flag::Url => call.urls.push(owned()),
            Flag::Query => call.query.push(match value.strip_prefix('+') {
                Some(raw) => raw.to_owned(),
                None => encoded_data(value, encoded).unwrap_or_default(),
            }),
            Flag::Target => call.target = Some(owned()),
            Flag::MaxTime => call.timeout = value.parse().ok().filter(|seconds| *seconds > 0.0),
            Flag::MaxRedirects => call.redirects = value.parse().ok(),
            Flag::Authorities => call.remarks.push(Remark::Authorities(owned())),
            Flag::Get => call.is_get = true,
            Flag::Head => call.is_head = true,
            Flag::Insecure => call.remarks.push(Remark::Insecure),
            Flag::Follow => call.follows = true,
            Flag::NoGlobbing => call.has_globbing = false,
            Flag::KeepDots => call.keeps_dots = true,
        }
    }

    /// Adds what an option gives of the body.
    fn body(&mut self, flag: BodyFlag, value: &str) {
        match flag {
            BodyFlag::Data | BodyFlag::BinaryData => self.data(value, flag == BodyFlag::Data, "&"),
            BodyFlag::RawData => self.text(value, "&"),
            BodyFlag::EncodedData => match encoded_data(value, form_encoded) {
                Some(data) => self.text(&data, "&"),
                None => self.refuse(Unsupported::FieldFromFile(value.to_owned())),
            },
            BodyFlag::Json => {
                self.call.is_json = true;
                self.data(value, false, "");
            }
            BodyFlag::Form | BodyFlag::FormString => match form::part(value, flag == BodyFlag::Form) {
                Ok(part) => self.call.form.push(part),
                Err(what) => self.refuse(what),
            },
            BodyFlag::Upload if value == "-" || value == "." => self.refuse(Unsupported::Stdin),
            BodyFlag::Upload if self.call.upload.is_some() => self.refuse(Unsupported::MixedBody),
            BodyFlag::Upload => self.call.upload = Some(value.to_owned()),
        }
    }

    /// Adds data: a text, or the content of a file behind `@`.
    fn data(&mut self, value: &str, joins_lines: bool, glue: &str) {
        let Some(file) = value.strip_prefix('@') else {
            return self.text(value, glue);
        };
        match (file, self.call.stdin.take()) {
            ("-", Some(text)) if joins_lines => self.text(&text.replace(['\r', '\n'], ""), glue),
            ("-", Some(text)) => self.text(&text, glue),
            ("-" | "/dev/stdin", None) => self.refuse(Unsupported::Stdin),
            _ if self.call.data.is_some() || self.call.file.is_some() => self.refuse(Unsupported::MixedBody),
            (file, _) => self.call.file = Some((file.to_owned(), joins_lines)),
        }
    }

    fn text(&mut self, text: &str, glue: &str) {
        if self.call.file.is_some() {
            return self.refuse(Unsupported::MixedBody);
        }
        match &mut self.call.data {
            Some(data) => {
                data.push_str(glue);
                data.push_str(text);
            }
            None => self.call.data = Some(text.to_owned()),
        }
    }

    /// Reads a header. `Name:` without a value takes a header away that curl would send, `Name;` sends an empty one, and a text without
    /// either is not sent.
    fn header(&mut self, text: &str) {
        if let Some(file) = text.strip_prefix('@') {
            return self.refuse(Unsupported::HeaderFile(file.to_owned()));
        }
        let call = &mut self.call;
        if let Some(name) = text.strip_suffix(';').filter(|name| !name.contains(':')) {
            call.headers.push((name.to_owned(), String::new()));
        } else if let Some((name, value)) = text.split_once(':') {
            match value.trim() {
                "" => call.taken.push(name.trim().to_owned()),
                value => call.headers.push((name.trim().to_owned(), value.to_owned())),
            }
        }
    }
}

/// Encodes `name=content`, `=content` or `content`; `None` for the content of a file.
fn encoded_data(value: &str, encode: fn(&str) -> String) -> Option<String> {
    let encode = |text: &str| match has_variable(text) {
        // What a variable of the shell gives is not known here.
        true => text.to_owned(),
        false => encode(text),
    };
    match value.split_once(['=', '@']) {
        Some((name, _)) if value[name.len()..].starts_with('@') => None,
        Some(("", content)) => Some(encode(content)),
        Some((name, content)) => Some(format!("{name}={}", encode(content))),
        None => Some(encode(value)),
    }
}
