//! How the verdicts of a design share its error rate: over its looks, and over its measures, arms and loads.

use crate::d_series::DSeries;
use crate::round_time::slice_row;
use ask::experiment::{Design, Experiment};
use model::measure::Measure;
use stats::multiplicity::{Family, Group, newest_look, primary};
use stats::sequential::{Look, Plan, Test};
use stats::spending::LookKind;

/// The looks of a design at all tests that are no gate.
pub(crate) fn plan_beside_gate(design: &Design) -> Plan {
    Plan::new(design.starts.map(|cap| cap as usize))
}

/// The looks of a design at its headline.
fn plan(design: &Design) -> Plan {
    match design.gate {
        Some(_) => plan_beside_gate(design).with_gate(),
        None => plan_beside_gate(design),
    }
}

/// The family of the headline: each measure has a part of alpha by its weight, which its loads share equally and its arms as they share a
/// baseline.
fn family(experiment: &Experiment, heads: &[DSeries]) -> Family {
    let places: Vec<(Measure, usize)> = heads.iter().map(|series| (series.measure, series.at)).collect();
    family_at(experiment, &places)
}

/// The part of the error rate that each test of `measure` has before anything is passed on, where the headline has these measures.
pub(crate) fn alpha_of(experiment: &Experiment, measures: &[Measure], measure: Measure) -> f64 {
    let of_arm = || {
        measures
            .iter()
            .flat_map(|measure| (0..experiment.comparisons_per_start(*measure)).map(move |at| (*measure, at)))
    };
    let places: Vec<(Measure, usize)> = (1..experiment.arms.len().max(2)).flat_map(|_| of_arm()).collect();
    let alphas = family_at(experiment, &places).alphas(&vec![false; places.len()]);
    let of_measure = places.iter().zip(alphas).find(|((of, _), _)| *of == measure);
    of_measure.map_or(experiment.design.alpha, |(_, alpha)| alpha)
}

/// The family of tests in these measures at these places, one for each arm.
fn family_at(experiment: &Experiment, places: &[(Measure, usize)]) -> Family {
    let design = &experiment.design;
    let mut groups: Vec<(Measure, usize, Vec<usize>)> = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let is_there = |(measure, at, _): &&mut (Measure, usize, Vec<usize>)| (*measure, *at) == *place;
        match groups.iter_mut().find(is_there) {
            Some((_, _, tests)) => tests.push(index),
            None => groups.push((place.0, place.1, vec![index])),
        }
    }
    let loads = |measure: Measure| groups.iter().filter(|(of, ..)| *of == measure).count() as f64;
    let row = slice_row(experiment.arms.len(), design.baseline);
    let in_turn = row.iter().filter(|arm| **arm == design.baseline).count() as f64;
    let of_baseline = |measure: Measure| match design.compares_at_a_rate(measure)
        && design.pacing.of(measure).is_together()
    {
        true => 1.0,
        false => in_turn,
    };
    Family {
        alpha: design.alpha,
        groups: groups
            .iter()
            .map(|(measure, _, tests)| Group {
                weight: design.headline.weight(*measure) / loads(*measure),
                // A baseline with twice the slices of an arm adds a third of the variance of their difference.
                correlation: 1.0 / (1.0 + of_baseline(*measure)),
                tests: tests.clone(),
            })
            .collect(),
    }
}

/// The tests of the headline, with all that decides them.
pub(crate) struct HeadlineTests<'a> {
    heads: &'a [DSeries],
    plan: Plan,
    family: Family,
    /// The part of the error rate that each test has before anything is passed on.
    alphas: Vec<f64>,
}

impl<'a> HeadlineTests<'a> {
    /// The tests of these series.
    pub(crate) fn of(experiment: &Experiment, heads: &'a [DSeries]) -> Self {
        let family = family(experiment, heads);
        Self {
            heads,
            plan: plan(&experiment.design),
            alphas: family.alphas(&vec![false; heads.len()]),
            family,
        }
    }

    /// The last look at each series. A look that settles an arm stays its last, whatever later starts show.
    pub(crate) fn looks(&self, kind: LookKind) -> Vec<Option<Look>> {
        let tests: Vec<Test<'_>> = self.heads.iter().map(DSeries::test).collect();
        primary(&tests, &self.family, &self.plan, kind)
    }

    /// Whether a run with so many starts is at a look that may have ended it.
    pub(crate) fn is_at_early_look(&self) -> bool {
        let starts = self.heads.iter().map(|series| series.d.len()).max().unwrap_or(0);
        self.plan.early_looks(starts).contains(&starts)
    }

    /// The looks at all starts. A verdict keeps the look that settled it, but a requirement asks for another loss, and so for the newest
    /// look.
    pub(crate) fn newest(&self, kind: LookKind) -> impl Iterator<Item = Option<Look>> {
        let tests = self.heads.iter().zip(&self.alphas);
        tests.map(move |(series, alpha)| self.plan.look(&series.test(), *alpha, kind))
    }

    /// Each test with the look that settled it, the one to show, and its part of the error rate.
    pub(crate) fn shown(
        &self,
        settled: &[Option<Look>],
        kind: LookKind,
    ) -> impl Iterator<Item = (&'a DSeries, Option<Look>, Option<Look>, f64)> {
        let tests = self.heads.iter().zip(&self.alphas).zip(settled);
        tests.map(move |((series, alpha), settled)| {
            let newest = |look| newest_look(look, &series.test(), *alpha, &self.plan, kind);
            (series, *settled, settled.map(newest), *alpha)
        })
    }
}

/// Whether every look is settled.
pub(crate) fn all_settled(looks: &[Option<Look>]) -> bool {
    looks.iter().all(|look| look.is_some_and(|look| look.is_settled()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::experiment;

    fn series(arm: usize, measure: Measure, at: usize) -> DSeries {
        DSeries {
            arm,
            measure,
            at,
            d: Vec::new(),
            within: Vec::new(),
            windows: 0.0,
            prior: None,
            rounds: Vec::new(),
            margin: 0.05,
            replicate: stats::sessions::Replicate::Start,
            level: None,
        }
    }

    #[test]
    fn measures_share_the_error_rate_by_weight_and_loads_equally() {
        let heads = [
            series(1, Measure::Throughput, 0),
            series(1, Measure::Throughput, 1),
            series(1, Measure::CpuPerRequest, 0),
            series(1, Measure::ResponseP90, 0),
        ];
        let family = family(&experiment(), &heads);
        let alphas = family.alphas(&[false; 4]);
        for (alpha, part) in alphas.into_iter().zip([0.225, 0.225, 0.45, 0.1]) {
            assert!((alpha - 0.05 * part).abs() < 1e-12, "{alpha}");
        }
    }

    #[test]
    fn a_plan_shares_the_error_rate_as_its_verdicts_do() {
        let mut four = experiment();
        for name in ["eleven", "twelve"] {
            let mut arm = four.arms[1].clone();
            arm.name = name.to_owned();
            four.arms.push(arm);
        }
        four.load.connections = vec![4, 8];
        let measures = [Measure::Throughput, Measure::CpuPerRequest];
        let places = [(Measure::Throughput, 0), (Measure::Throughput, 1), (Measure::CpuPerRequest, 0)];
        let of_arm = |arm: usize| places.map(|(measure, at)| series(arm, measure, at));
        let heads: Vec<DSeries> = (1..4).flat_map(of_arm).collect();
        let judged = family(&four, &heads).alphas(&[false; 9]);
        for (measure, index) in [(Measure::Throughput, 0), (Measure::CpuPerRequest, 2)] {
            let planned = alpha_of(&four, &measures, measure);
            assert_eq!(planned, judged[index], "{measure:?}");
            // Three arms that share a baseline need less than a third each.
            let bonferroni = four.design.alpha * 0.5 / 3.0 / if index == 0 { 2.0 } else { 1.0 };
            assert!(planned > 1.02 * bonferroni, "{measure:?}: {planned} {bonferroni}");
        }
    }

    #[test]
    fn four_arms_cost_little_more_than_two() {
        let mut four = experiment();
        for name in ["eleven", "twelve"] {
            let mut arm = four.arms[1].clone();
            arm.name = name.to_owned();
            four.arms.push(arm);
        }
        let heads = |arms: usize| -> Vec<DSeries> {
            (1..arms).map(|arm| series(arm, Measure::CpuPerRequest, 0)).collect()
        };
        let half_width = |experiment: &Experiment, arms: usize| {
            let alpha = family(experiment, &heads(arms)).alphas(&vec![false; arms - 1])[0];
            // Seven starts, whose variance the windows moderate to twelve degrees of freedom.
            stats::distribution::t_isf(0.9 * alpha / 2.0, 12.0)
        };
        let ratio = half_width(&four, 4) / half_width(&experiment(), 2);
        // The baseline of four arms is loaded twice in each row, so that it adds half as much to the variance of a difference.
        let narrower = ((1.0 + 0.5) / 2.0_f64).sqrt();
        println!(
            "four arms: {ratio:.3} times the critical value of two, {:.3} times its interval",
            ratio * narrower
        );
        assert!(ratio <= 1.26 && ratio * narrower <= 1.25, "{ratio}");
    }
}
