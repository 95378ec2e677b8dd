//! Causes in the application's own limits: connections, permits, threads of its own, requests a second.

use super::evidence::ArmEvidence;
use super::sizing::suggested;
use super::{Candidate, CauseRule};
use crate::profile::{Charged, Kind, Profile};
use model::units::{Count, Rate, Share};
use record::finding::{Ceiling, Doing, Finding, PoolUsedUp, Quantity, RateLimit, Remedy};

/// Requests wait for something that the application has a limited number of. By Little's law each of them is
/// held for `slots / rate`, whatever is done with it.
impl CauseRule for PoolUsedUp {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let profile = evidence.inside.as_ref().filter(|_| evidence.waits_matter())?;
        let place = profile.largest_of(|place| place.spot.bounded().is_some())?;
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
        let finding = Finding::ApplicationPoolLimit(PoolUsedUp {
            pool: pool.clone(),
            method: place.spot.method_at(),
            caller: place.spot.caller_at(),
            slots: queue.slots,
            each: queue.each,
            waiting: queue.waiting,
            in_flight: queue.in_flight,
            holders: place.holders.clone(),
            busy: queue.busy,
        });
        let more = suggested(evidence, queue);
        let remedy =
            Remedy::EnlargePool { pool, to: more.map(|more| more.to), sizing: more.map(|more| more.sizing) };
        let explains = match place.spot.doing {
            Doing::Thread => evidence.effect_of(share),
            _ => evidence.effect_of_turns(share),
        };
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
        method: place.spot.method_at(),
        caller: place.spot.caller_at(),
        share: Share(profile.part(place.requests)),
        rate: Rate(profile.rate),
        each: profile.seconds(place.requests),
        busy: Share(evidence.busy()),
    }
}
