//! Findings about what an application has a limited number of: connections, permits, threads of its own, requests a second.

use super::place::RequestPlace;
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Bounded {
    /// What a library lends.
    Library {
        /// The library, as people call it.
        product: String,
        /// What it lends.
        lends: Lent,
        /// The setting that bounds it; absent where the library has several, or none.
        setting: Option<String>,
    },
    /// Permits of a semaphore, or what the application counts in another way.
    Permits,
    /// Things that the application keeps in a queue.
    Queue,
    /// Threads of the application's own.
    Threads {
        /// Their names, with `#` for each number.
        names: String,
    },
    /// Connections of a client that waits without a thread.
    Client {
        /// The address that they lead to.
        peer: String,
    },
    /// One connection that all requests share, because its driver lets one request at a time use it.
    OneConnection {
        /// The driver, as people call it.
        product: String,
    },
}

/// Requests wait for something that the application has a limited number of. By Little's law each is held for `slots / rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolUsedUp {
    /// What they wait for.
    pub pool: Bounded,
    /// The method of the application that waits for it; absent where none is seen.
    pub method: Option<String>,
    /// The method of the application that called it.
    pub caller: Option<String>,
    /// How many are in use, mean.
    pub slots: f64,
    /// Seconds that a request holds one.
    pub each: f64,
    /// Requests that wait for one, mean, and those that wait for these in turn.
    pub waiting: f64,
    /// Requests in flight, mean.
    pub in_flight: f64,
    /// What most of those do that hold one, as a share of them; absent where it is not seen.
    pub holders: Option<RequestPlace>,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}

/// A limiter in the application lets only so many requests through in a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateLimit {
    /// The library, as people call it; absent where the application limits the rate itself.
    pub product: Option<String>,
    /// The setting of the rate, where the library has one.
    pub setting: Option<String>,
    /// The method of the application that waits.
    pub method: Option<String>,
    /// The method of the application that called it.
    pub caller: Option<String>,
    /// Share of the requests in flight that wait, 0 to 1.
    pub share: f64,
    /// Requests that pass per second.
    pub rate: f64,
    /// Seconds that each of them waits.
    pub each: f64,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}
