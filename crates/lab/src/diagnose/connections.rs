//! Connections: how many the server holds, and how long each is kept.

use super::Finding;
use super::evidence::Evidence;
use super::remedy::{Kind, Remedy, room_for};
use super::words::{count, three};
use model::cause::Cause;

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
pub(super) fn limit(evidence: &Evidence<'_>) -> Option<Finding> {
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
    let kind = Kind::of(evidence.arm, evidence.effective);
    let wanted = room_for(users);
    let says = format!(
        "the server holds {} connections and there are {} users: {} of them wait outside, {} requests were given up",
        count(most),
        count(users),
        count(left_out),
        count(given_up as f64)
    );
    let remedy = format!(
        "raise {} to {wanted} (`max_connections = {wanted}`), or use fewer connections",
        kind.connections()
    );
    Some(
        Finding::new(Cause::ConnectionLimit, left_out / users, says)
            .with("connections at most", most)
            .with("users", users)
            .with("users that are served (Little)", served)
            .with("requests given up", given_up as f64)
            .cure(Remedy::set(remedy, "max_connections", wanted)),
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
pub(super) fn keepalive(evidence: &Evidence<'_>) -> Option<Finding> {
    let counts = &evidence.counts;
    let each = evidence.per_request(counts.connects);
    let by_load = !evidence.profile.keepalive;
    if each < NOT_KEPT || by_load && counts.tls_handshakes == 0 {
        return None;
    }
    let per = three(each);
    let (says, remedy) = match by_load {
        true => (
            format!("{per} connections per request: the load asks for `keepalive = false`"),
            Remedy::advice("let clients keep their connections (`keepalive = true`)"),
        ),
        false => (
            format!("{per} connections per request, although the load keeps them: the server closes each"),
            Remedy::advice(
                "look for `Connection: close` in its answers: a filter, a proxy, HTTP/1.0, or keep-alive switched off",
            ),
        ),
    };
    Some(
        Finding::new(Cause::KeepaliveNotEffective, each.min(1.0), says)
            .with("connections per request", each)
            .with("connections opened", counts.connects as f64)
            .with("requests", counts.requests as f64)
            .cure(remedy),
    )
}

/// The server closes each connection after so many requests: connections are opened all the time, far more than users.
pub(super) fn keepalive_limit(evidence: &Evidence<'_>) -> Option<Finding> {
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
    let kind = Kind::of(evidence.arm, evidence.effective);
    let says = format!(
        "the server closes a connection after {} requests: {} were opened again for {} requests",
        count(each),
        count(opened as f64),
        count(counts.requests as f64)
    );
    let remedy = match kind.keep_alive_requests() {
        Some((says, key)) => Remedy::set(says, key, -1),
        None => Remedy::advice("let a connection serve any number of requests"),
    };
    Some(
        Finding::new(Cause::KeepaliveLimit, 1.0 / each, says)
            .with("requests per connection", each)
            .with("connections opened", opened as f64)
            .with("requests", counts.requests as f64)
            .cure(remedy),
    )
}
