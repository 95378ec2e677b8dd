//! [`Awaited`]: the answers that a server awaits from other programs, as the kernel counts them on its connections.

use model::units::{Count, Seconds};
use record::inspection::{Inspection, JfrFacts, PeerSeen};

/// Smallest share of the most awaited address's answers with which another one counts as well.
const ALSO: f64 = 0.1;
/// Smallest share of a client's connections that are in use in the mean, when all of them are at some moments.
const IN_USE: f64 = 0.6;

/// The answers that a server awaits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Awaited {
    /// In all, mean.
    pub(crate) answers: f64,
    /// The address that most of them are awaited from.
    pub(crate) address: Option<String>,
    /// The number of addresses that are awaited a good part of the time.
    pub(crate) addresses: u64,
    /// Connections to addresses where all are in use at times, and most of them most of the time.
    pub(crate) used_up: f64,
    /// The most connections that were open at a time.
    pub(crate) connections: f64,
    /// The most that were open at a time to the address that most answers are awaited from, and the fewest of these that were free.
    pub(crate) open: f64,
    pub(crate) free: f64,
    /// The programs that it asks, by the answers that are awaited from them.
    pub(crate) back_ends: Vec<BackEnd>,
}

/// A program that a server asks, by one of its addresses.
#[derive(Clone, Debug)]
pub(crate) struct BackEnd {
    pub(crate) address: String,
    /// Answers that are awaited from it, mean.
    pub(crate) answers: f64,
    /// Connections to it, mean.
    pub(crate) connections: f64,
    /// How often it is asked and answers, per second; `None` where that was not counted.
    pub(crate) exchanges: Option<f64>,
    /// Connections to it that were seen to begin.
    pub(crate) fresh: u64,
    /// The most connections to it at a time, and of these the most on which an answer was awaited.
    pub(crate) most: u64,
    pub(crate) at_once: u64,
    /// Small segments of a question or of its answer, whichever are more; `None` where they were not counted, or are long.
    pub(crate) pieces: Option<Count>,
}

impl BackEnd {
    fn of(address: &str, peer: &PeerSeen, seconds: Seconds) -> Self {
        let mean = |sum: u64| sum as f64 / f64::from(peer.looks.max(1));
        let seconds = seconds.0.max(1e-9);
        Self {
            address: address.to_owned(),
            answers: mean(peer.awaiting),
            connections: mean(peer.connections),
            exchanges: peer.exchanges().map(|exchanges| exchanges as f64 / seconds),
            fresh: peer.fresh,
            most: peer.most,
            at_once: peer.most.saturating_sub(peer.fewest_free),
            pieces: peer.pieces(),
        }
    }

    /// How long it takes to answer, by Little's law; `None` where it is not known how often it is asked.
    pub(crate) fn answers_in(&self) -> Option<Seconds> {
        let exchanges = self.exchanges.filter(|exchanges| *exchanges > 0.0)?;
        Some(Seconds(self.answers / exchanges))
    }

    /// Whether nobody waits for a connection, because some are free most of the time.
    pub(crate) fn has_free_connections(&self) -> bool {
        self.answers <= IN_USE * self.connections
    }
}

impl Awaited {
    /// The answers that were awaited during an inspection.
    pub(super) fn of(inspection: &Inspection) -> Self {
        let seconds = inspection.seconds;
        let mut all: Vec<(BackEnd, &PeerSeen)> = inspection
            .peers
            .iter()
            .map(|(address, peer)| (BackEnd::of(address, peer, seconds), peer))
            .collect();
        all.sort_by(|one, other| other.0.answers.total_cmp(&one.0.answers));
        let back_ends = all.iter().map(|(back_end, _)| back_end.clone()).collect();
        let Some((most, first)) = all.first().filter(|(most, _)| most.answers > 0.0) else {
            return Self { back_ends, ..Self::in_recording(inspection) };
        };
        let full = all.iter().filter(|(back_end, peer)| is_used_up(back_end.answers, peer));
        Self {
            answers: all.iter().map(|(back_end, _)| back_end.answers).sum(),
            address: Some(most.address.clone()),
            addresses: all.iter().filter(|(other, _)| other.answers >= ALSO * most.answers).count() as u64,
            used_up: full.map(|(_, peer)| peer.most as f64).sum(),
            connections: all.iter().map(|(_, peer)| peer.most as f64).sum(),
            open: first.most as f64,
            free: first.fewest_free as f64,
            back_ends,
        }
    }

    /// The program that most answers are awaited from.
    pub(crate) fn most_awaited(&self) -> Option<&BackEnd> {
        self.back_ends.first().filter(|back_end| back_end.answers > 0.0)
    }

    /// The programs that are asked for a good part of the time, such as the nodes of a cluster.
    pub(crate) fn all_awaited(&self) -> impl Iterator<Item = &BackEnd> {
        let most = self.most_awaited().map_or(f64::INFINITY, |most| most.answers);
        self.back_ends.iter().filter(move |back_end| back_end.answers >= ALSO * most)
    }

    /// What the flight recorder saw, where the kernel was not asked.
    fn in_recording(inspection: &Inspection) -> Self {
        let Some(jfr) = inspection.jfr.as_ref().filter(|_| inspection.peers.is_empty()) else {
            return Self::default();
        };
        let waits = jfr.sockets.iter();
        let longest = waits.max_by(|one, other| one.1.seconds.total_cmp(&other.1.seconds));
        Self {
            answers: JfrFacts::total(&jfr.sockets) / inspection.seconds.max(Seconds(1e-9)),
            address: longest.map(|(address, _)| address.clone()),
            addresses: jfr.sockets.len() as u64,
            ..Self::default()
        }
    }
}

/// Whether a client uses all of its connections to an address, so that who needs another one waits.
fn is_used_up(mean: f64, peer: &PeerSeen) -> bool {
    peer.fewest_free == 0 && mean >= IN_USE * peer.most as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(most: u64, awaiting: u64, fewest_free: u64) -> PeerSeen {
        PeerSeen { looks: 10, connections: 10 * most, awaiting, most, fewest_free, ..PeerSeen::default() }
    }

    fn awaited(peers: &[(&str, PeerSeen)]) -> Awaited {
        let peers = peers.iter().map(|(address, peer)| ((*address).to_owned(), *peer));
        Awaited::of(&Inspection { peers: peers.collect(), ..Inspection::default() })
    }

    #[test]
    fn the_nodes_of_a_cluster_are_waited_for_together() {
        let all = awaited(&[
            ("10.0.0.1:6379", peer(20, 80, 4)),
            ("10.0.0.2:6379", peer(20, 90, 3)),
            ("10.0.0.9:9092", peer(1, 1, 0)),
        ]);
        assert_eq!((all.answers, all.addresses), (17.1, 2));
        assert_eq!(all.address.as_deref(), Some("10.0.0.2:6379"));
        assert_eq!(all.used_up, 0.0);
    }

    #[test]
    fn a_client_without_a_free_connection_is_used_up() {
        assert_eq!(awaited(&[("10.0.0.1:80", peer(8, 76, 0))]).used_up, 8.0);
        assert_eq!(awaited(&[("10.0.0.1:80", peer(8, 20, 0))]).used_up, 0.0, "for a moment");
        assert_eq!(awaited(&[("10.0.0.1:80", peer(8, 76, 1))]).used_up, 0.0);
    }
}
