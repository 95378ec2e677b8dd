//! A minimal HTTP client, and a prony that serves pages.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

/// A read that takes longer fails the test. Nothing takes so long even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// A process that is killed when the test ends, also when it fails.
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
    /// Host and port, such as `127.0.0.1:4711`.
    pub(crate) address: String,
    /// The whole URL as it was printed.
    pub(crate) url: String,
    output: JoinHandle<String>,
}

/// The output of a prony that has ended.
pub(crate) struct ServedOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Serving {
    /// Starts prony and waits until it prints its address.
    pub(crate) fn start(mut command: Command) -> Self {
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = Running(started.expect("prony"));
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let (tell, told) = channel();
        // The thread reads to the end, so that prony never blocks on a full pipe.
        let output = std::thread::spawn(move || {
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
                panic!("no address was printed: {}", output.join().expect("its output"))
            }
        };
        let place = url.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        Self { child, address: place.expect("an address").to_owned(), url, output }
    }

    /// Waits until prony has ended.
    pub(crate) fn end(mut self) -> ServedOutput {
        let mut stdout = String::new();
        let mut pipe = self.child.stdout.take().expect("stdout");
        pipe.read_to_string(&mut stdout).expect("UTF-8");
        ServedOutput {
            code: self.child.wait().expect("it ends").code(),
            stdout,
            stderr: self.output.join().expect("its output"),
        }
    }

    /// Sends a request line with headers and reads the whole answer. It uses HTTP/1.0, so the body ends with the connection.
    pub(crate) fn ask(&self, line: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = self.send(line, headers);
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Answer { status: status.expect("a status"), head: head.to_lowercase(), body: body.to_owned() }
    }

    /// Sends a `GET` with the right `Host` header.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[("Host", &self.address)])
    }

    /// Sends a `POST` with JSON, with the right `Host` header and these others.
    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], json: &str) -> u16 {
        let length = json.len().to_string();
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
        ];
        let mut stream = self.send(&format!("POST {path}"), &[&usual, headers].concat());
        stream.write_all(json.as_bytes()).expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        status.expect("a status")
    }

    /// Opens the stream of events.
    pub(crate) fn events(&self) -> Events {
        Events(BufReader::new(self.send("GET /events", &[("Host", &self.address)])))
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

/// The answer to a request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The header lines, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A stream of server-sent events.
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
