//! What `prony wrk` and `prony ab` refuse. Where the other tool has words for it, the English is those.

use ::say::Say;
use load::Fault;

/// What is wrong with a command line of another tool, or with its load.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ForeignComplaint {
    /// A flag of the other tool that is not supported.
    #[say(en = "-{flag} is not supported", zh = "不支持 -{flag}", hint(en = "{instead}", zh = "{instead}"))]
    Flag {
        /// Its letter.
        flag: &'static str,
        /// What to do instead.
        instead: Instead,
    },
    /// `-v` of ab above 1.
    #[say(
        en = "-v above 1 is not supported",
        zh = "不支持大于 1 的 -v",
        hint(en = "`curl -v` shows an exchange", zh = "`curl -v` 可显示一次完整的请求与应答")
    )]
    Verbosity,
    /// ab: more requests at a time than in total.
    #[say(
        en = "cannot use concurrency level greater than total number of requests",
        zh = "并发数不能大于请求总数"
    )]
    Concurrency,
    /// wrk: fewer connections than threads, or no thread.
    #[say(
        en = "number of connections must be >= threads",
        zh = "连接数必须不小于线程数",
        hint(
            en = "-c is the number over all threads; there is one thread at least",
            zh = "-c 是所有线程的连接总数；至少有一个线程"
        )
    )]
    Threads,
    /// wrk: a duration or timeout of zero.
    #[say(en = "duration and timeout must be above zero", zh = "时长和超时必须大于零")]
    NoTime,
    /// wrk connects once before it begins, and could not.
    #[say(
        en = "unable to connect to {host}:{port} {reason}",
        zh = "无法连接到 {host}:{port}：{reason}",
        hint(en = "is the server running?", zh = "服务器是否在运行？")
    )]
    Unreachable {
        host: String,
        port: u16,
        /// What the system says.
        reason: String,
    },
    /// ab ends where the server resets a connection.
    #[say(
        en = "the server reset a connection",
        zh = "服务器重置了一个连接",
        hint(en = "-r goes on when that happens", zh = "使用 -r 可在这种情况下继续")
    )]
    Reset,
    /// ab ends where nobody answers.
    #[say(
        en = "cannot connect to {host}:{port}: {what}",
        zh = "无法连接到 {host}:{port}（{what}）",
        hint(en = "is the server running?", zh = "服务器是否在运行？"),
        what = fault.id().replace('_', " ")
    )]
    NoConnection {
        host: String,
        port: u16,
        /// What went wrong first.
        fault: Fault,
    },
}

/// What to do instead of giving a flag that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum Instead {
    /// There are no scripts.
    #[say(
        en = "there are no Lua scripts here; `prony load` has -m, -b and -H for method, body and headers",
        zh = "这里没有 Lua 脚本；`prony load` 用 -m、-b 和 -H 指定方法、请求体和请求头"
    )]
    Scripts,
    /// Buffers and addresses are the system's choice.
    #[say(
        en = "leave it out: the system chooses buffers and addresses",
        zh = "请去掉它：缓冲区和地址由系统选择"
    )]
    System,
    /// There is no output as HTML.
    #[say(
        en = "leave it out: there is no output as HTML, `prony load --out DIR` writes Markdown and JSON",
        zh = "请去掉它：没有 HTML 输出，`prony load --out DIR` 会写出 Markdown 和 JSON"
    )]
    Html,
    /// There are no proxies.
    #[say(
        en = "leave it out: servers are loaded directly; -H adds any header",
        zh = "请去掉它：负载直接发往服务器；-H 可添加任意请求头"
    )]
    Proxy,
    /// TLS is as the server chooses.
    #[say(
        en = "leave it out: TLS 1.2 or 1.3 with the server's choice of cipher, the host as its name",
        zh = "请去掉它：使用 TLS 1.2 或 1.3，加密套件由服务器选择，名称为主机名"
    )]
    Tls,
    /// Single requests are not kept.
    #[say(
        en = "single requests are not kept; -e FILE writes the times of 0 to 100 per cent",
        zh = "不保留单个请求；-e FILE 会写出 0 到 100 百分位的时间"
    )]
    Requests,
    /// The number of threads is fixed.
    #[say(
        en = "leave it out: one thread sends all requests, as in ab 2.4",
        zh = "请去掉它：与 ab 2.4 一样，由一个线程发送全部请求"
    )]
    Threads,
}
