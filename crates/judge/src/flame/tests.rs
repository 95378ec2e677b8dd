//! Profiles whose contents are known, taken with the noise that real ones have.

use super::*;
use crate::testing::{experiment, record};
use model::units::Seconds;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use record::cpu_profile::FrameDifference;
use record::inspection::{ArmInspection, CpuStack};
use record::outcome::Verdict;

/// Right answers in a profile.
const OK: u64 = 20_000;
/// Seconds that a sample stands for.
const SAMPLE: f64 = 0.001;
/// Profiled starts of an arm.
const STARTS: u32 = 5;

/// A stack, and the microseconds of a request that are spent on it.
type Cost = (&'static str, f64);

/// What a request of a plain server costs: 200 µs.
const SERVER: [Cost; 9] = [
    (
        "java.lang.Thread.run org.apache.tomcat.util.net.Nio.run sun.nio.ch.Net.poll write_[n] tcp_sendmsg_[k]",
        60.0,
    ),
    (
        "java.lang.Thread.run org.apache.tomcat.util.net.Nio.run sun.nio.ch.Net.poll read_[n] tcp_recvmsg_[k]",
        30.0,
    ),
    ("java.lang.Thread.run org.apache.tomcat.util.net.Nio.run org.apache.coyote.Http11.parse", 35.0),
    (
        "java.lang.Thread.run org.apache.tomcat.util.net.Nio.run org.apache.coyote.Http11.parse java.lang.String.hash",
        15.0,
    ),
    ("java.lang.Thread.run org.apache.tomcat.util.net.Nio.run shop.Page.doGet java.util.HashMap.get", 25.0),
    ("java.lang.Thread.run org.apache.tomcat.util.net.Nio.run shop.Page.doGet shop.Cart.total", 15.0),
    ("[compiler]", 8.0),
    ("[collector]", 10.0),
    ("[JVM]", 2.0),
];

/// A random number from a normal distribution, nearly.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let uniform = || random.next_u32() as f64 / f64::from(u32::MAX);
    std::iter::repeat_with(uniform).take(12).sum::<f64>() - 6.0
}

/// A start that costs this much, with the noise of counting, and of a start: 1 % of everything.
fn profiled(costs: &[Cost], random: &mut ChaCha8Rng) -> Inspection {
    let luck = 1.0 + 0.01 * normal(random);
    let stack = |(frames, micros): &Cost| {
        let expected = luck * micros * 1e-6 * OK as f64 / SAMPLE;
        let samples = (expected + expected.sqrt() * normal(random)).round().max(1.0);
        CpuStack {
            frames: frames.split(' ').map(str::to_owned).collect(),
            seconds: Seconds(samples * SAMPLE),
        }
    };
    let mut cpu: Vec<CpuStack> = costs.iter().map(stack).collect();
    cpu.push(CpuStack { frames: vec!["rare.Thing.seen".to_owned()], seconds: Seconds(SAMPLE) });
    Inspection { ok: OK, seconds: Seconds(4.0), cpu, ..Inspection::default() }
}

/// A run whose two arms cost this much, in so many profiled starts.
fn run(costs: [&[Cost]; 2], starts: u32, seed: u64) -> RunRecord {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut profile = |arm: usize| ArmInspection { arm, inspection: profiled(costs[arm], &mut random) };
    RunRecord {
        cpu_profiles: (0..starts).flat_map(|_| [0, 1]).map(&mut profile).collect(),
        ..record(experiment())
    }
}

fn only(run: &RunRecord) -> CpuDifference {
    let mut all = differences(run);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn with(more: &[Cost]) -> Vec<Cost> {
    SERVER.iter().chain(more).copied().collect()
}

fn names(rows: &[FrameDifference]) -> Vec<&str> {
    rows.iter().map(|row| row.name.as_str()).collect()
}

#[test]
fn work_in_one_method_stands_first_with_its_microseconds() {
    let burnt = with(&[
        ("java.lang.Thread.run shop.Page.doGet shop.Tax.burn", 6.0),
        ("java.lang.Thread.run shop.Page.doGet shop.Tax.burn sun.security.provider.SHA2.implCompress", 14.0),
    ]);
    let found = only(&run([&SERVER, &burnt], STARTS, 1));
    assert_eq!((found.baseline.as_str(), found.arm.as_str()), ("nine", "ten"));
    assert_eq!(found.starts, [STARTS, STARTS]);
    let first = &found.methods.rows[0];
    assert_eq!(first.name, "shop.Tax.burn");
    assert_eq!(first.mostly.as_deref(), Some("sun.security.provider.SHA2.implCompress"));
    let (low, high) = first.difference.low.zip(first.difference.high).expect("an interval");
    assert!(low < 20e-6 && 20e-6 < high && high - low < 6e-6, "{first:?}");
    assert!(first.seconds[0] == Seconds::ZERO && (first.seconds[1].0 - 20e-6).abs() < 1e-6);
    assert!((found.difference.value - 20e-6).abs() < 5e-6 && found.difference.low.is_some());
    assert_eq!(names(&found.packages.rows), ["shop"]);
    assert_eq!(found.packages.rows[0].mostly.as_deref(), Some("shop.Tax.burn"));
}

#[test]
fn a_library_that_was_exchanged_for_another_is_named() {
    let json = |frames: [&'static str; 2], micros: f64| {
        with(&[(frames[0], 0.3 * micros), (frames[1], 0.7 * micros)])
    };
    let one = json(
        [
            "java.lang.Thread.run shop.Page.doGet com.fasterxml.jackson.databind.ObjectMapper.write",
            "java.lang.Thread.run shop.Page.doGet com.fasterxml.jackson.core.json.Generator.write java.lang.String.getBytes",
        ],
        20.0,
    );
    let other = json(
        [
            "java.lang.Thread.run shop.Page.doGet com.google.gson.Gson.toJson",
            "java.lang.Thread.run shop.Page.doGet com.google.gson.stream.JsonWriter.string java.lang.StringBuilder.append",
        ],
        50.0,
    );
    let found = only(&run([&one, &other], STARTS, 2));
    assert_eq!(names(&found.packages.rows), ["com.google.gson", "com.fasterxml.jackson"]);
    let [gson, jackson] = [0, 1].map(|row| found.packages.rows[row].difference.value);
    assert!((gson - 50e-6).abs() < 3e-6 && (jackson + 20e-6).abs() < 2e-6, "{gson} {jackson}");
    assert_eq!(names(&found.methods.rows)[0], "com.google.gson.stream.JsonWriter.string");
}

#[test]
fn the_kernel_the_compilers_and_the_collector_are_rows_of_their_own() {
    let mut other = SERVER;
    other[0].1 = 75.0; // The kernel, on behalf of Tomcat.
    other[6].1 = 16.0;
    other[7].1 = 30.0;
    let found = only(&run([&SERVER, &other], STARTS, 3));
    assert_eq!(names(&found.methods.rows), ["[collector]", "[kernel]", "[compiler]"]);
    assert_eq!(names(&found.packages.rows), ["[collector]", "[kernel]", "[compiler]"]);
    let kernel = &found.methods.rows[1];
    assert_eq!(kernel.mostly.as_deref(), Some("org.apache.tomcat.util.net.Nio.run"));
    assert!((kernel.difference.value - 15e-6).abs() < 4e-6, "{kernel:?}");
}

#[test]
fn two_identical_arms_show_nothing() {
    // Of 100 pairs, 5 may show something in each of the two tables; 16 of 200 have a probability below 5 %.
    let found = (0..100).map(|seed| only(&run([&SERVER, &SERVER], STARTS, 100 + seed)));
    let tables = found.flat_map(|found| [found.methods, found.packages]);
    let shown = tables.filter(|table| !table.rows.is_empty()).count();
    assert!(shown <= 16, "{shown} of 200 tables show a difference");
    let trees = trees(&run([&SERVER, &SERVER], STARTS, 100));
    assert!(trees[0].nodes.iter().all(|node| !node.differs));
}

#[test]
fn a_table_says_what_it_would_have_shown() {
    let table = only(&run([&SERVER, &SERVER], STARTS, 4)).methods;
    // Seven methods and parts are worth a look, the thing that was seen once is not.
    assert_eq!(table.compared, 7);
    let resolution = table.resolution.expect("something was compared").0;
    assert!((1e-6..10e-6).contains(&resolution), "{resolution}");
}

#[test]
fn one_start_of_each_arm_has_no_interval_and_shows_only_what_counting_does_not_explain() {
    let burnt = with(&[("java.lang.Thread.run shop.Page.doGet shop.Tax.burn", 20.0)]);
    let found = only(&run([&SERVER, &burnt], 1, 5));
    assert_eq!(found.methods.rows[0].name, "shop.Tax.burn");
    assert_eq!((found.methods.rows[0].difference.low, found.difference.low), (None, None));
    assert!(found.methods.rows.len() <= 2, "{:?}", names(&found.methods.rows));
}

#[test]
fn a_tree_has_each_call_before_those_that_it_makes() {
    let burnt = with(&[("java.lang.Thread.run shop.Page.doGet shop.Tax.burn", 20.0)]);
    let trees = trees(&run([&SERVER, &burnt], STARTS, 6));
    let tree = &trees[0];
    assert_eq!((tree.baseline, tree.arm, tree.load.users), (0, 1, Some(4)));
    let nodes = &tree.nodes;
    assert_eq!((nodes[0].name.as_str(), nodes[0].depth), ("", 0));
    for pair in nodes.windows(2) {
        assert!(pair[1].depth <= pair[0].depth + 1 && pair[1].depth > 0, "{pair:?}");
    }
    let second: Seconds = nodes.iter().filter(|node| node.depth == 1).map(|node| node.seconds[1]).sum();
    assert!((second / nodes[0].seconds[1] - 1.0).abs() < 0.01, "calls add up");
    let named = |name: &str| nodes.iter().find(|node| node.name == name).expect("a call");
    assert!(named("shop.Tax.burn").differs && !named("org.apache.coyote.Http11.parse").differs);
    assert_eq!(named("[kernel]").depth, named("write").depth + 1);
    assert!(nodes.iter().all(|node| node.name != "rare.Thing.seen"), "too small");
}

#[test]
fn a_large_tree_loses_its_smallest_calls() {
    // 400 chains of five calls; 250 of them take twice as long as the others.
    let chain = |chain: usize| CpuStack {
        frames: (0..5).map(|call| format!("shop.Page.m{chain}x{call}")).collect(),
        seconds: if chain < 250 { Seconds(2.0) } else { Seconds(1.0) },
    };
    let inspection = Inspection { ok: 1, cpu: (0..400).map(chain).collect(), ..Inspection::default() };
    let both = [0, 1].map(|arm| ArmInspection { arm, inspection: inspection.clone() });
    let run = RunRecord { cpu_profiles: both.into(), ..record(experiment()) };
    let nodes = &trees(&run)[0].nodes;
    assert_eq!(nodes.len(), 1 + 250 * 5, "not a part of those of one size");
}

#[test]
fn the_dearest_methods_of_one_arm_come_with_their_shares() {
    let run = run([&SERVER, &SERVER], STARTS, 7);
    let own = run.cpu_profiles.iter().filter(|seen| seen.arm == 1);
    let own: Vec<&Inspection> = own.map(|seen| &seen.inspection).collect();
    let costs = dearest(&own, 3);
    let named: Vec<&str> = costs.iter().map(|cost| cost.name.as_str()).collect();
    assert_eq!(named, ["[kernel]", "org.apache.coyote.Http11.parse", "shop.Page.doGet"]);
    assert!((costs[0].share.0 - 0.45).abs() < 0.02 && (costs[0].seconds.0 - 90e-6).abs() < 3e-6);
    assert!(dearest(&[], 3).is_empty());
}

#[test]
fn a_profile_is_offered_where_cpu_per_request_was_called_different_and_none_was_taken() {
    let comparison = |verdict: Verdict| Comparison {
        baseline: "nine".to_owned(),
        arm: "ten".to_owned(),
        level: None,
        measure: Measure::CpuPerRequest,
        ratio: None,
        margin: 0.02,
        verdict,
        gate: None,
        starts: 12,
        per_start: Vec::new(),
        spread: None,
        equivalence: None,
        remarks: Vec::new(),
    };
    let mut experiment = experiment();
    assert!(is_offered(&experiment, &[comparison(Verdict::Costlier)], &[]));
    assert!(!is_offered(&experiment, &[comparison(Verdict::Same)], &[]));
    let taken = only(&run([&SERVER, &SERVER], 1, 8));
    assert!(!is_offered(&experiment, &[comparison(Verdict::Costlier)], &[taken]));
    experiment.arms[1].origin = "http://127.0.0.1:8080".to_owned().try_into().ok();
    assert!(!is_offered(&experiment, &[comparison(Verdict::Costlier)], &[]), "it cannot be profiled");
}

#[test]
fn without_profiles_there_is_nothing() {
    let mut run = run([&SERVER, &SERVER], 1, 9);
    run.cpu_profiles.retain(|seen| seen.arm == 1);
    assert!(differences(&run).is_empty() && trees(&run).is_empty(), "of one arm alone");
    run.inspections = std::mem::take(&mut run.cpu_profiles);
    run.inspections[0].inspection.cpu.clear();
    assert!(differences(&run).is_empty());
}

#[test]
fn a_profile_of_another_inspection_counts_too() {
    let mut run = run([&SERVER, &SERVER], 2, 10);
    run.inspections = run.cpu_profiles.split_off(2);
    assert_eq!(only(&run).starts, [2, 2]);
}

#[test]
fn an_arm_that_was_to_be_profiled_and_was_not_is_noted() {
    let mut run = run([&SERVER, &SERVER], 1, 11);
    run.cpu_profiles.retain(|seen| seen.arm == 0);
    assert_eq!(note_on_missing(&run), None, "nobody asked");
    run.experiment.design.profiled_starts = 5;
    let note = note_on_missing(&run).expect("a note");
    let expected = ArmNote::NotProfiled { arms: vec!["ten".to_owned()], why: None };
    assert_eq!(note, expected);
    run.interrupted = true;
    assert_eq!(note_on_missing(&run), None);
}
