//! What `prony wrk` and `prony ab` refuse. Where the other tool has words for it, the English is those.

use crate::say::{Message, hinted, plain};
use load::Fault;

/// What is wrong with a command line of another tool, or with its load.
#[derive(Debug)]
pub(crate) enum ForeignComplaint {
    /// A flag of the other tool that is not supported.
    Flag {
        /// Its letter.
        flag: &'static str,
        /// What to do instead.
        instead: Instead,
    },
    /// `-v` of ab above 1.
    Verbosity,
    /// ab: more requests at a time than in total.
    Concurrency,
    /// wrk: fewer connections than threads, or no thread.
    Threads,
    /// wrk: a duration or timeout of zero.
    NoTime,
    /// wrk connects once before it begins, and could not.
    Unreachable {
        /// The host.
        host: String,
        /// Its port.
        port: u16,
        /// What the system says.
        reason: String,
    },
    /// ab ends where the server resets a connection.
    Reset,
    /// ab ends where nobody answers.
    NoConnection {
        /// The host.
        host: String,
        /// Its port.
        port: u16,
        /// What went wrong first.
        fault: Fault,
    },
}

/// What to do instead of giving a flag that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    /// There are no scripts.
    Scripts,
    /// Buffers and addresses are the system's choice.
    System,
    /// There is no output as HTML.
    Html,
    /// There are no proxies.
    Proxy,
    /// TLS is as the server chooses.
    Tls,
    /// Single requests are not kept.
    Requests,
    /// The number of threads is fixed.
    Threads,
}

impl ForeignComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::Flag { flag, instead } => hinted(format!("-{flag} is not supported"), instead.english()),
            Self::Verbosity => hinted("-v above 1 is not supported", "`curl -v` shows an exchange"),
            Self::Concurrency => plain("cannot use concurrency level greater than total number of requests"),
            Self::Threads => hinted(
                "number of connections must be >= threads",
                "-c is the number over all threads; there is one thread at least",
            ),
            Self::NoTime => plain("duration and timeout must be above zero"),
            Self::Unreachable { host, port, reason } => hinted(
                format!("unable to connect to {host}:{port} {reason}"),
                "is the server running?",
            ),
            Self::Reset => hinted("the server reset a connection", "-r goes on when that happens"),
            Self::NoConnection { host, port, fault } => hinted(
                format!(
                    "cannot connect to {host}:{port}: {}",
                    fault.id().replace('_', " ")
                ),
                "is the server running?",
            ),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::Flag { flag, instead } => hinted(format!("不支持 -{flag}"), instead.chinese()),
            Self::Verbosity => hinted("不支持大于 1 的 -v", "`curl -v` 可显示一次完整的请求与应答"),
            Self::Concurrency => plain("并发数不能大于请求总数"),
            Self::Threads => hinted(
                "连接数必须不小于线程数",
                "-c 是所有线程的连接总数；至少有一个线程",
            ),
            Self::NoTime => plain("时长和超时必须大于零"),
            Self::Unreachable { host, port, reason } => hinted(
                format!("无法连接到 {host}:{port}：{reason}"),
                "服务器是否在运行？",
            ),
            Self::Reset => hinted("服务器重置了一个连接", "使用 -r 可在这种情况下继续"),
            Self::NoConnection { host, port, fault } => hinted(
                format!("无法连接到 {host}:{port}（{}）", fault.id().replace('_', " ")),
                "服务器是否在运行？",
            ),
        }
    }
}

impl Instead {
    fn english(self) -> &'static str {
        match self {
            Self::Scripts => {
                "there are no Lua scripts here; `prony load` has -m, -b and -H for method, body and headers"
            }
            Self::System => "leave it out: the system chooses buffers and addresses",
            Self::Html => {
                "leave it out: there is no output as HTML, `prony load --out DIR` writes Markdown and JSON"
            }
            Self::Proxy => "leave it out: servers are loaded directly; -H adds any header",
            Self::Tls => {
                "leave it out: TLS 1.2 or 1.3 with the server's choice of cipher, the host as its name"
            }
            Self::Requests => "single requests are not kept; -e FILE writes the times of 0 to 100 per cent",
            Self::Threads => "leave it out: one thread sends all requests, as in ab 2.4",
        }
    }

    fn chinese(self) -> &'static str {
        match self {
            Self::Scripts => "这里没有 Lua 脚本；`prony load` 用 -m、-b 和 -H 指定方法、请求体和请求头",
            Self::System => "请去掉它：缓冲区和地址由系统选择",
            Self::Html => "请去掉它：没有 HTML 输出，`prony load --out DIR` 会写出 Markdown 和 JSON",
            Self::Proxy => "请去掉它：负载直接发往服务器；-H 可添加任意请求头",
            Self::Tls => "请去掉它：使用 TLS 1.2 或 1.3，加密套件由服务器选择，名称为主机名",
            Self::Requests => "不保留单个请求；-e FILE 会写出 0 到 100 百分位的时间",
            Self::Threads => "请去掉它：与 ab 2.4 一样，由一个线程发送全部请求",
        }
    }
}
