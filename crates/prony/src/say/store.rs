//! Errors of the stored runs, in Chinese. Their English is `store::Error`'s own.

use super::{Message, hinted};
use std::path::Path;
use store::{Error, SqlTrouble, StoreAct};

const ELSEWHERE: &str = "将 PRONY_HOME 设为可写的目录，用于存放下载内容和运行记录";

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::Folder { path, source } => hinted(
            format!("无法创建目录 {}：{source}", path.display()),
            format!("请{ELSEWHERE}"),
        ),
        Error::Sql { act, path, source } => Message {
            // The name of an act may end in Latin letters: 切换到 WAL 失败.
            message: format!(
                "{}（{}）：{source}",
                ::say::spaced(&format!("{}失败", act_name(*act))),
                path.display()
            ),
            hint: error.sql_trouble().map(|trouble| sql_hint(trouble, path)),
        },
        Error::Newer { path, stored, known } => hinted(
            format!(
                "{} 由更新版本的 prony 写入（schema {stored}，本版本支持到 {known}）",
                path.display()
            ),
            format!("请使用那个版本的 prony，或{ELSEWHERE}"),
        ),
        Error::Json { path, run, source } => hinted(
            format!("无法读取 {} 中的运行 {run}：{source}", path.display()),
            "它由另一版本的 prony 保存：请用那个版本读取",
        ),
        Error::Ambiguous { prefix, runs } => hinted(
            format!("`{prefix}` 与多个运行匹配：{}", runs.join("、")),
            "请多输入几位运行 ID",
        ),
    }
}

fn sql_hint(trouble: SqlTrouble, path: &Path) -> String {
    let file = path.display();
    match trouble {
        SqlTrouble::Locked => {
            format!("另一个程序长时间占用该文件：`fuser {file}` 可查出是谁；请等它结束，或{ELSEWHERE}")
        }
        SqlTrouble::Full => format!("磁盘已满：请腾出空间，或{ELSEWHERE}"),
        SqlTrouble::Disk => format!("磁盘已满或损坏：可用 `df {file}` 查看；否则请{ELSEWHERE}"),
        SqlTrouble::Corrupt => format!(
            "请将它移开（`mv {file} {file}.broken`）：会新建一个；`sqlite3 {file}.broken .recover` 也许能救回其中的运行"
        ),
        SqlTrouble::Refused => format!("用 `ls -l {file}` 查看其属主；或{ELSEWHERE}"),
    }
}

fn act_name(act: StoreAct) -> &'static str {
    match act {
        StoreAct::OpenHistory => "打开运行记录",
        StoreAct::MakeHistory => "创建运行记录",
        StoreAct::SetPatience => "设置锁的等待时间",
        StoreAct::SwitchToWal => "切换到 WAL",
        StoreAct::SetSync => "设置同步方式",
        StoreAct::ReadVersion => "读取 schema 版本",
        StoreAct::UpdateSchema => "更新 schema",
        StoreAct::StoreRunAgain => "重新保存运行",
        StoreAct::RemoveRuns => "删除运行",
        StoreAct::StoreRun => "保存运行",
        StoreAct::StoreLoad => "保存负载",
        StoreAct::StoreSlice => "保存切片",
        StoreAct::StoreRound => "保存一轮启动",
        StoreAct::StoreInspection => "保存服务器内部检查",
        StoreAct::RemovePart => "删除只保存了一部分的运行",
        StoreAct::GoOn => "继续运行",
        StoreAct::StoreReport => "保存报告",
        StoreAct::ListRuns => "列出运行",
        StoreAct::FindRun => "查找运行",
        StoreAct::ReadSlices => "读取切片",
        StoreAct::ReadRun => "读取运行",
        StoreAct::ReadRounds => "读取各轮启动",
        StoreAct::ReadInspections => "读取服务器内部检查",
        StoreAct::ReadDecisions => "读取决定",
        StoreAct::StoreDecision => "保存决定",
        StoreAct::ReadForeign => "读取其他工具的数值",
        StoreAct::StoreForeign => "保存其他工具的数值",
        StoreAct::StoreCalibration => "保存校准",
        StoreAct::ListCalibrations => "列出校准",
    }
}
