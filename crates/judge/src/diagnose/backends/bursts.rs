//! Causes in when a server asks other programs: many requests for the same at once, and calls that are repeated because they were refused.

use super::super::stops::{StopsSeen, still_share};
use super::super::{ArmEvidence, Candidate, CauseRule, NAMED};
use crate::profile::{BackEnd, Kind, Profile, in_application, is_own_class};
use model::units::{Count, Seconds, Share};
use record::finding::{Finding, Quantity, Remedy, Retries, Stampede};
use record::inspection::{Answered, CrowdSeen, DatabaseSeen, Inspection, StackSeen, ThreadSamples};

/// Most questions per request for these to be the exception.
const SELDOM: f64 = 0.05;
/// Smallest share of the requests in flight that were seen to wait for answers at the same time, and the fewest.
const CROWD: f64 = 0.75;
const FEWEST: u64 = 4;
/// How many times as long as a request usually takes such an answer takes.
const MANY_TIMES: f64 = 20.0;
/// Smallest share of the time that the arm stands still, in its measured slices or while it is looked into, as a part of the time that requests
/// wait for these answers. Requests that ask now and then by chance do not all wait at the same time.
const STANDS: f64 = 0.3;
/// Largest share of the dumps in which threads run in a method that requests seldom need.
const OFTEN: f64 = 0.7;
/// Smallest share of what a database was seen to run for one statement to be told.
const MOST: f64 = 0.5;

/// Smallest share of a program's answers that refuse, the fewest of them per request, and the fewest calls, for the calls to be repeated.
const REFUSED: f64 = 0.3;
const REPEATED: f64 = 1.0;
const CALLS: f64 = 1.5;
/// Fewest answers whose statuses were seen.
const SEEN: u64 = 100;
/// The statuses by which a program says that it is busy, or fails for now.
const BUSY: [u16; 5] = [429, 500, 502, 503, 504];

/// Hardly any request asks a program, or computes something, but when one does, all do.
impl CauseRule for Stampede {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        asked_at_once(evidence).or_else(|| computed_at_once(evidence))
    }
}

/// The share of the time that the arm stands still, in its measured slices or while it is looked into.
fn still(evidence: &ArmEvidence<'_>, inspection: &Inspection) -> f64 {
    evidence.stood.share().max(still_share(&inspection.ended))
}

/// All ask another program.
fn asked_at_once(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (profile, inspection) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
    let back_end = profile.awaited.most_awaited()?;
    let per_request = back_end.exchanges? / profile.rate;
    let (each, share) = (back_end.answers_in()?, profile.part(back_end.answers));
    let is_crowd = back_end.at_once >= FEWEST && back_end.at_once as f64 >= CROWD * profile.in_flight;
    let is_seldom = per_request <= SELDOM && each >= Seconds(MANY_TIMES * evidence.median?);
    let still = still(evidence, inspection);
    if !is_crowd || !is_seldom || share < NAMED || still < STANDS * share {
        return None;
    }
    let place = profile.largest(Kind::Answer)?;
    let database = inspection.databases.iter().find(|one| one.address == back_end.address);
    let finding = Finding::CacheStampede(Stampede {
        backend: Some(back_end.address.clone()),
        per_request: Count(per_request),
        at_once: Count(back_end.at_once as f64),
        each: Some(each),
        share: Share(share),
        statement: database.and_then(main_statement),
        at: place.spot.in_method(),
        busy: Share(evidence.busy()),
    });
    Some(
        Candidate::new(evidence.effect_of(share), finding, Remedy::ComputeOnce)
            .with(Quantity::RequestsWaiting, share)
            .with(Quantity::AnswersPerRequest, per_request)
            .with(Quantity::AnswerTime, each)
            .with(Quantity::StillTime, still)
            .with(Quantity::CpusInUse, evidence.busy()),
    )
}

/// All compute the same: nearly all requests run in one method of the application at some moments, in which nothing is answered, and none at the others.
fn computed_at_once(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (profile, inspection) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
    let still = still(evidence, inspection);
    let (crowd, stack) = crowd(inspection.loaded.as_ref()?, profile.in_flight)?;
    let together = f64::from(crowd.dumps) / f64::from(inspection.loaded.as_ref()?.dumps.max(1));
    if still < NAMED || still < STANDS * together {
        return None;
    }
    let stops = StopsSeen::of(evidence).map(|seen| seen.stops);
    let inner = stack.frames.iter().position(|frame| *frame == crowd.method)?;
    let finding = Finding::CacheStampede(Stampede {
        backend: None,
        per_request: Count(0.0),
        at_once: Count(crowd.at_once as f64),
        each: stops.map(|stops| stops.each),
        share: Share(still),
        statement: None,
        at: in_application(&stack.frames[inner..], |method| stack.place_of(method)),
        busy: Share(evidence.busy()),
    });
    Some(
        Candidate::new(evidence.effect_of(still), finding, Remedy::ComputeOnce)
            .with(Quantity::StillTime, still)
            .with_if_known(Quantity::StopPeriod, stops.map(|stops| stops.every))
            .with_if_known(Quantity::StopTime, stops.map(|stops| stops.each))
            .with(Quantity::CpusInUse, evidence.busy()),
    )
}

/// The innermost method of the application in which nearly all requests ran at once, but only in some dumps, with a stack that shows it.
fn crowd(loaded: &ThreadSamples, in_flight: f64) -> Option<(&CrowdSeen, &StackSeen)> {
    let is_one = |crowd: &&CrowdSeen| {
        let is_large = crowd.at_once >= FEWEST && crowd.at_once as f64 >= CROWD * in_flight;
        is_large && f64::from(crowd.dumps) <= OFTEN * f64::from(loaded.dumps) && is_own_class(&crowd.method)
    };
    let crowds: Vec<&CrowdSeen> = loaded.crowds.iter().filter(is_one).collect();
    let named = |frame: &String| crowds.iter().find(|crowd| crowd.method == *frame).copied();
    loaded.stacks.iter().find_map(|stack| Some((stack.frames.iter().find_map(named)?, stack)))
}

/// The statement that most of what a database was seen to run is.
fn main_statement(database: &DatabaseSeen) -> Option<String> {
    let all: u64 = database.statements.iter().map(|one| one.running).sum();
    let most = database.statements.iter().max_by_key(|one| one.running)?;
    (most.running as f64 >= MOST * all as f64 && !most.text.is_empty()).then(|| most.text.clone())
}

/// A program refuses calls, and requests repeat them.
impl CauseRule for Retries {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        refused_calls(evidence).or_else(|| repeated_calls(evidence))
    }
}

/// A program refuses many calls, and requests that are answered rightly all the same have repeated them.
fn refused_calls(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (profile, inspection) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
    let calls = |back_end: &BackEnd| {
        let each = back_end.exchanges? / profile.rate;
        (each >= CALLS).then_some(each)
    };
    let refused = |back_end: &BackEnd| {
        let answered = inspection.answered.get(&back_end.address)?;
        refused_share(answered).filter(|(share, _)| share * calls(back_end).unwrap_or(0.0) >= REPEATED)
    };
    let all = profile.awaited.back_ends.iter();
    let refusing = all.filter_map(|back_end| Some((back_end, refused(back_end)?, calls(back_end)?)));
    let (back_end, (share, statuses), per_request) =
        refusing.max_by(|one, other| one.2.total_cmp(&other.2))?;
    let place = profile.largest(Kind::Answer).or_else(|| profile.largest(Kind::OwnClient));
    let finding = Finding::RetryStorm(Retries {
        backend: back_end.address.clone(),
        refused: Some(Share(share)),
        statuses,
        per_request: Some(Count(per_request)),
        right: Some(Count((1.0 - share) * per_request)),
        library: None,
        waiting: None,
        at: place.map(|place| place.spot.in_method()).unwrap_or_default(),
        busy: Share(evidence.busy()),
    });
    let explains = evidence.effect_of(share * in_calls(profile));
    Some(
        Candidate::new(explains.max(NAMED), finding, Remedy::RetryLess)
            .with(Quantity::CallsRefused, share)
            .with(Quantity::AnswersPerRequest, per_request)
            .with(Quantity::CpusInUse, evidence.busy()),
    )
}

/// Requests wait in a library until they repeat a call, whose refusals nobody has seen: they are encrypted, or no answers at all.
fn repeated_calls(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (profile, _) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
    let (library, stack, waiting) = profile.waiting_to_retry()?;
    let share = profile.part(waiting);
    if share < NAMED {
        return None;
    }
    let back_end = profile.awaited.back_ends.iter().max_by_key(|back_end| back_end.most)?;
    let calls = back_end.exchanges.map(|exchanges| exchanges / profile.rate).filter(|calls| *calls >= CALLS);
    let finding = Finding::RetryStorm(Retries {
        backend: back_end.address.clone(),
        refused: None,
        statuses: Vec::new(),
        per_request: calls.map(Count),
        right: None,
        library: Some(library.to_owned()),
        waiting: Some(Share(share)),
        at: in_application(&stack.frames, |method| stack.place_of(method)),
        busy: Share(evidence.busy()),
    });
    // What the calls take that fail is on top of the waiting.
    let explains = evidence.effect_of(share);
    Some(
        Candidate::new(explains, finding, Remedy::RetryLess)
            .with(Quantity::RequestsWaiting, share)
            .with_if_known(Quantity::AnswersPerRequest, calls)
            .with(Quantity::CpusInUse, evidence.busy()),
    )
}

/// The share of answers that refuse, with their statuses, the most frequent first; `None` where few do, or few answers were seen.
fn refused_share(answered: &Answered) -> Option<(f64, Vec<u16>)> {
    let all: u64 = answered.statuses.values().sum();
    let mut busy: Vec<(u16, u64)> =
        answered.statuses.iter().map(|(status, count)| (*status, *count)).collect();
    busy.retain(|(status, _)| BUSY.contains(status));
    busy.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let refused: u64 = busy.iter().map(|(_, count)| count).sum();
    let share = refused as f64 / all.max(1) as f64;
    let is_much = all >= SEEN && share >= REFUSED;
    is_much.then(|| (share, busy.into_iter().map(|(status, _)| status).collect()))
}

/// The share of the requests in flight that are in calls of other programs, or in the clients that make them.
fn in_calls(profile: &Profile<'_>) -> f64 {
    let kinds = [Kind::Answer, Kind::OwnClient, Kind::Connect];
    kinds.into_iter().map(|kind| profile.share(kind)).sum::<f64>().min(1.0)
}
