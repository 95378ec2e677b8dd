//! From the slices of a round to its numbers: one value per arm and measure, and one `D` per comparison and measure.

use hdrhistogram::serialization::Deserializer;
use load::Histogram;
use model::experiment::Experiment;
use model::measure::Measure;
use model::record::{RoundRecord, SliceRecord};
use stats::pairing::{Side, log_cost, log_rate, round_value, row};

const MEASURES: usize = Measure::ALL.len();

/// A number for each measure, in the order of [`Measure::ALL`]; `None` for what was not measured.
pub(crate) type PerMeasure = [Option<f64>; MEASURES];

/// The numbers of one valid round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// Value of each measure, by arm.
    pub(crate) values: Vec<PerMeasure>,
    /// Median and 99th percentile of the service time in the closed loop, seconds, by arm.
    pub(crate) service: Vec<[f64; 2]>,
    /// Requests per second of the stage at a fixed rate, where there was one.
    pub(crate) rate: Option<f64>,
    /// Service times at that rate.
    pub(crate) service_at_rate: Vec<Option<[f64; 2]>>,
    /// `D`: log ratio of each arm to the baseline, positive = better; 0 for the baseline itself.
    pub(crate) d: Vec<PerMeasure>,
}

impl Numbers {
    /// Of all rounds that count.
    pub(crate) fn of_all(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<Self> {
        let counted = rounds.iter().filter(|round| round.void.is_none());
        counted.filter_map(|round| Self::of(experiment, round)).collect()
    }

    /// Of a round that counts; `None` where a value is missing or not positive, so that no logarithm can be taken.
    pub(crate) fn of(experiment: &Experiment, round: &RoundRecord) -> Option<Self> {
        let (arms, baseline) = (experiment.arms.len(), experiment.design.baseline);
        let closed: Vec<&SliceRecord> = round.closed().collect();
        let open = match round.latency_void {
            Some(_) => Vec::new(),
            None => round.open().map(Times::of).collect::<Option<Vec<_>>>()?,
        };
        let mut numbers = Self {
            values: Vec::new(),
            service: Vec::new(),
            rate: round.open().find_map(|slice| slice.rate),
            service_at_rate: Vec::new(),
            d: vec![[Some(0.0); MEASURES]; arms],
        };
        for arm in 0..arms {
            let own = |times: &&Times| times.slice.arm == arm;
            numbers.values.push(values(round, arm, &closed, &open)?);
            numbers.service.push(closed_service(&closed, arm)?);
            let at_rate = quantiles(open.iter().filter(own).map(|times| &times.service), [0.5, 0.99]);
            numbers.service_at_rate.push(at_rate);
        }
        for arm in (0..arms).filter(|arm| *arm != baseline) {
            numbers.d[arm] = differences(&closed, (arm, baseline), &numbers.values)?;
        }
        Some(numbers)
    }
}

/// The times of one slice at the fixed rate.
struct Times<'a> {
    slice: &'a SliceRecord,
    response: Histogram,
    service: Histogram,
}

impl<'a> Times<'a> {
    fn of(slice: &'a SliceRecord) -> Option<Self> {
        Some(Self {
            slice,
            response: decoded(&slice.response)?,
            service: decoded(&slice.service)?,
        })
    }
}

fn values(
    round: &RoundRecord,
    arm: usize,
    closed: &[&SliceRecord],
    open: &[Times<'_>],
) -> Option<PerMeasure> {
    let own = || closed.iter().filter(|slice| slice.arm == arm);
    let ok: u64 = own().map(|slice| slice.counts.ok).sum();
    let elapsed: u64 = own().map(|slice| slice.elapsed_ns).sum();
    let cpu: u64 = own().map(|slice| slice.cpu_ns_arm).sum();
    let trial = round.trials.iter().find(|trial| trial.arm == arm)?;
    let times = response_times(open.iter().filter(|times| times.slice.arm == arm));
    let mut values = [None; MEASURES];
    for measure in Measure::ALL {
        let value = match measure {
            Measure::Throughput => ok as f64 / (elapsed as f64 / 1e9),
            Measure::CpuPerRequest => cpu as f64 / 1e9 / ok as f64,
            Measure::StartUp => trial.startup_ns as f64 / 1e9,
            Measure::PeakMemory => trial.peak_memory as f64,
            Measure::ResponseP50 | Measure::ResponseP90 | Measure::ResponseP99 if open.is_empty() => continue,
            Measure::ResponseP50 => times?[0],
            Measure::ResponseP90 => times?[1],
            Measure::ResponseP99 => times?[2],
        };
        if !value.is_finite() || value <= 0.0 {
            return None;
        }
        values[measure as usize] = Some(value);
    }
    Some(values)
}

fn differences(
    closed: &[&SliceRecord],
    (arm, baseline): (usize, usize),
    values: &[PerMeasure],
) -> Option<PerMeasure> {
    let mut d = [None; MEASURES];
    for measure in Measure::ALL {
        let at = measure as usize;
        let found = match measure {
            Measure::Throughput | Measure::CpuPerRequest => {
                round_value(&pair_differences(closed, (arm, baseline), measure)?)?
            }
            _ => match (values[arm][at], values[baseline][at]) {
                (Some(ours), Some(theirs)) => better(measure, ours, theirs),
                _ => continue,
            },
        };
        if !found.is_finite() {
            return None;
        }
        d[at] = Some(found);
    }
    Some(d)
}

/// Log ratio of two values of a measure, positive when `ours` is better.
fn better(measure: Measure, ours: f64, theirs: f64) -> f64 {
    // A difference of logarithms, so that swapping the arms flips the sign to the bit.
    let ratio = ours.ln() - theirs.ln();
    if measure.more_is_better() { ratio } else { -ratio }
}

/// The pair differences between `arm` and the baseline, one for each row: of throughput, or of CPU per request.
pub(crate) fn pair_differences(
    closed: &[&SliceRecord],
    (arm, baseline): (usize, usize),
    measure: Measure,
) -> Option<Vec<f64>> {
    let value = |slice: &SliceRecord| match measure {
        Measure::Throughput => log_rate(slice.counts.ok, slice.elapsed_ns as f64 / 1e9),
        _ => log_cost(slice.cpu_ns_arm as f64 / 1e9, slice.counts.ok),
    };
    let side = |slice: &SliceRecord| match slice.arm {
        of if of == arm => Some(Side::Arm),
        of if of == baseline => Some(Side::Baseline),
        _ => None,
    };
    let mut differences = Vec::new();
    for quad in closed.chunk_by(|one, next| one.quad == next.quad) {
        // Half a quad is a row; an odd one has lost a slice, and must not turn into a plausible number.
        let (there, back) = quad.split_at(quad.len() / 2);
        if there.len() != back.len() {
            return None;
        }
        for half in [there, back] {
            let sides = half.iter().filter_map(|slice| Some((side(slice)?, slice)));
            let values = sides
                .map(|(side, slice)| Some((side, value(slice)?)))
                .collect::<Option<Vec<_>>>()?;
            differences.push(row(&values)?);
        }
    }
    Some(differences)
}

fn closed_service(closed: &[&SliceRecord], arm: usize) -> Option<[f64; 2]> {
    let own = closed.iter().filter(|slice| slice.arm == arm);
    let histograms = own
        .map(|slice| decoded(&slice.service))
        .collect::<Option<Vec<_>>>()?;
    quantiles(histograms.iter(), [0.5, 0.99])
}

/// Median, 90th and 99th percentile of the response times, seconds.
fn response_times<'a>(times: impl Iterator<Item = &'a Times<'a>>) -> Option<[f64; 3]> {
    quantiles(times.map(|times| &times.response), [0.5, 0.9, 0.99])
}

pub(crate) fn decoded(mut bytes: &[u8]) -> Option<Histogram> {
    Deserializer::new().deserialize(&mut bytes).ok()
}

/// Quantiles, seconds, of the merged histograms; percentiles are never averaged.
fn quantiles<'a, const N: usize>(
    mut histograms: impl Iterator<Item = &'a Histogram>,
    quantiles: [f64; N],
) -> Option<[f64; N]> {
    let mut merged = histograms.next()?.clone();
    for histogram in histograms {
        merged.add(histogram).ok()?;
    }
    (!merged.is_empty()).then(|| quantiles.map(|q| merged.value_at_quantile(q) as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, experiment, round};

    fn d(baseline: Speed, arm: Speed) -> [f64; MEASURES] {
        let numbers = Numbers::of(&experiment(), &round(1, &[baseline, arm])).expect("numbers");
        numbers.d[1].map(|d| d.expect("measured"))
    }

    #[test]
    fn better_is_positive_in_every_measure() {
        let better = d(PLAIN, PLAIN.better(1.25));
        for (measure, d) in Measure::ALL.into_iter().zip(better) {
            // Histograms keep three digits.
            assert!((d - 1.25f64.ln()).abs() < 0.002, "{}: {d}", measure.id());
        }
    }

    #[test]
    fn swapping_the_arms_flips_the_sign_exactly() {
        let (there, back) = (d(PLAIN, PLAIN.better(1.1)), d(PLAIN.better(1.1), PLAIN));
        assert_eq!(there.map(|d| -d), back);
        assert_eq!(d(PLAIN, PLAIN), [0.0; MEASURES]);
    }

    #[test]
    fn each_of_many_arms_is_compared_with_the_baseline_of_its_row() {
        let speeds = [PLAIN, PLAIN.better(1.1), PLAIN.better(1.2), PLAIN.better(0.9)];
        let round = round(1, &speeds);
        assert_eq!(round.closed().filter(|slice| slice.arm == 0).count(), 8);
        let mut experiment = experiment();
        experiment.arms.extend(experiment.arms.clone());
        let numbers = Numbers::of(&experiment, &round).expect("numbers");
        for (arm, factor) in [(1, 1.1f64), (2, 1.2), (3, 0.9)] {
            for d in numbers.d[arm] {
                let d = d.expect("measured");
                assert!((d - factor.ln()).abs() < 0.002, "{arm}: {d}");
            }
        }
    }

    #[test]
    fn an_arms_own_values_are_in_their_units() {
        let numbers = Numbers::of(&experiment(), &round(1, &[PLAIN, PLAIN])).expect("numbers");
        let values = numbers.values[0].map(|value| value.expect("measured"));
        let [throughput, cpu, p50, p90, p99, startup, memory] = values;
        assert!((throughput - 20_000.0).abs() < 1e-9 && (cpu - 4e-5).abs() < 1e-15);
        assert!([p50, p90, p99].iter().all(|time| (time - 1e-3).abs() < 2e-6));
        assert!((startup - 1.0).abs() < 1e-12 && (memory - 2e8).abs() < 1e-3);
    }

    #[test]
    fn a_round_without_an_answer_or_with_a_broken_order_gives_no_number() {
        let silent = Speed { ok: 0, ..PLAIN };
        assert_eq!(Numbers::of(&experiment(), &round(1, &[PLAIN, silent])), None);
        let mut broken = round(1, &[PLAIN, PLAIN]);
        broken.slices.remove(0);
        assert_eq!(Numbers::of(&experiment(), &broken), None);
    }

    #[test]
    fn without_a_stage_at_a_fixed_rate_there_are_no_response_times_and_a_void_one_gives_none() {
        let mut closed = round(1, &[PLAIN, PLAIN]);
        closed.slices.retain(|slice| slice.rate.is_none());
        let mut overloaded = round(1, &[PLAIN, PLAIN]);
        overloaded.latency_void = Some("overloaded: …".to_owned());
        for round in [closed, overloaded] {
            let numbers = Numbers::of(&experiment(), &round).expect("numbers");
            for measure in Measure::ALL {
                let there = [numbers.values[1], numbers.d[1]].map(|of| of[measure as usize].is_some());
                assert_eq!(there, [!measure.at_a_rate(); 2], "{}", measure.id());
            }
            assert_eq!(numbers.service_at_rate, [None, None]);
        }
    }
}
