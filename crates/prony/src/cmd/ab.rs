//! `prony ab`: has the flags and the output of ab (ApacheBench), and uses prony's generator.
//!
//! There are two differences. A request that takes too long counts as failed and does not end the test. And with both `-n` and
//! `-t`, `-n` is the maximum number of requests, in whichever order the two are given.

use super::SubCommand;
use super::foreign::{self, Instead, UnsupportedFlag};
use super::load::plan::{PATIENCE, header};
use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::files::{FileComplaint, Given, unreadable};
use crate::output::print;
use crate::signals;
use ask::values;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::{ArgAction, Args, Parser};
use load::{Edge, Fault, Faults, Histogram, RequestBuilder, Session, Slice, Url, Window};
use model::units::Nanos;
use report::ab::{AbResult, AbTimes, Failures, PERCENTILES};
use say::Say;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use traffic::plan::{Arrivals, Plan, Reuse, Tls};

/// The exit code of ab for a wrong command line: EINVAL.
const USAGE: u8 = 22;
/// The exit code of ab when the server refuses connections: ECONNREFUSED.
const REFUSED_CODE: u8 = 111;
/// The exit code of ab when the server resets a connection: ECONNRESET.
const RESET_CODE: u8 = 104;
/// The maximum number of requests when only a time limit is given.
const TIMED: u64 = 50_000;
/// The number of failed connects without an answer after which the test ends.
const TRIES: u64 = 10;

/// Replace ab in a script: same flags, same output (`prony ab --help` lists them).
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct AbWords {
    /// The arguments as that tool takes them.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The arguments of ab.
#[derive(Debug, Parser)]
#[command(
    name = "prony ab",
    about = "Loads a URL as ab (ApacheBench) does, with its flags and its output",
    version,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100
)]
struct AbArgs {
    /// The URL to load.
    url: String,
    /// Number of requests to send [default: 1, or 50000 with -t]
    #[arg(short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,
    /// Number of requests at a time.
    #[arg(short = 'c', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    concurrency: u32,
    /// Maximum number of seconds to load.
    #[arg(short = 't', value_name = "SECONDS", value_parser = values::duration)]
    limit: Option<Nanos>,
    /// Seconds to wait for a response.
    #[arg(short = 's', value_name = "SECONDS", default_value = "30", value_parser = values::duration)]
    timeout: Nanos,
    /// File with data to POST; see -T.
    #[arg(short = 'p', value_name = "FILE", conflicts_with_all = ["put", "head"])]
    post: Option<PathBuf>,
    /// File with data to PUT; see -T.
    #[arg(short = 'u', value_name = "FILE", conflicts_with = "head")]
    put: Option<PathBuf>,
    /// Content type of -p and -u.
    #[arg(short = 'T', value_name = "TYPE", default_value = "text/plain")]
    content_type: String,
    /// How much to print; only 0 and 1, which print no traffic, are supported.
    #[arg(short = 'v', value_name = "LEVEL", default_value_t = 0)]
    verbosity: u8,
    /// Send HEAD instead of GET.
    #[arg(short = 'i')]
    head: bool,
    /// Send a cookie, as name=value; as in ab, the last one counts.
    #[arg(short = 'C', value_name = "COOKIE")]
    cookie: Option<String>,
    /// Add a header, as "Name: value"; may be repeated.
    #[arg(short = 'H', value_name = "HEADER")]
    headers: Vec<String>,
    /// Use basic authentication, as user:password.
    #[arg(short = 'A', value_name = "AUTH")]
    auth: Option<String>,
    /// Keep connections alive.
    #[arg(short = 'k')]
    keep_alive: bool,
    /// Print no table of percentiles.
    #[arg(short = 'd')]
    no_percentiles: bool,
    /// Print no standard deviations and medians.
    #[arg(short = 'S')]
    no_confidence: bool,
    /// Show no progress.
    #[arg(short = 'q')]
    quiet: bool,
    /// Accept bodies of any length.
    #[arg(short = 'l')]
    any_length: bool,
    /// File to write the percentiles 0 to 100 into, as CSV.
    #[arg(short = 'e', value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Continue when the server resets a connection.
    #[arg(short = 'r')]
    go_on: bool,
    /// The request method.
    #[arg(short = 'm', value_name = "METHOD")]
    method: Option<String>,
    /// Print the version.
    #[arg(short = 'V', action = ArgAction::Version)]
    version: Option<bool>,
}

const fn unsupported(flag: &'static str, takes_value: bool, instead: Instead) -> UnsupportedFlag {
    UnsupportedFlag { flag, takes_value, instead }
}

const UNSUPPORTED: [UnsupportedFlag; 14] = [
    unsupported("b", true, Instead::System),
    unsupported("B", true, Instead::System),
    unsupported("g", true, Instead::Requests),
    unsupported("w", false, Instead::Html),
    unsupported("x", true, Instead::Html),
    unsupported("y", true, Instead::Html),
    unsupported("z", true, Instead::Html),
    unsupported("P", true, Instead::Proxy),
    unsupported("X", true, Instead::Proxy),
    unsupported("I", false, Instead::Tls),
    unsupported("Z", true, Instead::Tls),
    unsupported("f", true, Instead::Tls),
    unsupported("E", true, Instead::Tls),
    unsupported("W", true, Instead::Threads),
];

/// What `prony ab` refuses, in the words of ab where it has any.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum AbComplaint {
    /// `-v` of ab above 1.
    #[say(
        en = "-v above 1 is not supported",
        zh = "不支持大于 1 的 -v",
        hint(en = "`curl -v` shows an exchange", zh = "`curl -v` 可显示一次完整的请求与应答")
    )]
    Verbosity,
    /// More requests at a time than in total.
    #[say(
        en = "cannot use concurrency level greater than total number of requests",
        zh = "并发数不能大于请求总数"
    )]
    Concurrency,
    /// ab ends where the server resets a connection.
    #[say(
        en = "the server reset a connection",
        zh = "服务器重置了一个连接",
        hint(en = "-r goes on when that happens", zh = "使用 -r 可在这种情况下继续")
    )]
    Reset,
    /// ab ends where nobody answers.
    #[say(
        en = "cannot connect to {host}:{port}: {what}",
        zh = "无法连接到 {host}:{port}（{what}）",
        hint(en = "is the server running?", zh = "服务器是否在运行？"),
        what = fault.id().replace('_', " ")
    )]
    NoConnection {
        host: String,
        port: u16,
        /// What went wrong first.
        fault: Fault,
    },
}

impl SubCommand for AbWords {
    /// Runs the load, and ends with the exit codes of ab.
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let Some(args) = foreign::parse(&self.arguments, &UNSUPPORTED, USAGE)? else {
            return Ok(());
        };
        load(&args, call.quiet || args.quiet).map_err(|failure| match failure.code {
            Code::Usage => failure.with_exit(USAGE.into()),
            _ => failure,
        })
    }
}

/// Returns the maximum number of requests.
fn requests(args: &AbArgs) -> Result<u64, Failure> {
    if args.verbosity > 1 {
        return Err(Failure::usage(AbComplaint::Verbosity));
    }
    let timed = if args.limit.is_some() { TIMED } else { 1 };
    let requests = args.requests.unwrap_or(timed);
    if u64::from(args.concurrency) > requests {
        return Err(Failure::usage(AbComplaint::Concurrency));
    }
    Ok(requests)
}

fn load(args: &AbArgs, quiet: bool) -> Result<(), Failure> {
    let requests = requests(args)?;
    let url = Url::parse(&args.url).map_err(::load::Error::from).map_err(Failure::usage)?;
    let mut plan = plan(args, &url)?;
    plan.limit = Some(requests);
    let sent_each = plan.requests[0].bytes.len() as u64;
    let stop = signals::stop_flag()?;
    let mut session = Session::open(plan)?;
    let mut progress = AbProgress::new(requests, quiet);
    print(&report::ab::head(env!("CARGO_PKG_VERSION"), &url.host, progress.is_shown()))?;
    let window = Window { settle: Nanos(0), counted: args.limit.unwrap_or(PATIENCE) };
    let mut faults = Faults::default();
    let slice = session.run(window, &stop, &mut |edge| {
        if let Edge::Interval(interval) = edge {
            faults.merge(&interval.faults);
            progress.add(interval.requests);
            if must_stop(&faults, progress.done, args.go_on) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    })?;
    if let Some(failure) = failure(&slice, args.go_on, &url) {
        print(&format!("\nTotal of {} requests completed\n", complete(&slice)))?;
        return Err(failure);
    }
    print(progress.end())?;
    let first = session.first_answer().cloned().unwrap_or_default();
    let mut result = result(args, &url, &slice);
    result.server = first.server;
    result.document = (!args.any_length).then_some(first.body.unwrap_or(0));
    let body = args.post.is_some() || args.put.is_some();
    result.sent = body.then_some((result.complete + slice.resent) * sent_each);
    if let Some(path) = &args.csv {
        std::fs::write(path, report::ab::csv(&percentiles(&slice.response)))
            .map_err(|source| Failure::usage(FileComplaint::Unwritable { path: path.clone(), source }))?;
    }
    print(&report::ab::text(&result))?;
    if slice.interrupted { Err(Failure::reported(Code::Internal)) } else { Ok(()) }
}

fn plan(args: &AbArgs, url: &Url) -> Result<Plan, Failure> {
    let request = request(args, url)?.build().map_err(Failure::usage)?;
    let users = args.concurrency as usize;
    let mut plan = Plan::new(load::resolve(url)?, vec![request], Arrivals::Closed { users });
    plan.tls = url.tls.then(|| Tls { resume: false, ..Tls::accepting_anyone(&url.host) });
    if !args.keep_alive {
        plan.reuse = Reuse::Never;
    }
    plan.connect_timeout = args.timeout;
    plan.response_timeout = args.timeout;
    plan.time_wrong = true;
    Ok(plan)
}

/// Returns the request, with its headers in the order of ab.
fn request(args: &AbArgs, url: &Url) -> Result<RequestBuilder, Failure> {
    let file = args.post.as_ref().or(args.put.as_ref());
    let method = match (&args.method, &args.post, &args.put, args.head) {
        (Some(method), ..) => method,
        (_, Some(_), ..) => "POST",
        (_, _, Some(_), _) => "PUT",
        (.., true) => "HEAD",
        _ => "GET",
    };
    let mut request = RequestBuilder::new(url).http10().bare().method(method);
    if args.keep_alive {
        request = request.header("Connection", "Keep-Alive");
    }
    if let Some(cookie) = &args.cookie {
        request = request.header("Cookie", cookie);
    }
    if let Some(auth) = &args.auth {
        request =
            request.header("Authorization", &format!("Basic {}", BASE64_STANDARD.encode(auth.trim_start())));
    }
    if let Some(path) = file {
        let body = std::fs::read(path).map_err(unreadable(Given::Other, path))?;
        request = request
            .header("Content-length", &body.len().to_string())
            .header("Content-type", &args.content_type)
            .body(body);
    }
    let given: Vec<_> = args.headers.iter().map(|text| header(text)).collect::<Result<_, _>>()?;
    let authority = url.authority();
    let defaults = [("Host", authority.as_str()), ("User-Agent", "ApacheBench/2.3"), ("Accept", "*/*")];
    let missing =
        |default: &&(&str, &str)| !given.iter().any(|(name, _)| name.eq_ignore_ascii_case(default.0));
    for (name, value) in given.iter().chain(defaults.iter().filter(missing)) {
        request = request.header(name, value);
    }
    request = request.expect_status(200..=299);
    Ok(match args.any_length {
        true => request,
        false => request.expect_same_length(),
    })
}

/// Whether ab would end the test here.
fn must_stop(faults: &Faults, done: u64, go_on: bool) -> bool {
    let connects = foreign::count(faults, &foreign::CONNECT);
    faults.count(Fault::Reset) > 0 && !go_on || connects > TRIES && connects == done
}

/// Returns why the test has no result, with the exit code of ab for it; `None` if it has one.
fn failure(slice: &Slice, go_on: bool, url: &Url) -> Option<Failure> {
    let faults = &slice.faults;
    if faults.count(Fault::Reset) > 0 && !go_on {
        return Some(Failure::invalid(AbComplaint::Reset).with_exit(RESET_CODE.into()));
    }
    let (fault, _) = faults.iter().next()?;
    if complete(slice) > 0 {
        return None;
    }
    let failure =
        Failure::invalid(AbComplaint::NoConnection { host: url.host.clone(), port: url.port, fault });
    let code = if fault == Fault::ConnectRefused { REFUSED_CODE } else { 1 };
    Some(failure.with_exit(code.into()))
}

/// Returns the number of requests that ended, except those that got no connection.
fn complete(slice: &Slice) -> u64 {
    slice.requests - foreign::count(&slice.faults, &foreign::CONNECT)
}

fn result(args: &AbArgs, url: &Url, slice: &Slice) -> AbResult {
    let faults = &slice.faults;
    let count = |kinds: &[Fault]| foreign::count(faults, kinds);
    let non_2xx = count(&[Fault::WrongStatus, Fault::WrongStatusAndBody]);
    let length = count(&[Fault::WrongBody, Fault::WrongStatusAndBody]);
    let answers = slice.ok + non_2xx + faults.count(Fault::WrongBody);
    let name = url.tls && url.host.parse::<IpAddr>().is_err();
    let seconds = |percent: u8| quantile(&slice.response, f64::from(percent));
    AbResult {
        host: url.host.clone(),
        port: url.port,
        tls_name: name.then(|| url.host.clone()),
        path: url.path.clone(),
        concurrency: args.concurrency.into(),
        elapsed: slice.elapsed.as_secs_f64(),
        complete: complete(slice),
        failures: Failures {
            connect: count(&foreign::CONNECT),
            receive: count(&[Fault::Reset, Fault::ClosedEarly]),
            length,
            exceptions: count(&[Fault::ResponseTimeout, Fault::Malformed, Fault::Tls]),
        },
        non_2xx,
        // A request is sent again when its connection was closed although the last answer had promised to keep it alive.
        kept: args.keep_alive.then_some((answers + slice.resent).saturating_sub(slice.closes)),
        transferred: slice.bytes,
        html: slice.body_bytes,
        times: [&slice.wait, &slice.service, &slice.first_byte, &slice.response].map(times),
        percentiles: match args.no_percentiles {
            true => Vec::new(),
            false => PERCENTILES.map(seconds).to_vec(),
        },
        confidence: !args.no_confidence,
        notes: foreign::notes(slice),
        ..AbResult::default()
    }
}

fn times(histogram: &Histogram) -> AbTimes {
    AbTimes {
        min: histogram.min() as f64 / 1e9,
        mean: histogram.mean() / 1e9,
        stdev: foreign::stdev(histogram),
        median: quantile(histogram, 50.0),
        max: histogram.max() as f64 / 1e9,
    }
}

fn quantile(histogram: &Histogram, percent: f64) -> f64 {
    histogram.value_at_quantile(percent / 100.0) as f64 / 1e9
}

/// Returns the percentiles 0 to 100, in seconds.
fn percentiles(histogram: &Histogram) -> Vec<f64> {
    (0..=100).map(|percent| quantile(histogram, f64::from(percent))).collect()
}

/// Prints a line on stderr whenever another tenth of the requests is done, but not more often than every 100 requests. It looks
/// once a second.
struct AbProgress {
    /// The number of requests from line to line; `None` if no lines are printed.
    step: Option<u64>,
    done: u64,
}

impl AbProgress {
    fn new(requests: u64, quiet: bool) -> Self {
        let step = (requests / 10).max(100);
        Self { step: (!quiet && requests > 150).then_some(step), done: 0 }
    }

    const fn is_shown(&self) -> bool {
        self.step.is_some()
    }

    fn add(&mut self, requests: u64) {
        let before = self.done;
        self.done += requests;
        let Some(step) = self.step else { return };
        for number in before / step + 1..=self.done / step {
            eprintln!("Completed {} requests", number * step);
        }
    }

    /// Prints the number of requests on stderr; returns what has to be printed on stdout.
    fn end(&self) -> &'static str {
        if !self.is_shown() {
            return "..done\n";
        }
        eprintln!("Finished {} requests", self.done);
        ""
    }
}
