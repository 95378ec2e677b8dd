//! Waits until a server is really ready: its own process holds the port, and the body is right.
//!
//! An open port proves nothing: Tomcat opens it before it deploys, and the kernel accepts connections for it. Status 200
//! proves nothing either: another process may answer, or the answer may be a listing of the folder. A living process
//! proves nothing: Tomcat continues without a connector that failed. So we check owner, status and body, and read the
//! log.

use crate::error::{Error, LastSeen, Startable};
use crate::files::certificate::TlsTrust;
use crate::files::log::{self, Trouble, Watch};
use crate::programs::spec::{Expected, ServerSpec};
use crate::server::http::{Exchange, HttpReply};
use crate::server::port;
use crate::server::started::Started;
use crate::tools::network::{Entered, Network};
use model::units::Nanos;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time between two attempts to connect. It is the error of the start-up time, and costs a fraction of a per cent of
/// one CPU.
const CONNECT_POLL: Duration = Duration::from_millis(1);
/// The time between two looks at log, process and stop flag.
const LOOK_POLL: Duration = Duration::from_millis(20);
/// The time after which an unanswered request is sent again.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The time to wait for the lines that explain a failure, after the line that announces it.
const EXPLANATION_DELAY: Duration = Duration::from_millis(200);
/// How long a server may listen on the loopback only before it is taken to stay there. Some open another listener later.
const LOOPBACK_PATIENCE: Duration = Duration::from_secs(2);

/// What is needed to wait for one server.
pub(crate) struct Wait<'a> {
    pub(crate) spec: &'a ServerSpec,
    pub(crate) address: SocketAddr,
    /// Which certificates are accepted; `None` means plain HTTP.
    pub(crate) trust: Option<&'a TlsTrust>,
    pub(crate) started: &'a mut Started,
    pub(crate) log: &'a Path,
    pub(crate) began: Instant,
    pub(crate) stop: &'a AtomicBool,
}

/// What the first right answer of a server showed.
#[derive(Clone, Debug)]
pub(crate) struct Readiness {
    /// The time from its start to that answer.
    pub(crate) startup: Nanos,
    /// The TLS version and cipher suite of the answer.
    pub(crate) encryption: Option<String>,
    /// The right body for the load; `None` where it changes with every request.
    pub(crate) body: Option<Vec<u8>>,
}

/// How far the server has got.
struct Progress {
    watch: Watch,
    looked: Instant,
    /// Whether the log says that everything is deployed.
    up: bool,
    /// Whether the listener is known to be the server's own.
    ours: bool,
    /// When it gave its first wrong answer; `last` describes the newest one.
    answered: Option<Instant>,
    /// What was last seen of it.
    last: LastSeen,
    /// Since when it has listened where the load does not come.
    on_loopback: Option<Instant>,
}

impl Progress {
    fn note_answer(&mut self, reply: &HttpReply) {
        self.answered.get_or_insert_with(Instant::now);
        self.last = describe(reply);
    }

    /// Notes why there was no answer, unless there was a wrong answer before, which tells more.
    fn note_no_answer(&mut self, why: LastSeen) {
        if self.answered.is_none() {
            self.last = why;
        }
    }
}

impl Wait<'_> {
    /// Waits until the first right body.
    pub(crate) fn until_ready(mut self) -> Result<Readiness, Error> {
        let mut progress = Progress {
            watch: Watch::new(self.log),
            looked: self.began,
            up: false,
            ours: false,
            answered: None,
            last: LastSeen::Closed,
            on_loopback: None,
        };
        loop {
            let up = progress.up;
            if let Some((reply, encryption)) = self.ask(&self.spec.ready, &mut progress)? {
                let startup = Nanos::from(self.began.elapsed());
                if self.is_right(&reply) {
                    // The log may report a failure that we have not read yet.
                    self.look(&mut progress)?;
                    let body = self.body_for_load(reply.body, &mut progress)?;
                    return Ok(Readiness { startup, encryption, body });
                }
                progress.note_answer(&reply);
                if up {
                    return Err(self.wrong_answer(&self.spec.ready.path, &progress));
                }
                self.look(&mut progress)?;
            }
            sleep(CONNECT_POLL);
        }
    }

    fn is_right(&self, reply: &HttpReply) -> bool {
        let expected = self.spec.ready.body.as_ref();
        if self.spec.ready.any_answer {
            return reply.status < 500;
        }
        reply.status == 200 && expected.is_none_or(|body| reply.body == *body)
    }

    /// The body that every answer under load must have. One that is not known in advance is requested twice: if it
    /// changes, for instance because it has the time of day in it, bodies are not compared.
    fn body_for_load(&mut self, body: Vec<u8>, progress: &mut Progress) -> Result<Option<Vec<u8>>, Error> {
        let spec = self.spec;
        if spec.ready.greets {
            return Ok(None);
        }
        let first = match &spec.loaded {
            None if spec.ready.body.is_some() => return Ok(Some(body)),
            None => body,
            Some(loaded) if loaded.body.is_some() => return Ok(loaded.body.clone()),
            Some(loaded) => match self.ask(loaded, progress)? {
                Some((reply, _)) if reply.status == 200 => reply.body,
                other => {
                    progress.last = other.map_or(LastSeen::NoAnswer, |(reply, _)| describe(&reply));
                    return Err(self.wrong_answer(&loaded.path, progress));
                }
            },
        };
        let again = self.ask(spec.loaded(), progress)?.map(|(reply, _)| reply.body);
        Ok((again.as_ref() == Some(&first)).then_some(first))
    }

    /// Sends one request and keeps waiting for its answer: Tomcat accepts connections long before it answers, and
    /// sending the request again would only delay the answer.
    fn ask(
        &mut self,
        page: &Expected,
        progress: &mut Progress,
    ) -> Result<Option<(HttpReply, Option<String>)>, Error> {
        self.look_if_due(progress)?;
        let begun = match self.spec.ready.greets {
            true => Exchange::greet(self.address, self.trust),
            false => Exchange::begin(self.address, page, self.trust),
        };
        let Ok(mut exchange) = begun else {
            return Ok(None);
        };
        let asked = Instant::now();
        self.check_owner(progress)?;
        progress.note_no_answer(LastSeen::Silent);
        while asked.elapsed() < REQUEST_TIMEOUT {
            match exchange.wait(LOOK_POLL) {
                Ok(None) => self.look_if_due(progress)?,
                Ok(Some(reply)) => return Ok(Some((reply, exchange.encryption()))),
                Err(error) => {
                    progress.note_no_answer(LastSeen::Ended(error.to_string()));
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Checks that the listener belongs to the process that we started.
    fn check_owner(&mut self, progress: &mut Progress) -> Result<(), Error> {
        if progress.ours {
            return Ok(());
        }
        let port = self.address.port();
        let leader = self.started.pid();
        let _entered = self.enter()?;
        progress.ours = port::is_held_by(port, &[leader]) || port::is_held_by(port, &self.started.members());
        // The listener may have closed since the connection; then nobody holds the port.
        match port::holder(port) {
            Some(holder) if !progress.ours => Err(Error::PortTaken { port, holder: Some(holder) }),
            _ => Ok(()),
        }
    }

    /// Moves this thread to the server's network namespace, where its ports are.
    fn enter(&self) -> Result<Option<Entered>, Error> {
        let network = self.spec.surroundings.network.as_deref();
        network.map(Network::enter_servers).transpose()
    }

    fn look_if_due(&mut self, progress: &mut Progress) -> Result<(), Error> {
        if progress.looked.elapsed() < LOOK_POLL {
            return Ok(());
        }
        self.look(progress)
    }

    /// Looks at the stop flag, the log, the process and the clock, and fails if one of them ends the wait.
    fn look(&mut self, progress: &mut Progress) -> Result<(), Error> {
        progress.looked = Instant::now();
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        self.read_log(progress)?;
        self.check_address(progress)?;
        if let Some(status) = self.started.ended()? {
            return Err(Error::Exited {
                server: Startable::Server(self.server()),
                status: status.to_string(),
                log: log::tail(self.log),
            });
        }
        let is_late = self.began.elapsed() > self.spec.timeout;
        if let Some(first) = progress.answered
            && (is_late || self.spec.wrong_answers.is_some_and(|most| first.elapsed() > most))
        {
            return Err(self.wrong_answer(&self.spec.ready.path, progress));
        }
        if is_late {
            return Err(Error::NotReady {
                server: Startable::Server(self.server()),
                seconds: self.spec.timeout.as_secs(),
                last: progress.last.clone(),
                log: log::tail(self.log),
            });
        }
        Ok(())
    }

    /// Fails if the server has listened on the loopback only for too long although it was given another address.
    fn check_address(&self, progress: &mut Progress) -> Result<(), Error> {
        if self.address.ip().is_loopback() || progress.ours {
            return Ok(());
        }
        let _entered = self.enter()?;
        let since = port::is_only_on_loopback(self.address.port())
            .then(|| progress.on_loopback.unwrap_or_else(Instant::now));
        progress.on_loopback = since;
        match since {
            Some(since) if since.elapsed() > LOOPBACK_PATIENCE => {
                Err(Error::OnlyLoopback { server: self.server(), address: self.address })
            }
            _ => Ok(()),
        }
    }

    fn read_log(&self, progress: &mut Progress) -> Result<(), Error> {
        let system = self.spec.program.system();
        let mut lines = progress.watch.lines();
        progress.up |= lines.iter().any(|line| system.is_up(line));
        let Some(failure) = lines.iter().position(|line| system.trouble(line).is_some()) else {
            return Ok(());
        };
        sleep(EXPLANATION_DELAY);
        lines.append(&mut progress.watch.lines());
        let taken = |line: &String| system.trouble(line) == Some(Trouble::PortTaken);
        if lines.iter().any(taken) {
            let port = self.address.port();
            let _entered = self.enter()?;
            return Err(Error::PortTaken { port, holder: port::holder(port) });
        }
        Err(Error::Refused {
            server: self.server(),
            line: message(&lines[failure]),
            log: log::tail(self.log),
        })
    }

    fn wrong_answer(&self, path: &str, progress: &Progress) -> Error {
        Error::WrongAnswer {
            server: self.server(),
            path: path.to_owned(),
            answer: progress.last.clone(),
            log: log::tail(self.log),
        }
    }

    fn server(&self) -> String {
        self.spec.server.clone()
    }
}

/// The answer as errors show it.
pub(crate) fn describe(reply: &HttpReply) -> LastSeen {
    let text = String::from_utf8_lossy(&reply.body);
    let start: String = text.chars().take(60).filter(|c| !c.is_control()).collect();
    LastSeen::Answer { status: reply.status, length: reply.body.len(), start }
}

/// The message of a log line like `… WARNING [main] a.b.C.d Message`, without time, thread and class.
fn message(line: &str) -> String {
    let after = |level: &str| line.split_once(level)?.1.split_once(']')?.1.trim_start().split_once(' ');
    let text = after("SEVERE").or_else(|| after("WARNING")).map_or(line, |(_class, text)| text);
    text.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_no_time_thread_and_class() {
        let line = "21-Nov-2026 05:41:10.123 WARNING [main] org.apache.x.SetPropertiesRule.begin Match \
                    [Server/Service/Connector] failed to set property [maxThreds] to [50]";
        assert_eq!(
            message(line),
            "Match [Server/Service/Connector] failed to set property [maxThreds] to [50]"
        );
        assert_eq!(message("Failed to start"), "Failed to start");
    }

    #[test]
    fn an_answer_is_described_in_a_line() {
        let reply = HttpReply { status: 200, body: b"<html>\nDirectory: /</html>".to_vec() };
        assert_eq!(
            describe(&reply).to_string(),
            "status 200, 26 bytes of body: \"<html>Directory: /</html>\""
        );
    }
}
