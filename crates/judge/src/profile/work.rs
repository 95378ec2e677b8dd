//! What the CPU time of a server is used for, from the stacks of its threads that run or wait for a CPU.
//!
//! Threads that can run share the CPUs evenly, so that of many samples the share of the threads with a stack is the share of the time of
//! the server's Java code that is spent on it. Time in the kernel, compilers and collector are not in it. The flight recorder takes most
//! samples, but none of threads within native methods, as those that fill in the stack of an exception: thread dumps show their share.

use super::activity::Activity;
use super::frames::{Kind, work_of};
use model::units::{Seconds, Share};
use record::finding::{CpuUse, CpuWork};
use record::inspection::{Inspection, StackSeen};
use std::collections::BTreeMap;

/// Fewest samples that show shares: their error is less than 7 %.
const SAMPLES: f64 = 50.0;
/// Fewest threads, summed over all dumps, that show the share of native methods.
const DUMPED: f64 = 20.0;
/// Smallest share of the server's CPU time that is told.
const TOLD: Share = Share(0.1);
/// The number of uses that are told.
const USES: usize = 3;
/// The end of the names of constructors.
const CONSTRUCTOR: &str = ".<init>";

/// Samples with the same work, by the methods of the application that they are in.
#[derive(Default)]
struct Use<'a> {
    samples: f64,
    /// Samples at each place: the method of the application, and the one that called it.
    places: BTreeMap<Place<'a>, (f64, &'a StackSeen)>,
}

/// The places of a method of the application on a stack, and of the one that called it.
type Place<'a> = (Option<&'a str>, Option<&'a str>);

/// What the server's CPU time is used for, the largest share first. `java` is the share of it that its Java code takes, and
/// `per_request` the CPU time of a request. Empty where too few threads were seen to run.
pub(crate) fn cpu_uses(inspection: &Inspection, java: Share, per_request: Seconds) -> Vec<CpuUse> {
    let running = running(inspection);
    let all: f64 = running.iter().map(|(_, samples)| samples).sum();
    if all < SAMPLES {
        return Vec::new();
    }
    let mut uses: BTreeMap<(Option<CpuWork>, Option<&str>), Use<'_>> = BTreeMap::new();
    for (stack, samples) in running {
        let (work, place) = work_and_place(stack);
        // Work of a known kind is one thing wherever it is done, and other work one for each method.
        let key = (work, place.0.filter(|_| work.is_none()));
        let one = uses.entry(key).or_default();
        one.samples += samples;
        one.places.entry(place).or_insert((0.0, stack)).0 += samples;
    }
    let told = uses
        .into_iter()
        .map(|((work, _), one)| told(work, &one, Share(java.0 * one.samples / all), per_request));
    let mut told: Vec<CpuUse> = told.filter(|one| one.share >= TOLD && is_known(one)).collect();
    told.sort_by(|one, other| other.share.total_cmp(&one.share));
    told.truncate(USES);
    told
}

/// Whether it says more than that a server or a library works.
const fn is_known(one: &CpuUse) -> bool {
    one.work.is_some() || one.method.is_some()
}

/// The stacks of threads that run or wait for a CPU because of the load, with the number of their samples.
fn running(inspection: &Inspection) -> Vec<(&StackSeen, f64)> {
    let (dumped, sampled) = (dumped(inspection), sampled(inspection));
    let count = |stacks: &[(&StackSeen, f64)]| stacks.iter().map(|(_, samples)| samples).sum::<f64>();
    let (in_dumps, in_samples) = (count(&dumped), count(&sampled));
    if in_samples < SAMPLES {
        return dumped;
    }
    let native: Vec<_> = dumped.into_iter().filter(|(stack, _)| stack.is_native()).collect();
    let share = if in_dumps < DUMPED { 0.0 } else { (count(&native) / in_dumps).min(0.9) };
    // Each of the others has this many samples of the recorder.
    let scale = in_samples * share / (1.0 - share) / count(&native).max(1e-9);
    let native = native.into_iter().map(|(stack, samples)| (stack, samples * scale));
    sampled.into_iter().chain(native.filter(|(_, samples)| *samples > 0.0)).collect()
}

/// Threads that run in dumps because of the load, summed over all dumps.
fn dumped(inspection: &Inspection) -> Vec<(&StackSeen, f64)> {
    let dumps = inspection.loaded.as_ref().map_or(0, |loaded| loaded.dumps);
    let stacks = inspection.loaded.iter().flat_map(|loaded| &loaded.stacks).filter(|stack| runs(stack));
    let by_load = stacks.map(|stack| (stack, inspection.threads_by_load(stack).0 * f64::from(dumps)));
    by_load.filter(|(_, threads)| *threads > 0.0).collect()
}

/// Threads that the flight recorder saw run.
fn sampled(inspection: &Inspection) -> Vec<(&StackSeen, f64)> {
    let stacks = inspection.jfr.iter().flat_map(|jfr| &jfr.samples).filter(|stack| runs(stack));
    stacks.map(|stack| (stack, stack.threads as f64)).collect()
}

/// Whether a thread runs, or waits for a CPU.
fn runs(stack: &StackSeen) -> bool {
    !stack.frames.is_empty() && Activity::of(stack).kind == Kind::Runs
}

/// What a thread does, and where in the application.
fn work_and_place(stack: &StackSeen) -> (Option<CpuWork>, Place<'_>) {
    let activity = Activity::of(stack);
    let frames = stack.frames.iter().map(String::as_str);
    let within = frames.clone().take_while(|method| Some(*method) != activity.method);
    let work = work_of(within);
    // Who throws an exception of the application's own says more than its constructor.
    let is_made = |method: &str| work == Some(CpuWork::Exceptions) && method.ends_with(CONSTRUCTOR);
    match (activity.method.filter(|method| is_made(method)), activity.caller) {
        (Some(_), Some(thrower)) => (work, (Some(thrower), None)),
        _ => (work, (activity.method, activity.caller)),
    }
}

fn told(work: Option<CpuWork>, one: &Use<'_>, share: Share, per_request: Seconds) -> CpuUse {
    let most = one.places.iter().max_by(|one, other| one.1.0.total_cmp(&other.1.0));
    let at = |method: Option<&str>| most.and_then(|(_, (_, stack))| stack.place_of(method?));
    let (method, caller) = most.map_or((None, None), |(place, _)| *place);
    CpuUse { work, method: at(method), caller: at(caller), share, per_request: per_request * share.0 }
}
