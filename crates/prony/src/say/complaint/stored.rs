//! Stored runs that cannot be used for what was asked: shown, gone on with, compared with.

use ::say::Say;
use std::path::PathBuf;

/// Why a stored run is of no use for what was asked.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum StoredComplaint {
    /// No run has that id, or begins so.
    #[say(
        en = "no stored run is called `{run}`",
        zh = "没有名为 `{run}` 的运行记录",
        hint(en = "`prony history` lists them", zh = "`prony history` 列出所有运行")
    )]
    Unknown {
        /// What was asked for.
        run: String,
    },
    /// An early prony did not store the design of runs.
    #[say(
        en = "run {run} was stored by an early prony, without its design",
        zh = "运行 {run} 由早期版本的 prony 保存，缺少其实验设计",
        hint(
            en = "its report is still there: `prony report` shows it",
            zh = "其报告仍在：可用 `prony report` 查看"
        )
    )]
    WithoutDesign { run: String },
    /// The machine or the servers are not what they were when the run began.
    #[say(
        en = "run {run} cannot go on here: {differences:semicolons}",
        zh = "运行 {run} 无法在此继续：{differences:semicolons}",
        hint(
            en = "start a new run: starts under unlike conditions are not one experiment",
            zh = "请另起一次运行：条件不同的启动不属于同一个实验"
        )
    )]
    OtherConditions {
        run: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// It came from a team's store, without its secrets.
    #[say(
        en = "run {run} came from a team's store, which keeps no secrets and no sessions",
        zh = "运行 {run} 来自团队存储，其中不保存密钥与会话内容",
        hint(en = "run its experiment file again", zh = "请重新运行其实验文件")
    )]
    WithoutSecrets { run: String },
    /// A variable of the environment that it needs is not set.
    #[say(
        en = "run {run} needs the variable `{variable}` of the environment, which is not set",
        zh = "运行 {run} 需要环境变量 `{variable}`，但它没有设置",
        hint(en = "set it as it was when the run began", zh = "请将其设置为运行开始时的值")
    )]
    NoEnvironment {
        run: String,
        /// The name of the variable.
        variable: String,
    },
    /// It came from a command line.
    #[say(
        en = "run {run} came from no file",
        zh = "运行 {run} 并非来自文件",
        hint(en = "it came from: {origin}", zh = "其来源是：{origin}")
    )]
    FromNoFile {
        run: String,
        /// What it came from.
        origin: String,
    },
    /// A load of a URL has no slices.
    #[say(
        en = "run {run} is a single load and has no slices",
        zh = "运行 {run} 是单次压测，没有切片",
        hint(
            en = "`prony load URL --out DIR` writes its histograms into DIR/load.hlog",
            zh = "`prony load URL --out DIR` 会将直方图写入 DIR/load.hlog"
        )
    )]
    SingleLoad { run: String },
    /// There is no run to take a baseline from.
    #[say(
        en = "there is no stored run of `{experiment}` to compare with",
        zh = "没有可用来对比的 `{experiment}` 的运行记录",
        hint(
            en = "run it once without --against; `prony history` lists what there is",
            zh = "请先不带 --against 运行一次；`prony history` 列出已有的运行"
        )
    )]
    NoneOf { experiment: String },
    /// The run has no arm of that name.
    #[say(
        en = "run {run} has no arm `{arm}`",
        zh = "运行 {run} 中没有对象 `{arm}`",
        hint(
            en = "write --against {run}/ARM; its arms: {arms:commas}",
            zh = "请写 --against {run}/对象；其中的对象有：{arms:commas}"
        )
    )]
    NoArm {
        run: String,
        /// What was asked for.
        arm: String,
        /// The arms that the run has.
        arms: Vec<String>,
    },
    /// The run has several arms, and none was named.
    #[say(
        en = "run {run} has several arms to compare with",
        zh = "运行 {run} 中有多个可用来对比的对象",
        hint(
            en = "write --against {run}/ARM; its arms: {arms:commas}",
            zh = "请写 --against {run}/对象；其中的对象有：{arms:commas}"
        )
    )]
    SeveralArms {
        run: String,
        /// The arms that the run has.
        arms: Vec<String>,
    },
    /// A service of the stored arm has another meaning in this experiment.
    #[say(
        en = "the service `{service}` is not what it was in run {run}",
        zh = "服务 `{service}` 与运行 {run} 中的不同",
        hint(en = "give the new one another name", zh = "请为新的服务另取一个名称")
    )]
    OtherService { service: String, run: String },
    /// An arm of the run cannot be built and run again as it was.
    #[say(
        en = "`{arm}` of run {run} cannot be run again as it was: {why}",
        zh = "运行 {run} 中的 `{arm}` 无法按原样再次运行：{why}",
        hint(
            en = "what was stored then{measured? ({})} is no baseline: it met the noise of another hour, \
                  which differs by more than most changes do; both have to run in turn, so keep what a \
                  release is built from under a name of its own",
            zh = "当时保存的结果{measured?（{}）}不能作为基线：它所处的噪声属于另一时刻，\
                  其差别大于多数改动的影响；两者必须轮流运行，\
                  因此请将构建某一版本所用的文件以单独的名称保留"
        )
    )]
    CannotRepeat {
        arm: String,
        run: String,
        /// Why not.
        why: Gone,
        /// What was measured of it then: `throughput 21034/s`.
        measured: Option<String>,
    },
}

/// Why an arm cannot be run again as it was.
#[derive(Debug, Say)]
pub(crate) enum Gone {
    /// The file that it was built from is not there any more.
    #[say(en = "{0} is not there any more", zh = "{0} 已不存在")]
    File(PathBuf),
    /// The catalog does not have the release any more.
    #[say(en = "the catalog has no {server} {version} any more", zh = "目录中已没有 {server} {version}")]
    Release { server: String, version: String },
    /// What was built now is not what ran then.
    #[say(
        en = "{changes:semicolons}",
        zh = "{changes:semicolons}",
        changes = _0.iter().map(Changed::of).collect::<Vec<_>>()
    )]
    Changed(Vec<Difference>),
}

/// A fact that has changed since a run was stored. `None` where it was or is not known.
#[derive(Debug, Say)]
#[say(
    en = "{fact} was `{was?{}|absent}` and is `{is?{}|absent}`",
    zh = "{fact} 当时{was?为 `{}`|未知}，现在{is?为 `{}`|未知}"
)]
pub(crate) struct Difference {
    /// The name of the fact.
    pub(crate) fact: String,
    /// What it was.
    pub(crate) was: Option<String>,
    /// What it is now.
    pub(crate) is: Option<String>,
}

/// A change of what an arm was built from.
#[derive(Say)]
#[say(
    en = "its {fact} was `{was?{}|unknown}` and is `{is?{}|unknown}`",
    zh = "{fact} 当时{was?为 `{}`|未知}，现在{is?为 `{}`|未知}"
)]
struct Changed<'a> {
    fact: &'a str,
    was: Option<&'a str>,
    is: Option<&'a str>,
}

impl<'a> Changed<'a> {
    fn of(difference: &'a Difference) -> Self {
        Self { fact: &difference.fact, was: difference.was.as_deref(), is: difference.is.as_deref() }
    }
}
