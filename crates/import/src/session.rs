//! Turns what a browser or a client has exchanged with servers into a scenario.

use crate::draft::{Draft, Step};
use crate::exchange::{Answer, Exchange, header};
use crate::headers::Author;
use crate::remark::Remark;
use crate::remark::Unsupported;
use crate::request::{SentRequest, StepMaker};
use crate::{Imported, Options};
use std::collections::BTreeSet;

/// The shortest pause between two requests that is a user's, in seconds.
const SHORTEST_PAUSE: f64 = 0.1;

/// Ends of paths of files that do not change.
const STATIC_ENDS: [&str; 20] = [
    ".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico",
    ".woff", ".woff2", ".ttf", ".otf", ".eot", ".wasm", ".mp4", ".webm",
];
/// Media types of such files, or their beginnings.
const STATIC_TYPES: [&str; 9] = [
    "image/",
    "font/",
    "video/",
    "audio/",
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "application/wasm",
];

/// Makes a scenario of what one client has exchanged, in the order of time.
pub fn session(exchanges: &[Exchange], options: &Options) -> Imported {
    let mut exchanges: Vec<&Exchange> = exchanges.iter().collect();
    exchanges.sort_by(|one, other| one.begun.total_cmp(&other.begun));
    let Some(origin) = origin(&exchanges) else {
        return Imported::refused(None, Unsupported::Nothing);
    };
    let mut draft = Draft { name: options.name.clone(), ..Draft::default() };
    let is_browsers =
        exchanges.iter().any(|exchange| Author::of_recorded(&exchange.headers) == Author::Browser);
    let author = if is_browsers { Author::Browser } else { Author::Hand };
    let chosen = choose(&exchanges, &origin, author, options, &mut draft.remarks);
    let mut maker = StepMaker::new(options.keeps_secrets);
    maker.origin = Some(origin);
    let mut cookies = Cookies::default();
    let mut last: Option<usize> = None;
    for Chosen { index, redirects } in chosen {
        let exchange = exchanges[index];
        cookies.see(exchange);
        let sent = SentRequest {
            place: exchange.place,
            author,
            method: &exchange.method,
            origin: &exchange.url.origin(),
            path: &exchange.url.path,
            headers: &exchange.headers,
            body: &exchange.body,
        };
        let Some(mut step) = maker.step(&sent) else {
            continue;
        };
        let end = redirects.last().map_or(exchange, |index| exchanges[*index]);
        let followed = redirects.iter().map(|index| exchanges[*index]);
        step.remarks.extend(followed.map(|exchange| Remark::Redirected { to: exchange.url.path.clone() }));
        finish(&mut step, end.answer.as_ref());
        if let (Some(last), Some(previous)) = (last, maker.steps.last_mut()) {
            previous.think = pause(&exchanges, last, index);
        }
        last = Some(index);
        maker.steps.push(step);
        let number = maker.steps.len() - 1;
        for seen in std::iter::once(exchange).chain(redirects.iter().map(|index| exchanges[*index])) {
            cookies.learn(seen);
        }
        if let Some(answer) = &end.answer {
            maker.varying.learn(number, answer);
        }
    }
    if !cookies.unknown.is_empty() {
        draft.remarks.push(Remark::CookiesBefore { names: cookies.unknown.into_iter().collect() });
    }
    maker.finish(draft)
}

/// Returns the server that the session is about: the first page's, or else the first answered request's.
fn origin(exchanges: &[&Exchange]) -> Option<String> {
    let is_page = |exchange: &&&Exchange| {
        exchange
            .answer
            .as_ref()
            .is_some_and(|answer| answer.status < 300 && answer.media_type() == "text/html")
    };
    let answered = || exchanges.iter().find(|exchange| exchange.answer.is_some());
    let first = exchanges.iter().find(is_page).or_else(answered);
    let first = first.or_else(|| exchanges.first())?;
    Some(first.url.origin())
}

/// A request that becomes a step.
struct Chosen {
    index: usize,
    /// The requests that follow its redirects, in their order.
    redirects: Vec<usize>,
}

/// Chooses the requests that become steps, and tells why others do not.
fn choose(
    exchanges: &[&Exchange],
    origin: &str,
    author: Author,
    options: &Options,
    remarks: &mut Vec<Remark>,
) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    let mut folded = BTreeSet::new();
    let (mut unchanging, mut unanswered, mut preflights) = (0, 0, 0);
    // Some tools write requests alone.
    let has_answers = exchanges.iter().any(|exchange| exchange.answer.is_some());
    let mut others: Vec<(String, usize)> = Vec::new();
    for (index, exchange) in exchanges.iter().enumerate() {
        if folded.contains(&index) {
            continue;
        }
        if exchange.url.origin() != *origin && author == Author::Browser {
            let host = exchange.url.origin();
            match others.iter_mut().find(|(other, _)| *other == host) {
                Some((_, count)) => *count += 1,
                None => others.push((host, 1)),
            }
        } else if has_answers && exchange.answer.is_none() {
            unanswered += 1;
        } else if is_preflight(exchange) {
            preflights += 1;
        } else if options.leaves_static_out && is_static(exchange) {
            unchanging += 1;
        } else {
            let redirects = redirects(exchanges, index, origin);
            folded.extend(redirects.iter().copied());
            chosen.push(Chosen { index, redirects });
        }
    }
    let counted = |count: usize, remark: Remark| (count > 0).then_some(remark);
    remarks.extend(counted(unchanging, Remark::StaticLeftOut { count: unchanging }));
    remarks.extend(counted(unanswered, Remark::Unanswered { count: unanswered }));
    remarks.extend(counted(preflights, Remark::Preflights { count: preflights }));
    if !others.is_empty() {
        remarks.push(Remark::OthersLeftOut { hosts: others });
    }
    chosen
}

/// Whether a browser asks by itself whether a page may send a request.
fn is_preflight(exchange: &Exchange) -> bool {
    exchange.method == "OPTIONS" && header(&exchange.headers, "Access-Control-Request-Method").is_some()
}

/// Whether the answer is a file that does not change.
fn is_static(exchange: &Exchange) -> bool {
    let path = exchange.url.path.split(['?', ';']).next().unwrap_or_default();
    let path = path.to_ascii_lowercase();
    let media_type = exchange.answer.as_ref().map(Answer::media_type).unwrap_or_default();
    exchange.method == "GET"
        && (STATIC_ENDS.iter().any(|end| path.ends_with(end))
            || STATIC_TYPES.iter().any(|kind| media_type.starts_with(kind)))
}

/// Returns the requests by which a client followed the redirects of an answer.
fn redirects(exchanges: &[&Exchange], from: usize, origin: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = from;
    loop {
        let here = exchanges[at];
        let location = here.answer.as_ref().and_then(Answer::location);
        let Some(target) = location.and_then(|location| here.url.resolve(location)) else {
            return found;
        };
        let is_it = |exchange: &Exchange| exchange.url == target && target.origin() == *origin;
        let next = exchanges.iter().enumerate().skip(at + 1).find(|(_, exchange)| is_it(exchange));
        match next {
            Some((index, _)) => {
                found.push(index);
                at = index;
            }
            None => return found,
        }
    }
}

/// Adds what an answer tells to its step: the status of a right answer.
fn finish(step: &mut Step, answer: Option<&Answer>) {
    step.status = answer.map(|answer| match answer.status {
        // A scenario asks without the condition that the browser's cache has set.
        304 => 200,
        status => status,
    });
    // A redirect that the client did not follow is the answer.
    if answer.is_some_and(|answer| answer.location().is_some()) {
        step.redirects = Some(0);
    }
}

/// Returns the pause of the user before a request: since everything that began earlier had ended.
fn pause(exchanges: &[&Exchange], last: usize, next: usize) -> Option<f64> {
    let earlier = exchanges[..next].iter().map(|exchange| exchange.ended);
    let ended = earlier.fold(exchanges[last].ended, f64::max);
    let pause = exchanges[next].begun - ended;
    (pause >= SHORTEST_PAUSE).then(|| (pause * 10.0).round() / 10.0)
}

/// The cookies of a session: cookies that answers have set, and cookies that were sent without that.
#[derive(Debug, Default)]
struct Cookies {
    set: BTreeSet<String>,
    unknown: BTreeSet<String>,
}

impl Cookies {
    /// Sees which cookies a request sends.
    fn see(&mut self, exchange: &Exchange) {
        let cookies = header(&exchange.headers, "Cookie").unwrap_or_default();
        let names = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        let unknown = names.filter(|(name, _)| !self.set.contains(*name));
        let unknown: Vec<String> = unknown.map(|(name, _)| name.to_owned()).collect();
        self.unknown.extend(unknown);
    }

    /// Learns which cookies an answer sets.
    fn learn(&mut self, exchange: &Exchange) {
        let headers = exchange.answer.iter().flat_map(|answer| &answer.headers);
        let set = headers.filter(|(name, _)| name.eq_ignore_ascii_case("Set-Cookie"));
        // An archive may have several cookies in one header, one a line.
        let lines = set.flat_map(|(_, value)| value.lines());
        let names = lines.filter_map(|line| line.split_once('='));
        self.set.extend(names.map(|(name, _)| name.trim().to_owned()));
    }
}

#[cfg(test)]
mod tests;
