//! [`BriefSession`]: load on one arm where this process has too few file descriptors for the connections of all arms at once.

use load::{Edge, Error, Generator, LoadSession, LocalGenerator, MadeSlice, Window};
use model::units::Nanos;
use std::sync::atomic::AtomicBool;
use traffic::plan::Plan;

/// A session whose connections are opened in each slice, while it settles, and closed after it.
#[derive(Debug)]
pub(crate) struct BriefSession(pub(crate) Plan);

impl LoadSession for BriefSession {
    fn id(&self) -> u64 {
        0
    }

    fn next_start(&self) -> Result<Nanos, Error> {
        Ok(load::now())
    }

    fn run_from(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<MadeSlice, Error> {
        LocalGenerator.open(self.0.clone())?.run_from(start, window, stop, on_edge)
    }
}
