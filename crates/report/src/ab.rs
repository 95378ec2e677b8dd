//! What `ab` (ApacheBench 2.3) prints, in its form to the letter, so that scripts that read it go on working. What is ours
//! follows its last line.
//!
//! Not taken over: its warnings that mean and median lie apart, which a skewed distribution always earns, and its figures
//! for TLS ciphers.

use std::fmt::Write;

/// Percentiles of the table, in per cent.
pub const PERCENTILES: [u8; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// What was measured. Times in seconds, sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The `Server` header of the first answer.
    pub server: String,
    /// As it was typed.
    pub host: String,
    /// Where the server listens.
    pub port: u16,
    /// The name in the TLS handshake, if there was one.
    pub tls_name: Option<String>,
    /// Path and query.
    pub path: String,
    /// Length of the first answer's body; `None` when lengths may vary.
    pub document: Option<u64>,
    /// Requests at a time.
    pub concurrency: u64,
    /// How long it took.
    pub elapsed: f64,
    /// Requests that ended on a connection, failed or not.
    pub complete: u64,
    /// Those that went wrong.
    pub failures: Failures,
    /// Answers with another status than 200 to 299; they are no failures.
    pub non_2xx: u64,
    /// Answers after which the connection was kept; `None` without `-k`.
    pub kept: Option<u64>,
    /// Received.
    pub transferred: u64,
    /// Sent, when requests have a body.
    pub sent: Option<u64>,
    /// Received, without heads.
    pub html: u64,
    /// Connect, processing, waiting, total.
    pub times: [Times; 4],
    /// Of the total, one for each of [`PERCENTILES`]; empty without the table.
    pub percentiles: Vec<f64>,
    /// The standard deviation and median columns.
    pub confidence: bool,
    /// Lines of our own.
    pub notes: Vec<String>,
}

/// Why requests failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// No connection.
    pub connect: u64,
    /// Reset or closed early.
    pub receive: u64,
    /// A body of another length than the first one's.
    pub length: u64,
    /// No answer in time, no HTTP, no TLS.
    pub exceptions: u64,
}

/// A line of `Connection Times`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the sample.
    pub stdev: f64,
    /// Median.
    pub median: f64,
    /// Largest.
    pub max: f64,
}

/// The lines before the load; with `progress` more lines follow on stderr, otherwise this one is finished by the end.
pub fn head(version: &str, host: &str, progress: bool) -> String {
    let end = if progress { "\n" } else { "..." };
    format!(
        "This is prony {version} in the form of ApacheBench, Version 2.3\n\
         Flags and output are those of ab, by Adam Twiss and The Apache Software Foundation;\n\
         requests and times are prony's own\n\n\
         Benchmarking {host} (be patient){end}"
    )
}

/// The result; it begins behind the line that says that the load is over.
pub fn text(run: &Run) -> String {
    let mut out = "\n\n".to_owned();
    facts(&mut out, run);
    counts(&mut out, run);
    rates(&mut out, run);
    if run.complete > 0 {
        times(&mut out, run);
    }
    if run.complete > 1 && !run.percentiles.is_empty() {
        out.push_str("\nPercentage of the requests served within a certain time (ms)\n");
        for (percent, &seconds) in PERCENTILES.iter().zip(&run.percentiles) {
            let remark = if *percent == 100 { " (longest request)" } else { "" };
            let _ = writeln!(out, "{percent:>4}%  {:>5}{remark}", millis(seconds));
        }
    }
    for note in &run.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// The file of `-e`: times of 0 to 100 per cent.
pub fn csv(times: &[f64]) -> String {
    let mut out = "Percentage served,Time in ms\n".to_owned();
    for (percent, seconds) in times.iter().enumerate() {
        let _ = writeln!(out, "{percent},{:.3}", 1e3 * seconds);
    }
    out
}

fn facts(out: &mut String, run: &Run) {
    line(out, "Server Software:", &run.server);
    line(out, "Server Hostname:", &run.host);
    line(out, "Server Port:", run.port);
    if let Some(name) = &run.tls_name {
        line(out, "TLS Server Name:", name);
    }
    out.push('\n');
    line(out, "Document Path:", &run.path);
    match run.document {
        Some(length) => line(out, "Document Length:", format_args!("{length} bytes")),
        None => line(out, "Document Length:", "Variable"),
    }
    out.push('\n');
}

fn counts(out: &mut String, run: &Run) {
    let Failures {
        connect,
        receive,
        length,
        exceptions,
    } = run.failures;
    let failed = connect + receive + length + exceptions;
    line(out, "Concurrency Level:", run.concurrency);
    line(
        out,
        "Time taken for tests:",
        format_args!("{:.3} seconds", run.elapsed),
    );
    line(out, "Complete requests:", run.complete);
    line(out, "Failed requests:", failed);
    if failed > 0 {
        let _ = writeln!(
            out,
            "   (Connect: {connect}, Receive: {receive}, Length: {length}, Exceptions: {exceptions})"
        );
    }
    if run.non_2xx > 0 {
        line(out, "Non-2xx responses:", run.non_2xx);
    }
    if let Some(kept) = run.kept {
        line(out, "Keep-Alive requests:", kept);
    }
    line(
        out,
        "Total transferred:",
        format_args!("{} bytes", run.transferred),
    );
    if let Some(sent) = run.sent {
        line(out, "Total body sent:", sent);
    }
    line(out, "HTML transferred:", format_args!("{} bytes", run.html));
}

fn rates(out: &mut String, run: &Run) {
    if run.complete == 0 || run.elapsed <= 0.0 {
        return;
    }
    let complete = run.complete as f64;
    let each = 1e3 * run.elapsed / complete;
    let all = run.concurrency as f64 * each;
    let kilobytes = |bytes: u64| bytes as f64 / 1024.0 / run.elapsed;
    line(
        out,
        "Requests per second:",
        format_args!("{:.2} [#/sec] (mean)", complete / run.elapsed),
    );
    line(out, "Time per request:", format_args!("{all:.3} [ms] (mean)"));
    line(
        out,
        "Time per request:",
        format_args!("{each:.3} [ms] (mean, across all concurrent requests)"),
    );
    line(
        out,
        "Transfer rate:",
        format_args!("{:.2} [Kbytes/sec] received", kilobytes(run.transferred)),
    );
    if let Some(sent) = run.sent {
        line(out, "", format_args!("{:.2} kb/s sent", kilobytes(sent)));
        line(
            out,
            "",
            format_args!("{:.2} kb/s total", kilobytes(sent + run.transferred)),
        );
    }
}

fn times(out: &mut String, run: &Run) {
    out.push_str("\nConnection Times (ms)\n");
    out.push_str(match run.confidence {
        true => "              min  mean[+/-sd] median   max\n",
        false => "              min   avg   max\n",
    });
    let names = ["Connect:", "Processing:", "Waiting:", "Total:"];
    for (name, times) in names.iter().zip(&run.times) {
        let (min, mean, max) = (millis(times.min), millis(times.mean), millis(times.max));
        let (stdev, median) = (1e3 * times.stdev, millis(times.median));
        let _ = match run.confidence {
            true => writeln!(
                out,
                "{name:<12}{min:>5} {mean:>4} {stdev:>5.1} {median:>6} {max:>7}"
            ),
            false => writeln!(out, "{name:<12}{min:>5} {mean:>5}{max:>5}"),
        };
    }
}

fn line(out: &mut String, label: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "{label:<24}{value}");
}

/// Whole milliseconds, a half rounded up.
fn millis(seconds: f64) -> u64 {
    (1e3 * seconds + 0.5) as u64
}
