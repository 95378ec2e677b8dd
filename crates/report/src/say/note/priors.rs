//! The note on what earlier runs have shown of how starts differ.

use super::chinese;
use crate::say::{Lang, numbers};
use model::note::PriorChange;

/// By how much starts may differ in each of these measures beyond their windows, and from how many runs that is known.
pub(super) fn learnt(changes: &[PriorChange], lang: Lang) -> String {
    let runs = changes.iter().map(|change| change.learnt.runs).min().unwrap_or(0);
    let each: Vec<String> = changes.iter().map(|change| one(change, lang)).collect();
    match lang {
        Lang::En => format!(
            "intervals allow for what {runs} earlier runs on such machines have shown of how starts differ beyond their windows: {}",
            each.join("; ")
        ),
        Lang::Zh => format!(
            "区间按此类机器上以往 {runs} 次运行所显示的、超出启动内窗口所能解释的启动间差异计算：{}",
            each.join("；")
        ),
    }
}

fn one(change: &PriorChange, lang: Lang) -> String {
    let PriorChange {
        learnt,
        usual_deviation,
        usual_weight,
    } = change;
    let [deviation, usual] = [learnt.deviation, *usual_deviation].map(|sd| numbers::tenths(100.0 * sd));
    let weight = numbers::tenths(learnt.weight);
    let is_lighter = learnt.weight < *usual_weight;
    match lang {
        Lang::En => {
            let counts = format!(", with the weight of {weight} starts (usually {usual_weight})");
            format!(
                "{} by {deviation} % (usually {usual} %){}",
                learnt.measure.title(),
                if is_lighter { &counts } else { "" }
            )
        }
        Lang::Zh => {
            let counts = format!("，权重相当于 {weight} 次启动（通常为 {usual_weight}）");
            format!(
                "{} {deviation} %（通常为 {usual} %）{}",
                chinese::measure(learnt.measure),
                if is_lighter { &counts } else { "" }
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::assert_said_in_both_languages;
    use model::experiment::LearntPrior;
    use model::measure::Measure;

    #[test]
    fn what_was_learnt_is_told_beside_what_is_usual() {
        let change = |measure, deviation, weight, usual_deviation| PriorChange {
            learnt: LearntPrior {
                measure,
                deviation,
                weight,
                runs: 34,
            },
            usual_deviation,
            usual_weight: 6.0,
        };
        let changes = [
            change(Measure::Throughput, 0.0213, 6.0, 0.015),
            change(Measure::CpuPerRequest, 0.012, 4.13, 0.012),
        ];
        let sentence = learnt(&changes, Lang::En);
        assert_eq!(
            sentence,
            "intervals allow for what 34 earlier runs on such machines have shown of how starts differ beyond their windows: throughput by \
             2.1 % (usually 1.5 %); CPU per request by 1.2 % (usually 1.2 %), with the weight of 4.1 starts (usually 6)"
        );
        assert_said_in_both_languages(&sentence, &learnt(&changes, Lang::Zh));
    }
}
