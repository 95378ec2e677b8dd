//! `report --format jtl`: JMeter's CSV, which its dashboard generator reads.
//!
//! prony stores how often each time occurred, not when. So every line is a request that was really made and took that long, but
//! its time stamp is made up: the requests of a slice are spread evenly over it, in mixed order. Results that JMeter computes
//! over a slice or longer are right, and those over shorter spans are not.

use super::{SliceNames, StoredSlices, field};
use record::histogram::SparseHistogram;
use record::rounds::SliceRecord;
use std::fmt::Write;

/// The first line of a file.
pub const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,\
                      bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n";
/// The fault of a request that was given up, whose time is among the times of right answers.
const TIMEOUT: &str = "response_timeout";

/// How many lines the whole file has.
pub fn count_lines(stored: StoredSlices<'_>, every: u64) -> u64 {
    counted(stored).map(|slice| Requests::of(stored.names(slice), slice).count().div_ceil(every)).sum()
}

/// The file in parts, one for each slice that counts, because the whole may not fit into memory. One in `every` requests is
/// written, and the label says so.
pub fn parts(stored: StoredSlices<'_>, every: u64) -> impl Iterator<Item = String> {
    let slices = counted(stored).map(move |slice| Requests::of(stored.names(slice), slice).text(every));
    std::iter::once(HEADER.to_owned()).chain(slices)
}

/// The lines of a slice while its run lasts, at most about `most`: of many requests one in ten, hundred and so on is written, and the label says so.
pub fn lines(names: SliceNames<'_>, slice: &SliceRecord, most: u64) -> String {
    let requests = Requests::of(names, slice);
    let count = requests.count();
    let mut steps = (0..20).map(|power| 10_u64.pow(power));
    let every = steps.find(|every| count.div_ceil(*every) <= most);
    requests.text(every.unwrap_or(u64::MAX))
}

fn counted(stored: StoredSlices<'_>) -> impl Iterator<Item = &SliceRecord> {
    stored.slices.iter().filter(move |slice| stored.void(slice).is_none())
}

/// The requests of a slice.
struct Requests<'a> {
    names: SliceNames<'a>,
    slice: &'a SliceRecord,
    /// Times in nanoseconds, the shortest first, each with the number of requests that took at most so long.
    times: Vec<(u64, u64)>,
    /// How many of the longest times are of requests that were given up.
    given_up: u64,
    /// Faults without a time, by kind.
    faults: Vec<(&'a str, u64)>,
}

impl<'a> Requests<'a> {
    /// The requests of a slice with their service times in the closed loop, and their response times at a fixed rate.
    fn of(names: SliceNames<'a>, slice: &'a SliceRecord) -> Self {
        let none = SparseHistogram::default();
        let service = slice.service.as_ref().unwrap_or(&none);
        let times = match slice.rate {
            Some(_) => slice.response.as_ref().unwrap_or(&none),
            None => service,
        };
        let faults = slice.counts.faults.iter().map(|(kind, count)| (kind.as_str(), *count));
        let (timeouts, faults): (Vec<_>, Vec<_>) = faults.partition(|(kind, _)| *kind == TIMEOUT);
        let timeouts: u64 = timeouts.iter().map(|(_, count)| count).sum();
        // Requests that were due and never sent have waited, too.
        let unsent = times.len().saturating_sub(service.len());
        Self { names, slice, times: cumulated(times), given_up: (timeouts + unsent).min(times.len()), faults }
    }

    fn timed(&self) -> u64 {
        self.times.last().map_or(0, |(_, up_to)| *up_to)
    }

    fn count(&self) -> u64 {
        self.timed() + self.faults.iter().map(|(_, count)| count).sum::<u64>()
    }

    fn text(&self, every: u64) -> String {
        let mut out = String::new();
        let (timed, all) = (self.timed(), self.count());
        let kinds = self.faults.iter().flat_map(|(kind, count)| (0..*count).map(move |_| *kind));
        let untimed: Vec<&str> = kinds.collect();
        let step = coprime(all);
        let constant = self.constant(every);
        for at in (0..all).step_by(every.max(1) as usize) {
            // Each rank occurs once, in an order without a trend.
            let rank = (u128::from(at) * u128::from(step) % u128::from(all)) as u64;
            let (millis, fault) = match rank < timed {
                true => (self.millis(rank), (rank >= timed - self.given_up).then_some(TIMEOUT)),
                // The time of a fault is not stored.
                false => (0, Some(untimed[(rank - timed) as usize])),
            };
            let since = (u128::from(self.slice.elapsed_ns) * u128::from(at) / u128::from(all)) as u64;
            let stamp = (self.slice.started_ns + self.slice.settle_ns + since) / 1_000_000;
            let (code, message, success) = match fault {
                None => ("200", "OK", true),
                Some(kind) => ("Non HTTP response code: prony", kind, false),
            };
            let [label, group, rest] = &constant;
            let _ = writeln!(
                out,
                "{stamp},{millis},{label},{code},{message},{group},text,{success},{},{rest}",
                fault.unwrap_or_default()
            );
        }
        out
    }

    /// The columns that all lines of a slice have in common: label, thread, and those from `bytes` on.
    fn constant(&self, every: u64) -> [String; 3] {
        let SliceNames { arm, load, path } = &self.names;
        let users = load.users.unwrap_or(1);
        let load = match (load.users, load.rate) {
            (Some(users), _) => format!("{users} connections"),
            (_, rate) => format!("{} per second", rate.unwrap_or_default().0),
        };
        let thinned = if every > 1 { format!(" (1 in {every})") } else { String::new() };
        let bytes = self.slice.counts.bytes / self.slice.counts.requests.max(1);
        let path = field(path);
        [
            field(&format!("{arm}, {load}{thinned}")),
            field(&format!("{arm} 1-1")),
            format!("{bytes},0,{users},{users},{path},0,0,0"),
        ]
    }

    /// The time of the request with this rank, in whole milliseconds, the unit of JMeter.
    fn millis(&self, rank: u64) -> u64 {
        let at = self.times.partition_point(|(_, up_to)| *up_to <= rank);
        self.times.get(at).map_or(0, |(nanos, _)| (nanos + 500_000) / 1_000_000)
    }
}

fn cumulated(times: &SparseHistogram) -> Vec<(u64, u64)> {
    let cells = times.cells().iter().scan(0, |sum, (value, count)| {
        *sum += count;
        Some((*value, *sum))
    });
    cells.collect()
}

/// A number near the golden section of `n` that shares no factor with it. Its multiples modulo `n` visit all of `0..n` in a
/// scattered order.
fn coprime(n: u64) -> u64 {
    let near = (n as f64 * 0.618) as u64;
    (near.max(1)..).find(|step| gcd(*step, n.max(1)) == 1).unwrap_or(1)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_visited_once() {
        for n in [1, 2, 7, 100, 1021, 40_320] {
            let step = coprime(n);
            let mut seen: Vec<u64> = (0..n).map(|at| at * step % n).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n), "{n} by {step}");
        }
    }
}
