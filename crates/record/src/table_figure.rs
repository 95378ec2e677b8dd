//! [`TableFigure`]: a figure as tables of other load tools have it.

use model::by_id::serde_by_id;
use say::{Say, numbers};

/// A figure of a closed loop as JMeter, `ab` and `wrk` print it. Times are in seconds and go from the moment at which a user wants an
/// answer to the last byte of it, with connecting where that is necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Say)]
pub enum TableFigure {
    /// Right answers per second.
    #[say(en = "throughput", zh = "吞吐量")]
    Throughput,
    #[say(en = "mean", zh = "平均")]
    Mean,
    #[say(en = "min", zh = "最短")]
    Min,
    #[say(en = "max", zh = "最长")]
    Max,
    /// The standard deviation of the times.
    #[say(en = "standard deviation", zh = "标准差")]
    Deviation,
    #[say(en = "p50", zh = "p50")]
    P50,
    #[say(en = "p90", zh = "p90")]
    P90,
    #[say(en = "p95", zh = "p95")]
    P95,
    #[say(en = "p98", zh = "p98")]
    P98,
    #[say(en = "p99", zh = "p99")]
    P99,
    /// Mean time to connect.
    #[say(en = "connect, mean", zh = "建立连接，平均")]
    ConnectMean,
    /// Longest time to connect.
    #[say(en = "connect, max", zh = "建立连接，最长")]
    ConnectMax,
    /// Requests without a right answer, per cent.
    #[say(en = "errors", zh = "错误率")]
    Errors,
    /// 1024 bytes of answers per second.
    #[say(en = "received", zh = "接收")]
    Received,
    /// 1024 bytes of requests per second.
    #[say(en = "sent", zh = "发送")]
    Sent,
    /// Bytes of an answer.
    #[say(en = "bytes of an answer", zh = "响应字节数")]
    AnswerBytes,
}

impl TableFigure {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Throughput,
        Self::Mean,
        Self::Min,
        Self::Max,
        Self::Deviation,
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P98,
        Self::P99,
        Self::ConnectMean,
        Self::ConnectMax,
        Self::Errors,
        Self::Received,
        Self::Sent,
        Self::AnswerBytes,
    ];

    /// The name in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
            Self::Deviation => "deviation",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P98 => "p98",
            Self::P99 => "p99",
            Self::ConnectMean => "connect_mean",
            Self::ConnectMax => "connect_max",
            Self::Errors => "errors",
            Self::Received => "received_kb",
            Self::Sent => "sent_kb",
            Self::AnswerBytes => "answer_bytes",
        }
    }

    /// The figure of that [`TableFigure::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.id() == id)
    }

    /// The quantile of a percentile; `None` for other figures.
    pub const fn quantile(self) -> Option<f64> {
        match self {
            Self::P50 => Some(0.5),
            Self::P90 => Some(0.9),
            Self::P95 => Some(0.95),
            Self::P98 => Some(0.98),
            Self::P99 => Some(0.99),
            _ => None,
        }
    }

    /// Whether it is one value of all starts together, which has no interval: an extreme grows with the number of requests.
    pub const fn is_of_all_starts(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::ConnectMax | Self::Errors)
    }

    /// A value with its unit.
    pub fn value_text(self, value: f64) -> String {
        match self {
            Self::Throughput => numbers::rate(value),
            Self::Errors => format!("{} %", (value * 1e4).round() / 1e4),
            Self::Received | Self::Sent => format!("{} kB/s", numbers::three(value)),
            Self::AnswerBytes => format!("{value:.0} B"),
            _ => numbers::fine_seconds(value),
        }
    }
}

serde_by_id!(TableFigure, "a figure of a table");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_name_and_its_unit() {
        for figure in TableFigure::ALL {
            assert_eq!(TableFigure::from_id(figure.id()), Some(figure));
        }
        let texts = [
            (TableFigure::Errors, 0.0769),
            (TableFigure::Received, 5555.24),
            (TableFigure::AnswerBytes, 11_479.53),
            (TableFigure::Max, 13.058),
        ];
        let texts = texts.map(|(figure, value)| figure.value_text(value));
        assert_eq!(texts, ["0.0769 %", "5555 kB/s", "11480 B", "13.1 s"]);
    }
}
