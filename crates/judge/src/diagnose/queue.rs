//! Causes in the accept queue, in which complete connections wait until the server accepts them.

use super::connections::served_users;
use super::evidence::ArmEvidence;
use super::remedy::{room_for, server_kind};
use super::{Candidate, CauseRule};
use ask::kind::Kind;
use model::units::{Count, Seconds, Share};
use record::finding::{Finding, Quantity, QueueOverflow, Remedy, ServerSetting, SettingName};

/// Smallest share of connects that took as long as the first retry: one in a thousand shows at p99.9.
const LATE: f64 = 1e-3;
/// Smallest share of the users that are missing because they are still connecting.
const MISSING: f64 = 0.05;
/// By how many seconds a connect may be faster than the retry that completed it.
const BEFORE: f64 = 0.02;
/// By how many seconds a connect may be slower than the retry that completed it, because it waits until the server accepts the
/// next connections. With retries at 1, 2, 3 … s, connects of 1.0 to 1.1, 2.0 to 2.1, 3.1 … s were seen, some of them a third
/// of a second longer.
const AFTER: f64 = 0.45;
/// Number of retries of a connect that the schedule lists.
const RETRIES: usize = 7;
/// Number of retries whose times the finding lists.
const TOLD: usize = 5;

/// The queue was full under load, so the kernel dropped segments that would have completed a connection. The client's kernel
/// sends them again by its schedule, and the connect takes a second or more.
impl CauseRule for QueueOverflow {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let watched = evidence.passed.as_ref()?;
        // Users who are turned away when a slice begins are missing in all of a short one.
        let turned_away = watched.connecting.listen_overflows;
        let overflows = watched.tcp.listen_overflows;
        let schedule = retry_schedule(evidence.linear_timeouts);
        let (late, on_time) = late_connects(&evidence.connects, &schedule);
        let missing = missing_users(evidence, &schedule);
        let given_up = evidence.fault_count("connect_timeout");
        let is_felt = late >= LATE || missing >= MISSING || given_up > 0;
        if !is_felt || overflows == 0 && (turned_away == 0 || missing < MISSING) {
            return None;
        }
        let overflows = overflows + turned_away;
        let limit = watched.queue.map_or(0.0, |queue| f64::from(queue.limit));
        let finding = Finding::AcceptQueueOverflow(QueueOverflow::UnderLoad {
            limit: Count(limit),
            overflows,
            late: Share(late),
            on_time: Share(on_time),
            retries: first_retries(&schedule),
            connecting: Share(missing),
        });
        let retrying = retrying_users(evidence, &schedule);
        let candidate = Candidate::new(missing.max(retrying), finding, raise_accept_count(evidence))
            .with(Quantity::ListenOverflows, overflows as f64)
            .with(Quantity::ListenDrops, watched.tcp.listen_drops as f64)
            .with(Quantity::SynRetransmits, watched.tcp.syn_retransmits as f64)
            .with(Quantity::QueueLimit, limit)
            .with(Quantity::ConnectsLate, late)
            .with(Quantity::ConnectsOnRetry, on_time)
            .with(Quantity::UsersConnecting, missing)
            .with(Quantity::ConnectTime, retrying);
        Some(with_change(candidate, evidence))
    }
}

/// Share of the users that neither wait for an answer, nor think, nor are in a connect that needs no retry: they wait for the
/// queue. A connect that is tried again after a second may end while nothing is counted, but the missing user is noticed all
/// the same.
fn missing_users(evidence: &ArmEvidence<'_>, schedule: &[f64]) -> f64 {
    let there = match evidence.presses() {
        true => evidence.in_flight,
        false => served_users(evidence),
    };
    let at_once = evidence.connects.iter().filter(|(seconds, _)| *seconds < schedule[0] - BEFORE);
    let connecting: f64 = at_once.map(|(seconds, count)| seconds * *count as f64).sum();
    let there = there + connecting / evidence.seconds;
    let users = evidence.users();
    users.map_or(0.0, |users| (1.0 - there / users).max(0.0))
}

/// The part of the users' time that connects take which wait for a retry, or are given up.
fn retrying_users(evidence: &ArmEvidence<'_>, schedule: &[f64]) -> f64 {
    let late = evidence.connects.iter().filter(|(seconds, _)| *seconds >= schedule[0] - BEFORE);
    let seconds: f64 = late.map(|(seconds, count)| seconds * *count as f64).sum();
    let given_up = evidence.fault_count("connect_timeout") as f64;
    let in_vain = given_up * evidence.profile.timeout.as_secs_f64();
    let users = evidence.users().unwrap_or(evidence.in_flight).max(1.0);
    (seconds + in_vain) / (users * evidence.seconds)
}

/// The first few retries; users do not wait for the later ones.
fn first_retries(schedule: &[f64]) -> Vec<Seconds> {
    schedule.iter().take(TOLD).copied().map(Seconds).collect()
}

/// When a client's kernel sends a SYN again, in seconds since the first SYN: `linear` times after one second each, then after
/// one more second, and each time after twice as long (`net.ipv4.tcp_syn_linear_timeouts`; 0 in older kernels).
pub(super) fn retry_schedule(linear: usize) -> Vec<f64> {
    let doubling = std::iter::successors(Some(1.0), |step| Some(2.0 * step));
    let steps = std::iter::repeat_n(1.0, linear).chain(doubling).take(RETRIES);
    let after = |at: &mut f64, step: f64| {
        *at += step;
        Some(*at)
    };
    steps.scan(0.0, after).collect()
}

/// The share of connects that took at least as long as the first retry, and the share of these whose time fits a retry.
fn late_connects(connects: &[(f64, u64)], schedule: &[f64]) -> (f64, f64) {
    let all: u64 = connects.iter().map(|(_, count)| count).sum();
    let first = schedule[0] - BEFORE;
    let late = connects.iter().filter(|(seconds, _)| *seconds >= first);
    let of_retry =
        |seconds: f64| schedule.iter().any(|retry| (retry - BEFORE..retry + AFTER).contains(&seconds));
    let (mut sum, mut explained) = (0, 0);
    for (seconds, count) in late {
        sum += count;
        explained += if of_retry(*seconds) { *count } else { 0 };
    }
    (sum as f64 / all.max(1) as f64, explained as f64 / sum.max(1) as f64)
}

/// The length of a queue that has room for all users.
fn queue_length(evidence: &ArmEvidence<'_>) -> u64 {
    room_for(evidence.users().unwrap_or(evidence.in_flight))
}

fn raise_accept_count(evidence: &ArmEvidence<'_>) -> Remedy {
    Remedy::RaiseLimit {
        setting: ServerSetting {
            server: server_kind(evidence.arm, evidence.effective),
            name: SettingName::AcceptCount,
        },
        to: Some(queue_length(evidence)),
        sizing: None,
    }
}

/// Adds the change of the arm's key, where the server is of a kind that has it.
fn with_change(candidate: Candidate, evidence: &ArmEvidence<'_>) -> Candidate {
    match server_kind(evidence.arm, evidence.effective) {
        Kind::Jar | Kind::Command | Kind::Running => candidate,
        _ => candidate.changing("accept_count", queue_length(evidence)),
    }
}
