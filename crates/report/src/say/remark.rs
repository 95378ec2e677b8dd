//! The remarks on a verdict, as sentences.

mod pauses;

use super::{Lang, numbers, spaced, text};
use crate::units;
use model::remark::{Goal, Remark, StillCompiling};

/// All remarks on one verdict in one line; `None` where there is nothing to remark.
pub fn remarks(remarks: &[Remark], lang: Lang) -> Option<String> {
    let sentences: Vec<String> = remarks.iter().map(|one| remark(one, lang)).collect();
    let separator = match lang {
        Lang::En => "; ",
        Lang::Zh => "；",
    };
    (!sentences.is_empty()).then(|| sentences.join(separator))
}

/// One remark as a sentence.
pub fn remark(remark: &Remark, lang: Lang) -> String {
    match lang {
        Lang::En => english(remark),
        Lang::Zh => spaced(&chinese(remark)),
    }
}

fn english(remark: &Remark) -> String {
    match remark {
        Remark::LossWithinMargin { margin } => {
            format!("a loss was shown, but it lies within {}", margin_percent(*margin))
        }
        Remark::DifferenceWithinMargin { margin } => {
            format!(
                "the difference is shown, and smaller than {}",
                margin_percent(*margin)
            )
        }
        Remark::DiffersByLess { bound, starts, mode } => format!(
            "they differ by less than {}; what happens in fewer than {} of all starts may not be among these {starts}",
            margin_percent(*bound),
            whole_percent(*mode)
        ),
        Remark::TooFewForSame {
            margin,
            needed,
            starts,
        } => format!(
            "the interval lies within {}, but `same` takes at least {needed} starts (this run has {starts})",
            margin_percent(*margin)
        ),
        Remark::StartFarOff {
            start,
            difference,
            margin,
            margins,
        } => format!(
            "the interval lies within {}, but start {start} differs by {}, more than {margins} margins",
            margin_percent(*margin),
            margin_percent(*difference)
        ),
        Remark::TooFewStarts { needed, starts } => {
            format!("an interval needs {needed} starts, and there were {starts}")
        }
        Remark::MoreTime { .. } | Remark::NewRun { .. } | Remark::TooNoisy { .. } => english_effort(remark),
        Remark::DecidedEarly { .. }
        | Remark::StartsMissing { .. }
        | Remark::RareSlicesWeigh { .. }
        | Remark::StartsDisagree { .. }
        | Remark::StartsDifferMore { .. }
        | Remark::FewStartsDominate { .. } => english_starts(remark),
        Remark::NotEstimable { needed, seconds } => format!(
            "this percentile cannot be estimated, so it was not judged: each arm needs about {} s of load at the fixed rate, \
             and there were {seconds:.0} s",
            needed.ceil()
        ),
        Remark::NotWarm { unsteady, all, cap } => format!(
            "{unsteady} of {all} warm-ups ended before the server was warm, so this was not judged: set a `warmup_cap` longer \
             than {cap} s"
        ),
        Remark::Pauses(pauses) => pauses::english(pauses),
        Remark::StillCompiling(seen) => english_compiling(seen),
        Remark::Invalid(why) => text(why, Lang::En),
        Remark::Legacy(text) => text.clone(),
    }
}

/// How far the starts agree, and which of them count. Empty for other remarks.
fn english_starts(remark: &Remark) -> String {
    match remark {
        Remark::DecidedEarly { starts, all } => format!("it was decided after {starts} of {all} starts"),
        Remark::StartsMissing { counted, all } => {
            format!("{counted} of {all} starts counted for this measure")
        }
        Remark::RareSlicesWeigh { change } => format!(
            "rare slices weigh: without them the difference would be {} %",
            units::percent(1.0 + change)
        ),
        Remark::StartsDisagree { opposite, all } => format!(
            "the difference is small against the variation between starts: {opposite} of {all} starts point the other way"
        ),
        Remark::StartsDifferMore { ratio } => {
            format!(
                "starts differ more than their windows explain (F = {ratio:.1}), so the interval is wider"
            )
        }
        Remark::FewStartsDominate { sign_flip, t } => format!(
            "a few starts dominate the mean (p = {sign_flip:.2} by the sign-flip test, {t:.2} by the t test); see every start"
        ),
        _ => String::new(),
    }
}

/// What compilers took when the warm-ups ended.
fn english_compiling(seen: &StillCompiling) -> String {
    let StillCompiling {
        arm, unsteady, all, ..
    } = seen;
    let end = match seen.is_much {
        true => ", so this was not judged: set a longer `warmup_cap`",
        false => "; a longer `warmup_cap` would tell it apart",
    };
    format!(
        "{unsteady} of {all} warm-ups ended before compilers were idle: those of {arm} took {:.1} % of its CPU time then, those of the other \
         arm {:.1} %{end}",
        100.0 * seen.share,
        100.0 * seen.other_share
    )
}

/// Like [`english_compiling`].
fn chinese_compiling(seen: &StillCompiling) -> String {
    let StillCompiling {
        arm, unsteady, all, ..
    } = seen;
    let end = match seen.is_much {
        true => "，因此不作判定：请加长 `warmup_cap`",
        false => "；加长 `warmup_cap` 可以区分二者",
    };
    format!(
        "{all} 次预热中有 {unsteady} 次结束时编译器仍在工作：{arm} 的编译器当时占其 CPU 时间的 {:.1} %，另一对象为 {:.1} %{end}",
        100.0 * seen.share,
        100.0 * seen.other_share
    )
}

/// What it would take to reach a goal. Empty for remarks that name no goal.
fn english_effort(remark: &Remark) -> String {
    match remark {
        Remark::MoreTime { seconds, goal } => format!(
            "{} would be needed to {}",
            english_time(*seconds),
            english_goal(*goal)
        ),
        Remark::NewRun {
            starts,
            seconds,
            goal,
        } => format!(
            "a new run of about {starts} starts ({:.0} min) would be needed to {}",
            minutes(*seconds),
            english_goal(*goal)
        ),
        Remark::TooNoisy { goal } => format!("this machine is too noisy to {}", english_goal(*goal)),
        _ => String::new(),
    }
}

/// What it would take to decide an open question, in a few words, by the first of these remarks that says so.
pub(crate) fn effort(remarks: &[Remark], lang: Lang) -> Option<String> {
    remarks.iter().find_map(|remark| match lang {
        Lang::En => english_short(remark),
        Lang::Zh => chinese_short(remark).map(|text| spaced(&text)),
    })
}

fn english_short(remark: &Remark) -> Option<String> {
    Some(match remark {
        Remark::Pauses(pauses) if pauses.opens => pauses::english_short(pauses),
        Remark::TooFewStarts { needed, .. } => format!("an interval needs {needed} starts"),
        Remark::MoreTime { seconds, .. } => english_time(*seconds),
        Remark::NewRun { starts, seconds, .. } => {
            format!("a new run of about {starts} starts, {:.0} min", minutes(*seconds))
        }
        Remark::TooNoisy { .. } => "more than a day on this machine".to_owned(),
        Remark::NotEstimable { needed, .. } => {
            format!("needs about {} s of load at the fixed rate", needed.ceil())
        }
        _ => return None,
    })
}

fn chinese_short(remark: &Remark) -> Option<String> {
    Some(match remark {
        Remark::Pauses(pauses) if pauses.opens => pauses::chinese_short(pauses),
        Remark::TooFewStarts { needed, .. } => format!("区间至少需要 {needed} 次启动"),
        Remark::MoreTime { seconds, .. } => chinese_time(*seconds),
        Remark::NewRun { starts, seconds, .. } => {
            format!("需要约 {starts} 次启动的新运行，{:.0} 分钟", minutes(*seconds))
        }
        Remark::TooNoisy { .. } => "在这台机器上需要一天以上".to_owned(),
        Remark::NotEstimable { needed, .. } => {
            format!("需要约 {} s 固定速率负载", needed.ceil())
        }
        _ => return None,
    })
}

fn english_time(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => "less than a minute more".to_owned(),
        s if s < 5400.0 => format!("about {:.0} more min", s / 60.0),
        s => format!("about {:.0} more hours", s / 3600.0),
    }
}

fn english_goal(goal: Goal) -> String {
    match goal {
        Goal::SettleGate => "settle the gate if nothing was lost".to_owned(),
        Goal::Detect { effect } => format!("detect a {} difference", margin_percent(effect)),
        Goal::Confirm { effect } => {
            format!("confirm the {} difference that was seen", margin_percent(effect))
        }
        Goal::ShowSame => "show that they are the same".to_owned(),
    }
}

fn chinese(remark: &Remark) -> String {
    match remark {
        Remark::LossWithinMargin { margin } => {
            format!("已证明存在损失，但在 {} 以内", margin_percent(*margin))
        }
        Remark::DifferenceWithinMargin { margin } => {
            format!("差异已被证明，且小于 {}", margin_percent(*margin))
        }
        Remark::DiffersByLess { bound, starts, mode } => format!(
            "两者相差小于 {}；在不到 {} 的启动中才会出现的情况，可能不在这 {starts} 次启动之中",
            margin_percent(*bound),
            whole_percent(*mode)
        ),
        Remark::TooFewForSame {
            margin,
            needed,
            starts,
        } => format!(
            "区间在 {} 以内，但判定为“相同”至少需要 {needed} 次启动（本次运行只有 {starts} 次）",
            margin_percent(*margin)
        ),
        Remark::StartFarOff {
            start,
            difference,
            margin,
            margins,
        } => format!(
            "区间在 {} 以内，但第 {start} 次启动相差 {}，超过界限的 {margins} 倍",
            margin_percent(*margin),
            margin_percent(*difference)
        ),
        Remark::TooFewStarts { needed, starts } => {
            format!("计算区间需要 {needed} 次启动，只有 {starts} 次")
        }
        Remark::MoreTime { .. } | Remark::NewRun { .. } | Remark::TooNoisy { .. } => chinese_effort(remark),
        Remark::DecidedEarly { .. }
        | Remark::StartsMissing { .. }
        | Remark::RareSlicesWeigh { .. }
        | Remark::StartsDisagree { .. }
        | Remark::StartsDifferMore { .. }
        | Remark::FewStartsDominate { .. } => chinese_starts(remark),
        Remark::NotEstimable { needed, seconds } => format!(
            "该百分位数无法估计，因此不作判定：每个对象在固定速率下约需 {} 秒负载，实际只有 {seconds:.0} 秒",
            needed.ceil()
        ),
        Remark::NotWarm { unsteady, all, cap } => format!(
            "{all} 次预热中有 {unsteady} 次结束时服务器尚未热身完毕，因此不作判定：请把 `warmup_cap` 设为 {cap} 秒以上"
        ),
        Remark::Pauses(pauses) => pauses::chinese(pauses),
        Remark::StillCompiling(seen) => chinese_compiling(seen),
        Remark::Invalid(why) => text(why, Lang::Zh),
        Remark::Legacy(text) => text.clone(),
    }
}

/// Like [`english_starts`].
fn chinese_starts(remark: &Remark) -> String {
    match remark {
        Remark::DecidedEarly { starts, all } => format!("在 {all} 次启动中的第 {starts} 次后即已判定"),
        Remark::StartsMissing { counted, all } => {
            format!("{all} 次启动中有 {counted} 次计入该指标")
        }
        Remark::RareSlicesWeigh { change } => format!(
            "少数切片影响很大：不计它们时差异为 {} %",
            units::percent(1.0 + change)
        ),
        Remark::StartsDisagree { opposite, all } => {
            format!("相对于启动之间的波动，差异较小：{all} 次启动中有 {opposite} 次方向相反")
        }
        Remark::StartsDifferMore { ratio } => {
            format!("各次启动之间的差异超出了启动内窗口所能解释的范围（方差比 {ratio:.1}），因此区间更宽")
        }
        Remark::FewStartsDominate { sign_flip, t } => format!(
            "均值由少数几次启动决定（符号翻转检验 p = {sign_flip:.2}，t 检验 p = {t:.2}）；请查看每次启动的差异"
        ),
        _ => String::new(),
    }
}

/// Like [`english_effort`].
fn chinese_effort(remark: &Remark) -> String {
    match remark {
        Remark::MoreTime { seconds, goal } => {
            format!("{}才能{}", chinese_time(*seconds), chinese_goal(*goal))
        }
        Remark::NewRun {
            starts,
            seconds,
            goal,
        } => format!(
            "需要重新运行约 {starts} 次启动（{:.0} 分钟）才能{}",
            minutes(*seconds),
            chinese_goal(*goal)
        ),
        Remark::TooNoisy { goal } => format!("这台机器噪声太大，无法{}", chinese_goal(*goal)),
        _ => String::new(),
    }
}

fn chinese_time(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => "还需不到一分钟".to_owned(),
        s if s < 5400.0 => format!("约再需 {:.0} 分钟", s / 60.0),
        s => format!("约再需 {:.0} 小时", s / 3600.0),
    }
}

fn chinese_goal(goal: Goal) -> String {
    match goal {
        Goal::SettleGate => "在没有损失时判定门限".to_owned(),
        Goal::Detect { effect } => format!("检测出 {} 的差异", margin_percent(effect)),
        Goal::Confirm { effect } => format!("证实已观察到的 {} 的差异", margin_percent(effect)),
        Goal::ShowSame => "证明两者相同".to_owned(),
    }
}

/// A duration in minutes, at least one.
fn minutes(seconds: f64) -> f64 {
    (seconds / 60.0).max(1.0)
}

/// A margin in per cent: `2 %`, `4.5 %`.
fn margin_percent(share: f64) -> String {
    format!("{} %", numbers::tenths(100.0 * share))
}

/// A share in whole per cent: `35 %`.
fn whole_percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::assert_said_in_both_languages;

    #[test]
    fn what_is_left_open_is_said_with_its_numbers() {
        let less = Remark::DiffersByLess {
            bound: 0.027,
            starts: 7,
            mode: 0.348,
        };
        let differ = Remark::StartsDifferMore { ratio: 4.21 };
        let confirm = Remark::MoreTime {
            seconds: 130.0,
            goal: Goal::Confirm { effect: 0.132 },
        };
        let again = Remark::NewRun {
            starts: 8,
            seconds: 300.0,
            goal: Goal::ShowSame,
        };
        let rare = Remark::RareSlicesWeigh { change: -0.0172 };
        let sentences = [
            "they differ by less than 2.7 %; what happens in fewer than 35 % of all starts may not be among these 7",
            "starts differ more than their windows explain (F = 4.2), so the interval is wider",
            "about 2 more min would be needed to confirm the 13.2 % difference that was seen",
            "a new run of about 8 starts (5 min) would be needed to show that they are the same",
            "rare slices weigh: without them the difference would be -1.7 %",
        ];
        for (value, sentence) in [less, differ, confirm, again, rare].iter().zip(sentences) {
            assert_eq!(remark(value, Lang::En), sentence);
            assert_said_in_both_languages(sentence, &remark(value, Lang::Zh));
        }
    }
}
