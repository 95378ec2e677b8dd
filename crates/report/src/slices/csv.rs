//! `report --format csv`: one line per slice, with times in seconds and sizes in bytes. docs/guide/formats.md describes the
//! columns; new ones are added at the end.

use super::{StoredSlices, field, seconds, times};
use model::faults::FaultCounts;
use model::load::Load;
use model::reason::Reason;
use record::histogram::Histogram;
use record::rounds::SliceRecord;
use say::Language;

/// A slice with all that its columns are computed from.
struct CsvSlice<'a> {
    stored: StoredSlices<'a>,
    slice: &'a SliceRecord,
    load: Load,
    void: Option<Reason>,
    response: Histogram,
    service: Histogram,
}

/// A column: its name, and its field for a slice.
type CsvColumn = (&'static str, fn(&CsvSlice<'_>) -> String);

const COLUMNS: [CsvColumn; 56] = [
    ("run", |line| field(&line.stored.run.run)),
    ("experiment", |line| field(&line.stored.run.experiment.name)),
    ("start", |line| line.slice.round.to_string()),
    ("arm", |line| field(line.stored.arm(line.slice))),
    ("users", |line| or_empty(line.load.users)),
    ("rate", |line| or_empty(line.load.rate.map(|rate| rate.0))),
    ("quad", |line| line.slice.quad.to_string()),
    ("position", |line| line.slice.position.to_string()),
    ("counts", |line| line.void.is_none().to_string()),
    ("why_not", |line| why(line.void.as_ref())),
    ("why_invalid", |line| why(line.slice.why_invalid.as_ref())),
    ("began", |line| seconds(line.slice.started_ns)),
    ("settle", |line| seconds(line.slice.settle_ns)),
    ("elapsed", |line| seconds(line.slice.elapsed_ns)),
    ("requests", |line| line.slice.counts.requests.to_string()),
    ("ok", |line| line.slice.counts.ok.to_string()),
    ("faults", |line| field(&say::text(&FaultCounts(&line.slice.counts.faults), Language::En))),
    ("backlog", |line| line.slice.backlog.to_string()),
    ("connects", |line| line.slice.counts.connects.to_string()),
    ("connects_settling", |line| line.slice.connects_settling.to_string()),
    ("tls_handshakes", |line| line.slice.counts.tls_handshakes.to_string()),
    ("tls_resumed", |line| line.slice.counts.tls_resumed.to_string()),
    ("bytes", |line| line.slice.counts.bytes.to_string()),
    ("throughput", |line| ratio(line.slice.counts.ok as f64, line.slice.elapsed_ns as f64 / 1e9)),
    ("cpu_per_request", |line| ratio(line.slice.cpu_ns_arm as f64 / 1e9, line.slice.counts.ok as f64)),
    ("cpu_arm", |line| seconds(line.slice.cpu_ns_arm)),
    ("cpu_other_arms", |line| seconds(line.slice.cpu_ns_other_arms)),
    ("cpu_generator", |line| seconds(line.slice.cpu_ns_generator)),
    ("in_flight", |line| ratio(line.slice.in_flight.0, line.slice.elapsed_ns as f64 / 1e9)),
    ("service_mean", |line| mean(&line.service)),
    ("service_p50", |line| quantile(&line.service, 0.5)),
    ("service_p90", |line| quantile(&line.service, 0.9)),
    ("service_p95", |line| quantile(&line.service, 0.95)),
    ("service_p99", |line| quantile(&line.service, 0.99)),
    ("service_p99.9", |line| quantile(&line.service, 0.999)),
    ("service_max", |line| quantile(&line.service, 1.0)),
    ("response_mean", |line| mean(&line.response)),
    ("response_p50", |line| quantile(&line.response, 0.5)),
    ("response_p90", |line| quantile(&line.response, 0.9)),
    ("response_p95", |line| quantile(&line.response, 0.95)),
    ("response_p99", |line| quantile(&line.response, 0.99)),
    ("response_p99.9", |line| quantile(&line.response, 0.999)),
    ("response_max", |line| quantile(&line.response, 1.0)),
    ("timed", |line| line.response.len().to_string()),
    ("lag_p99", |line| seconds(line.slice.lag_p99_ns)),
    ("steal_ticks", |line| line.slice.steal_ticks.to_string()),
    ("psi_cpu_some", |line| line.slice.psi_cpu_some_us.map_or_else(String::new, |us| seconds(us * 1000))),
    ("run_queue", |line| or_empty(line.slice.run_queue.map(|tasks| tasks.0))),
    ("gc_count", |line| or_empty(line.slice.gc_count)),
    ("gc_time", |line| or_empty(line.slice.gc_ms.map(|ms| ms / 1e3))),
    ("jit_time", |line| or_empty(line.slice.jit_ms.map(|ms| ms / 1e3))),
    ("seed", |line| line.slice.seed.to_string()),
    ("send_delay_p50", |line| or_empty(line.slice.send_delay.map(|delay| delay.p50.0))),
    ("send_delay_p99", |line| or_empty(line.slice.send_delay.map(|delay| delay.p99.0))),
    ("together", |line| line.slice.together.to_string()),
    ("curve", |line| line.slice.curve.to_string()),
];

/// The names of the columns, in order.
pub fn columns() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|(name, _)| *name)
}

/// All slices of a run, below a line with the names of the columns.
pub fn text(stored: StoredSlices<'_>) -> String {
    let mut out = columns().collect::<Vec<_>>().join(",");
    out.push('\n');
    for slice in stored.slices {
        let line = CsvSlice {
            stored,
            slice,
            load: stored.load(slice),
            void: stored.void(slice),
            response: times(&slice.response),
            service: times(&slice.service),
        };
        let fields: Vec<String> = COLUMNS.iter().map(|(_, field)| field(&line)).collect();
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    out
}

/// A value, or an empty field if it is not known.
fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A reason as a sentence; files for machines are in English.
fn why(reason: Option<&Reason>) -> String {
    reason.map_or_else(String::new, |reason| field(&say::text(reason, Language::En)))
}

fn ratio(dividend: f64, divisor: f64) -> String {
    or_empty(Some(dividend / divisor).filter(|ratio| ratio.is_finite()))
}

fn mean(times: &Histogram) -> String {
    or_empty(Some(times.mean() / 1e9).filter(|_| !times.is_empty()))
}

fn quantile(times: &Histogram, q: f64) -> String {
    match times.is_empty() {
        true => String::new(),
        false => seconds(times.value_at_quantile(q)),
    }
}
