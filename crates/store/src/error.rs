//! Errors of the stored history, with hints about what to do.

use rusqlite::ErrorCode;
use say::Say;
use std::path::{Path, PathBuf};

/// The reason why the stored history could not be read or written.
#[derive(Debug, Say)]
#[say(error)]
pub enum Error {
    /// The folder of the history cannot be made.
    #[say(
        en = "cannot make the folder {path}: {source}",
        zh = "无法创建目录 {path}：{source}",
        hint(en = "{elsewhere}", zh = "请{elsewhere}"),
        elsewhere = Elsewhere
    )]
    Folder {
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// SQLite reported an error.
    #[say(
        en = "cannot {act} in {path}: {source:text}",
        zh = "{act}失败（{path}）：{source:text}",
        hint(en = "{advice}", zh = "{advice}"),
        advice = self.advice()
    )]
    Sql {
        act: StoreAct,
        /// The file of the database.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The file was written by an earlier prony. Its rows are not converted, because prony was not released yet.
    #[say(
        en = "{path} was written by an earlier prony (schema {stored}, this one needs {known})",
        zh = "{path} 由较早版本的 prony 写入（schema {stored}，本版本需要 {known}）",
        hint(
            en = "move or delete it, and a new history begins; or {elsewhere}",
            zh = "请移走或删除它，之后会开始新的运行记录；或{elsewhere}"
        ),
        elsewhere = Elsewhere
    )]
    Older {
        /// The file of the database.
        path: PathBuf,
        /// The schema version of the file.
        stored: u32,
        /// The schema version that this prony needs.
        known: u32,
    },
    /// The file was written by a later prony, whose schema this one does not know.
    #[say(
        en = "{path} was written by a later prony (schema {stored}, this one knows {known})",
        zh = "{path} 由更新版本的 prony 写入（schema {stored}，本版本支持到 {known}）",
        hint(en = "use that prony, or {elsewhere}", zh = "请使用那个版本的 prony，或{elsewhere}"),
        elsewhere = Elsewhere
    )]
    Newer {
        /// The file of the database.
        path: PathBuf,
        /// The schema version of the file.
        stored: u32,
        /// The latest schema version that this prony knows.
        known: u32,
    },
    /// A stored value is not what this prony expects.
    #[say(
        en = "run {run} in {path} cannot be read: {source:text}",
        zh = "无法读取 {path} 中的运行 {run}：{source:text}",
        hint(
            en = "it was stored by another prony: use that one to read it",
            zh = "它由另一版本的 prony 保存：请用那个版本读取"
        )
    )]
    Json {
        /// The file of the database.
        path: PathBuf,
        /// The id of the run.
        run: String,
        /// What is wrong with the value.
        source: serde_json::Error,
    },
    /// Several ids of runs begin with the given prefix.
    #[say(
        en = "`{prefix}` fits more than one run: {runs:commas}",
        zh = "`{prefix}` 与多个运行匹配：{runs:commas}",
        hint(en = "type more of the run's id", zh = "请多输入几位运行 ID")
    )]
    Ambiguous {
        prefix: String,
        /// The ids that begin with it.
        runs: Vec<String>,
    },
}

/// What was being done with the stored runs when SQLite refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum StoreAct {
    /// Open the file of stored runs.
    #[say(en = "open the history", zh = "打开运行记录")]
    OpenHistory,
    /// Make a history that is kept in memory only.
    #[say(en = "make a history", zh = "创建运行记录")]
    MakeHistory,
    /// Set how long to wait for another program's lock.
    #[say(en = "wait for the lock", zh = "设置锁的等待时间")]
    SetPatience,
    /// Switch to a write-ahead log.
    #[say(en = "switch to WAL", zh = "切换到 WAL")]
    SwitchToWal,
    /// Set how often the file is synced to the disk.
    #[say(en = "set how it syncs", zh = "设置同步方式")]
    SetSync,
    /// Read which schema the file has.
    #[say(en = "read the schema's version", zh = "读取 schema 版本")]
    ReadVersion,
    /// Bring an older schema up to date.
    /// Store a run as a whole, after its slices could not be stored one by one.
    #[say(en = "store a run again", zh = "重新保存运行")]
    StoreRunAgain,
    /// Remove old runs.
    #[say(en = "remove runs", zh = "删除运行")]
    RemoveRuns,
    /// Store a run that begins.
    #[say(en = "store a run", zh = "保存运行")]
    StoreRun,
    /// Store a single load.
    #[say(en = "store a load", zh = "保存负载")]
    StoreLoad,
    /// Store a slice.
    #[say(en = "store a slice", zh = "保存切片")]
    StoreSlice,
    /// Store a round.
    #[say(en = "store a round", zh = "保存一轮启动")]
    StoreRound,
    /// Store what was seen in a server.
    #[say(en = "store an inspection", zh = "保存服务器内部检查")]
    StoreInspection,
    /// Remove the part of a run that was stored.
    #[say(en = "remove what was stored in part", zh = "删除只保存了一部分的运行")]
    RemovePart,
    /// Mark a stored run as one that goes on.
    #[say(en = "go on with a run", zh = "继续运行")]
    GoOn,
    /// Store the report of a run.
    #[say(en = "store a report", zh = "保存报告")]
    StoreReport,
    /// List the stored runs.
    #[say(en = "list the runs", zh = "列出运行")]
    ListRuns,
    /// Find a run by its id or the beginning of it.
    #[say(en = "find a run", zh = "查找运行")]
    FindRun,
    /// Read the slices of a run.
    #[say(en = "read the slices", zh = "读取切片")]
    ReadSlices,
    /// Read a run.
    #[say(en = "read a run", zh = "读取运行")]
    ReadRun,
    /// Read the rounds of a run.
    #[say(en = "read the rounds", zh = "读取各轮启动")]
    ReadRounds,
    /// Read what was seen in the servers.
    #[say(en = "read the inspections", zh = "读取服务器内部检查")]
    ReadInspections,
    /// Read what was decided about changes.
    #[say(en = "read the decisions", zh = "读取决定")]
    ReadDecisions,
    /// Store or remove what was decided about a change.
    #[say(en = "store a decision", zh = "保存决定")]
    StoreDecision,
    /// Read the figures of other tools.
    #[say(en = "read the figures of other tools", zh = "读取其他工具的数值")]
    ReadForeign,
    /// Store or remove figures of other tools.
    #[say(en = "store the figures of another tool", zh = "保存其他工具的数值")]
    StoreForeign,
    /// Store a run of a calibration.
    #[say(en = "store a calibration", zh = "保存校准")]
    StoreCalibration,
    /// List the runs of calibrations.
    #[say(en = "list the calibrations", zh = "列出校准")]
    ListCalibrations,
}

/// Why SQLite refuses something, where its user can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlTrouble {
    /// Another program has locked the file for longer than we wait.
    Locked,
    /// The disk is full.
    Full,
    /// The disk is full or broken.
    Disk,
    /// The file is damaged, or is something else.
    Corrupt,
    /// The file may not be opened or written.
    Refused,
}

impl Error {
    /// Why SQLite refused, where its user can do something about it; `None` for every other error.
    pub fn sql_trouble(&self) -> Option<SqlTrouble> {
        let Self::Sql { source, .. } = self else {
            return None;
        };
        match source.sqlite_error_code()? {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(SqlTrouble::Locked),
            ErrorCode::DiskFull => Some(SqlTrouble::Full),
            ErrorCode::SystemIoFailure => Some(SqlTrouble::Disk),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(SqlTrouble::Corrupt),
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                Some(SqlTrouble::Refused)
            }
            _ => None,
        }
    }

    /// What its user can do about trouble of SQLite.
    fn advice(&self) -> Option<SqlAdvice<'_>> {
        let Self::Sql { path: file, .. } = self else {
            return None;
        };
        Some(match self.sql_trouble()? {
            SqlTrouble::Locked => SqlAdvice::Locked { file },
            SqlTrouble::Full => SqlAdvice::Full,
            SqlTrouble::Disk => SqlAdvice::Disk { file },
            SqlTrouble::Corrupt => SqlAdvice::Corrupt { file },
            SqlTrouble::Refused => SqlAdvice::Refused { file },
        })
    }
}

/// The end of hints about a place that cannot be written.
#[derive(Say)]
#[say(
    en = "set PRONY_HOME to a folder that can be written, for downloads and stored runs",
    zh = "将 PRONY_HOME 设为可写的目录，用于存放下载内容和运行记录"
)]
struct Elsewhere;

/// What the user can do about trouble of SQLite with the database in a file.
#[derive(Say)]
enum SqlAdvice<'a> {
    #[say(
        en = "another program holds it for long: `fuser {file}` names it; let it end, or {elsewhere}",
        zh = "另一个程序长时间占用该文件：`fuser {file}` 可查出是谁；请等它结束，或{elsewhere}",
        elsewhere = Elsewhere
    )]
    Locked { file: &'a Path },
    #[say(
        en = "the disk is full: free some space, or {elsewhere}",
        zh = "磁盘已满：请腾出空间，或{elsewhere}",
        elsewhere = Elsewhere
    )]
    Full,
    #[say(
        en = "the disk is full or broken: `df {file}` tells; else {elsewhere}",
        zh = "磁盘已满或损坏：可用 `df {file}` 查看；否则请{elsewhere}",
        elsewhere = Elsewhere
    )]
    Disk { file: &'a Path },
    #[say(
        en = "put it aside (`mv {file} {file}.broken`): a new one is made; `sqlite3 {file}.broken \
              .recover` may save its runs",
        zh = "请将它移开（`mv {file} {file}.broken`）：会新建一个；`sqlite3 {file}.broken .recover` \
              也许能救回其中的运行"
    )]
    Corrupt { file: &'a Path },
    #[say(
        en = "`ls -l {file}` tells whose it is; or {elsewhere}",
        zh = "用 `ls -l {file}` 查看其属主；或{elsewhere}",
        elsewhere = Elsewhere
    )]
    Refused { file: &'a Path },
}
