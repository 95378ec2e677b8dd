//! StatsD's gauges: `prony.slice.ARM.LOAD.throughput:1200.5|g`. It has neither labels nor times.

use crate::sinks::kind::SinkKind;
use crate::sinks::point::Point;
use crate::sinks::udp;

pub(super) const KIND: SinkKind = SinkKind {
    name: "statsd",
    example: "HOST:8125",
    takes_verdicts: true,
    takes_traces: false,
    place: |address| udp::place(address, packets),
};

/// The largest packet: what fits into a frame of Ethernet, as the documentation of StatsD advises.
const LARGEST: usize = 1400;
/// The labels that become part of a name; the run is not one of them, because every run would have names of its own.
const NAMED: [&str; 4] = ["experiment", "arm", "measure", "load"];

fn packets(points: &[Point]) -> Vec<String> {
    let mut packets = vec![String::new()];
    for line in points.iter().flat_map(lines) {
        if let Some(last) = packets.last_mut().filter(|last| last.len() + line.len() <= LARGEST) {
            last.push_str(&line);
        } else {
            packets.push(line);
        }
    }
    packets.retain(|packet| !packet.is_empty());
    packets
}

fn lines(point: &Point) -> Vec<String> {
    let label = |wanted: &&str| {
        let found = point.labels.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| plain(value))
    };
    let mut names = vec!["prony".to_owned(), point.kind.to_owned()];
    names.extend(NAMED.iter().filter_map(label));
    let name = names.join(".");
    let figures = point.figures.iter();
    figures.map(|(figure, value)| format!("{name}.{figure}:{value}|g\n")).collect()
}

/// A part of a name, in characters that every backend takes.
fn plain(value: &str) -> String {
    let keeps = |character: char| character.is_ascii_alphanumeric() || character == '-';
    value.chars().map(|character| if keeps(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::awkward_point;

    #[test]
    fn packets_fit_into_a_frame() {
        let packets = packets(&vec![awkward_point(); 40]);
        assert!(packets.len() > 1 && packets.iter().all(|packet| packet.len() <= 1400));
        assert!(
            packets[0].starts_with("prony.slice.tom_cat_10__a_.users_16.throughput:1200.5|g\n"),
            "{}",
            packets[0]
        );
    }
}
