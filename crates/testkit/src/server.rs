//! [`Server`]: the thread that plays a script.

use crate::connection::{Connection, Next};
use crate::reply::{Ending, Reply, Script};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with, sockopt};
use rustix::time::Timespec;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A sleep may end so much late; the rest of a delay is spent polling.
const SLEEP_SLACK: Duration = Duration::from_micros(100);
/// How soon a dropped server stops.
const LONGEST_WAIT: Duration = Duration::from_millis(10);
const LISTENER: u64 = 0;

/// A scripted server on 127.0.0.1. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the server's thread tells.
#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    connections: AtomicU64,
    requests: AtomicU64,
    held: Mutex<Vec<Duration>>,
    log: Mutex<Vec<Vec<u8>>>,
}

impl Server {
    /// On a free port of 127.0.0.1.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on("127.0.0.1:0".parse().expect("an address"), script)
    }

    /// On that address; port 0 is any free one.
    pub fn start_on(address: SocketAddr, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Self::play(listener.local_addr()?, listener.into(), script)
    }

    /// On a unix socket at that path, which must not exist; [`Server::address`] means nothing then.
    pub fn start_unix(path: &Path, script: Script) -> io::Result<Self> {
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        Self::play(SocketAddr::from(([0, 0, 0, 0], 0)), listener.into(), script)
    }

    fn play(address: SocketAddr, listener: OwnedFd, script: Script) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let mut stage = Stage::new(listener, script, Arc::clone(&shared))?;
        let thread = std::thread::Builder::new()
            .name("testkit".to_owned())
            .spawn(move || {
                // Without this a sleep ends up to 50 us late.
                rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1)).ok();
                stage.run().expect("epoll works");
            })?;
        Ok(Self {
            address,
            shared,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Requests read so far.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// The requests read so far, when the script records them.
    pub fn log(&self) -> Vec<String> {
        let log = self.shared.log.lock().expect("no panic while held");
        log.iter()
            .map(|request| String::from_utf8_lossy(request).into_owned())
            .collect()
    }

    /// For each reply sent so far, how long it was really held back: from the request's end read to the first byte written.
    pub fn held(&self) -> Vec<Duration> {
        self.shared.held.lock().expect("no panic while held").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// The thread's own state.
struct Stage {
    listener: OwnedFd,
    epoll: OwnedFd,
    script: Script,
    replies: Vec<Arc<Reply>>,
    last_replies: Vec<Arc<Reply>>,
    shared: Arc<Shared>,
    connections: HashMap<u64, Connection>,
    next_id: u64,
    wakes: BinaryHeap<Reverse<(Instant, u64)>>,
    turn: usize,
    stall_at: Option<Instant>,
    held: Vec<Duration>,
}

impl Stage {
    fn new(listener: OwnedFd, script: Script, shared: Arc<Shared>) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(
            &epoll,
            listener.as_fd(),
            EventData::new_u64(LISTENER),
            EventFlags::IN,
        )?;
        let replies: Vec<_> = script.replies.iter().cloned().map(Arc::new).collect();
        let announce = |reply: &Reply| {
            let reply = reply.clone();
            Arc::new(if script.announce_close {
                reply.announcing_close()
            } else {
                reply.ending(Ending::Close)
            })
        };
        let last_replies = script.replies.iter().map(announce).collect();
        Ok(Self {
            listener,
            epoll,
            replies,
            last_replies,
            script,
            shared,
            connections: HashMap::new(),
            next_id: LISTENER + 1,
            wakes: BinaryHeap::new(),
            turn: 0,
            stall_at: None,
            held: Vec::new(),
        })
    }

    fn run(&mut self) -> Result<(), Errno> {
        let mut events = Vec::with_capacity(256);
        while !self.shared.stop.load(Ordering::Relaxed) {
            self.publish();
            let timeout = self.timeout();
            let timeout = Timespec {
                tv_sec: 0,
                tv_nsec: i64::from(timeout.subsec_nanos()),
            };
            events.clear();
            match epoll::wait(
                &self.epoll,
                rustix::buffer::spare_capacity(&mut events),
                Some(&timeout),
            ) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
            self.stall();
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept(),
                    id => self.serve(id, true),
                }
            }
            self.wake();
        }
        Ok(())
    }

    /// Until the next thing to do, less what a sleep may end late.
    fn timeout(&self) -> Duration {
        let wake = self.wakes.peek().map(|&Reverse((at, _))| at);
        let next = wake.into_iter().chain(self.stall_at).min();
        next.map_or(LONGEST_WAIT, |at| {
            at.saturating_duration_since(Instant::now())
                .saturating_sub(SLEEP_SLACK)
                .min(LONGEST_WAIT)
        })
    }

    /// Does nothing while the script says so.
    fn stall(&mut self) {
        if let (Some(stall), Some(at)) = (self.script.stall, self.stall_at)
            && Instant::now() >= at
        {
            std::thread::sleep(stall.length.saturating_sub(at.elapsed()));
            self.stall_at = None;
            self.script.stall = None;
        }
    }

    fn accept(&mut self) {
        while let Ok(socket) = accept_with(&self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
            sockopt::set_tcp_nodelay(&socket, true).ok(); // a unix socket has none
            let id = self.next_id;
            self.next_id += 1;
            let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            if epoll::add(&self.epoll, &socket, EventData::new_u64(id), flags).is_ok() {
                self.shared.connections.fetch_add(1, Ordering::Relaxed);
                self.connections.insert(id, Connection::new(socket));
            }
        }
    }

    /// Serves connections whose time has come.
    fn wake(&mut self) {
        while let Some(&Reverse((at, id))) = self.wakes.peek() {
            if at > Instant::now() {
                break;
            }
            self.wakes.pop();
            self.serve(id, false);
        }
    }

    /// Reads, answers and writes as far as a connection goes now.
    fn serve(&mut self, id: u64, readable: bool) {
        let Some(mut connection) = self.connections.remove(&id) else {
            return;
        };
        if readable && !connection.read() {
            return;
        }
        loop {
            if !connection.is_answering() {
                let Some(request) = connection.take_request() else {
                    break;
                };
                if self.script.record {
                    self.shared.log.lock().expect("no panic while held").push(request);
                }
                self.begin_reply(&mut connection);
            }
            match connection.write() {
                Next::Event => break,
                Next::At(at) => {
                    self.wakes.push(Reverse((at, id)));
                    break;
                }
                Next::Answered => {
                    self.held.extend(connection.held());
                    let ending = connection.ending();
                    if ending != Ending::KeepOpen {
                        connection.shut_down(ending);
                        return;
                    }
                    connection.finish_reply();
                }
                Next::Gone => return,
            }
        }
        self.connections.insert(id, connection);
    }

    fn begin_reply(&mut self, connection: &mut Connection) {
        let now = Instant::now();
        self.shared.requests.fetch_add(1, Ordering::Relaxed);
        if let (Some(stall), 0) = (self.script.stall, self.turn) {
            self.stall_at = Some(now + stall.at);
        }
        let last = self.script.close_after == Some(connection.answered + 1);
        let replies = if last { &self.last_replies } else { &self.replies };
        let reply = Arc::clone(&replies[self.turn % replies.len()]);
        self.turn += 1;
        connection.begin(reply, now);
    }

    /// Hands over what was measured.
    fn publish(&mut self) {
        if !self.held.is_empty() {
            self.shared
                .held
                .lock()
                .expect("no panic while held")
                .append(&mut self.held);
        }
    }
}
