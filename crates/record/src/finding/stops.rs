//! Findings about what stops everything again and again.

use super::place::RequestPlace;
use model::units::{Count, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! stop_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// Everything stops at even distances, and no other cause tells why.
        PeriodicStops(StoppedAgain) = "periodic-stops", Explains, Application, 345;
    } };
}

/// Stops of all requests at even distances.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; everything stops for {each} every {every}, {count} times while it was watched",
    zh = "；每 {every} 全部停顿 {each}，观察期间共 {count} 次"
)]
pub struct Stops {
    /// The time from the begin of one to the begin of the next, mean.
    pub every: Seconds,
    /// The length of each, mean.
    pub each: Seconds,
    /// How many were seen.
    pub count: Count,
}

/// Everything stops at even distances.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "nothing is answered for {share} of the time{stops}{there}",
    zh = "{share} 的时间内没有任何应答{stops}{there}",
    there = place.as_ref().map(There)
)]
pub struct StoppedAgain {
    pub stops: Stops,
    /// Share of the time in which nothing is answered.
    pub share: Share,
    /// Where most of the requests are that wait; absent where it was not seen.
    pub place: Option<RequestPlace>,
}

/// Where most of the requests are that wait.
#[derive(Say)]
#[say(
    en = "; {share} of the requests in flight {does} at any time",
    zh = "；任一时刻有 {share} 的在途请求{does}",
    share = _0.share,
    does = _0.does()
)]
struct There<'a>(&'a RequestPlace);

#[cfg(test)]
impl Stops {
    /// A made-up value.
    pub(super) const fn example() -> Self {
        Self { every: Seconds(2.01), each: Seconds(0.42), count: Count(4.0) }
    }
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::{Doing, Examples};

    impl Examples for StoppedAgain {
        fn examples() -> Vec<Self> {
            let stopped = |place| Self { stops: Stops::example(), share: Share(0.21), place };
            vec![stopped(None), stopped(Some(RequestPlace::example(Doing::Lock)))]
        }
    }
}
