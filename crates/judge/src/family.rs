//! How the verdicts of a design share its error rate: over its looks, and over its measures, arms and loads.

use crate::d_series::DSeries;
use crate::round_time::slice_row;
use model::experiment::{Design, Experiment};
use model::measure::Measure;
use stats::multiplicity::{Family, Group, primary};
use stats::sequential::{Look, Plan, Test};
use stats::spending::LookKind;

/// The looks of a design.
pub(crate) fn plan(design: &Design) -> Plan {
    let plan = Plan::new(design.starts.map(|cap| cap as usize));
    match design.gate {
        Some(_) => plan.with_gate(),
        None => plan,
    }
}

/// The looks of a design at all tests that are no gate.
pub(crate) fn plan_beside_gate(design: &Design) -> Plan {
    Plan::new(design.starts.map(|cap| cap as usize))
}

/// The family of the headline: each measure has a part of alpha by its weight, which its loads share equally and its arms as they share a
/// baseline.
pub(crate) fn family(experiment: &Experiment, heads: &[DSeries]) -> Family {
    let design = &experiment.design;
    let mut groups: Vec<(Measure, usize, Vec<usize>)> = Vec::new();
    for (index, series) in heads.iter().enumerate() {
        let place = |(measure, at, _): &&mut (Measure, usize, Vec<usize>)| {
            (*measure, *at) == (series.measure, series.at)
        };
        match groups.iter_mut().find(place) {
            Some((_, _, tests)) => tests.push(index),
            None => groups.push((series.measure, series.at, vec![index])),
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
                // Of the variance of a difference, the baseline has one part in 1 + as many slices as it has for one of the arm.
                correlation: 1.0 / (1.0 + of_baseline(*measure)),
                tests: tests.clone(),
            })
            .collect(),
    }
}

/// The last look at each of the headline's series. A look that settles an arm stays its last, whatever later starts show.
pub(crate) fn headline_looks(
    experiment: &Experiment,
    heads: &[DSeries],
    kind: LookKind,
) -> Vec<Option<Look>> {
    let tests: Vec<Test<'_>> = heads.iter().map(DSeries::test).collect();
    primary(
        &tests,
        &family(experiment, heads),
        &plan(&experiment.design),
        kind,
    )
}

/// Whether every look is settled.
pub(crate) fn all_settled(looks: &[Option<Look>]) -> bool {
    looks
        .iter()
        .all(|look| look.is_some_and(|look| look.is_settled()))
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
            rounds: Vec::new(),
            margin: 0.05,
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
    fn four_arms_cost_little_more_than_two() {
        let mut four = experiment();
        for name in ["eleven", "twelve"] {
            let mut arm = four.arms[1].clone();
            arm.name = name.to_owned();
            four.arms.push(arm);
        }
        let heads = |arms: usize| -> Vec<DSeries> {
            (1..arms)
                .map(|arm| series(arm, Measure::CpuPerRequest, 0))
                .collect()
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
