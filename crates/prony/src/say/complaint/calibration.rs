//! Calibrations that cannot be done.

use ::say::Say;
use std::path::PathBuf;

/// What is wrong with a calibration.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum CalibrationComplaint {
    /// The CPU of virtual threads is not counted by thread.
    #[say(
        en = "the CPU of virtual threads cannot be counted",
        zh = "无法统计虚拟线程的 CPU 用量",
        hint(
            en = "calibrate with a pool of threads (leave out `threads=virtual`), or with --dose stall",
            zh = "请使用线程池校准（去掉 `threads=virtual`），或改用 --dose stall"
        )
    )]
    VirtualThreads,
    /// The server runs no servlets, and the application injects by filters of servlets.
    #[say(
        en = "`{server}` runs no servlets, and the application is slowed by a filter of servlets",
        zh = "`{server}` 不支持 servlet，而应用由 servlet 过滤器减速",
        hint(
            en = "calibrate another server, or with `prony calibrate aa`",
            zh = "请校准其他服务器，或使用 `prony calibrate aa`"
        )
    )]
    NoServlets { server: String },
    /// The server would stand still most of the time.
    #[say(
        en = "a server that stalls {share:percent_of} % of the time is not measured",
        zh = "服务器有 {share:percent_of} % 的时间停顿，无法测量",
        hint(
            en = "--inject takes at most {most:percent_of}% with --dose stall",
            zh = "使用 --dose stall 时，--inject 最大为 {most:percent_of}%"
        )
    )]
    StallsTooLong {
        /// Share of time that was asked for.
        share: f64,
        /// The largest that is possible.
        most: f64,
    },
    /// `--out` holds something else.
    #[say(
        en = "{path}:{line}: {source:text}",
        zh = "{path}:{line}：{source:text}",
        hint(
            en = "--out takes a file that `prony calibrate` wrote, or a new one",
            zh = "--out 须为 `prony calibrate` 写出的文件，或一个新文件"
        )
    )]
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The trial that finds out how large the dose has to be had too few starts that count.
    #[say(
        en = "too few starts counted to calibrate by",
        zh = "有效启动次数太少，无法据此校准",
        hint(
            en = "`prony report latest` shows the run that was to find out how large the dose has to be",
            zh = "`prony report latest` 显示用来确定剂量的那次运行"
        )
    )]
    ShortTrial,
    /// In that trial the application counted no cost of its dose.
    #[say(
        en = "the application counted nothing that would slow it",
        zh = "应用程序自身没有统计到任何会使其变慢的消耗",
        hint(
            en = "`prony report latest` shows the run that was to find out how large the dose has to be",
            zh = "`prony report latest` 显示用来确定剂量的那次运行"
        )
    )]
    NoEffect,
}
