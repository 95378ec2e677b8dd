//! A browser's side of HTTP, as plainly as it can be, and a prony that serves it.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

/// Longer than anything here takes on a busy machine: a read that waits so long fails the test.
const PATIENCE: Duration = Duration::from_secs(240);

/// A process that a test which fails does not leave behind.
pub(crate) struct Running(Child);

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.try_wait(), Ok(None)) {
            let _ = self.kill();
            let _ = self.wait();
        }
    }
}

/// A prony that serves pages.
pub(crate) struct Serving {
    pub(crate) child: Running,
    /// `127.0.0.1:4711`.
    pub(crate) address: String,
    /// The whole address as it was printed.
    pub(crate) url: String,
    said: JoinHandle<String>,
}

/// What a prony that ended left.
pub(crate) struct Left {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Serving {
    /// Starts it and waits for the address that it prints.
    pub(crate) fn start(mut command: Command) -> Self {
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = Running(started.expect("prony"));
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let (tell, told) = channel();
        // Read to its end, so that prony never waits for its reader.
        let said = std::thread::spawn(move || {
            let mut all = String::new();
            for line in stderr.lines().map_while(Result::ok) {
                if let Some((_, url)) = line.split_once("http://") {
                    let _ = tell.send(format!("http://{url}"));
                }
                all.push_str(&line);
                all.push('\n');
            }
            all
        });
        let url = match told.recv_timeout(PATIENCE) {
            Ok(url) => url,
            Err(_) => {
                // What it printed ends only when it does.
                drop(child);
                panic!("no address was printed: {}", said.join().expect("what it said"))
            }
        };
        let place = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next());
        Self {
            child,
            address: place.expect("an address").to_owned(),
            url,
            said,
        }
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Left {
        let mut stdout = String::new();
        let mut pipe = self.child.stdout.take().expect("stdout");
        pipe.read_to_string(&mut stdout).expect("UTF-8");
        Left {
            code: self.child.wait().expect("it ends").code(),
            stdout,
            stderr: self.said.join().expect("what it said"),
        }
    }

    /// Sends a request as it stands and reads the whole answer. HTTP/1.0: the body ends where the connection does.
    pub(crate) fn ask(&self, line: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = self.send(line, headers);
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Answer {
            status: status.expect("a status"),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// `GET` with the right host.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[("Host", &self.address)])
    }

    /// The events from now on.
    pub(crate) fn events(&self) -> Events {
        Events(BufReader::new(
            self.send("GET /events", &[("Host", &self.address)]),
        ))
    }

    fn send(&self, line: &str, headers: &[(&str, &str)]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut text = format!("{line} HTTP/1.0\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        stream.write_all(text.as_bytes()).expect("sent");
        stream
    }
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Server-sent events.
pub(crate) struct Events(BufReader<TcpStream>);

impl Iterator for Events {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("an event in time") == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data:") {
                return Some(serde_json::from_str(data.trim()).expect("JSON"));
            }
        }
    }
}
