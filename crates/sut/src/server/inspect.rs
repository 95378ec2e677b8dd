//! [`Inspector`]: looks into a running JVM while it is loaded. A Java program of ours attaches to it, and reads the
//! server's counters, its threads, and a recording of the JDK Flight Recorder.
//!
//! That costs the server memory and time, and a thread dump stops all threads. So use it only when nothing is measured any
//! more.

use crate::error::{Error, FileAct, UnreadableReason};
use crate::server::effective::{attach_command, attaching_jdk};
use crate::server::running::Server;
use crate::tools::site::Site;
use crate::tools::tool::ProcessGroup;
use model::inspection::{Inspection, JfrFacts, PoolReading, ThreadsSeen, Waits};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::str::Split;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The Java program that attaches.
const PROGRAM: &str = include_str!("Inspect.java");
/// The time that it has for an answer: starting it and the recorder takes seconds on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(50);

/// A program that is attached to a server's JVM. Dropping this ends it.
#[derive(Debug)]
pub struct Inspector {
    // Fields are dropped in this order: the program ends before its folder. This must not outlive the server.
    _group: ProcessGroup,
    orders: ChildStdin,
    answers: Receiver<String>,
    server: String,
    log: PathBuf,
}

impl Inspector {
    /// Attaches to the JVM of a server; `None` for a server without a JVM, or if there is no Java that could attach.
    ///
    /// # Errors
    /// The JVM refuses the attachment, or the stop flag was raised.
    pub fn attach(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<Self>, Error> {
        let spec = server.spec();
        let jdk = attaching_jdk(&spec.jdk).filter(|_| spec.program.is_java());
        let Some(jdk) = jdk else {
            return Ok(None);
        };
        let folder = server.work().folder("inspect")?;
        let (program, log) = (folder.join("Inspect.java"), folder.join("log"));
        fs::write(&program, PROGRAM).map_err(|error| Error::io(FileAct::Write, &program, error))?;
        let errors = File::create(&log).map_err(|error| Error::io(FileAct::Write, &log, error))?;
        let mut command = attach_command(&jdk, &program, server, site);
        command
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors);
        let entered = server.enter()?; // A JVM answers only in its own network namespace.
        let mut child = command
            .spawn()
            .map_err(|error| Error::io(FileAct::Start, command.get_program(), error))?;
        drop(entered);
        let pipes = child.stdin.take().zip(child.stdout.take());
        let group = ProcessGroup::new(child);
        server.work().record(group.id())?;
        let (orders, output) = pipes.ok_or(Error::Interrupted)?;
        let inspector = Self {
            _group: group,
            orders,
            answers: lines(output),
            server: spec.server.clone(),
            log,
        };
        inspector.answer(stop)?;
        Ok(Some(inspector))
    }

    /// Asks the JDK Flight Recorder to record the next inspection, and returns whether it will.
    ///
    /// # Errors
    /// The program has ended, or the stop flag was raised.
    pub fn record(&mut self, stop: &AtomicBool) -> Result<bool, Error> {
        self.order("record")?;
        Ok(self.answer(stop)? == "recording")
    }

    /// Begins the inspection; this returns at once.
    ///
    /// # Errors
    /// The program has ended.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.order("begin")
    }

    /// Ends the inspection; this returns at once.
    ///
    /// # Errors
    /// The program has ended.
    pub fn end(&mut self) -> Result<(), Error> {
        self.order("end")
    }

    /// The results of the inspection between begin and end.
    ///
    /// # Errors
    /// The program has ended, or the stop flag was raised.
    pub fn results(&mut self, stop: &AtomicBool) -> Result<Inspection, Error> {
        let mut inspection = Inspection::default();
        loop {
            let line = self.answer(stop)?;
            if line == "done" {
                return Ok(inspection);
            }
            // A line of an unknown kind is ignored.
            let _ = add_line(&mut inspection, &line);
        }
    }

    fn order(&mut self, word: &str) -> Result<(), Error> {
        let written = writeln!(self.orders, "{word}").and_then(|()| self.orders.flush());
        written.map_err(|_| self.broken())
    }

    fn answer(&self, stop: &AtomicBool) -> Result<String, Error> {
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

    /// The error for a missing answer, with the exception that the program logged where there is one.
    fn broken(&self) -> Error {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let line = log.lines().find(|line| line.contains("Exception"));
        Error::Unreadable {
            server: self.server.clone(),
            problem: line.map_or(UnreadableReason::NoAnswer, |line| {
                UnreadableReason::Output(line.to_owned())
            }),
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

/// Adds what a line of the program's output tells; `None` for a line of an unknown kind or with missing values.
fn add_line(inspection: &mut Inspection, line: &str) -> Option<()> {
    let mut words = line.split('\t');
    let kind = words.next()?;
    match kind {
        "seconds" => inspection.seconds = words.next()?.parse().ok()?,
        "pool" => inspection.pool.extend(pool(&mut words)),
        "threads" => inspection.threads = threads(&mut words),
        "allocated" => {
            let bytes: f64 = words.next()?.parse().ok()?;
            // Zero means that the recorder took no samples: a JVM under load always allocates.
            inspection.jfr.get_or_insert_default().allocated = Some(bytes).filter(|bytes| *bytes > 0.0);
        }
        "monitor" | "pinned" | "parked" | "socket" | "file" => {
            let (name, count, seconds) = (words.next()?, words.next()?, words.next()?);
            let wait = Waits {
                count: count.parse().ok()?,
                seconds: seconds.parse().ok()?,
            };
            let waits = waits_for(inspection.jfr.get_or_insert_default(), kind);
            waits.insert(name.to_owned(), wait);
        }
        _ => return None,
    }
    Some(())
}

fn waits_for<'a>(facts: &'a mut JfrFacts, kind: &str) -> &'a mut BTreeMap<String, Waits> {
    match kind {
        "monitor" => &mut facts.monitors,
        "pinned" => &mut facts.pinned,
        "parked" => &mut facts.parked,
        "socket" => &mut facts.sockets,
        _ => &mut facts.files,
    }
}

/// A reading of the server's pools; `None` if it has no value at all.
fn pool(words: &mut Split<'_, char>) -> Option<PoolReading> {
    let at_ns = words.next()?.parse().ok()?;
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let reading = PoolReading {
        at_ns,
        busy: number(),
        threads: number(),
        queued: number(),
        connections: number(),
    };
    let nothing = PoolReading {
        at_ns,
        ..PoolReading::default()
    };
    (reading != nothing).then_some(reading)
}

fn threads(words: &mut Split<'_, char>) -> Option<ThreadsSeen> {
    let mut number = || words.next()?.parse().ok();
    Some(ThreadsSeen {
        platform: number()?,
        r#virtual: number()?,
        platform_answering: number()?,
        virtual_answering: number()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_the_program_is_parsed_and_unknown_lines_are_ignored() {
        let mut inspection = Inspection::default();
        let output = "seconds\t1.5\npool\t7\t200\t210\t-\t301\npool\t8\t-\t-\t-\t-\nthreads\t40\t300\t0\t298\n\
                    monitor\torg.example.Lock\t12\t0.75\npinned\tNative or VM frame on stack\t2\t1.0\n\
                    parked\tjava.util.concurrent.Semaphore$NonfairSync\t100\t90.5\nsocket\t127.0.0.1:11211\t5\t0.5\n\
                    file\t/logs/access log.txt\t9\t0.1\nallocated\t1.5E8\nnews\tof tomorrow\nmonitor\tcut";
        for line in output.lines() {
            let _ = add_line(&mut inspection, line);
        }
        assert_eq!(inspection.seconds, 1.5);
        let reading = PoolReading {
            at_ns: 7,
            busy: Some(200),
            threads: Some(210),
            queued: None,
            connections: Some(301),
        };
        assert_eq!(inspection.pool, [reading]);
        let threads = inspection.threads.expect("there");
        assert_eq!((threads.platform, threads.virtual_answering), (40, 298));
        let jfr = inspection.jfr.expect("there");
        let wait = |count, seconds| Waits { count, seconds };
        assert_eq!(
            jfr.monitors,
            [("org.example.Lock".to_owned(), wait(12, 0.75))].into()
        );
        assert_eq!(jfr.pinned["Native or VM frame on stack"], wait(2, 1.0));
        assert_eq!(jfr.parked.len(), 1);
        assert_eq!(jfr.sockets["127.0.0.1:11211"], wait(5, 0.5));
        assert_eq!(jfr.files["/logs/access log.txt"], wait(9, 0.1));
        assert_eq!(jfr.allocated, Some(1.5e8));
    }
}
