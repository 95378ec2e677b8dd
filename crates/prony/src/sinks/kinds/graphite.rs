//! Graphite's plain text by UDP: `prony.slice.ARM.LOAD.throughput 1200.5 1700000000`. (Graphite, "Feeding In Your Data".)

use crate::sinks::kind::SinkKind;
use crate::sinks::point::Point;
use crate::sinks::udp;

pub(super) const KIND: SinkKind = SinkKind {
    name: "graphite",
    example: "HOST:2003",
    takes_verdicts: true,
    takes_traces: false,
    place: |address| udp::place(address, packets),
};

/// A packet for each point.
fn packets(points: &[Point]) -> Vec<String> {
    points.iter().map(|point| point.figures.iter().map(|figure| line(point, figure)).collect()).collect()
}

fn line(point: &Point, (figure, value): &(&str, f64)) -> String {
    let plain = |value: &String| value.replace(|character: char| !character.is_ascii_alphanumeric(), "_");
    let labels: Vec<String> = point.labels.iter().map(|(_, value)| plain(value)).collect();
    format!("prony.{}.{}.{figure} {value} {}\n", point.kind, labels.join("."), point.at_ns / 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::awkward_point;

    #[test]
    fn a_packet_has_a_line_for_each_figure() {
        let [packet] = &packets(&[awkward_point()])[..] else { panic!("one packet") };
        let line = "prony.slice.tom_cat_10__a_.users_16.r_1.throughput 1200.5 1700000000\n";
        assert!(packet.starts_with(line) && packet.lines().count() == 2, "{packet}");
    }
}
