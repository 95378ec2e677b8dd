//! Findings about what requests wait for inside the server while neither CPU nor threads are short.

use super::backends::Partner;
use super::place::{InMethod, RequestPlace};
use super::stops::Stops;
use model::units::{Count, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! wait_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// Threads wait for one lock.
        LockContention(LockWait) = "lock-contention", Explains, Application, 350;
        /// Virtual threads hold on to their carriers while they wait.
        VirtualThreadPinning(Pinning) = "virtual-thread-pinning", Explains, Application, 360;
        /// Requests wait until what they wrote is on the disk.
        DiskSync(SyncWait) = "disk-sync", Explains, Application, 310;
        /// Requests wait until their line of the log is written.
        DiskLogging(DiskWait) = "disk-logging", Explains, Application, 320;
    } };
}

/// Threads wait for one lock.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait for one lock, {lock}{at}, {each} each time{holder?; of those who \
          hold it {}}{asked?: {}}{thread?, in threads `{}`}{stops}; the CPU is {busy} in use",
    zh = "{share} 的在途请求在等待同一把锁 {lock}{at}，每次 {each}{holder?；持锁者中 {}}{asked?：{}}{thread?（线程 `{}`）}{stops}；CPU 使用率为 \
          {busy}"
)]
pub struct LockWait {
    /// The lock: its class.
    pub lock: String,
    /// Share of the requests in flight that wait for it.
    pub share: Share,
    /// Length of each wait, mean.
    pub each: Seconds,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
    /// The method of the application that waits for it; absent where stacks were not seen.
    #[serde(flatten)]
    pub at: InMethod,
    /// What its holder does most of the time, as a share of that; absent where it was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<RequestPlace>,
    /// The program whose answer its holder waits for most of the time; absent where there is none, or its address was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Partner>,
    /// The name of the threads of its holder, with `#` for each number, where they answer no requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The stops that it causes; absent where they do not come at even distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<Stops>,
}

/// Virtual threads hold on to their carriers while they wait.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "virtual threads hold {held:three} of {carriers} carriers while they wait ({wait}): the others cannot run, and the CPU is \
          {busy} in use",
    zh = "虚拟线程在等待时占住了 {carriers} 个载体线程中的 {held:three} 个（{wait}）：其他虚拟线程无法运行，而 CPU 使用率为 {busy}"
)]
pub struct Pinning {
    /// What they wait for.
    pub wait: String,
    /// Carriers that they hold, mean.
    pub held: Count,
    /// Carriers that there are.
    pub carriers: Count,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// Requests wait until a file is written.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait until {file} is written{at}, {each} each time, {written:three} bytes \
          per request",
    zh = "{share} 的在途请求在等待写入 {file}{at}，每次 {each}，每个请求 {written:three} 字节"
)]
pub struct DiskWait {
    /// The file, or the library that writes the log where the file is not known.
    pub file: String,
    /// Share of the requests in flight that wait for it.
    pub share: Share,
    /// Length of each wait, mean.
    pub each: Seconds,
    /// Bytes written per request.
    pub written: f64,
    /// The method of the application that waits; absent where stacks were not seen.
    #[serde(flatten)]
    pub at: InMethod,
}

/// Requests wait until what they wrote is on the disk.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait until {file?{}|a file} is on the disk{at}{behind?, {} behind others \
          that do}, {each} each{stops}; the CPU is {busy} in use",
    zh = "{share} 的在途请求在等待{file? {} |文件}落盘{at}{behind?，其中 {} 排在其他等待者之后}，每个 {each}{stops}；CPU \
          使用率为 {busy}",
    behind = Some(*behind).filter(|share| share.0 > 0.0)
)]
pub struct SyncWait {
    /// The file that is waited for longest; absent where it is not known.
    pub file: Option<String>,
    /// The method of the application that waits.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the requests in flight that wait; those that wait for another that waits are among them.
    pub share: Share,
    /// Share of the requests in flight that wait for a lock or a pool whose holders wait for the disk.
    pub behind: Share,
    /// How long a request waits, mean.
    pub each: Seconds,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
    /// The stops that it causes; absent where they do not come at even distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<Stops>,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Doing;
    use crate::finding::Examples;

    const SHARE: Share = Share(0.94);
    const EACH: Seconds = Seconds(0.064);
    const BUSY: Share = Share(0.17);

    impl Examples for LockWait {
        fn examples() -> Vec<Self> {
            let seen = Self {
                lock: "shop.Tickets".to_owned(),
                share: SHARE,
                each: EACH,
                busy: BUSY,
                at: InMethod::example(),
                holder: Some(RequestPlace::example(Doing::Answer)),
                asked: None,
                thread: None,
                stops: None,
            };
            let asked = Partner { address: "10.0.0.7:9000".to_owned(), each: Seconds(0.021) };
            let remote = Self { asked: Some(asked), ..seen.clone() };
            let by_task = Self { thread: Some("price-refresh-#".to_owned()), ..seen.clone() };
            let again = Self { stops: Some(Stops::example()), ..by_task.clone() };
            vec![again, Self { at: InMethod::default(), holder: None, ..seen.clone() }, seen, by_task, remote]
        }
    }

    impl Examples for Pinning {
        fn examples() -> Vec<Self> {
            vec![Self { wait: "shop.Tickets".to_owned(), held: Count(1.9), carriers: Count(2.0), busy: BUSY }]
        }
    }

    impl Examples for DiskWait {
        fn examples() -> Vec<Self> {
            let log = |at| Self {
                file: "/logs/access.log".to_owned(),
                share: SHARE,
                each: EACH,
                written: 90.0,
                at,
            };
            vec![log(InMethod::default()), log(InMethod::example())]
        }
    }

    impl Examples for SyncWait {
        fn examples() -> Vec<Self> {
            let sync = |file: Option<&str>, behind| Self {
                file: file.map(str::to_owned),
                at: InMethod::example(),
                share: SHARE,
                behind,
                each: EACH,
                busy: BUSY,
                stops: None,
            };
            let again = Self { stops: Some(Stops::example()), ..sync(None, Share(0.0)) };
            vec![again, sync(None, Share(0.0)), sync(Some("/var/journal.7"), Share(0.31))]
        }
    }
}
