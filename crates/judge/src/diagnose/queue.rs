//! The accept queue: connections that are complete and wait until the server takes them.

use super::Candidate;
use super::connections::served;
use super::evidence::Evidence;
use super::remedy::{room_for, server_kind};
use model::finding::{Finding, Quantity, QueueOverflow, Remedy, ServerSetting, SettingName};
use model::kind::Kind;

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
/// Retries of which the time is told.
const TOLD: usize = 5;

/// The queue was full, so that the kernel dropped what would have completed a connection; the client's kernel sends again,
/// by its schedule, and the connect takes a second or more.
pub(super) fn overflow(evidence: &Evidence<'_>) -> Option<Candidate> {
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
    let finding = Finding::AcceptQueueOverflow(QueueOverflow::UnderLoad {
        limit,
        overflows,
        late,
        on_time,
        retries: first(&schedule),
        connecting: missing,
    });
    let candidate = Candidate::new(missing.max(late), finding, raise(evidence))
        .with(Quantity::ListenOverflows, overflows as f64)
        .with(Quantity::ListenDrops, watched.tcp.listen_drops as f64)
        .with(Quantity::SynRetransmits, watched.tcp.syn_retransmits as f64)
        .with(Quantity::QueueLimit, limit)
        .with(Quantity::ConnectsLate, late)
        .with(Quantity::ConnectsOnRetry, on_time)
        .with(Quantity::UsersConnecting, missing);
    Some(with_change(candidate, evidence))
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
fn burst(evidence: &Evidence<'_>, schedule: &[f64]) -> Option<Candidate> {
    let (users, seen) = (evidence.users()?, evidence.connecting);
    let starts = evidence.starts.max(1) as f64;
    let [overflows, again] = [seen.listen_overflows, seen.syn_retransmits].map(|count| count as f64 / starts);
    if overflows < 1.0 || again < AGAIN * users || !evidence.profile.keepalive {
        return None;
    }
    let limit = evidence.passed.as_ref()?.queue?.limit;
    let finding = Finding::AcceptQueueOverflow(QueueOverflow::AtConnecting {
        users,
        limit,
        overflows,
        again,
        retries: first(schedule),
    });
    // Whatever limits what was counted comes first.
    let candidate = Candidate::new(0.0, finding, raise(evidence))
        .with(Quantity::ListenOverflowsConnecting, overflows)
        .with(Quantity::SynRetransmitsConnecting, again)
        .with(Quantity::QueueLimit, f64::from(limit))
        .with(Quantity::Users, users);
    Some(with_change(candidate, evidence))
}

/// The first few retries: the later ones come after what a user waits.
fn first(schedule: &[f64]) -> Vec<f64> {
    schedule.iter().take(TOLD).copied().collect()
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

/// A queue that has room for all users.
fn room(evidence: &Evidence<'_>) -> u64 {
    room_for(evidence.users().unwrap_or(evidence.in_flight))
}

fn raise(evidence: &Evidence<'_>) -> Remedy {
    Remedy::RaiseLimit {
        setting: ServerSetting {
            server: server_kind(evidence.arm, evidence.effective),
            name: SettingName::AcceptCount,
        },
        to: Some(room(evidence)),
    }
}

/// With the arm's key, where the server is of a kind that takes it.
fn with_change(candidate: Candidate, evidence: &Evidence<'_>) -> Candidate {
    match server_kind(evidence.arm, evidence.effective) {
        Kind::Jar | Kind::Command | Kind::Running => candidate,
        _ => candidate.changing("accept_count", room(evidence)),
    }
}
