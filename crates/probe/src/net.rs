//! Network interfaces and the kernel's receive queues: bytes transferred, and packets dropped.

use crate::{Error, read};
use record::telemetry::{InterfaceTotals, SoftnetTotals};
use std::collections::BTreeMap;

/// The totals of the interfaces in the network namespace of process `pid`, by name.
///
/// # Errors
/// [`Error::Proc`] when the process has ended.
pub fn interfaces(pid: u32) -> Result<BTreeMap<String, InterfaceTotals>, Error> {
    let text = read(&format!("/proc/{pid}/net/dev"))?;
    Ok(text.lines().filter_map(interface).collect())
}

/// Parses a line of `/proc/PID/net/dev`; `None` for the lines with the names of the columns.
fn interface(line: &str) -> Option<(String, InterfaceTotals)> {
    let (name, values) = line.split_once(':')?;
    let values: Vec<u64> = values.split_whitespace().map_while(|value| value.parse().ok()).collect();
    let totals = InterfaceTotals {
        received: *values.first()?,
        sent: *values.get(8)?,
        dropped: values.get(3)? + values.get(11)?,
    };
    Some((name.trim().to_owned(), totals))
}

/// The totals of the kernel's receive queues over all CPUs; `None` where the kernel does not provide them.
pub fn softnet() -> Option<SoftnetTotals> {
    Some(parse_softnet(&read("/proc/net/softnet_stat").ok()?))
}

/// Parses `/proc/net/softnet_stat`: one line per CPU, with hexadecimal numbers.
fn parse_softnet(text: &str) -> SoftnetTotals {
    let field = |line: &str, column| {
        let field = line.split_whitespace().nth(column)?;
        u64::from_str_radix(field, 16).ok()
    };
    let sum = |column| text.lines().filter_map(|line| field(line, column)).sum();
    SoftnetTotals { dropped: sum(1), squeezed: sum(2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_totals_of_an_interface_are_read_from_their_columns() {
        let line = "    lo: 227051 843 1 37 0 0 0 0 227052 844 0 5 0 0 0 0";
        let totals = InterfaceTotals { received: 227_051, sent: 227_052, dropped: 42 };
        assert_eq!(interface(line), Some(("lo".to_owned(), totals)));
        assert_eq!(interface(" face |bytes    packets errs"), None);
    }

    #[test]
    fn receive_queues_are_counted_in_hexadecimal_numbers() {
        let text = "1a0376b6 00000ac8 0000009c 00000000\n1841323a 00000002 00000004 00000000\n";
        let totals = SoftnetTotals { dropped: 0xac8 + 2, squeezed: 0x9c + 4 };
        assert_eq!(parse_softnet(text), totals);
    }

    #[test]
    fn bytes_over_loopback_are_counted() {
        let sent = || interfaces(std::process::id()).expect("our own")["lo"].sent;
        let before = sent();
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
        let (mut server, _) = listener.accept().expect("accepted");
        client.write_all(&[7; 50_000]).expect("sent");
        server.read_exact(&mut [0; 50_000]).expect("received");
        assert!(sent() - before >= 50_000);
    }
}
