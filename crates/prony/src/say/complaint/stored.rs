//! Stored runs that cannot be used for what was asked: shown, gone on with, compared with.

use crate::say::{Message, hinted};
use std::path::PathBuf;

/// Why a stored run is of no use for what was asked.
#[derive(Debug)]
pub(crate) enum StoredComplaint {
    /// No run has that id, or begins so.
    Unknown {
        /// What was asked for.
        run: String,
    },
    /// An early prony did not store the design of runs.
    WithoutDesign {
        /// The run.
        run: String,
    },
    /// The machine or the servers are not what they were when the run began.
    OtherConditions {
        /// The run.
        run: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// It came from a team's store, without its secrets.
    WithoutSecrets {
        /// The run.
        run: String,
    },
    /// A variable of the environment that it needs is not set.
    NoEnvironment {
        /// The run.
        run: String,
        /// The name of the variable.
        variable: String,
    },
    /// It came from a command line.
    FromNoFile {
        /// The run.
        run: String,
        /// What it came from.
        origin: String,
    },
    /// A load of a URL has no slices.
    SingleLoad {
        /// The run.
        run: String,
    },
    /// There is no run to take a baseline from.
    NoneOf {
        /// The experiment.
        experiment: String,
    },
    /// The run has no arm of that name.
    NoArm {
        /// The run.
        run: String,
        /// What was asked for.
        arm: String,
        /// The arms that the run has.
        arms: Vec<String>,
    },
    /// The run has several arms, and none was named.
    SeveralArms {
        /// The run.
        run: String,
        /// The arms that the run has.
        arms: Vec<String>,
    },
    /// A service of the stored arm has another meaning in this experiment.
    OtherService {
        /// The service.
        service: String,
        /// The run.
        run: String,
    },
    /// An arm of the run cannot be built and run again as it was.
    CannotRepeat {
        /// The arm.
        arm: String,
        /// The run.
        run: String,
        /// Why not.
        why: Gone,
        /// What was measured of it then: `throughput 21034/s`.
        measured: Option<String>,
    },
}

/// Why an arm cannot be run again as it was.
#[derive(Debug)]
pub(crate) enum Gone {
    /// The file that it was built from is not there any more.
    File(PathBuf),
    /// The catalog does not have the release any more.
    Release {
        /// The server.
        server: String,
        /// Its version.
        version: String,
    },
    /// What was built now is not what ran then.
    Changed(Vec<Difference>),
}

/// A fact that has changed since a run was stored. `None` where it was or is not known.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The name of the fact.
    pub(crate) fact: String,
    /// What it was.
    pub(crate) was: Option<String>,
    /// What it is now.
    pub(crate) is: Option<String>,
}

impl StoredComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::Unknown { run } => hinted(
                format!("no stored run is called `{run}`"),
                "`prony history` lists them",
            ),
            Self::WithoutDesign { run } => hinted(
                format!("run {run} was stored by an early prony, without its design"),
                "its report is still there: `prony report` shows it",
            ),
            Self::OtherConditions { run, differences } => hinted(
                format!(
                    "run {run} cannot go on here: {}",
                    differences_in_english(differences, "absent")
                ),
                "start a new run: starts under unlike conditions are not one experiment",
            ),
            Self::WithoutSecrets { run } => hinted(
                format!("run {run} came from a team's store, which keeps no secrets and no sessions"),
                "run its experiment file again",
            ),
            Self::NoEnvironment { run, variable } => hinted(
                format!("run {run} needs the variable `{variable}` of the environment, which is not set"),
                "set it as it was when the run began",
            ),
            Self::FromNoFile { run, origin } => {
                let source = format!("it came from: {origin}");
                hinted(format!("run {run} came from no file"), source)
            }
            Self::SingleLoad { run } => hinted(
                format!("run {run} is a single load and has no slices"),
                "`prony load URL --out DIR` writes its histograms into DIR/load.hlog",
            ),
            Self::NoneOf { experiment } => hinted(
                format!("there is no stored run of `{experiment}` to compare with"),
                "run it once without --against; `prony history` lists what there is",
            ),
            Self::NoArm { run, arm, arms } => hinted(
                format!("run {run} has no arm `{arm}`"),
                which_arm_in_english(run, arms),
            ),
            Self::SeveralArms { run, arms } => hinted(
                format!("run {run} has several arms to compare with"),
                which_arm_in_english(run, arms),
            ),
            Self::OtherService { service, run } => hinted(
                format!("the service `{service}` is not what it was in run {run}"),
                "give the new one another name",
            ),
            Self::CannotRepeat {
                arm,
                run,
                why,
                measured,
            } => {
                let why = why.english();
                let what = format!("`{arm}` of run {run} cannot be run again as it was: {why}");
                hinted(what, no_baseline_in_english(measured.as_deref()))
            }
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::Unknown { run } => hinted(
                format!("没有名为 `{run}` 的运行记录"),
                "`prony history` 列出所有运行",
            ),
            Self::WithoutDesign { run } => hinted(
                format!("运行 {run} 由早期版本的 prony 保存，缺少其实验设计"),
                "其报告仍在：可用 `prony report` 查看",
            ),
            Self::OtherConditions { run, differences } => hinted(
                format!("运行 {run} 无法在此继续：{}", differences_in_chinese(differences)),
                "请另起一次运行：条件不同的启动不属于同一个实验",
            ),
            Self::WithoutSecrets { run } => hinted(
                format!("运行 {run} 来自团队存储，其中不保存密钥与会话内容"),
                "请重新运行其实验文件",
            ),
            Self::NoEnvironment { run, variable } => hinted(
                format!("运行 {run} 需要环境变量 `{variable}`，但它没有设置"),
                "请将其设置为运行开始时的值",
            ),
            Self::FromNoFile { run, origin } => {
                hinted(format!("运行 {run} 并非来自文件"), format!("其来源是：{origin}"))
            }
            Self::SingleLoad { run } => hinted(
                format!("运行 {run} 是单次压测，没有切片"),
                "`prony load URL --out DIR` 会将直方图写入 DIR/load.hlog",
            ),
            Self::NoneOf { experiment } => hinted(
                format!("没有可用来对比的 `{experiment}` 的运行记录"),
                "请先不带 --against 运行一次；`prony history` 列出已有的运行",
            ),
            Self::NoArm { run, arm, arms } => hinted(
                format!("运行 {run} 中没有对象 `{arm}`"),
                which_arm_in_chinese(run, arms),
            ),
            Self::SeveralArms { run, arms } => hinted(
                format!("运行 {run} 中有多个可用来对比的对象"),
                which_arm_in_chinese(run, arms),
            ),
            Self::OtherService { service, run } => hinted(
                format!("服务 `{service}` 与运行 {run} 中的不同"),
                "请为新的服务另取一个名称",
            ),
            Self::CannotRepeat {
                arm,
                run,
                why,
                measured,
            } => hinted(
                format!("运行 {run} 中的 `{arm}` 无法按原样再次运行：{}", why.chinese()),
                no_baseline_in_chinese(measured.as_deref()),
            ),
        }
    }
}

impl Gone {
    fn english(&self) -> String {
        match self {
            Self::File(path) => format!("{} is not there any more", path.display()),
            Self::Release { server, version } => format!("the catalog has no {server} {version} any more"),
            Self::Changed(differences) => {
                let changes = differences.iter().map(|difference| {
                    let change = difference.english("unknown");
                    format!("its {change}")
                });
                changes.collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn chinese(&self) -> String {
        match self {
            Self::File(path) => format!("{} 已不存在", path.display()),
            Self::Release { server, version } => format!("目录中已没有 {server} {version}"),
            Self::Changed(differences) => differences_in_chinese(differences),
        }
    }
}

impl Difference {
    /// `absent` stands for what is not known.
    fn english(&self, absent: &str) -> String {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| absent.to_owned());
        format!(
            "{} was `{}` and is `{}`",
            self.fact,
            shown(&self.was),
            shown(&self.is)
        )
    }

    fn chinese(&self) -> String {
        let shown = |value: &Option<String>| match value {
            Some(value) => format!("为 `{value}`"),
            None => "未知".to_owned(),
        };
        format!("{} 当时{}，现在{}", self.fact, shown(&self.was), shown(&self.is))
    }
}

fn differences_in_english(differences: &[Difference], absent: &str) -> String {
    let texts = differences.iter().map(|difference| difference.english(absent));
    texts.collect::<Vec<_>>().join("; ")
}

fn differences_in_chinese(differences: &[Difference]) -> String {
    let texts = differences.iter().map(Difference::chinese);
    texts.collect::<Vec<_>>().join("；")
}

fn which_arm_in_english(run: &str, arms: &[String]) -> String {
    format!("write --against {run}/ARM; its arms: {}", arms.join(", "))
}

fn which_arm_in_chinese(run: &str, arms: &[String]) -> String {
    format!("请写 --against {run}/对象；其中的对象有：{}", arms.join("、"))
}

fn no_baseline_in_english(measured: Option<&str>) -> String {
    let measured = measured.map_or_else(String::new, |measured| format!(" ({measured})"));
    format!(
        "what was stored then{measured} is no baseline: it met the noise of another hour, which differs by more than most \
         changes do; both have to run in turn, so keep what a release is built from under a name of its own"
    )
}

fn no_baseline_in_chinese(measured: Option<&str>) -> String {
    let measured = measured.map_or_else(String::new, |measured| format!("（{measured}）"));
    format!(
        "当时保存的结果{measured}不能作为基线：它所处的噪声属于另一时刻，其差别大于多数改动的影响；两者必须轮流运行，\
         因此请将构建某一版本所用的文件以单独的名称保留"
    )
}
