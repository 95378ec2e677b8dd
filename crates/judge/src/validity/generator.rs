//! Whether the generator kept up: in the closed loop and at a fixed rate, for each arm, and at a fixed rate for each percentile.

use super::{Circumstances, check_steal};
use crate::histogram::{TimeHistogram, decoded, merged};
use model::measure::Measure;
use model::reason::{DelayShare, GeneratorLimit, Reason};
use model::record::{LatePercentile, SliceRecord};

/// Largest share of a percentile of the response times that may be the delay with which the generator sent the requests. With
/// so much, a difference of 10 % between the servers is seen as one of 7.5 % at least. Of a server that answers 99 % of its requests
/// within a millisecond, stalls of the machine of a few milliseconds were more than a tenth of p99 in 4 of 14 starts.
const SEND_DELAY: f64 = 0.25;

/// Checks that the generator kept up with every arm in at least half of its slices: one slice in which the generator was
/// descheduled voids no round. Each arm is judged by itself, because the generator may be too slow for the fastest arm alone.
/// `name` gives the name of an arm by its index.
pub fn check_generator<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Option<Reason> {
    let (arm, reason) = saturated_arm(slices)?;
    Some(Reason::OfArm {
        arm: name(arm).to_owned(),
        reason: Box::new(reason),
    })
}

/// Checks that every machine of a fleet made its share of every slice: without it the load is not the one that was asked for, however
/// few the slices are.
pub fn check_fleet(slices: &[SliceRecord]) -> Option<Reason> {
    let is_unmade = |reason: &&Reason| matches!(reason, Reason::AgentLost(_) | Reason::AgentStopped { .. });
    let mut reasons = slices.iter().filter_map(|slice| slice.why_invalid.as_ref());
    reasons.find(is_unmade).cloned()
}

/// The first arm with which the generator did not keep up in more than half of its slices, and why.
fn saturated_arm(slices: &[SliceRecord]) -> Option<(usize, Reason)> {
    let last_arm = slices.iter().map(|slice| slice.arm).max()?;
    (0..=last_arm).find_map(|arm| {
        let of_arm = || slices.iter().filter(|slice| slice.arm == arm);
        let reasons: Vec<&Reason> = of_arm().filter_map(|slice| slice.why_invalid.as_ref()).collect();
        let all = of_arm().count();
        if 2 * reasons.len() <= all {
            return None;
        }
        let reason = Reason::InSlices {
            reason: Box::new(reasons[reasons.len() / 2].clone()),
            slices: reasons.len() as u64,
            all: all as u64,
        };
        Some((arm, reason))
    })
}

/// Checks that the generator kept up with every arm at a fixed rate, as [`check_generator`] does, whatever it sent late:
/// [`check_send_delay`] judges that. Slices that do not tell their response times without the delay are of early pronies.
pub fn check_generator_at_rate<'a>(
    slices: &[SliceRecord],
    name: impl Fn(usize) -> &'a str,
) -> Option<Reason> {
    let sent_late =
        |reason: &Reason| matches!(reason.generator_limit(), Some(GeneratorLimit::SentLate { .. }));
    let but_for_delay = |slice: &SliceRecord| SliceRecord {
        why_invalid: slice
            .why_invalid
            .clone()
            .filter(|reason| slice.undelayed.is_empty() || !sent_late(reason)),
        ..slice.clone()
    };
    let slices: Vec<SliceRecord> = slices.iter().map(but_for_delay).collect();
    check_generator(&slices, name)
}

/// Checks each percentile of the response times at a fixed rate: it counts unless the delay with which the generator sent
/// requests is too large a part of it for an arm, over all slices of the arm. The part is known exactly, because slices have the
/// same times with and without the delay. A late median leaves p99 to count, and a late tail the median. `name` gives the name of
/// an arm by its index.
pub fn check_send_delay<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Vec<LatePercentile> {
    let arms = slices.iter().map(|slice| slice.arm + 1).max().unwrap_or(0);
    let times: Vec<_> = (0..arms).map(|arm| both_times(slices, arm)).collect();
    let late = |(measure, percentile): (Measure, f64)| {
        let share = |times: &Option<[TimeHistogram; 2]>| {
            let [with, without] = times.as_ref()?;
            let at = |times: &TimeHistogram| times.value_at_quantile(percentile / 100.0) as f64;
            Some(1.0 - at(without) / at(with).max(1.0))
        };
        let shares = times
            .iter()
            .enumerate()
            .filter_map(|(arm, times)| Some((arm, share(times)?)));
        let (arm, share) = shares.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let limit = SEND_DELAY;
        (share > limit).then(|| LatePercentile {
            measure,
            reason: Reason::OfArm {
                arm: name(arm).to_owned(),
                reason: Box::new(Reason::GeneratorSaturated(GeneratorLimit::DelayInPercentile(
                    DelayShare {
                        percentile,
                        share,
                        limit,
                    },
                ))),
            },
        })
    };
    let percentiles = [
        (Measure::ResponseP50, 50.0),
        (Measure::ResponseP90, 90.0),
        (Measure::ResponseP99, 99.0),
    ];
    percentiles.into_iter().filter_map(late).collect()
}

/// The response times of an arm, with and without the delay with which they were sent; `None` where a slice does not have both.
fn both_times(slices: &[SliceRecord], arm: usize) -> Option<[TimeHistogram; 2]> {
    let all = |times: fn(&SliceRecord) -> &[u8]| {
        let of_arm = slices.iter().filter(|slice| slice.arm == arm);
        let decoded = of_arm
            .map(|slice| decoded(times(slice)))
            .collect::<Option<Vec<_>>>()?;
        merged(decoded.iter()).filter(|all| !all.is_empty())
    };
    Some([all(|slice| &slice.response)?, all(|slice| &slice.undelayed)?])
}

/// Whether the generator itself cannot keep up with an arm at a rate. It is `false` where the hypervisor took too much of the
/// machine, because the cause of the lateness is not known then.
pub fn generator_is_late(slices: &[SliceRecord], around: Circumstances) -> bool {
    saturated_arm(slices).is_some() && check_steal(slices, around).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::encoded;
    use crate::testing::saturated;
    use crate::validity::check_closed_loop;
    use crate::validity::tests::{AROUND, name, near, saturated_in, slices};

    #[test]
    fn a_generator_counts_as_late_only_where_nothing_was_stolen() {
        let of = |late: usize, steal: u64| {
            let mut slices = slices(Some(20_000.0), move |s| s.steal_ticks = steal);
            for slice in slices.iter_mut().take(late) {
                slice.why_invalid = Some(saturated());
            }
            super::generator_is_late(&slices, AROUND)
        };
        assert_eq!([of(2, 0), of(3, 0), of(3, 30)], [false, true, false]);
    }

    #[test]
    fn each_arm_is_judged_by_its_own_slices() {
        // The last arm's slices are late: half of all with two arms, a third with three.
        for arms in [2, 3] {
            let slice = slices(None, |_| ()).remove(0);
            let of_arm = |arm: usize| SliceRecord { arm, ..slice.clone() };
            let mut round: Vec<SliceRecord> = (0..arms).cycle().take(4 * arms).map(of_arm).collect();
            let late = |round: &mut [SliceRecord], count: usize| {
                for slice in round.iter_mut().filter(|slice| slice.arm == arms - 1).take(count) {
                    slice.why_invalid = Some(saturated());
                }
            };
            late(&mut round, 2);
            assert_eq!(check_closed_loop(&round, AROUND, name), None, "{arms} arms");
            late(&mut round, 3);
            let why = Some(saturated_in(name(arms - 1), 3, 4));
            assert_eq!(check_closed_loop(&round, AROUND, name), why);
            assert_eq!(check_generator(&round, name), why);
            assert!(why.is_some_and(|why| why.is_of_machine()));
            assert!(generator_is_late(&round, AROUND));
        }
    }

    #[test]
    fn one_slice_without_the_share_of_an_agent_voids_a_level() {
        let mut slices = slices(None, |_| ());
        assert_eq!(check_closed_loop(&slices, AROUND, name), None);
        let stopped = Reason::AgentStopped {
            agent: "m2".to_owned(),
            said: None,
        };
        slices[3].why_invalid = Some(stopped.clone());
        assert_eq!(check_closed_loop(&slices, AROUND, name), Some(stopped.clone()));
        assert_eq!(
            crate::validity::check_fixed_rate(&slices, AROUND, name),
            Some(stopped)
        );
    }

    /// Slices of two arms at a fixed rate, each with 1000 requests that take as long as the function says, in microseconds, for its
    /// arm and the number of the request: on the server, and before they are sent.
    fn delayed(times: impl Fn(usize, u64) -> [u64; 2]) -> Vec<SliceRecord> {
        slices(Some(20_000.0), |slice| {
            let mut histograms = [(); 2].map(|()| TimeHistogram::new(3).expect("three digits"));
            for request in 0..1000 {
                let [server, delay] = times(slice.arm, request);
                let both = [server + delay, server];
                for (histogram, micros) in histograms.iter_mut().zip(both) {
                    histogram.record(1000 * micros).expect("it grows");
                }
            }
            let [with, without] = histograms.map(|histogram| encoded(&histogram));
            (slice.response, slice.undelayed) = (with, without);
        })
    }

    fn late(slices: &[SliceRecord]) -> Vec<Measure> {
        let late = check_send_delay(slices, name);
        late.into_iter().map(|late| late.measure).collect()
    }

    #[test]
    fn each_percentile_is_judged_by_what_the_delay_adds_to_it() {
        use Measure::{ResponseP50, ResponseP90, ResponseP99};
        let tail = |request: u64| if request.is_multiple_of(20) { 10_000 } else { 100 };
        assert_eq!(late(&delayed(|_, request| [tail(request), 3])), []);
        // 50 us are a third of p50 and nothing of a p99 of 10 ms.
        let all = delayed(|_, request| [tail(request), 50]);
        assert_eq!(late(&all), [ResponseP50, ResponseP90]);
        // One request of 50 leaves 5 ms late: no matter for p50 and p90.
        let few = delayed(|_, request| [100, if request % 50 == 0 { 5000 } else { 0 }]);
        assert_eq!(late(&few), [ResponseP99]);
        // The late ones are quick on the server: the tail is its own.
        let quick = delayed(|_, request| match request % 50 {
            0 => [100, 5000],
            1 => [20_000, 0],
            _ => [100, 0],
        });
        assert_eq!(late(&quick), []);
        // One arm is enough, and is named with its share.
        let one = check_send_delay(&delayed(|arm, _| [100, if arm == 1 { 100 } else { 0 }]), name);
        let [LatePercentile { reason, .. }, _, _] = one.as_slice() else {
            panic!("{one:?}");
        };
        assert!(
            matches!(reason, Reason::OfArm { arm, reason } if arm == "ten"
                && matches!(reason.generator_limit(),
                    Some(GeneratorLimit::DelayInPercentile(DelayShare { percentile: 50.0, share, .. })) if near(*share, 0.5))),
            "{reason:?}"
        );
        assert!(reason.is_late());
    }

    #[test]
    fn requests_that_were_sent_late_void_percentiles_and_not_the_stage() {
        let sent_late = Reason::GeneratorSaturated(GeneratorLimit::SentLate {
            share: 0.02,
            delay: 0.001,
            p99: 0.003,
            limit: 0.01,
        });
        let mut slices = delayed(|_, _| [100, 0]);
        for slice in &mut slices {
            slice.why_invalid = Some(sent_late.clone());
        }
        assert_eq!(check_generator_at_rate(&slices, name), None);
        // An early prony did not store the times without the delay, and judged all of them together.
        for slice in &mut slices {
            slice.undelayed.clear();
        }
        assert!(check_generator_at_rate(&slices, name).is_some());
        assert_eq!(check_send_delay(&slices, name), []);
        for slice in &mut slices {
            slice.why_invalid = Some(saturated());
            slice.undelayed = vec![1];
        }
        assert!(check_generator_at_rate(&slices, name).is_some());
    }
}
