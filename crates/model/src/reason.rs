//! [`Reason`]: why something that was measured does not count, with the numbers behind it. A run stores this value;
//! `report::say` makes sentences of it.

use crate::units::BitRate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a slice, a level, a stage, a start, a rate or a requirement does not count. Shares are from 0 to 1, times in seconds;
/// `limit` is the largest value that would have been accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum Reason {
    /// The generator reached a limit of its own, so that the figures are not the server's.
    GeneratorSaturated(GeneratorLimit),
    /// The figures of a slice contradict each other.
    Inconsistent(Contradiction),
    /// The hypervisor took this share of the machine's CPU time.
    NoisyNeighbour { share: f64, limit: f64 },
    /// The link to the servers passed nearly all that it can.
    LinkSaturated(FullLink),
    /// The users had no request in flight for this share of their time, because connections were still being opened.
    NoSteadyState { share: f64, limit: f64 },
    /// At the end of a slice at a fixed rate (per second), an arm had not answered this share of the requests that were due.
    Overloaded {
        arm: String,
        rate: f64,
        share: f64,
        limit: f64,
    },
    /// An arm that was not loaded used this share of one core.
    UnloadedArmBusy { share: f64, limit: f64 },
    /// The wall clock was moved by so many seconds, forwards or backwards, while the round ran.
    ClockSet { seconds: f64 },
    /// The connection to the host of a server was cut, or the host went down.
    HostLost { host: String },
    /// A measure has no value in the round or the level.
    NoValue,
    /// The start ended before all of it was measured.
    CutShort,
    /// The slice belongs to a quad that was measured again.
    MeasuredAgain,
    /// The answers are not right, or not those of the baseline.
    Answers(AnswerFault),
    /// The probes of a start do not show the highest rate that keeps an objective.
    NoRate(NoRate),
    /// The reason holds in so many of all slices.
    InSlices {
        reason: Box<Self>,
        slices: u64,
        all: u64,
    },
    /// The reason holds in so many of all starts.
    InStarts {
        reason: Box<Self>,
        starts: u64,
        all: u64,
    },
    /// There is one start, and it does not count.
    OnlyStart { reason: Box<Self> },
    /// So many of all starts do not count; `last` is the reason of the last of them.
    StartsVoid { starts: u64, all: u64, last: Box<Self> },
    /// Not everything came from an agent of a fleet.
    AgentLost(LostShare),
    /// The load of an agent of a fleet ended before its time; `said` is what its generator said.
    AgentStopped { agent: String, said: Option<String> },
    /// An agent of a fleet began a slice so many seconds after the time of all, so that its window is not that of the others.
    AgentLate { agent: String, late: f64, limit: f64 },
    /// The reason concerns this arm.
    OfArm { arm: String, reason: Box<Self> },
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

/// The share of a load that was lost with an agent of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostShare {
    pub agent: String,
    /// The number of its share, from 1.
    pub share: u64,
    /// The number of shares.
    pub of: u64,
    /// The number of the last message before the first that is missing.
    pub seq: u64,
    /// How many seconds it measured that came.
    pub seconds: u64,
}

/// The limit of its own that the generator reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum GeneratorLimit {
    /// The busiest event loop used this share of its core.
    EventLoopBusy { share: f64, limit: f64 },
    /// This share of the requests left more than `delay` seconds after they could have; 99 % of them left within `p99` seconds.
    SentLate {
        share: f64,
        delay: f64,
        p99: f64,
        limit: f64,
    },
    /// The delay with which requests were sent is too large a share of a percentile of the response times.
    DelayInPercentile(DelayShare),
    /// For this share of the time that requests were in flight, answers lay in the kernel for more than `delay` seconds.
    AnswersUnseen { share: f64, delay: f64, limit: f64 },
    /// For this share of the time, one turn of the event loop took more than `delay` seconds. It stands for
    /// `AnswersUnseen` where the kernel does not say when an answer arrived.
    LongTurns { share: f64, delay: f64, limit: f64 },
    /// For this share of the time that requests were in flight, the send buffer was full.
    SendBufferFull { share: f64, limit: f64 },
    /// The kernel dropped segments before the receive queues; `limit` is their largest number per request.
    SegmentsDropped {
        segments: u64,
        requests: u64,
        limit: f64,
    },
    /// So many connections were not opened, because no local port was free.
    NoLocalPort { connections: u64 },
    /// So many connections were not opened, because no file descriptor was free.
    NoDescriptor { connections: u64 },
    /// For this share of their time the users waited for the generator to send their next request.
    UsersWaited { share: f64, limit: f64 },
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

/// The delay with which an arm's requests were sent, as a share of a percentile of the response times, as a mean over the arms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DelayShare {
    /// 50, 90 or 99.
    pub percentile: f64,
    pub share: f64,
    /// The largest share that would have been accepted.
    pub limit: f64,
}

/// Figures of a slice that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum Contradiction {
    /// The sum of the service times is this multiple of what Little's law makes of the requests in flight.
    LittlesLaw { factor: f64, limit: f64 },
    /// The mean times until the first byte and of the body add up to `sum` seconds; the mean service time is `mean` seconds.
    ServicePhases { sum: f64, mean: f64, limit: f64 },
    /// The mean times of waiting, until the first byte and of the body add up to `sum` seconds; the mean response time is
    /// `mean` seconds.
    ResponsePhases { sum: f64, mean: f64, limit: f64 },
}

/// What goes over a link in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkWay {
    /// Answers of the servers.
    #[default]
    Answers,
    /// Requests of the clients.
    Requests,
}

impl LinkWay {
    /// Whether it is the usual way, which files do not tell.
    fn is_usual(&self) -> bool {
        *self == Self::Answers
    }
}

/// A link that passed nearly all that it can: `used` of `rate`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FullLink {
    /// What fills it.
    #[serde(default, skip_serializing_if = "LinkWay::is_usual")]
    pub way: LinkWay,
    /// What went over it, bits per second.
    pub used: BitRate,
    /// What it can pass, bits per second.
    pub rate: BitRate,
    /// The largest share of it that may be used.
    pub limit: f64,
}

/// What is wrong with the answers of an arm. Faults are counts by kind, as in [`Counts`](crate::outcome::Counts).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum AnswerFault {
    /// A slice has no right answer; without faults it has no answer at all.
    NoneRight { faults: BTreeMap<String, u64> },
    /// Too large a share of the requests was answered wrongly.
    TooManyWrong {
        arm: String,
        wrong: u64,
        requests: u64,
        limit: f64,
        faults: BTreeMap<String, u64>,
    },
    /// The arm and the baseline fail with different probabilities: `p` is that of Fisher's exact test.
    UnlikeErrors {
        arm: String,
        wrong: u64,
        requests: u64,
        baseline: String,
        baseline_wrong: u64,
        baseline_requests: u64,
        p: f64,
        limit: f64,
    },
    /// The mean sizes of the bodies differ, in bytes.
    UnlikeBodies {
        arm: String,
        bytes: f64,
        baseline: String,
        baseline_bytes: f64,
    },
}

/// Why the probes of a start do not show the highest rate that keeps an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum NoRate {
    /// The generator could not send more than `rate` requests per second.
    Generator { rate: f64, reason: Box<Reason> },
    /// The lowest rate that was tried does not keep the objective.
    NeverKept,
    /// The highest rate that was tried still keeps the objective.
    AlwaysKept,
}

impl Reason {
    /// Returns the limit of its own that the generator reached, in one slice or in several, or with one arm;
    /// `None` for other reasons.
    pub fn generator_limit(&self) -> Option<&GeneratorLimit> {
        match self {
            Self::GeneratorSaturated(limit) => Some(limit),
            Self::InSlices { reason, .. } | Self::OfArm { reason, .. } => reason.generator_limit(),
            _ => None,
        }
    }

    /// Whether the generator was saturated.
    pub fn is_of_generator(&self) -> bool {
        self.generator_limit().is_some()
    }

    /// Whether the hypervisor took too much of the machine.
    pub fn is_noisy_neighbour(&self) -> bool {
        match self {
            Self::NoisyNeighbour { .. } => true,
            Self::InSlices { reason, .. } | Self::OfArm { reason, .. } => reason.is_noisy_neighbour(),
            _ => false,
        }
    }

    /// Whether the loading machine spoilt the measurement, and not the servers that it loaded: at a lower rate, or a moment
    /// later, the measurement may be valid.
    pub fn is_of_machine(&self) -> bool {
        self.is_of_generator() || self.is_noisy_neighbour()
    }

    /// Whether the generator did something later than it could have. It need not have been short of anything of its own.
    pub fn is_late(&self) -> bool {
        self.generator_limit().is_some_and(GeneratorLimit::is_late)
    }
}

impl GeneratorLimit {
    /// Whether it did something later than it could have.
    pub const fn is_late(&self) -> bool {
        matches!(
            self,
            Self::SentLate { .. }
                | Self::DelayInPercentile(_)
                | Self::AnswersUnseen { .. }
                | Self::LongTurns { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_written_as_its_code_and_its_values() {
        let reason = Reason::InSlices {
            reason: Box::new(Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy {
                share: 0.93,
                limit: 0.8,
            })),
            slices: 3,
            all: 8,
        };
        let text = serde_json::to_string(&reason).expect("JSON");
        assert_eq!(
            text,
            r#"{"code":"in-slices","values":{"reason":{"code":"generator-saturated","values":{"code":"event-loop-busy","values":{"share":0.93,"limit":0.8}}},"slices":3,"all":8}}"#
        );
        assert_eq!(serde_json::from_str::<Reason>(&text).expect("a reason"), reason);
        let bare = serde_json::to_string(&Reason::NoValue).expect("JSON");
        assert_eq!(bare, r#"{"code":"no-value"}"#);
        let old = serde_json::from_str(r#"{"code":"legacy","values":"it was dark"}"#);
        assert_eq!(old.ok(), Some(Reason::Legacy("it was dark".to_owned())));
    }

    #[test]
    fn who_spoilt_a_measurement_is_known_through_slices_and_not_through_starts() {
        let late = Reason::GeneratorSaturated(GeneratorLimit::LongTurns {
            share: 0.2,
            delay: 0.001,
            limit: 0.1,
        });
        let in_slices = Reason::InSlices {
            reason: Box::new(late.clone()),
            slices: 3,
            all: 4,
        };
        let stolen = Reason::NoisyNeighbour {
            share: 0.2,
            limit: 0.1,
        };
        let only = Reason::OnlyStart {
            reason: Box::new(late.clone()),
        };
        let old = Reason::GeneratorSaturated(GeneratorLimit::Legacy("it slept".to_owned()));
        let of_arm = Reason::OfArm {
            arm: "ten".to_owned(),
            reason: Box::new(in_slices.clone()),
        };
        let all = [late, in_slices, of_arm, stolen, only, old, Reason::NoValue];
        let asked = |of: fn(&Reason) -> bool| all.iter().map(of).collect::<Vec<_>>();
        assert_eq!(
            asked(Reason::is_of_generator),
            [true, true, true, false, false, true, false]
        );
        assert_eq!(
            asked(Reason::is_of_machine),
            [true, true, true, true, false, true, false]
        );
        assert_eq!(
            asked(Reason::is_late),
            [true, true, true, false, false, false, false]
        );
    }
}
