//! [`RequestTime`]: where the time of a request goes, from its user's side.

use model::load::Load;
use model::units::Seconds;
use say::Say;
use serde::{Deserialize, Serialize};

/// Where the time of a request goes at a load, mean over requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestTime {
    pub level: Load,
    /// All of it, and the connect before it, as far as one is needed for each.
    pub all: Seconds,
    /// Its parts, from the user inwards; they add up to all of it, and the last is what nothing explains.
    pub parts: Vec<TimePart>,
}

/// A part of the time of a request.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "{seconds} {place}", zh = "{place} {seconds}")]
pub struct TimePart {
    pub place: TimePlace,
    pub seconds: Seconds,
}

/// Where a part of the time of a request goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum TimePlace {
    /// Its user opens a connection for it.
    #[say(en = "connecting", zh = "建立连接")]
    Connecting,
    /// Its connection waits to be accepted.
    #[say(en = "in the queue outside the server", zh = "在服务器之外排队")]
    QueueOutside,
    /// It waits for a thread.
    #[say(en = "in the queue for a thread", zh = "排队等待线程")]
    QueueInside,
    /// It runs on a CPU, or waits for one.
    #[say(en = "on a CPU or waiting for one", zh = "在 CPU 上或等待 CPU")]
    Cpu,
    /// It waits for a lock.
    #[say(en = "waiting for a lock", zh = "等待锁")]
    Lock,
    /// It waits for a pool, a permit or a limiter of rates.
    #[say(en = "waiting for a pool or a permit", zh = "等待池或许可")]
    Pool,
    /// It waits for the answer of another program.
    #[say(en = "waiting for {address}", zh = "等待 {address}")]
    BackEnd { address: String },
    /// It looks up names or opens connections to other programs, or waits for its own client.
    #[say(en = "getting to other programs", zh = "连接其他程序")]
    Calling,
    /// It reads, writes or logs, or waits until that is on the disk.
    #[say(en = "reading or writing files", zh = "读写文件")]
    Files,
    /// It sleeps.
    #[say(en = "asleep", zh = "休眠")]
    Asleep,
    /// It reads from its user, or writes to it.
    #[say(en = "reading from its user or writing to it", zh = "与用户收发数据")]
    Transfer,
    /// Its answer has begun, and its next event has not been sent.
    #[say(en = "waiting for the next event", zh = "等待下一个事件")]
    NextEvent,
    /// Nothing explains it.
    #[say(en = "unexplained", zh = "未能解释")]
    Unexplained,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::assertions::assert_said_apart;
    use crate::words::codes;

    #[test]
    fn every_place_is_said_in_both_languages() {
        use TimePlace::{
            Asleep, Calling, Connecting, Cpu, Files, Lock, NextEvent, Pool, QueueInside, QueueOutside,
            Transfer, Unexplained,
        };
        let of = |address: &str| TimePlace::BackEnd { address: address.to_owned() };
        let all = [
            Connecting,
            QueueOutside,
            QueueInside,
            Cpu,
            Lock,
            Pool,
            of("10.0.0.1:80"),
            Calling,
            Files,
            Asleep,
            Transfer,
            NextEvent,
            Unexplained,
        ];
        assert_eq!(all.len(), codes::<TimePlace>(r#"{"code":"?"}"#).len());
        let parts = all.map(|place| TimePart { place, seconds: Seconds(0.047) });
        assert_said_apart(&parts);
    }
}
