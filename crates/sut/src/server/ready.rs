//! Waiting until a server is really ready: its own process holds the port, and the body is right.
//!
//! An open port proves nothing: Tomcat opens its own before it deploys, and the kernel accepts for it. A 200 proves
//! nothing either: a stranger may answer, or a listing of the folder. And a process that lives proves nothing: Tomcat goes
//! on without the connector that failed. So: owner, status, body, and the log read meanwhile.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::log::{self, Trouble, Watch};
use crate::files::process;
use crate::programs::spec::ServerSpec;
use crate::server::http::{Exchange, Reply};
use crate::server::port;
use crate::tools::network::{Entered, Network};
use crate::tools::tool::Group;
use model::units::Nanos;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Between two attempts to connect: the error of the start-up time, and a fraction of a per cent of one CPU.
const POLL: Duration = Duration::from_millis(1);
/// Between two looks at log, process and flag.
const LOOK: Duration = Duration::from_millis(20);
/// A request that has waited so long is asked again.
const REQUEST: Duration = Duration::from_secs(10);
/// After a line that announces a failure the lines that explain it follow.
const EXPLANATION: Duration = Duration::from_millis(200);

/// Waits for one server.
pub(crate) struct Wait<'a> {
    pub(crate) spec: &'a ServerSpec,
    pub(crate) address: SocketAddr,
    /// What it has to show; `None` is plain HTTP.
    pub(crate) certificate: Option<&'a Certificate>,
    pub(crate) group: &'a mut Group,
    pub(crate) log: &'a Path,
    pub(crate) began: Instant,
    pub(crate) stop: &'a AtomicBool,
}

/// A server that answered rightly.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    /// From its start to that answer.
    pub(crate) startup: Nanos,
    /// How the answer was encrypted.
    pub(crate) encryption: Option<String>,
    /// The right body of what is loaded; `None` where it is another each time.
    pub(crate) body: Option<Vec<u8>>,
}

/// How far the server has got.
struct Progress {
    watch: Watch,
    looked: Instant,
    /// The server has said that everything is deployed.
    up: bool,
    /// It is known that the listener is the server's own.
    ours: bool,
    /// It has answered, though not rightly: `last` tells what.
    answered: bool,
    last: String,
}

impl Progress {
    fn answer(&mut self, reply: &Reply) {
        self.answered = true;
        self.last = describe(reply);
    }

    /// What it did answer before tells more.
    fn no_answer(&mut self, why: String) {
        if !self.answered {
            self.last = why;
        }
    }
}

impl Wait<'_> {
    /// Until the first right body.
    pub(crate) fn until_ready(mut self) -> Result<Ready, Error> {
        let mut progress = Progress {
            watch: Watch::new(self.log),
            looked: self.began,
            up: false,
            ours: false,
            answered: false,
            last: "the port was never opened".to_owned(),
        };
        loop {
            let up = progress.up;
            if let Some((reply, encryption)) = self.ask(&self.spec.ready.path, &mut progress)? {
                let startup = Nanos::from(self.began.elapsed());
                if self.is_right(&reply) {
                    // Something that failed may be in the log and not have been looked at.
                    self.look(&mut progress)?;
                    let body = self.settled(reply.body, &mut progress)?;
                    return Ok(Ready {
                        startup,
                        encryption,
                        body,
                    });
                }
                progress.answer(&reply);
                if up {
                    return Err(self.wrong_answer(&self.spec.ready.path, &progress));
                }
                self.look(&mut progress)?;
            }
            sleep(POLL);
        }
    }

    fn is_right(&self, reply: &Reply) -> bool {
        let expected = self.spec.ready.body.as_ref();
        reply.status == 200 && expected.is_none_or(|body| reply.body == *body)
    }

    /// The body that every answer under load has to have. One that nobody knew before is asked for twice: a page with the
    /// time of day or a number in it is right whatever it says.
    fn settled(&mut self, body: Vec<u8>, progress: &mut Progress) -> Result<Option<Vec<u8>>, Error> {
        let spec = self.spec;
        let first = match &spec.loaded {
            None if spec.ready.body.is_some() => return Ok(Some(body)),
            None => body,
            Some(loaded) if loaded.body.is_some() => return Ok(loaded.body.clone()),
            Some(loaded) => match self.ask(&loaded.path, progress)? {
                Some((reply, _)) if reply.status == 200 => reply.body,
                other => {
                    progress.last =
                        other.map_or_else(|| "no answer".to_owned(), |(reply, _)| describe(&reply));
                    return Err(self.wrong_answer(&loaded.path, progress));
                }
            },
        };
        let path = &spec.loaded().path;
        let again = self.ask(path, progress)?.map(|(reply, _)| reply.body);
        Ok((again.as_ref() == Some(&first)).then_some(first))
    }

    /// One request, kept waiting: Tomcat lets clients connect long before it answers, and asking again would only find
    /// the answer later.
    fn ask(&mut self, path: &str, progress: &mut Progress) -> Result<Option<(Reply, Option<String>)>, Error> {
        self.look_in_time(progress)?;
        let trust = self.certificate.map(|certificate| &certificate.trust);
        let Ok(mut exchange) = Exchange::begin(self.address, path, trust) else {
            return Ok(None);
        };
        let asked = Instant::now();
        self.check_owner(progress)?;
        progress.no_answer("the port was open and nothing was answered".to_owned());
        while asked.elapsed() < REQUEST {
            match exchange.wait(LOOK) {
                Ok(None) => self.look_in_time(progress)?,
                Ok(Some(reply)) => return Ok(Some((reply, exchange.encryption()))),
                Err(error) => {
                    progress.no_answer(format!("the connection ended without an answer: {error}"));
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// The listener must belong to the process that we started.
    fn check_owner(&mut self, progress: &mut Progress) -> Result<(), Error> {
        if progress.ours {
            return Ok(());
        }
        let port = self.address.port();
        let leader = self.group.id();
        let _there = self.enter()?;
        progress.ours =
            port::is_held_by(port, &[leader]) || port::is_held_by(port, &process::members(leader));
        // It may have ended or closed between the connection and this look; then nobody holds it.
        match port::holder(port) {
            Some(holder) if !progress.ours => Err(Error::PortTaken {
                port,
                holder: Some(holder),
            }),
            _ => Ok(()),
        }
    }

    /// To where the server is, whose ports are asked about.
    fn enter(&self) -> Result<Option<Entered>, Error> {
        let network = self.spec.surroundings.network.as_deref();
        network.map(Network::enter_servers).transpose()
    }

    fn look_in_time(&mut self, progress: &mut Progress) -> Result<(), Error> {
        if progress.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.look(progress)
    }

    /// At the log, the process, the flag and the clock.
    fn look(&mut self, progress: &mut Progress) -> Result<(), Error> {
        progress.looked = Instant::now();
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        self.read_log(progress)?;
        if let Some(status) = self.group.ended()? {
            return Err(Error::Exited {
                server: self.server(),
                status: status.to_string(),
                log: log::tail(self.log),
            });
        }
        if self.began.elapsed() > self.spec.patience {
            if progress.answered {
                return Err(self.wrong_answer(&self.spec.ready.path, progress));
            }
            return Err(Error::NotReady {
                server: self.server(),
                seconds: self.spec.patience.as_secs(),
                last: progress.last.clone(),
                log: log::tail(self.log),
            });
        }
        Ok(())
    }

    fn read_log(&self, progress: &mut Progress) -> Result<(), Error> {
        let system = self.spec.program.system();
        let mut lines = progress.watch.lines();
        progress.up |= lines.iter().any(|line| system.is_up(line));
        let Some(found) = lines.iter().position(|line| system.judge(line).is_some()) else {
            return Ok(());
        };
        sleep(EXPLANATION);
        lines.append(&mut progress.watch.lines());
        let taken = |line: &String| system.judge(line) == Some(Trouble::PortTaken);
        if lines.iter().any(taken) {
            let port = self.address.port();
            let _there = self.enter()?;
            return Err(Error::PortTaken {
                port,
                holder: port::holder(port),
            });
        }
        Err(Error::Refused {
            server: self.server(),
            line: message(&lines[found]),
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

pub(crate) fn describe(reply: &Reply) -> String {
    let text = String::from_utf8_lossy(&reply.body);
    let start: String = text.chars().take(60).filter(|c| !c.is_control()).collect();
    format!(
        "status {}, {} bytes of body: {start:?}",
        reply.status,
        reply.body.len()
    )
}

/// A line of the log without its time, thread and class: `… WARNING [main] a.b.C.d Message`.
fn message(line: &str) -> String {
    let after = |level: &str| {
        line.split_once(level)?
            .1
            .split_once(']')?
            .1
            .trim_start()
            .split_once(' ')
    };
    let text = after("SEVERE")
        .or_else(|| after("WARNING"))
        .map_or(line, |(_class, text)| text);
    text.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_what_the_line_says() {
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
        let reply = Reply {
            status: 200,
            body: b"<html>\nDirectory: /</html>".to_vec(),
        };
        assert_eq!(
            describe(&reply),
            "status 200, 26 bytes of body: \"<html>Directory: /</html>\""
        );
    }
}
