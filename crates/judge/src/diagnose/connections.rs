//! Causes in connections: how many the server holds, and how long it keeps each.

use super::evidence::ArmEvidence;
use super::remedy::{room_for, server_kind};
use super::sizing::for_all_users;
use super::{Candidate, CauseRule};
use model::units::Count;
use record::finding::{
    ClosedBy, ConnectionsFull, ConnectionsNotKept, Finding, Quantity, Remedy, RequestsPerConnection,
    ServerSetting, SettingName,
};

/// Smallest share of the users that a connection limit leaves out who are seen waiting.
const LEFT_OUT: f64 = 0.5;
/// Alternatively, fewest requests that are given up, as a share of the same users; a single one may be bad luck.
const GIVEN_UP: f64 = 0.1;
/// CPU seconds that a connection costs the server and its kernel: to accept it, to watch it, to close it, and a first request that
/// finds nothing prepared.
const CONNECTION: f64 = 150e-6;
/// CPU seconds that a TLS handshake costs the server, with the private key, and when it resumes a session.
const HANDSHAKE: f64 = 700e-6;
const RESUMED: f64 = 200e-6;
/// Connections per request from which on connections are not kept.
const NOT_KEPT: f64 = 0.5;
/// The shortest pause of users, in seconds, after which a server may close their connections because they are idle.
const IDLE: f64 = 1.0;
/// Fewest connections that have to end before the number of requests per connection means anything.
const ENOUGH: u64 = 50;

/// The server holds as many connections as its limit allows, and the users beyond the limit wait outside.
///
/// By Little's law, the number of users that are served is throughput times service time. If it is not above the limit, while
/// the other users have a request in flight all the same, or give up again and again, the limit is at work.
impl CauseRule for ConnectionsFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (users, most) = (evidence.users()?, evidence.connection_limit()?);
        // With HTTP/2, users share connections.
        if !evidence.profile.keepalive || evidence.streams().is_some() || users <= most {
            return None;
        }
        let given_up = evidence.fault_count("response_timeout") + evidence.fault_count("connect_timeout");
        let served = served_users(evidence).min(quickly_served_users(evidence));
        let (waiting, left_out) = (users - served, users - most);
        let seen = waiting >= LEFT_OUT * left_out || given_up as f64 > (GIVEN_UP * left_out).max(1.0);
        if !seen || served > 1.1 * most {
            return None;
        }
        let wanted = room_for(users);
        let server = server_kind(evidence.arm, evidence.effective);
        let remedy = Remedy::RaiseLimit {
            setting: ServerSetting { server, name: SettingName::MaxConnections },
            to: Some(wanted),
            sizing: Some(for_all_users(evidence, users, most)),
        };
        let finding = Finding::ConnectionLimit(ConnectionsFull {
            most: Count(most),
            users: Count(users),
            left_out: Count(left_out),
            given_up,
        });
        // Where errors void the figures, what caused them explains them, however few users are left out.
        let of_errors = given_up as f64 / evidence.wrong().max(1) as f64;
        let explains = match given_up as f64 > GIVEN_UP * left_out {
            true => of_errors.max(left_out / users),
            false => left_out / users,
        };
        let candidate = Candidate::new(explains, finding, remedy)
            .with(Quantity::ConnectionsMost, most)
            .with(Quantity::Users, users)
            .with(Quantity::UsersServed, served)
            .with(Quantity::RequestsGivenUp, given_up as f64)
            .changing("max_connections", wanted);
        // However few they are, the users who are left out are not served at all.
        Some(Candidate { spoils: true, ..candidate })
    }
}

/// Number of users that are served, by Little's law: right answers per second times the seconds of service and think time of
/// each.
pub(super) fn served_users(evidence: &ArmEvidence<'_>) -> f64 {
    let Some(mean) = evidence.mean else { return 0.0 };
    let given_up = evidence.fault_count("response_timeout") as f64;
    let timed = evidence.counts.ok as f64 + given_up;
    let right = mean * timed - given_up * evidence.profile.timeout.as_secs_f64();
    let thought = evidence.counts.ok as f64 * evidence.think_seconds();
    (right.max(0.0) + thought) / evidence.seconds
}

/// Number of users that are served, by Little's law with the median time of requests instead of the mean. A server that
/// closes connections now and then lets in waiting users, and the mean contains their waits before their first requests.
fn quickly_served_users(evidence: &ArmEvidence<'_>) -> f64 {
    let median = evidence.median.unwrap_or(0.0);
    evidence.throughput() * (median + evidence.think_seconds())
}

/// Connections are not kept although the load keeps them; or the load does not keep them, and each costs a TLS handshake.
impl CauseRule for ConnectionsNotKept {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let counts = &evidence.counts;
        let each = evidence.per_request(counts.connects);
        let by_load = !evidence.profile.keepalive;
        // A server may close a connection after an error; whatever caused the error is the cause of that, too.
        let after_errors = if by_load { 0 } else { evidence.wrong() };
        let not_kept = evidence.per_request(counts.connects.saturating_sub(after_errors));
        if not_kept < NOT_KEPT || by_load && counts.tls_handshakes == 0 || evidence.streams().is_some() {
            return None;
        }
        let (closed_by, remedy) = match by_load {
            true => (ClosedBy::Load, Remedy::KeepConnections),
            false if evidence.think_seconds() < IDLE => (ClosedBy::Server, Remedy::FindWhoCloses),
            false => (ClosedBy::Server, Remedy::KeepIdleConnections),
        };
        let finding =
            Finding::KeepaliveNotEffective(ConnectionsNotKept { per_request: Count(each), closed_by });
        let effect = effect_of_connects(evidence, each).max(effect_of_handshakes(evidence));
        let explains = if by_load { effect } else { effect.max(paid_by_users(evidence)) };
        Some(
            Candidate::new(explains, finding, remedy)
                .with(Quantity::ConnectionsPerRequest, each)
                .with(Quantity::ConnectionsOpened, counts.connects as f64)
                .with(Quantity::Requests, counts.requests as f64),
        )
    }
}

/// The server closes each connection after a number of requests: far more connections are opened than there are users.
impl CauseRule for RequestsPerConnection {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let counts = &evidence.counts;
        let wrong = evidence.wrong();
        let opened = counts.connects.saturating_sub(wrong);
        let each = counts.requests as f64 / opened.max(1) as f64;
        let kept = evidence.streams().is_none()
            && evidence.profile.keepalive
            && evidence.per_request(counts.connects) < NOT_KEPT;
        // For other reasons, at most all users can have lost their connection in each slice; a twentieth of that is enough.
        let by_users = evidence.users().unwrap_or(1.0) * evidence.slices as f64 / 20.0;
        if !kept || opened < ENOUGH || (opened as f64) < by_users {
            return None;
        }
        let server = server_kind(evidence.arm, evidence.effective);
        let requests = counts.requests;
        let finding = Finding::KeepaliveLimit(RequestsPerConnection { each: Count(each), opened, requests });
        let explains = effect_of_connects(evidence, 1.0 / each).max(effect_of_handshakes(evidence));
        let candidate = Candidate::new(explains, finding, Remedy::LiftRequestsPerConnection { server })
            .with(Quantity::RequestsPerConnection, each)
            .with(Quantity::ConnectionsOpened, opened as f64)
            .with(Quantity::Requests, counts.requests as f64);
        Some(match server.facts().keep_alive_requests {
            Some(key) => candidate.changing(key, -1),
            None => candidate,
        })
    }
}

/// The share of the time for which users wait that they wait for new connections. While they think they do not wait, so that even a
/// small part of all time may be much of it.
fn paid_by_users(evidence: &ArmEvidence<'_>) -> f64 {
    if evidence.cpu_full() {
        return 0.0;
    }
    let each = evidence.per_request(evidence.counts.connects).min(1.0);
    let connecting: f64 = evidence.connects.iter().map(|(seconds, count)| seconds * *count as f64).sum();
    let connecting = connecting / evidence.counts.requests.max(1) as f64;
    let answer = evidence.mean.unwrap_or(0.0);
    (connecting + each * CONNECTION) / (connecting + answer.max(each * CONNECTION))
}

/// What so many connections per request explain.
pub(super) fn effect_of_connects(evidence: &ArmEvidence<'_>, per_request: f64) -> f64 {
    effect_of_cost(evidence, per_request * CONNECTION)
}

/// What the TLS handshakes explain.
pub(super) fn effect_of_handshakes(evidence: &ArmEvidence<'_>) -> f64 {
    let counts = &evidence.counts;
    let full = counts.tls_handshakes.saturating_sub(counts.tls_resumed);
    let [full, resumed] = [full, counts.tls_resumed].map(|count| evidence.per_request(count));
    effect_of_cost(evidence, full * HANDSHAKE + resumed * RESUMED)
}

/// The effect of spending so many CPU seconds per request on connections: on a full CPU the share of a request's
/// CPU seconds; otherwise the share of its time, including the time in which its user had no connection.
fn effect_of_cost(evidence: &ArmEvidence<'_>, cost: f64) -> f64 {
    let connected = evidence.mean.unwrap_or(0.0) + evidence.think_seconds();
    let connecting = connecting_seconds(evidence, connected);
    if !evidence.cpu_full() {
        let connecting = connecting.max(cost);
        return connecting / (connected + connecting);
    }
    let of_cpu = cost / (evidence.cpu / evidence.request_rate()).max(cost);
    // Users wait for the work that a full CPU does. A JVM that is still cold needs more for a connection than `cost`.
    // Where connections are kept, the generator's delays would be taken for connecting.
    match evidence.per_request(evidence.counts.connects) < NOT_KEPT {
        true => of_cpu,
        false => of_cpu.max(connecting / (connected + connecting)),
    }
}

/// Seconds per request in which its user neither thinks nor waits for an answer: in a closed loop what Little's law leaves of the
/// user's time, TLS handshakes included; otherwise the time that connects took. `connected` is the rest of a request's time.
fn connecting_seconds(evidence: &ArmEvidence<'_>, connected: f64) -> f64 {
    if let Some(users) = evidence.users() {
        return (users / evidence.request_rate().max(1e-9) - connected).max(0.0);
    }
    let connects = evidence.connects.iter();
    let all: f64 = connects.map(|(seconds, count)| seconds * *count as f64).sum();
    all / evidence.counts.requests.max(1) as f64
}
