//! [`ArmNote`]: what a reader has to know about single arms.

use crate::estimate::Estimate;
use crate::finding::{Cause, Remedy};
use crate::host_facts::HostSeen;
use model::units::BitRate;
use say::{Say, Writer, numbers};
use serde::{Deserialize, Serialize};

/// What a reader has to know about single arms.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum ArmNote {
    /// Servers ran on another machine.
    #[say(
        en = "{arms:commas} ran on {url}: {cpus} x {processor}, {kernel}; {round_trip?the round trip on a connection to it was {}, \
              }{rate?it could send {}, and }its clock differed by {clock}; nothing was computed from times of both clocks",
        zh = "{arms:commas} 运行在 {url} 上：{cpus} 个 {processor}，{kernel}；{round_trip?与其连接的往返时间为 {}，}{rate?其发送速率可达 {}，}其时钟\
              与本机相差 {clock}；没有任何计算同时使用两个时钟的时间",
        url = &host.url,
        cpus = host.cpus,
        processor = &host.processor,
        kernel = &host.kernel,
        round_trip = host.round_trip.map(|trip| numbers::fine_seconds(trip.0)),
        rate = host.rate.map(|rate| BitRate(rate as u64)),
        clock = host.clock()
    )]
    Elsewhere {
        /// Their arms.
        arms: Vec<String>,
        /// The machine and the way to it.
        host: HostSeen,
    },
    /// Servers ran on different machines.
    #[say(
        en = "the arms ran on {count} machines ({each:semicolons}): the machines and the ways to them are part of every difference \
              between these arms. Noise of this machine met all of them; noise of another machine or of the way there met only its own arms, \
              so that slices in turn do not cancel it, and only the differences between starts show it. CPU per request by group of threads \
              tells where a difference comes from",
        zh = "各对象运行在 {count} 台机器上（{each:semicolons}）：机器及其线路是这些对象之间每个差异的一部分。本机的噪声影响所有对象；另一台机器\
              或其线路的噪声只影响该机器上的对象，轮流测量的切片无法抵消它，只有各次启动之间的差异能显示它。按线程组划分的每请求 CPU 说明差异从何而来",
        count = machines.len(),
        each = machines.iter().map(|arms| Names(arms)).collect::<Vec<_>>()
    )]
    OnSeveralMachines {
        /// The arms on each machine; those that ran beside the generator are first.
        machines: Vec<Vec<String>>,
    },
    /// Servers that prony did not start: their figures do not include the variation between starts.
    #[say(
        en = "prony did not start {names}: each of the starts is a session there (fresh connections to the process that ran), so that a \
              verdict holds for that process, and another start of it may differ by as much as starts vary",
        zh = "{names} 不是由 prony 启动的：此处每次“启动”是一次会话（对当时运行的进程新建连接），因此判定只对当时运行的进程成立，再次启动后的差别可能与启动之间的波动一样大",
        names = Together(arms)
    )]
    NeverRestarted {
        /// Their arms.
        arms: Vec<String>,
    },
    /// Servers on other machines that prony did not start.
    #[say(
        en = "{names}: CPU, memory, start-up and collections are unknown, because prony cannot see the process; each of the starts is a session (fresh connections to whatever runs there), so that a verdict holds for what ran, with its network, at that time, and another deployment may differ by as much as starts vary",
        zh = "{names}：CPU、内存、启动时间与垃圾回收未知，因为 prony 看不到其进程；此处每次“启动”是一次会话（对当时运行的服务新建连接），因此判定只对当时运行的服务及其网络成立，重新部署后的差别可能与启动之间的波动一样大",
        names = Together(arms)
    )]
    Unseen {
        /// Their arms.
        arms: Vec<String>,
    },
    /// Servers whose certificates nobody could verify.
    #[say(
        en = "the certificate of {names} was not verified, because prony did not make it; that the server holds its key was verified",
        zh = "{names} 的证书未经验证，因为它不是由 prony 生成的；但已确认服务器持有其密钥",
        names = Together(arms)
    )]
    CertificateNotVerified {
        /// Their arms.
        arms: Vec<String>,
    },
    /// An arm was left out, because it cannot run on this machine.
    #[say(transparent)]
    LeftOut(LeftOut),
    /// `[require.NAME]` names an arm that the run does not have.
    #[say(
        en = "`[require.{arm}]` was not judged: this run has no arm of that name",
        zh = "`[require.{arm}]` 未作判定：本次运行中没有该名称的对象"
    )]
    RequirementWithoutArm { arm: String },
    /// Answers of the arms have unlike numbers of bytes beside their bodies: headers, or chunks.
    #[say(
        en = "an answer of {arm} has {bytes:.0} bytes in addition to its body, one of {baseline} {baseline_bytes:.0}: the arms send \
              different headers, or bodies in more chunks",
        zh = "{arm} 的一个应答除正文外有 {bytes:.0} 字节，{baseline} 有 {baseline_bytes:.0} 字节：各对象发送的首部不同，或正文分成的块更多"
    )]
    UnlikeHeaders {
        arm: String,
        /// Mean bytes of an answer without its body.
        bytes: f64,
        baseline: String,
        /// Its bytes.
        baseline_bytes: f64,
    },
    /// The CPU time of arms was to be profiled, and was not.
    #[say(
        en = "the CPU time of {arms:commas} was not profiled{why?: {}}",
        zh = "未能剖析 {arms:commas} 的 CPU 时间{why?：{}}"
    )]
    NotProfiled {
        arms: Vec<String>,
        /// Why; absent where only the records of the run are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// What the values of a setting of the application brought.
    #[say(
        en = "{setting} of {arm} was tried because of {cause:text}; throughput as a multiple of that without a change: {values:commas}",
        zh = "因 {cause:text} 尝试了 {arm} 的 {setting}；吞吐量为未改动时的倍数：{values:commas}"
    )]
    Tuned {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        setting: String,
        /// The values that were tried.
        values: Vec<TunedValue>,
    },
    /// A trial of what a diagnosis suggests had no start that counted.
    #[say(
        en = "the trial for {cause:text} of {arm} has no result: no start of run {run} counted; repeat it on a machine where nothing \
              else runs",
        zh = "对 {arm} 的 {cause:text} 的尝试没有结果：运行 {run} 中没有一次启动有效；请在没有其他程序运行的机器上重试"
    )]
    TrialFailed {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        /// The run of the trial.
        run: String,
    },
}

/// Why nothing that a diagnosis suggests was tried.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Untried {
    /// A diagnosis suggests nothing that a trial could change.
    #[say(
        en = "{cause:text} of {arm} was not tried: the advice changes the load, the machine or the application, not a setting of the \
              server ({remedy})",
        zh = "{arm} 的 {cause:text} 未做尝试：所建议的改动针对负载、机器或应用，而非服务器的设置（{remedy}）"
    )]
    NoTrial {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        /// What it suggests.
        remedy: Remedy,
    },
    /// A diagnosis suggests to enlarge something that prony cannot set, and the file names no setting of the application.
    #[say(
        en = "{cause:text} of {arm} was not tried, because prony does not know how to set what is too small ({remedy}); with `[tune]` \
              in the file, as \"pool.size\" = {{ env = \"POOL\", values = [8, 16, 32] }}, `--prove` tries these values",
        zh = "{arm} 的 {cause:text} 未做尝试：prony 不知道如何设置过小的那一项（{remedy}）；在文件中写 `[tune]`，如 `\"pool.size\" = {{ env = \
              \"POOL\", values = [8, 16, 32] }}`，`--prove` 便会尝试这些值"
    )]
    NothingToTune {
        arm: String,
        /// The cause that was diagnosed.
        cause: Cause,
        /// What it suggests.
        remedy: Remedy,
    },
}

/// A value of a setting of the application, and what it brought.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{factor?{} with|not known with} {value}",
    zh = "取 {value} 时{factor? {}|未知}",
    factor = throughput.map(|factor| factor.as_factor().concat())
)]
pub struct TunedValue {
    pub value: String,
    /// Throughput with this value as a multiple of the throughput without it; absent where it cannot be estimated.
    pub throughput: Option<Estimate>,
}

/// An arm that was left out of a run.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(en = "arm `{arm}` was left out: {why}", zh = "对象 `{arm}` 未参加：{why}")]
pub struct LeftOut {
    pub arm: String,
    /// Why it cannot run.
    pub why: Unavailable,
}

/// Why an arm cannot run on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case")]
pub enum Unavailable {
    /// It runs on a host whose address was not given.
    #[say(
        en = "the address of its host was not given (`--host {host}=ssh://USER@BOX`)",
        zh = "未给出其主机的地址（`--host {host}=ssh://USER@BOX`）"
    )]
    HostNotGiven {
        /// The name of the host.
        host: String,
    },
    /// The compiler of native images is neither on the PATH nor in GRAALVM_HOME/bin.
    #[say(
        en = "native-image is not installed: it is neither in GRAALVM_HOME/bin nor in JAVA_HOME/bin nor on the PATH",
        zh = "未安装 native-image：GRAALVM_HOME/bin、JAVA_HOME/bin 与 PATH 中都没有它"
    )]
    NativeImageMissing,
    /// Another program or file is missing; the sentence of the error.
    #[say(transparent)]
    Other(String),
}

/// The arms of one machine.
#[derive(Say)]
#[say(en = "{0:commas}", zh = "{0:commas}")]
struct Names<'a>(&'a [String]);

/// Names with an “and” between each two: `a and b and c`.
struct Together<'a>(&'a [String]);

impl Say for Together<'_> {
    fn say(&self, out: &mut Writer) {
        out.value(self.0.join(out.language().choose(" and ", " 与 ")));
    }
}
