//! Findings about other programs that the server asks: databases, caches, services.

use super::place::InMethod;
use model::units::{Count, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! backend_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// A service that the server asks answers slowly.
        BackendSlow(BackendWait) = "backend-slow", Explains, Application, 370;
        /// A request asks another program many times.
        ChattyBackend(Exchanges) = "chatty-backend", Explains, Application, 362;
        /// Requests look up names of other programs.
        LookupPerCall(NameLookups) = "lookup-per-call", Explains, Application, 364;
        /// Requests open connections to other programs.
        ConnectionPerCall(ConnectionsOpened) = "connection-per-call", Explains, Application, 366;
        /// A database works long for a statement.
        SlowSql(SlowStatement) = "slow-sql", Explains, Application, 354;
        /// Statements of a database wait for a lock that another transaction holds.
        RowLock(RowLockWait) = "row-lock", Explains, Application, 352;
        /// Many requests compute the same at once when what was kept of it ends.
        CacheStampede(Stampede) = "cache-stampede", Explains, Application, 356;
        /// Requests repeat calls that another program refuses.
        RetryStorm(Retries) = "retry-storm", Explains, Application, 358;
        /// Requests wait for the application's own client, which has the answer.
        ClientSlow(ClientWait) = "client-slow", Explains, Application, 368;
    } };
}

/// How often a request asks other programs, and how long each answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{per_request:three} answers per request, {each} each, {at_once?{:three} at a time|one after another}",
    zh = "每个请求 {per_request:three} 次应答，每次 {each}，{at_once?平均同时 {:three} 个|一个接一个}"
)]
pub struct AskedOften {
    /// Answers per request.
    pub per_request: Count,
    /// How long each takes, mean.
    pub each: Seconds,
    /// How many a request awaits at a time, mean; absent where it asks one after another.
    pub at_once: Option<Count>,
}

/// Another program that answers by itself, as the kernel sees it: from the question on the connection to the answer.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "{address} itself answers in {each}", zh = "{address} 本身的应答用时为 {each}")]
pub struct Partner {
    /// Its address.
    pub address: String,
    /// How long it takes to answer, mean.
    pub each: Seconds,
}

/// Requests wait for a service that the server asks.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait for {backend}{others? and {} other addresses}{at}, \
          {often?{each} of each request: {}|which takes {each} to answer}; the CPU is {busy} in use",
    zh = "{share} 的在途请求在等待 {backend}{others?（及另外 {} 个地址）}{at}，{often?占每个请求 {each}：{}|它的应答用时 \
          {each}}；CPU 使用率为 {busy}",
    others = Some(addresses.saturating_sub(1)).filter(|others| *others > 0),
)]
pub struct BackendWait {
    /// The service: its address or its name.
    pub backend: String,
    /// Share of the requests in flight that wait for it.
    pub share: Share,
    /// How long a request waits for all of its answers, mean.
    pub each: Seconds,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
    /// How many addresses are waited for, such as the addresses of a cluster; `backend` is the address that is waited
    /// for most.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub addresses: u64,
    /// The method of the application that waits for it; absent where no thread of it does.
    #[serde(flatten)]
    pub at: InMethod,
    /// How often it is asked; absent where that is about once per request, or not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub often: Option<AskedOften>,
}

const fn one() -> u64 {
    1
}

const fn is_one(addresses: &u64) -> bool {
    *addresses == 1
}

/// A request asks another program many times for little.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{per_request:three} exchanges per request with {backend}{others? and {} other addresses}{product? ({})}{at}, {each} each, \
          {at_once?{:three} at a time|one after another}: {waited} of the {request} that a request takes",
    zh = "每个请求与 {backend}{others?（及另外 {} 个地址）}{product?（{}）}{at}交互 {per_request:three} 次，每次 \
          {each}，{at_once?平均同时 {:three} 次|一次接一次}：占请求用时 {request} 中的 {waited}",
    per_request = often.per_request,
    each = often.each,
    at_once = often.at_once,
    others = Some(addresses.saturating_sub(1)).filter(|others| *others > 0),
)]
pub struct Exchanges {
    /// The program: its address.
    pub backend: String,
    /// How many addresses are asked so, such as the nodes of a cluster.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub addresses: u64,
    /// What the application asks it with: `PostgreSQL`; absent where the library is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// How often, and how long each exchange takes.
    pub often: AskedOften,
    /// How long all exchanges of a request take, mean.
    pub waited: Seconds,
    /// How long a request takes, mean.
    pub request: Seconds,
    /// The method of the application that asks.
    #[serde(flatten)]
    pub at: InMethod,
}

/// Requests look up names of other programs.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight look up a name{at}, {each} of each request{partner?, while {}}; the CPU is {busy} in use",
    zh = "{share} 的在途请求在解析主机名{at}，占每个请求 {each}{partner?，而 {}}；CPU 使用率为 {busy}"
)]
pub struct NameLookups {
    /// Share of the requests in flight that look a name up, or wait for another that does.
    pub share: Share,
    /// How long a request does so, mean.
    pub each: Seconds,
    /// The program that is asked then; absent where none was seen to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<Partner>,
    /// The method of the application that needs the name.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// Requests open connections to other programs.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{per_request:three} connections{backend? to {}} are opened per request{tls?, with a TLS handshake for each}{at}{pool?, although a \
          pool of {} keeps some: it closes what it gets back}: {share} of the requests in flight are at it, {each} of each \
          request{partner?, while {}}; the CPU is {busy} in use",
    zh = "每个请求新建 {per_request:three} 个{backend?到 {} 的}连接{tls?，并各做一次 TLS 握手}{at}{pool?，尽管有 {} \
          的连接池：它把归还的连接关闭了}：{share} 的在途请求正在建立连接，占每个请求 {each}{partner?，而 {}}；CPU 使用率为 {busy}"
)]
pub struct ConnectionsOpened {
    /// Connections that are opened per request.
    pub per_request: Count,
    /// The address to which most of them go; absent where it was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Whether a good part of the requests shakes hands for TLS.
    pub tls: bool,
    /// The library of the pool that opens them, as people call it; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// Share of the requests in flight that open one.
    pub share: Share,
    /// How long a request does so, mean.
    pub each: Seconds,
    /// The program that is asked then; absent where none was seen to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<Partner>,
    /// The method of the application that opens them.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// Requests wait for the application's own client, which has the answer of another program already.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait{at} until the application's own client hands them an answer that has come, {each} of \
          each request: {partner}{threads?; the threads `{}` of the client are busy}; the CPU is {busy} in use",
    zh = "{share} 的在途请求{at}在等待应用自己的客户端库交出已收到的应答，占每个请求 {each}：{partner}{threads?；该客户端的线程 `{}` \
          处于忙碌状态}；CPU 使用率为 {busy}"
)]
pub struct ClientWait {
    /// Share of the requests in flight that wait for it.
    pub share: Share,
    /// How long a request waits for it, mean.
    pub each: Seconds,
    /// The program that has answered.
    pub partner: Partner,
    /// The threads of the client that are busy, by the name that they have in common; absent where none were seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<String>,
    /// The method of the application that waits.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// Rows that a database reads one after another, without an index.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "for each request it reads {rows:count} rows of `{table}` one after another",
    zh = "每个请求逐行读取 `{table}` 的 {rows:count} 行"
)]
pub struct TableScan {
    pub table: String,
    /// Rows per request.
    pub rows: f64,
}

/// A database works long for a statement.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait for the database {backend}{at}, {each} of each request; {of_it} of what it runs is \
          `{statement}`{scan?: {}}; the CPU is {busy} in use",
    zh = "{share} 的在途请求在等待数据库 {backend}{at}，占每个请求 {each}；它所执行的语句中 {of_it} 是 `{statement}`{scan?：{}}；CPU \
          使用率为 {busy}"
)]
pub struct SlowStatement {
    /// The database: its address.
    pub backend: String,
    /// Share of the requests in flight that wait for it.
    pub share: Share,
    /// How long a request does so, mean.
    pub each: Seconds,
    /// The statement, with `?` for each value.
    pub statement: String,
    /// Its share of what the database runs.
    pub of_it: Share,
    /// The table that is read without an index; absent where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<TableScan>,
    /// The method of the application that waits.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// Statements of a database wait for a lock that another transaction holds.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait until another transaction ends in the database {backend}{at}, which has locked what \
          `{statement}` wants{idle?; {} of that time the other transaction is idle: the application does something else before it commits}; \
          the CPU is {busy} in use",
    zh = "{share} 的在途请求{at}在数据库 {backend} 中等待另一个事务结束，它锁住了 `{statement}` \
          所需的内容{idle?；其中 {} 的时间里那个事务处于空闲：应用在提交之前做着别的事}；CPU 使用率为 {busy}"
)]
pub struct RowLockWait {
    /// The database: its address.
    pub backend: String,
    /// Share of the requests in flight that wait for the lock, or for a connection whose holder does.
    pub share: Share,
    /// The statement that waits most, with `?` for each value.
    pub statement: String,
    /// Share of the waiting in which the other transaction was idle; absent where that is little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Share>,
    /// The method of the application that waits.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// What a program stores or does for others, which tells how it is asked for many things at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// A relational database.
    #[say(
        en = "ask once for all of them: a join or `IN (…)`, in an ORM a fetch join, an entity graph or a batch size; write in batches",
        zh = "一次取回全部数据：使用连接查询或 `IN (…)`，在 ORM 中使用 `fetch join`、实体图或批量大小；写入用批处理"
    )]
    Sql,
    /// A cache of keys and values.
    #[say(
        en = "ask once for many keys (`MGET`, `getBulk`), or send the commands together in a pipeline",
        zh = "一次取多个键（`MGET`、`getBulk`），或用管道一起发送命令"
    )]
    Cache,
    /// A store of documents or rows by key.
    #[say(
        en = "ask once for many documents (`$in`, a multi-get, an aggregation), and write in bulk",
        zh = "一次取多个文档（`$in`、批量读取、聚合），写入用批量操作"
    )]
    Documents,
    /// Anything else: a service.
    #[say(
        en = "ask once for many things (a call that takes a list), ask side by side what does not depend on one another, and keep what \
              seldom changes",
        zh = "一次调用取回多项（接受列表的接口），并行发出互不依赖的调用，并缓存很少变化的内容"
    )]
    Service,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    const SHARE: Share = Share(0.94);
    const BUSY: Share = Share(0.17);

    fn partner() -> Partner {
        Partner { address: "10.0.0.7:9000".to_owned(), each: Seconds(0.0011) }
    }

    fn often(at_once: Option<f64>) -> AskedOften {
        AskedOften { per_request: Count(43.0), each: Seconds(0.0012), at_once: at_once.map(Count) }
    }

    impl Examples for BackendWait {
        fn examples() -> Vec<Self> {
            let backend = |addresses, at, often| Self {
                backend: "127.0.0.1:11211".to_owned(),
                share: SHARE,
                each: Seconds(0.064),
                busy: BUSY,
                addresses,
                at,
                often,
            };
            vec![
                backend(1, InMethod::default(), None),
                backend(4, InMethod::example(), None),
                backend(1, InMethod::default(), Some(often(None))),
                backend(4, InMethod::example(), Some(often(Some(3.8)))),
            ]
        }
    }

    impl Examples for Exchanges {
        fn examples() -> Vec<Self> {
            let known = Self {
                backend: "127.0.0.1:5432".to_owned(),
                addresses: 3,
                product: Some("PostgreSQL".to_owned()),
                often: often(Some(2.1)),
                waited: Seconds(0.047),
                request: Seconds(0.052),
                at: InMethod::example(),
            };
            let seen = Self {
                addresses: 1,
                product: None,
                often: often(None),
                at: InMethod::default(),
                ..known.clone()
            };
            vec![seen, known]
        }
    }

    impl Examples for NameLookups {
        fn examples() -> Vec<Self> {
            let known = Self {
                share: SHARE,
                each: Seconds(0.264),
                partner: Some(partner()),
                at: InMethod::example(),
                busy: BUSY,
            };
            vec![Self { partner: None, at: InMethod::default(), ..known.clone() }, known]
        }
    }

    impl Examples for ConnectionsOpened {
        fn examples() -> Vec<Self> {
            let known = Self {
                per_request: Count(1.02),
                backend: Some("10.0.0.9:443".to_owned()),
                tls: true,
                pool: None,
                share: SHARE,
                each: Seconds(0.012),
                partner: Some(partner()),
                at: InMethod::example(),
                busy: BUSY,
            };
            let seen =
                Self { backend: None, tls: false, partner: None, at: InMethod::default(), ..known.clone() };
            let pooled = Self { pool: Some("DBCP".to_owned()), tls: false, ..known.clone() };
            vec![seen, known, pooled]
        }
    }

    impl Examples for SlowStatement {
        fn examples() -> Vec<Self> {
            let known = Self {
                backend: "127.0.0.1:5432".to_owned(),
                share: SHARE,
                each: Seconds(0.048),
                statement: "select * from article where maker = ?".to_owned(),
                of_it: Share(0.88),
                scan: Some(TableScan { table: "article".to_owned(), rows: 60_000.0 }),
                at: InMethod::example(),
                busy: BUSY,
            };
            vec![Self { scan: None, at: InMethod::default(), ..known.clone() }, known]
        }
    }

    impl Examples for RowLockWait {
        fn examples() -> Vec<Self> {
            let known = Self {
                backend: "127.0.0.1:5432".to_owned(),
                share: SHARE,
                statement: "update counter set value = value + ? where id = ?".to_owned(),
                idle: Some(Share(0.97)),
                at: InMethod::example(),
                busy: BUSY,
            };
            vec![Self { idle: None, at: InMethod::default(), ..known.clone() }, known]
        }
    }

    impl Examples for ClientWait {
        fn examples() -> Vec<Self> {
            let known = Self {
                share: SHARE,
                each: Seconds(0.034),
                partner: partner(),
                threads: Some("HttpClient-#-Worker-#".to_owned()),
                at: InMethod::example(),
                busy: BUSY,
            };
            vec![Self { threads: None, at: InMethod::default(), ..known.clone() }, known]
        }
    }
}
