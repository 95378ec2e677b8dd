//! Calibrations as users see them, kept as a golden file.

use model::measure::Measure;
use model::units::{Count, Seconds, Share};
use record::calibration::{CalibrationRun, DoseKind, Injected, Posts, Tally};
use record::outcome::{Calibration, Estimate, Verdict};
use say::Language;
use std::collections::BTreeMap;

fn calibration_run(injected: Option<Injected>, verdict: Verdict) -> CalibrationRun {
    CalibrationRun {
        run: "2026-11-21T03:40:12Z-7f3a".into(),
        class: "x86_64, Xeon, 2 CPUs, 32 GiB, Linux 6.18, virtual".into(),
        server: "tomcat:10.1.59".into(),
        injected,
        alpha: 0.01,
        verdict,
        also_called: vec![Measure::ResponseP99],
        ratio: Some(Estimate { value: 1.021, low: Some(0.99), high: Some(1.052) }),
        p_first: Some(0.4),
        starts: 12,
        elapsed: Seconds(290.0),
        headline: Vec::new(),
        others: Vec::new(),
        posts: posts(12),
    }
}

fn posts(starts: u32) -> BTreeMap<Measure, Posts> {
    let of = |different, published| Posts { starts, different, published };
    [(Measure::Throughput, of(3, 10)), (Measure::CpuPerRequest, of(2, 9))].into()
}

fn calibration_tally(injected: Option<(DoseKind, f64)>) -> Tally {
    Tally {
        injected: injected.map(|(_, share)| share).map(Share),
        dose: injected.map(|(dose, _)| dose).unwrap_or_default(),
        bias: injected.map(|_| -0.002),
        alpha: 0.01,
        runs: 30,
        invalid: 1,
        faster: 0,
        slower: if injected.is_some() { 28 } else { 0 },
        called: if injected.is_some() { 28 } else { 0 },
        same: if injected.is_some() { 0 } else { 21 },
        inconclusive: if injected.is_some() { 2 } else { 9 },
        bound: if injected.is_some() { Share(0.805) } else { Share(0.095) },
        any_measure: 1,
        covered: (30, 30),
        uniformity: injected.is_none().then_some(0.61),
        elapsed: Seconds(286.0),
        starts: Count(11.8),
        posts: posts(354),
    }
}

/// Two runs and two tallies.
fn shown(lang: Language) -> String {
    let slowed = |dose, counted, truth| {
        Some(Injected { dose, share: Share(0.03), amount: 300, counted: Some(counted), truth: Some(truth) })
    };
    let standing = Calibration { runs: 41, false_calls: 0, alpha: Some(0.01), upper: Share(0.0705) };
    let class = "x86_64, Xeon, 2 CPUs, 32 GiB, Linux 6.18, virtual";
    let tally = |injected| report::calibration::tally(&calibration_tally(injected), class, None, lang);
    let shown = [
        report::calibration::line(&calibration_run(None, Verdict::Same), lang),
        report::calibration::line(
            &calibration_run(slowed(DoseKind::Cpu, 5.4e-7, 1.029), Verdict::Slower),
            lang,
        ),
        report::calibration::line(
            &calibration_run(slowed(DoseKind::Stall, 0.031, 0.969), Verdict::Slower),
            lang,
        ),
        report::calibration::line(
            &calibration_run(slowed(DoseKind::Bimodal, 6e-6, 1.028), Verdict::Inconclusive),
            lang,
        ),
        report::calibration::tally(&calibration_tally(None), class, Some(&standing), lang),
        tally(Some((DoseKind::Cpu, 0.03))),
        tally(Some((DoseKind::Stall, 0.03))),
        tally(Some((DoseKind::Gc, 0.03))),
        tally(Some((DoseKind::Bimodal, 0.03))),
    ];
    let shown = shown.concat();
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    shown
}

#[test]
fn calibrations_show_every_run_and_the_tally() {
    insta::assert_snapshot!(shown(Language::En));
}

#[test]
fn calibrations_are_told_in_chinese() {
    insta::assert_snapshot!(shown(Language::Zh));
}
