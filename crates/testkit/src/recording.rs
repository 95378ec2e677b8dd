//! [`RecordingServer`]: a server that keeps every request and answers by the request.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// The number of its connection, from 0.
    pub connection: usize,
    /// When its head was read.
    pub at: Instant,
    /// The method.
    pub method: String,
    /// Path and query as they were sent.
    pub target: String,
    /// The headers, in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self
            .headers
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// What is answered to a request.
#[derive(Clone, Debug)]
pub struct RecordedAnswer {
    /// The status with its reason, such as `200 OK`.
    pub status: String,
    /// Headers beside `Content-Length`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// Answers requests.
pub type Answering = fn(&RecordedRequest) -> RecordedAnswer;

/// A server with a thread for each connection. It stops when it is dropped.
#[derive(Debug)]
pub struct RecordingServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    accepting: Option<std::thread::JoinHandle<()>>,
}

impl RecordingServer {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn start(answer: Answering) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (stopped, log) = (Arc::clone(&stop), Arc::clone(&requests));
        let accepting = std::thread::spawn(move || {
            let count = AtomicUsize::new(0);
            while let Ok((socket, _)) = listener.accept() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (stopped, log) = (Arc::clone(&stopped), Arc::clone(&log));
                let connection = count.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || serve(&socket, connection, answer, &stopped, &log));
            }
        });
        Ok(Self {
            address,
            stop,
            requests,
            accepting: Some(accepting),
        })
    }

    /// The address on which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().expect("no panic while held").clone()
    }
}

impl Drop for RecordingServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The thread waits for a connection.
        TcpStream::connect(self.address).ok();
        if let Some(accepting) = self.accepting.take() {
            accepting.join().ok();
        }
    }
}

fn serve(
    socket: &TcpStream,
    connection: usize,
    answer: Answering,
    stop: &AtomicBool,
    log: &Mutex<Vec<RecordedRequest>>,
) {
    socket.set_nodelay(true).ok();
    // An idle connection is looked at again and again, so that it ends with the server.
    socket.set_read_timeout(Some(Duration::from_millis(200))).ok();
    let mut reader = BufReader::new(socket);
    while !stop.load(Ordering::Relaxed) {
        match reader.fill_buf() {
            Ok([]) => return,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                continue;
            }
            Err(_) => return,
        }
        let Some(request) = read_request(&mut reader, connection) else {
            return;
        };
        let answer = answer(&request);
        let closes = request
            .header("Connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let is_head = request.method == "HEAD";
        log.lock().expect("no panic while held").push(request);
        let mut bytes = format!(
            "HTTP/1.1 {}\r\nContent-Length: {}\r\n",
            answer.status,
            answer.body.len()
        );
        for (name, value) in &answer.headers {
            bytes.push_str(&format!("{name}: {value}\r\n"));
        }
        bytes.push_str("\r\n");
        if !is_head {
            bytes.push_str(&answer.body);
        }
        let mut writer = socket;
        if writer.write_all(bytes.as_bytes()).is_err() || closes {
            return;
        }
    }
}

/// Reads a request; `None` when the connection ends first.
fn read_request(reader: &mut BufReader<&TcpStream>, connection: usize) -> Option<RecordedRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = RecordedRequest {
        connection,
        at: Instant::now(),
        method,
        target,
        headers,
        body: Vec::new(),
    };
    let length = request
        .header("Content-Length")
        .and_then(|value| value.parse().ok());
    if let Some(length) = length {
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).ok()?;
    } else if request.header("Transfer-Encoding").is_some() {
        request.body = read_chunks(reader)?;
    }
    Some(request)
}

fn read_chunks(reader: &mut BufReader<&TcpStream>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.trim().split(';').next()?, 16).ok()?;
        let mut chunk = vec![0; length + 2];
        reader.read_exact(&mut chunk).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(&chunk[..length]);
    }
}
