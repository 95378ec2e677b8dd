//! Where the time of a request goes, from its user's side. The requests in flight are counted where they are; by Little's law their
//! shares are shares of the time. What was seen in a start of its own is a share of the time of measured requests.

use super::evidence::{ArmEvidence, Place};
use super::{At, Known, Machine};
use crate::profile::{Kind, Profile};
use model::units::Seconds;
use record::finding::Doing;
use record::outcome::{ArmResult, PartTime, RequestPart};
use record::request_time::{RequestTime, TimePart, TimePlace};
use record::rounds::{RoundRecord, RunRecord};
use std::collections::BTreeMap;

/// Fills in where the time of requests goes, for each arm at each level.
pub(crate) fn fill_in_request_times(arms: &mut [ArmResult], run: &RunRecord, rounds: &[RoundRecord]) {
    let machine = Machine::of(&run.fingerprint);
    for (index, arm) in arms.iter_mut().enumerate() {
        let levels = 0..run.experiment.load.connections.len();
        let times = levels.filter_map(|level| {
            let known = Known::of(arm, run);
            let place = Place { arm: index, at: At::Level(level) };
            request_time(&ArmEvidence::of(&run.experiment, rounds, place, known, machine)?)
        });
        arm.request_times = times.collect();
    }
}

/// Where the time of a request goes; `None` where none was answered.
fn request_time(evidence: &ArmEvidence<'_>) -> Option<RequestTime> {
    let requests = evidence.counts.requests as f64;
    let served = Seconds(evidence.mean?);
    let connects: f64 = evidence.connects.iter().map(|(seconds, count)| seconds * *count as f64).sum();
    let connecting = Seconds(connects / requests.max(1.0));
    let mut parts: BTreeMap<TimePlace, Seconds> = match &evidence.inside {
        Some(profile) => parts_inside(evidence, profile, served),
        None => [(TimePlace::Cpu, cpu(evidence))].into(),
    };
    parts.insert(TimePlace::Connecting, connecting);
    let known = |parts: &BTreeMap<TimePlace, Seconds>| parts.values().copied().sum::<Seconds>();
    let all = served + connecting;
    // Times of another start may add up to more than those that were measured.
    let factor = (all / known(&parts).max(Seconds(1e-12))).min(1.0);
    parts.values_mut().for_each(|seconds| *seconds = *seconds * factor);
    let rest = (all - known(&parts)).max(Seconds::ZERO);
    let between_events = receiving_events(evidence).min(rest);
    parts.insert(TimePlace::NextEvent, between_events);
    parts.retain(|_, seconds| *seconds > Seconds::ZERO);
    parts.insert(TimePlace::Unexplained, rest - between_events);
    let parts = parts.into_iter().map(|(place, seconds)| TimePart { place, seconds });
    Some(RequestTime { level: evidence.level.clone(), all, parts: parts.collect() })
}

/// The time from the first byte of an answer that streams to its last one; 0 where answers do not stream.
fn receiving_events(evidence: &ArmEvidence<'_>) -> Seconds {
    let receiving = evidence.counts.parts.get(&RequestPart::Receiving).filter(|_| evidence.answers_stream);
    receiving.and_then(PartTime::mean).unwrap_or(Seconds::ZERO)
}

/// CPU time of a request, and the time that it waits for a CPU, by the kernel's accounts.
fn cpu(evidence: &ArmEvidence<'_>) -> Seconds {
    Seconds((evidence.cpu + evidence.waiting_for_cpu()) / evidence.request_rate().max(1e-9))
}

/// The parts of the time that the server takes, as far as its requests were seen.
fn parts_inside(
    evidence: &ArmEvidence<'_>,
    profile: &Profile<'_>,
    served: Seconds,
) -> BTreeMap<TimePlace, Seconds> {
    let mut parts: BTreeMap<TimePlace, Seconds> = BTreeMap::new();
    let share = |requests: f64| served * (requests / profile.in_flight).min(1.0);
    let mut outside = evidence.inspection.and_then(|seen| seen.queued).map_or(0.0, |queued| queued.0);
    parts.insert(TimePlace::QueueOutside, share(outside));
    for place in &profile.places {
        let spot = &place.spot;
        let mut requests = spot.requests;
        // A connection that was not accepted has no thread.
        if matches!(spot.doing, Doing::ServerThread | Doing::Thread | Doing::NoThread) {
            let taken = outside.min(requests);
            (outside, requests) = (outside - taken, requests - taken);
        }
        match spot.kind {
            Kind::Answer => add_answers(&mut parts, profile, share(requests)),
            _ => {
                if let Some(at) = time_place(spot.doing, evidence.is_short_of_cpu()) {
                    *parts.entry(at).or_default() += share(requests);
                }
            }
        }
    }
    parts
}

/// Adds the time that requests wait for answers, to each program as much as is awaited from it.
fn add_answers(parts: &mut BTreeMap<TimePlace, Seconds>, profile: &Profile<'_>, all: Seconds) {
    let awaited = &profile.awaited;
    for back_end in awaited.back_ends.iter().filter(|back_end| back_end.answers > 0.0) {
        let at = TimePlace::BackEnd { address: back_end.address.clone() };
        *parts.entry(at).or_default() += all * (back_end.answers / awaited.answers);
    }
}

/// Where the time of requests goes that do this; `None` where that explains nothing. On a full CPU, requests that no thread has taken wait
/// for a thread to run.
const fn time_place(doing: Doing, is_short_of_cpu: bool) -> Option<TimePlace> {
    Some(match doing {
        Doing::Runs => TimePlace::Cpu,
        Doing::NoThread if is_short_of_cpu => TimePlace::Cpu,
        Doing::ServerThread | Doing::Thread => TimePlace::QueueInside,
        Doing::Lock => TimePlace::Lock,
        Doing::Permit | Doing::Pool | Doing::Limiter => TimePlace::Pool,
        Doing::LookUp | Doing::Connect | Doing::OwnClient => TimePlace::Calling,
        Doing::File | Doing::Sync | Doing::Log => TimePlace::Files,
        Doing::Sleep => TimePlace::Asleep,
        Doing::Client => TimePlace::Transfer,
        Doing::Answer | Doing::Result | Doing::Stalled | Doing::Other | Doing::NoThread => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::profile_tests::waiting;
    use super::*;
    use crate::profile::tests::{HIKARI, Look, PERMIT, POSTGRES};
    use model::units::Count;
    use record::histogram::{SparseHistogram, new_histogram};
    use record::inspection::{Inspection, ThreadState};

    /// The parts in milliseconds.
    fn parts(time: &RequestTime) -> Vec<(TimePlace, f64)> {
        let millis = |part: &TimePart| (part.place.clone(), (part.seconds.0 * 1e6).round() / 1e3);
        time.parts.iter().map(millis).collect()
    }

    fn of(address: &str) -> TimePlace {
        TimePlace::BackEnd { address: address.to_owned() }
    }

    /// 64 requests: most wait for two databases, twice as many for the first.
    fn look() -> Look {
        let look = Look::at(64.0, 400).requests(8.0, &HIKARI).requests(4.0, &PERMIT);
        let look = look.in_state(30.0, ThreadState::Runnable, &POSTGRES);
        let look = look.in_state(2.0, ThreadState::Runnable, &["shop.Orders.find"]);
        look.peer("10.0.0.1:5432", 40, 20.0, 2).peer("10.0.0.2:5432", 40, 10.0, 2)
    }

    #[test]
    fn the_parts_of_a_request_are_named_from_its_user_inwards_and_add_up() {
        let inspection = Inspection { queued: Some(Count(6.0)), ..look().inspection() };
        let scene = waiting(64).looked_at(inspection).slices(|slice| {
            let mut connects = new_histogram();
            connects.saturating_record_n(10_000_000, slice.counts.requests / 2);
            slice.connect = Some(SparseHistogram::from(&connects));
        });
        let time = request_time(&scene.evidence()).expect("known");
        // A request takes 62.5 ms, and every other one opens a connection before, for 10 ms.
        let seen = parts(&time);
        let near = |at: usize, place: TimePlace, millis: f64| {
            assert!(seen[at].0 == place && (seen[at].1 - millis).abs() < 0.05 * millis, "{at}: {seen:?}");
        };
        near(0, TimePlace::Connecting, 5.0);
        near(1, TimePlace::QueueOutside, 5.9);
        near(2, TimePlace::Cpu, 1.95);
        near(3, TimePlace::Pool, 11.7);
        near(4, of("10.0.0.1:5432"), 19.5);
        near(5, of("10.0.0.2:5432"), 9.8);
        near(6, TimePlace::Unexplained, 13.7);
        assert_eq!(seen.len(), 7);
        let all: f64 = time.parts.iter().map(|part| part.seconds.0).sum();
        assert!((all - time.all.0).abs() < 1e-9 && (all - 0.0675).abs() < 1e-3, "{time:?}");
    }

    /// The look shows 64 requests in flight, and only two threads that run.
    #[test]
    fn on_a_full_cpu_requests_that_no_thread_has_taken_wait_for_it() {
        let look = || Look::at(64.0, 8000).in_state(2.0, ThreadState::Runnable, &["shop.Orders.find"]);
        let unexplained = |cpu: f64| {
            let scene = waiting(64).load(64, 4000, cpu).looked_at(look().inspection());
            let time = request_time(&scene.evidence()).expect("known");
            time.parts.last().map_or(1.0, |part| part.seconds / time.all)
        };
        assert!(unexplained(0.99) < 0.01, "{}", unexplained(0.99));
        assert!(unexplained(0.4) > 0.9, "{}", unexplained(0.4));
    }

    #[test]
    fn time_that_no_thread_has_is_between_the_events_of_a_stream() {
        let scene = |is_stream: bool| {
            let scene = waiting(64).slices(|slice| {
                let count = slice.counts.requests;
                let total = Seconds(0.04 * count as f64);
                slice.counts.parts.insert(RequestPart::Receiving, PartTime { count, total });
            });
            let mut scene = scene.looked_at(look().inspection());
            scene.experiment.design.streams = is_stream;
            parts(&request_time(&scene.evidence()).expect("known"))
        };
        // A request takes 62.5 ms, and the threads of the look account for 43 ms.
        let (plain, stream) = (scene(false), scene(true));
        let unexplained = |parts: &[(TimePlace, f64)]| parts.last().map_or(0.0, |part| part.1);
        assert!(plain.iter().all(|part| part.0 != TimePlace::NextEvent), "{plain:?}");
        let between = stream.iter().find(|part| part.0 == TimePlace::NextEvent).expect("it streams").1;
        assert!((between - 19.5).abs() < 0.5, "{between}");
        assert!((between - unexplained(&plain)).abs() < 0.01 && unexplained(&stream) == 0.0, "{stream:?}");
    }

    #[test]
    fn without_a_look_the_cpu_is_known_and_the_rest_is_unexplained() {
        let time = request_time(&waiting(64).evidence()).expect("known");
        let places: Vec<TimePlace> = time.parts.iter().map(|part| part.place.clone()).collect();
        assert_eq!(places, [TimePlace::Cpu, TimePlace::Unexplained]);
        assert!(time.parts[1].seconds.0 > 0.9 * time.all.0, "{time:?}");
    }
}
