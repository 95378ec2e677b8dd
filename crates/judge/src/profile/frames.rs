//! What the methods on a stack tell. The rules are data: patterns on the names of methods of the JDK, of libraries
//! and of servers. Those of servers are in the catalog.
//!
//! A pattern is the full name of a method. A `*` at its end, at its beginning, or at both stands for anything.

mod calls;
mod jdk;
mod libraries;
mod opening;
mod owners;
mod regex;
mod retries;
mod servers;
mod work;

pub(super) use calls::{Call, call_of};
pub(crate) use opening::is_handshake;
pub(super) use opening::{opening, opens_for_pool};
pub(super) use owners::{Owner, is_inspection, owner};
pub(super) use regex::shape_of;
pub(super) use retries::retry_library;
pub(super) use servers::serves_request;
pub(super) use work::work_of;

use record::finding::Lent;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// It runs, or waits for a CPU. No rule says this: it is what is left.
    Runs,
    /// It waits, and no rule says for what.
    Other,
    /// It waits for work, so it is no request.
    Idle,
    /// It waits for events of connections, or for new connections, so it is no request.
    Events,
    /// It is held in reserve for the server's own work, so it is no request.
    Reserved,
    /// It reads from the server's own client, or writes to it.
    Client,
    /// It waits for a permit of a semaphore.
    Permit,
    /// It waits for what a pool lends.
    Pool,
    /// It waits for an element of a queue, or for room in one.
    Queue,
    /// It waits until another thread wakes it up.
    Signal,
    /// It waits for its turn at a limiter of rates.
    Limiter,
    /// It waits for a lock.
    Lock,
    /// It waits for what another thread computes.
    Result,
    /// It waits for the answer of another program.
    Answer,
    /// It waits at a socket, and the stack does not tell whether at one of another program or of its own client.
    Socket,
    /// Within a driver: it waits for an answer, or, where it waits for a lock, for the one connection that all requests share.
    Driver,
    /// It waits for the one connection that all requests share.
    Shared,
    /// It looks up a name, to ask another program.
    LookUp,
    /// It opens a connection to another program.
    Connect,
    /// It waits for the application's own client, which has the answer of the other program already.
    OwnClient,
    /// It reads a file or a pipe.
    Read,
    /// It writes to a file or a pipe.
    Write,
    /// It waits until a file is on the disk.
    Sync,
    /// It waits until its line is in a log.
    Log,
    /// It sleeps for a time.
    Sleep,
}

impl Kind {
    /// Whether the JVM counts a thread that does this as runnable, because it waits in native code.
    const fn is_native(self) -> bool {
        matches!(
            self,
            Self::Events | Self::Socket | Self::Answer | Self::Client | Self::Read | Self::Write | Self::Sync
        )
    }
}

/// What a method tells of the thread that is within it.
#[derive(Debug)]
pub(super) struct Rule {
    pattern: &'static str,
    pub(super) kind: Kind,
    /// The library, as people call it; empty where it has no name.
    product: &'static str,
    pub(super) lends: Lent,
    /// The setting that bounds it; empty where there is none, or more than one.
    setting: &'static str,
}

impl Rule {
    /// A rule without a name for people.
    const fn plain(kind: Kind, pattern: &'static str) -> Self {
        Self::named(kind, "", pattern)
    }

    /// A rule with the name of a library.
    const fn named(kind: Kind, product: &'static str, pattern: &'static str) -> Self {
        Self { pattern, kind, product, lends: Lent::Objects, setting: "" }
    }

    /// What a library lends, and the setting that bounds it.
    const fn pool(product: &'static str, lends: Lent, setting: &'static str, pattern: &'static str) -> Self {
        Self { pattern, kind: Kind::Pool, product, lends, setting }
    }

    /// A limiter of rates, and its setting.
    const fn limiter(product: &'static str, setting: &'static str, pattern: &'static str) -> Self {
        Self { pattern, kind: Kind::Limiter, product, lends: Lent::Calls, setting }
    }

    /// The library, as people call it.
    pub(super) fn product(&self) -> Option<&'static str> {
        (!self.product.is_empty()).then_some(self.product)
    }

    /// The setting that bounds it.
    pub(super) fn setting(&self) -> Option<&'static str> {
        (!self.setting.is_empty()).then_some(self.setting)
    }
}

/// Whether a method has this name.
fn matches(pattern: &str, method: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => method.contains(rest.trim_end_matches('*')),
        (Some(end), None) => method.ends_with(end),
        (None, Some(begin)) => method.starts_with(begin),
        (None, None) => method == pattern,
    }
}

/// The rule of a table for a method: the one with the longest pattern.
fn rule_in(tables: &[&'static [Rule]], method: &str) -> Option<&'static Rule> {
    let all = tables.iter().copied().flatten();
    all.filter(|rule| matches(rule.pattern, method)).max_by_key(|rule| rule.pattern.len())
}

/// The rule for a method of the JDK.
pub(super) fn of_jdk(method: &str) -> Option<&'static Rule> {
    rule_in(&[jdk::RULES], method)
}

/// The rule for a method of a library or of a server.
pub(super) fn of_library(method: &str) -> Option<&'static Rule> {
    rule_in(&[libraries::RULES, &servers::RULES], method)
}

/// The driver of another program, or client of it, that a method belongs to.
pub(crate) fn driver(method: &str) -> Option<&'static str> {
    of_library(method).filter(|rule| rule.kind == Kind::Driver)?.product()
}

/// Whether a program that is asked with this library is a cache of keys and values.
pub(crate) fn is_cache(product: &str) -> bool {
    ["Jedis", "Lettuce", "Redisson", "spymemcached", "XMemcached", "Hazelcast"].contains(&product)
}

/// The pool of connections that a method belongs to.
pub(crate) fn pool(method: &str) -> Option<&'static str> {
    let lends = |rule: &&Rule| rule.kind == Kind::Pool && rule.lends == Lent::Connections;
    of_library(method).filter(lends)?.product()
}

/// Whether such a thread waits for what this rule of the JDK says: it may just run through the method.
pub(super) fn applies(rule: &Rule, waits: bool) -> bool {
    waits || rule.kind.is_native()
}

/// The kind that a rule of a library makes of the kind that the methods of the JDK show; `None` where the rule does not
/// fit.
pub(super) fn refined(rule: &Rule, base: Kind) -> Option<Kind> {
    use Kind::{
        Answer, Client, Driver, Events, Idle, Limiter, Lock, Log, Other, Permit, Pool, Queue, Reserved,
        Result, Runs, Shared, Signal, Sleep, Socket, Sync,
    };
    let turns = matches!(base, Permit | Queue | Signal | Lock | Result | Sleep | Other);
    match rule.kind {
        Driver if base == Lock => Some(Shared),
        Driver => {
            matches!(base, Socket | Answer | Result | Signal | Permit | Queue | Other).then_some(Answer)
        }
        Events | Reserved => Some(rule.kind),
        Idle | Client => (base != Runs).then_some(rule.kind),
        Pool | Limiter => turns.then_some(rule.kind),
        Lock => matches!(base, Lock | Signal | Sleep | Permit | Other).then_some(Lock),
        Log => (!matches!(base, Runs | Idle | Events | Sync)).then_some(Log),
        Result => matches!(base, Signal | Permit | Queue | Other).then_some(Result),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_a_method_or_a_part_of_its_name() {
        assert!(matches("a.B.c", "a.B.c") && !matches("a.B.c", "a.B.cd"));
        assert!(matches("a.B.*", "a.B.cd") && !matches("a.B.*", "x.a.B.cd"));
        assert!(matches("*.B.c", "a.B.c") && !matches("*.B.c", "a.B.cd"));
        assert!(
            matches("*RateLimiter*", "shop.MyRateLimiter.acquire") && !matches("*RateLimiter*", "a.Rate")
        );
    }

    #[test]
    fn the_longest_pattern_wins() {
        let kind = |method| of_jdk(method).map(|rule| rule.kind);
        assert_eq!(kind("sun.nio.ch.FileChannelImpl.force"), Some(Kind::Sync));
        assert_eq!(kind("sun.nio.ch.FileChannelImpl.write"), Some(Kind::Write));
        assert_eq!(kind("java.util.HashMap.get"), None);
    }

    #[test]
    fn every_rule_says_something_that_no_other_one_says() {
        let mut patterns: Vec<&str> = [jdk::RULES, libraries::RULES, &servers::RULES]
            .into_iter()
            .flatten()
            .map(|rule| rule.pattern)
            .collect();
        let all = patterns.len();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), all);
        let native = jdk::RULES.iter().filter(|rule| rule.kind.is_native());
        assert!(native.count() > 10);
    }

    #[test]
    fn who_waits_for_a_connection_does_not_wait_for_an_answer() {
        let pool = of_library("com.zaxxer.hikari.pool.HikariPool.getConnection").expect("a rule");
        assert_eq!((pool.product(), pool.setting()), (Some("HikariCP"), Some("maximumPoolSize")));
        assert_eq!(refined(pool, Kind::Queue), Some(Kind::Pool));
        assert_eq!(refined(pool, Kind::Socket), None, "it opens a connection");
        assert_eq!(refined(pool, Kind::Runs), None);
        let driver = of_library("org.postgresql.core.v3.QueryExecutorImpl.execute").expect("a rule");
        assert_eq!(refined(driver, Kind::Socket), Some(Kind::Answer));
        assert_eq!(refined(driver, Kind::Lock), Some(Kind::Shared));
    }
}
