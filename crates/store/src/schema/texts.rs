//! The sentences that pronies up to version 4 of the schema stored, and how the numbers are read out of them again.

use serde_json::{Map, Value, json};

/// A sentence with gaps, `{name:kind}`, and the code of the value that it says.
pub(super) struct TextForm {
    code: &'static str,
    template: &'static str,
    /// Where the value is not made of the gaps alone: the path of the field that is always the same, and that field.
    part: Option<&'static str>,
}

const fn form(code: &'static str, template: &'static str) -> TextForm {
    TextForm {
        code,
        template,
        part: None,
    }
}

/// A note that a part of a start did not count.
const fn not_counted(part: &'static str, template: &'static str) -> TextForm {
    TextForm {
        code: "not-counted",
        template,
        part: Some(part),
    }
}

pub(super) const GENERATOR_LIMITS: [TextForm; 9] = [
    form(
        "event-loop-busy",
        "an event loop used {share:percent} % of its core (limit {limit:percent} %); use more shards or less load",
    ),
    form(
        "sent-late",
        "{share:percent} % of the requests left more than {delay:ms} ms after they could have (limit {limit:percent} %), \
         99 % of them within {p99:ms} ms",
    ),
    form(
        "answers-unseen",
        "for {share:percent} % of the time requests were in flight, answers lay unseen for more than {delay:ms} ms \
         (limit {limit:percent} %)",
    ),
    form(
        "long-turns",
        "for {share:percent} % of the time, answers may have lain unseen in turns of the event loop for more than \
         {delay:ms} ms (limit {limit:percent} %)",
    ),
    form(
        "send-buffer-full",
        "for {share:percent} % of the time requests were in flight the send buffer was too small (limit {limit:percent} %)",
    ),
    form(
        "segments-dropped",
        "the kernel dropped {segments:count} segments on their way into the receive queues (limit {limit:percent} % of \
         {requests:count} requests)",
    ),
    form(
        "no-local-port",
        "{connections:count} connects found no free local port (limit 0)",
    ),
    form(
        "no-descriptor",
        "{connections:count} connects found no free file descriptor (limit 0)",
    ),
    form(
        "users-waited",
        "users waited for the generator {share:percent} % of the time (limit {limit:percent} %)",
    ),
];

pub(super) const CONTRADICTIONS: [TextForm; 3] = [
    form(
        "littles-law",
        "by Little's law the number in flight is off by a factor of {factor:number} (limit {limit:percent} %)",
    ),
    form(
        "service-phases",
        "first byte and body add up to {sum:ns} ns, the service time is {mean:ns} ns (limit {limit:percent} %)",
    ),
    form(
        "response-phases",
        "waiting, first byte and body add up to {sum:ns} ns, the response time is {mean:ns} ns (limit {limit:percent} %)",
    ),
];

/// Reasons except about the generator, answers and the highest rate. What holds another reason comes first,
/// the outermost before the others.
pub(super) const REASONS: [TextForm; 12] = [
    form("only-start", "the only start did not count: {reason:reason}"),
    form(
        "starts-void",
        "{starts:count} of {all:count} starts did not count; the last: {last:reason}",
    ),
    form(
        "in-starts",
        "in {starts:count} of {all:count} starts {reason:reason}",
    ),
    form(
        "of-arm",
        "{arm:name}: in {starts:skip} of {all:skip} starts {reason:of-arm}",
    ),
    form(
        "in-slices",
        "{reason:reason}, in {slices:count} of {all:count} slices",
    ),
    form(
        "noisy-neighbour",
        "noisy-neighbour: the hypervisor took {share:percent} % of the CPU time (limit {limit:percent} %)",
    ),
    form(
        "link-saturated",
        "link-saturated: {used:bits} of the {rate:bits} that the link passes were used (limit {limit:percent} %): it was \
         the link that was measured",
    ),
    form(
        "no-steady-state",
        "no steady state: users had no request in flight {share:percent} % of the time (limit {limit:percent} %), \
         connections were still being opened; a longer `settle` or a `connect_rate` may help",
    ),
    form(
        "overloaded",
        "overloaded: of {rate:number} requests per second {arm:name} left {share:percent} % unanswered at the end of a \
         slice (limit {limit:percent} %); a lower `latency_rate` may do",
    ),
    form(
        "unloaded-arm-busy",
        "an arm that was not loaded used {share:percent} % of a core (limit {limit:percent} %)",
    ),
    form(
        "clock-set",
        "the wall clock was set by {seconds:number} s during the round",
    ),
    form("no-value", "a measure has no value in it"),
];

pub(super) const ANSWERS: [TextForm; 4] = [
    form("none-right", "no right answer in a slice ({faults:faults})"),
    form(
        "too-many-wrong",
        "{arm:name} answered {wrong:count} of {requests:count} requests wrongly ({share:skip} %, limit {limit:percent} %): \
         {faults:faults}",
    ),
    form(
        "unlike-errors",
        "{arm:name} answered {wrong:count} of {requests:count} requests wrongly, {baseline:name} {baseline_wrong:count} of \
         {baseline_requests:count}: more than chance explains (Fisher's exact p = {p:number}, limit {limit:number})",
    ),
    form(
        "unlike-bodies",
        "an answer of {arm:name} has a body of {bytes:number} bytes, of {baseline:name} {baseline_bytes:number}: they do \
         not answer alike; where that is meant, write `unlike_answers = true`",
    ),
];

pub(super) const NO_RATES: [TextForm; 3] = [
    form(
        "generator",
        "the generator could do no more than {rate:number} requests per second: {reason:reason}",
    ),
    form(
        "never-kept",
        "the objective was not kept at the lowest rate that was tried",
    ),
    form(
        "always-kept",
        "the objective was kept at the highest rate that was tried",
    ),
];

pub(super) const CAPACITY_END: [TextForm; 4] = [
    form(
        "flat",
        "up to {tried:count} users were tried: more of them brought no more",
    ),
    form(
        "generator",
        "{tried:count} users were too many for the generator: {reason:reason}",
    ),
    form("errors", "at {tried:count} users errors began: {reason:reason}"),
    form(
        "all-tried",
        "{tried:count} users are the most that were asked for",
    ),
];

pub(super) const NO_CURVE: [TextForm; 4] = [
    form("too-few-steps", "fewer than six numbers of users counted"),
    form(
        "still-growing",
        "throughput was still growing with the most users",
    ),
    form(
        "lack-of-fit",
        "the steps lie off any such curve: so few runs of residuals have a chance of {p:number}",
    ),
    form(
        "pool",
        "two straight lines lie nearer: throughput in proportion to users up to {limit:number}/s, as of a pool that is then \
         full",
    ),
];

pub(super) const NOTES: [TextForm; 7] = [
    not_counted(
        "whole",
        "start {start:count} did not count and was repeated: {reason:reason}",
    ),
    not_counted(
        "level",
        "start {start:count} did not count at {users:count} connections: {reason:reason}",
    ),
    not_counted(
        "cpu-per-request",
        "CPU per request of start {start:count} did not count at {users:count} connections: {reason:reason}",
    ),
    not_counted(
        "fixed-rate",
        "start {start:count} did not count at the fixed rate: {reason:reason}",
    ),
    not_counted(
        "response-times",
        "response times of start {start:count} did not count: {reason:reason}",
    ),
    form(
        "fell-behind",
        "the server fell behind the rate: too many requests were outstanding, the load was ended",
    ),
    form(
        "hidden-tail",
        "less than 1 % of the requests took most of the time: the mean, {mean:ms} ms, is beyond the 99th percentile, \
         {p99:ms} ms",
    ),
];

impl TextForm {
    /// The value that a text of this form says; `reason` reads a reason that stands in it. `None` for another text.
    pub(super) fn read(&self, text: &str, reason: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
        let mut values = Map::new();
        for gap in gaps(self.template, text)? {
            let value = match gap.kind {
                // What stands behind the name of an arm is a reason by itself.
                "of-arm" => reason(&text[text.find(": ")? + 2..])?,
                "reason" => {
                    let known = reason(gap.text);
                    known.unwrap_or_else(|| json!({"code": "legacy", "values": gap.text}))
                }
                "skip" => continue,
                kind => quantity(kind, gap.text)?,
            };
            values.insert(gap.name.to_owned(), value);
        }
        if let Some(part) = self.part {
            let part = match values.remove("users") {
                Some(users) => json!({part: {"users": users}}),
                None => json!(part),
            };
            values.insert("part".to_owned(), part);
        }
        Some(match values.is_empty() {
            true => json!({"code": self.code}),
            false => json!({"code": self.code, "values": values}),
        })
    }
}

/// What stands in a gap of a form.
struct Gap<'a> {
    name: &'a str,
    kind: &'a str,
    text: &'a str,
}

/// What stands in the gaps of a text of that form; `None` for another text.
fn gaps<'a>(template: &'a str, text: &'a str) -> Option<Vec<Gap<'a>>> {
    let mut parts = template.split('{');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut gaps = Vec::new();
    for part in parts {
        let (gap, literal) = part.split_once('}')?;
        let (name, kind) = gap.split_once(':')?;
        let end = match literal {
            "" => rest.len(),
            literal => rest.find(literal)?,
        };
        let text = &rest[..end];
        gaps.push(Gap { name, kind, text });
        rest = &rest[end + literal.len()..];
    }
    rest.is_empty().then_some(gaps)
}

/// A number in the unit of values, or a name.
fn quantity(kind: &str, text: &str) -> Option<Value> {
    let number = || text.parse::<f64>().ok();
    Some(match kind {
        "name" => json!(text),
        "count" => json!(text.parse::<u64>().ok()?),
        "number" => json!(number()?),
        "percent" => json!(number()? / 100.0),
        "ms" => json!(number()? / 1e3),
        "ns" => json!(number()? / 1e9),
        "bits" => json!(bits(text)?),
        "faults" => faults(text)?,
        _ => return None,
    })
}

/// `44.6 Mbit/s` in bits per second.
fn bits(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let unit = match unit {
        "kbit/s" => 1e3,
        "Mbit/s" => 1e6,
        "Gbit/s" => 1e9,
        _ => return None,
    };
    Some((number.parse::<f64>().ok()? * unit).round() as u64)
}

/// `2 reset, 1 wrong_body` as counts by kind.
fn faults(text: &str) -> Option<Value> {
    let mut counts = Map::new();
    if !matches!(text, "" | "no answer at all") {
        for fault in text.split(", ") {
            let (count, kind) = fault.split_once(' ')?;
            counts.insert(kind.to_owned(), json!(count.parse::<u64>().ok()?));
        }
    }
    Some(Value::Object(counts))
}
