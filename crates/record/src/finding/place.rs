//! [`RequestPlace`]: where requests are at a moment, and what they do there.

use model::units::Share;
use say::Say;
use serde::{Deserialize, Serialize};

/// What a request does, or what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doing {
    /// It runs on a CPU, or waits for one.
    #[say(en = "run on a CPU or wait for one", zh = "在运行或等待 CPU")]
    Runs,
    /// It waits for a thread of the server.
    #[say(en = "wait for a thread of the server", zh = "在等待服务器的线程")]
    ServerThread,
    /// It waits for a thread of the application.
    #[say(en = "wait for a thread", zh = "在等待线程")]
    Thread,
    /// It waits for a permit.
    #[say(en = "wait for a permit", zh = "在等待许可")]
    Permit,
    /// It waits for something that a pool lends, such as a connection.
    #[say(en = "wait for a pool", zh = "在等待池")]
    Pool,
    /// It waits for its turn at a limiter of rates.
    #[say(en = "wait for a limiter of rates", zh = "在等待限流器")]
    Limiter,
    /// It waits for a lock that another thread holds.
    #[say(en = "wait for a lock", zh = "在等待锁")]
    Lock,
    /// It waits for the answer of another program.
    #[say(en = "wait for an answer", zh = "在等待应答")]
    Answer,
    /// It looks up a name, to ask another program.
    #[say(en = "look up a name", zh = "在解析主机名")]
    LookUp,
    /// It opens a connection to another program.
    #[say(en = "open a connection", zh = "在建立连接")]
    Connect,
    /// It waits for the application's own client, which has the answer of the other program already.
    #[say(en = "wait for a client that has the answer", zh = "在等待已收到应答的客户端库")]
    OwnClient,
    /// It reads from its own client, or writes to it.
    #[say(en = "read from their client or write to it", zh = "在读写自己的客户端")]
    Client,
    /// It reads or writes a file.
    #[say(en = "read or write a file", zh = "在读写文件")]
    File,
    /// It waits until a file is on the disk.
    #[say(en = "wait until a file is on the disk", zh = "在等待文件落盘")]
    Sync,
    /// It waits until its line is in a log.
    #[say(en = "wait for a log", zh = "在等待日志")]
    Log,
    /// It waits for what another thread does.
    #[say(en = "wait for another thread", zh = "在等待另一个线程")]
    Result,
    /// It sleeps for a time.
    #[say(en = "sleep", zh = "在休眠")]
    Sleep,
    /// Its thread stands still in the JVM or in the kernel, such as for memory.
    #[say(en = "stand still in the JVM", zh = "停滞在虚拟机中")]
    Stalled,
    /// It waits for something else.
    #[say(en = "wait for something else", zh = "在等待其他事物")]
    Other,
    /// It has no thread in the server, and no other program is asked for it: a timer, the network, or a queue.
    #[say(en = "have no thread", zh = "没有线程")]
    NoThread,
}

/// A place where requests are.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} {does}",
    zh = "{share} {does}",
    does = Does::at(*doing, what.as_deref(), at)
)]
pub struct RequestPlace {
    /// What they do there.
    pub doing: Doing,
    /// What they wait for, where it has a name: a library, the class of a lock, an address, the threads of a pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The innermost method of the application.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the requests that are there.
    pub share: Share,
}

/// A method that CPU time is spent in.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "{method} {share}", zh = "{method} {share}")]
pub struct DearFrame {
    pub method: String,
    /// Share of the server's CPU time.
    pub share: Share,
}

impl RequestPlace {
    /// What requests do there and in which method, without their share.
    pub(super) fn does(&self) -> Does<'_> {
        Does::at(self.doing, self.what.as_deref(), &self.at)
    }
}

/// What requests do at a place, and in which method.
#[derive(Say)]
#[say(en = "{doing}{answer? of {}}{name? ({})}{at}", zh = "{doing}{answer?（{}）}{name?（{}）}{at}")]
pub(super) struct Does<'a> {
    doing: Doing,
    /// Who answers them.
    answer: Option<&'a str>,
    /// What else they wait for, where a sentence names it.
    name: Option<&'a str>,
    at: &'a InMethod,
}

impl<'a> Does<'a> {
    const fn at(doing: Doing, what: Option<&'a str>, at: &'a InMethod) -> Self {
        let (answer, name) = match doing {
            Doing::Answer => (what, None),
            Doing::Thread | Doing::Pool | Doing::Limiter | Doing::Lock | Doing::Log => (None, what),
            _ => (None, None),
        };
        Self { doing, answer, name, at }
    }
}

/// A method of the application and the one that called it, with their lines where these are known: `shop.Orders.find:42`. Nothing is said of it
/// where the method is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(en = "{method? in {}{caller? (called from {})}}", zh = "{method?（位于 {}{caller?，由 {} 调用}）}")]
pub struct InMethod {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
}

impl InMethod {
    /// A method whose caller does not matter.
    pub const fn alone(method: Option<String>) -> Self {
        Self { method, caller: None }
    }
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;
    use crate::words::codes;

    impl InMethod {
        /// A method with its caller.
        pub(in crate::finding) fn example() -> Self {
            let [method, caller] =
                ["shop.Orders.find:42", "shop.Checkout.doGet:17"].map(|name| Some(name.to_owned()));
            Self { method, caller }
        }
    }

    impl RequestPlace {
        /// A place with all that can be known of it.
        pub(in crate::finding) fn example(doing: Doing) -> Self {
            Self {
                doing,
                what: Some("10.0.0.1:5432".to_owned()),
                at: InMethod::example(),
                share: Share(0.93),
            }
        }
    }

    /// A place of each kind.
    impl Examples for RequestPlace {
        fn examples() -> Vec<Self> {
            let all = [
                Doing::Runs,
                Doing::ServerThread,
                Doing::Thread,
                Doing::Permit,
                Doing::Pool,
                Doing::Limiter,
                Doing::Lock,
                Doing::Answer,
                Doing::LookUp,
                Doing::Connect,
                Doing::OwnClient,
                Doing::Client,
                Doing::File,
                Doing::Sync,
                Doing::Log,
                Doing::Result,
                Doing::Sleep,
                Doing::Stalled,
                Doing::Other,
                Doing::NoThread,
            ];
            assert_eq!(all.len(), codes::<Doing>(r#""?""#).len());
            all.map(Self::example).to_vec()
        }
    }
}
