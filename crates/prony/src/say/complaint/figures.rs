//! Files without figures of another tool.

use ::say::Say;
use import::figures::NoFigures;
use model::foreign::ForeignTool;
use std::path::{Path, PathBuf};

/// Why no figures of another tool are added or removed.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum FiguresComplaint {
    /// A file has none.
    #[say(transparent = Without::of(path, why))]
    None {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: NoFigures,
    },
    /// There is no series of that name.
    #[say(
        en = "there is no foreign series `{series}` beside `{experiment}`",
        zh = "`{experiment}` 旁没有名为 `{series}` 的外部序列",
        hint(en = "`prony history {experiment}` lists them", zh = "`prony history {experiment}` 列出它们")
    )]
    NoSeries {
        /// The name.
        series: String,
        experiment: String,
    },
}

/// Why a file has no figures.
#[derive(Say)]
enum Without<'a> {
    #[say(
        en = "{path} holds no results of a tool that is known",
        zh = "{path} 中没有已知工具的结果",
        hint(
            en = "known are samples of JMeter (CSV with a line of names, or XML), what wrk and ab print, \
                  and the JSON of k6 (--summary-export, handleSummary), Gatling (js/stats.json, \
                  js/global_stats.json), JMH (-rf json) and hyperfine (--export-json)",
            zh = "已知的有：JMeter 的样本（带列名行的 CSV，或 XML）、wrk 和 ab 的输出，以及 \
                  k6（--summary-export、handleSummary）、Gatling（js/stats.json、js/global_stats.json）、\
                  JMH（-rf json）和 hyperfine（--export-json）的 JSON"
        )
    )]
    Unknown { path: &'a Path },
    #[say(
        en = "{path}{line? line {}}: this is not as {tool} writes it",
        zh = "{path}{line? 第 {} 行}：与 {tool} 所写的不符",
        hint(
            en = "{is_jmeter?the run may not have ended; times must be numbers (jmeter.save.saveservice.timestamp_format=ms), and XML must be closed|give the whole output of a run that has ended}",
            zh = "{is_jmeter?该运行可能尚未结束；\
                  时间必须是数字（jmeter.save.saveservice.timestamp_format=ms），\
                  XML 必须完整闭合|请给出已结束的运行的完整输出}"
        )
    )]
    Broken { path: &'a Path, line: Option<u64>, tool: &'static str, is_jmeter: bool },
    #[say(
        en = "{path} is of {tool}, and nothing was measured",
        zh = "{path} 来自 {tool}，但没有测得任何结果",
        hint(en = "give a file of a run that has ended", zh = "请给出已结束的运行的文件")
    )]
    Empty { path: &'a Path, tool: &'static str },
}

impl<'a> Without<'a> {
    fn of(path: &'a Path, why: &NoFigures) -> Self {
        match *why {
            NoFigures::Unknown => Self::Unknown { path },
            NoFigures::Broken { tool, line } => {
                Self::Broken { path, line, tool: tool.name(), is_jmeter: tool == ForeignTool::Jmeter }
            }
            NoFigures::Empty(tool) => Self::Empty { path, tool: tool.name() },
        }
    }
}
