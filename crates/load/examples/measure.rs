//! Loads a URL with a number of keep-alive connections for some seconds, and prints times and the CPU time of the
//! generator: `cargo run --release -p load --example measure -- localhost:8080 96 5 [OPTION...]`.
//!
//! Options are `rate=1000` (an open loop), `settle=0` (seconds; 0.5 otherwise), `close` (ask the server to close each
//! connection), `never-reuse` (close each connection ourselves), `http2=N` (HTTP/2, with N streams on a connection), `hlog=FILE`, `no-kernel-times` and `real-time` (take a real-time
//! priority at a rate, where the system permits it).

use load::{Edge, RequestBuilder, Session, Slice, Url, Window};
use model::units::{Nanos, Rate};
use std::sync::atomic::AtomicBool;
use traffic::plan::{Arrivals, Http, Plan, Reuse, Tls};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, connections, seconds, words @ ..] = arguments.as_slice() else {
        return Err(
            "usage: measure URL CONNECTIONS SECONDS [rate=N] [settle=S] [close] [never-reuse] [http2=N] [no-kernel-times] [real-time]".into(),
        );
    };
    let window = Window {
        settle: Nanos::from_secs_f64(value(words, "settle=").unwrap_or("0.5").parse()?),
        counted: Nanos::from_secs_f64(seconds.parse()?),
    };
    let mut session = Session::open(plan(&Url::parse(url)?, connections.parse()?, words)?)?;
    let slice = session.run(window, &AtomicBool::new(false), &mut |edge| {
        if let Edge::Interval(interval) = edge {
            eprintln!("{:4.0} s  {} requests", interval.start.as_secs_f64(), interval.requests);
        }
    })?;
    print(&slice);
    if let Some(path) = value(words, "hlog=") {
        let counted = std::time::Duration::from(slice.elapsed);
        std::fs::write(path, load::hlog(std::time::SystemTime::now() - counted, &slice.intervals))?;
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("peak memory {}", peak.unwrap_or("unknown").trim());
    Ok(())
}

/// The value of an option of the form `name=value`.
fn value<'a>(words: &'a [String], name: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(name))
}

fn plan(url: &Url, connections: usize, words: &[String]) -> Result<Plan, Box<dyn std::error::Error>> {
    let has = |word: &str| words.iter().any(|given| given == word);
    let arrivals = match value(words, "rate=") {
        Some(rate) => Arrivals::Open { rate: Rate(rate.parse()?), poisson: true, connections },
        None => Arrivals::Closed { users: connections },
    };
    let request = RequestBuilder::new(url).keep_alive(!has("close")).build()?;
    let mut plan = Plan::new(load::resolve(url)?, vec![request], arrivals);
    plan.real_time = has("real-time");
    plan.kernel_times = !has("no-kernel-times");
    plan.tls = url.tls.then(|| Tls::new(&url.host, &plan.target, None));
    if let Some(streams) = value(words, "http2=") {
        plan.http = Http::Two { streams: streams.parse()? };
    }
    if has("never-reuse") {
        plan.reuse = Reuse::Never;
    }
    Ok(plan)
}

fn print(slice: &Slice) {
    let elapsed = slice.elapsed.as_secs_f64();
    let cpu = slice.generator_cpu.as_secs_f64();
    println!("total {}", slice.ok);
    println!(
        "{:.0} requests/s, {:.0} requests per CPU second of the generator",
        slice.ok as f64 / elapsed,
        slice.ok as f64 / cpu
    );
    println!(
        "generator {:.0} % of a core, Little {:.4}",
        100.0 * cpu / elapsed,
        slice.service_sum / slice.in_flight_integral
    );
    for (name, histogram) in [
        ("response", &slice.response),
        ("service", &slice.service),
        ("lag", &slice.lag),
        ("send delay", &slice.self_check.send_delay),
        ("undelayed", &slice.self_check.undelayed),
    ] {
        let micros = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
        println!(
            "{name:10} p50 {:9.1} us  p99 {:9.1} us  max {:9.1} us",
            micros(0.5),
            micros(0.99),
            micros(1.0)
        );
    }
    println!(
        "believed: {}",
        slice.why_invalid().map_or_else(|| "yes".to_owned(), |why| format!("no, {why:?}"))
    );
    if slice.http2 != load::Http2Counts::default() {
        println!("{:?}", slice.http2);
    }
    println!(
        "faults {:?}, connects {}, resent {}, TLS handshakes {} full, {} resumed",
        slice.faults.iter().collect::<Vec<_>>(),
        slice.connects_total,
        slice.resent,
        slice.tls_full,
        slice.tls_resumed
    );
}
