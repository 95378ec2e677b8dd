//! Connections: how many the server holds, and how long each is kept.

use super::Candidate;
use super::evidence::Evidence;
use super::remedy::{room_for, server_kind};
use model::finding::{
    ClosedBy, ConnectionsFull, ConnectionsNotKept, Finding, Quantity, Remedy, RequestsPerConnection,
    ServerSetting, SettingName,
};

/// Of the users that a limit of connections leaves out, at least this share has to be seen waiting.
const LEFT_OUT: f64 = 0.5;
/// Or so many requests, as a share of those users, have to be given up: one alone may be any user's bad luck.
const GIVEN_UP: f64 = 0.1;
/// Connections per request from which on connections are not kept.
const NOT_KEPT: f64 = 0.5;
/// Requests per connection beyond which opening one costs nothing that could be measured: a connect costs about as much
/// as a few requests.
const MANY: f64 = 1000.0;
/// So many connections have to be seen ending before a number of requests per connection means anything.
const ENOUGH: u64 = 50;

/// The server holds no more connections than its limit: the users beyond it wait, unseen by it.
///
/// Users that keep their connections share those that are held, by Little's law as many as throughput times service time
/// makes. Where these are no more than the limit, and the others have a request in flight all the same, or give up again and
/// again, the limit is at work.
pub(super) fn limit(evidence: &Evidence<'_>) -> Option<Candidate> {
    let (users, most) = (evidence.users()?, evidence.connections()?);
    if !evidence.profile.keepalive || users <= most {
        return None;
    }
    let given_up = evidence.fault("response_timeout") + evidence.fault("connect_timeout");
    let served = served(evidence);
    let (waiting, left_out) = (users - served, users - most);
    let seen = waiting >= LEFT_OUT * left_out || given_up as f64 > (GIVEN_UP * left_out).max(1.0);
    if !seen || served > 1.1 * most {
        return None;
    }
    let wanted = room_for(users);
    let server = server_kind(evidence.arm, evidence.effective);
    let remedy = Remedy::RaiseLimit {
        setting: ServerSetting {
            server,
            name: SettingName::MaxConnections,
        },
        to: Some(wanted),
    };
    let finding = Finding::ConnectionLimit(ConnectionsFull {
        most,
        users,
        left_out,
        given_up,
    });
    Some(
        Candidate::new(left_out / users, finding, remedy)
            .with(Quantity::ConnectionsMost, most)
            .with(Quantity::Users, users)
            .with(Quantity::UsersServed, served)
            .with(Quantity::RequestsGivenUp, given_up as f64)
            .changing("max_connections", wanted),
    )
}

/// Users that are answered: right answers per second times how long each took and was thought about.
pub(super) fn served(evidence: &Evidence<'_>) -> f64 {
    let Some(mean) = evidence.mean else { return 0.0 };
    let given_up = evidence.fault("response_timeout") as f64;
    let timed = evidence.counts.ok as f64 + given_up;
    let right = mean * timed - given_up * evidence.profile.timeout.as_secs_f64();
    let thought = evidence.counts.ok as f64 * evidence.think();
    (right.max(0.0) + thought) / evidence.seconds
}

/// Connections are to be kept, and are not; or they are not to be, and each costs a handshake.
pub(super) fn keepalive(evidence: &Evidence<'_>) -> Option<Candidate> {
    let counts = &evidence.counts;
    let each = evidence.per_request(counts.connects);
    let by_load = !evidence.profile.keepalive;
    if each < NOT_KEPT || by_load && counts.tls_handshakes == 0 {
        return None;
    }
    let (closed_by, remedy) = match by_load {
        true => (ClosedBy::Load, Remedy::KeepConnections),
        false => (ClosedBy::Server, Remedy::FindWhoCloses),
    };
    let finding = Finding::KeepaliveNotEffective(ConnectionsNotKept {
        per_request: each,
        closed_by,
    });
    Some(
        Candidate::new(each.min(1.0), finding, remedy)
            .with(Quantity::ConnectionsPerRequest, each)
            .with(Quantity::ConnectionsOpened, counts.connects as f64)
            .with(Quantity::Requests, counts.requests as f64),
    )
}

/// The server closes each connection after so many requests: connections are opened all the time, far more than users.
pub(super) fn keepalive_limit(evidence: &Evidence<'_>) -> Option<Candidate> {
    let counts = &evidence.counts;
    let wrong = evidence.wrong();
    let opened = counts.connects.saturating_sub(wrong);
    let each = counts.requests as f64 / opened.max(1) as f64;
    let kept = evidence.profile.keepalive && evidence.per_request(counts.connects) < NOT_KEPT;
    // In each slice no more than all users can have been left without a connection for any other reason.
    let by_users = evidence.users().unwrap_or(1.0) * evidence.slices as f64 / 20.0;
    if !kept || opened < ENOUGH || (opened as f64) < by_users || each > MANY {
        return None;
    }
    let server = server_kind(evidence.arm, evidence.effective);
    let finding = Finding::KeepaliveLimit(RequestsPerConnection {
        each,
        opened,
        requests: counts.requests,
    });
    let candidate = Candidate::new(1.0 / each, finding, Remedy::LiftRequestsPerConnection { server })
        .with(Quantity::RequestsPerConnection, each)
        .with(Quantity::ConnectionsOpened, opened as f64)
        .with(Quantity::Requests, counts.requests as f64);
    Some(match server.facts().keep_alive_requests {
        Some(key) => candidate.changing(key, -1),
        None => candidate,
    })
}
