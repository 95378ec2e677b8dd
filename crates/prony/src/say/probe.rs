//! Errors of telemetry, in Chinese. Their English is `probe::Error`'s own.

use super::{Message, plain};
use probe::{Error, PerfDataFlaw};

/// An error in Chinese.
pub(super) fn chinese(error: &Error) -> Message {
    plain(match error {
        Error::CpuClock { pid, source } => format!("无法读取进程 {pid} 的 CPU 时钟：{source}"),
        Error::SockDiag { source } => format!("无法向内核查询监听中的套接字：{source}"),
        Error::Thread { source } => format!("无法启动读取遥测数据的线程：{source}"),
        Error::Proc { path, source } => format!("无法读取 {path}：{source}"),
        Error::PerfData { path, flaw } => {
            format!("无法读取 JVM 的性能数据 {path}：{}", perf_data_flaw(*flaw))
        }
    })
}

fn perf_data_flaw(flaw: PerfDataFlaw) -> &'static str {
    match flaw {
        PerfDataFlaw::Short => "文件过短",
        PerfDataFlaw::OtherFormat => "开头不是性能数据的格式",
        PerfDataFlaw::OtherVersion => "其版本或字节序未知",
        PerfDataFlaw::Cut => "有条目超出了文件末尾",
        PerfDataFlaw::NoFrequency => "其中没有时钟频率",
    }
}
