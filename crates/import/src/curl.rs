//! Reads command lines of curl, as people type them or browsers copy them ("Copy as cURL").

mod flags;
mod shell;

use crate::address::{Address, NoAddress, encoded, form_fields};
use crate::draft::{Authorization, Draft, Part, Step, StepBody, literal};
use crate::exchange::{SentBody, header};
use crate::remark::{Place, Remark, Unsupported};
use crate::request::{SentRequest, StepMaker};
use crate::{Imported, Options};
use flags::{BodyFlag, Flag};
pub(crate) use shell::has_variable;
use shell::{Command, unmarked};

/// The most redirects that curl follows with -L.
const REDIRECTS: u32 = 50;

/// What one command line asks for.
#[derive(Clone, Debug, Default)]
struct Call {
    urls: Vec<String>,
    method: Option<String>,
    headers: Vec<(String, String)>,
    /// The data of all options together.
    data: Vec<String>,
    /// A file that is the whole body.
    file: Option<String>,
    form: Vec<(String, Part)>,
    user: Option<String>,
    bearer: Option<String>,
    cookie: Option<String>,
    timeout: Option<f64>,
    redirects: Option<u32>,
    follows: bool,
    is_get: bool,
    is_head: bool,
    is_json: bool,
    has_globbing: bool,
    remarks: Vec<Remark>,
}

pub(crate) fn import(text: &str, options: &Options) -> Imported {
    let mut maker = StepMaker::new(options.keeps_secrets);
    let mut draft = Draft { name: options.name.clone(), ..Draft::default() };
    for command in shell::commands(text, &mut maker.obstacles) {
        let place = Place::Line(command.line);
        let words = match words_of_curl(&command) {
            Ok(words) => words,
            Err(program) => {
                maker.refuse(place, Unsupported::Command(program));
                continue;
            }
        };
        for words in words.split(|word| word == "--next" || word == "-:") {
            let before = maker.obstacles.len();
            let call = call(words, place, &mut maker);
            if maker.obstacles.len() == before {
                steps(call, place, &mut maker, &mut draft);
            }
        }
    }
    let mut imported = maker.finish(draft);
    let draft = &mut imported.draft;
    draft.steps.iter_mut().for_each(resolve_variables);
    for (_, value) in &mut draft.headers {
        *value = unmarked(value);
    }
    imported
}

/// Returns the words behind `curl`, before which variables of the shell and a prompt may stand.
fn words_of_curl(command: &Command) -> Result<&[String], String> {
    let is_assignment = |word: &&String| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let before = command.words.iter().take_while(|word| is_assignment(word) || *word == "$").count();
    match command.words.get(before) {
        Some(program) if program == "curl" || program.ends_with("/curl") => Ok(&command.words[before + 1..]),
        program => Err(program.cloned().unwrap_or_default()),
    }
}

/// Reads the options of a call; what is not supported is added to the obstacles.
fn call(words: &[String], place: Place, maker: &mut StepMaker) -> Call {
    let mut call = Call { has_globbing: true, ..Call::default() };
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if let Some(name) = word.strip_prefix("--").filter(|name| !name.is_empty()) {
            let (name, given) = match name.split_once('=') {
                Some((name, value)) if flags::long(name).is_some() => (name, Some(value)),
                _ => (name, None),
            };
            let Some(known) = flags::long(name).or_else(|| flags::long(name.strip_prefix("no-")?)) else {
                maker.refuse(place, Unsupported::UnknownOption(word.to_owned()));
                continue;
            };
            let value = match known.has_value {
                true => given.or_else(|| words.next()),
                false => Some(""),
            };
            apply(&mut call, known.flag, word, value, place, maker);
        } else if word.starts_with('-') && word.len() > 1 {
            letters(&mut call, word, &mut words, place, maker);
        } else {
            call.urls.push(word.to_owned());
        }
    }
    call
}

/// Reads options of one letter, which may stand together: `-sSXPOST`.
fn letters<'a>(
    call: &mut Call,
    word: &'a str,
    words: &mut impl Iterator<Item = &'a str>,
    place: Place,
    maker: &mut StepMaker,
) {
    let mut rest = &word[1..];
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let option = format!("-{c}");
        let Some(known) = flags::short(c) else {
            maker.refuse(place, Unsupported::UnknownOption(option));
            return;
        };
        if !known.has_value {
            apply(call, known.flag, &option, Some(""), place, maker);
            continue;
        }
        let value = match rest.is_empty() {
            true => words.next(),
            false => Some(rest),
        };
        apply(call, known.flag, &option, value, place, maker);
        return;
    }
}

/// Applies an option.
fn apply(
    call: &mut Call,
    flag: Flag,
    option: &str,
    value: Option<&str>,
    place: Place,
    maker: &mut StepMaker,
) {
    let Some(value) = value else {
        maker.refuse(place, Unsupported::NoValue(option.to_owned()));
        return;
    };
    let owned = || value.to_owned();
    match flag {
        Flag::Nothing => {}
        Flag::LeftOut => call.remarks.push(Remark::OptionLeftOut(option.to_owned())),
        Flag::Unsupported => maker.refuse(place, Unsupported::Option(option.to_owned())),
        Flag::Method => call.method = Some(value.to_ascii_uppercase()),
        Flag::Header => call.headers.extend(header_of(value)),
        Flag::Body(flag) => add_body(call, flag, value, place, maker),
        Flag::User => call.user = Some(owned()),
        Flag::Bearer => call.bearer = Some(owned()),
        Flag::Cookie if value.contains('=') => call.cookie = Some(owned()),
        // A file of cookies: the scenario keeps cookies that answers set.
        Flag::Cookie => call.remarks.push(Remark::OptionLeftOut(format!("{option} {value}"))),
        Flag::Agent => call.headers.push(("User-Agent".to_owned(), owned())),
        Flag::Referer => call.headers.push(("Referer".to_owned(), owned())),
        Flag::Range => call.headers.push(("Range".to_owned(), format!("bytes={value}"))),
        Flag::Url => call.urls.push(owned()),
        Flag::MaxTime => call.timeout = value.parse().ok().filter(|seconds| *seconds > 0.0),
        Flag::MaxRedirects => call.redirects = value.parse().ok(),
        Flag::Authorities => call.remarks.push(Remark::Authorities(owned())),
        Flag::Get => call.is_get = true,
        Flag::Head => call.is_head = true,
        Flag::Insecure => call.remarks.push(Remark::Insecure),
        Flag::Follow => call.follows = true,
        Flag::NoGlobbing => call.has_globbing = false,
        Flag::Next => {}
    }
}

/// Adds what an option gives of the body.
fn add_body(call: &mut Call, flag: BodyFlag, value: &str, place: Place, maker: &mut StepMaker) {
    match flag {
        BodyFlag::Data | BodyFlag::BinaryData => match value.strip_prefix('@') {
            Some("-") => maker.refuse(place, Unsupported::Stdin),
            Some(file) => call.file = Some(file.to_owned()),
            None => call.data.push(value.to_owned()),
        },
        BodyFlag::RawData => call.data.push(value.to_owned()),
        BodyFlag::EncodedData => match encoded_data(value) {
            Some(data) => call.data.push(data),
            None => maker.refuse(place, Unsupported::FieldFromFile(value.to_owned())),
        },
        BodyFlag::Json => {
            call.is_json = true;
            add_body(call, BodyFlag::Data, value, place, maker);
        }
        BodyFlag::Form => form_part(call, value, place, maker),
        BodyFlag::FormString => {
            let (name, text) = value.split_once('=').unwrap_or((value, ""));
            call.form.push((name.to_owned(), Part::Text(literal(text))));
        }
        BodyFlag::Upload if value == "-" => maker.refuse(place, Unsupported::Stdin),
        BodyFlag::Upload => {
            call.method.get_or_insert_with(|| "PUT".to_owned());
            call.file = Some(value.to_owned());
        }
    }
}

/// Reads a header. `Name:` without a value takes a header away that curl would send, and `Name;` sends an empty one.
fn header_of(text: &str) -> Option<(String, String)> {
    if let Some(name) = text.strip_suffix(';').filter(|name| !name.contains(':')) {
        return Some((name.to_owned(), String::new()));
    }
    let (name, value) = text.split_once(':')?;
    let value = value.trim();
    (!value.is_empty()).then(|| (name.trim().to_owned(), value.to_owned()))
}

/// Encodes `name=content`, `=content` or `content`; `None` for the content of a file.
fn encoded_data(value: &str) -> Option<String> {
    match value.split_once(['=', '@']) {
        Some((name, _)) if value[name.len()..].starts_with('@') => None,
        Some(("", content)) => Some(encoded_with_variables(content)),
        Some((name, content)) => Some(format!("{name}={}", encoded_with_variables(content))),
        None => Some(encoded_with_variables(value)),
    }
}

/// Encodes a text; one with variables of the shell stays as it is.
fn encoded_with_variables(text: &str) -> String {
    match has_variable(text) {
        true => text.to_owned(),
        false => encoded(text),
    }
}

/// Adds a part of a form: `name=text`, or `name=@file;type=image/png;filename=cat.png`.
fn form_part(call: &mut Call, value: &str, place: Place, maker: &mut StepMaker) {
    let (name, content) = value.split_once('=').unwrap_or((value, ""));
    if call.form.iter().any(|(other, _)| other == name) {
        maker.refuse(place, Unsupported::RepeatedPart(name.to_owned()));
    }
    let part = match content.strip_prefix('@') {
        Some(file) => {
            let mut pieces = file.split(';');
            let path = pieces.next().unwrap_or_default().trim_matches('"').to_owned();
            if path == "-" {
                maker.refuse(place, Unsupported::Stdin);
            }
            let mut parameters: Vec<(&str, &str)> =
                pieces.filter_map(|piece| piece.split_once('=')).collect();
            let mut take = |wanted: &str| {
                let at = parameters.iter().position(|(name, _)| name.trim() == wanted)?;
                Some(parameters.remove(at).1.trim_matches('"').to_owned())
            };
            Part::File { media_type: take("type"), name: take("filename"), path }
        }
        None if content.starts_with('<') => {
            maker.refuse(place, Unsupported::FieldFromFile(name.to_owned()));
            return;
        }
        None => Part::Text(literal(content)),
    };
    call.form.push((name.to_owned(), part));
}

/// Adds a step for each address of a call.
fn steps(mut call: Call, place: Place, maker: &mut StepMaker, draft: &mut Draft) {
    if call.urls.is_empty() {
        maker.refuse(place, Unsupported::NoAddress("curl".to_owned()));
        return;
    }
    for text in std::mem::take(&mut call.urls) {
        let has_pattern = text.contains(['[', '{']) && call.has_globbing;
        if has_pattern {
            maker.refuse(place, Unsupported::Globbing(text));
            continue;
        }
        match Address::parse(&text) {
            Ok(address) => step(&call, address, place, maker, draft),
            Err(NoAddress::Scheme(scheme)) => maker.refuse(place, Unsupported::Scheme(scheme)),
            Err(NoAddress::Host) => maker.refuse(place, Unsupported::NoAddress(text)),
        }
    }
}

/// Whether a request goes to the server of the first one; otherwise an obstacle is added.
pub(crate) fn is_same_server(
    address: &Address,
    place: Place,
    maker: &mut StepMaker,
    draft: &mut Draft,
) -> bool {
    let server = address.origin();
    let first = draft.origin.get_or_insert_with(|| server.clone());
    if *first == server {
        return true;
    }
    let first = first.clone();
    maker.refuse(place, Unsupported::OtherServer { server, first });
    false
}

fn step(call: &Call, mut address: Address, place: Place, maker: &mut StepMaker, draft: &mut Draft) {
    if has_variable(&address.host) {
        maker.refuse(place, Unsupported::NoAddress(unmarked(&address.host)));
        return;
    }
    if !is_same_server(&address, place, maker, draft) {
        return;
    }
    let mut headers = call.headers.clone();
    let data = (!call.data.is_empty()).then(|| call.data.join("&"));
    let mut body = SentBody::Nothing;
    match data {
        Some(data) if call.is_get => {
            let separator = if address.path.contains('?') { '&' } else { '?' };
            address.path.push(separator);
            address.path.push_str(&data);
        }
        Some(data) => body = SentBody::Text(if call.is_json { call.data.concat() } else { data }),
        None => {}
    }
    add_content_type(call, &body, &mut headers);
    let chosen = chosen_headers(call, &headers);
    let method = method(call, &body);
    let sent = SentRequest { place, method: &method, path: &address.path, headers: &headers, body: &body };
    let Some(mut step) = maker.step(&sent) else {
        return;
    };
    if !chosen.is_empty() {
        maker.left_out.retain(|name| header(&chosen, name).is_none());
        step.headers.extend(chosen.into_iter().map(|(name, value)| (name, literal(&value))));
    }
    if let Some(file) = &call.file {
        step.body = StepBody::File(file.clone());
    }
    if !call.form.is_empty() {
        step.body = StepBody::Multipart(call.form.clone());
    }
    authorize(call, &address, &headers, &mut step, maker);
    step.timeout = call.timeout;
    step.redirects = match (call.follows, call.redirects) {
        (false, _) => Some(0),
        (true, None | Some(REDIRECTS)) => None,
        (true, most) => most,
    };
    step.remarks.extend(call.remarks.iter().cloned());
    maker.steps.push(step);
}

/// Returns the headers that curl or a browser would set by itself, but that the user has chosen.
fn chosen_headers(call: &Call, headers: &[(String, String)]) -> Vec<(String, String)> {
    const OWN: [&str; 4] = ["user-agent", "accept-language", "origin", "referer"];
    let is_chosen =
        |(name, _): &&(String, String)| is_typed(call) && OWN.contains(&name.to_ascii_lowercase().as_str());
    headers.iter().filter(is_chosen).cloned().collect()
}

/// Tells whether somebody typed the call. A call that a browser copied has headers that begin with `sec-`.
fn is_typed(call: &Call) -> bool {
    !call.headers.iter().any(|(name, _)| name.to_ascii_lowercase().starts_with("sec-"))
}

/// Adds the media type that curl sends with a body.
fn add_content_type(call: &Call, body: &SentBody, headers: &mut Vec<(String, String)>) {
    if header(headers, "Content-Type").is_some() {
        return;
    }
    let SentBody::Text(text) = body else {
        if call.file.is_some() && call.method.as_deref() != Some("PUT") {
            headers.push(("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
        }
        return;
    };
    let media_type = match (call.is_json, form_fields(text).is_some()) {
        (true, _) => "application/json",
        (false, _) => "application/x-www-form-urlencoded",
    };
    headers.push(("Content-Type".to_owned(), media_type.to_owned()));
    if call.is_json && header(headers, "Accept").is_none() {
        headers.push(("Accept".to_owned(), "application/json".to_owned()));
    }
}

fn method(call: &Call, body: &SentBody) -> String {
    if let Some(method) = &call.method {
        return method.clone();
    }
    let has_body = *body != SentBody::Nothing || !call.form.is_empty() || call.file.is_some();
    match (call.is_head, has_body) {
        (true, _) => "HEAD",
        (false, true) => "POST",
        (false, false) => "GET",
    }
    .to_owned()
}

/// Adds user and password, the token, and cookies.
fn authorize(
    call: &Call,
    address: &Address,
    headers: &[(String, String)],
    step: &mut Step,
    maker: &mut StepMaker,
) {
    if let Some(user) = call.user.as_ref().or(address.user.as_ref()) {
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        step.authorization = Some(maker.basic(user, password));
    }
    if let Some(token) = &call.bearer {
        let token = maker.secret("token", token);
        step.authorization = Some(Authorization::Bearer(token));
    }
    let cookie = call.cookie.as_deref().or_else(|| header(headers, "Cookie"));
    if let Some(cookie) = cookie {
        let cookie = maker.secret("cookie", cookie);
        step.headers.push(("Cookie".to_owned(), cookie));
        maker.left_out.retain(|name| !name.eq_ignore_ascii_case("Cookie"));
    }
}

/// Replaces the shell's variables by variables of the environment, everywhere in a step.
fn resolve_variables(step: &mut Step) {
    let resolve = |text: &mut String| {
        if has_variable(text) {
            *text = unmarked(text);
        }
    };
    resolve(&mut step.path);
    step.headers.iter_mut().for_each(|(_, value)| resolve(value));
    match &mut step.authorization {
        Some(Authorization::Bearer(token)) => resolve(token),
        Some(Authorization::Basic { user, password }) => {
            resolve(user);
            resolve(password);
        }
        None => {}
    }
    match &mut step.body {
        StepBody::Text(text) | StepBody::File(text) => resolve(text),
        StepBody::Form(fields) => fields.iter_mut().for_each(|(_, value)| resolve(value)),
        StepBody::Multipart(parts) => {
            for (_, part) in parts {
                if let Part::Text(text) = part {
                    resolve(text);
                }
            }
        }
        StepBody::Nothing => {}
    }
}

#[cfg(test)]
mod tests;
