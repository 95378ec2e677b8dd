//! [`StatusLine`]: what the program tells on stderr beside progress and errors.

use super::{Message, said};
use ::say::Say;
use model::question::Question;
use model::units::Nanos;
use report::Lang;
use report::progress::span;
use std::net::IpAddr;
use std::path::Path;

/// A line on stderr; some have a hint below.
#[derive(Debug, Say)]
pub(crate) enum StatusLine<'a> {
    /// The list of stored runs is served.
    #[say(en = "stored runs at {url}", zh = "运行记录页面：{url}")]
    RunsServed {
        /// Where.
        url: &'a str,
    },
    /// The page of a run is served.
    #[say(en = "live at {url}", zh = "实时页面：{url}")]
    PageServed {
        /// Where.
        url: &'a str,
    },
    /// The servers of a run can be reached from other machines.
    #[say(
        en = "servers listen on {at} until the run ends, because agents on other machines load them",
        zh = "运行期间服务器监听 {at}，因为其他机器上的压测机要访问它们"
    )]
    ServersListen {
        /// Where.
        at: IpAddr,
    },
    /// A run that was gone on with had nothing left to do.
    #[say(
        en = "nothing was added: the headline is decided, or all starts were made",
        zh = "没有新增启动：主指标已有结论，或已达到启动次数上限"
    )]
    NothingAdded,
    /// The run ended well and could not be stored.
    #[say(
        en = "the results above are complete, but the run is not stored; \
              {out?they are in {}|use --out to keep those of the next}",
        zh = "以上结果完整，但本次运行未能保存；{out?结果位于 {}|下次可用 --out 保留结果}"
    )]
    NotStored {
        /// The folder where its results are nevertheless.
        out: Option<&'a Path>,
    },
    /// The run begins and will not be stored.
    #[say(en = "this run will not be stored: {error}", zh = "本次运行将不会保存：{error}")]
    WillNotBeStored {
        /// Why.
        error: &'a store::Error,
    },
    /// A change that a diagnosis suggests is tried.
    #[say(en = "to prove {cause} of {arm}: {question}", zh = "正在验证 {arm} 的诊断 {cause}：{question}")]
    Proving {
        /// The id of the diagnosis.
        cause: &'a str,
        /// The arm that it is about.
        arm: &'a str,
        /// What the trial asks.
        question: &'a Question,
    },
    /// Such a change could not be tried; why follows.
    #[say(en = "could not be tried:", zh = "未能尝试：")]
    NotTried,
    /// There is no stored run.
    #[say(en = "no stored runs{experiment? of `{}`}", zh = "没有{experiment? `{}` 的}运行记录")]
    NoRuns {
        /// The experiment that was asked for.
        experiment: Option<&'a str>,
    },
    /// The report is that of a run without an end.
    #[say(
        en = "run {run} was killed or is still running: this is what there is of it, {starts} whole \
              {starts|start|starts}",
        zh = "运行 {run} 被终止或仍在进行：以下为已有的内容，共 {starts} 次完整的启动",
        hint(en = "`prony run --resume {run}` goes on with it", zh = "`prony run --resume {run}` 可继续")
    )]
    Unfinished {
        run: &'a str,
        /// Starts that are whole.
        starts: u32,
    },
    /// More lines than most programs can read.
    #[say(
        en = "{millions} million lines follow",
        zh = "接下来将输出 {millions} 百万行",
        hint(en = "--every 10 keeps one request in ten", zh = "--every 10 每十个请求保留一个"),
        millions = lines / 1_000_000
    )]
    ManyLines {
        /// How many.
        lines: u64,
    },
    /// A run of a calibration begins.
    #[say(en = "run {number} of {runs}", zh = "第 {number} 次运行，共 {runs} 次")]
    CalibrationRun {
        /// Its number, from 1.
        number: u32,
        /// How many there are.
        runs: u32,
    },
    /// A run begins that finds out how large a dose has to be.
    #[say(
        en = "finding out how large the dose has to be for {percent:.1} %",
        zh = "正在确定达到 {percent:.1} % 需要多大的剂量",
        percent = 100.0 * share
    )]
    CalibrationTrial {
        /// For this share.
        share: f64,
    },
    /// A load begins with what does not count.
    #[say(
        en = "ramp-up and warm-up: {span} that do not count",
        zh = "爬升与预热：{span}，不计入结果",
        span = span(*time)
    )]
    Settling {
        /// How long.
        time: Nanos,
    },
    /// A second of a load.
    #[say(
        en = "{rate:.0} right answers/s, {faults} faults{span?, {} left}",
        zh = "每秒正确应答 {rate:.0} 个，故障 {faults} 次{span?，还剩 {}}",
        span = left.map(span)
    )]
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

    /// In a language, with what can be done about it in a line below.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let Message { message, hint } = said(self, lang);
        match hint {
            Some(advice) => format!("{message}\n{}", super::hint(&advice, lang)),
            None => message,
        }
    }
}
