//! Why a search for a capacity ended, and why it has no curve, as sentences.

use super::spaced;
use super::text;
use crate::words::Lang;
use model::search::{CapacityEnd, NoCurve};

/// Why no more users were tried.
pub fn capacity_end(end: &CapacityEnd, lang: Lang) -> String {
    match lang {
        Lang::En => end_in_english(end),
        Lang::Zh => spaced(&end_in_chinese(end)),
    }
}

/// Why there is no curve through the steps.
pub fn no_curve(why: &NoCurve, lang: Lang) -> String {
    match lang {
        Lang::En => curve_in_english(why),
        Lang::Zh => spaced(&curve_in_chinese(why)),
    }
}

fn end_in_english(end: &CapacityEnd) -> String {
    match end {
        CapacityEnd::Flat { tried } => {
            format!("up to {tried} users were tried: more users brought no more throughput")
        }
        CapacityEnd::Generator { tried, reason: why } => {
            format!("{tried} users were too many for the generator: {}", text(why, Lang::En))
        }
        CapacityEnd::Errors { tried, reason: why } => {
            format!("at {tried} users errors began: {}", text(why, Lang::En))
        }
        CapacityEnd::AllTried { tried } => format!("{tried} users are the most that were asked for"),
        CapacityEnd::Legacy(text) => text.clone(),
    }
}

fn end_in_chinese(end: &CapacityEnd) -> String {
    match end {
        CapacityEnd::Flat { tried } => format!("最多试到 {tried} 个用户：再增加用户，吞吐量不再提高"),
        CapacityEnd::Generator { tried, reason: why } => {
            format!("{tried} 个用户超出了压测端的能力：{}", text(why, Lang::Zh))
        }
        CapacityEnd::Errors { tried, reason: why } => {
            format!("在 {tried} 个用户时开始出错：{}", text(why, Lang::Zh))
        }
        CapacityEnd::AllTried { tried } => format!("{tried} 个用户是所要求的上限"),
        CapacityEnd::Legacy(text) => text.clone(),
    }
}

fn curve_in_english(why: &NoCurve) -> String {
    match why {
        NoCurve::TooFewSteps => "fewer than six numbers of users counted".to_owned(),
        NoCurve::StillGrowing => "throughput was still growing with the most users".to_owned(),
        NoCurve::LackOfFit { p } => {
            format!("no such curve fits the steps: so few runs of residuals have a probability of {p:.1e}")
        }
        NoCurve::Pool { limit } => format!(
            "two straight lines fit better: throughput grows in proportion to users up to {limit:.0}/s, as with a pool that is then full"
        ),
        NoCurve::Legacy(text) => text.clone(),
    }
}

fn curve_in_chinese(why: &NoCurve) -> String {
    match why {
        NoCurve::TooFewSteps => "计入的用户数不足六种".to_owned(),
        NoCurve::StillGrowing => "在最多的用户数下吞吐量仍在增长".to_owned(),
        NoCurve::LackOfFit { p } => {
            format!("此类曲线不能拟合各级用户数的结果：残差游程如此之少的概率为 {p:.1e}")
        }
        NoCurve::Pool { limit } => {
            format!("两条直线拟合得更好：吞吐量与用户数成正比，直至 {limit:.0}/s，与线程池被占满的情形一致")
        }
        NoCurve::Legacy(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::{assert_said_in_both_languages, assert_told_apart};
    use model::reason::Reason;

    #[test]
    fn every_end_of_a_climb_is_said_in_both_languages() {
        let (tried, reason) = (64, Reason::NoValue);
        let ends = [
            CapacityEnd::Flat { tried },
            CapacityEnd::Generator { tried, reason: reason.clone() },
            CapacityEnd::Errors { tried, reason },
            CapacityEnd::AllTried { tried },
        ];
        for end in &ends {
            // Does not compile when a kind of end is new: then it has to stand in the list, too.
            match end {
                CapacityEnd::Flat { .. }
                | CapacityEnd::Generator { .. }
                | CapacityEnd::Errors { .. }
                | CapacityEnd::AllTried { .. }
                | CapacityEnd::Legacy(_) => {}
            }
            assert_said_in_both_languages(&capacity_end(end, Lang::En), &capacity_end(end, Lang::Zh));
        }
        assert_told_apart(ends.iter(), capacity_end);
    }

    #[test]
    fn every_curve_that_is_not_there_is_said_in_both_languages() {
        let curves = [
            NoCurve::StillGrowing,
            NoCurve::LackOfFit { p: 2.5e-3 },
            NoCurve::Pool { limit: 8123.0 },
            NoCurve::TooFewSteps,
        ];
        for why in &curves {
            // Does not compile when a kind is new: then it has to stand in the list, too.
            match why {
                NoCurve::TooFewSteps
                | NoCurve::StillGrowing
                | NoCurve::LackOfFit { .. }
                | NoCurve::Pool { .. }
                | NoCurve::Legacy(_) => {}
            }
            assert_said_in_both_languages(&no_curve(why, Lang::En), &no_curve(why, Lang::Zh));
        }
        assert_told_apart(curves.iter(), no_curve);
    }
}
