//! Calibrations that cannot be done.

use crate::say::{Message, hinted};
use std::path::PathBuf;

/// What is wrong with a calibration.
#[derive(Debug)]
pub(crate) enum CalibrationComplaint {
    /// The CPU of virtual threads is not counted by thread.
    VirtualThreads,
    /// The server runs no servlets, and the application injects by filters of servlets.
    NoServlets {
        /// The server.
        server: String,
    },
    /// The server would stand still most of the time.
    StallsTooLong {
        /// Share of time that was asked for.
        share: f64,
        /// The largest that is possible.
        most: f64,
    },
    /// `--out` holds something else.
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The trial that finds out how large the dose has to be had too few starts that count.
    ShortTrial,
    /// In that trial the application counted no cost of its dose.
    NoEffect,
}

impl CalibrationComplaint {
    pub(super) fn english(&self) -> Message {
        let trial = "`prony report latest` shows the run that was to find out how large the dose has to be";
        match self {
            Self::VirtualThreads => hinted(
                "the CPU of virtual threads cannot be counted",
                "calibrate with a pool of threads (leave out `threads=virtual`), or with --dose stall",
            ),
            Self::NoServlets { server } => hinted(
                format!("`{server}` runs no servlets, and the application is slowed by a filter of servlets"),
                "calibrate another server, or with `prony calibrate aa`",
            ),
            Self::StallsTooLong { share, most } => hinted(
                format!(
                    "a server that stalls {:.0} % of the time is not measured",
                    100.0 * share
                ),
                format!("--inject takes at most {:.0}% with --dose stall", 100.0 * most),
            ),
            Self::OtherFile { path, line, source } => hinted(
                format!("{}:{line}: {source}", path.display()),
                "--out takes a file that `prony calibrate` wrote, or a new one",
            ),
            Self::ShortTrial => hinted("too few starts counted to calibrate by", trial),
            Self::NoEffect => hinted("the application counted nothing that would slow it", trial),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        let trial = "`prony report latest` 显示用来确定剂量的那次运行";
        match self {
            Self::VirtualThreads => hinted(
                "无法统计虚拟线程的 CPU 用量",
                "请使用线程池校准（去掉 `threads=virtual`），或改用 --dose stall",
            ),
            Self::NoServlets { server } => hinted(
                format!("`{server}` 不支持 servlet，而应用由 servlet 过滤器减速"),
                "请校准其他服务器，或使用 `prony calibrate aa`",
            ),
            Self::StallsTooLong { share, most } => hinted(
                format!("服务器有 {:.0} % 的时间停顿，无法测量", 100.0 * share),
                format!("使用 --dose stall 时，--inject 最大为 {:.0}%", 100.0 * most),
            ),
            Self::OtherFile { path, line, source } => hinted(
                format!("{}:{line}：{source}", path.display()),
                "--out 须为 `prony calibrate` 写出的文件，或一个新文件",
            ),
            Self::ShortTrial => hinted("有效启动次数太少，无法据此校准", trial),
            Self::NoEffect => hinted("应用程序自身没有统计到任何会使其变慢的消耗", trial),
        }
    }
}
