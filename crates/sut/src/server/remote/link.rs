//! [`Link`]: the connection to the prony on another host. Any thread may ask at any time; answers come in the order of the questions.

use super::ship::Host;
use super::wire::{self, Failure, Hello, Reply, Request};
use crate::error::{Error, HostError, HostTrouble};
use model::units::Nanos;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time that a host has to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(60);
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(50);
/// The number of questions by which the clock there is read.
const READINGS: u32 = 20;
/// The time that the prony there has to end by itself.
const END: Duration = Duration::from_secs(5);

/// The connection to the prony on another host.
#[derive(Debug)]
pub(crate) struct Link {
    host: String,
    ssh: Child,
    requests: Mutex<Requests>,
    waiting: Arc<Mutex<Waiting>>,
    hello: Hello,
}

#[derive(Debug)]
struct Requests {
    /// `None` when the connection has ended.
    to: Option<ChildStdin>,
    next: u64,
}

/// Who waits for which answer; `None` when no more answers come.
type Waiting = Option<BTreeMap<u64, Sender<Reply>>>;

/// By how much the wall clock there differs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// By how much it is ahead, in nanoseconds.
    pub(super) ahead: i64,
    /// The largest error of that: half of a round trip.
    pub(super) error: Nanos,
}

/// A question whose answer is still to come.
#[derive(Debug)]
pub struct Asked {
    host: String,
    replies: Receiver<Reply>,
}

impl Asked {
    /// Waits for the answer of the attendant.
    pub fn answer(self) -> Result<Value, Error> {
        let host = self.host.clone();
        match self.reply(&AtomicBool::new(false))? {
            Reply::Answer(answer) => Ok(answer),
            _ => Err(error(host, HostTrouble::Strange)),
        }
    }

    fn reply(self, stop: &AtomicBool) -> Result<Reply, Error> {
        loop {
            match self.replies.recv_timeout(POLL) {
                Ok(Reply::Failed(failure)) => return Err(failed(self.host, failure)),
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(Error::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(error(self.host, HostTrouble::Cut)),
            }
        }
    }
}

fn error(host: String, trouble: HostTrouble) -> Error {
    Error::Host(HostError { host, trouble })
}

fn failed(host: String, failure: Failure) -> Error {
    let Failure { message, hint, log } = failure;
    error(host, HostTrouble::Failed { message, hint, log })
}

impl Link {
    /// Connects to a host that has all files.
    pub(super) fn open(host: &Host) -> Result<Self, Error> {
        let mut command = host.serve_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut ssh = command.spawn().map_err(|error| host.shell.no_ssh(&error))?;
        let to = ssh.stdin.take();
        let (tell, replies) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(Some(BTreeMap::from([(0, tell)]))));
        if let Some(output) = ssh.stdout.take() {
            let waiting = Arc::clone(&waiting);
            thread::spawn(move || distribute(output, &waiting));
        }
        let Ok(Reply::Hello(hello)) = replies.recv_timeout(INTRODUCTION) else {
            let _ = ssh.kill();
            let mut text = String::new();
            let errors = ssh.stderr.take();
            let _ = errors.map(|mut errors| errors.read_to_string(&mut text));
            let _ = ssh.wait();
            return Err(host.shell.ssh_error(&text));
        };
        Ok(Self {
            host: host.shell.url.to_string(),
            ssh,
            requests: Mutex::new(Requests { to, next: 1 }),
            waiting,
            hello,
        })
    }

    pub(super) fn hello(&self) -> Hello {
        self.hello.clone()
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn error(&self, trouble: HostTrouble) -> Error {
        error(self.host.clone(), trouble)
    }

    pub(super) fn failed(&self, failure: Failure) -> Error {
        failed(self.host.clone(), failure)
    }

    /// Asks without waiting for the answer. If the link is cut, the answer is that it is.
    pub(super) fn tell(&self, request: &Request) -> Asked {
        let (tell, replies) = mpsc::channel();
        let mut requests = locked(&self.requests);
        let number = requests.next;
        requests.next += 1;
        if let Some(waiting) = locked(&self.waiting).as_mut() {
            waiting.insert(number, tell);
        }
        let sent = requests.to.as_mut().map(|to| wire::send(to, number, request));
        if !matches!(sent, Some(Ok(()))) {
            requests.to = None;
            if let Some(waiting) = locked(&self.waiting).as_mut() {
                waiting.remove(&number);
            }
        }
        Asked { host: self.host.clone(), replies }
    }

    /// Asks and waits for the answer, until the stop flag is raised.
    pub(super) fn ask(&self, request: &Request, stop: &AtomicBool) -> Result<Reply, Error> {
        self.tell(request).reply(stop)
    }

    /// Reads the wall clock there. It is only reported: nothing is computed from it.
    pub(super) fn clock(&self) -> Result<Clock, Error> {
        let mut best: Option<Clock> = None;
        for _ in 0..READINGS {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let sent = Instant::now();
            let Reply::Done(there) = self.ask(&Request::Ping, &AtomicBool::new(false))? else {
                return Err(self.error(HostTrouble::Strange));
            };
            let error = Nanos(Nanos::from(sent.elapsed()).0 / 2);
            let here = Nanos::from(wall).0 + error.0;
            if best.is_none_or(|best| error < best.error) {
                best = Some(Clock { ahead: there as i64 - here as i64, error });
            }
        }
        best.ok_or_else(|| self.error(HostTrouble::Cut))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        locked(&self.requests).to = None;
        // The prony there ends by itself; wait for that, so that nothing is left there when we report.
        let began = Instant::now();
        while began.elapsed() < END {
            if !matches!(self.ssh.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.ssh.kill();
        let _ = self.ssh.wait();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives every reply to whom it belongs, until there are no more.
fn distribute(output: ChildStdout, waiting: &Mutex<Waiting>) {
    let mut output = BufReader::new(output);
    while let Ok(reply) = wire::receive(&mut output) {
        let waits = locked(waiting).as_mut().and_then(|waiting| waiting.remove(&reply.number));
        // Nobody waits for the answer to a sign of life.
        let _ = waits.map(|waits| waits.send(reply.body));
    }
    *locked(waiting) = None;
}
