//! [`ScriptedServer`]: a thread that serves connections as its script says.

use crate::connection::{Connection, NextStep};
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

/// A wait may end this much too late. So waits are shorter by this time, and the rest of a delay is spent polling.
const WAIT_INACCURACY: Duration = Duration::from_micros(100);
/// The longest wait, after which the loop looks whether the server was dropped.
const LONGEST_WAIT: Duration = Duration::from_millis(10);
/// The id of events of the listening socket; connections have larger ones.
const LISTENER: u64 = 0;

/// A running scripted server. It stops when it is dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    observations: Arc<Observations>,
    thread: Option<JoinHandle<()>>,
}

/// What the server's thread reports, and the order to stop.
#[derive(Debug, Default)]
struct Observations {
    /// Set when the server is dropped.
    stop: AtomicBool,
    /// Number of connections accepted.
    connections: AtomicU64,
    /// Number of requests read.
    requests: AtomicU64,
    /// The real delay of each reply.
    delays: Mutex<Vec<Duration>>,
    /// The requests, if the script records them.
    log: Mutex<Vec<Vec<u8>>>,
}

impl ScriptedServer {
    /// Starts a server on a free port of 127.0.0.1.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on("127.0.0.1:0".parse().expect("an address"), script)
    }

    /// Starts a server on this address; port 0 means any free port.
    pub fn start_on(address: SocketAddr, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Self::serve(listener.local_addr()?, listener.into(), script)
    }

    /// Starts a server on a unix socket at this path, which must not exist. [`ScriptedServer::address`] has no meaning then.
    pub fn start_unix(path: &Path, script: Script) -> io::Result<Self> {
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        Self::serve(SocketAddr::from(([0, 0, 0, 0], 0)), listener.into(), script)
    }

    /// Starts the thread that serves a listening socket.
    fn serve(address: SocketAddr, listener: OwnedFd, script: Script) -> io::Result<Self> {
        let observations = Arc::new(Observations::default());
        let mut server_loop = ServerLoop::new(listener, script, Arc::clone(&observations))?;
        let thread = std::thread::Builder::new().name("testkit".to_owned()).spawn(move || {
            // Without this a wait ends up to 50 us too late.
            rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1)).ok();
            server_loop.run().expect("epoll works");
        })?;
        Ok(Self { address, observations, thread: Some(thread) })
    }

    /// The address on which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.observations.connections.load(Ordering::Relaxed)
    }

    /// The number of requests read so far.
    pub fn requests(&self) -> u64 {
        self.observations.requests.load(Ordering::Relaxed)
    }

    /// The requests read so far, if the script records them.
    pub fn log(&self) -> Vec<String> {
        let log = self.observations.log.lock().expect("no panic while held");
        log.iter().map(|request| String::from_utf8_lossy(request).into_owned()).collect()
    }

    /// The real delay of each reply completed so far: from when the whole request was read until the first byte of the reply
    /// was written.
    pub fn delays(&self) -> Vec<Duration> {
        self.observations.delays.lock().expect("no panic while held").clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.observations.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// The state of the server's thread.
struct ServerLoop {
    listener: OwnedFd,
    epoll: OwnedFd,
    script: Script,
    replies: Vec<Arc<Reply>>,
    /// The replies in the form in which they are the last on a connection.
    last_replies: Vec<Arc<Reply>>,
    observations: Arc<Observations>,
    /// The open connections by id.
    connections: HashMap<u64, Connection>,
    next_id: u64,
    /// When connections have to be written to again: time and id, the earliest first.
    wakes: BinaryHeap<Reverse<(Instant, u64)>>,
    /// Number of replies begun; it decides which one is next.
    turn: usize,
    /// When the stall begins; known from the first request on.
    stall_at: Option<Instant>,
    /// Delays that were not published yet.
    delays: Vec<Duration>,
}

impl ServerLoop {
    /// Registers the listening socket with epoll.
    fn new(listener: OwnedFd, script: Script, observations: Arc<Observations>) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, listener.as_fd(), EventData::new_u64(LISTENER), EventFlags::IN)?;
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
            observations,
            connections: HashMap::new(),
            next_id: LISTENER + 1,
            wakes: BinaryHeap::new(),
            turn: 0,
            stall_at: None,
            delays: Vec::new(),
        })
    }

    /// Serves until the server is dropped.
    fn run(&mut self) -> Result<(), Errno> {
        let mut events = Vec::with_capacity(256);
        while !self.observations.stop.load(Ordering::Relaxed) {
            self.publish();
            let timeout = self.wait_time();
            let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(timeout.subsec_nanos()) };
            events.clear();
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
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

    /// How long to wait for events: until something is to be done, less the inaccuracy of waiting.
    fn wait_time(&self) -> Duration {
        let wake = self.wakes.peek().map(|&Reverse((at, _))| at);
        let next = wake.into_iter().chain(self.stall_at).min();
        next.map_or(LONGEST_WAIT, |at| {
            at.saturating_duration_since(Instant::now()).saturating_sub(WAIT_INACCURACY).min(LONGEST_WAIT)
        })
    }

    /// Sleeps through the stall when its time has come.
    fn stall(&mut self) {
        if let (Some(stall), Some(at)) = (self.script.stall, self.stall_at)
            && Instant::now() >= at
        {
            std::thread::sleep(stall.length.saturating_sub(at.elapsed()));
            self.stall_at = None;
            self.script.stall = None;
        }
    }

    /// Accepts all connections that wait.
    fn accept(&mut self) {
        while let Ok(socket) = accept_with(&self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
            sockopt::set_tcp_nodelay(&socket, true).ok(); // fails on a unix socket, which does not need it
            let id = self.next_id;
            self.next_id += 1;
            let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            if epoll::add(&self.epoll, &socket, EventData::new_u64(id), flags).is_ok() {
                self.observations.connections.fetch_add(1, Ordering::Relaxed);
                self.connections.insert(id, Connection::new(socket));
            }
        }
    }

    /// Serves the connections that have to be written to now.
    fn wake(&mut self) {
        while let Some(&Reverse((at, id))) = self.wakes.peek() {
            if at > Instant::now() {
                break;
            }
            self.wakes.pop();
            self.serve(id, false);
        }
    }

    /// Reads and writes on a connection until it has to wait; forgets it when it has ended.
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
                    self.observations.log.lock().expect("no panic while held").push(request);
                }
                self.begin_reply(&mut connection);
            }
            match connection.write() {
                NextStep::AwaitEvent => break,
                NextStep::WriteAt(at) => {
                    self.wakes.push(Reverse((at, id)));
                    break;
                }
                NextStep::FinishReply => {
                    self.delays.extend(connection.delay());
                    let ending = connection.ending();
                    if ending != Ending::KeepOpen {
                        connection.prepare_close(ending);
                        return;
                    }
                    connection.finish_reply();
                }
                NextStep::Forget => return,
            }
        }
        self.connections.insert(id, connection);
    }

    /// Begins the next reply of the script on a connection.
    fn begin_reply(&mut self, connection: &mut Connection) {
        let now = Instant::now();
        self.observations.requests.fetch_add(1, Ordering::Relaxed);
        if let (Some(stall), 0) = (self.script.stall, self.turn) {
            self.stall_at = Some(now + stall.at);
        }
        let last = self.script.close_after == Some(connection.answered + 1);
        let replies = if last { &self.last_replies } else { &self.replies };
        let reply = Arc::clone(&replies[self.turn % replies.len()]);
        self.turn += 1;
        connection.begin(reply, now);
    }

    /// Makes the delays visible to [`ScriptedServer::delays`].
    fn publish(&mut self) {
        if !self.delays.is_empty() {
            self.observations.delays.lock().expect("no panic while held").append(&mut self.delays);
        }
    }
}
