//! Servers behind a link: tests with real network namespaces.

use crate::common::{GO_ON, eventually, lives, site, small_server, start};
use ask::link::Link;
use model::units::BitRate;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use sut::{Error, Network};

/// A link; `None` on a machine where there cannot be one.
fn create(link: &Link) -> Option<Arc<Network>> {
    match Network::create(link, &site(), &GO_ON) {
        Ok(network) => Some(Arc::new(network)),
        Err(error @ (Error::NoNetwork { .. } | Error::NoProgram { .. })) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Requests a page repeatedly on one connection, and returns the number of received bytes.
fn read(address: SocketAddr, path: &str, times: usize) -> usize {
    let stream = TcpStream::connect(address).expect("connected");
    let mut answers = BufReader::new(&stream);
    let mut sum = 0;
    for _ in 0..times {
        write!(&stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("asked");
        let mut length = 0;
        loop {
            let mut line = String::new();
            sum += answers.read_line(&mut line).expect("a head");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        answers.read_exact(&mut body).expect("a body");
        sum += length;
    }
    sum
}

#[test]
fn a_server_behind_a_link_is_reached_only_over_it_and_not_faster_than_its_rate() {
    let rate = 8_000_000;
    let link = Link { rate: Some(BitRate(rate)), local_ports: Some(40_000..=40_099) };
    let Some(network) = create(&link) else { return };
    let mut spec = small_server(11_000, Duration::ZERO);
    spec.surroundings.network = Some(network.clone());
    let (server, address) = {
        let _entered = network.enter().expect("entered");
        let server = start(&spec).expect("started");
        let address = server.addr();
        let began = Instant::now();
        let bits = 8.0 * read(address, "/", 80) as f64;
        // A busy machine takes longer; no machine takes less, but the token bucket is full in the beginning.
        let least = 0.9 * bits / rate as f64;
        assert!(began.elapsed().as_secs_f64() > least, "{bits} bits in {:?}", began.elapsed());
        let held: Vec<TcpStream> = (0..200).map_while(|_| TcpStream::connect(address).ok()).collect();
        assert!(held.len() <= 100, "{} connections from 100 ports", held.len());
        (server, address)
    };
    assert!(TcpStream::connect(address).is_err(), "it is in another network");
    let interfaces = fs::read_to_string(format!("/proc/{}/net/dev", server.pid())).expect("interfaces");
    let line = interfaces.lines().find(|line| line.trim_start().starts_with("wire:"));
    let sent = line.and_then(|line| line.split_ascii_whitespace().nth(9)?.parse::<u64>().ok());
    assert!(sent > Some(80 * 11_000), "{interfaces}");
    let facts = spec.surroundings.facts();
    assert!(facts.contains(&("link/rate".to_owned(), "8 Mbit/s".to_owned())), "{facts:?}");
    let _entered = network.enter().expect("entered");
    server.stop().expect("stopped");
}

/// The child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let pids = fs::read_dir("/proc").expect("processes").flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_ascii_whitespace());
        fields.and_then(|mut fields| fields.nth(1)?.parse().ok()) == Some(parent)
    };
    pids.filter(is_child).collect()
}

#[test]
fn a_killed_parent_leaves_nothing_of_its_link() {
    if create(&Link::default()).is_none() {
        return;
    }
    let mut parent = Command::new(env!("CARGO_BIN_EXE_sut-helper"))
        .arg("link")
        .arg(site().cache)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper starts");
    let mut line = String::new();
    let stdout = parent.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("read");
    let server: u32 = line.trim().parse().expect("a process id");
    let held = children(parent.id());
    assert!(held.len() == 3 && held.contains(&server), "the server and two holders: {held:?}");
    parent.kill().and_then(|()| parent.wait()).expect("killed");
    for pid in held {
        eventually("the end of what the parent started", || !lives(pid));
    }
}
