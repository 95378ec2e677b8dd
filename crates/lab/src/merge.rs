//! Merges the telemetry of another host into this machine's.

use model::units::Nanos;
use record::telemetry::{Mark, Reading};

/// The most by which two readings of the same moment are apart: the threads that take them may wait for a CPU.
const MOMENT: Nanos = Nanos::from_millis(50);

/// All readings with the readings `there` of one arm's server on another host. Two readings of the same
/// moment of a slice become one, with the host of the arm that was there first.
pub(crate) fn merged(all: Vec<Reading>, there: Vec<Reading>, arm: usize, arms: usize) -> Vec<Reading> {
    let mut merged = all;
    for mut reading in there {
        let server = reading.servers.pop().flatten();
        reading.servers = vec![None; arms];
        reading.servers[arm] = server;
        let of_moment = |other: &&mut Reading| {
            let apart = Nanos(other.at_ns.abs_diff(reading.at_ns));
            let is_same = other.mark == reading.mark && reading.mark != Mark::Within;
            is_same && apart < MOMENT && other.servers[arm].is_none()
        };
        match merged.iter_mut().find(of_moment) {
            Some(other) => other.servers[arm] = reading.servers[arm].take(),
            None => merged.push(reading),
        }
    }
    merged.sort_by_key(|reading| reading.at_ns);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::telemetry::ServerReading;

    #[test]
    fn readings_of_one_moment_become_one_and_the_others_are_put_in_order() {
        let reading = |at_ms: u64, mark, servers: &[bool]| Reading {
            at_ns: Nanos::from_millis(at_ms).0,
            mark,
            servers: servers.iter().map(|read| read.then(ServerReading::default)).collect(),
            ..Reading::default()
        };
        let here = vec![reading(1, Mark::Loads, &[true, false]), reading(500, Mark::Ends, &[true, false])];
        let there = vec![
            reading(2, Mark::Loads, &[true]),
            reading(300, Mark::Within, &[true]),
            reading(501, Mark::Ends, &[true]),
            reading(900, Mark::Ends, &[true]),
        ];
        let all = merged(here, there, 1, 2);
        let seen: Vec<(u64, Vec<bool>)> = all
            .iter()
            .map(|reading| (reading.at_ns / 1_000_000, reading.servers.iter().map(Option::is_some).collect()))
            .collect();
        assert_eq!(
            seen,
            [
                (1, vec![true, true]),
                (300, vec![false, true]),
                (500, vec![true, true]),
                (900, vec![false, true])
            ]
        );
    }
}
