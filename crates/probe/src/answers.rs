//! [`Answers`]: the statuses of answers over HTTP/1 that programs on a machine get, as they pass through the kernel.
//!
//! A packet socket with a filter of the kernel gets only segments that begin with `HTTP`, and of these only the begin. What comes faster than
//! it is read is dropped by the kernel, so that this is a sample. It needs the right to see packets (`CAP_NET_RAW`).

use crate::Error;
use crate::netlink::open_around;
use nix::libc;
use record::inspection::Answered;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Protocols of Ethernet (linux/if_ether.h).
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// `IPPROTO_TCP`.
const TCP: u32 = 6;
/// Bytes of a segment that are read: both headers at their longest, and the status line.
const BYTES: u32 = 160;
/// Length of the header of IPv6.
const HEADER_6: usize = 40;
/// How a status line begins.
const HTTP: &[u8] = b"HTTP/1.";
/// The most segments that are read at once, so that reading ends.
const MOST: usize = 4096;

/// The statuses that pass in a network namespace.
#[derive(Debug)]
pub struct Answers {
    sockets: Vec<OwnedFd>,
    /// By the address of the program that answered.
    seen: BTreeMap<SocketAddr, Answered>,
}

impl Answers {
    /// Those in the network namespace of process `pid`, without answers from `port`, at which it answers itself.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel forbids to see packets; [`Error::Proc`] when the process has ended.
    pub fn around(pid: u32, port: u16) -> Result<Self, Error> {
        let of_4 = open_around(pid, move || open(IPV4, port))?;
        // A kernel may be without IPv6.
        let of_6 = open_around(pid, move || open(IPV6, port)).ok();
        Ok(Self { sockets: [of_4].into_iter().chain(of_6).collect(), seen: BTreeMap::new() })
    }

    /// Reads what has passed since the last call, as far as it was kept.
    pub fn look(&mut self) {
        let mut segment = [0; BYTES as usize];
        for socket in &self.sockets {
            for _ in 0..MOST {
                let Ok((length, _)) = recv(socket, &mut segment[..], RecvFlags::DONTWAIT) else {
                    break;
                };
                if let Some((from, status)) = segment.get(..length).and_then(parse) {
                    *self.seen.entry(from).or_default().statuses.entry(status).or_default() += 1;
                }
            }
        }
    }

    /// The statuses of the answers of these programs.
    pub fn of<'a>(&self, addresses: impl Iterator<Item = &'a SocketAddr>) -> BTreeMap<String, Answered> {
        let seen =
            addresses.filter_map(|address| Some((address.to_string(), self.seen.get(address)?.clone())));
        seen.collect()
    }
}

/// Opens a packet socket for segments of a protocol that begin with `HTTP` and come from another port than this, in the namespace of the calling thread.
#[allow(unsafe_code, reason = "no crate of ours opens packet sockets with a filter")]
fn open(protocol: u16, port: u16) -> Result<OwnedFd, Errno> {
    let last = || Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL);
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: the call has no pointers.
    let socket = unsafe { libc::socket(libc::AF_PACKET, kind, i32::from(protocol.to_be())) };
    if socket < 0 {
        return Err(last());
    }
    // SAFETY: the descriptor is new and open, and nobody else has it.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    let mut filter = if protocol == IPV4 { filter_4(port) } else { filter_6(port) };
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let length = size_of::<libc::sock_fprog>() as libc::socklen_t;
    let value = std::ptr::from_ref(&program).cast();
    // SAFETY: `value` points to a program of `length` bytes that lives until the call returns, and so does the filter; the kernel copies both.
    let set = unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, value, length)
    };
    if set < 0 { Err(last()) } else { Ok(socket) }
}

/// Instructions of a filter (linux/filter.h).
const LOAD_BYTE: u32 = libc::BPF_LD | libc::BPF_B | libc::BPF_ABS;
const LOAD_HALF: u32 = libc::BPF_LD | libc::BPF_H | libc::BPF_ABS;
const LOAD_BYTE_AT: u32 = libc::BPF_LD | libc::BPF_B | libc::BPF_IND;
const LOAD_HALF_AT: u32 = libc::BPF_LD | libc::BPF_H | libc::BPF_IND;
const LOAD_WORD_AT: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_IND;
const LENGTH_4: u32 = libc::BPF_LDX | libc::BPF_B | libc::BPF_MSH;
const SET_X: u32 = libc::BPF_LDX | libc::BPF_IMM;
const COPY_TO_X: u32 = libc::BPF_MISC | libc::BPF_TAX;
const AND: u32 = libc::BPF_ALU | libc::BPF_AND | libc::BPF_K;
const SHIFT_RIGHT: u32 = libc::BPF_ALU | libc::BPF_RSH | libc::BPF_K;
const ADD_X: u32 = libc::BPF_ALU | libc::BPF_ADD | libc::BPF_X;
const IF_EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const IF_SET: u32 = libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K;
const RETURN: u32 = libc::BPF_RET | libc::BPF_K;

/// An instruction; `yes` and `no` are how many others a jump passes over.
const fn does(code: u32, k: u32, yes: u8, no: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: yes, jf: no, k }
}

/// The end of both filters: X has the length of the header of IP. The port is another one, and the data of TCP begin with `HTTP`.
fn begins_with_http(port: u16) -> [libc::sock_filter; 11] {
    [
        does(LOAD_HALF_AT, 0, 0, 0),
        does(IF_EQUAL, u32::from(port), 8, 0),
        // The upper half of byte 12 is the length of the header of TCP in words of four bytes.
        does(LOAD_BYTE_AT, 12, 0, 0),
        does(AND, 0xf0, 0, 0),
        does(SHIFT_RIGHT, 2, 0, 0),
        does(ADD_X, 0, 0, 0),
        does(COPY_TO_X, 0, 0, 0),
        does(LOAD_WORD_AT, 0, 0, 0),
        does(IF_EQUAL, u32::from_be_bytes(*b"HTTP"), 0, 1),
        does(RETURN, BYTES, 0, 0),
        does(RETURN, 0, 0, 0),
    ]
}

fn filter_4(port: u16) -> Vec<libc::sock_filter> {
    let begin = [
        does(LOAD_BYTE, 9, 0, 0),
        does(IF_EQUAL, TCP, 0, 13),
        // Only the first fragment of a datagram has the header of TCP.
        does(LOAD_HALF, 6, 0, 0),
        does(IF_SET, 0x1fff, 11, 0),
        does(LENGTH_4, 0, 0, 0),
    ];
    begin.into_iter().chain(begins_with_http(port)).collect()
}

fn filter_6(port: u16) -> Vec<libc::sock_filter> {
    let begin = [does(LOAD_BYTE, 6, 0, 0), does(IF_EQUAL, TCP, 0, 11), does(SET_X, HEADER_6 as u32, 0, 0)];
    begin.into_iter().chain(begins_with_http(port)).collect()
}

/// Who sent a segment with its header of IP, and the status with which it begins; `None` where it is no answer over HTTP/1.
fn parse(segment: &[u8]) -> Option<(SocketAddr, u16)> {
    let version = segment.first()? >> 4;
    let (from, tcp): (IpAddr, &[u8]) = match version {
        4 => {
            let length = 4 * usize::from(segment.first()? & 0xf);
            (Ipv4Addr::from(*segment.get(12..)?.first_chunk::<4>()?).into(), segment.get(length..)?)
        }
        6 => {
            let from = Ipv6Addr::from(*segment.get(8..)?.first_chunk::<16>()?);
            (IpAddr::from(from).to_canonical(), segment.get(HEADER_6..)?)
        }
        _ => return None,
    };
    let port = u16::from_be_bytes(*tcp.first_chunk::<2>()?);
    let data = tcp.get(4 * usize::from(tcp.get(12)? >> 4)..)?;
    let line = data.strip_prefix(HTTP)?;
    let status = std::str::from_utf8(line.get(2..5)?).ok()?.parse().ok()?;
    Some((SocketAddr::new(from, port), status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    /// A segment from 10.0.0.7:8080 with this data, and with this many words of options in the header of TCP.
    fn segment(options: u8, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 7, 10, 0, 0, 9];
        bytes.extend(8080_u16.to_be_bytes());
        bytes.extend([0; 10]);
        bytes.push((5 + options) << 4);
        bytes.extend(vec![0; 7 + 4 * usize::from(options)]);
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_status_is_read_behind_both_headers() {
        let from: SocketAddr = "10.0.0.7:8080".parse().expect("an address");
        assert_eq!(parse(&segment(0, b"HTTP/1.1 503 Service Unavailable\r\n")), Some((from, 503)));
        assert_eq!(parse(&segment(3, b"HTTP/1.0 200\r\n")), Some((from, 200)));
        assert_eq!(parse(&segment(3, b"HTTP/2.0 200\r\n")), None);
        assert_eq!(parse(&segment(0, b"HTTP/1.1")), None, "the rest comes later");
        assert_eq!(parse(&segment(0, b"GET / HTTP/1.1\r\n")), None);
        assert_eq!(parse(&[0x45, 0, 0]), None);
    }

    /// Writes some answers on each of two connections, of IPv4 and IPv6, and reads them; returns the addresses that answered.
    fn answer(host: &str, answers: &[&str]) -> SocketAddr {
        let listener = TcpListener::bind((host, 0)).expect("bound");
        let address = listener.local_addr().expect("an address");
        let mut client = TcpStream::connect(address).expect("connected");
        let (mut server, _) = listener.accept().expect("accepted");
        for answer in answers {
            server.write_all(answer.as_bytes()).expect("sent");
            client.read_exact(&mut vec![0; answer.len()]).expect("received");
        }
        address
    }

    #[test]
    fn answers_are_seen_as_they_pass_where_the_kernel_allows_it() {
        let Ok(mut answers) = Answers::around(std::process::id(), 1) else {
            assert!(!rustix::process::geteuid().is_root() || open(IPV4, 1).is_err(), "root may see packets");
            return;
        };
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        let busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
        for host in ["127.0.0.1", "::1"] {
            let address = answer(host, &[busy, ok, "a body that follows", busy]);
            answers.look();
            let seen = answers.of([address].iter());
            let statuses = [(200, 1), (503, 2)].into();
            assert_eq!(seen.get(&address.to_string()), Some(&Answered { statuses }), "{seen:?}");
        }
        assert!(answers.of([].iter()).is_empty());
    }
}
