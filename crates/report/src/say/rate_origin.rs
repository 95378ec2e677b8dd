//! Where the fixed rate of a run comes from, in words that follow the rate.

use super::Lang;
use model::outcome::RateOrigin;

/// Where a fixed rate comes from: `chosen in the first start`.
pub fn rate_origin(origin: &RateOrigin, lang: Lang) -> String {
    match lang {
        Lang::En => english(origin),
        Lang::Zh => chinese(origin),
    }
}

fn english(origin: &RateOrigin) -> String {
    match origin {
        RateOrigin::Given => "given".to_owned(),
        RateOrigin::Chosen => "chosen in the first start".to_owned(),
        RateOrigin::Kept { run } => format!("the rate of run {run}"),
    }
}

fn chinese(origin: &RateOrigin) -> String {
    match origin {
        RateOrigin::Given => "指定".to_owned(),
        RateOrigin::Chosen => "首次启动时选定".to_owned(),
        RateOrigin::Kept { run } => format!("沿用运行 {run} 的速率"),
    }
}
