//! The results of calibrations: a line for every run, and the tally of all runs.

use crate::units::{self, left};
use crate::words::{self, Lang, Words, fill};
use ask::experiment::secondary_alpha;
use model::measure::Measure;
use record::calibration::{CalibrationRun, DoseKind, Injected, Posts, Tally};
use record::outcome::{Calibration, Verdict};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// The result of one run.
pub fn line(run: &CalibrationRun, lang: Lang) -> String {
    let words = words::of(lang);
    let mut out = format!("{}  {}", run.run, left(words.verdict(run.verdict), 12));
    if let Some(ratio) = &run.ratio {
        let _ = write!(out, " {}", crate::comparison::difference_text(ratio, words));
    }
    if run.injected.is_some() {
        out.push_str(&match run.truth() {
            Some(truth) => fill(words.calibrate_truth, &[("percent", &units::percent(truth))]),
            None => words.calibrate_no_truth.to_owned(),
        });
    }
    let took: [(&str, &dyn Display); 2] =
        [("starts", &run.starts), ("time", &units::minutes(run.elapsed.0, words))];
    let _ = writeln!(out, "{}", fill(words.calibrate_took, &took));
    if let Some(counted) = run.injected.as_ref().and_then(|injected| counted(injected, words)) {
        let bias = run.ratio.zip(run.truth()).map(|(ratio, truth)| {
            let bias = units::percent(ratio.value / truth);
            fill(words.calibrate_measured, &[("bias", &bias)])
        });
        let _ = writeln!(out, "  {counted}{}", bias.unwrap_or_default());
    }
    if !run.also_called.is_empty() {
        let titles = titles(&run.also_called, words);
        let _ = writeln!(out, "  {}", fill(words.calibrate_also, &[("titles", &titles)]));
    }
    posts(&mut out, &run.posts, words);
    out
}

/// What the application has counted of its dose.
fn counted(injected: &Injected, words: &Words) -> Option<String> {
    let counted = injected.counted?;
    let micros = format!("{:.2}", 1e6 * counted);
    Some(match injected.dose {
        DoseKind::Cpu | DoseKind::Gc => fill(words.calibrate_burnt, &[("micros", &micros)]),
        DoseKind::Bimodal => fill(words.calibrate_bad, &[("micros", &micros)]),
        DoseKind::Stall => fill(words.calibrate_stalled, &[("percent", &percent(counted, 2))]),
    })
}

/// The tally of all runs of one kind. `standing` is the stored tally of identical servers on this `class` of machine.
pub fn tally(tally: &Tally, class: &str, standing: Option<&Calibration>, lang: Lang) -> String {
    let words = words::of(lang);
    let kind = match tally.injected {
        None => words.calibrate_twice.to_owned(),
        Some(share) => {
            let kind = match tally.dose {
                DoseKind::Cpu => words.calibrate_slowed,
                DoseKind::Stall => words.calibrate_stalls,
                DoseKind::Gc => words.calibrate_garbage,
                DoseKind::Bimodal => words.calibrate_bimodal,
            };
            fill(kind, &[("percent", &percent(share.0, 1))])
        }
    };
    let runs: [(&str, &dyn Display); 2] = [("runs", &tally.runs), ("kind", &kind)];
    let mut out = format!("\n{}\n", fill(words.calibrate_runs, &runs));
    for (title, text) in answers(tally, words).into_iter().chain(circumstances(tally, words)) {
        let _ = writeln!(out, "  {}{text}", left(title, TITLE));
    }
    let _ = writeln!(out, "{}", words.calibrate_posts);
    posts(&mut out, &tally.posts, words);
    if let Some(standing) = standing {
        let alpha = percent(standing.alpha.unwrap_or(tally.alpha), 0);
        let all: [(&str, &dyn Display); 2] = [("class", &class), ("alpha", &alpha)];
        let calls: [(&str, &dyn Display); 3] = [
            ("calls", &standing.false_calls),
            ("runs", &standing.runs),
            ("upper", &percent(standing.upper.0, 1)),
        ];
        let _ = writeln!(out, "{}", fill(words.calibrate_class, &all));
        let _ = writeln!(out, "  {}", fill(words.calibrate_class_calls, &calls));
    }
    let _ = writeln!(out, "{}", words.calibrate_bounds);
    out
}

/// Columns of the name of a figure.
const TITLE: usize = 22;

/// A share from 0 to 1 in per cent, with this number of decimals.
fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$}", 100.0 * share)
}

/// How often the runs gave which verdict.
fn answers(tally: &Tally, words: &Words) -> Vec<(&'static str, String)> {
    let n = tally.runs;
    let of_n = |count: u32| fill(words.calibrate_of, &[("count", &count), ("all", &n)]);
    let (bound, promised) = (percent(tally.bound.0, 1), percent(tally.alpha, 0));
    let with_others = percent(tally.alpha + secondary_alpha(tally.alpha), 0);
    let mut rows = match tally.injected {
        None => vec![
            (
                words.calibrate_false,
                of_n(tally.false_calls())
                    + &fill(words.calibrate_at_most, &[("bound", &bound), ("promised", &promised)]),
            ),
            (
                words.calibrate_any,
                of_n(tally.any_measure) + &fill(words.calibrate_promised, &[("promised", &with_others)]),
            ),
        ],
        Some(_) => vec![
            (
                words.calibrate_slower,
                of_n(tally.slower) + &fill(words.calibrate_at_least, &[("bound", &bound)]),
            ),
            (words.calibrate_faster, of_n(tally.false_calls())),
        ],
    };
    rows.push((words.verdict(Verdict::Same), of_n(tally.same)));
    rows.push((words.verdict(Verdict::Inconclusive), of_n(tally.inconclusive)));
    rows
}

/// Intervals, p-values and duration of the runs.
fn circumstances(tally: &Tally, words: &Words) -> Vec<(&'static str, String)> {
    let (holds, all) = tally.covered;
    let covered = fill(words.calibrate_of, &[("count", &holds), ("all", &all)]);
    let mut rows = vec![(words.calibrate_covered, covered)];
    if let Some(bias) = tally.bias {
        let bias = units::percent(bias.exp());
        rows.push((words.calibrate_bias, fill(words.calibrate_off, &[("bias", &bias)])));
    }
    if let Some(p) = tally.uniformity {
        let p = format!("{p:.2}");
        rows.push((words.calibrate_uniform, fill(words.calibrate_p, &[("p", &p)])));
    }
    let mean: [(&str, &dyn Display); 2] =
        [("time", &units::minutes(tally.elapsed.0, words)), ("starts", &format!("{:.1}", tally.starts.0))];
    rows.push((words.calibrate_takes, fill(words.calibrate_mean, &mean)));
    if tally.invalid > 0 {
        rows.push((words.calibrate_invalid, tally.invalid.to_string()));
    }
    rows
}

fn posts(out: &mut String, posts: &BTreeMap<Measure, Posts>, words: &Words) {
    let mut by_name: Vec<(&Measure, &Posts)> = posts.iter().collect();
    by_name.sort_by_key(|(measure, _)| measure.id());
    for (measure, posts) in by_name {
        let title = words.measure(*measure);
        let values: [(&str, &dyn Display); 3] =
            [("different", &posts.different), ("starts", &posts.starts), ("published", &posts.published)];
        let text = fill(words.calibrate_post, &values);
        let _ = writeln!(out, "  {}{text}", left(title, TITLE));
    }
}

fn titles(measures: &[Measure], words: &Words) -> String {
    let titles: Vec<&str> = measures.iter().map(|measure| words.measure(*measure)).collect();
    titles.join(words.separator)
}
