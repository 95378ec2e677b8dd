//! What became of the points that a run had for its sinks.

use crate::sinks::Delivery;
use report::Lang;

/// What a sink got, in one line.
pub(crate) fn delivered(delivery: &Delivery, lang: Lang) -> String {
    let Delivery {
        sink,
        points,
        lost,
        trouble,
    } = delivery;
    let why = ::say::text(trouble, lang);
    match (lost, lang) {
        (0, Lang::En) => format!("sink {sink}: {points} points"),
        (0, Lang::Zh) => format!("输出目标 {sink}：{points} 个数据点"),
        (lost, Lang::En) => {
            format!("sink {sink}: {lost} of {points} points were lost{why}; the results are complete")
        }
        (lost, Lang::Zh) => format!("输出目标 {sink}：{points} 个数据点中丢失 {lost} 个{why}；结果完整"),
    }
}
