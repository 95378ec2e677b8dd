//! Judges what is required of a single load (`prony load --require`), at its end and, for `--fail-fast`, while it lasts.
//!
//! A requirement on a percentile is one on a share: p95 < 20 ms holds where fewer than 5 % of the requests take longer. So percentiles
//! and the share of errors are judged in the same way, by intervals that allow for requests that come in clusters
//! ([`stats::clustered`]). All requirements share one error rate.

use ask::require::{Bound, Requirement, Subject};
use load::{Interval, Slice};
use model::load::Load;
use model::measure::Measure;
use model::units::Nanos;
use record::histogram::{Histogram, SparseHistogram, new_histogram};
use record::outcome::{Estimate, GateVerdict, Required};
use stats::clustered::{BlockEvents, Independent, mean_of_batches};
use traffic::scenario::{Program, ProgramStep, StepRecord};

/// The error rate of all requirements together.
const ALPHA: f64 = 0.05;
/// The error rate of one early look at all requirements together. So many looks of a day are a hundredth in all.
const EARLY_ALPHA: f64 = 0.001;

/// What was measured second by second, over all event loops.
#[derive(Clone, Debug, Default)]
pub struct LoadSeconds(Vec<LoadSecond>);

/// A second of a load.
#[derive(Clone, Debug, Default)]
struct LoadSecond {
    elapsed: Nanos,
    requests: u64,
    ok: u64,
    /// Response times.
    times: SparseHistogram,
}

/// What the requirements are about.
#[derive(Clone, Copy, Debug)]
pub struct LoadRequirements<'a> {
    pub required: &'a [Requirement],
    /// The name of the load in the report.
    pub name: &'a str,
    pub load: &'a Load,
    /// The sessions, if requests are of sessions.
    pub program: Option<&'a Program>,
}

impl LoadSeconds {
    /// The seconds of a load that has ended.
    pub fn of(slice: &Slice) -> Self {
        let mut seconds = Self::default();
        slice.intervals.iter().for_each(|interval| seconds.add(interval));
        seconds
    }

    /// Adds a second of an event loop or of a machine.
    pub fn add(&mut self, interval: &Interval) {
        let index = interval.start.as_secs_f64().round() as usize;
        self.0.resize(self.0.len().max(index + 1), LoadSecond::default());
        let second = &mut self.0[index];
        second.elapsed = second.elapsed.max(interval.elapsed);
        second.requests += interval.requests;
        second.ok += interval.ok;
        second.times.add(&interval.response);
    }

    fn wrong(&self) -> Vec<BlockEvents> {
        let events = |second: &LoadSecond| BlockEvents {
            all: second.requests,
            hits: second.requests.saturating_sub(second.ok),
        };
        self.0.iter().map(events).collect()
    }

    fn slower_than(&self, nanos: u64) -> Vec<BlockEvents> {
        let events = |second: &LoadSecond| {
            let cells = second.times.cells();
            let slower = cells.iter().filter(|(time, _)| *time > nanos);
            BlockEvents {
                all: cells.iter().map(|(_, count)| count).sum(),
                hits: slower.map(|(_, count)| count).sum(),
            }
        };
        self.0.iter().map(events).collect()
    }

    fn times(&self) -> Histogram {
        let mut all = new_histogram();
        self.0.iter().for_each(|second| second.times.add_to(&mut all));
        all
    }

    /// Right answers per second, in whole seconds.
    fn throughput(&self) -> Vec<f64> {
        let whole = self.0.iter().filter(|second| second.elapsed >= Nanos::from_millis(900));
        whole.map(|second| second.ok as f64 / second.elapsed.as_secs_f64()).collect()
    }

    /// How many independent answers say as much about this quantile as those of these seconds, for each of them.
    fn independent_share(&self, quantile: f64, confidence: f64) -> Option<f64> {
        let at = self.times().value_at_quantile(quantile);
        let blocks = self.slower_than(at);
        let all: u64 = blocks.iter().map(|block| block.all).sum();
        Some(Independent::of(&blocks, confidence)?.events / all as f64)
    }
}

impl LoadRequirements<'_> {
    /// The requirements as they stand at the end of the load.
    pub fn judge(&self, seconds: &LoadSeconds, steps: &[StepRecord]) -> Vec<Required> {
        let confidence = 1.0 - ALPHA / self.count() as f64;
        let judge = |requirement: &Requirement| match &requirement.step {
            None => vec![self.required(requirement, None, whole(requirement, seconds, confidence))],
            Some(_) => self
                .steps_of(requirement)
                .map(|(index, step)| {
                    let figure =
                        steps.get(index).and_then(|record| of_step(requirement, seconds, record, confidence));
                    self.required(requirement, Some(step.full_name()), figure)
                })
                .collect(),
        };
        self.required.iter().flat_map(judge).collect()
    }

    /// Whether a requirement on the whole load is surely broken, while the load lasts.
    pub fn is_broken(&self, seconds: &LoadSeconds) -> bool {
        let confidence = 1.0 - EARLY_ALPHA / self.count() as f64;
        let of_load = self.required.iter().filter(|requirement| requirement.step.is_none());
        of_load
            .filter_map(|requirement| {
                Some(verdict(requirement.bound, whole(requirement, seconds, confidence)?))
            })
            .any(|verdict| verdict == GateVerdict::Fail)
    }

    /// How many bounds share the error rate; at least 1.
    fn count(&self) -> usize {
        let of_requirement = |requirement: &Requirement| match requirement.step {
            None => 1,
            Some(_) => self.steps_of(requirement).count(),
        };
        self.required.iter().map(of_requirement).sum::<usize>().max(1)
    }

    fn steps_of<'b>(
        &'b self,
        requirement: &'b Requirement,
    ) -> impl Iterator<Item = (usize, &'b ProgramStep)> {
        let steps = self.program.iter().flat_map(|program| program.steps.iter().enumerate());
        steps.filter(|(_, step)| requirement.step.as_ref().is_some_and(|name| step.is_called(name)))
    }

    fn required(
        &self,
        requirement: &Requirement,
        step: Option<String>,
        figure: Option<BoundedFigure>,
    ) -> Required {
        Required {
            arm: self.name.to_owned(),
            step,
            level: Some(self.load.clone()),
            measure: requirement.subject,
            bound: requirement.bound,
            verdict: figure.map_or(GateVerdict::Inconclusive, |figure| verdict(requirement.bound, figure)),
            estimate: figure.map(|BoundedFigure { value, low, high }| Estimate { value, low, high }),
            why_invalid: None,
        }
    }
}

/// A figure with the ends of its interval that are known.
#[derive(Clone, Copy)]
struct BoundedFigure {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

fn verdict(bound: Bound, figure: BoundedFigure) -> GateVerdict {
    let (within, outside) = match bound {
        Bound::Below(most) => {
            (figure.high.is_some_and(|high| high < most), figure.low.is_some_and(|low| low > most))
        }
        Bound::Above(least) => {
            (figure.low.is_some_and(|low| low > least), figure.high.is_some_and(|high| high < least))
        }
        // A single load has no baseline, and nothing can ask for one.
        Bound::NotWorse(_) => (false, false),
    };
    match (within, outside) {
        (true, _) => GateVerdict::Pass,
        (_, true) => GateVerdict::Fail,
        _ => GateVerdict::Inconclusive,
    }
}

/// The figure of the whole load; `None` where it is too short.
fn whole(requirement: &Requirement, seconds: &LoadSeconds, confidence: f64) -> Option<BoundedFigure> {
    match requirement.subject {
        Subject::Errors => share(&Independent::of(&seconds.wrong(), confidence)?, confidence),
        Subject::Measure(Measure::Throughput) => {
            let mean = mean_of_batches(&seconds.throughput(), confidence)?;
            let [low, high] =
                [mean.interval.map(|interval| interval.low), mean.interval.map(|interval| interval.high)];
            Some(BoundedFigure { value: mean.value, low, high })
        }
        Subject::Measure(measure) => {
            let quantile = measure.quantile()?;
            let times = seconds.times();
            let events = seconds.independent_share(quantile, confidence)? * times.len() as f64;
            let at = |q: f64| times.value_at_quantile(q) as f64 / 1e9;
            Some(percentile(quantile, events, confidence, at))
        }
    }
}

/// The figure of a step. Its ends are not counted by second: they come in clusters as those of the whole load do.
fn of_step(
    requirement: &Requirement,
    seconds: &LoadSeconds,
    step: &StepRecord,
    confidence: f64,
) -> Option<BoundedFigure> {
    match requirement.subject {
        Subject::Errors => {
            let wrong = seconds.wrong();
            let all: u64 = wrong.iter().map(|block| block.all).sum();
            let independent = Independent::of(&wrong, confidence)?.events / all as f64;
            let events = independent * step.ended as f64;
            let hits = step.ended.saturating_sub(step.ok) as f64;
            let of_step = Independent { events, share: hits / step.ended as f64 };
            (step.ended > 0).then(|| share(&of_step, confidence)).flatten()
        }
        Subject::Measure(measure) => {
            let quantile = measure.quantile()?;
            let events = seconds.independent_share(quantile, confidence)? * step.ok as f64;
            (step.ok > 0).then(|| percentile(quantile, events, confidence, |q| step.time_at(q).0))
        }
    }
}

fn share(independent: &Independent, confidence: f64) -> Option<BoundedFigure> {
    let interval = independent.interval(confidence);
    Some(BoundedFigure { value: independent.share, low: Some(interval.low), high: Some(interval.high) })
}

/// A percentile of times that say as much as so many independent ones.
fn percentile(quantile: f64, events: f64, confidence: f64, at: impl Fn(f64) -> f64) -> BoundedFigure {
    let ends = Independent { events, share: 0.0 }.quantile_between(quantile, confidence);
    let [low, high] = ends.map(|end| end.map(&at));
    BoundedFigure { value: at(quantile), low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::require::of_load;

    /// A load of so many seconds with 1000 requests each: `slow` of each second take 50 ms and the others 5, and `wrong` are wrong.
    fn seconds(slow: &[u64], wrong: u64) -> LoadSeconds {
        let second = |slow: &u64| {
            let mut times = new_histogram();
            times.record_n(5_000_000, 1000 - wrong - slow).expect("in bounds");
            times.record_n(50_000_000, *slow).expect("in bounds");
            LoadSecond {
                elapsed: Nanos::from_secs(1),
                requests: 1000,
                ok: 1000 - wrong,
                times: SparseHistogram::from(&times),
            }
        };
        LoadSeconds(slow.iter().map(second).collect())
    }

    fn verdicts(required: &[&str], seconds: &LoadSeconds) -> Vec<GateVerdict> {
        let required: Vec<Requirement> =
            required.iter().map(|text| of_load(text).expect("a requirement")).collect();
        let load = Load { users: Some(1), ..Load::default() };
        let all = LoadRequirements { required: &required, name: "url", load: &load, program: None };
        all.judge(seconds, &[]).into_iter().map(|required| required.verdict).collect()
    }

    #[test]
    fn each_bound_is_judged_by_the_whole_interval() {
        use GateVerdict::{Fail, Inconclusive, Pass};
        let all = ["p95<20ms", "p95<2ms", "p99.9<1s", "errors<1%", "errors<0.1%", "throughput>900"];
        // 1 % is slow, 0.5 % is wrong.
        assert_eq!(verdicts(&all, &seconds(&[10; 20], 5)), [Pass, Fail, Pass, Pass, Fail, Pass]);
        // 5 % are slow: nobody knows on which side p95 is.
        assert_eq!(verdicts(&["p95<20ms"], &seconds(&[50; 20], 0)), [Inconclusive]);
        // 4 % are slow, in one stall: that it was one stall is not enough for a verdict.
        let mut stall = [0; 20];
        stall[3] = 800;
        assert_eq!(verdicts(&["p95<20ms"], &seconds(&stall, 0)), [Inconclusive]);
        assert_eq!(verdicts(&["p95<20ms"], &seconds(&[40; 20], 0)), [Pass]);
        // Too short a load says nothing.
        assert_eq!(verdicts(&["p95<20ms", "throughput>1"], &seconds(&[0; 4], 0)), [Inconclusive; 2]);
        // 2,000 requests bound no p99.9.
        let mut few = seconds(&[0; 5], 0);
        few.0.iter_mut().for_each(|second| second.times = seconds(&[0], 800).0.remove(0).times);
        assert_eq!(verdicts(&["p99.9<20ms"], &few), [Inconclusive]);
    }

    #[test]
    fn a_load_ends_early_only_when_a_bound_is_surely_broken() {
        let required = [of_load("errors<1%").expect("a requirement")];
        let load = Load::default();
        let all = LoadRequirements { required: &required, name: "url", load: &load, program: None };
        assert!(all.is_broken(&seconds(&[0; 6], 50)));
        assert!(!all.is_broken(&seconds(&[0; 6], 11)), "1.1 % of 6,000 may be chance");
        assert!(!all.is_broken(&seconds(&[0; 6], 0)));
    }

    #[test]
    fn a_step_is_judged_by_its_own_ends() {
        let mut program = Program::default();
        let named = |name: &str| ProgramStep { name: name.to_owned(), transaction: false, group: None };
        program.steps = vec![named("pay"), named("browse")];
        let record = |millis: u64| StepRecord {
            ended: 5000,
            ok: 5000,
            times: vec![(millis * 1_000_000, 5000)],
            ..StepRecord::default()
        };
        let required = ["pay: p95<20ms", "browse: p95<20ms", "pay: errors<1%"];
        let required = required.map(|text| of_load(text).expect("a requirement"));
        let load = Load::default();
        let all = LoadRequirements { required: &required, name: "url", load: &load, program: Some(&program) };
        let judged = all.judge(&seconds(&[0; 10], 0), &[record(5), record(50)]);
        let verdicts: Vec<GateVerdict> = judged.iter().map(|required| required.verdict).collect();
        assert_eq!(verdicts, [GateVerdict::Pass, GateVerdict::Fail, GateVerdict::Pass]);
        assert_eq!(judged[1].step.as_deref(), Some("browse"));
    }
}
