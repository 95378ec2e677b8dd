//! [`AnsweringServer`]: an HTTP server whose answers depend on what is asked, for sessions of steps.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a server that has no room for a connection waits before it accepts the next one.
const PATIENCE: Duration = Duration::from_millis(10);

/// A request that an [`AnsweringServer`] has read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The number of its connection, from 0.
    pub connection: u64,
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names and values of the headers, as they were written.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    /// The value of a header; an empty text where there is none.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// Method and path.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// An answer of an [`AnsweringServer`]: status, headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    /// Headers besides `Content-Length`.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answered {
    /// A 200 with this body.
    pub fn ok(body: impl Into<String>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into() }
    }

    /// The answer with another status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The answer with a further header.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

type Answer = dyn Fn(&Asked) -> Answered + Send + Sync;

/// A server with a thread for each connection, which sleeps until something arrives: a server that nobody asks uses no CPU. It stops when
/// it is dropped, and logs its requests unless it is told not to.
pub struct AnsweringServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    log: Arc<Mutex<Vec<Asked>>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for AnsweringServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnsweringServer").field("address", &self.address).finish()
    }
}

impl AnsweringServer {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// What the system says when it cannot listen.
    pub fn start(answer: impl Fn(&Asked) -> Answered + Send + Sync + 'static) -> io::Result<Self> {
        Self::serve(TcpListener::bind("127.0.0.1:0")?, Arc::new(answer), true)
    }

    /// Starts a server on this address that keeps no log of its requests, so that it can be loaded for long.
    ///
    /// # Errors
    ///
    /// What the system says when it cannot listen there.
    pub fn start_unlogged(
        address: impl ToSocketAddrs,
        answer: impl Fn(&Asked) -> Answered + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::serve(TcpListener::bind(address)?, Arc::new(answer), false)
    }

    /// Starts the thread that accepts connections.
    fn serve(listener: TcpListener, answer: Arc<Answer>, logs: bool) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (stop, log) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (stop_too, log_too) = (Arc::clone(&stop), logs.then(|| Arc::clone(&log)));
        let thread = std::thread::spawn(move || accept(&listener, &*answer, &stop_too, log_too.as_deref()));
        Ok(Self { address, stop, log, thread: Some(thread) })
    }

    /// The address on which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests read so far, in the order in which they were read.
    ///
    /// # Panics
    ///
    /// If a connection's thread has panicked.
    pub fn log(&self) -> Vec<Asked> {
        self.log.lock().expect("no panic while held").clone()
    }
}

impl Drop for AnsweringServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut wake = self.address;
        if wake.ip().is_unspecified() {
            wake.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        // If there is no room for this connection, another one wakes the thread.
        let _ = TcpStream::connect_timeout(&wake, Duration::from_secs(1));
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Accepts connections until it is woken by one after `stop` was set, and then ends all of them.
fn accept(listener: &TcpListener, answer: &Answer, stop: &AtomicBool, log: Option<&Mutex<Vec<Asked>>>) {
    let open: Mutex<HashMap<u64, TcpStream>> = Mutex::default();
    std::thread::scope(|scope| {
        for connection in 0.. {
            let accepted = listener.accept().and_then(|(stream, _)| Ok((stream.try_clone()?, stream)));
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let Ok((same, stream)) = accepted else {
                std::thread::sleep(PATIENCE);
                continue;
            };
            open.lock().expect("no panic while held").insert(connection, same);
            let open = &open;
            scope.spawn(move || {
                serve(stream, connection, answer, log).ok();
                open.lock().expect("no panic while held").remove(&connection);
            });
        }
        for stream in open.lock().expect("no panic while held").values() {
            stream.shutdown(Shutdown::Both).ok();
        }
    });
}

fn serve(
    mut stream: TcpStream,
    connection: u64,
    answer: &Answer,
    log: Option<&Mutex<Vec<Asked>>>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        while let Some((mut asked, length)) = parsed(&received) {
            asked.connection = connection;
            received.drain(..length);
            if let Some(log) = log {
                log.lock().expect("no panic while held").push(asked.clone());
            }
            let answered = answer(&asked);
            stream.write_all(&written(&answered, asked.method == "HEAD"))?;
            if asked.header("connection").eq_ignore_ascii_case("close") {
                return Ok(());
            }
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            count => received.extend_from_slice(&buffer[..count]),
        }
    }
}

/// The first request in the bytes and its length, once it is complete.
fn parsed(bytes: &[u8]) -> Option<(Asked, usize)> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]);
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<_> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut asked = Asked { method, path, headers, ..Asked::default() };
    let length = head + asked.header("content-length").parse::<usize>().unwrap_or(0);
    asked.body = String::from_utf8_lossy(bytes.get(head..length)?).into_owned();
    Some((asked, length))
}

fn written(answered: &Answered, head: bool) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {} Answer\r\n", answered.status);
    for (name, value) in &answered.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n", answered.body.len()));
    if !head {
        text.push_str(&answered.body);
    }
    text.into_bytes()
}
