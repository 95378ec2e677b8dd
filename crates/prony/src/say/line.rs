//! [`StatusLine`]: what the program tells on stderr beside progress and errors.

use super::hint;
use model::question::Question;
use model::units::Nanos;
use report::Lang;
use report::progress::span;
use std::net::IpAddr;
use std::path::Path;

/// A line on stderr; some have a hint below.
#[derive(Debug)]
pub(crate) enum StatusLine<'a> {
    /// The list of stored runs is served.
    RunsServed {
        /// Where.
        url: &'a str,
    },
    /// The page of a run is served.
    PageServed {
        /// Where.
        url: &'a str,
    },
    /// The servers of a run can be reached from other machines.
    ServersListen {
        /// Where.
        at: IpAddr,
    },
    /// A run that was gone on with had nothing left to do.
    NothingAdded,
    /// The run ended well and could not be stored.
    NotStored {
        /// The folder where its results are nevertheless.
        out: Option<&'a Path>,
    },
    /// The run begins and will not be stored.
    WillNotBeStored {
        /// Why.
        error: &'a store::Error,
    },
    /// A change that a diagnosis suggests is tried.
    Proving {
        /// The id of the diagnosis.
        cause: &'a str,
        /// The arm that it is about.
        arm: &'a str,
        /// What the trial asks.
        question: &'a Question,
    },
    /// Such a change could not be tried; why follows.
    NotTried,
    /// There is no stored run.
    NoRuns {
        /// The experiment that was asked for.
        experiment: Option<&'a str>,
    },
    /// The report is that of a run without an end.
    Unfinished {
        /// The run.
        run: &'a str,
        /// Starts that are whole.
        starts: u32,
    },
    /// More lines than most programs can read.
    ManyLines {
        /// How many.
        lines: u64,
    },
    /// A run of a calibration begins.
    CalibrationRun {
        /// Its number, from 1.
        number: u32,
        /// How many there are.
        runs: u32,
    },
    /// A run begins that finds out how large a dose has to be.
    CalibrationTrial {
        /// For this share.
        share: f64,
    },
    /// A load begins with what does not count.
    Settling {
        /// How long.
        time: Nanos,
    },
    /// A second of a load.
    Loading {
        /// Right answers per second.
        rate: f64,
        /// What went wrong.
        faults: u64,
        /// How long it still takes, where time ends it.
        left: Option<Nanos>,
    },
}

impl StatusLine<'_> {
    /// Prints it on stderr.
    pub(crate) fn tell(&self, lang: Lang) {
        eprintln!("{}", self.text(lang));
    }

    /// In a language.
    pub(crate) fn text(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.english(),
            Lang::Zh => self.chinese(),
        }
    }

    fn english(&self) -> String {
        match self {
            Self::RunsServed { url } => format!("stored runs at {url}"),
            Self::PageServed { url } => format!("live at {url}"),
            Self::ServersListen { at } => {
                format!(
                    "servers listen on {at} until the run ends, because agents on other machines load them"
                )
            }
            Self::NothingAdded => {
                "nothing was added: the headline is decided, or all starts were made".to_owned()
            }
            Self::NotStored { out } => {
                let kept = match out {
                    Some(folder) => format!("they are in {}", folder.display()),
                    None => "use --out to keep those of the next".to_owned(),
                };
                format!("the results above are complete, but the run is not stored; {kept}")
            }
            Self::WillNotBeStored { error } => format!("this run will not be stored: {error}"),
            Self::Proving { cause, arm, question } => {
                format!("to prove {cause} of {arm}: {}", question.text)
            }
            Self::NotTried => "could not be tried:".to_owned(),
            Self::NoRuns { experiment: None } => "no stored runs".to_owned(),
            Self::NoRuns {
                experiment: Some(name),
            } => format!("no stored runs of `{name}`"),
            Self::Unfinished { run, starts } => {
                let word = if *starts == 1 { "start" } else { "starts" };
                let text = format!(
                    "run {run} was killed or is still running: this is what there is of it, {starts} whole {word}"
                );
                let resume = format!("`prony run --resume {run}` goes on with it");
                format!("{text}\n{}", hint(&resume, Lang::En))
            }
            Self::ManyLines { lines } => {
                let fewer = hint("--every 10 keeps one request in ten", Lang::En);
                format!("{} million lines follow\n{fewer}", lines / 1_000_000)
            }
            Self::CalibrationRun { number, runs } => format!("run {number} of {runs}"),
            Self::CalibrationTrial { share } => {
                format!(
                    "finding out how large the dose has to be for {:.1} %",
                    100.0 * share
                )
            }
            Self::Settling { time } => format!("ramp-up and warm-up: {} that do not count", span(*time)),
            Self::Loading { rate, faults, left } => {
                let left = left.map_or_else(String::new, |left| format!(", {} left", span(left)));
                format!("{rate:.0} right answers/s, {faults} faults{left}")
            }
        }
    }

    fn chinese(&self) -> String {
        match self {
            Self::RunsServed { url } => format!("运行记录页面：{url}"),
            Self::PageServed { url } => format!("实时页面：{url}"),
            Self::ServersListen { at } => {
                format!("运行期间服务器监听 {at}，因为其他机器上的压测机要访问它们")
            }
            Self::NothingAdded => "没有新增启动：主指标已有结论，或已达到启动次数上限".to_owned(),
            Self::NotStored { out } => {
                let kept = match out {
                    Some(folder) => format!("结果位于 {}", folder.display()),
                    None => "下次可用 --out 保留结果".to_owned(),
                };
                format!("以上结果完整，但本次运行未能保存；{kept}")
            }
            Self::WillNotBeStored { error } => {
                format!("本次运行将不会保存：{}", ::say::text(*error, Lang::Zh))
            }
            Self::Proving { cause, arm, question } => {
                format!("正在验证 {arm} 的诊断 {cause}：{}", question.in_chinese())
            }
            Self::NotTried => "未能尝试：".to_owned(),
            Self::NoRuns { experiment: None } => "没有运行记录".to_owned(),
            Self::NoRuns {
                experiment: Some(name),
            } => format!("没有 `{name}` 的运行记录"),
            Self::Unfinished { run, starts } => {
                let text = format!("运行 {run} 被终止或仍在进行：以下为已有的内容，共 {starts} 次完整的启动");
                let resume = format!("`prony run --resume {run}` 可继续");
                format!("{text}\n{}", hint(&resume, Lang::Zh))
            }
            Self::ManyLines { lines } => {
                let fewer = hint("--every 10 每十个请求保留一个", Lang::Zh);
                format!("接下来将输出 {} 百万行\n{fewer}", lines / 1_000_000)
            }
            Self::CalibrationRun { number, runs } => format!("第 {number} 次运行，共 {runs} 次"),
            Self::CalibrationTrial { share } => {
                format!("正在确定达到 {:.1} % 需要多大的剂量", 100.0 * share)
            }
            Self::Settling { time } => format!("爬升与预热：{}，不计入结果", span(*time)),
            Self::Loading { rate, faults, left } => {
                let left = left.map_or_else(String::new, |left| format!("，还剩 {}", span(left)));
                format!("每秒正确应答 {rate:.0} 个，故障 {faults} 次{left}")
            }
        }
    }
}
