//! Reads targets of vegeta: its `http` format, and its `json` format with one object a line.

use crate::address::{Address, NoAddress, decoded};
use crate::clients;
use crate::draft::Draft;
use crate::exchange::{SentBody, header};
use crate::headers::Author;
use crate::remark::{Place, Unsupported};
use crate::request::{SentRequest, StepMaker};
use crate::{Imported, Options};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A target.
#[derive(Debug)]
struct Target {
    line: usize,
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: SentBody,
    /// Whether a line of it cannot be read.
    is_broken: bool,
}

pub(crate) fn import(text: &str, options: &Options) -> Imported {
    let mut maker = StepMaker::new(options.keeps_secrets);
    let draft =
        Draft { name: options.name.clone(), is_independent: true, drops_cookies: true, ..Draft::default() };
    let targets = match text.trim_start().starts_with('{') {
        true => json(text, &mut maker),
        false => http(text, &mut maker),
    };
    for target in targets.into_iter().filter(|target| !target.is_broken) {
        step(target, &mut maker);
    }
    maker.finish(draft)
}

fn step(mut target: Target, maker: &mut StepMaker) {
    let place = Place::Line(target.line);
    let address = match Address::parse(&target.url) {
        Ok(address) => clients::of_go(address),
        Err(NoAddress::Scheme(scheme)) => return maker.refuse(place, Unsupported::Scheme(scheme)),
        Err(NoAddress::Host) => return maker.refuse(place, Unsupported::NoAddress(target.url.clone())),
    };
    // vegeta gives these headers itself.
    let is_own =
        |name: &str| ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str());
    target.headers.retain(|(name, _)| !is_own(name));
    let sent = SentRequest {
        place,
        author: Author::Hand,
        method: &target.method,
        origin: &address.origin(),
        path: &address.path,
        headers: &target.headers,
        body: &target.body,
    };
    let Some(mut step) = maker.step(&sent) else {
        return;
    };
    if let (Some(user), None) = (&address.user, header(&target.headers, "Authorization")) {
        let user = decoded(user, false);
        let (user, password) = user.split_once(':').unwrap_or((&user, ""));
        step.authorization = Some(maker.basic(user, password));
    }
    maker.steps.push(step);
}

/// Reads the `http` format: a line with method and address, then headers, then the file of the body, then an empty line.
fn http(text: &str, maker: &mut StepMaker) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    let mut is_open = false;
    for (index, line) in text.lines().enumerate() {
        let (number, line) = (index + 1, line.trim());
        if line.starts_with('#') {
            continue;
        }
        if line.is_empty() {
            is_open = false;
            continue;
        }
        let begins = line.split_once(' ').filter(|(method, _)| is_method(method));
        if let Some((method, url)) = begins.filter(|(_, url)| !is_open || url.contains("://")) {
            targets.push(Target {
                line: number,
                method: method.to_owned(),
                url: url.trim().to_owned(),
                headers: Vec::new(),
                body: SentBody::Nothing,
                is_broken: false,
            });
            is_open = true;
            continue;
        }
        let target = targets.last_mut().filter(|_| is_open);
        match (target, line.strip_prefix('@'), line.split_once(':')) {
            (Some(target), Some(file), _) => {
                target.body = SentBody::File { path: file.to_owned(), joins_lines: false };
            }
            (Some(target), None, Some((name, value))) if !value.trim().is_empty() => {
                target.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            (target, ..) => {
                // What follows belongs to a target that cannot be read as a whole.
                let is_told = target.is_some_and(|target| std::mem::replace(&mut target.is_broken, true));
                if !is_told {
                    maker.refuse(Place::Line(number), Unsupported::TargetLine(line.to_owned()));
                }
            }
        }
    }
    targets
}

fn is_method(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[derive(Deserialize)]
struct JsonTarget {
    method: String,
    url: String,
    /// Base64.
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    header: BTreeMap<String, Vec<String>>,
}

/// Reads the `json` format.
fn json(text: &str, maker: &mut StepMaker) -> Vec<Target> {
    let mut targets = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = index + 1;
        let target: JsonTarget = match serde_json::from_str(line) {
            Ok(target) => target,
            Err(error) => {
                maker.refuse(Place::Line(number), Unsupported::Unreadable(error.to_string()));
                continue;
            }
        };
        let body = target.body.filter(|body| !body.is_empty());
        let body = body
            .map(|body| BASE64_STANDARD.decode(body).ok().and_then(|bytes| String::from_utf8(bytes).ok()));
        let body = match body {
            None => SentBody::Nothing,
            Some(None) => SentBody::Binary,
            Some(Some(text)) => SentBody::Text(text),
        };
        let headers = target.header.into_iter();
        let headers =
            headers.flat_map(|(name, values)| values.into_iter().map(move |value| (name.clone(), value)));
        targets.push(Target {
            line: number,
            method: target.method.to_ascii_uppercase(),
            url: target.url,
            headers: headers.collect(),
            body,
            is_broken: false,
        });
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::StepBody;
    use crate::remark::Obstacle;

    fn options() -> Options {
        Options { name: "targets".to_owned(), ..Options::default() }
    }

    #[test]
    fn targets_in_both_formats_become_steps() {
        let http = "# two targets\nGET http://h:8/a\nX-Account-ID: 8675309\n\nPOST http://h:8/b\nContent-Type: application/json\n@b.json\n";
        let imported = import(http, &options());
        assert_eq!(imported.obstacles, []);
        let [a, b] = imported.draft.steps.as_slice() else {
            panic!("{imported:?}");
        };
        assert_eq!(a.headers, [("X-Account-ID".to_owned(), "8675309".to_owned())]);
        assert_eq!((b.method.as_str(), &b.body), ("POST", &StepBody::file("b.json")));
        let json = "{\"method\": \"POST\", \"url\": \"http://h:8/a\", \"body\": \"eyJhIjoxfQ==\", \"header\": {\"A\": [\"1\", \"2\"]}}\n";
        let imported = import(json, &options());
        assert_eq!(imported.obstacles, []);
        let step = &imported.draft.steps[0];
        assert_eq!((step.headers.len(), &step.body), (2, &StepBody::Text("{\"a\":1}".to_owned())));
        assert_eq!(imported.draft.origin.as_deref(), Some("http://h:8"));
    }

    #[test]
    fn each_mistake_is_told_with_its_line() {
        let text = "GET http://a/\n\nGET http://b/\n\nget http://a/\n\nGET ftp://a/\n\nTRACE http://a/\n";
        let lines: Vec<Option<Place>> =
            import(text, &options()).obstacles.iter().map(|obstacle| obstacle.place).collect();
        let line = |line| Some(Place::Line(line));
        assert_eq!(lines, [line(5), line(7), line(9)]);
        let other = import("GET http://a/\n\nGET http://b/\nno header\nA: b\n\nGET http://b/c\n", &options());
        assert_eq!(other.obstacles.len(), 1);
        let servers: Vec<Option<&str>> =
            other.draft.steps.iter().map(|step| step.server.as_deref()).collect();
        assert_eq!(servers, [None, Some("http://b")], "a target with a line that is none is left out whole");
        let imported = import("{\"method\": 1}\n", &options());
        assert!(matches!(
            imported.obstacles.as_slice(),
            [Obstacle { place: Some(Place::Line(1)), what: Unsupported::Unreadable(_), .. }]
        ));
        assert_eq!(import("", &options()).obstacles[0].what, Unsupported::Nothing);
    }
}
