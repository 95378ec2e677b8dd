//! Requests that queue for a scarce thing wait, in truth, for what its holders do. If most holders queue for
//! another scarce thing, the other one is the limit: a pool behind a pool. If holders use the CPU or wait for
//! an answer, there are too few of the first.

use super::flow::Flow;
use super::frames::Kind;
use super::spots::Spot;
use model::units::Share;
use record::finding::{Doing, RequestPlace};
use record::inspection::StackSeen;

/// Smallest share of the holders who queue themselves, or wait for the disk, for that to be what limits.
const MOST: f64 = 0.5;

/// A place of requests, and how many wait there in truth.
#[derive(Clone, Debug)]
pub(crate) struct Charged<'a> {
    pub(crate) spot: Spot<'a>,
    /// Requests that wait here, or for requests that do.
    pub(crate) requests: f64,
    /// Requests that have what is waited for here, mean; 0 where nobody waits for a turn.
    pub(crate) held: f64,
    /// What most holders do, as a share of all holders.
    pub(crate) holders: Option<RequestPlace>,
}

/// All places, with requests charged to where they wait in truth.
pub(super) fn charged<'a>(flow: &Flow<'a>) -> Vec<Charged<'a>> {
    let mut all: Vec<Charged<'a>> = flow.spots.all.iter().map(|spot| with_holders(flow, spot)).collect();
    // From the outermost inwards, so that what is passed on is passed on again.
    let spots = &flow.spots.all;
    let mut order: Vec<usize> = (0..all.len()).collect();
    let within = |at: usize| (0..spots.len()).filter(|other| is_inside(&spots[*other], &spots[at])).count();
    order.sort_by_key(|at| std::cmp::Reverse((is_turn(&spots[*at]), within(*at))));
    for at in order {
        let Some(inner) = limit_of_holders(flow, at) else {
            continue;
        };
        let requests = std::mem::take(&mut all[at].requests);
        all[inner].requests += requests;
    }
    all
}

/// A place with what the holders of the thing that is waited for there do.
fn with_holders<'a>(flow: &Flow<'a>, spot: &Spot<'a>) -> Charged<'a> {
    let holders = if is_turn(spot) { holders(flow, spot) } else { Vec::new() };
    let held: f64 = holders.iter().map(|(_, requests)| requests).sum();
    let largest = holders.iter().max_by(|one, other| one.1.total_cmp(&other.1));
    let holders = largest.map(|(at, requests)| RequestPlace {
        share: Share(requests / held.max(1e-9)),
        ..flow.spots.all[*at].place(held)
    });
    Charged { spot: spot.clone(), requests: spot.requests, held, holders }
}

/// Whether requests wait there for one of a few things that other requests have.
pub(super) fn is_turn(spot: &Spot<'_>) -> bool {
    let is_thread = matches!(spot.doing, Doing::ServerThread | Doing::Thread);
    is_thread || matches!(spot.kind, Kind::Lock) || spot.bounded().is_some()
}

/// Where the holders of what is waited for are, with their number at each place.
fn holders(flow: &Flow<'_>, spot: &Spot<'_>) -> Vec<(usize, f64)> {
    let spots = flow.spots.all.iter().enumerate();
    let is_in_application = |other: &Spot<'_>| !matches!(other.doing, Doing::NoThread | Doing::Client);
    let others = spots.filter(|(_, other)| !std::ptr::eq(*other, spot) && is_in_application(other));
    let each = others.map(|(at, other)| match spot.kind {
        Kind::Lock | Kind::Shared => (at, holding(other, spot)),
        _ if is_inside(other, spot) => (at, other.requests),
        _ => (at, 0.0),
    });
    each.filter(|(_, requests)| *requests > 0.0).collect()
}

/// The requests of a place that hold the lock which requests of another place wait for.
fn holding(place: &Spot<'_>, lock: &Spot<'_>) -> f64 {
    // A lock that is not named by its class is none that the JVM tells the owner of.
    let class = lock.what.as_ref().filter(|name| !name.contains(' '));
    let holds = |stack: &StackSeen| match class.filter(|_| !stack.holds.is_empty()) {
        Some(class) => stack.holds.contains(class),
        None => calls(stack, lock.method),
    };
    let stacks = place.stacks.iter().filter(|(stack, _)| holds(stack));
    stacks.map(|(_, requests)| requests).sum()
}

/// Whether this method is on the stack.
fn calls(stack: &StackSeen, method: Option<&str>) -> bool {
    method.is_some_and(|method| stack.frames.iter().any(|frame| frame == method))
}

/// The place where most holders wait for their turn or for the disk, if they do.
fn limit_of_holders(flow: &Flow<'_>, at: usize) -> Option<usize> {
    let spots = &flow.spots.all;
    if !is_turn(&spots[at]) {
        return None;
    }
    let holders = holders(flow, &spots[at]);
    let all: f64 = holders.iter().map(|(_, requests)| requests).sum();
    let is_limit = |spot: &Spot<'_>| {
        is_turn(spot) || matches!(spot.kind, Kind::Sync | Kind::Write | Kind::Log | Kind::Limiter)
    };
    let limits = || holders.iter().filter(|(other, _)| is_limit(&spots[*other]));
    let waiting: f64 = limits().map(|(_, requests)| requests).sum();
    let most = limits().max_by(|one, other| one.1.total_cmp(&other.1));
    most.map(|(other, _)| *other).filter(|_| waiting > MOST * all)
}

/// Whether requests at a place have got what requests at another place wait for.
fn is_inside(place: &Spot<'_>, outer: &Spot<'_>) -> bool {
    if !is_turn(place) {
        return true;
    }
    let (into, out) = (is_called_in(place, outer), is_called_in(outer, place));
    match into == out {
        true => depth(place) > depth(outer),
        false => into,
    }
}

/// Whether most requests of a place wait there within the method in which another place's requests wait.
fn is_called_in(place: &Spot<'_>, outer: &Spot<'_>) -> bool {
    if outer.method == place.method {
        return false;
    }
    let within = place.stacks.iter().filter(|(stack, _)| calls(stack, outer.method));
    within.map(|(_, requests)| requests).sum::<f64>() > MOST * place.requests
}

/// How late in a request something is usually asked for: first a thread, then a permit, then a connection to a
/// database, and while the request holds the connection, an answer over HTTP.
fn depth(spot: &Spot<'_>) -> u8 {
    match (spot.doing, spot.kind) {
        (Doing::ServerThread, _) => 0,
        (Doing::Thread, _) => 1,
        (_, Kind::Permit | Kind::Signal) => 2,
        (_, Kind::Pool) if is_of_calls(spot) => 2,
        (_, Kind::Queue) => 3,
        (_, Kind::Pool) if !is_of_http(spot) => 3,
        (_, Kind::Pool) => 4,
        (_, Kind::Lock | Kind::Shared) => 5,
        _ => 6,
    }
}

fn is_of_calls(spot: &Spot<'_>) -> bool {
    let lends = spot.rule.map(|rule| rule.lends);
    lends == Some(record::finding::Lent::Calls)
}

/// Whether the pool holds connections for HTTP.
fn is_of_http(spot: &Spot<'_>) -> bool {
    spot.rule.is_none() || spot.product().is_some_and(|name| name.contains("Http"))
}
