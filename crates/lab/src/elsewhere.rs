//! Asks about servers on other hosts. The function that reads a server on this machine also reads it there: a
//! [`Question`] names it, and the prony there calls it (`watch`).

use crate::Error;
use model::units::{Bytes, Nanos, Seconds};
use record::telemetry::{JvmTotals, Mark};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use sut::remote::{Asked, RemoteServer};

/// What is asked of the prony on another host about its server.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Question {
    /// The [`MeterReading`] of this moment.
    Meter,
    /// Look up its processes again.
    Renew,
    /// What its compilers have used: an optional `GroupTotals`.
    Compilers,
    /// Let its compilers go first; whether they do.
    PutFirst,
    /// Give its compilers their usual priority.
    PutBack,
    /// Begin with telemetry.
    Sample,
    /// Note a moment of a slice in the telemetry.
    Mark {
        /// The moment.
        mark: Mark,
        /// Its time on the asking machine's clock, in nanoseconds since the epoch.
        at_ns: u64,
    },
    /// End the telemetry: the `Reading`s.
    EndSampling,
    /// The settings in `Effective`.
    Effective,
    /// The [`Totals`] since its start.
    Totals,
    /// Attach an inspector; whether there is one.
    Inspect,
    /// Record with the JDK Flight Recorder; whether it does.
    Record,
    /// The threads without load: optional `ThreadSamples`.
    Idle,
    /// The counted part of an inspection begins.
    InspectionBegins,
    /// The counted part of an inspection ends.
    InspectionEnds,
    /// What the inspector has seen: an `Inspection`.
    Inspection,
    /// Look at the connections again and again.
    WatchPeers,
    /// End that: what was seen, `PeersSeen`.
    EndPeers,
    /// Attach a profiler; whether there is one.
    Profile,
    /// The profile begins.
    ProfileBegins,
    /// The profile ends.
    ProfileEnds,
    /// The `CpuStack`s of a profile with so many seconds of CPU time.
    Stacks(Seconds),
}

/// What a meter reads of a server.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MeterReading {
    /// The CPU time of all its processes.
    pub(crate) cpu: Nanos,
    /// The counters of its JVM.
    pub(crate) jvm: Option<JvmTotals>,
    /// The ticks that the hypervisor took from its machine, where that is another one.
    pub(crate) steal_ticks: Option<u64>,
}

/// What a server has counted since its start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    /// The counters of its control groups, services and collector.
    pub(crate) facts: BTreeMap<String, f64>,
    /// The peak of the memory of its processes; `None` where it may come from a time before the run.
    pub(crate) peak_memory: Option<Bytes>,
}

/// Asks without waiting for the answer.
pub(crate) fn tell(remote: &RemoteServer, question: Question) -> Asked {
    // A question consists of numbers and names, which JSON can always hold.
    remote.ask(serde_json::to_value(question).unwrap_or_default())
}

/// Asks and waits for the answer.
pub(crate) fn ask<T: DeserializeOwned>(remote: &RemoteServer, question: Question) -> Result<T, Error> {
    answer(tell(remote, question))
}

/// Waits for the answer to a question.
pub(crate) fn answer<T: DeserializeOwned>(asked: Asked) -> Result<T, Error> {
    let answer = asked.answer().map_err(Box::new)?;
    serde_json::from_value(answer).map_err(|error| Error::Strange(error.to_string()))
}
