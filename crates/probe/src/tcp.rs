//! What TCP has counted in a network namespace, and when it sends a SYN again.
//!
//! The counters are of the namespace and not of a process: other programs in it count too, so a difference is an upper
//! bound for one server, unless that has a namespace of its own.

use crate::{Error, host, read};
use model::telemetry::TcpTotals;
use model::units::Nanos;

/// The totals of the namespace that process `pid` is in. A counter that this kernel does not have is 0.
///
/// # Errors
/// The process is gone.
pub fn totals(pid: u32) -> Result<TcpTotals, Error> {
    let netstat = read(&format!("/proc/{pid}/net/netstat"))?;
    let snmp = read(&format!("/proc/{pid}/net/snmp"))?;
    Ok(parse(&netstat, &snmp))
}

fn parse(netstat: &str, snmp: &str) -> TcpTotals {
    let extended = |name| counter(netstat, "TcpExt:", name);
    let basic = |name| counter(snmp, "Tcp:", name);
    TcpTotals {
        listen_overflows: extended("ListenOverflows"),
        listen_drops: extended("ListenDrops"),
        request_queue_full: extended("TCPReqQFullDrop"),
        syn_retransmits: extended("TCPSynRetrans"),
        retransmits: basic("RetransSegs"),
        sent: basic("OutSegs"),
        attempts_failed: basic("AttemptFails"),
        accepted: basic("PassiveOpens"),
    }
}

/// A counter of a section, whose first line has the names and whose second has the values.
fn counter(text: &str, section: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter(|line| line.starts_with(section));
    let (Some(names), Some(values)) = (lines.next(), lines.next()) else {
        return 0;
    };
    let place = names.split_whitespace().position(|candidate| candidate == name);
    place
        .and_then(|place| values.split_whitespace().nth(place)?.parse().ok())
        .unwrap_or(0)
}

/// First wait for the answer to a SYN (`TCP_TIMEOUT_INIT`, RFC 6298 section 2).
const FIRST_WAIT: Nanos = Nanos::from_secs(1);
/// Retries that wait no longer than the first, where the kernel does not say (before Linux 6.5 there are none).
const LINEAR: u32 = 0;
/// Retries, where the kernel does not say.
const RETRIES: u32 = 6;

/// When this kernel sends the SYN of a connection again, counted from the first one. A connection that found a full accept
/// queue is made shortly after one of these times: with the queue free again, the next retry succeeds.
pub fn syn_retries() -> Vec<Nanos> {
    let number = |name: &str| host::sysctl(name).and_then(|text| text.parse().ok());
    schedule(
        number("net/ipv4/tcp_syn_linear_timeouts").unwrap_or(LINEAR),
        number("net/ipv4/tcp_syn_retries").unwrap_or(RETRIES),
    )
}

/// The same of a kernel with these settings (`tcp_syn_linear_timeouts`, `tcp_syn_retries`): the first wait and `linear` more
/// are of one length, each one after them is twice the one before (tcp_timer.c).
pub fn schedule(linear: u32, retries: u32) -> Vec<Nanos> {
    let mut at = Nanos(0);
    let mut wait = FIRST_WAIT;
    let mut times = Vec::new();
    for retry in 0..retries {
        if retry > linear {
            wait = Nanos(wait.0.saturating_mul(2));
        }
        at = Nanos(at.0.saturating_add(wait.0));
        times.push(at);
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::counted::Counted;

    const NETSTAT: &str = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPSynRetrans\nTcpExt: 0 1673 1680 14\n\
                           IpExt: InNoRoutes ListenOverflows\nIpExt: 0 9\n";
    const SNMP: &str = "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm AttemptFails PassiveOpens OutSegs RetransSegs\n\
                        Tcp: 1 2 30 400 1434\n";

    #[test]
    fn counters_are_found_by_their_names() {
        let found = parse(NETSTAT, SNMP);
        let expected = TcpTotals {
            listen_overflows: 1673,
            listen_drops: 1680,
            syn_retransmits: 14,
            retransmits: 1434,
            sent: 400,
            attempts_failed: 2,
            accepted: 30,
            request_queue_full: 0,
        };
        assert_eq!(found, expected);
        assert_eq!(found.since(TcpTotals::default()), found);
        assert_eq!(found.since(found), TcpTotals::default());
    }

    #[test]
    fn an_accepted_connection_is_counted() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
        let before = totals(std::process::id()).expect("our own");
        let address = listener.local_addr().expect("an address");
        let _client = std::net::TcpStream::connect(address).expect("connected");
        let _server = listener.accept().expect("accepted");
        let now = totals(std::process::id()).expect("our own");
        assert!(now.since(before).accepted >= 1);
    }

    #[test]
    fn retries_follow_the_kernels_settings() {
        let seconds = |linear, retries| -> Vec<u64> {
            schedule(linear, retries)
                .iter()
                .map(|at| at.0 / 1_000_000_000)
                .collect()
        };
        assert_eq!(seconds(0, 5), [1, 3, 7, 15, 31], "as kernels before 6.5");
        assert_eq!(
            seconds(4, 8),
            [1, 2, 3, 4, 5, 7, 11, 19],
            "as newer ones by default"
        );
        assert_eq!(seconds(1, 4), [1, 2, 4, 8]);
        assert!(syn_retries().len() >= 2, "of this kernel");
    }
}
