//! Whether the generator kept up: in the closed loop and at a fixed rate, for each arm, and at a fixed rate for each percentile.

use super::{Circumstances, check_steal};
use crate::histogram::merged_times;
use model::measure::Measure;
use model::reason::{DelayShare, GeneratorLimit, Reason};
use model::units::Share;
use record::histogram::Histogram;
use record::outcome::HeldBack;
use record::rounds::{LatePercentile, SliceRecord};

/// Largest delay with which the generator may have sent the requests, as a share of a percentile of the response times, as a mean over
/// the arms. With so much in every arm, a difference of 10 % between the servers is seen as one of 7.5 % at least. Of a server that
/// answers 99 % of its requests within a millisecond, stalls of the machine of a few milliseconds were more than a tenth of p99 in 4 of
/// 14 starts.
const SEND_DELAY: Share = Share(0.25);
/// Largest share of an arm's slices at a level, over all starts that count, in which the generator may have been saturated, where that is
/// more than one slice in each start. In such a slice the generator sets the rate, so an arm that is as fast as the generator loses what
/// its fastest slices had above that.
///
/// Simulated with seven starts of 21 slices that spread by 10 % (as slices of 0.2 s do), an arm whose runs mostly count loses 0.3 % of its
/// throughput at most. With half of the slices of each start, which a start may have, it loses 2.7 %. The share is taken over all
/// starts, because the same bound for each start also drops the starts in which the faster arm was fastest: 0.5 % are lost by cap and
/// selection together. The tests repeat these figures.
const SATURATED: f64 = 0.05;

/// The largest share of its throughput that a slice loses in which the generator sets the rate. This was measured on a Tomcat with TLS and two
/// shared CPUs: in nine slices, users waited for the generator for 10 to 16 % of the time, and these slices lost 7 to 23 % against the
/// median of the other slices of their start. A slice that is capped loses a few per cent (see [`SATURATED`]).
const LOST: Share = Share(0.25);

/// Checks that the generator kept up with every arm in at least half of its slices in a start: one slice in which the generator was
/// descheduled voids no round. Each arm is judged by itself, because the generator may be too slow for the fastest arm alone.
/// `name` gives the name of an arm by its index. What is left of saturated slices is judged over all starts, by [`held_back`].
pub fn check_generator<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Option<Reason> {
    let (arm, reason) = saturated_arm(slices)?;
    Some(Reason::OfArm { arm: name(arm).to_owned(), reason: Box::new(reason) })
}

/// What the generator may have taken from an arm in the closed loop at a level, over all starts that count; `None` where it kept up in nearly
/// all slices. Every arm meets the same bound, and `slices` are the slices of the arm `name`.
pub(crate) fn held_back(name: &str, slices: &[&SliceRecord]) -> Option<HeldBack> {
    let reasons = slices.iter().filter_map(|slice| slice.why_invalid.as_ref());
    let reasons: Vec<&Reason> = reasons.filter(|reason| sets_the_rate(reason)).collect();
    let mut starts: Vec<u32> = slices.iter().map(|slice| slice.round).collect();
    starts.sort_unstable();
    starts.dedup();
    let (late, all) = (reasons.len(), slices.len());
    is_too_often_saturated(late, all, starts.len()).then(|| HeldBack {
        reason: Reason::OfArm { arm: name.to_owned(), reason: Box::new(in_slices(&reasons, all)) },
        most: Share(LOST.0 * late as f64 / all as f64),
    })
}

/// Whether the generator set the rate of a slice with this reason.
fn sets_the_rate(reason: &Reason) -> bool {
    match reason.generator_limit() {
        Some(GeneratorLimit::EventLoopBusy { share, .. }) => *share >= GeneratorLimit::FULL_LOOP,
        _ => reason.is_of_generator(),
    }
}

/// Whether the generator was saturated in so many of an arm's slices at a level that it limited the arm's
/// throughput in part. One slice in each start never is too often.
fn is_too_often_saturated(saturated: usize, slices: usize, starts: usize) -> bool {
    saturated as f64 > (SATURATED * slices as f64).max(starts as f64)
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
        Some((arm, in_slices(&reasons, all)))
    })
}

/// The reason in the middle of these, as a reason in so many of `all` slices.
fn in_slices(reasons: &[&Reason], all: usize) -> Reason {
    Reason::InSlices {
        reason: Box::new(reasons[reasons.len() / 2].clone()),
        slices: reasons.len() as u64,
        all: all as u64,
    }
}

/// Checks that the generator kept up with every arm at a fixed rate, as [`check_generator`] does, whatever it sent late:
/// [`check_send_delay`] judges that.
pub fn check_generator_at_rate<'a>(
    slices: &[SliceRecord],
    name: impl Fn(usize) -> &'a str,
) -> Option<Reason> {
    let sent_late =
        |reason: &Reason| matches!(reason.generator_limit(), Some(GeneratorLimit::SentLate { .. }));
    let but_for_delay = |slice: &SliceRecord| SliceRecord {
        why_invalid: slice.why_invalid.clone().filter(|reason| !sent_late(reason)),
        ..slice.clone()
    };
    let slices: Vec<SliceRecord> = slices.iter().map(but_for_delay).collect();
    check_generator(&slices, name)
}

/// Checks each percentile of the response times at a fixed rate: it counts unless an arm's requests were sent too late for it, over all
/// slices of the arm. The delay is known exactly, because slices have the same times with and without it. A late median leaves
/// p99 to count, and a late tail the median. `name` gives the name of an arm by its index. [`late_share`] tells why all arms are
/// measured against one bound.
pub fn check_send_delay<'a>(slices: &[SliceRecord], name: impl Fn(usize) -> &'a str) -> Vec<LatePercentile> {
    let arms = slices.iter().map(|slice| slice.arm + 1).max().unwrap_or(0);
    let times = (0..arms).filter_map(|arm| Some((arm, both_times(slices, arm)?)));
    let times: Vec<(usize, [Histogram; 2])> = times.collect();
    let late =
        |(measure, quantile): (Measure, f64)| {
            let percentile = 100.0 * quantile;
            let at = |times: &Histogram| times.value_at_quantile(quantile) as f64;
            let on_server: Vec<f64> = times.iter().map(|(_, [_, without])| at(without)).collect();
            let delays = times.iter().map(|(arm, [with, without])| (*arm, at(with) - at(without)));
            let (arm, delay) = delays.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
            let share = Share(late_share(delay, &on_server));
            let limit = SEND_DELAY;
            (share > limit).then(|| LatePercentile {
                measure,
                reason: Reason::OfArm {
                    arm: name(arm).to_owned(),
                    reason: Box::new(Reason::GeneratorSaturated(GeneratorLimit::DelayInPercentile(
                        DelayShare { percentile, share, limit },
                    ))),
                },
            })
        };
    Measure::response_times().filter_map(late).collect()
}

/// The share that a delay would be of a percentile whose time on the server is the geometric mean of `on_server`, the percentile of
/// each arm without delay. Delay and times have the same unit.
///
/// Whether a start counts must not depend on the difference `D` between the arms, or `D` over the starts that count is biased.
/// The sum of two logarithms that spread alike is not correlated with their difference (Pitman 1939; Morgan 1939), and neither
/// is a bound made of it. Any other bound is: each arm against its own percentile drops the starts in which the faster arm was
/// fastest, the baseline's percentile drops the baseline's fastest starts, and the slower arm's percentile its own. Simulated
/// with an arm that is twice as fast, percentiles that spread by 30 % from start to start, and delays due to which about half
/// of the starts count, the ratio is 15 % too small (own), 18 % too large (baseline, slower), and right within 0.2 % (mean).
fn late_share(delay: f64, on_server: &[f64]) -> f64 {
    let logs = on_server.iter().map(|time| time.max(1.0).ln());
    let typical = (logs.sum::<f64>() / on_server.len().max(1) as f64).exp();
    delay / (typical + delay)
}

/// The response times of an arm, with and without the delay with which they were sent; `None` where a slice does not have both.
fn both_times(slices: &[SliceRecord], arm: usize) -> Option<[Histogram; 2]> {
    let of_arm = || slices.iter().filter(|slice| slice.arm == arm);
    let with = merged_times(of_arm().map(|slice| slice.response.as_ref()))?;
    Some([with, merged_times(of_arm().map(|slice| slice.undelayed.as_ref()))?])
}

/// Whether the generator itself cannot keep up with an arm at a rate. It is `false` where the hypervisor took too much of the
/// machine, because the cause of the lateness is not known then.
pub fn generator_is_late(slices: &[SliceRecord], around: Circumstances) -> bool {
    saturated_arm(slices).is_some() && check_steal(slices, around).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::noise_model::Normals;
    use crate::testing::saturated;
    use crate::validity::check_closed_loop;
    use crate::validity::tests::{AROUND, name, near, saturated_in, slices};
    use model::units::Seconds;
    use record::histogram::SparseHistogram;
    use stats::robust::mean;

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
        let stopped = Reason::AgentStopped { agent: "m2".to_owned(), said: None };
        slices[3].why_invalid = Some(stopped.clone());
        assert_eq!(check_closed_loop(&slices, AROUND, name), Some(stopped.clone()));
        assert_eq!(crate::validity::check_fixed_rate(&slices, AROUND, name), Some(stopped));
    }

    /// Slices of two arms at a fixed rate, each with 1000 requests that take as long as the function says, in microseconds, for its
    /// arm and the number of the request: on the server, and before they are sent.
    fn delayed(times: impl Fn(usize, u64) -> [u64; 2]) -> Vec<SliceRecord> {
        slices(Some(20_000.0), |slice| {
            let mut histograms = [(); 2].map(|()| Histogram::new(3).expect("three digits"));
            for request in 0..1000 {
                let [server, delay] = times(slice.arm, request);
                let both = [server + delay, server];
                for (histogram, micros) in histograms.iter_mut().zip(both) {
                    histogram.record(1000 * micros).expect("it grows");
                }
            }
            let [with, without] = histograms.map(|histogram| Some(SparseHistogram::from(&histogram)));
            (slice.response, slice.undelayed) = (with, without);
        })
    }

    fn late(slices: &[SliceRecord]) -> Vec<Measure> {
        let late = check_send_delay(slices, name);
        late.into_iter().map(|late| late.measure).collect()
    }

    #[test]
    fn each_percentile_is_judged_by_what_the_delay_adds_to_it() {
        use Measure::{ResponseP50, ResponseP90, ResponseP95, ResponseP99, ResponseP999};
        let tail = |request: u64| if request.is_multiple_of(20) { 10_000 } else { 100 };
        assert_eq!(late(&delayed(|_, request| [tail(request), 3])), []);
        // 50 us are a third of p50 and nothing of a p99 of 10 ms.
        let all = delayed(|_, request| [tail(request), 50]);
        assert_eq!(late(&all), [ResponseP50, ResponseP90, ResponseP95]);
        // One request of 50 leaves 5 ms late: no matter for p50 and p90.
        let few = delayed(|_, request| [100, if request % 50 == 0 { 5000 } else { 0 }]);
        assert_eq!(late(&few), [ResponseP99, ResponseP999]);
        // The late ones are quick on the server: the tail is its own.
        let quick = delayed(|_, request| match request % 50 {
            0 => [100, 5000],
            1 => [20_000, 0],
            _ => [100, 0],
        });
        assert_eq!(late(&quick), []);
        // One arm is enough, and is named with its share.
        let one = check_send_delay(&delayed(|arm, _| [100, if arm == 1 { 100 } else { 0 }]), name);
        let [LatePercentile { reason, .. }, _, _, _, _] = one.as_slice() else {
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
    fn all_arms_are_measured_against_one_bound() {
        // A delay of 50 us is a third of the faster arm's time, a ninth of the slower arm's, and a fifth of their mean, 200 us.
        let both = |delay: u64| late(&delayed(|arm, _| [if arm == 1 { 100 } else { 400 }, delay]));
        assert_eq!(both(50), []);
        assert_eq!(both(70).len(), 5);
    }

    /// A ratio of 2 between two arms whose percentiles spread by 30 % from start to start, as it comes out of the starts that count,
    /// relative to the truth: too large by this share. `share` says from the delay and the times of both arms what is compared with the
    /// limit. The delays spread by as much and have this median, while the arms take 100 and 200 (the baseline).
    fn bias_of_ratio(delay: f64, share: impl Fn(f64, [f64; 2]) -> f64) -> f64 {
        let mut normals = Normals::new(1);
        let mut counted = Vec::new();
        for _ in 0..20_000 {
            let [faster, baseline, delay] =
                [100.0, 200.0, delay].map(|median: f64| median * (0.3 * normals.next()).exp());
            if share(delay, [faster, baseline]) <= SEND_DELAY.0 {
                counted.push((baseline / faster).ln());
            }
        }
        assert!((8_000..12_000).contains(&counted.len()), "{}", counted.len());
        mean(&counted).expect("starts").exp() / 2.0 - 1.0
    }

    #[test]
    fn the_difference_between_the_arms_does_not_decide_which_starts_count() {
        let of = |delay: f64, time: f64| delay / (time + delay);
        let by_own =
            bias_of_ratio(33.0, |delay, [faster, baseline]| of(delay, faster).max(of(delay, baseline)));
        let by_baseline = bias_of_ratio(67.0, |delay, [_, baseline]| of(delay, baseline));
        let by_slower = bias_of_ratio(70.0, |delay, [faster, baseline]| of(delay, faster.max(baseline)));
        let by_mean = bias_of_ratio(47.0, |delay, times| late_share(delay, &times));
        println!("own {by_own:.3}, baseline {by_baseline:.3}, slower {by_slower:.3}, mean {by_mean:.4}");
        assert!(by_own < -0.1 && by_baseline > 0.1 && by_slower > 0.1);
        assert!(by_mean.abs() < 0.01, "{by_mean}");
    }

    /// Slices of each arm in a start.
    const SLICES: usize = 21;
    /// Standard deviation of the logarithm of a slice's throughput.
    const SLICE_SD: f64 = 0.1;

    /// The mean logarithm of the throughput of an arm in a run of seven starts, which spread by 1 %, where the generator can do `cap`
    /// (logarithm). A start with more than `of_start` saturated slices is dropped. `None` for a run that does not count: more than a quarter of
    /// its starts are dropped, or more than `of_run` of the slices in the others are saturated. Both are shares.
    fn capped_run(normals: &mut Normals, cap: f64, of_start: f64, of_run: f64) -> Option<f64> {
        let (mut counted, mut saturated) = (Vec::new(), 0);
        for _ in 0..7 {
            let luck = 0.01 * normals.next();
            let speeds = [(); SLICES].map(|()| luck + SLICE_SD * normals.next());
            let late = speeds.iter().filter(|speed| **speed > cap).count();
            if late as f64 <= (of_start * SLICES as f64).max(1.0) {
                let total: f64 = speeds.iter().map(|speed| speed.min(cap).exp()).sum();
                saturated += late;
                counted.push((total / SLICES as f64).ln());
            }
        }
        let most = of_run * (counted.len() * SLICES) as f64;
        (counted.len() > 5 && saturated as f64 <= most).then(|| mean(&counted))?
    }

    /// What cap and selection take from an arm, as a share of its throughput, for the worst cap with which at least half of the runs count.
    fn loss_by_cap(of_start: f64, of_run: f64) -> f64 {
        let mut normals = Normals::new(2);
        // The logarithm of a mean of slices.
        let truth = 0.5 * SLICE_SD.powi(2) * (1.0 - 1.0 / SLICES as f64);
        let mut loss = |cap: i32| {
            let all = 0..400;
            let runs = all.filter_map(|_| capped_run(&mut normals, f64::from(cap) / 100.0, of_start, of_run));
            let runs: Vec<f64> = runs.collect();
            mean(&runs).filter(|_| runs.len() >= 200).map_or(0.0, |mean| truth - mean)
        };
        (0..24).step_by(2).map(&mut loss).fold(0.0, f64::max)
    }

    #[test]
    fn a_busy_loop_that_has_time_left_caps_nothing() {
        let busy = |share: f64| {
            let busy = GeneratorLimit::EventLoopBusy { share: Share(share), limit: Share(0.8) };
            let mut all = slices(None, |_| ());
            for slice in &mut all {
                slice.why_invalid = Some(Reason::GeneratorSaturated(busy.clone()));
            }
            held_back("ten", &all.iter().collect::<Vec<_>>()).is_some()
        };
        assert_eq!([0.83, 0.95].map(busy), [false, true]);
    }

    #[test]
    fn a_cap_takes_little_from_an_arm_that_is_compared() {
        let half_of_start = loss_by_cap(0.5, 1.0);
        let part_of_start = loss_by_cap(SATURATED, 1.0);
        let part_of_run = loss_by_cap(0.5, SATURATED);
        println!("half {half_of_start:.4}, part of each {part_of_start:.4}, part of all {part_of_run:.4}");
        assert!(half_of_start > 0.025, "{half_of_start}");
        assert!(part_of_run < part_of_start && part_of_run < 0.004, "{part_of_run}");
    }

    #[test]
    fn one_saturated_slice_in_each_start_is_not_too_many() {
        let of_seven = |late, slices| is_too_often_saturated(late, slices, 7);
        assert_eq!([7, 8].map(|late| of_seven(late, 28)), [false, true]);
        assert_eq!([14, 15].map(|late| of_seven(late, 280)), [false, true]);
    }

    #[test]
    fn requests_that_were_sent_late_void_percentiles_and_not_the_stage() {
        let sent_late = Reason::GeneratorSaturated(GeneratorLimit::SentLate {
            share: Share(0.02),
            delay: Seconds(0.001),
            p99: Seconds(0.003),
            limit: Share(0.01),
        });
        let mut slices = delayed(|_, _| [100, 0]);
        for slice in &mut slices {
            slice.why_invalid = Some(sent_late.clone());
        }
        assert_eq!(check_generator_at_rate(&slices, name), None);
        for slice in &mut slices {
            slice.why_invalid = Some(saturated());
        }
        assert!(check_generator_at_rate(&slices, name).is_some());
    }
}
