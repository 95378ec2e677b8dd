//! Causes in the application's own limits: connections, permits, threads of its own, requests a second.

use super::backends::reopening_pool;
use super::evidence::ArmEvidence;
use super::sizing::suggested;
use super::{Candidate, CauseRule};
use crate::profile::{Charged, Kind, Profile};
use model::units::{Count, Rate, Seconds, Share};
use record::finding::{
    Bounded, Ceiling, Doing, Finding, InMethod, Lent, LostConnections, PoolUsedUp, Quantity, RateLimit,
    Remedy,
};

/// Smallest share of a pool's open connections that no request holds while others wait for one, for these to be lost.
const LOST: f64 = 0.4;
/// Fewest of them.
const FEWEST_LOST: f64 = 2.0;
/// Fewest requests that a server tells to wait for a connection, as a mean, for its pool to be a limit.
const FEWEST_WAITING: f64 = 1.0;
/// Share of the connections of a pool from which on all of them count as in use, where the server tells how many are: some are always
/// between two requests.
const TAKEN: f64 = 0.9;
/// Fewest things that requests hold where some request holds one.
const HELD: f64 = 0.5;

/// Requests wait for something that the application has a limited number of. By Little's law each of them is
/// held for `slots / rate`, whatever is done with it. Where no request is answered any more, none is given back.
impl CauseRule for PoolUsedUp {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        if evidence.told.is_some() {
            return told_pool(evidence);
        }
        let profile = evidence.inside.as_ref().filter(|_| evidence.waits_matter_or_silent())?;
        let is_one =
            |place: &Charged<'_>| place.spot.bounded().is_some() && !profile.is_behind_own_tasks(place);
        let place = profile.largest_of(is_one)?;
        let pool = place.spot.bounded()?;
        let slots = place.spot.slots.unwrap_or(place.held);
        let queue = Ceiling {
            rate: Rate(profile.rate),
            slots: Count(slots),
            each: profile.seconds(slots),
            in_flight: Count(profile.in_flight),
            waiting: Count(place.requests),
            busy: Share(evidence.busy()),
        };
        let share = profile.part(place.requests);
        // Where nothing goes on, requests that hold one may be the same that wait for another one.
        let lost = lost(profile, place, &pool).filter(|_| !profile.is_silent);
        let finding = Finding::ApplicationPoolLimit(PoolUsedUp {
            pool: pool.clone(),
            at: place.spot.in_method(),
            slots: queue.slots,
            each: Some(queue.each).filter(|_| !profile.is_silent),
            waiting: queue.waiting,
            in_flight: queue.in_flight,
            holders: place.holders.clone(),
            busy: queue.busy,
            lost,
        });
        let remedy = match (lost, &pool) {
            (Some(_), Bounded::Library { product, .. }) => Remedy::GiveBack { product: product.clone() },
            _ if profile.is_silent && place.held < HELD => {
                Remedy::FindHolders { product: place.spot.product().map(str::to_owned) }
            }
            _ => {
                // How long one is held is not known where none is given back.
                let more = suggested(evidence, queue).filter(|_| !profile.is_silent);
                let (to, sizing) = (more.map(|more| more.to), more.map(|more| more.sizing));
                Remedy::EnlargePool { pool, to, sizing }
            }
        };
        let explains = match place.spot.doing {
            Doing::Thread => evidence.effect_of(share),
            _ => evidence.effect_of_turns(share),
        };
        let candidate = Candidate::new(explains, finding, remedy)
            .with(Quantity::SlotsHeld, queue.slots)
            .with_if_known(Quantity::SlotTime, Some(queue.each).filter(|_| !profile.is_silent))
            .with(Quantity::Waiting, queue.waiting)
            .with(Quantity::RequestsInFlight, queue.in_flight)
            .with(Quantity::RequestRate, queue.rate)
            .with(Quantity::CpusInUse, queue.busy);
        // A pool that is busy opening what it has closed is no pool that is too small.
        Some(Candidate { is_second: reopening_pool(profile).is_some(), ..candidate })
    }
}

/// The server tells that requests wait for a connection to its database.
fn told_pool(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let told = evidence.told.as_ref()?.database.filter(|_| evidence.waits_matter())?;
    let slots = told.most.unwrap_or(told.busy);
    if told.waiting < FEWEST_WAITING || told.busy < TAKEN * slots {
        return None;
    }
    let waiting = told.waiting.min(evidence.in_flight);
    let rate = evidence.request_rate();
    let queue = Ceiling {
        rate: Rate(rate),
        slots: Count(slots),
        each: Seconds(slots / rate),
        in_flight: Count(evidence.in_flight),
        waiting: Count(waiting),
        busy: Share(evidence.busy()),
    };
    let (product, setting) = ("HikariCP".to_owned(), Some("maximumPoolSize".to_owned()));
    let pool = Bounded::Library { product, lends: Lent::Connections, setting };
    let finding = Finding::ApplicationPoolLimit(PoolUsedUp {
        pool: pool.clone(),
        at: InMethod::default(),
        slots: queue.slots,
        each: Some(queue.each),
        waiting: queue.waiting,
        in_flight: queue.in_flight,
        holders: None,
        busy: queue.busy,
        lost: None,
    });
    let more = suggested(evidence, queue);
    let remedy =
        Remedy::EnlargePool { pool, to: more.map(|more| more.to), sizing: more.map(|more| more.sizing) };
    let explains = evidence.effect_of_turns(waiting / evidence.in_flight.max(1e-9));
    Some(
        Candidate::new(explains, finding, remedy)
            .with(Quantity::SlotsHeld, queue.slots)
            .with(Quantity::SlotTime, queue.each)
            .with(Quantity::Waiting, queue.waiting)
            .with(Quantity::RequestsInFlight, queue.in_flight)
            .with(Quantity::RequestRate, queue.rate)
            .with(Quantity::CpusInUse, queue.busy),
    )
}

/// The connections of a pool that are open, and neither used at any time nor held by a request, while requests wait for one.
fn lost(profile: &Profile<'_>, place: &Charged<'_>, pool: &Bounded) -> Option<LostConnections> {
    let Bounded::Library { lends: Lent::Connections, .. } = pool else { return None };
    let open = profile.awaited.open;
    let lost = (open - place.held.ceil()).min(profile.awaited.free).floor();
    (lost >= FEWEST_LOST && lost >= LOST * open)
        .then_some(LostConnections { open: Count(open), lost: Count(lost) })
}

/// A limiter in the application lets only so many requests through in a second; all of them wait for their turn.
impl CauseRule for RateLimit {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (profile, _) = evidence.stacks().filter(|_| evidence.waits_matter())?;
        let place = profile.largest(Kind::Limiter)?;
        let setting = place.spot.setting().map(str::to_owned);
        let finding = Finding::RateLimited(rate_limit(evidence, profile, place, setting.clone()));
        let share = profile.part(place.requests);
        Some(
            Candidate::new(evidence.effect_of(share), finding, Remedy::RaiseRate { setting })
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::RequestRate, profile.rate)
                .with(Quantity::WaitTime, profile.seconds(place.requests))
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

fn rate_limit(
    evidence: &ArmEvidence<'_>,
    profile: &Profile<'_>,
    place: &Charged<'_>,
    setting: Option<String>,
) -> RateLimit {
    RateLimit {
        product: place.spot.product().map(str::to_owned),
        setting,
        at: place.spot.in_method(),
        share: Share(profile.part(place.requests)),
        rate: Rate(profile.rate),
        each: profile.seconds(place.requests),
        busy: Share(evidence.busy()),
    }
}
