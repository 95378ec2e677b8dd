//! From rounds and verdicts to what a report says of each arm.

use crate::numbers::Numbers;
use crate::validity;
use model::experiment::Experiment;
use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Counts, Effective, Estimate, Generator, Level, Load, Verdict};
use model::record::{RoundRecord, SliceRecord};
use stats::summary::estimate;
use std::collections::BTreeMap;

/// What is known of every arm, in their order.
pub(crate) fn arms(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
    effective: &[Effective],
) -> Vec<ArmResult> {
    let arm = |(index, arm): (usize, &model::arm::Arm)| ArmResult {
        name: arm.name.clone(),
        effective: effective.get(index).cloned().unwrap_or_default(),
        levels: vec![level(experiment, index, rounds, numbers)],
        startup: over_rounds(numbers, |numbers| {
            numbers.values[index][Measure::StartUp as usize]
        }),
        peak_memory: over_rounds(numbers, |numbers| {
            numbers.values[index][Measure::PeakMemory as usize]
        }),
        diagnoses: Vec::new(),
    };
    experiment.arms.iter().enumerate().map(arm).collect()
}

fn level(experiment: &Experiment, arm: usize, rounds: &[RoundRecord], numbers: &[Numbers]) -> Level {
    let slices = || {
        rounds
            .iter()
            .filter(|round| round.void.is_none())
            .flat_map(|round| &round.slices)
    };
    let own: Vec<&SliceRecord> = slices().filter(|slice| slice.arm == arm).collect();
    let counts = counts(&own);
    let kinds: Vec<String> = counts
        .faults
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let name = &experiment.arms[arm].name;
    let why_invalid = too_many_void(rounds)
        .or_else(|| validity::errors(name, counts.requests, counts.ok, &kinds.join(", ")));
    let loaded = [
        Measure::Throughput,
        Measure::CpuPerRequest,
        Measure::ResponseP50,
        Measure::ResponseP99,
    ];
    let mut measures: BTreeMap<String, Estimate> = loaded
        .into_iter()
        .filter_map(|measure| {
            let estimate = over_rounds(numbers, |numbers| numbers.values[arm][measure as usize])?;
            Some((measure.id().to_owned(), estimate))
        })
        .collect();
    for (index, id) in ["service_p50", "service_p99"].into_iter().enumerate() {
        if let Some(estimate) = over_rounds(numbers, |numbers| numbers.service[arm][index]) {
            measures.insert(id.to_owned(), estimate);
        }
    }
    Level {
        load: Load {
            users: Some(experiment.load.connections as u64),
            rate: None,
        },
        valid: why_invalid.is_none(),
        why_invalid,
        measures,
        not_estimable: BTreeMap::new(),
        worst: None,
        counts,
        generator: generator(&own),
    }
}

/// Why no round can be trusted: too many of them failed a gate.
fn too_many_void(rounds: &[RoundRecord]) -> Option<String> {
    let void: Vec<&String> = rounds.iter().filter_map(|round| round.void.as_ref()).collect();
    let share = void.len() as f64 / rounds.len().max(1) as f64;
    (void.len() > 1 && share > validity::VOID_ROUNDS).then(|| {
        format!(
            "{} of {} starts did not count; the last: {}",
            void.len(),
            rounds.len(),
            void[void.len() - 1]
        )
    })
}

/// An arm's own value: mean over rounds of its logarithm with a t interval at 95 %, back in its unit. Description only:
/// two arms are never compared by the overlap of these.
fn over_rounds(numbers: &[Numbers], value: impl Fn(&Numbers) -> f64) -> Option<Estimate> {
    let logs: Vec<f64> = numbers.iter().map(|numbers| value(numbers).ln()).collect();
    let found = estimate(&logs, 0.95)?.exp();
    let ends = found.interval;
    Some(Estimate {
        value: found.value,
        low: ends.map(|ends| ends.low),
        high: ends.map(|ends| ends.high),
    })
}

fn counts(slices: &[&SliceRecord]) -> Counts {
    let mut sum = Counts::default();
    for slice in slices {
        let counts = &slice.counts;
        sum.requests += counts.requests;
        sum.ok += counts.ok;
        sum.connects += counts.connects;
        sum.tls_handshakes += counts.tls_handshakes;
        sum.bytes += counts.bytes;
        for (kind, count) in &counts.faults {
            *sum.faults.entry(kind.clone()).or_default() += count;
        }
    }
    sum
}

fn generator(slices: &[&SliceRecord]) -> Generator {
    let cpu: u64 = slices.iter().map(|slice| slice.cpu_ns_generator).sum();
    let elapsed: u64 = slices.iter().map(|slice| slice.elapsed_ns).sum();
    let mut lags: Vec<u64> = slices.iter().map(|slice| slice.lag_p99_ns).collect();
    lags.sort_unstable();
    Generator {
        cpu: cpu as f64 / elapsed.max(1) as f64,
        // The median over slices: one descheduled slice must not stand for all.
        lag_p99: lags.get(lags.len() / 2).copied().unwrap_or(0) as f64 / 1e9,
    }
}

/// An invalid level voids the verdicts that rest on it.
pub(crate) fn void_comparisons(comparisons: &mut [Comparison], arms: &[ArmResult]) {
    for comparison in comparisons {
        let rests_on = |arm: &&ArmResult| arm.name == comparison.arm || arm.name == comparison.baseline;
        let levels = arms.iter().filter(rests_on).flat_map(|arm| &arm.levels);
        let reason = levels.filter_map(|level| level.why_invalid.clone()).next();
        if let Some(reason) = reason {
            comparison.verdict = Verdict::Invalid;
            comparison.gate = None;
            comparison.remark = Some(reason);
        }
    }
}

/// What the reader has to know before trusting the rest.
pub(crate) fn notes(rounds: &[RoundRecord]) -> Vec<String> {
    let void = rounds.iter().filter_map(|round| {
        let reason = round.void.as_ref()?;
        Some(format!(
            "start {} did not count and was repeated: {reason}",
            round.round
        ))
    });
    let trials = rounds.iter().flat_map(|round| &round.trials);
    let unsteady = trials.clone().filter(|trial| !trial.steady).count();
    let all = trials.count();
    let mut notes: Vec<String> = void.collect();
    if unsteady > 0 {
        let times = if unsteady == 1 { "time" } else { "times" };
        notes.push(format!(
            "warm-up ended at its cap, not yet steady, {unsteady} {times} of {all}: both arms were cut by the same rule, \
             so this costs precision, not fairness; a longer `warmup_cap` may help"
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, round};
    use crate::verdicts::judge;

    fn found(rounds: &[RoundRecord]) -> (Vec<ArmResult>, Vec<Comparison>) {
        let counted = rounds.iter().filter(|round| round.void.is_none());
        let numbers: Vec<Numbers> = counted
            .map(|round| Numbers::of(round, 2, 0).expect("numbers"))
            .collect();
        let found = arms(&experiment(), rounds, &numbers, &[]);
        let mut comparisons = judge(&experiment(), &numbers, 20.0).comparisons;
        void_comparisons(&mut comparisons, &found);
        (found, comparisons)
    }

    fn five(change: impl Fn(&mut RoundRecord)) -> Vec<RoundRecord> {
        (1..=5)
            .map(|number| {
                let mut round = round(number, &[PLAIN, PLAIN]);
                change(&mut round);
                round
            })
            .collect()
    }

    #[test]
    fn healthy_rounds_are_counted_and_valid() {
        let (arms, comparisons) = found(&five(|_| ()));
        let level = &arms[1].levels[0];
        assert_eq!(
            (level.valid, level.counts.ok, level.counts.connects),
            (true, 5 * 4 * 10_000, 20)
        );
        assert!((level.measures["throughput"].value - 20_000.0).abs() < 1e-6);
        assert!((level.generator.cpu - 0.2).abs() < 1e-12);
        assert!(
            comparisons
                .iter()
                .all(|comparison| comparison.verdict == Verdict::Same)
        );
    }

    #[test]
    fn an_arm_that_answers_wrongly_voids_every_verdict_about_it() {
        let wrong = |round: &mut RoundRecord| {
            for slice in round.slices.iter_mut().filter(|slice| slice.arm == 1) {
                slice.counts.requests += 100;
                slice.counts.faults.insert("wrong_status".to_owned(), 100);
            }
        };
        let (arms, comparisons) = found(&five(wrong));
        assert!(arms[0].levels[0].valid && !arms[1].levels[0].valid);
        for comparison in comparisons {
            assert_eq!(comparison.verdict, Verdict::Invalid);
            assert!(comparison.remark.expect("a reason").contains("wrong_status"));
        }
    }

    #[test]
    fn too_many_void_rounds_void_the_level_and_one_does_not() {
        let mut rounds = five(|_| ());
        rounds[0].void = Some("noisy-neighbour: …".to_owned());
        assert!(found(&rounds).0[0].levels[0].valid);
        assert!(notes(&rounds)[0].contains("start 1 did not count"));
        rounds[1].void = Some("noisy-neighbour: …".to_owned());
        let why = found(&rounds).0[0].levels[0]
            .why_invalid
            .clone()
            .expect("a reason");
        assert!(
            why.contains("2 of 5 starts") && why.contains("noisy-neighbour"),
            "{why}"
        );
    }
}
