//! `prony wrk`: has the flags and the output of wrk, or of wrk2 with `-R`, and uses prony's generator.
//!
//! There are three differences. A timeout counts when it expires and not when the reply finally comes. No times are made up
//! afterwards to correct for coordinated omission. And tenths of a second without an answer count in `Req/Sec`.

use super::SubCommand;
use super::foreign::{self, Instead, UnsupportedFlag};
use super::load::plan::header;
use crate::call::Call;
use crate::failure::Failure;
use crate::output::print;
use crate::signals;
use ask::values;
use clap::{ArgAction, Args, Parser};
use load::{Fault, Histogram, RequestBuilder, Session, Slice, Tenth, Url, Window};
use model::units::{Nanos, Rate};
use report::wrk::{Distribution, Errors, Moments, Spectrum, WrkResult, WrkStart};
use say::Say;
use std::ffi::OsString;
use std::net::TcpStream;
use traffic::plan::{Arrivals, Plan, Target, Tls};

/// The exit code of wrk for every failure.
const FAILED: u8 = 1;

/// Replace wrk in a script (wrk2 with -R): same flags, same output (`prony wrk --help` lists them).
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct WrkWords {
    /// The arguments as that tool takes them.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The arguments of wrk and wrk2.
#[derive(Debug, Parser)]
#[command(
    name = "prony wrk",
    about = "Loads a URL as wrk does, with its flags and its output; with -R as wrk2",
    version,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100
)]
struct WrkArgs {
    /// The URL to load.
    url: String,
    /// Number of connections to keep open.
    #[arg(short, long, value_name = "N", default_value = "10", value_parser = values::count)]
    connections: u64,
    /// Duration of the test, such as 2s, 2m or 2h.
    #[arg(short, long, value_name = "T", default_value = "10s", value_parser = values::duration)]
    duration: Nanos,
    /// Number of threads to use.
    #[arg(short, long, value_name = "N", default_value = "2", value_parser = values::count)]
    threads: u64,
    /// Add a header to the request, as "Name: value"; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "H")]
    headers: Vec<String>,
    /// Print percentiles.
    #[arg(short = 'L', long)]
    latency: bool,
    /// Time after which a request counts as failed.
    #[arg(short = 'T', long, value_name = "T", default_value = "2s", value_parser = values::duration)]
    timeout: Nanos,
    /// Requests per second in total, due at equal gaps, however slowly the server answers; times count from when a request
    /// was due.
    #[arg(short = 'R', long, value_name = "T", value_parser = values::rate)]
    rate: Option<Rate>,
    /// With -R: also print percentiles of the times that count from when a request was sent.
    #[arg(short = 'U', long = "u_latency", requires = "rate")]
    uncorrected: bool,
    /// Print the version.
    #[arg(short = 'v', long, action = ArgAction::Version)]
    version: Option<bool>,
}

const UNSUPPORTED: [UnsupportedFlag; 1] =
    [UnsupportedFlag { flag: "s", takes_value: true, instead: Instead::Scripts }];

/// What `prony wrk` refuses, in the words of wrk where it has any.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum WrkComplaint {
    /// Fewer connections than threads, or no thread.
    #[say(
        en = "number of connections must be >= threads",
        zh = "连接数必须不小于线程数",
        hint(
            en = "-c is the number over all threads; there is one thread at least",
            zh = "-c 是所有线程的连接总数；至少有一个线程"
        )
    )]
    Threads,
    /// A duration or timeout of zero.
    #[say(en = "duration and timeout must be above zero", zh = "时长和超时必须大于零")]
    NoTime,
    /// wrk connects once before it begins, and could not.
    #[say(
        en = "unable to connect to {host}:{port} {reason}",
        zh = "无法连接到 {host}:{port}：{reason}",
        hint(en = "is the server running?", zh = "服务器是否在运行？")
    )]
    Unreachable {
        host: String,
        port: u16,
        /// What the system says.
        reason: String,
    },
}

impl SubCommand for WrkWords {
    /// As in wrk, the exit code of every failure is 1.
    fn run(&self, _: &Call) -> Result<(), Failure> {
        match foreign::parse(&self.arguments, &UNSUPPORTED, FAILED)? {
            Some(args) => load(&args).map_err(|failure| failure.with_exit(FAILED.into())),
            None => Ok(()),
        }
    }
}

fn load(args: &WrkArgs) -> Result<(), Failure> {
    if args.connections < args.threads || args.threads == 0 {
        return Err(Failure::usage(WrkComplaint::Threads));
    }
    if args.duration == Nanos(0) || args.timeout == Nanos(0) {
        return Err(Failure::usage(WrkComplaint::NoTime));
    }
    let url = Url::parse(&args.url).map_err(::load::Error::from)?;
    let plan = plan(args, &url)?;
    check_reachable(&url, &plan)?;
    let stop = signals::stop_flag()?;
    let mut session = Session::open(plan)?;
    print(&report::wrk::head(&WrkStart {
        duration: args.duration.as_secs_f64(),
        url: &args.url,
        threads: args.threads as usize,
        connections: args.connections as usize,
    }))?;
    let window = Window { settle: Nanos(0), counted: args.duration };
    let slice = session.run(window, &stop, &mut |_| {})?;
    print(&report::wrk::text(&result(args, &slice)))
}

fn plan(args: &WrkArgs, url: &Url) -> Result<Plan, Failure> {
    let mut request = RequestBuilder::new(url).bare();
    for text in &args.headers {
        let (name, value) = header(text)?;
        request = request.header(name, value);
    }
    let connections = args.connections as usize;
    let arrivals = match args.rate {
        Some(rate) => Arrivals::Open { rate, poisson: false, connections },
        None => Arrivals::Closed { users: connections },
    };
    let mut plan = Plan::new(load::resolve(url)?, vec![request.build()?], arrivals);
    plan.tls = url.tls.then(|| Tls { resume: false, ..Tls::accepting_anyone(&url.host) });
    plan.shards = args.threads as usize;
    plan.connect_timeout = args.timeout;
    plan.response_timeout = args.timeout;
    plan.time_wrong = true;
    Ok(plan)
}

/// Connects once before the load begins, as wrk does: a server that cannot be reached is an error and no result.
fn check_reachable(url: &Url, plan: &Plan) -> Result<(), Failure> {
    let Target::Tcp(address) = &plan.target else {
        return Ok(());
    };
    match TcpStream::connect_timeout(address, plan.connect_timeout.into()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let text = error.to_string();
            Err(Failure::usage(WrkComplaint::Unreachable {
                host: url.host.clone(),
                port: url.port,
                reason: text.split(" (os error").next().unwrap_or_default().to_owned(),
            }))
        }
    }
}

fn result(args: &WrkArgs, slice: &Slice) -> WrkResult {
    let faults = &slice.faults;
    let wrong = faults.count(Fault::WrongStatus);
    let open = args.rate.is_some();
    let latency = if open { &slice.response } else { &slice.service };
    let mut distributions = Vec::new();
    if args.latency || args.uncorrected {
        distributions.push(if open {
            detailed("Recorded Latency", latency)
        } else {
            distribution(&[50.0, 75.0, 90.0, 99.0], latency)
        });
    }
    if args.uncorrected {
        let title = "Uncorrected Latency (measured without taking delayed starts into account)";
        distributions.push(detailed(title, &slice.service));
    }
    let connect = foreign::count(faults, &foreign::CONNECT);
    WrkResult {
        latency: times(latency),
        rate: rates(&slice.tenths, slice.elapsed),
        distributions,
        elapsed: slice.elapsed.as_secs_f64(),
        requests: slice.ok + wrong,
        bytes: slice.bytes,
        errors: Errors {
            connect: connect + faults.count(Fault::Tls),
            read: foreign::count(faults, &[Fault::Reset, Fault::ClosedEarly, Fault::Malformed]),
            timeout: faults.count(Fault::ResponseTimeout),
        },
        wrong,
        notes: foreign::notes(slice),
    }
}

fn times(histogram: &Histogram) -> Moments {
    let mean = histogram.mean();
    let stdev = foreign::stdev(histogram);
    let within = histogram
        .iter_recorded()
        .filter(|cell| (cell.value_iterated_to() as f64 - mean).abs() <= 1e9 * stdev)
        .map(|cell| cell.count_since_last_iteration())
        .sum::<u64>();
    Moments {
        mean: mean / 1e9,
        stdev,
        max: histogram.max() as f64 / 1e9,
        within: within as f64 / histogram.len().max(1) as f64,
    }
}

/// Computes the requests per second of each thread from tenths of a second. The last tenth of a thread may be shorter or longer and is
/// left out, unless it is the only one.
fn rates(threads: &[Vec<Tenth>], elapsed: Nanos) -> Moments {
    let length = Nanos::from_millis(100).min(elapsed).as_secs_f64().max(1e-9);
    let whole = |tenths: &Vec<Tenth>| tenths.len().saturating_sub(1).max(1).min(tenths.len());
    let rates: Vec<f64> = threads
        .iter()
        .flat_map(|tenths| &tenths[..whole(tenths)])
        .map(|tenth| tenth.answers as f64 / length)
        .collect();
    let count = rates.len().max(1) as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let stdev = (squares / (count - 1.0).max(1.0)).sqrt();
    let within = rates.iter().filter(|&rate| (rate - mean).abs() <= stdev).count();
    Moments { mean, stdev, max: rates.iter().copied().fold(0.0, f64::max), within: within as f64 / count }
}

fn distribution(percents: &[f64], histogram: &Histogram) -> Distribution {
    let time = |percent: f64| histogram.value_at_quantile(percent / 100.0) as f64 / 1e9;
    Distribution {
        percentiles: percents.iter().map(|&percent| (percent, time(percent))).collect(),
        spectrum: None,
    }
}

fn detailed(title: &'static str, histogram: &Histogram) -> Distribution {
    let percents = [50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0];
    let mut count = 0;
    let rows = histogram.iter_quantiles(5).map(|step| {
        count += step.count_since_last_iteration();
        let time = step.value_iterated_to() as f64 / 1e9;
        (time, step.quantile_iterated_to(), count)
    });
    let rows = rows.collect();
    // The lower half of every bucket is the bucket below it, except in the first bucket.
    let buckets = usize::from(histogram.buckets());
    let sub_buckets = 2 * histogram.distinct_values() / (buckets + 1);
    Distribution {
        spectrum: Some(Spectrum {
            title,
            rows,
            mean: histogram.mean() / 1e9,
            stdev: histogram.stdev() / 1e9,
            max: histogram.max() as f64 / 1e9,
            count: histogram.len(),
            buckets,
            sub_buckets,
        }),
        ..distribution(&percents, histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenths(answers: &[u64]) -> Vec<Tenth> {
        answers.iter().map(|&answers| Tenth { answers, ..Tenth::default() }).collect()
    }

    #[test]
    fn rates_are_those_of_each_thread_and_a_stall_counts() {
        let second = Nanos::from_secs(1);
        let rates = super::rates(&[tenths(&[10, 0, 20, 1]), tenths(&[10, 10, 10, 14])], second);
        assert_eq!((rates.mean, rates.max), (100.0, 200.0));
        assert!((rates.stdev - 63.2456).abs() < 1e-3, "{}", rates.stdev);
        assert!((rates.within - 4.0 / 6.0).abs() < 1e-9);
        let short = super::rates(&[tenths(&[5])], Nanos::from_millis(50));
        assert_eq!(short.mean, 100.0);
        assert_eq!(super::rates(&[], second).mean, 0.0);
    }

    #[test]
    fn the_spectrum_ends_with_all_values() {
        let mut histogram = load::new_histogram();
        for micros in 1..=1000 {
            histogram.record(1000 * micros).unwrap();
        }
        let spectrum = detailed("", &histogram).spectrum.unwrap();
        let (first, last) = (spectrum.rows[0], spectrum.rows[spectrum.rows.len() - 1]);
        assert_eq!((first.1, first.2), (0.0, 1));
        assert_eq!((last.1, last.2, spectrum.count), (1.0, 1000, 1000));
        assert_eq!(spectrum.sub_buckets, 2048);
        assert!((times(&histogram).within - 0.577).abs() < 0.01);
    }
}
