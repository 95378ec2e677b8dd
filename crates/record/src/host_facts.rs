//! [`HostFacts`]: what is known about another machine and the way to it.

use model::units::{Nanos, Seconds};
use say::numbers;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is known about another machine and the way to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Its address: `ssh://user@box`.
    pub url: String,
    /// The architecture of its processors: `x86_64`.
    pub architecture: String,
    /// The model of its processors.
    pub processor: String,
    /// How many of them it has.
    pub cpus: u32,
    /// The release of its kernel.
    pub kernel: String,
    /// By how much its wall clock is ahead of ours, in nanoseconds. It is only reported: nothing is computed from it.
    pub clock_ahead_ns: i64,
    /// The largest error of `clock_ahead_ns`.
    pub clock_error: Nanos,
    /// The shortest round trip of a byte on a connection like the load's connections; `None` where a server ran already, and the way to it
    /// was not measured.
    pub round_trip: Option<Nanos>,
    /// What the machine can send on such a connection, in bits per second.
    pub rate: Option<f64>,
}

/// The names of the facts of an arm in the fingerprint, after `arm/NAME/`.
const HOST: &str = "host";
const PROCESSOR: &str = "host/cpu";
const CPUS: &str = "host/cpus";
const KERNEL: &str = "host/kernel";
const CLOCK: &str = "host/clock";
const ROUND_TRIP: &str = "host/round_trip";
const RATE: &str = "host/rate";

/// The facts of an arm on another machine, as the fingerprint has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostSeen {
    /// Its address: `ssh://user@box`.
    pub url: String,
    /// Architecture and model of its processors.
    pub processor: String,
    /// How many of them it has.
    pub cpus: u32,
    /// The release of its kernel.
    pub kernel: String,
    /// By how much its clock is ahead of the one here.
    pub clock_ahead: Seconds,
    /// The largest error of that.
    pub clock_error: Seconds,
    /// The shortest round trip; `None` where the way to it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Seconds>,
    /// What it can send, in bits per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

impl HostSeen {
    /// By how much its clock is ahead, with the bounds of that.
    pub fn clock(&self) -> String {
        let (ahead, error) = (self.clock_ahead, self.clock_error);
        numbers::signed_seconds(ahead.0, Some(((ahead - error).0, (ahead + error).0)))
    }
}

impl HostFacts {
    /// The facts for the fingerprint, each with its name.
    pub fn named(&self) -> Vec<(&'static str, String)> {
        let seconds = Nanos::as_secs_f64;
        let ahead = self.clock_ahead_ns as f64 / 1e9;
        let mut named = vec![
            (HOST, self.url.clone()),
            (PROCESSOR, format!("{}, {}", self.architecture, self.processor)),
            (CPUS, self.cpus.to_string()),
            (KERNEL, self.kernel.clone()),
            (CLOCK, format!("{ahead:+.6} s ± {:.6} s", seconds(self.clock_error))),
        ];
        named.extend(self.round_trip.map(|trip| (ROUND_TRIP, format!("{:.6} s", seconds(trip)))));
        named.extend(self.rate.map(|rate| (RATE, format!("{:.1} Mbit/s", rate / 1e6))));
        named
    }
}

impl HostSeen {
    /// The facts of an arm in a fingerprint; `None` for an arm of the machine with the generator.
    pub fn of(fingerprint: &BTreeMap<String, String>, arm: &str) -> Option<Self> {
        let fact = |what: &str| fingerprint.get(&format!("arm/{arm}/{what}")).map(String::as_str);
        let number = |text: &str, unit: &str| text.strip_suffix(unit)?.parse::<f64>().ok();
        let (ahead, error) = fact(CLOCK)?.split_once(" ± ")?;
        Some(Self {
            url: fact(HOST)?.to_owned(),
            processor: fact(PROCESSOR)?.to_owned(),
            cpus: fact(CPUS)?.parse().ok()?,
            kernel: fact(KERNEL)?.to_owned(),
            clock_ahead: Seconds(number(ahead, " s")?),
            clock_error: Seconds(number(error, " s")?),
            round_trip: fact(ROUND_TRIP).and_then(|text| number(text, " s")).map(Seconds),
            rate: fact(RATE).and_then(|text| number(text, " Mbit/s")).map(|rate| rate * 1e6),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_of_a_host_are_read_back_from_the_fingerprint_of_its_arm() {
        let facts = HostFacts {
            url: "ssh://box".to_owned(),
            architecture: "aarch64".to_owned(),
            processor: "Neoverse-N1".to_owned(),
            cpus: 8,
            kernel: "Linux 6.1".to_owned(),
            clock_ahead_ns: -3_600_000_000_000,
            clock_error: Nanos(25_000),
            round_trip: Some(Nanos(51_000)),
            rate: Some(941e6),
        };
        let seen_of = |facts: &HostFacts| {
            let named = facts.named().into_iter();
            let fingerprint = named.map(|(name, fact)| (format!("arm/there/{name}"), fact)).collect();
            assert_eq!(HostSeen::of(&fingerprint, "here"), None);
            HostSeen::of(&fingerprint, "there").expect("all facts")
        };
        let seen = seen_of(&facts);
        assert_eq!((seen.cpus, seen.processor.as_str()), (8, "aarch64, Neoverse-N1"));
        assert_eq!((seen.rate, seen.round_trip), (Some(941e6), Some(Seconds(51e-6))));
        assert_eq!((seen.clock_ahead, seen.clock_error), (Seconds(-3600.0), Seconds(25e-6)));
        let ran_already = seen_of(&HostFacts { round_trip: None, rate: None, ..facts });
        assert_eq!((ran_already.rate, ran_already.round_trip), (None, None));
    }
}
