//! [`Profiler`]: samples the CPU time of a JVM by stack, with [async-profiler](crate::tools::profiler).
//!
//! The profiler should be attached before the server is warmed up: from then on the JVM keeps, with the code that it compiles, from
//! which method each instruction comes, so that methods which were inlined into others are told apart. A sample costs the server some
//! microseconds, so use it only in a start in which nothing is measured.

mod stacks;

use crate::error::{Error, FileAct};
use crate::server::java_helper::JavaHelper;
use crate::server::java_program::PROFILE;
use crate::server::running::Server;
use crate::tools::profiler;
use crate::tools::site::Site;
use model::units::Seconds;
use record::inspection::CpuStack;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// CPU time of a thread between two samples of it: at most some thousand samples a second on a small machine.
const INTERVAL: &str = "1ms";
/// Where samples come from, the best first: the kernel's `perf_events`, whose stacks begin in the kernel; and timers of
/// threads, which every container allows, and which count the time in the kernel for the function that called the
/// kernel.
const EVENTS: [&str; 2] = ["cpu", "ctimer"];

/// async-profiler within a server's JVM.
#[derive(Debug)]
pub struct Profiler {
    helper: JavaHelper,
    /// Where samples come from.
    event: &'static str,
    /// The file of the profile.
    file: PathBuf,
}

impl Profiler {
    /// Loads the profiler into the JVM of a server; `None` for a server without a JVM, if there is no Java that could attach, or if
    /// there is no profiler for this processor.
    ///
    /// # Errors
    /// The profiler cannot be fetched, the JVM refuses it, or the stop flag was raised.
    pub fn attach(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<Self>, Error> {
        if server.jvm().is_none() || !server.is_ours() {
            return Ok(None);
        }
        match profiler::fetch(site, stop)? {
            Some(library) => Self::attach_with(&library, server, site, stop),
            None => Ok(None),
        }
    }

    /// Attaches this library to the JVM of a server; `None` where there is none.
    pub fn attach_with(
        library: &Path,
        server: &Server,
        site: &Site,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, Error> {
        let Some(mut helper) = JavaHelper::start(&PROFILE, server, site, stop)? else {
            return Ok(None);
        };
        helper.order(&library.display().to_string())?;
        let mut why = Err(Error::Interrupted);
        for event in EVENTS {
            helper.order(&format!("check,event={event}"))?;
            why = done(&helper, stop);
            if why.is_ok() {
                let file = helper.folder().join("stacks");
                return Ok(Some(Self { helper, event, file }));
            }
        }
        why.map(|()| None)
    }

    /// Begins to take samples; this returns at once.
    ///
    /// # Errors
    /// The program that gives orders to the profiler has ended.
    pub fn begin(&mut self) -> Result<(), Error> {
        let event = self.event;
        self.helper.order(&format!("start,event={event},interval={INTERVAL},threads"))
    }

    /// Ends it; this returns at once.
    ///
    /// # Errors
    /// The program that gives orders to the profiler has ended.
    pub fn end(&mut self) -> Result<(), Error> {
        let file = self.file.display().to_string();
        self.helper.order(&format!("stop,collapsed,ann,file={file}"))
    }

    /// The stacks between begin and end. `cpu` is what the process used in this time by its clock: samples tell how to
    /// divide it, because some of them are lost.
    ///
    /// # Errors
    /// The profiler failed, or the stop flag was raised.
    pub fn stacks(&mut self, cpu: Seconds, stop: &AtomicBool) -> Result<Vec<CpuStack>, Error> {
        done(&self.helper, stop)?;
        done(&self.helper, stop)?;
        let text = fs::read_to_string(&self.file);
        let text = text.map_err(|error| Error::io(FileAct::Read, &self.file, error))?;
        Ok(stacks::parse(&text, cpu))
    }
}

/// Reads the answer to an order.
fn done(helper: &JavaHelper, stop: &AtomicBool) -> Result<(), Error> {
    let answer = helper.answer(stop)?;
    match answer.strip_prefix("failed ") {
        Some(why) => Err(helper.refused(why.to_owned())),
        None => Ok(()),
    }
}
