//! The output of `ab` (ApacheBench 2.3), to the letter, so that scripts that read it keep working. Lines of prony follow its last
//! line.
//!
//! Two things are left out: its warnings that mean and median differ, which every skewed distribution gets, and its lines on TLS
//! ciphers.

use std::fmt::Write;

/// Percentiles of the table, in per cent.
pub const PERCENTILES: [u8; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// The results of a load; times are in seconds, sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbResult {
    /// The `Server` header of the first answer.
    pub server: String,
    /// The host as it was typed.
    pub host: String,
    /// The port on which the server listens.
    pub port: u16,
    /// The name in the TLS handshake, if there was one.
    pub tls_name: Option<String>,
    /// Path and query.
    pub path: String,
    /// Length of the first answer's body; `None` if lengths may vary.
    pub document: Option<u64>,
    /// Number of requests at a time.
    pub concurrency: u64,
    /// Duration of the load.
    pub elapsed: f64,
    /// Requests that ended on a connection, whether they failed or not.
    pub complete: u64,
    /// Requests that failed, by reason.
    pub failures: Failures,
    /// Answers with a status other than 200 to 299; they do not count as failures.
    pub non_2xx: u64,
    /// Answers after which the connection was kept; `None` without `-k`.
    pub kept: Option<u64>,
    /// Bytes received.
    pub transferred: u64,
    /// Bytes sent; `None` if requests have no body.
    pub sent: Option<u64>,
    /// Bytes received, without the heads of answers.
    pub html: u64,
    /// Times to connect, to process, to wait, and in total.
    pub times: [AbTimes; 4],
    /// Percentiles of the total, one for each of [`PERCENTILES`]; empty if the table is not asked for.
    pub percentiles: Vec<f64>,
    /// Whether the table of times has columns for standard deviation and median.
    pub confidence: bool,
    /// Lines of prony, after the lines of `ab`.
    pub notes: Vec<String>,
}

/// Why requests failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// The connection failed.
    pub connect: u64,
    /// The connection was reset or closed early.
    pub receive: u64,
    /// The body had another length than the body of the first answer.
    pub length: u64,
    /// There was no answer in time, or it was not HTTP or TLS.
    pub exceptions: u64,
}

/// A line of `Connection Times`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AbTimes {
    /// Smallest.
    pub min: f64,
    pub mean: f64,
    /// Standard deviation of the sample.
    pub stdev: f64,
    pub median: f64,
    /// Largest.
    pub max: f64,
}

/// The lines before the load. With `progress` further lines follow on stderr; otherwise the last line is completed at the end.
pub fn head(version: &str, host: &str, progress: bool) -> String {
    let end = if progress { "\n" } else { "..." };
    format!(
        "This is prony {version} in the form of ApacheBench, Version 2.3\n\
         Flags and output are those of ab, by Adam Twiss and The Apache Software Foundation;\n\
         requests and times are prony's own\n\n\
         Benchmarking {host} (be patient){end}"
    )
}

/// The result, which follows the line that says that the load is over.
pub fn text(run: &AbResult) -> String {
    let mut out = "\n\n".to_owned();
    write_target(&mut out, run);
    write_counts(&mut out, run);
    write_rates(&mut out, run);
    if run.complete > 0 {
        write_times(&mut out, run);
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

/// The file of `-e`: the times of the percentiles from 0 to 100.
pub fn csv(times: &[f64]) -> String {
    let mut out = "Percentage served,Time in ms\n".to_owned();
    for (percent, seconds) in times.iter().enumerate() {
        let _ = writeln!(out, "{percent},{:.3}", 1e3 * seconds);
    }
    out
}

fn write_target(out: &mut String, run: &AbResult) {
    write_line(out, "Server Software:", &run.server);
    write_line(out, "Server Hostname:", &run.host);
    write_line(out, "Server Port:", run.port);
    if let Some(name) = &run.tls_name {
        write_line(out, "TLS Server Name:", name);
    }
    out.push('\n');
    write_line(out, "Document Path:", &run.path);
    match run.document {
        Some(length) => write_line(out, "Document Length:", format_args!("{length} bytes")),
        None => write_line(out, "Document Length:", "Variable"),
    }
    out.push('\n');
}

fn write_counts(out: &mut String, run: &AbResult) {
    let Failures { connect, receive, length, exceptions } = run.failures;
    let failed = connect + receive + length + exceptions;
    write_line(out, "Concurrency Level:", run.concurrency);
    write_line(out, "Time taken for tests:", format_args!("{:.3} seconds", run.elapsed));
    write_line(out, "Complete requests:", run.complete);
    write_line(out, "Failed requests:", failed);
    if failed > 0 {
        let _ = writeln!(
            out,
            "   (Connect: {connect}, Receive: {receive}, Length: {length}, Exceptions: {exceptions})"
        );
    }
    if run.non_2xx > 0 {
        write_line(out, "Non-2xx responses:", run.non_2xx);
    }
    if let Some(kept) = run.kept {
        write_line(out, "Keep-Alive requests:", kept);
    }
    write_line(out, "Total transferred:", format_args!("{} bytes", run.transferred));
    if let Some(sent) = run.sent {
        write_line(out, "Total body sent:", sent);
    }
    write_line(out, "HTML transferred:", format_args!("{} bytes", run.html));
}

fn write_rates(out: &mut String, run: &AbResult) {
    if run.complete == 0 || run.elapsed <= 0.0 {
        return;
    }
    let complete = run.complete as f64;
    let each = 1e3 * run.elapsed / complete;
    let all = run.concurrency as f64 * each;
    let kilobytes = |bytes: u64| bytes as f64 / 1024.0 / run.elapsed;
    write_line(out, "Requests per second:", format_args!("{:.2} [#/sec] (mean)", complete / run.elapsed));
    write_line(out, "Time per request:", format_args!("{all:.3} [ms] (mean)"));
    write_line(
        out,
        "Time per request:",
        format_args!("{each:.3} [ms] (mean, across all concurrent requests)"),
    );
    write_line(
        out,
        "Transfer rate:",
        format_args!("{:.2} [Kbytes/sec] received", kilobytes(run.transferred)),
    );
    if let Some(sent) = run.sent {
        write_line(out, "", format_args!("{:.2} kb/s sent", kilobytes(sent)));
        write_line(out, "", format_args!("{:.2} kb/s total", kilobytes(sent + run.transferred)));
    }
}

fn write_times(out: &mut String, run: &AbResult) {
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
            true => writeln!(out, "{name:<12}{min:>5} {mean:>4} {stdev:>5.1} {median:>6} {max:>7}"),
            false => writeln!(out, "{name:<12}{min:>5} {mean:>5}{max:>5}"),
        };
    }
}

fn write_line(out: &mut String, label: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "{label:<24}{value}");
}

/// Seconds in whole milliseconds; a half is rounded up.
fn millis(seconds: f64) -> u64 {
    (1e3 * seconds + 0.5) as u64
}
