//! From the slices of a round to its numbers: one value per arm and measure, and one `D` per comparison and measure.

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use model::measure::Measure;
use model::record::{RoundRecord, SliceRecord};
use stats::pairing::{Side, log_cost, log_rate, pairs, round_value};

const MEASURES: usize = Measure::ALL.len();

/// The numbers of one valid round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// Value of each measure (in the order of [`Measure::ALL`]), by arm.
    pub(crate) values: Vec<[f64; MEASURES]>,
    /// Median and 99th percentile of the service time, seconds, by arm.
    pub(crate) service: Vec<[f64; 2]>,
    /// `D`: log ratio of each arm to the baseline, positive = better; 0 for the baseline itself.
    pub(crate) d: Vec<[f64; MEASURES]>,
}

impl Numbers {
    /// Of a round that counts; `None` where a value is missing or not positive, so that no logarithm can be taken.
    pub(crate) fn of(round: &RoundRecord, arms: usize, baseline: usize) -> Option<Self> {
        let slices = |arm: usize| round.slices.iter().filter(move |slice| slice.arm == arm);
        let values = (0..arms)
            .map(|arm| values(round, arm, slices(arm)))
            .collect::<Option<Vec<_>>>()?;
        let service = (0..arms)
            .map(|arm| quantiles(slices(arm).map(|slice| slice.service.as_slice())))
            .collect::<Option<Vec<_>>>()?;
        let d = (0..arms)
            .map(|arm| {
                if arm == baseline {
                    Some([0.0; MEASURES])
                } else {
                    differences(round, arm, baseline, &values)
                }
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Self { values, service, d })
    }
}

fn values<'a>(
    round: &RoundRecord,
    arm: usize,
    slices: impl Iterator<Item = &'a SliceRecord> + Clone,
) -> Option<[f64; MEASURES]> {
    let ok: u64 = slices.clone().map(|slice| slice.counts.ok).sum();
    let elapsed: u64 = slices.clone().map(|slice| slice.elapsed_ns).sum();
    let cpu: u64 = slices.clone().map(|slice| slice.cpu_ns_arm).sum();
    let [p50, p99] = quantiles(slices.map(|slice| slice.response.as_slice()))?;
    let trial = round.trials.iter().find(|trial| trial.arm == arm)?;
    let values = Measure::ALL.map(|measure| match measure {
        Measure::Throughput => ok as f64 / (elapsed as f64 / 1e9),
        Measure::CpuPerRequest => cpu as f64 / 1e9 / ok as f64,
        Measure::ResponseP50 => p50,
        Measure::ResponseP99 => p99,
        Measure::StartUp => trial.startup_ns as f64 / 1e9,
        Measure::PeakMemory => trial.peak_memory as f64,
    });
    values
        .iter()
        .all(|value| value.is_finite() && *value > 0.0)
        .then_some(values)
}

fn differences(
    round: &RoundRecord,
    arm: usize,
    baseline: usize,
    values: &[[f64; MEASURES]],
) -> Option<[f64; MEASURES]> {
    let quads: Vec<&SliceRecord> = round.slices.iter().filter(|slice| slice.against == arm).collect();
    let of = |who: usize| {
        quads
            .iter()
            .filter(move |slice| slice.arm == who)
            .map(|slice| slice.response.as_slice())
    };
    let (ours, theirs) = (quantiles(of(arm))?, quantiles(of(baseline))?);
    let whole = |measure: Measure| (values[arm][measure as usize], values[baseline][measure as usize]);
    let mut d = [0.0; MEASURES];
    for measure in Measure::ALL {
        d[measure as usize] = match measure {
            Measure::Throughput | Measure::CpuPerRequest => paired(&quads, arm, measure)?,
            Measure::ResponseP50 => better(measure, ours[0], theirs[0]),
            Measure::ResponseP99 => better(measure, ours[1], theirs[1]),
            Measure::StartUp | Measure::PeakMemory => {
                let (ours, theirs) = whole(measure);
                better(measure, ours, theirs)
            }
        };
    }
    d.iter().all(|d| d.is_finite()).then_some(d)
}

/// Log ratio of two values of a measure, positive when `ours` is better.
fn better(measure: Measure, ours: f64, theirs: f64) -> f64 {
    // A difference of logarithms, so that swapping the arms flips the sign to the bit.
    let ratio = ours.ln() - theirs.ln();
    if measure.more_is_better() { ratio } else { -ratio }
}

/// `D`: Hodges-Lehmann over the pairs of the quads that compare `arm` with the baseline.
fn paired(quads: &[&SliceRecord], arm: usize, measure: Measure) -> Option<f64> {
    let value = |slice: &SliceRecord| match measure {
        Measure::Throughput => log_rate(slice.counts.ok, slice.elapsed_ns as f64 / 1e9),
        _ => log_cost(slice.cpu_ns_arm as f64 / 1e9, slice.counts.ok),
    };
    let side = |slice: &SliceRecord| {
        if slice.arm == arm {
            Side::Arm
        } else {
            Side::Baseline
        }
    };
    let slices = quads
        .iter()
        .map(|slice| Some((side(slice), value(slice)?)))
        .collect::<Option<Vec<_>>>()?;
    round_value(&pairs(&slices)?)
}

/// Median and 99th percentile, seconds, of the merged histograms; percentiles are never averaged.
fn quantiles<'a>(encoded: impl Iterator<Item = &'a [u8]>) -> Option<[f64; 2]> {
    let mut merged: Option<Histogram<u64>> = None;
    for mut bytes in encoded {
        let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut bytes).ok()?;
        match &mut merged {
            Some(merged) => merged.add(&histogram).ok()?,
            None => merged = Some(histogram),
        }
    }
    let merged = merged.filter(|merged| !merged.is_empty())?;
    Some([0.5, 0.99].map(|q| merged.value_at_quantile(q) as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, round};

    fn d(baseline: Speed, arm: Speed) -> [f64; MEASURES] {
        Numbers::of(&round(1, &[baseline, arm]), 2, 0).expect("numbers").d[1]
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
    fn an_arms_own_values_are_in_their_units() {
        let numbers = Numbers::of(&round(1, &[PLAIN, PLAIN]), 2, 0).expect("numbers");
        let [throughput, cpu, p50, p99, startup, memory] = numbers.values[0];
        assert!((throughput - 20_000.0).abs() < 1e-9 && (cpu - 4e-5).abs() < 1e-15);
        assert!((p50 - 1e-3).abs() < 2e-6 && (p99 - 1e-3).abs() < 2e-6);
        assert!((startup - 1.0).abs() < 1e-12 && (memory - 2e8).abs() < 1e-3);
    }

    #[test]
    fn a_round_without_an_answer_or_with_a_broken_order_gives_no_number() {
        let silent = Speed { ok: 0, ..PLAIN };
        assert_eq!(Numbers::of(&round(1, &[PLAIN, silent]), 2, 0), None);
        let mut broken = round(1, &[PLAIN, PLAIN]);
        broken.slices.remove(0);
        assert_eq!(Numbers::of(&broken, 2, 0), None);
    }
}
