//! [`Patience`]: how long the processes that make a run together wait for each other.

use say::Say;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Duration;

/// Below this scale, signs of life would be due more often than the ten times a second at which agents look.
const LEAST: f64 = 0.1;
/// Beyond this scale, a lost agent would be awaited for more than two minutes.
const MOST: f64 = 10.0;

/// How often agents, hosts and load machines show that they live, and after how long without that they are given up. One scale
/// stretches all of it, so that what is longer than something else stays so. A message or an order has the scale alone: both sides are to
/// wait by the same one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Patience {
    scale: f64,
}

/// A scale of [`Patience`] that is too small, too large, or no number.
#[derive(Clone, Copy, Debug, PartialEq, Say)]
#[say(
    error,
    en = "the scale of patience is a number from {least:text} to {most:text}",
    zh = "耐心的比例应为 {least:text} 到 {most:text} 的数"
)]
pub struct BadScale {
    /// The smallest scale.
    pub least: f64,
    /// The largest scale.
    pub most: f64,
}

const BAD: BadScale = BadScale { least: LEAST, most: MOST };

impl Patience {
    /// The usual patience, scaled.
    ///
    /// # Errors
    ///
    /// [`BadScale`] for a scale that is not from 0.1 to 10.
    pub fn scaled(scale: f64) -> Result<Self, BadScale> {
        let fits = (LEAST..=MOST).contains(&scale);
        fits.then_some(Self { scale }).ok_or(BAD)
    }

    fn seconds(self, usual: f64) -> Duration {
        Duration::from_secs_f64(usual * self.scale)
    }

    /// The time between two signs of life: of an agent to its coordinator, of prony to agents and hosts that it has started, and on
    /// each connection to a NATS server, which is lost when two of them have no answer.
    pub fn beat(self) -> Duration {
        self.seconds(1.0)
    }
}

/// Waits within a fleet.
impl Patience {
    /// How far ahead a load begins, so that all agents hear of it before. Telling 300 agents takes a tenth of a second.
    pub fn lead(self) -> Duration {
        self.seconds(2.0)
    }

    /// How long one attempt to connect to a NATS server may take.
    pub fn connect_attempt(self) -> Duration {
        self.seconds(2.0)
    }

    /// For how long a coordinator tries to connect to a NATS server.
    pub fn connecting(self) -> Duration {
        self.seconds(3.0)
    }

    /// An agent sends again what nobody has acknowledged for so long.
    pub fn acknowledgement(self) -> Duration {
        self.seconds(2.0)
    }

    /// An agent is silent when nothing came from it for so long.
    pub fn silent(self) -> Duration {
        self.seconds(3.0)
    }

    /// A load ends when the NATS server has said for so long that nobody takes what the agent sends: nobody could end it any more.
    pub fn nobody(self) -> Duration {
        self.seconds(5.0)
    }

    /// For how long another agent in the place of a lost one is awaited before a round.
    pub fn replacement(self) -> Duration {
        self.seconds(5.0)
    }

    /// A load ends when nothing that the agent sends was acknowledged for so long, for instance because its link is cut. It is longer than
    /// [`nobody`](Self::nobody), because a restart of the server must not end a load.
    pub fn cut_off(self) -> Duration {
        self.seconds(10.0)
    }

    /// A silent agent is given up after so long. It is longer than a restart of the server or of a link takes.
    pub fn given_up(self) -> Duration {
        self.seconds(12.0)
    }

    /// An agent that prony has started ends after so long without a sign of life. A link that is cut for some seconds does not end a load.
    pub fn orphaned(self) -> Duration {
        self.seconds(12.0)
    }

    /// The ssh connection to an agent ends after so long without a sign of life of its host.
    pub fn agent_link(self) -> Duration {
        self.seconds(15.0)
    }

    /// The NATS server is given up when the connection to it is lost for so long; agents have ended their loads by then.
    pub fn server_given_up(self) -> Duration {
        self.seconds(20.0)
    }
}

/// Waits between this machine and the host of a server.
impl Patience {
    /// The prony on a host ends its server after so long without a sign of life.
    pub fn host_silence(self) -> Duration {
        self.seconds(10.0)
    }

    /// For how long a host that was there is waited for: it may start again, or its network may come back.
    pub fn host_return(self) -> Duration {
        self.seconds(120.0)
    }

    /// The time between two attempts to reach such a host.
    pub fn host_retry(self) -> Duration {
        self.seconds(2.0)
    }
}

/// Waits for those who read pages.
impl Patience {
    /// A connection without a request is closed after so long, so that others can connect.
    pub fn page_idle(self) -> Duration {
        self.seconds(10.0)
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self { scale: 1.0 }
    }
}

impl TryFrom<f64> for Patience {
    type Error = BadScale;

    fn try_from(scale: f64) -> Result<Self, BadScale> {
        Self::scaled(scale)
    }
}

impl From<Patience> for f64 {
    fn from(patience: Patience) -> Self {
        patience.scale
    }
}

impl FromStr for Patience {
    type Err = BadScale;

    fn from_str(text: &str) -> Result<Self, BadScale> {
        text.parse().map_err(|_| BAD).and_then(Self::scaled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_waits_are_those_of_the_guides() {
        let usual = Patience::default();
        let waits = [
            (usual.beat(), 1),
            (usual.lead(), 2),
            (usual.connect_attempt(), 2),
            (usual.connecting(), 3),
            (usual.acknowledgement(), 2),
            (usual.silent(), 3),
            (usual.nobody(), 5),
            (usual.replacement(), 5),
            (usual.cut_off(), 10),
            (usual.given_up(), 12),
            (usual.orphaned(), 12),
            (usual.agent_link(), 15),
            (usual.server_given_up(), 20),
            (usual.host_silence(), 10),
            (usual.host_return(), 120),
            (usual.host_retry(), 2),
            (usual.page_idle(), 10),
        ];
        for (place, (wait, seconds)) in waits.into_iter().enumerate() {
            assert_eq!(wait, Duration::from_secs(seconds), "wait {place}");
        }
    }

    #[test]
    fn nobody_is_given_up_before_three_signs_of_life_are_missing() {
        for scale in [LEAST, 0.25, 1.0, MOST] {
            let patience = Patience::scaled(scale).unwrap();
            let three_beats = patience.beat() * 3;
            // From the most impatient to the most patient; what a later one waits for, an earlier one has noticed.
            let waits = [
                three_beats,
                patience.silent(),
                patience.nobody(),
                patience.cut_off(),
                patience.given_up(),
                patience.agent_link(),
                patience.server_given_up(),
            ];
            assert!(waits.is_sorted(), "{scale}: {waits:?}");
            // Something is sent again, and a connection made again, before the side that waits for it calls us silent.
            assert!(patience.acknowledgement().max(patience.connect_attempt()) < patience.silent());
            assert!(patience.host_silence().min(patience.orphaned()) > three_beats);
            assert!(patience.host_retry() < patience.host_return());
        }
    }

    #[test]
    fn the_scale_travels_and_others_are_refused() {
        let half: Patience = "0.5".parse().unwrap();
        assert_eq!(half.silent(), Duration::from_millis(1500));
        let sent = serde_json::to_string(&half).unwrap();
        assert_eq!(serde_json::from_str::<Patience>(&sent).unwrap(), half);
        for wrong in ["0", "0.09", "-1", "10.1", "inf", "NaN", "", "fast"] {
            assert_eq!(wrong.parse::<Patience>(), Err(BAD), "{wrong}");
        }
        assert!(serde_json::from_str::<Patience>("0").is_err());
    }
}
