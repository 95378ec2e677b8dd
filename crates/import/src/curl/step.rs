//! Makes steps of a call.

use super::call::Call;
use crate::address::{Address, NoAddress, decoded};
use crate::draft::Authorization;
use crate::exchange::{SentBody, header};
use crate::headers::Author;
use crate::marks::first_variable;
use crate::remark::{Place, Remark, Unsupported};
use crate::request::{FORM, SentRequest, StepMaker};

/// The most redirects that curl follows with -L.
const REDIRECTS: u32 = 50;

/// Adds a step for each address of a call. Returns how many steps there are more.
pub(super) fn steps(mut call: Call, place: Place, maker: &mut StepMaker) -> usize {
    let before = maker.steps.len();
    if call.urls.is_empty() {
        maker.refuse(place, Unsupported::NoAddress("curl".to_owned()));
        return 0;
    }
    for text in std::mem::take(&mut call.urls) {
        let has_pattern = text.contains(['[', '{']) && call.has_globbing;
        if has_pattern {
            maker.refuse(place, Unsupported::Globbing(text));
            continue;
        }
        match Address::parse(&text) {
            Ok(address) if first_variable(&address.host).is_some() => {
                let name = first_variable(&address.host).unwrap_or_default();
                maker.refuse_request(place, Unsupported::ServerVariable(name.to_owned()));
            }
            Ok(address) if call.keeps_dots => step(&call, address, place, maker),
            Ok(address) => step(&call, address.without_dots(), place, maker),
            Err(NoAddress::Scheme(scheme)) => maker.refuse(place, Unsupported::Scheme(scheme)),
            Err(NoAddress::Host) => maker.refuse(place, Unsupported::NoAddress(text)),
        }
    }
    maker.steps.len() - before
}

fn step(call: &Call, mut address: Address, place: Place, maker: &mut StepMaker) {
    let Some(body) = body(call, &mut address, place, maker) else {
        return;
    };
    let mut headers = call.headers.clone();
    add_usual(call, &body, &mut headers);
    let has = |name: &str| header(&headers, name).is_some();
    let cookie = (!call.cookies.is_empty() && !has("Cookie")).then(|| call.cookies.join(";"));
    headers.extend(cookie.map(|cookie| ("Cookie".to_owned(), cookie)));
    let method = method(call, &body);
    let sent = SentRequest {
        place,
        author: Author::Hand,
        method: &method,
        origin: &address.origin(),
        path: &address.path,
        headers: &headers,
        body: &body,
    };
    let Some(mut step) = maker.step(&sent) else {
        return;
    };
    if header(&headers, "Authorization").is_none() {
        step.authorization = authorization(call, &address, maker);
    }
    step.timeout = call.timeout;
    step.redirects = match (call.follows, call.redirects) {
        (false, _) => Some(0),
        (true, None | Some(REDIRECTS)) => None,
        (true, most) => most,
    };
    if call.follows && call.method.is_some() && !matches!(method.as_str(), "GET" | "HEAD") {
        step.remarks.push(Remark::MethodRepeated(method));
    }
    let prony_sends =
        |name: &&String| ["accept", "user-agent", "host"].contains(&name.to_ascii_lowercase().as_str());
    let taken: Vec<String> = call.taken.iter().filter(prony_sends).cloned().collect();
    if !taken.is_empty() {
        step.remarks.push(Remark::HeadersTaken { names: taken });
    }
    step.remarks.extend(call.remarks.iter().cloned());
    maker.steps.push(step);
}

/// Returns the body of a call, whose data may belong into the query; `None` if prony cannot send it.
fn body(call: &Call, address: &mut Address, place: Place, maker: &mut StepMaker) -> Option<SentBody> {
    let kinds = [call.data.is_some() || call.file.is_some(), call.upload.is_some(), !call.form.is_empty()];
    if kinds.iter().filter(|is_there| **is_there).count() > 1 || call.is_get && call.file.is_some() {
        maker.refuse(place, Unsupported::MixedBody);
        return None;
    }
    let in_query = call.data.iter().filter(|_| call.is_get);
    for piece in in_query.chain(&call.query).filter(|piece| !piece.is_empty()) {
        let separator = if address.path.contains('?') { '&' } else { '?' };
        address.path.push(separator);
        address.path.push_str(piece);
    }
    if let Some(target) = &call.target {
        address.path.clone_from(target);
    }
    if let Some(file) = &call.upload {
        if address.path.ends_with('/') {
            address.path.push_str(file.rsplit('/').next().unwrap_or(file));
        }
        return Some(SentBody::File { path: file.clone(), joins_lines: false });
    }
    if !call.form.is_empty() {
        return Some(SentBody::Parts(call.form.clone()));
    }
    if let Some((path, joins_lines)) = &call.file {
        return Some(SentBody::File { path: path.clone(), joins_lines: *joins_lines });
    }
    let data = call.data.clone().filter(|_| !call.is_get);
    Some(data.map_or(SentBody::Nothing, SentBody::Text))
}

/// Adds the headers that curl sends with data.
fn add_usual(call: &Call, body: &SentBody, headers: &mut Vec<(String, String)>) {
    let is_data = call.upload.is_none() && matches!(body, SentBody::Text(_) | SentBody::File { .. });
    let mut add = |name: &str, value: &str| {
        let is_taken = call.taken.iter().any(|taken| taken.eq_ignore_ascii_case(name));
        if header(headers, name).is_none() && !is_taken {
            headers.push((name.to_owned(), value.to_owned()));
        }
    };
    if is_data {
        add("Content-Type", if call.is_json { "application/json" } else { FORM });
    }
    if call.is_json {
        add("Accept", "application/json");
    }
}

fn method(call: &Call, body: &SentBody) -> String {
    if let Some(method) = &call.method {
        return method.clone();
    }
    match (call.is_head, call.upload.is_some(), body) {
        (true, ..) => "HEAD",
        (_, true, _) => "PUT",
        (.., SentBody::Nothing) => "GET",
        _ => "POST",
    }
    .to_owned()
}

/// Returns the user with its password, or the token.
fn authorization(call: &Call, address: &Address, maker: &mut StepMaker) -> Option<Authorization> {
    if let Some(token) = &call.bearer {
        return Some(Authorization::Bearer(maker.secret("token", token)));
    }
    let in_address = address.user.as_ref().map(|user| decoded(user, false));
    let in_address = in_address.map(|user| if user.contains(':') { user } else { format!("{user}:") });
    let user = call.user.clone().or(in_address)?;
    match user.split_once(':') {
        Some((user, password)) => Some(maker.basic(user, password)),
        // curl asks for the password.
        None => Some(maker.basic(&user, &format!("the password of {user}"))),
    }
}
