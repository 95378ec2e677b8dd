//! The output of `wrk` and `wrk2`, to the letter, so that scripts that read it keep working. Times are in seconds. Lines of prony
//! follow their last line.
//!
//! From 85 % of the next larger unit on, that unit is used. Sizes count by 1024, rates by 1000. The line about errors is written
//! only if there are some, because readers take its absence for zero.

use std::fmt::Write;

const MICROSECONDS: Units = Units { step: 1000.0, names: &["us", "ms"] };
const SECONDS: Units = Units { step: 60.0, names: &["s", "m"] };
const BYTES: Units = Units { step: 1024.0, names: &["", "K", "M", "G", "T"] };
const COUNTS: Units = Units { step: 1000.0, names: &["", "k", "M", "G", "T"] };

/// Units of one kind; each is `step` times as large as the one before.
struct Units {
    step: f64,
    names: &'static [&'static str],
}

/// The parameters of a load, known before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrkStart<'a> {
    pub duration: f64,
    /// The URL as it was typed.
    pub url: &'a str,
    /// Number of event loops.
    pub threads: usize,
    /// Number of connections of all threads.
    pub connections: usize,
}

/// The results of a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrkResult {
    /// Time from when a request was sent (`wrk`) or due (`wrk2`) to its answer.
    pub latency: Moments,
    /// Requests per second of one thread, in tenths of a second.
    pub rate: Moments,
    /// Percentiles, if asked for.
    pub distributions: Vec<Distribution>,
    /// Duration of the load.
    pub elapsed: f64,
    /// Number of complete answers.
    pub requests: u64,
    /// Bytes received, heads of answers included.
    pub bytes: u64,
    /// Requests without a complete answer.
    pub errors: Errors,
    /// Answers with a status of 400 or above.
    pub wrong: u64,
    /// Lines of prony, after the lines of `wrk`.
    pub notes: Vec<String>,
}

/// Requests without a complete answer, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// The connection failed.
    pub connect: u64,
    /// The connection was reset or closed early, or the answer was not HTTP.
    pub read: u64,
    /// There was no answer in time.
    pub timeout: u64,
}

/// A line of `Thread Stats`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    pub mean: f64,
    /// Standard deviation of the sample.
    pub stdev: f64,
    /// Largest value.
    pub max: f64,
    /// Share of the values within one standard deviation of the mean.
    pub within: f64,
}

/// A block of percentiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// Pairs of a percentage, and the time within which this percentage of the requests was answered.
    pub percentiles: Vec<(f64, f64)>,
    /// The whole histogram, which only `wrk2` prints.
    pub spectrum: Option<Spectrum>,
}

/// The contents of a histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spectrum {
    /// The name of these times.
    pub title: &'static str,
    /// Each row is a time, the share of the values up to it, and their number.
    pub rows: Vec<(f64, f64, u64)>,
    pub mean: f64,
    /// Standard deviation.
    pub stdev: f64,
    /// Largest value.
    pub max: f64,
    /// Number of values.
    pub count: u64,
    /// Number of buckets of the histogram.
    pub buckets: usize,
    /// Number of cells of each bucket.
    pub sub_buckets: usize,
}

/// The lines before the load.
pub fn head(start: &WrkStart<'_>) -> String {
    format!(
        "Running {} test @ {}\n  {} threads and {} connections\n",
        scaled(start.duration, SECONDS, 0),
        start.url,
        start.threads,
        start.connections
    )
}

/// The lines after the load.
pub fn text(run: &WrkResult) -> String {
    let mut out = format!("  Thread Stats{:>6}{:>11}{:>8}{:>12}\n", "Avg", "Stdev", "Max", "+/- Stdev");
    write_moments(&mut out, "Latency", &run.latency, time);
    write_moments(&mut out, "Req/Sec", &run.rate, |rate| scaled(rate, COUNTS, 2));
    for (place, distribution) in run.distributions.iter().enumerate() {
        if place > 0 {
            out.push('\n');
        }
        write_distribution(&mut out, distribution);
    }
    let _ = writeln!(
        out,
        "  {} requests in {}, {}B read",
        run.requests,
        time(run.elapsed),
        scaled(run.bytes as f64, BYTES, 2)
    );
    let Errors { connect, read, timeout } = run.errors;
    if run.errors != Errors::default() {
        let _ = writeln!(out, "  Socket errors: connect {connect}, read {read}, write 0, timeout {timeout}");
    }
    if run.wrong > 0 {
        let _ = writeln!(out, "  Non-2xx or 3xx responses: {}", run.wrong);
    }
    let seconds = run.elapsed.max(1e-9);
    let _ = writeln!(out, "Requests/sec: {:>9.2}", run.requests as f64 / seconds);
    let per_second = scaled(run.bytes as f64 / seconds, BYTES, 2);
    let _ = writeln!(out, "Transfer/sec: {per_second:>10}B");
    for note in &run.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

fn write_moments(out: &mut String, name: &str, moments: &Moments, form: fn(f64) -> String) {
    let _ = writeln!(
        out,
        "    {name:<10}{}{}{}{:>8.2}%",
        padded(form(moments.mean), 8),
        padded(form(moments.stdev), 10),
        padded(form(moments.max), 9),
        100.0 * moments.within
    );
}

fn write_distribution(out: &mut String, distribution: &Distribution) {
    let (title, digits) = match &distribution.spectrum {
        Some(spectrum) => (format!(" (HdrHistogram - {})", spectrum.title), 3),
        None => (String::new(), 0),
    };
    let _ = writeln!(out, "  Latency Distribution{title}");
    for &(percent, seconds) in &distribution.percentiles {
        let _ = writeln!(out, "{percent:>7.digits$}%{}", padded(time(seconds), 10));
    }
    let Some(spectrum) = &distribution.spectrum else {
        return;
    };
    out.push_str("\n  Detailed Percentile spectrum:\n");
    let heads = ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"];
    let _ = writeln!(out, "{:>12} {:>12} {:>12} {:>12}\n", heads[0], heads[1], heads[2], heads[3]);
    for &(seconds, share, count) in &spectrum.rows {
        let (milliseconds, inverse) = (1e3 * seconds, 1.0 / (1.0 - share));
        let _ = writeln!(out, "{milliseconds:>12.3} {share:>12.6} {count:>12} {inverse:>12.2}");
    }
    let (mean, stdev, max) = (1e3 * spectrum.mean, 1e3 * spectrum.stdev, 1e3 * spectrum.max);
    let (count, buckets, cells) = (spectrum.count, spectrum.buckets, spectrum.sub_buckets);
    let _ = writeln!(out, "#[Mean    = {mean:>12.3}, StdDeviation   = {stdev:>12.3}]");
    let _ = writeln!(out, "#[Max     = {max:>12.3}, Total count    = {count:>12}]");
    let _ = writeln!(out, "#[Buckets = {buckets:>12}, SubBuckets     = {cells:>12}]");
    let _ = writeln!(out, "{}", "-".repeat(58));
}

fn time(seconds: f64) -> String {
    if seconds >= 1.0 { scaled(seconds, SECONDS, 2) } else { scaled(1e6 * seconds, MICROSECONDS, 2) }
}

/// An amount in the unit that `wrk` would choose.
fn scaled(mut amount: f64, units: Units, digits: usize) -> String {
    let mut unit = 0;
    while unit + 1 < units.names.len() && amount >= 0.85 * units.step {
        amount /= units.step;
        unit += 1;
    }
    format!("{amount:.digits$}{}", units.names[unit])
}

/// The text in a column of this width, in which numbers are aligned and followed by units of up to two letters.
fn padded(text: String, width: usize) -> String {
    let letters = text.chars().rev().take(2).filter(char::is_ascii_alphabetic).count();
    format!("{text:>0$}{1:2$}", width - (2 - letters), "", 2 - letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_where_wrk_changes_them() {
        for (seconds, text) in [
            (0.0, "0.00us"),
            (849e-6, "849.00us"),
            (850e-6, "0.85ms"),
            (0.9994, "999.40ms"),
            (1.0, "1.00s"),
            (50.9, "50.90s"),
            (51.0, "0.85m"),
            (7200.0, "120.00m"),
        ] {
            assert_eq!(time(seconds), text);
        }
        assert_eq!(scaled(876.66, COUNTS, 2), "0.88k");
        assert_eq!(scaled(541.58, COUNTS, 2), "541.58");
        assert_eq!(scaled(456_130.0, BYTES, 2), "445.44K");
        assert_eq!(scaled(51.0, SECONDS, 0), "1m");
    }
}
