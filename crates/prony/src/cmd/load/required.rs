//! What `prony load` requires of its load, and when a broken requirement ends it.

use super::LoadComplaint;
use crate::failure::Failure;
use ask::require::{self, Requirement};
use ask::slip::{NameSlip, RequirementSlip, Slip};
use clap::Args;
use lab::{LoadRequirements, LoadSeconds};
use load::Interval;
use model::units::Nanos;
use std::sync::atomic::{AtomicBool, Ordering};
use traffic::scenario::Program;

/// When `--fail-fast` looks for the first time.
const FIRST_LOOK: Nanos = Nanos::from_secs(5);
/// By which factor the load lasts longer at each further look: the error rate of a look is counted with some twenty of them.
const NEXT_LOOK: f64 = 1.5;

/// Requirements on a load.
#[derive(Debug, Args)]
pub(super) struct RequireArgs {
    /// Exit with 4 unless the load keeps this, such as 'p95<20ms', 'p99.9<1s', 'errors<0.1%', 'throughput>1000' or, for a step of the
    /// sessions, 'checkout: p99<200ms'; may be repeated, and adds to the [require] of a scenario file. Each is judged by its interval.
    #[arg(long, value_name = "BOUND")]
    require: Vec<String>,
    /// End the load as soon as a requirement on all of it is surely broken (at 99.9 %).
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Exit with 6 when a requirement stays inconclusive.
    #[arg(long)]
    pub(super) fail_inconclusive: bool,
}

impl RequireArgs {
    /// Reads the requirements on a load that plays these sessions.
    pub(super) fn read(&self, program: Option<&Program>) -> Result<Vec<Requirement>, Failure> {
        let complaint = |text: &str, why: Slip| {
            Failure::usage(LoadComplaint::NotRequirable { text: text.to_owned(), why })
        };
        let read = |text: &String| {
            let requirement = require::of_load(text).map_err(|why| complaint(text, why))?;
            match unknown_step(&requirement, program) {
                Some(why) => Err(complaint(text, why)),
                None => Ok(requirement),
            }
        };
        self.require.iter().map(read).collect()
    }
}

/// Why nothing can be required of the step that a requirement names.
fn unknown_step(requirement: &Requirement, program: Option<&Program>) -> Option<Slip> {
    let name = requirement.step.as_ref()?;
    match program {
        None => Some(RequirementSlip::NoSteps.into()),
        Some(program) if program.steps.iter().any(|step| step.is_called(name)) => None,
        Some(_) => Some(NameSlip::UnknownStep(name.clone()).into()),
    }
}

/// Ends a load whose requirements are surely broken.
pub(super) struct FailFast<'a> {
    pub(super) requirements: LoadRequirements<'a>,
    seconds: LoadSeconds,
    next_look: Nanos,
    /// How long the load had lasted when it was ended.
    pub(super) broken_after: Option<Nanos>,
}

impl<'a> FailFast<'a> {
    pub(super) fn new(requirements: LoadRequirements<'a>) -> Self {
        Self { requirements, seconds: LoadSeconds::default(), next_look: FIRST_LOOK, broken_after: None }
    }

    /// Adds a second of an event loop, and raises `stop` when a requirement is surely broken.
    pub(super) fn add_second(&mut self, interval: &Interval, stop: &AtomicBool) {
        let lasted = interval.start + interval.elapsed;
        if lasted > self.next_look && self.broken_after.is_none() {
            self.next_look = Nanos::from_secs_f64(lasted.as_secs_f64() * NEXT_LOOK);
            if self.requirements.is_broken(&self.seconds) {
                self.broken_after = Some(interval.start);
                stop.store(true, Ordering::Relaxed);
            }
        }
        self.seconds.add(interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::Fault;
    use model::load::Load;

    fn second(at: u64, wrong: u64) -> Interval {
        let mut interval = Interval {
            start: Nanos::from_secs(at),
            elapsed: Nanos::from_secs(1),
            requests: 100,
            ok: 100 - wrong,
            ..Interval::default()
        };
        (0..wrong).for_each(|_| interval.faults.add(Fault::WrongStatus));
        interval
    }

    /// When a load with so many errors of each 100 requests is ended.
    fn broken_after(wrong: u64) -> Option<Nanos> {
        let required = [require::of_load("errors<1%").expect("a requirement")];
        let load = Load::default();
        let requirements = LoadRequirements { required: &required, name: "url", load: &load, program: None };
        let mut fail_fast = FailFast::new(requirements);
        let stop = AtomicBool::new(false);
        (0..60).for_each(|at| fail_fast.add_second(&second(at, wrong), &stop));
        assert_eq!(stop.load(Ordering::Relaxed), fail_fast.broken_after.is_some());
        fail_fast.broken_after
    }

    #[test]
    fn a_load_ends_at_the_first_look_that_is_sure() {
        assert_eq!(broken_after(0), None);
        assert_eq!(broken_after(1), None, "on the bound");
        assert_eq!(broken_after(50), Some(Nanos::from_secs(5)));
        let slowly = broken_after(2);
        assert!(slowly > Some(Nanos::from_secs(5)), "one in a hundred more takes longer to be sure of");
    }
}
