//! [`Generator`]: who makes the load of an experiment: the event loops of this process ([`LocalGenerator`]),
//! or other machines. Callers ask the same of both, so that there is one measuring path.

use crate::clock;
use crate::error::Error;
use crate::session::Session;
use crate::slice::{Edge, Slice};
use model::reason::Reason;
use model::units::Nanos;
use std::fmt::Debug;
use std::sync::atomic::AtomicBool;
use traffic::load_note::{AgentFacts, LoadNote};
use traffic::plan::{Plan, Window};

/// Makes loads.
pub trait Generator: Debug + Send + Sync {
    /// Checks a plan and takes what it needs; opens no connection yet.
    ///
    /// # Errors
    ///
    /// An [`Error`] says what is wrong with the plan, or which machine does not make it.
    fn open(&self, plan: Plan) -> Result<Box<dyn LoadSession>, Error>;

    /// Tells which slices come next, in this order. Machines elsewhere learn at once when each of them begins, so that all change
    /// from one to the next at the same instant, each by its own clock.
    ///
    /// # Errors
    ///
    /// An [`Error`] when the machines cannot be told.
    fn announce(&self, slices: &[Announced]) -> Result<(), Error>;

    /// How the machines of a fleet do; `None` where this process makes the load.
    fn fleet_status(&self) -> Option<FleetStatus>;

    /// Whether all machines are there, so that another round can count. It waits a moment for a machine that is started again.
    fn is_whole(&self) -> bool {
        true
    }

    /// What a report says of the machines of a fleet; empty where this process makes the load.
    fn notes(&self) -> Vec<LoadNote> {
        Vec::new()
    }
}

/// A plan that is run slice by slice. Connections persist between slices.
pub trait LoadSession: Debug + Send {
    /// Its number, which no other session of its generator has.
    fn id(&self) -> u64;

    /// When the next slice begins, a time of [`now`](crate::now). It is the present for event loops of this process; machines
    /// elsewhere have to learn of it first.
    ///
    /// # Errors
    ///
    /// An [`Error`] when the machines cannot be reached.
    fn next_start(&self) -> Result<Nanos, Error>;

    /// Runs one slice from `start` on, which [`LoadSession::next_start`] gave; see [`Session::run_from`]. Where other machines make the
    /// load, `on_edge` is called when the edges are due by their common schedule.
    ///
    /// # Errors
    ///
    /// An [`Error`] when the system, or a machine elsewhere, does not make the slice.
    fn run_from(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<MadeSlice, Error>;

    /// Waits for the requests in flight after the last slice of a plan whose slices go on with each other; see [`Session::drain`]. Machines
    /// elsewhere make no such slices.
    ///
    /// # Errors
    ///
    /// An [`Error`] when the system fails.
    fn drain(&mut self, _: &AtomicBool) -> Result<(), Error> {
        Ok(())
    }
}

/// A slice that comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The sessions that are run in it, all at once.
    pub sessions: Vec<u64>,
    /// How long it settles and counts.
    pub window: Window,
}

/// A slice, and how its generator did.
#[derive(Debug)]
pub struct MadeSlice {
    /// What was measured, by all machines together.
    pub slice: Slice,
    /// Why it says more about a machine that made it than about the server; `None` when it may be believed.
    pub why_invalid: Option<Reason>,
    /// 99th percentile of the generator's lag; with several machines, the slowest machine's.
    pub lag_p99: Nanos,
    /// CPU time of the event loops on this machine between the edges.
    pub cpu_here: Nanos,
}

/// How the machines of a fleet do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetStatus {
    /// Machines that make their shares.
    pub there: u64,
    /// Machines that were asked for.
    pub of: u64,
    /// Between the first and the last begin of the last slice; `None` before there was one.
    pub start_spread: Option<Nanos>,
    /// Each of them.
    pub agents: Vec<AgentStatus>,
}

/// How a machine of a fleet does.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentStatus {
    /// What it did so far, and its clock.
    pub facts: AgentFacts,
    /// Whether the coordinator heard from it in the last seconds.
    pub is_there: bool,
}

/// The event loops of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalGenerator;

impl Generator for LocalGenerator {
    fn open(&self, plan: Plan) -> Result<Box<dyn LoadSession>, Error> {
        Ok(Box::new(Session::open(plan)?))
    }

    fn announce(&self, _: &[Announced]) -> Result<(), Error> {
        Ok(())
    }

    fn fleet_status(&self) -> Option<FleetStatus> {
        None
    }
}

impl LoadSession for Session {
    /// Nobody has to be told of the sessions of this process, so they need no numbers.
    fn id(&self) -> u64 {
        0
    }

    fn next_start(&self) -> Result<Nanos, Error> {
        Ok(clock::now())
    }

    fn drain(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        Session::drain(self, stop)
    }

    fn run_from(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<MadeSlice, Error> {
        let slice = Session::run_from(self, start, window, stop, on_edge)?;
        Ok(MadeSlice {
            why_invalid: slice.why_invalid(),
            lag_p99: Nanos(slice.lag.value_at_quantile(0.99)),
            cpu_here: slice.generator_cpu,
            slice,
        })
    }
}
