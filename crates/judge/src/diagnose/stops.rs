//! What stops everything again and again, at even distances: a scheduled task under a lock, a refresh, a rotation. The distances show while
//! the server is looked into, which is one window without a break; that the stops are no effect of the look is shown by the measured slices.

use super::evidence::ArmEvidence;
use super::{Candidate, CauseRule};
use model::units::{Count, Seconds, Share};
use record::finding::{
    Collections, DiskWait, Finding, HeapFull, LockWait, Quantity, Remedy, Stalls, StoppedAgain, Stops,
    SyncWait,
};

/// Seconds in which requests that ended were counted together.
const TENTH: f64 = 0.1;
/// Largest number of requests that end in a part of a stop, as a share of the usual number.
const SILENT: f64 = 0.1;
/// Fewest requests that would have ended in a stop.
const MISSED: f64 = 8.0;
/// Fewest times as long as a usual request that a stop, and the time from one to the next, last. Requests of users in step also end together.
const STOP_TIMES: f64 = 3.0;
const PERIOD_TIMES: f64 = 6.0;
/// Largest difference of a distance from the mean of all, as a share of the mean, and in seconds, because the begin of a stop is known to a
/// tenth of a second.
const EVEN: f64 = 0.1;
const EVEN_SECONDS: f64 = 0.15;
/// Fewest stops whose distances are even by more than chance; where the seconds of [`EVEN_SECONDS`] are much of the distance, more.
const FEWEST: usize = 3;
const FEWEST_CLOSE: usize = 5;
/// The distance in seconds up to which that is so.
const CLOSE: f64 = EVEN_SECONDS / EVEN;
/// Smallest share of the time that the measured slices stand still, as a part of what the look shows.
const MEASURED: f64 = 0.3;
/// Smallest part of the stops that another cause explains which is then what stops everything.
const TOLD: f64 = 0.5;

/// Stops at even distances, with the share of the time that they take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StopsSeen {
    pub(super) stops: Stops,
    pub(super) share: f64,
}

impl StopsSeen {
    /// The stops of an arm; `None` where there are none, or they come at random.
    pub(super) fn of(evidence: &ArmEvidence<'_>) -> Option<Self> {
        let seen = evidence.inspection?;
        let all = stops_of(&seen.ended, evidence.median?);
        let stops = even(&all, evidence.median?)?;
        let still: f64 = all.iter().map(|(_, length)| length).sum();
        let looked = TENTH * seen.ended.len() as f64;
        let measured = evidence.stood;
        if measured.share() < MEASURED * still / looked {
            return None;
        }
        let share = (still + measured.still()) / (looked + measured.loaded());
        Some(Self { stops, share })
    }

    /// The stops, where a cause explains most of them: it takes this share of the time.
    pub(super) fn by(evidence: &ArmEvidence<'_>, explains: f64) -> Option<Stops> {
        let seen = Self::of(evidence)?;
        (explains >= TOLD * seen.share).then_some(seen.stops)
    }
}

/// The share of the tenths of a second in this row, with this number of requests that ended in each, in which hardly any ended; 0 where they were
/// not counted.
pub(super) fn still_share(ended: &[u64]) -> f64 {
    let typical = typical(ended);
    let still = ended.iter().filter(|count| (**count as f64) < SILENT * typical).count();
    still as f64 / ended.len().max(1) as f64
}

/// The usual number of requests that end in a tenth of a second, of those in which some end.
fn typical(ended: &[u64]) -> f64 {
    let mut busy: Vec<u64> = ended.iter().copied().filter(|count| *count > 0).collect();
    busy.sort_unstable();
    busy.get(busy.len() / 2).copied().unwrap_or(0) as f64
}

/// The stops in a row of tenths of a second with this number of requests that ended, each with its begin and its length in seconds. A request
/// usually takes `usual` seconds. What is cut off by the begin or the end of the row is left out.
fn stops_of(ended: &[u64], usual: f64) -> Vec<(f64, f64)> {
    let typical = typical(ended);
    let is_still = |at: usize| (ended[at] as f64) < SILENT * typical;
    let mut stops = Vec::new();
    let mut at = 0;
    while at < ended.len() {
        let begin = at;
        while at < ended.len() && is_still(at) {
            at += 1;
        }
        let parts = (at - begin) as f64;
        let is_whole = begin > 0 && at < ended.len();
        if is_whole && parts * typical >= MISSED && parts * TENTH >= STOP_TIMES * usual {
            stops.push((begin as f64 * TENTH, parts * TENTH));
        }
        at = at.max(begin + 1);
    }
    stops
}

/// The stops where their distances are even.
fn even(stops: &[(f64, f64)], usual: f64) -> Option<Stops> {
    let distances: Vec<f64> = stops.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let every = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
    let fewest = if every <= CLOSE { FEWEST_CLOSE } else { FEWEST };
    let tolerance = EVEN_SECONDS.max(EVEN * every);
    let are_even = distances.iter().all(|distance| (distance - every).abs() <= tolerance);
    let each = stops.iter().map(|(_, length)| length).sum::<f64>() / stops.len().max(1) as f64;
    let is_period = stops.len() >= fewest && are_even && every >= PERIOD_TIMES * usual;
    is_period.then_some(Stops {
        every: Seconds(every),
        each: Seconds(each),
        count: Count(stops.len() as f64),
    })
}

/// Everything stops at even distances, and no lock, collector or disk that was seen explains it.
impl CauseRule for StoppedAgain {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let seen = StopsSeen::of(evidence).filter(|_| evidence.waits_matter())?;
        let others = [
            LockWait::check(evidence),
            SyncWait::check(evidence),
            DiskWait::check(evidence),
            Collections::check(evidence),
            Stalls::check(evidence),
            HeapFull::check(evidence),
        ];
        if others.iter().flatten().any(|other| other.explains >= TOLD * seen.share) {
            return None;
        }
        let places = evidence.stacks().map(|(profile, _)| profile.largest_waits());
        let place = places.into_iter().flatten().find(|place| place.share.0 >= TOLD * seen.share);
        let every = seen.stops.every;
        let finding = Finding::PeriodicStops(Self { stops: seen.stops, share: Share(seen.share), place });
        Some(
            Candidate::new(evidence.effect_of(seen.share), finding, Remedy::FindPeriodic { every })
                .with(Quantity::StillTime, seen.share)
                .with(Quantity::StopPeriod, every)
                .with(Quantity::StopTime, seen.stops.each)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}
