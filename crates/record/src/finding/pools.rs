//! Findings about what an application has a limited number of: connections, permits, threads of its own, requests a second.

use super::place::{InMethod, RequestPlace};
use model::units::{Count, Rate, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! pool_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// Requests wait for a connection, a permit or a thread; the application has a limited number of them.
        ApplicationPoolLimit(PoolUsedUp) = "application-pool-limit", Explains, Size, 340;
        /// The application itself lets only so many requests through in a second.
        RateLimited(RateLimit) = "rate-limited", Explains, Size, 330;
    } };
}

/// What a library lends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lent {
    /// Connections to another program.
    Connections,
    /// Objects of any kind.
    Objects,
    /// The right to call something: a bulkhead, a limit of concurrency.
    Calls,
}

/// What an application has a limited number of.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Bounded {
    /// What a library lends.
    #[say(transparent = Loan::of(*lends, product))]
    Library {
        /// The library, as people call it.
        product: String,
        /// What it lends.
        lends: Lent,
        /// The setting that bounds it; absent where the library has several, or none.
        setting: Option<String>,
    },
    /// Permits of a semaphore, or what the application counts in another way.
    #[say(en = "a permit", zh = "许可")]
    Permits,
    /// Things that the application keeps in a queue.
    #[say(en = "something from a queue of the application", zh = "应用的队列中的资源")]
    Queue,
    /// Threads of the application's own.
    #[say(en = "a thread of `{names}`", zh = "线程 `{names}`")]
    Threads {
        /// Their names, with `#` for each number.
        names: String,
    },
    /// Connections of a client that waits without a thread.
    #[say(en = "a connection of a client to {peer}", zh = "客户端到 {peer} 的连接")]
    Client {
        /// The address that they lead to.
        peer: String,
    },
    /// One connection that all requests share, because its driver lets one request at a time use it.
    #[say(en = "the one connection of {product} that they share", zh = "共用的一个 {product} 连接")]
    OneConnection {
        /// The driver, as people call it.
        product: String,
    },
}

/// One of what a library lends, with the name of the library.
#[derive(Say)]
enum Loan<'a> {
    #[say(en = "a connection of the pool of {0}", zh = "{0} 连接池中的连接")]
    Connection(&'a str),
    #[say(en = "an object of a pool of {0}", zh = "{0} 对象池中的对象")]
    Object(&'a str),
    #[say(en = "their turn at the limit of concurrent calls of {0}", zh = "{0} 的并发调用名额")]
    Call(&'a str),
}

impl<'a> Loan<'a> {
    const fn of(lends: Lent, product: &'a str) -> Self {
        match lends {
            Lent::Connections => Self::Connection(product),
            Lent::Objects => Self::Object(product),
            Lent::Calls => Self::Call(product),
        }
    }
}

/// Requests wait for something that the application has a limited number of. By Little's law each is held for `slots / rate`.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{waiting} of {in_flight} requests in flight wait for {pool}{at}: {slots} are in use at a time, {each?each for {}|and no request \
          is answered rightly any more}{holders}{lost}; the CPU is {busy} in use",
    zh = "{in_flight} 个在途请求中有 {waiting} 个在等待{pool}{at}：同时占用 {slots} 个，{each?每次占用 {}|已没有请求得到正确的应答}{holders}{lost}；\
          CPU 使用率为 {busy}",
    holders = holders.as_ref().map(Holders),
    lost = lost
)]
pub struct PoolUsedUp {
    /// What they wait for.
    pub pool: Bounded,
    /// The method of the application that waits for it; absent where none is seen.
    #[serde(flatten)]
    pub at: InMethod,
    /// How many are in use, mean.
    pub slots: Count,
    /// How long a request holds one; absent where no request is answered rightly.
    pub each: Option<Seconds>,
    /// Requests that wait for one, mean, and requests that wait for these requests in turn.
    pub waiting: Count,
    /// Requests in flight, mean.
    pub in_flight: Count,
    /// What most requests do that hold one, with their share of all requests that hold one; absent where it is not
    /// seen.
    pub holders: Option<RequestPlace>,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
    /// Connections that were taken and never given back; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostConnections>,
}

/// Connections of a pool that nobody uses although requests wait for one.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; {open} connections are open, and {lost} of them are held by no request: they leaked",
    zh = "；共有 {open} 个打开的连接，其中 {lost} 个不被任何请求占用：它们已泄漏"
)]
pub struct LostConnections {
    /// Connections that are open.
    pub open: Count,
    /// Connections that no request holds.
    pub lost: Count,
}

/// What most requests do that hold the thing for which other requests wait.
#[derive(Say)]
#[say(
    en = ", and {share} of those who have one {does}",
    zh = "，占用者中 {share} {does}",
    share = _0.share,
    does = _0.does()
)]
struct Holders<'a>(&'a RequestPlace);

/// A limiter in the application lets only so many requests through in a second.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight wait for their turn at a limiter{product? of {}}{at}, {each} each: it \
          lets {rate:three}/s through; the CPU is {busy} in use",
    zh = "{share} 的在途请求在等待{product? {} 的}限流器{at}，每次 {each}：它只放行 {rate:three}/s；CPU 使用率为 \
          {busy}"
)]
pub struct RateLimit {
    /// The library, as people call it; absent where the application limits the rate itself.
    pub product: Option<String>,
    /// The setting of the rate, where the library has one.
    pub setting: Option<String>,
    /// The method of the application that waits.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the requests in flight that wait.
    pub share: Share,
    /// Requests that pass.
    pub rate: Rate,
    /// How long each of them waits.
    pub each: Seconds,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// The advice to have more of what is used up, to a number if it is known.
#[derive(Say)]
pub(super) enum More<'a> {
    #[say(
        en = "raise `{setting}` of {product}{to? to {}}",
        zh = "将 {product} 的 `{setting}` 提高{to?到 {}}"
    )]
    Setting { product: &'a str, setting: &'a str, to: Option<u64> },
    #[say(en = "enlarge the pool of {product}{to? to {}}", zh = "将 {product} 的池扩大{to?到 {}}")]
    Pool { product: &'a str, to: Option<u64> },
    #[say(en = "let {to?{}|more} through at a time", zh = "同时放行 {to?{}|更多} 个")]
    Permits { to: Option<u64> },
    #[say(en = "keep {to?{}|more} of them", zh = "备有 {to?{}|更多} 个")]
    Queue { to: Option<u64> },
    #[say(en = "give `{names}` {to?{}|more} threads", zh = "给 `{names}` {to?{}|更多} 个线程")]
    Threads { names: &'a str, to: Option<u64> },
    #[say(
        en = "let the client open {to?{}|more} connections to {peer}",
        zh = "允许客户端建立 {to?{}|更多} 个到 {peer} 的连接"
    )]
    Client { peer: &'a str, to: Option<u64> },
    #[say(
        en = "use a pool of {to?{}|more} connections of {product} instead of one connection",
        zh = "使用有 {to?{}|更多} 个连接的 {product} 连接池，而不是一个连接"
    )]
    OneConnection { product: &'a str, to: Option<u64> },
}

impl<'a> More<'a> {
    pub(super) fn of(pool: &'a Bounded, to: Option<u64>) -> Self {
        match pool {
            Bounded::Library { product, setting: Some(setting), .. } => {
                Self::Setting { product, setting, to }
            }
            Bounded::Library { product, .. } => Self::Pool { product, to },
            Bounded::Permits => Self::Permits { to },
            Bounded::Queue => Self::Queue { to },
            Bounded::Threads { names } => Self::Threads { names, to },
            Bounded::Client { peer } => Self::Client { peer, to },
            Bounded::OneConnection { product } => Self::OneConnection { product, to },
        }
    }
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    /// Everything that an application has a limited number of.
    impl Examples for Bounded {
        fn examples() -> Vec<Self> {
            let library = |lends, setting: Option<&str>| Self::Library {
                product: "HikariCP".to_owned(),
                lends,
                setting: setting.map(str::to_owned),
            };
            let all = vec![
                library(Lent::Connections, Some("maximumPoolSize")),
                library(Lent::Objects, None),
                library(Lent::Calls, Some("maxConcurrentCalls")),
                Self::Permits,
                Self::Queue,
                Self::Threads { names: "quotes-#".to_owned() },
                Self::Client { peer: "10.0.0.1:80".to_owned() },
                Self::OneConnection { product: "PostgreSQL".to_owned() },
            ];
            // Does not compile when there is a new kind: then it has to stand in the list, too.
            all.iter().for_each(|pool| match pool {
                Self::Library { .. }
                | Self::Permits
                | Self::Queue
                | Self::Threads { .. }
                | Self::Client { .. }
                | Self::OneConnection { .. } => {}
            });
            all
        }
    }

    impl Examples for PoolUsedUp {
        fn examples() -> Vec<Self> {
            let used_up = |pool, holders| Self {
                pool,
                at: InMethod::example(),
                slots: Count(8.0),
                each: Some(Seconds(0.0201)),
                waiting: Count(66.0),
                in_flight: Count(74.0),
                holders,
                busy: Share(0.12),
                lost: None,
            };
            let lost = LostConnections { open: Count(10.0), lost: Count(9.0) };
            let lost = Self { lost: Some(lost), ..used_up(Bounded::Queue, None) };
            let pools = Bounded::examples().into_iter().map(|pool| used_up(pool, None));
            let held =
                RequestPlace::examples().into_iter().map(|place| used_up(Bounded::Permits, Some(place)));
            let stuck = Self { each: None, slots: Count(0.0), ..used_up(Bounded::Permits, None) };
            pools.chain(held).chain([lost, stuck]).collect()
        }
    }

    impl Examples for RateLimit {
        fn examples() -> Vec<Self> {
            let limiter = |product: Option<&str>| Self {
                product: product.map(str::to_owned),
                setting: None,
                at: InMethod::alone(Some("sms.Carrier.send".to_owned())),
                share: Share(0.98),
                rate: Rate(180.0),
                each: Seconds(0.31),
                busy: Share(0.12),
            };
            vec![limiter(None), limiter(Some("Guava"))]
        }
    }
}
