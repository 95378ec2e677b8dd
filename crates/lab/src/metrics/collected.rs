//! [`Collected`]: the figures of a service as a Prometheus server has read them
//! ([its API](https://prometheus.io/docs/prometheus/latest/querying/api/)).

use super::page::FiguresPage;
use super::{ALL, names_of};
use crate::clock::wall_clock;
use ask::observed::{CollectedFigures, ToldFigure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use traffic::scenario::push_percent;

/// The most points that a query with steps asks for; Prometheus refuses more than 11,000.
const MOST_POINTS: u64 = 10_000;
/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// The figures of a service at a Prometheus server.
#[derive(Clone, Debug)]
pub(crate) struct Collected {
    server: FiguresPage,
    figures: CollectedFigures,
}

/// An answer of the server.
#[derive(Debug, Deserialize)]
struct ServerAnswer {
    #[serde(default)]
    error: String,
    #[serde(default)]
    data: Option<QueryResult>,
}

/// What a query gives.
#[derive(Debug, Deserialize)]
#[serde(tag = "resultType", content = "result", rename_all = "lowercase")]
enum QueryResult {
    Scalar(Sample),
    Vector(Vec<CollectedSeries>),
    Matrix(Vec<CollectedSeries>),
}

/// A time in seconds since the epoch, and a number as text.
type Sample = (f64, String);

/// A series with one sample, or with those of some time.
#[derive(Debug, Deserialize)]
struct CollectedSeries {
    metric: BTreeMap<String, String>,
    #[serde(default)]
    value: Option<Sample>,
    #[serde(default)]
    values: Vec<Sample>,
}

impl Collected {
    pub(super) fn new(server: FiguresPage, figures: CollectedFigures) -> Self {
        Self { server, figures }
    }

    /// The last figures, in the text format.
    pub(super) fn now(&self) -> io::Result<String> {
        let moments = self.asked(|query, _| format!("query?query={}", encoded(query)))?;
        // What was read in different seconds is the newest all the same.
        Ok(moments.into_values().collect())
    }

    /// The figures of each moment of this time, in the text format; times are nanoseconds since the epoch of our clock, and so are those of
    /// the result.
    pub(super) fn between(&self, first_ns: u64, last_ns: u64) -> io::Result<Vec<(u64, String)>> {
        let ahead = self.seconds_ahead()?;
        let there = |ns: u64| ns as f64 / 1e9 + ahead;
        let (first, last) = (there(first_ns), there(last_ns));
        let length = (last_ns - first_ns).div_ceil(SECOND).max(1);
        let step = length.div_ceil(MOST_POINTS).max(1);
        let moments = self.asked(|query, is_selector| match is_selector {
            // A range of a selector has each sample with the time at which it was read.
            true => format!("query?query={}&time={last:.3}", encoded(&format!("{query}[{length}s]"))),
            false => {
                format!("query_range?query={}&start={first:.3}&end={last:.3}&step={step}", encoded(query))
            }
        })?;
        let here = |millis: u64| ((millis as f64 / 1e3 - ahead) * 1e9) as u64;
        Ok(moments.into_iter().map(|(millis, text)| (here(millis), text)).collect())
    }

    /// By how many seconds the server's clock is ahead of ours.
    fn seconds_ahead(&self) -> io::Result<f64> {
        let before = wall_clock();
        let QueryResult::Scalar((there, _)) = self.get("query?query=time()")? else {
            return Err(strange("time() is no number"));
        };
        let here = before + (wall_clock().saturating_sub(before)) / 2;
        Ok(there - here as f64 / 1e9)
    }

    /// The figures by the time at which they were read, in milliseconds since the epoch, in the text format. `request` is the request for a
    /// query, which is told whether it is a selector.
    fn asked(&self, request: impl Fn(&str, bool) -> String) -> io::Result<BTreeMap<u64, String>> {
        let mut moments = BTreeMap::new();
        if let Some(selector) = self.selector() {
            let series = self.series(&request(&selector, true))?;
            one_instance(&series)?;
            for one in series {
                let head = head(&one.metric);
                add(&mut moments, &head, one);
            }
        }
        for (figure, query) in &self.figures.queries {
            let (names, label) = names_of(*figure);
            let head = match label {
                "" => names[0].to_owned(),
                label => format!("{}{{{label}}}", names[0]),
            };
            for one in self.series(&request(query, false))? {
                add(&mut moments, &head, one);
            }
        }
        Ok(moments)
    }

    /// The selector of the usual series but for those in whose place queries are; `None` where only queries count.
    fn selector(&self) -> Option<String> {
        let CollectedFigures { select, queries, .. } = &self.figures;
        let replaced: BTreeSet<&str> = queries.keys().flat_map(|figure| replaced(*figure)).collect();
        let names: Vec<&str> =
            ALL.into_iter().flatten().copied().filter(|name| !replaced.contains(name)).collect();
        (!select.is_empty()).then(|| format!("{{__name__=~\"{}\",{select}}}", names.join("|")))
    }

    fn series(&self, request: &str) -> io::Result<Vec<CollectedSeries>> {
        match self.get(request)? {
            QueryResult::Vector(series) | QueryResult::Matrix(series) => Ok(series),
            QueryResult::Scalar(sample) => {
                Ok(vec![CollectedSeries { metric: BTreeMap::new(), value: Some(sample), values: Vec::new() }])
            }
        }
    }

    fn get(&self, request: &str) -> io::Result<QueryResult> {
        let path = format!("{}/api/v1/{request}", self.server.path().trim_end_matches('/'));
        let (status, body) = self.server.get(&path)?;
        let Ok(answer) = serde_json::from_slice::<ServerAnswer>(&body) else {
            return Err(strange(&format!("status {status}, and no answer of a Prometheus server")));
        };
        match answer {
            ServerAnswer { data: Some(data), .. } if status == 200 => Ok(data),
            ServerAnswer { error, .. } => Err(strange(&error)),
        }
    }
}

/// The names in whose place a query for a figure is: the CPU time has two.
fn replaced(figure: ToldFigure) -> impl Iterator<Item = &'static str> {
    let names = names_of(figure).0.iter().copied();
    names.chain((figure == ToldFigure::CpuSeconds).then_some("process_cpu_time_ns_total"))
}

fn strange(words: &str) -> io::Error {
    io::Error::other(words.to_owned())
}

/// Fails where the series belong to several processes: nothing tells which of them is loaded.
fn one_instance(series: &[CollectedSeries]) -> io::Result<()> {
    let instances: BTreeSet<&str> =
        series.iter().filter_map(|one| one.metric.get("instance")).map(String::as_str).collect();
    match instances.len() {
        0 | 1 => Ok(()),
        _ => {
            let all: Vec<&str> = instances.into_iter().collect();
            Err(strange(&format!("`select` fits several instances: {}", all.join(", "))))
        }
    }
}

/// The name of a series with its labels, as a line of the text format begins.
fn head(metric: &BTreeMap<String, String>) -> String {
    let mut head = metric.get("__name__").cloned().unwrap_or_default();
    let labels = metric.iter().filter(|(label, _)| *label != "__name__");
    let labels: Vec<String> = labels.map(|(label, value)| format!("{label}=\"{value}\"")).collect();
    if !labels.is_empty() {
        let _ = write!(head, "{{{}}}", labels.join(","));
    }
    head
}

/// Adds a line for each sample of a series.
fn add(moments: &mut BTreeMap<u64, String>, head: &str, series: CollectedSeries) {
    for (seconds, value) in series.value.into_iter().chain(series.values) {
        let text = moments.entry((seconds * 1e3).round() as u64).or_default();
        let _ = writeln!(text, "{head} {value}");
    }
}

/// Percent-encoded for a query.
fn encoded(text: &str) -> String {
    let mut out = Vec::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => out.push(byte),
            false => push_percent(byte, &mut out),
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::Told;
    use super::super::source::ToldAt;
    use super::*;
    use crate::way::Way;
    use ask::observed::FigureSource;
    use model::units::Nanos;
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    /// A server with this clock, in seconds since the epoch, that knows two instances.
    fn prometheus(clock: f64) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let asked = request(&stream);
                let (status, body) = answer(&asked, clock);
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        format!("http://{address}/prom/")
    }

    fn request(stream: &TcpStream) -> String {
        let mut lines = BufReader::new(stream).lines();
        let first = lines.next().and_then(Result::ok).unwrap_or_default();
        lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
        first
    }

    fn answer(asked: &str, clock: f64) -> (u16, String) {
        let data = |kind: &str, result: &str| {
            format!(r#"{{"status":"success","data":{{"resultType":"{kind}","result":{result}}}}}"#)
        };
        let cpu = r#""__name__":"process_cpu_time_ns_total","instance":"a:1""#;
        let heap = r#""__name__":"jvm_memory_used_bytes","area":"heap","id":"G1 Old Gen","instance":"a:1""#;
        let other = r#""__name__":"process_cpu_time_ns_total","instance":"b:1""#;
        let (one, two) = (clock - 3.0, clock - 1.0);
        let values = |metric: &str, [first, second]: [&str; 2]| {
            format!(r#"{{"metric":{{{metric}}},"values":[[{one},"{first}"],[{two},"{second}"]]}}"#)
        };
        match asked {
            _ if !asked.starts_with("GET /prom/api/v1/query") => (404, "page not found".to_owned()),
            _ if asked.contains("=time()") => (200, data("scalar", &format!(r#"[{clock},"{clock}"]"#))),
            _ if asked.contains("wrong") => {
                (400, r#"{"status":"error","error":"1:3: parse error"}"#.to_owned())
            }
            _ if asked.contains("query_range") => {
                (200, data("matrix", &format!("[{}]", values("", ["0.5", "0.75"]))))
            }
            // A range of the selector.
            _ if asked.contains("%5B10s%5D") => {
                let all = [values(cpu, ["2e9", "4e9"]), values(heap, ["1000", "3000"])].join(",");
                (200, data("matrix", &format!("[{all}]")))
            }
            _ => {
                let now = |metric: &str| format!(r#"{{"metric":{{{metric}}},"value":[{clock},"7e9"]}}"#);
                let both = [now(cpu), now(other)].join(",");
                (200, data("vector", &format!("[{}]", if asked.contains("both") { both } else { now(cpu) })))
            }
        }
    }

    fn collected(select: &str, queries: &[(ToldFigure, &str)], clock: f64) -> Collected {
        let queries = queries.iter().map(|(figure, query)| (*figure, (*query).to_owned())).collect();
        let figures = CollectedFigures { prometheus: prometheus(clock), select: select.to_owned(), queries };
        match ToldAt::of(&FigureSource::Collected(figures), &Way::default()) {
            Some(ToldAt::Collected(collected)) => collected,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn samples_have_the_times_of_our_clock_and_queries_take_the_place_of_series() {
        // Its clock is an hour ahead.
        let now = wall_clock();
        let clock = now as f64 / 1e9 + 3600.0;
        let from = collected("job=\"shop\"", &[], clock);
        let moments = from.between(now - 10 * SECOND, now).expect("samples");
        let read: Vec<(u64, Nanos)> = moments
            .iter()
            .map(|(at_ns, text)| (*at_ns, Told::parse(text).reading().times.expect("CPU").user))
            .collect();
        assert_eq!(read.iter().map(|(_, user)| user.0).collect::<Vec<_>>(), [2_000_000_000, 4_000_000_000]);
        for ((at_ns, _), ago) in read.iter().zip([3, 1]) {
            assert!(at_ns.abs_diff(now - ago * SECOND) < SECOND / 2, "{at_ns} for {ago} s before {now}");
        }
        assert_eq!(
            Told::parse(&moments[1].1).reading().jvm.and_then(|jvm| jvm.heap_used).map(|heap| heap.0),
            Some(3000)
        );
        let asked = collected("", &[(ToldFigure::CpuSeconds, "sum(x)")], clock);
        let moments = asked.between(now - 10 * SECOND, now).expect("samples");
        assert_eq!(Told::parse(&moments[1].1).reading().times.expect("CPU").user, Nanos::from_millis(750));
        let selector = collected("job=\"shop\"", &[(ToldFigure::CpuSeconds, "sum(x)")], clock).selector();
        let selector = selector.expect("series");
        assert!(selector.ends_with(",job=\"shop\"}") && !selector.contains("process_cpu_time"), "{selector}");
    }

    #[test]
    fn what_the_server_refuses_and_several_instances_are_told() {
        let told = |select: &str| collected(select, &[], 1e9).now();
        assert!(
            told("job=\"shop\"")
                .expect("figures")
                .contains("process_cpu_time_ns_total{instance=\"a:1\"} 7e9")
        );
        let refused = |select: &str| told(select).expect_err("refused").to_string();
        assert_eq!(refused("job=\"both\""), "`select` fits several instances: a:1, b:1");
        assert_eq!(refused("wrong=\"x\""), "1:3: parse error");
    }
}
