//! Calibrations that cannot be done.

use crate::say::{Message, hinted};
use std::path::PathBuf;

/// What is wrong with a calibration.
#[derive(Debug)]
pub(crate) enum CalibrationComplaint {
    /// The CPU that virtual threads burn is not counted by thread.
    VirtualThreads,
    /// `--out` holds something else.
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The trial that finds out how much to burn had too few starts that count.
    ShortTrial,
    /// In that trial the server that burns CPU was not slower.
    NoEffect,
}

impl CalibrationComplaint {
    pub(super) fn english(&self) -> Message {
        let trial = "`prony report latest` shows the run that was to find out how much has to be burnt";
        match self {
            Self::VirtualThreads => hinted(
                "the burnt CPU of virtual threads cannot be counted",
                "calibrate with a pool of threads: leave out `threads=virtual`",
            ),
            Self::OtherFile { path, line, source } => hinted(
                format!("{}:{line}: {source}", path.display()),
                "--out takes a file that `prony calibrate` wrote, or a new one",
            ),
            Self::ShortTrial => hinted("too few starts counted to calibrate by", trial),
            Self::NoEffect => hinted("a server that burns CPU did not look slower", trial),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        let trial = "`prony report latest` 显示用来确定消耗量的那次运行";
        match self {
            Self::VirtualThreads => hinted(
                "无法统计虚拟线程所消耗的 CPU",
                "请使用线程池校准：去掉 `threads=virtual`",
            ),
            Self::OtherFile { path, line, source } => hinted(
                format!("{}:{line}：{source}", path.display()),
                "--out 须为 `prony calibrate` 写出的文件，或一个新文件",
            ),
            Self::ShortTrial => hinted("有效启动次数太少，无法据此校准", trial),
            Self::NoEffect => hinted("额外消耗 CPU 的服务器并未显得更慢", trial),
        }
    }
}
