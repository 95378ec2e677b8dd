//! Files without figures of another tool.

use crate::say::{Message, hinted};
use import::figures::NoFigures;
use model::foreign::ForeignTool;
use std::path::PathBuf;

/// Why no figures of another tool are added or removed.
#[derive(Debug)]
pub(crate) enum FiguresComplaint {
    /// A file has none.
    None {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: NoFigures,
    },
    /// There is no series of that name.
    NoSeries {
        /// The name.
        series: String,
        /// The experiment.
        experiment: String,
    },
}

impl FiguresComplaint {
    pub(in crate::say) fn english(&self) -> Message {
        match self {
            Self::None { path, why } => {
                let path = path.display();
                match why {
                    NoFigures::Unknown => hinted(
                        format!("{path} holds no results of a tool that is known"),
                        "known are samples of JMeter (CSV with a line of names, or XML), what wrk and ab print, and the JSON of k6 \
                         (--summary-export, handleSummary), Gatling (js/stats.json, js/global_stats.json), JMH (-rf json) and hyperfine \
                         (--export-json)",
                    ),
                    NoFigures::Broken { tool, line } => {
                        let line = line.map_or_else(String::new, |line| format!(" line {line}"));
                        hinted(
                            format!("{path}{line}: this is not as {} writes it", tool.name()),
                            broken_hint(*tool),
                        )
                    }
                    NoFigures::Empty(tool) => hinted(
                        format!("{path} is of {}, and nothing was measured", tool.name()),
                        "give a file of a run that has ended",
                    ),
                }
            }
            Self::NoSeries { series, experiment } => hinted(
                format!("there is no foreign series `{series}` beside `{experiment}`"),
                format!("`prony history {experiment}` lists them"),
            ),
        }
    }

    pub(in crate::say) fn chinese(&self) -> Message {
        match self {
            Self::None { path, why } => {
                let path = path.display();
                match why {
                    NoFigures::Unknown => hinted(
                        format!("{path} 中没有已知工具的结果"),
                        "已知的有：JMeter 的样本（带列名行的 CSV，或 XML）、wrk 和 ab 的输出，以及 k6（--summary-export、handleSummary）、\
                         Gatling（js/stats.json、js/global_stats.json）、JMH（-rf json）和 hyperfine（--export-json）的 JSON",
                    ),
                    NoFigures::Broken { tool, line } => {
                        let line = line.map_or_else(String::new, |line| format!(" 第 {line} 行"));
                        hinted(
                            format!("{path}{line}：与 {} 所写的不符", tool.name()),
                            broken_hint_in_chinese(*tool),
                        )
                    }
                    NoFigures::Empty(tool) => hinted(
                        format!("{path} 来自 {}，但没有测得任何结果", tool.name()),
                        "请给出已结束的运行的文件",
                    ),
                }
            }
            Self::NoSeries { series, experiment } => hinted(
                format!("`{experiment}` 旁没有名为 `{series}` 的外部序列"),
                format!("`prony history {experiment}` 列出它们"),
            ),
        }
    }
}

const fn broken_hint(tool: ForeignTool) -> &'static str {
    match tool {
        ForeignTool::Jmeter => {
            "the run may not have ended; times must be numbers (jmeter.save.saveservice.timestamp_format=ms), and XML must be closed"
        }
        _ => "give the whole output of a run that has ended",
    }
}

const fn broken_hint_in_chinese(tool: ForeignTool) -> &'static str {
    match tool {
        ForeignTool::Jmeter => {
            "该运行可能尚未结束；时间必须是数字（jmeter.save.saveservice.timestamp_format=ms），XML 必须完整闭合"
        }
        _ => "请给出已结束的运行的完整输出",
    }
}
