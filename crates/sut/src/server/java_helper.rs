//! [`JavaHelper`]: a Java program of ours that attaches to the JVM of a server, takes orders and answers them, line by line.

use crate::error::{Error, FileAct, UnreadableReason};
use crate::server::effective::{attach_command, attaching_jdk};
use crate::server::java_program::JavaProgram;
use crate::server::running::Server;
use crate::tools::parent;
use crate::tools::site::Site;
use crate::tools::tool::ProcessGroup;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The time that it has for an answer: starting it takes seconds on a busy machine. A JVM that stands still never answers.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(50);

/// A program that is attached to a server's JVM. Dropping this ends it.
#[derive(Debug)]
pub(crate) struct JavaHelper {
    // Fields are dropped in this order: the program ends before its folder. This must not outlive the server.
    _group: ProcessGroup,
    orders: ChildStdin,
    answers: Receiver<String>,
    server: String,
    folder: PathBuf,
}

impl JavaHelper {
    /// Starts a program with the arguments `PID PORT FOLDER`; `None` for a server without a JVM, or if there is no Java that could
    /// attach. `FOLDER` is its own within the server's work folder.
    ///
    /// # Errors
    /// The program cannot be compiled or started, or the stop flag was raised.
    pub(crate) fn start(
        program: &JavaProgram,
        server: &Server,
        site: &Site,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, Error> {
        let spec = server.spec();
        let jdk = attaching_jdk(&spec.jdk).filter(|_| server.jvm().is_some());
        let Some(jdk) = jdk else {
            return Ok(None);
        };
        let folder = server.work().folder(&program.name.to_lowercase())?;
        let log = folder.join("log");
        let arguments = program.arguments(&jdk, &folder, site, stop)?;
        let errors = File::create(&log).map_err(|error| Error::io(FileAct::Write, &log, error))?;
        let mut command = attach_command(&jdk, &arguments, server, site);
        command.arg(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let entered = server.enter()?; // A JVM answers only in its own network namespace.
        let mut child = parent::spawn(command)?;
        drop(entered);
        let pipes = child.stdin.take().zip(child.stdout.take());
        let group = ProcessGroup::new(child);
        server.work().record(group.id())?;
        let (orders, output) = pipes.ok_or(Error::Interrupted)?;
        Ok(Some(Self { _group: group, orders, answers: lines(output), server: spec.server.clone(), folder }))
    }

    /// Gives it an order; this returns at once.
    ///
    /// # Errors
    /// The program has ended.
    pub(crate) fn order(&mut self, words: &str) -> Result<(), Error> {
        let written = writeln!(self.orders, "{words}").and_then(|()| self.orders.flush());
        written.map_err(|_| self.broken())
    }

    /// The next line of its answer.
    ///
    /// # Errors
    /// The program has ended or does not answer, or the stop flag was raised.
    pub(crate) fn answer(&self, stop: &AtomicBool) -> Result<String, Error> {
        let began = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            match self.answers.recv_timeout(POLL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if began.elapsed() < TIMEOUT => {}
                Err(_) => return Err(self.broken()),
            }
        }
        Err(Error::Interrupted)
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The error that the server refuses something, in the words of the program.
    pub(crate) fn refused(&self, why: String) -> Error {
        Error::Unreadable { server: self.server.clone(), problem: UnreadableReason::Output(why) }
    }

    /// The error for a missing answer, with the exception that the program logged where there is one.
    fn broken(&self) -> Error {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let line = log.lines().find(|line| line.contains("Exception"));
        match line {
            Some(line) => self.refused(line.to_owned()),
            None => Error::Unreadable { server: self.server.clone(), problem: UnreadableReason::NoAnswer },
        }
    }
}

/// Receives the lines of a pipe as they come, by a thread that ends with the pipe.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
