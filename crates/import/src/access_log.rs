//! Reads access logs: the common and the combined format of web servers, and what Tomcat's `AccessLogValve` writes by its pattern. A log becomes
//! a mix of its requests with their weights, or what each client did at its times.

mod pattern;

use crate::address::Address;
use crate::draft::{Draft, Step, UserSteps, Weighted, literal};
use crate::remark::{Obstacle, Place, Remark, Unsupported};
use crate::{Imported, Options};
use pattern::{Field, Pattern};
use std::collections::BTreeMap;

/// The most that a weight can be.
const HEAVIEST: u64 = 1_000_000;
/// Methods of requests that are whole without a body.
const BODILESS: [&str; 4] = ["GET", "HEAD", "OPTIONS", "DELETE"];

/// A line of a log.
#[derive(Clone, Debug, Default, PartialEq)]
struct Logged {
    client: String,
    /// In seconds since any instant that all lines have in common.
    at: f64,
    method: String,
    path: String,
    status: Option<u16>,
}

pub(crate) fn import(text: &str, options: &Options) -> Imported {
    let pattern = match options.pattern.as_deref().map(Pattern::parse).transpose() {
        Ok(pattern) => pattern,
        Err(what) => return Imported::refused(None, what),
    };
    let (mut logged, mut obstacles) = (Vec::new(), Vec::new());
    let mut unread: Option<(usize, String, usize)> = None;
    let mut with_body: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let read = match &pattern {
            Some(pattern) => pattern.read(line).and_then(of_fields),
            None => usual(line),
        };
        match read {
            Some(line) if BODILESS.contains(&line.method.as_str()) => logged.push(line),
            Some(line) => with_body.entry(line.method).or_insert((index + 1, 0)).1 += 1,
            None => unread.get_or_insert((index + 1, line.to_owned(), 0)).2 += 1,
        }
    }
    if let Some((number, example, count)) = unread {
        obstacles.push(Obstacle::new(Some(Place::Line(number)), Unsupported::LogLines { example, count }));
    }
    for (method, (number, count)) in with_body {
        obstacles
            .push(Obstacle::new(Some(Place::Line(number)), Unsupported::BodiesNotLogged { method, count }));
    }
    if logged.is_empty() && obstacles.is_empty() {
        return Imported::refused(None, Unsupported::Nothing);
    }
    let draft = Draft {
        name: options.name.clone(),
        is_independent: true,
        drops_cookies: true,
        remarks: vec![Remark::Logged { requests: logged.len() }],
        ..Draft::default()
    };
    let draft = match options.replays {
        true => Draft { users: users(&logged), ..draft },
        false => Draft { mix: mix(&logged), ..draft },
    };
    Imported { draft, obstacles }
}

/// Whether a line of a log is of a usual format.
pub(crate) fn is_line(line: &str) -> bool {
    usual(line).is_some()
}

/// Reads a line of the common or the combined format, or of one that begins like them: a time in brackets, the request in quotes, the status.
fn usual(line: &str) -> Option<Logged> {
    let (before, rest) = line.split_once('[')?;
    let (time, rest) = rest.split_once(']')?;
    let (_, rest) = rest.split_once('"')?;
    let (request, rest) = rest.split_once('"')?;
    let status = rest.split_whitespace().next().and_then(|status| status.parse().ok());
    status.filter(|status| (100..600).contains(status))?;
    of_request(
        request,
        Logged {
            client: before.split_whitespace().next().unwrap_or_default().to_owned(),
            at: seconds(time)?,
            status,
            ..Logged::default()
        },
    )
}

/// Puts the request line of a log into what is known of the line.
fn of_request(request: &str, line: Logged) -> Option<Logged> {
    let mut words = request.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next());
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_method || words.next().is_some() || version.is_some_and(|version| !version.starts_with("HTTP/")) {
        return None;
    }
    let path = match target.starts_with('/') {
        true => target.to_owned(),
        false if target.contains("://") => Address::parse(target).ok()?.path,
        false => return None,
    };
    // A mix has numbers in its paths, which a log does not have.
    (!path.contains("${")).then(|| Logged { method: method.to_owned(), path, ..line })
}

/// Puts the fields of a line together.
fn of_fields(fields: Vec<(Field, String)>) -> Option<Logged> {
    let mut line = Logged { method: "GET".to_owned(), ..Logged::default() };
    let mut query = String::new();
    for (field, text) in fields {
        match field {
            Field::Client => line.client = text,
            Field::Time => line.at = seconds(text.trim_matches(['[', ']']))?,
            Field::Seconds => line.at = text.parse().ok()?,
            Field::Milliseconds => line.at = text.parse::<f64>().ok()? / 1e3,
            Field::Status => line.status = text.parse().ok(),
            Field::Method => line.method = text,
            Field::Path => line.path = text,
            Field::Query => query = text,
            Field::Request => line = of_request(&text, line)?,
            Field::Other => {}
        }
    }
    line.path.push_str(if query == "-" { "" } else { &query });
    (line.path.starts_with('/') && !line.path.contains("${")).then_some(line)
}

/// Reads a time of a log: `10/Oct/2000:13:55:36 -0700`, or one of ISO 8601.
fn seconds(text: &str) -> Option<f64> {
    let zoned = jiff::fmt::strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok();
    let stamp = zoned.and_then(|time| time.to_timestamp().ok()).or_else(|| text.parse().ok());
    stamp.map(|stamp: jiff::Timestamp| stamp.as_nanosecond() as f64 / 1e9)
}

/// Returns the requests with their weights, the heaviest first.
fn mix(logged: &[Logged]) -> Vec<Weighted> {
    let mut found: BTreeMap<(&str, &str), BTreeMap<u16, u64>> = BTreeMap::new();
    for line in logged {
        let statuses = found.entry((&line.method, &line.path)).or_default();
        *statuses.entry(line.status.unwrap_or(200)).or_default() += 1;
    }
    let weighted = found.into_iter().map(|((method, path), statuses)| {
        let weight = statuses.values().sum();
        let usual = statuses.iter().max_by_key(|(_, count)| **count).map_or(200, |(status, _)| *status);
        Weighted { method: method.to_owned(), path: path.to_owned(), status: right_status(usual), weight }
    });
    let mut weighted: Vec<Weighted> = weighted.collect();
    weighted.sort_by_key(|request| std::cmp::Reverse(request.weight));
    let heaviest = weighted.first().map_or(0, |request| request.weight);
    let divisor = heaviest.div_ceil(HEAVIEST).max(1);
    weighted.iter_mut().for_each(|request| request.weight = (request.weight / divisor).max(1));
    weighted
}

/// The status of a right answer where the log has this one. A client's cache asks for what has not changed, which prony does not.
fn right_status(logged: u16) -> Option<u16> {
    (!(200..400).contains(&logged)).then_some(logged)
}

/// Returns what each client did, with its pauses.
fn users(logged: &[Logged]) -> Vec<UserSteps> {
    let begin = logged.iter().map(|line| line.at).fold(f64::INFINITY, f64::min);
    let mut clients: BTreeMap<&str, Vec<&Logged>> = BTreeMap::new();
    for line in logged {
        clients.entry(&line.client).or_default().push(line);
    }
    let user = |(client, mut lines): (&str, Vec<&Logged>)| {
        lines.sort_by(|one, other| one.at.total_cmp(&other.at));
        let ends = lines.iter().skip(1).map(|line| Some(line.at)).chain([None]);
        let step = |(line, next): (&&Logged, Option<f64>)| Step {
            method: line.method.clone(),
            path: literal(&line.path),
            status: line.status.and_then(right_status),
            redirects: Some(0),
            think: next.map(|next| next - line.at).filter(|pause| *pause > 0.0),
            ..Step::default()
        };
        UserSteps {
            name: client.to_owned(),
            delay: lines[0].at - begin,
            steps: lines.iter().zip(ends).map(step).collect(),
        }
    };
    clients.into_iter().map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?x=1 HTTP/1.1\" 200 2326\n\
                       10.0.0.2 - bob [10/Oct/2000:13:55:37 -0700] \"GET /b HTTP/1.0\" 404 - \"http://r/\" \"Mozilla/5.0\"\n\
                       10.0.0.1 - - [10/Oct/2000:13:55:39 -0700] \"GET /a?x=1 HTTP/1.1\" 304 0\n";

    fn imported(text: &str, options: &Options) -> Imported {
        import(text, options)
    }

    #[test]
    fn a_log_becomes_a_mix() {
        let found = imported(LOG, &Options::default());
        assert_eq!(found.obstacles, []);
        let request = |path: &str, status, weight| Weighted {
            method: "GET".to_owned(),
            path: path.to_owned(),
            status,
            weight,
        };
        assert_eq!(found.draft.mix, [request("/a?x=1", None, 2), request("/b", Some(404), 1)]);
        let found = imported(
            &format!("{LOG}x\n- - - [10/Oct/2000:13:55:40 -0700] \"POST /c HTTP/1.1\" 200 1\n"),
            &Options::default(),
        );
        let bodies = Unsupported::BodiesNotLogged { method: "POST".to_owned(), count: 1 };
        let lines = Unsupported::LogLines { example: "x".to_owned(), count: 1 };
        assert_eq!(
            found.obstacles,
            [Obstacle::new(Some(Place::Line(4)), lines), Obstacle::new(Some(Place::Line(5)), bodies)]
        );
    }

    #[test]
    fn a_log_is_replayed_by_its_times() {
        let draft = imported(LOG, &Options { replays: true, ..Options::default() }).draft;
        let [first, second] = draft.users.as_slice() else {
            panic!("{draft:?}");
        };
        assert_eq!((first.delay, first.steps.len(), first.steps[0].think), (0.0, 2, Some(3.0)));
        assert_eq!((second.delay, second.steps[0].status), (1.0, Some(404)));
    }

    #[test]
    fn a_pattern_of_tomcat_tells_the_fields() {
        let options = Options {
            pattern: Some("%{msec}t %h %m %U%q %s %D \"%{User-Agent}i\"".to_owned()),
            ..Options::default()
        };
        let found = imported("1000 h1 GET /a?x=1 200 5 \"a b\"\n2500 h1 GET /b 200 5 \"c\"\n", &options);
        assert_eq!(found.obstacles, []);
        let paths: Vec<&str> = found.draft.mix.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(paths, ["/a?x=1", "/b"]);
        let wrong = imported("x", &Options { pattern: Some("%h %s".to_owned()), ..Options::default() });
        assert_eq!(wrong.obstacles[0].what, Unsupported::Pattern("%h %s".to_owned()));
    }
}
