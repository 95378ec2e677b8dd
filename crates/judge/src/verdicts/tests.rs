//! Verdicts on made-up rounds.

use super::*;
use crate::testing::{PLAIN, Speed, levels, round, two_levels};
use model::load::Load;
use model::units::{Rate, Seconds};
use record::note::{Note, RunNote};
use record::outcome::Estimate;
use record::remark::Goal;
use record::rounds::{RoundRecord, RunRecord};
use stats::sequential::Plan;
use stats::sessions::FEWEST;

/// An experiment whose headline is CPU per request alone.
fn experiment() -> Experiment {
    let mut experiment = crate::testing::experiment();
    experiment.design.headline = Headline::One(Measure::CpuPerRequest);
    experiment
}

/// Rounds in which `ten` is better by `factors[i]`.
fn rounds(factors: &[f64]) -> Vec<Numbers> {
    let numbers = |(i, factor): (usize, &f64)| {
        Numbers::of(&experiment(), &round(i as u32 + 1, &[PLAIN, PLAIN.better(*factor)])).expect("numbers")
    };
    factors.iter().enumerate().map(numbers).collect()
}

fn headline_comparisons(standing: &Standing) -> impl Iterator<Item = &Comparison> {
    standing.comparisons.iter().filter(|c| c.measure == Measure::CpuPerRequest)
}

fn headline(standing: &Standing) -> &Comparison {
    headline_comparisons(standing).next().expect("the headline")
}

fn remark(comparison: &Comparison) -> &Remark {
    comparison.remarks.first().expect("a remark")
}

/// The standing at the end of a run with these rounds.
fn ended(experiment: &Experiment, rounds: &[Numbers]) -> Standing {
    judge(experiment, rounds, Seconds(20.0), LookKind::Last)
}

/// The standing of a run with these rounds that goes on.
fn running(experiment: &Experiment, rounds: &[Numbers]) -> Standing {
    judge(experiment, rounds, Seconds(20.0), LookKind::Running)
}

#[test]
fn the_last_look_is_narrower_unless_all_was_settled_before() {
    let mut planned = experiment();
    planned.design.starts = Some(10);
    let width = |standing: Standing| {
        let ratio = headline(&standing).ratio.expect("a ratio");
        ratio.high.expect("an interval") - ratio.low.expect("an interval")
    };
    let widths = |factors: &[f64]| {
        let rounds = rounds(factors);
        [running, ended].map(|judge| width(judge(&planned, &rounds)))
    };
    let [before, at_end] = widths(&[1.10, 0.92, 1.04, 1.07, 0.95, 1.00, 1.03, 0.99]);
    assert!(at_end < 0.7 * before, "{at_end} {before}");
    let [settled, kept] = widths(&[1.20, 1.21, 1.19, 1.20]);
    assert_eq!(settled, kept);
}

#[test]
fn a_run_that_goes_on_after_its_end_is_judged_by_the_rounds_since_then() {
    let rounds: Vec<_> = (1..=9).map(|number| round(number, &[PLAIN, PLAIN])).collect();
    let numbers = |continued_at: &[usize]| {
        let run = RunRecord { continued_at: continued_at.to_vec(), ..crate::testing::record(experiment()) };
        let of_plan = run.rounds_of_plan(&rounds);
        of_plan.iter().map(|round| round.round).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&[]).len(), 9);
    assert_eq!(numbers(&[5]), [6, 7, 8, 9]);
    assert_eq!(numbers(&[3, 5]), [6, 7, 8, 9]);
    assert_eq!(numbers(&[3, 9]), [4, 5, 6, 7, 8, 9], "the new plan has no round yet");
}

#[test]
fn what_a_run_had_answered_before_it_was_continued_is_not_tested_again() {
    let factors = [1.2; 5].into_iter().chain([1.0, 1.001, 0.999, 1.0]);
    let rounds: Vec<_> =
        (1..).zip(factors).map(|(number, up)| round(number, &[PLAIN, PLAIN.better(up)])).collect();
    let report = |continued_at: Vec<usize>| {
        let run = RunRecord { continued_at, ..crate::testing::record(experiment()) };
        crate::report(&run, &rounds)
    };
    let verdict = |continued_at: Vec<usize>| {
        let comparisons = report(continued_at).comparisons;
        let cpu =
            comparisons.into_iter().find(|one| one.measure == Measure::CpuPerRequest).expect("compared");
        cpu.verdict
    };
    assert_eq!([vec![5], Vec::new()].map(verdict), [Verdict::Same, Verdict::Cheaper]);
    let before = |continued_at: Vec<usize>| {
        let notes = report(continued_at).notes.into_iter();
        let answered = notes.filter_map(|note| match note {
            Note::Run(RunNote::PlanBefore { first, last, answers }) => {
                Some((first, last, answers.iter().map(|answer| answer.verdict).collect::<Vec<_>>()))
            }
            _ => None,
        });
        answered.collect::<Vec<_>>()
    };
    assert_eq!(before(vec![5]), [(1, 5, vec![Verdict::Cheaper])], "its verdict stands");
    assert_eq!(before(vec![4, 5]).len(), 2);
    assert_eq!(before(vec![9]), [], "the new plan has no start yet, so the report is about the one before");
}

#[test]
fn what_an_earlier_plan_answered_is_told_for_each_number_of_users() {
    let rounds: Vec<_> = (1..=9).map(|number| levels(number, &[[PLAIN, PLAIN]; 2])).collect();
    let mut experiment = two_levels();
    experiment.design.headline = Headline::Overall;
    let run = RunRecord { continued_at: vec![5], ..crate::testing::record(experiment) };
    let mut notes = crate::report(&run, &rounds).notes.into_iter();
    let answers = notes.find_map(|note| match note {
        Note::Run(RunNote::PlanBefore { answers, .. }) => Some(answers),
        _ => None,
    });
    let answers = answers.expect("a note").into_iter();
    let of_throughput = answers.filter(|answer| answer.measure == Measure::Throughput);
    assert_eq!(of_throughput.map(|answer| answer.users).collect::<Vec<_>>(), [Some(4), Some(8)]);
}

#[test]
fn a_clear_difference_is_decided_after_four_rounds_in_the_unit_of_the_measure() {
    let rounds = rounds(&[1.10, 1.11, 1.09, 1.10]);
    let three = running(&experiment(), &rounds[..3]);
    assert!(!three.decided);
    let few = Remark::TooFewStarts { needed: 4, starts: 3 };
    assert_eq!(remark(headline(&three)), &few);
    let four = running(&experiment(), &rounds);
    assert!(four.decided);
    for comparison in &four.comparisons {
        // The other measures have a tenth of 1 % at the first look, which may be too little for a verdict.
        if comparison.measure != Measure::CpuPerRequest {
            continue;
        }
        let word = match comparison.measure {
            Measure::CpuPerRequest => Verdict::Cheaper,
            Measure::PeakMemory => Verdict::Smaller,
            _ => Verdict::Faster,
        };
        assert_eq!(comparison.verdict, word, "{:?}", comparison.measure);
        let ratio = comparison.ratio.expect("a ratio");
        let expected = if comparison.measure == Measure::Throughput { 1.10 } else { 1.0 / 1.10 };
        assert!((ratio.value - expected).abs() < 0.005, "{:?} {}", comparison.measure, ratio.value);
        let (low, high) = (ratio.low.expect("an end"), ratio.high.expect("an end"));
        assert!(low < ratio.value && ratio.value < high);
    }
}

#[test]
fn equal_arms_are_the_same_at_the_end_and_a_small_difference_is_told() {
    let equal = [1.0, 1.001, 0.999, 1.0, 1.0, 1.001, 0.999, 1.0];
    assert!(!running(&experiment(), &rounds(&equal[..4])).decided, "asked once, at the end");
    let same = ended(&experiment(), &rounds(&equal));
    assert_eq!(headline(&same).verdict, Verdict::Same);
    let less = remark(headline(&same));
    assert!(matches!(less, Remark::DiffersByLess { bound, starts: 8, .. } if *bound < 0.005), "{less:?}");
    let small = ended(&experiment(), &rounds(&equal.map(|factor| 1.008 * factor)));
    assert_eq!(headline(&small).verdict, Verdict::Cheaper);
    let within = Remark::DifferenceWithinMargin { margin: 0.05 };
    assert_eq!(remark(headline(&small)), &within);
}

#[test]
fn the_interval_beside_same_is_the_one_that_showed_it() {
    let factors = [1.045, 0.957, 1.045, 0.957, 1.045, 0.957, 1.045, 0.957];
    let standing = ended(&experiment(), &rounds(&factors));
    let within = |ratio: Option<Estimate>| {
        let ratio = ratio.expect("a ratio");
        ratio.low.expect("an end") > 1.0 / 1.05 && ratio.high.expect("an end") < 1.05
    };
    let same: Vec<&Comparison> = standing
        .comparisons
        .iter()
        .filter(|one| one.verdict == Verdict::Same && one.margin == 0.05)
        .collect();
    assert!(!same.is_empty() && same.iter().all(|one| within(one.deciding())), "{same:#?}");
    assert!(same.iter().any(|one| !within(one.ratio)), "that of the family is wider: {same:#?}");
    let open = Comparison { verdict: Verdict::Inconclusive, ..same[0].clone() };
    assert_eq!(open.deciding(), open.ratio, "a verdict that was taken away has the interval of the family");
}

#[test]
fn noise_is_inconclusive_and_a_remark_says_how_much_time_it_would_take() {
    let noisy = ended(&experiment(), &rounds(&[1.1, 0.9, 1.05, 0.95, 1.08, 0.92]));
    assert_eq!(headline(&noisy).verdict, Verdict::Inconclusive);
    let remark = remark(headline(&noisy));
    assert!(matches!(remark, Remark::NewRun { starts, .. } if *starts > 12), "{remark:?}");
}

/// How many measures are compared without being asked for.
fn always_compared() -> usize {
    Measure::USUAL.into_iter().filter(|measure| !measure.on_request()).count()
}

#[test]
fn arms_that_cannot_be_seen_have_verdicts_without_cpu() {
    let mut unseen = experiment();
    unseen.arms[1].origin = "https://blue.example.com".to_owned().try_into().ok();
    unseen.design = unseen.design.adapted_to(&unseen.arms);
    unseen.design.headline = Headline::One(Measure::Throughput);
    let rounds: Vec<RoundRecord> = (1..=10).map(|n| round(n, &[PLAIN, PLAIN])).collect();
    let without_cpu = |mut round: RoundRecord| {
        round.slices.iter_mut().for_each(|slice| slice.cpu_ns_arm = 0);
        round
    };
    let rounds: Vec<RoundRecord> = rounds.into_iter().map(without_cpu).collect();
    let numbers: Vec<Numbers> = rounds.iter().filter_map(|round| Numbers::of(&unseen, round)).collect();
    assert_eq!(numbers.len(), 10);
    let standing = ended(&unseen, &numbers);
    assert!(standing.comparisons.iter().all(|c| c.measure != Measure::CpuPerRequest));
    let throughput = |standing: &Standing| {
        let found = standing.comparisons.iter().find(|c| c.measure == Measure::Throughput);
        found.map(|c| (c.verdict, c.starts)).expect("compared")
    };
    assert_eq!(throughput(&standing), (Verdict::Same, 10));
    let (verdict, count) = throughput(&ended(&unseen, &numbers[..FEWEST - 1]));
    assert_eq!((verdict, count), (Verdict::Inconclusive, FEWEST as u32 - 1));
    // Sessions that differ a little, but not like their neighbours, show that two equal arms are the same; one fewer than enough does not.
    let differ = [1.004, 0.996, 0.997, 1.003, 1.004, 0.996, 0.997, 1.003, 1.002, 0.998];
    let differ = self::rounds(&differ);
    let verdict = |count: usize| throughput(&ended(&unseen, &differ[..count])).0;
    assert_eq!([10, FEWEST, FEWEST - 1].map(verdict), [Verdict::Same, Verdict::Same, Verdict::Inconclusive]);
    // Half of a run went one way and half the other: one change, and not twelve observations of it.
    let changed = [1.001, 1.002, 1.001, 1.0, 1.001, 1.002, 1.030, 1.031, 1.030, 1.029, 1.030, 1.031];
    let changed = self::rounds(&changed);
    let verdict = |is_session: bool| {
        let mut asked = unseen.clone();
        asked.arms[1].origin = asked.arms[1].origin.take().filter(|_| is_session);
        throughput(&ended(&asked, &changed)).0
    };
    assert_eq!(verdict(false), Verdict::Faster);
    assert_ne!(verdict(true), Verdict::Faster);
}

#[test]
fn without_a_round_there_is_no_ratio_and_no_verdict() {
    let none = ended(&experiment(), &[]);
    assert_eq!(none.comparisons.len(), always_compared());
    assert!(none.comparisons.iter().all(|c| c.ratio.is_none() && c.verdict == Verdict::Inconclusive));
}

/// Three arms; the third is better by `factor`. Each arm has independent noise of the size `noise`.
fn three(noise: f64, factor: f64) -> (Experiment, Vec<Numbers>) {
    let mut experiment = experiment();
    let mut third = experiment.arms[1].clone();
    third.name = "third".to_owned();
    experiment.arms.push(third);
    let wave = |i: u32, step: u32| 1.0 + noise * f64::from((i * step) % 5) - 2.0 * noise;
    let numbers = |i: u32| {
        let speeds = [PLAIN, PLAIN.better(wave(i, 2)), PLAIN.better(factor * wave(i, 3))];
        Numbers::of(&experiment, &round(i + 1, &speeds)).expect("numbers")
    };
    let rounds = (0..10).map(numbers).collect();
    (experiment, rounds)
}

#[test]
fn many_arms_are_ranked_in_groups() {
    let (experiment, rounds) = three(0.001, 1.1);
    let clear = ended(&experiment, &rounds);
    let groups = &clear.rankings[0].groups;
    assert_eq!(groups, &[vec!["third"], vec!["nine", "ten"]]);
    let (experiment, rounds) = three(0.05, 1.02);
    let noisy = ended(&experiment, &rounds);
    assert_eq!(noisy.rankings[0].groups, [["nine", "ten", "third"]]);
    assert_eq!(ended(&self::experiment(), &rounds).rankings, []);
}

/// Four revisions: the third one is slower than the first two, and the fourth is as slow as the third.
#[test]
fn a_slowness_shows_in_the_revision_that_brings_it_and_in_those_after_it() {
    let text = "war = \"shop.war\"\n\
                arms = [{ server = \"tomcat:10.1.29\", git = \"v1\" }, { server = \"tomcat:10.1.29\", git = \"v2\" },\n\
                { server = \"tomcat:10.1.29\", git = \"v3\" }, { server = \"tomcat:10.1.29\", git = \"v4\" }]\n\
                [design]\nheadline = \"throughput\"\nstarts = 5\nlatency_pairs = 0\n[load]\nconnections = 4\n";
    let history = Experiment::parse(text, "history", &crate::testing::known()).expect("a valid file");
    let numbers = |(number, up): (u32, f64)| {
        let speeds = [1.0, up, 0.2 * up, 0.2].map(|factor| PLAIN.better(factor));
        Numbers::of(&history, &round(number, &speeds)).expect("numbers")
    };
    let rounds: Vec<Numbers> = (1..).zip([1.0, 1.01, 0.99, 1.02, 0.98]).map(numbers).collect();
    let standing = ended(&history, &rounds);
    let words = throughput_comparisons(&standing).map(|one| (one.arm.as_str(), one.verdict));
    let words: Vec<_> = words.collect();
    assert_eq!(words[1..], [("v3", Verdict::Slower), ("v4", Verdict::Slower)]);
    assert_eq!(words[0].0, "v2");
    assert_ne!(words[0].1, Verdict::Slower);
}

#[test]
fn a_gate_passes_or_fails_and_a_remark_tells_of_an_allowed_loss() {
    let gated = |factors: &[f64]| {
        let mut experiment = experiment();
        experiment.design.set_gate(0.03);
        let standing = running(&experiment, &rounds(factors));
        let head = headline(&standing);
        (head.gate.expect("a gate"), head.remarks.first().cloned(), standing.decided)
    };
    let (gate, remark, decided) = gated(&[0.980, 0.981, 0.979, 0.980]);
    assert_eq!((gate, decided), (GateVerdict::Pass, true));
    assert_eq!(remark, Some(Remark::LossWithinMargin { margin: 0.03 }));
    assert_eq!(gated(&[0.90, 0.91, 0.89, 0.90]), (GateVerdict::Fail, None, true));
    let (gate, remark, decided) = gated(&[0.93, 1.02, 0.95, 1.03]);
    assert_eq!((gate, decided), (GateVerdict::Inconclusive, false));
    assert!(matches!(remark, Some(Remark::NewRun { goal: Goal::SettleGate, .. })), "{remark:?}");
}

/// A start in which throughput, CPU per request and response times of `ten` are better by these factors.
fn start(number: u32, [throughput, cpu, response]: [f64; 3]) -> Numbers {
    let ten = Speed {
        ok: (PLAIN.ok as f64 * throughput) as u64,
        // CPU per request is better by `cpu`.
        cpu_ns: (PLAIN.cpu_ns as f64 * throughput / cpu) as u64,
        response_ns: (PLAIN.response_ns as f64 / response) as u64,
        ..PLAIN
    };
    Numbers::of(&crate::testing::experiment(), &round(number, &[PLAIN, ten])).expect("numbers")
}

/// The verdicts on throughput, CPU per request and response p99 after these starts, and whether the run ends.
fn overall(starts: &[[f64; 3]]) -> (Vec<Verdict>, bool) {
    let rounds = (1..).zip(starts).map(|(number, factors)| start(number, *factors));
    let rounds: Vec<Numbers> = rounds.collect();
    let mut asked = crate::testing::experiment();
    // So much load is planned that p99 can be estimated.
    asked.design.latency_pairs = 16;
    let standing = running(&asked, &rounds);
    let head = [Measure::Throughput, Measure::CpuPerRequest, Measure::ResponseP99];
    assert_eq!(standing.headline, head);
    assert_eq!(standing.rankings, []);
    let of = |measure: Measure| standing.comparisons.iter().find(|c| c.measure == measure);
    let verdicts = head.map(|measure| of(measure).expect("compared").verdict);
    (verdicts.into(), standing.decided)
}

#[test]
fn three_measures_decide_together_when_to_stop() {
    let wave = [1.0, 1.004, 0.996, 1.002];
    let clear = wave.map(|up| [0.9 * up, 1.1 * up, 1.5 * up]);
    assert_eq!(overall(&clear), (vec![Verdict::Slower, Verdict::Cheaper, Verdict::Faster], true));
    let noise = [1.4, 0.7, 1.3, 0.8];
    let one_open: Vec<[f64; 3]> = (0..4).map(|i| [0.9 * wave[i], 1.1 * wave[i], noise[i]]).collect();
    let (verdicts, decided) = overall(&one_open);
    assert_eq!(verdicts, [Verdict::Slower, Verdict::Cheaper, Verdict::Inconclusive]);
    assert!(!decided, "p99 is open");
}

#[test]
fn the_percentile_of_the_headline_depends_on_the_rate_of_the_first_start() {
    let mut asked = crate::testing::experiment();
    asked.design.latency_pairs = 16;
    let numbers = |rate: f64| {
        let mut round = round(1, &[PLAIN, PLAIN]);
        let staged = round.slices.iter_mut().filter(|slice| slice.rate.is_some());
        staged.for_each(|slice| slice.rate = Some(Rate(rate)));
        Numbers::of(&asked, &round).expect("numbers")
    };
    let tail = |rate: f64| ended(&asked, &[numbers(rate)]).headline[2];
    // 12 starts of 3.2 s each.
    assert_eq!(tail(530.0), Measure::ResponseP99);
    assert_eq!(tail(510.0), Measure::ResponseP90);
}

#[test]
fn a_percentile_that_cannot_be_estimated_is_not_judged_and_the_run_goes_on_for_it() {
    let mut experiment = experiment();
    experiment.design.headline = Headline::One(Measure::ResponseP99);
    let judged = |windows: usize| {
        let numbers = |number: u32| {
            let mut round = round(number, &[PLAIN, PLAIN.better(1.5)]);
            for slice in round.slices.iter_mut().filter(|slice| slice.arm == 0) {
                slice.longest_ns.truncate(windows);
            }
            Numbers::of(&experiment, &round).expect("numbers")
        };
        let standing = running(&experiment, &(1..=4).map(numbers).collect::<Vec<_>>());
        let of_p99 = standing.comparisons.iter().find(|c| c.measure == Measure::ResponseP99);
        (of_p99.expect("compared").clone(), standing.decided)
    };
    let (enough, decided) = judged(25);
    assert_eq!((enough.verdict, decided), (Verdict::Faster, true));
    // Two slices a start with one window each are 8 episodes, and 30 are needed.
    let (few, decided) = judged(1);
    assert_eq!((few.verdict, decided), (Verdict::Inconclusive, false));
    assert_eq!(few.per_start, enough.per_start);
    let [Remark::NotEstimable { needed, seconds }] = few.remarks.as_slice() else {
        panic!("{:?}", few.remarks)
    };
    assert!((*needed / *seconds - 3.75).abs() < 1e-9 && (seconds.0 - 4.0).abs() < 1e-9);
}

#[test]
fn without_a_cap_the_run_goes_on_until_it_is_sure() {
    let mut experiment = experiment();
    (experiment.design.starts, experiment.design.alpha) = (None, 0.01);
    let clear = [1.10, 1.11, 1.09, 1.10, 1.10, 1.11, 1.09, 1.10];
    // Five starts that agree are no proof yet where any number of looks may follow.
    assert!(!running(&experiment, &rounds(&clear[..5])).decided);
    assert!(running(&experiment, &rounds(&clear)).decided);
}

/// Two levels, and a headline that is compared at each.
fn by_level() -> Experiment {
    let mut experiment = two_levels();
    experiment.design.headline = Headline::One(Measure::Throughput);
    experiment
}

fn throughput_comparisons(standing: &Standing) -> impl Iterator<Item = &Comparison> {
    standing.comparisons.iter().filter(|c| c.measure == Measure::Throughput)
}

/// Two levels: the arm is better by one factor at the first and by another at the second.
fn at_two_levels(factors: &[[f64; 2]]) -> Standing {
    let round = |(i, [low, high]): (usize, &[f64; 2])| {
        let speeds = [[PLAIN, PLAIN.better(*low)], [PLAIN, PLAIN.better(*high)]];
        Numbers::of(&by_level(), &levels(i as u32 + 1, &speeds)).expect("numbers")
    };
    let rounds: Vec<Numbers> = factors.iter().enumerate().map(round).collect();
    running(&by_level(), &rounds)
}

#[test]
fn every_level_has_its_verdict_and_the_run_continues_until_all_are_decided() {
    let wave = [1.10, 1.11, 1.09, 1.10];
    let clear = at_two_levels(&wave.map(|up| [1.0 / up, up]));
    let heads: Vec<&Comparison> = throughput_comparisons(&clear).collect();
    let found: Vec<_> = heads.iter().map(|c| (c.level.clone(), c.verdict)).collect();
    let at = |users: u64| Some(Load { users: Some(users), ..Load::default() });
    assert_eq!(found, [(at(4), Verdict::Slower), (at(8), Verdict::Faster)]);
    assert!(clear.decided);
    let noise = [1.1, 0.9, 1.05, 0.95];
    let half = at_two_levels(&[0, 1, 2, 3].map(|i| [wave[i], noise[i]]));
    let words: Vec<Verdict> = throughput_comparisons(&half).map(|c| c.verdict).collect();
    assert_eq!((words, half.decided), (vec![Verdict::Faster, Verdict::Inconclusive], false));
    // What is measured once a start, or at the fixed rate, is compared once.
    let once = half.comparisons.iter().filter(|c| c.measure == Measure::StartUp).count();
    assert_eq!((once, half.comparisons.len()), (1, always_compared() + 1));
}

#[test]
fn a_run_does_not_continue_for_a_level_that_never_counts() {
    let of = |i: u32, counts: bool| {
        let up = [1.10, 1.11, 1.09, 1.10, 1.10][i as usize];
        let mut round = levels(i + 1, &[[PLAIN, PLAIN.better(up)], [PLAIN, PLAIN]]);
        round.levels[1].void = (!counts).then(crate::testing::unsteady);
        Numbers::of(&by_level(), &round).expect("numbers")
    };
    let never: Vec<Numbers> = (0..4).map(|i| of(i, false)).collect();
    assert!(running(&by_level(), &never).decided);
    assert!(!running(&by_level(), &never[..3]).decided);
    let once: Vec<Numbers> = (0..4).map(|i| of(i, i > 0)).collect();
    assert!(!running(&by_level(), &once).decided, "it has three starts and needs four");
}

#[test]
fn levels_share_the_error_rate() {
    // Just enough for an arm at one level; at two levels it is not, unless the other one rejects.
    let noise = [0.012, -0.01, 0.011, -0.013];
    let look = Plan::new(Some(12)).look(&Test::of(&noise, 0.05), 0.05, LookKind::Running).expect("rounds");
    let shift = 1.1 * look.rci.expect("four").high;
    let alone: Vec<[f64; 2]> = noise.map(|d| [(d + shift).exp(), 1.0 + 8.0 * d]).into();
    let with_a_sure_one: Vec<[f64; 2]> = noise.map(|d| [(d + shift).exp(), 1.6 + 0.1 * d]).into();
    let first = |factors: &[[f64; 2]]| {
        throughput_comparisons(&at_two_levels(factors)).next().expect("a level").verdict
    };
    assert_eq!(first(&alone), Verdict::Inconclusive);
    assert_eq!(first(&with_a_sure_one), Verdict::Faster);
}

#[test]
fn one_arm_has_no_verdict_and_makes_the_starts_that_were_asked_for() {
    let mut alone = crate::testing::alone();
    let of = |count: u32| -> Vec<Numbers> {
        let numbers = |number| Numbers::of(&crate::testing::alone(), &round(number, &[PLAIN]));
        (1..=count).map(|number| numbers(number).expect("numbers")).collect()
    };
    let decided = |alone: &Experiment, count: u32| running(alone, &of(count)).decided;
    alone.design.starts = Some(3);
    alone.design.tune_starts = false;
    assert_eq!([0, 2, 3].map(|count| decided(&alone, count)), [false, false, true]);
    assert_eq!(ended(&alone, &of(3)).comparisons, []);
    // The default number of starts is for verdicts.
    alone.design.tune_starts = true;
    assert_eq!([0, 1].map(|count| decided(&alone, count)), [false, true]);
    (alone.design.starts, alone.design.tune_starts) = (None, false);
    assert_eq!([0, 1].map(|count| decided(&alone, count)), [false, true]);
}
