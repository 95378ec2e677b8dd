//! The TCP counters of a network namespace, and the times at which TCP repeats a SYN.
//!
//! The counters belong to the namespace and not to a process. They contain other programs in it, so a difference is an
//! upper limit for one server, unless the server has a namespace of its own.

use crate::{Error, host, read};
use model::units::Nanos;
use record::telemetry::TcpTotals;

/// The totals of the namespace of process `pid`. A counter that this kernel does not have is 0.
///
/// # Errors
/// [`Error::Proc`] when the process has ended.
pub fn totals(pid: u32) -> Result<TcpTotals, Error> {
    let netstat = read(&format!("/proc/{pid}/net/netstat"))?;
    let snmp = read(&format!("/proc/{pid}/net/snmp"))?;
    Ok(parse(&netstat, &snmp))
}

/// The connections that any program has opened in the namespace of process `pid`; `None` where the kernel does not tell.
pub(crate) fn opened(pid: u32) -> Option<u64> {
    let snmp = read(&format!("/proc/{pid}/net/snmp")).ok()?;
    Some(counter(&snmp, "Tcp:", "ActiveOpens"))
}

/// Parses `/proc/PID/net/netstat` and `/proc/PID/net/snmp`.
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

/// A counter of a section, which is two lines: the first has the names, the second the values.
fn counter(text: &str, section: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter(|line| line.starts_with(section));
    let (Some(names), Some(values)) = (lines.next(), lines.next()) else {
        return 0;
    };
    let position = names.split_whitespace().position(|candidate| candidate == name);
    position.and_then(|position| values.split_whitespace().nth(position)?.parse().ok()).unwrap_or(0)
}

/// The first wait for the response to a SYN (`TCP_TIMEOUT_INIT`, RFC 6298 section 2).
const FIRST_WAIT: Nanos = Nanos::from_secs(1);
/// The number of further waits of the same length, if the kernel has no setting for it (before Linux 6.5).
const LINEAR: u32 = 0;
/// The number of retries, if the kernel's setting cannot be read.
const RETRIES: u32 = 6;

/// The times at which this kernel repeats the SYN of a connection, counted from the first one. A connection that finds a
/// full accept queue is established shortly after one of these times, because the first retry that finds room succeeds.
pub fn syn_retries() -> Vec<Nanos> {
    let number = |name: &str| host::sysctl(name).and_then(|text| text.parse().ok());
    schedule(
        number("net/ipv4/tcp_syn_linear_timeouts").unwrap_or(LINEAR),
        number("net/ipv4/tcp_syn_retries").unwrap_or(RETRIES),
    )
}

/// The times at which a kernel with these settings (`tcp_syn_linear_timeouts`, `tcp_syn_retries`) repeats a SYN. The first
/// wait and `linear` further ones have the same length; every later one is twice as long as the one before (Linux:
/// net/ipv4/tcp_timer.c).
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
    use record::counted::Counted;

    const NETSTAT: &str = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPSynRetrans\nTcpExt: 0 1673 1680 14\n\
                           IpExt: InNoRoutes ListenOverflows\nIpExt: 0 9\n";
    const SNMP: &str = "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm AttemptFails PassiveOpens OutSegs RetransSegs\n\
                        Tcp: 1 2 30 400 1434\n";

    #[test]
    fn counters_are_found_by_their_names() {
        let totals = parse(NETSTAT, SNMP);
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
        assert_eq!(totals, expected);
        assert_eq!(totals.since(TcpTotals::default()), totals);
        assert_eq!(totals.since(totals), TcpTotals::default());
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
    fn syn_retries_follow_the_settings_of_the_kernel() {
        let seconds = |linear, retries| -> Vec<u64> {
            schedule(linear, retries).iter().map(|at| at.0 / 1_000_000_000).collect()
        };
        assert_eq!(seconds(0, 5), [1, 3, 7, 15, 31], "kernels before 6.5");
        assert_eq!(seconds(4, 8), [1, 2, 3, 4, 5, 7, 11, 19], "the defaults of newer kernels");
        assert_eq!(seconds(1, 4), [1, 2, 4, 8]);
        assert!(syn_retries().len() >= 2, "this kernel");
    }
}
