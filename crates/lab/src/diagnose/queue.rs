//! The accept queue: connections that are complete and wait until the server takes them.

use super::Finding;
use super::connections::served;
use super::evidence::Evidence;
use super::remedy::{Kind, Remedy, room_for};
use super::words::{count, percent};
use model::cause::Cause;

/// Share of connects that took as long as the first retry, from which on it is told: one in a thousand is p99.9.
const LATE: f64 = 1e-3;
/// Share of the users that are missing because they still connect.
const MISSING: f64 = 0.05;
/// Of the users that connect at once, SYN segments of so many have to be sent again.
const AGAIN: f64 = 0.05;
/// A connect that a retry made takes as long as that, and a little more: until the server takes the next connections. Of
/// retries at 1, 2, 3 … s connects of 1.0 to 1.1, 2.0 to 2.1, 3.1 … s were seen, of some a third of a second more.
const BEFORE: f64 = 0.02;
const AFTER: f64 = 0.45;
/// Retries of a connect that are of interest.
const RETRIES: usize = 7;

/// The queue was full, so that the kernel dropped what would have completed a connection; the client's kernel sends again,
/// by its schedule, and the connect takes a second or more.
pub(super) fn overflow(evidence: &Evidence<'_>) -> Option<Finding> {
    let watched = evidence.passed.as_ref()?;
    let overflows = watched.tcp.listen_overflows;
    let schedule = schedule(evidence.linear_timeouts);
    let (late, on_time) = late(&evidence.connects, &schedule);
    let missing = missing(evidence, &schedule);
    let given_up = evidence.fault("connect_timeout");
    if overflows == 0 || late < LATE && missing < MISSING && given_up == 0 {
        return burst(evidence, &schedule);
    }
    let limit = watched.queue.map_or(0.0, |queue| f64::from(queue.limit));
    let says = format!(
        "the accept queue of {} overflowed {} times: {} of the connects took a second or more, {} of them as long as this \
         kernel waits before it sends SYN again ({} s); {} of the users were connecting at any moment",
        count(limit),
        count(overflows as f64),
        percent(late),
        percent(on_time),
        times(&schedule),
        percent(missing)
    );
    Some(
        Finding::new(Cause::AcceptQueueOverflow, missing.max(late), says)
            .with("ListenOverflows", overflows as f64)
            .with("ListenDrops", watched.tcp.listen_drops as f64)
            .with("SYN sent again", watched.tcp.syn_retransmits as f64)
            .with("limit of the queue", limit)
            .with("share of connects of a second and more", late)
            .with("share of them on the schedule of retries", on_time)
            .with("share of users connecting", missing)
            .cure(remedy(evidence)),
    )
}

/// Share of the users that neither wait for an answer nor think, nor open a connection as fast as that goes: they wait for
/// the queue. A connect that is tried again after a second may end where nothing is counted; who is missing meanwhile is seen
/// all the same.
fn missing(evidence: &Evidence<'_>, schedule: &[f64]) -> f64 {
    let there = match evidence.presses() {
        true => evidence.in_flight,
        false => served(evidence),
    };
    let at_once = evidence
        .connects
        .iter()
        .filter(|(seconds, _)| *seconds < schedule[0] - BEFORE);
    let connecting: f64 = at_once.map(|(seconds, count)| seconds * *count as f64).sum();
    let there = there + connecting / evidence.seconds;
    let users = evidence.users();
    users.map_or(0.0, |users| (1.0 - there / users).max(0.0))
}

/// The queue was full while the users connected, all at once, and they were all in when it was counted: nothing of it is in
/// the figures, but it is what a burst of so many meets.
fn burst(evidence: &Evidence<'_>, schedule: &[f64]) -> Option<Finding> {
    let (users, seen) = (evidence.users()?, evidence.connecting);
    let starts = evidence.starts.max(1) as f64;
    let [overflows, again] = [seen.listen_overflows, seen.syn_retransmits].map(|count| count as f64 / starts);
    if overflows < 1.0 || again < AGAIN * users || !evidence.profile.keepalive {
        return None;
    }
    let limit = evidence.passed.as_ref()?.queue?.limit;
    let says = format!(
        "while {} users connected at once the accept queue of {limit} overflowed {} times: SYN was sent again {} times, a \
         second and more later ({} s); all were connected before anything was counted",
        count(users),
        count(overflows),
        count(again),
        times(schedule)
    );
    // Whatever limits what was counted comes first.
    Some(
        Finding::new(Cause::AcceptQueueOverflow, 0.0, says)
            .with("ListenOverflows while connecting, each start", overflows)
            .with("SYN sent again while connecting, each start", again)
            .with("limit of the queue", f64::from(limit))
            .with("users", users)
            .cure(remedy(evidence)),
    )
}

fn times(schedule: &[f64]) -> String {
    let first = schedule.iter().take(5).map(|seconds| format!("{seconds:.0}"));
    first.collect::<Vec<_>>().join(", ")
}

/// When a client's kernel sends a SYN again, seconds since the first: `linear` times after a second each, then after twice
/// as long each time (`net.ipv4.tcp_syn_linear_timeouts`; 0 in older kernels).
pub(super) fn schedule(linear: usize) -> Vec<f64> {
    let doubling = std::iter::successors(Some(1.0), |step| Some(2.0 * step));
    let steps = std::iter::repeat_n(1.0, linear).chain(doubling).take(RETRIES);
    let after = |at: &mut f64, step: f64| {
        *at += step;
        Some(*at)
    };
    steps.scan(0.0, after).collect()
}

/// Share of connects that took as long as the first retry, and of these the share that retries explain.
fn late(connects: &[(f64, u64)], schedule: &[f64]) -> (f64, f64) {
    let all: u64 = connects.iter().map(|(_, count)| count).sum();
    let first = schedule[0] - BEFORE;
    let late = connects.iter().filter(|(seconds, _)| *seconds >= first);
    let of_retry = |seconds: f64| {
        schedule
            .iter()
            .any(|retry| (retry - BEFORE..retry + AFTER).contains(&seconds))
    };
    let (mut sum, mut explained) = (0, 0);
    for (seconds, count) in late {
        sum += count;
        explained += if of_retry(*seconds) { *count } else { 0 };
    }
    (
        sum as f64 / all.max(1) as f64,
        explained as f64 / sum.max(1) as f64,
    )
}

fn remedy(evidence: &Evidence<'_>) -> Remedy {
    let wanted = room_for(evidence.users().unwrap_or(evidence.in_flight));
    let kind = Kind::of(evidence.arm, evidence.effective);
    let says = format!(
        "raise {} to {wanted} (`accept_count = {wanted}`; net.core.somaxconn caps it), keep connections, or connect more slowly",
        kind.accept_queue()
    );
    match kind {
        Kind::Foreign => Remedy::advice(says),
        _ => Remedy::set(says, "accept_count", wanted),
    }
}
