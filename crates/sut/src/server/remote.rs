//! A server on another host. The user's own ssh puts prony and the files there, and carries the requests to that prony.
//!
//! Everything that is sent is in a folder named by its hash, so a second run sends nothing and another version of prony is not in
//! the way. When the connection ends, for whatever reason, the prony there ends, and with it the server.

mod serve;
mod ship;
mod wire;

pub use serve::{CpuReader, RemoteReader, serve};
pub use ship::Host;
pub use wire::RemoteFacts;

use crate::error::{Error, HostError, HostTrouble};
use crate::programs::Program;
use crate::programs::spec::ServerSpec;
use model::units::Nanos;
use std::io::{BufReader, Read};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use wire::{Hello, Ready, Reply, Request, StartOrder};

/// The name of an application in its folder.
const APPLICATION: &str = "app.war";
/// The time between two signs of life.
const BEAT: Duration = Duration::from_secs(1);
/// The time without a request after which the other host ends its server.
const SILENCE: Duration = Duration::from_secs(10);
/// The time that the other host has for an answer, other than that to a start.
const ANSWER: Duration = Duration::from_secs(90);
/// The number of questions by which the round trip is measured.
const ROUND_TRIPS: u32 = 20;

/// The connection to the prony on another host.
#[derive(Debug)]
pub(crate) struct Link {
    host: String,
    channel: Mutex<Channel>,
}

#[derive(Debug)]
struct Channel {
    ssh: Child,
    requests: Option<ChildStdin>,
    replies: Receiver<Reply>,
    hello: Hello,
}

/// What a connection is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkFacts {
    /// The smallest round trip of a request.
    pub(crate) round_trip: Nanos,
    /// By how much the wall clock there is ahead, in nanoseconds; its error is at most half a round trip.
    pub(crate) clock_ahead: i64,
}

impl Link {
    /// Connects to a host that has all files.
    fn open(host: &Host) -> Result<Self, Error> {
        let mut ssh = host.serve_command();
        ssh.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut ssh = ssh
            .spawn()
            .map_err(|error| host.error(HostTrouble::Ssh(error.to_string())))?;
        let requests = ssh.stdin.take();
        let replies = ssh.stdout.take().map(receiver);
        let first = replies.as_ref().map(|replies| replies.recv_timeout(ANSWER));
        let (Some(replies), Some(Ok(Reply::Hello(hello)))) = (replies, first) else {
            let _ = ssh.kill();
            let mut text = String::new();
            let errors = ssh.stderr.take();
            let _ = errors.map(|mut errors| errors.read_to_string(&mut text));
            let _ = ssh.wait();
            return Err(host.error(HostTrouble::Ssh(text.trim().to_owned())));
        };
        Ok(Self {
            host: host.url.to_string(),
            channel: Mutex::new(Channel {
                ssh,
                requests,
                replies,
                hello,
            }),
        })
    }

    fn hello(&self) -> Hello {
        let channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        channel.hello.clone()
    }

    fn error(&self, trouble: HostTrouble) -> Error {
        Error::Host(HostError {
            host: self.host.clone(),
            trouble,
        })
    }

    /// Asks and waits for the answer, until the stop flag is raised.
    fn ask(&self, request: &Request, stop: &AtomicBool) -> Result<Reply, Error> {
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        let cut = || self.error(HostTrouble::Cut);
        let requests = channel.requests.as_mut().ok_or_else(cut)?;
        wire::send(requests, request).map_err(|_| cut())?;
        let asked = Instant::now();
        loop {
            match channel.replies.recv_timeout(Duration::from_millis(50)) {
                Ok(Reply::Failed(failure)) => {
                    return Err(self.error(HostTrouble::Failed {
                        message: failure.message,
                        log: failure.log,
                    }));
                }
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    channel.requests = None; // The answer is still to come, so nothing else can be asked.
                    return Err(Error::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if asked.elapsed() > ANSWER => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        channel.requests = None;
        Err(cut())
    }

    fn facts(&self) -> Result<LinkFacts, Error> {
        let mut best: Option<LinkFacts> = None;
        for _ in 0..ROUND_TRIPS {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let sent = Instant::now();
            let reply = self.ask(&Request::Ping, &AtomicBool::new(false))?;
            let round_trip = Nanos::from(sent.elapsed());
            let Reply::Done(there) = reply else {
                return Err(self.error(HostTrouble::Cut));
            };
            if best.is_none_or(|best| round_trip < best.round_trip) {
                let here = Nanos::from(wall).0 + round_trip.0 / 2;
                best = Some(LinkFacts {
                    round_trip,
                    clock_ahead: there as i64 - here as i64,
                });
            }
        }
        best.ok_or_else(|| self.error(HostTrouble::Cut))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let channel = self.channel.get_mut().unwrap_or_else(PoisonError::into_inner);
        channel.requests = None;
        // The prony there ends by itself; wait for that, so that nothing is left there when we report.
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            if !matches!(channel.ssh.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = channel.ssh.kill();
        let _ = channel.ssh.wait();
    }
}

fn receiver(output: impl Read + Send + 'static) -> Receiver<Reply> {
    let (tell, replies) = mpsc::channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Ok(reply) = wire::receive(&mut output) {
            if tell.send(reply).is_err() {
                break;
            }
        }
    });
    replies
}

/// A server that runs on another host.
#[derive(Debug)]
pub struct RemoteServer {
    link: Arc<Link>,
    ready: Ready,
}

impl RemoteServer {
    /// Starts a server there and waits until it gives the right answer.
    pub(crate) fn start(host: &Host, spec: &ServerSpec, seed: u64, stop: &AtomicBool) -> Result<Self, Error> {
        let order = order(host, spec, seed).ok_or_else(|| host.error(HostTrouble::OnlyPlainTomcat))?;
        let link = Arc::new(Link::open(host)?);
        let reply = link.ask(&Request::Start(Box::new(order)), stop)?;
        let Reply::Ready(ready) = reply else {
            return Err(host.error(HostTrouble::Cut));
        };
        let beating = Arc::downgrade(&link);
        thread::spawn(move || beat(&beating));
        Ok(Self { link, ready })
    }

    /// Which host it runs on.
    pub fn host(&self) -> &str {
        &self.link.host
    }

    /// The CPU time of its processes; `None` when it has ended or the link is cut.
    pub fn cpu(&self) -> Option<Nanos> {
        match self.link.ask(&Request::Cpu, &AtomicBool::new(false)) {
            Ok(Reply::Cpu(cpu)) => Some(cpu),
            _ => None,
        }
    }

    /// What the host knows about it; `None` when it has ended or the link is cut.
    pub fn facts(&self) -> Option<RemoteFacts> {
        match self.link.ask(&Request::Facts, &AtomicBool::new(false)) {
            Ok(Reply::Facts(facts)) => Some(*facts),
            _ => None,
        }
    }

    pub(super) const fn ready(&self) -> &Ready {
        &self.ready
    }

    pub(crate) fn stop(&self) -> Result<(), Error> {
        self.link.ask(&Request::Stop, &AtomicBool::new(false)).map(drop)
    }
}

/// Shows the other host that we live, as long as the link is in use.
fn beat(link: &Weak<Link>) {
    loop {
        thread::sleep(BEAT);
        let Some(link) = link.upgrade() else { return };
        if link.ask(&Request::Ping, &AtomicBool::new(false)).is_err() {
            return;
        }
    }
}

/// The order for a server; `None` if it is of a kind that is not started on other hosts.
fn order(host: &Host, spec: &ServerSpec, seed: u64) -> Option<StartOrder> {
    let Program::Tomcat(tomcat) = &spec.program else {
        return None;
    };
    let around = &spec.surroundings;
    let is_plain = spec.settings.tls.is_none()
        && spec.tcnative.is_none()
        && spec.port.is_none()
        && spec.loaded.is_none()
        && !spec.ready.any_answer
        && around.services.is_empty()
        && around.limits == model::limits::Limits::default()
        && around.open_files.is_none()
        && around.network.is_none();
    let gc = spec.jvm.gc.map(|gc| gc.option().to_owned());
    is_plain.then(|| StartOrder {
        server: spec.server.clone(),
        home: host.home.clone(),
        war: host.war.clone(),
        migrates: tomcat.migrates,
        label: tomcat.label.clone(),
        settings: spec.settings.clone(),
        environment: around.environment.clone(),
        heap: spec.jvm.heap,
        processors: spec.jvm.processors,
        options: gc.into_iter().chain(spec.jvm.extra.clone()).collect(),
        java: spec.jdk.major,
        path: spec.ready.path.clone(),
        body: spec.ready.body.clone(),
        timeout_s: spec.timeout.as_secs(),
        seed,
    })
}
