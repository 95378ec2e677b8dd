//! What the CPU time of a server is used for, from the stacks of its threads that run or wait for a CPU.
//!
//! Threads that can run share the CPUs evenly, so that of many samples the share of the threads with a stack is the share of the time of
//! the server's Java code that is spent on it. Time in the kernel, compilers and collector are not in it. The flight recorder takes most
//! samples, but none of threads within native methods, as those that fill in the stack of an exception: thread dumps show their share. What the
//! kernel does for the server is told apart ([`Calls`]).

use super::activity::Activity;
use super::frames::{Kind, work_of};
use super::kernel::Calls;
use super::narrower::Narrower;
use model::units::{Seconds, Share};
use record::finding::{CpuUse, CpuWork, InMethod};
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

/// Parts of a server's CPU time, each as a share of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuParts {
    pub(crate) java: Share,
    /// The kernel, which works for it.
    pub(crate) kernel: Share,
}

/// Samples with the same work, by the methods of the application that they are in.
#[derive(Default)]
struct Use<'a> {
    samples: f64,
    /// Samples at each place: the method of the application, and the one that called it.
    places: BTreeMap<Place<'a>, (f64, &'a StackSeen)>,
    /// Samples that tell more precisely what the work is.
    narrower: BTreeMap<CpuWork, f64>,
}

impl<'a> Use<'a> {
    fn add(&mut self, stack: &'a StackSeen, samples: f64, place: Place<'a>) {
        self.samples += samples;
        self.places.entry(place).or_insert((0.0, stack)).0 += samples;
    }

    /// The more precise work, where most samples have it.
    fn narrower(&self) -> Option<CpuWork> {
        let (work, samples) = self.narrower.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        (2.0 * samples >= self.samples).then_some(*work)
    }
}

/// The places of a method of the application on a stack, and of the one that called it.
type Place<'a> = (Option<&'a str>, Option<&'a str>);

/// What the server's CPU time is used for, the largest share first; `per_request` is the CPU time of a request. Empty where too few threads
/// were seen to run.
pub(crate) fn cpu_uses(inspection: &Inspection, parts: CpuParts, per_request: Seconds) -> Vec<CpuUse> {
    let mut told = java_uses(inspection, parts.java, per_request);
    told.extend(kernel_uses(inspection, parts.kernel, per_request));
    told.retain(|one| one.share >= TOLD && is_known(one));
    told.sort_by(|one, other| other.share.total_cmp(&one.share));
    told.truncate(USES);
    told
}

/// What Java code takes this share of the CPU time for.
fn java_uses(inspection: &Inspection, java: Share, per_request: Seconds) -> Vec<CpuUse> {
    let running = running(inspection);
    let all: f64 = running.iter().map(|(_, samples)| samples).sum();
    if all < SAMPLES {
        return Vec::new();
    }
    let narrower = Narrower::of(inspection);
    let mut uses: BTreeMap<(Option<CpuWork>, Option<&str>), Use<'_>> = BTreeMap::new();
    for (stack, samples) in running {
        let (work, place) = work_and_place(stack);
        // Work of a known kind is one thing wherever it is done, and other work one for each method.
        let one = uses.entry((work, place.0.filter(|_| work.is_none()))).or_default();
        one.add(stack, samples, place);
        if let Some(work) = work.and_then(|work| narrower.work(work, stack, place.0)) {
            *one.narrower.entry(work).or_default() += samples;
        }
    }
    let share = |one: &Use<'_>| Share(java.0 * one.samples / all);
    let told = uses.into_iter().map(|((work, _), one)| CpuUse {
        work: one.narrower().or(work),
        ..told(work, &one, share(&one), per_request)
    });
    told.collect()
}

/// What the kernel takes this share of the CPU time for and need not.
fn kernel_uses(inspection: &Inspection, kernel: Share, per_request: Seconds) -> Vec<CpuUse> {
    let Some(calls) = Calls::of(inspection) else {
        return Vec::new();
    };
    let mut uses: BTreeMap<CpuWork, Use<'_>> = BTreeMap::new();
    for (stack, threads, work) in calls.spared() {
        let activity = Activity::of(stack);
        uses.entry(work).or_default().add(stack, threads, (activity.method, activity.caller));
    }
    let share = |one: &Use<'_>| Share(kernel.0 * one.samples / calls.all());
    let told = uses.iter().map(|(work, one)| CpuUse {
        pieces: calls.pieces(*work),
        ..told(Some(*work), one, share(one), per_request)
    });
    told.collect()
}

/// Whether it says more than that a server or a library works.
const fn is_known(one: &CpuUse) -> bool {
    one.work.is_some() || one.at.method.is_some()
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
    let per_request = per_request * share.0;
    let at = InMethod { method: at(method), caller: at(caller) };
    CpuUse { work, at, share, per_request, pieces: None }
}
